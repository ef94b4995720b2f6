// Pictures are decoded in a process of their own, one after the other: it has no secrets in its environment, and when a picture ends it, the next one starts another.
import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type { ByteStream } from '#ports/bytes';
import { Failure, isFailure } from '#ports/failure';
import { imageBounds, mostDrawingLetters, type Images, type SmallPicture } from '#ports/images';

/** How long one picture may take, and how long the process stays without one, in ms. */
const [workMs, idleMs] = [15_000, 20_000];
/** Pictures that wait for their turn. */
const mostWaiting = 500;

/** The process: it is handed the path of the library, and then pictures as messages. Nothing but four kinds of files is ever read, and drawings of our own. */
const program = `
const sharp = require(process.argv[1]);
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'] });
process.on('disconnect', () => process.exit());
const drawn = ['VipsForeignLoadSvgBuffer'];
process.on('message', async ({ bytes, svg, edge, pixels }) => {
  try {
    if (svg !== undefined) {
      sharp.unblock({ operation: drawn });
      try {
        const of = sharp(Buffer.from(svg), { density: 144, limitInputPixels: pixels });
        process.send({ small: await of.png().toBuffer() });
      } finally {
        sharp.block({ operation: drawn });
      }
      return;
    }
    const picture = sharp(bytes, { limitInputPixels: pixels, failOn: 'error' });
    const small = await picture
      .rotate()
      .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer();
    process.send({ small });
  } catch (thrown) {
    process.send({ fault: String(thrown.message) });
  }
});
process.send({ ready: true });
`;

interface Answer {
  readonly ready?: true;
  readonly small?: Uint8Array;
  readonly fault?: string;
}

const unread = (why: string, cause?: unknown) =>
  new Failure('unprocessable', `the picture cannot be made smaller: ${why}`, { cause });

/** All bytes, unless there are too many. */
const gather = async (stream: ByteStream): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > imageBounds.bytes)
      throw unread(`it has more than ${imageBounds.bytes / 1024 / 1024} MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** Resolves with the next message; rejects with what `ended` makes of it when the process ends, or takes longer than it may. */
const nextAnswer = (child: ChildProcess, ended: (why: string) => Failure): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const clear = () => {
      clearTimeout(timer);
      child.off('message', told);
      child.off('exit', gone);
      child.off('error', gone);
    };
    const told = (message: unknown) => {
      clear();
      resolve(message as Answer); // the program above sends nothing else
    };
    const gone = () => {
      clear();
      reject(ended('its bytes ended the decoder'));
    };
    const timer = setTimeout(() => {
      clear();
      child.kill('SIGKILL');
      reject(ended('it takes too long'));
    }, workMs);
    child.once('message', told).once('exit', gone).once('error', gone);
  });

export interface StartedImages extends Images {
  /** Ends the process, if there is one. */
  stop(): void;
}

/** `library` is the path of the decoder's package; by default where it is installed. */
export const createImages = (
  library: () => string = () => createRequire(import.meta.url).resolve('sharp'),
): StartedImages => {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let [waiting, stopped] = [0, false];
  let turn: Promise<unknown> = Promise.resolve();

  const end = () => {
    clearTimeout(idle);
    child?.kill('SIGKILL');
    child = undefined;
  };
  const start = async (): Promise<ChildProcess> => {
    const none = (cause?: unknown) =>
      new Failure('unsupported', 'this server has no decoder of pictures for its platform', {
        cause,
      });
    let path: string;
    try {
      path = library();
    } catch (cause) {
      throw none(cause);
    }
    const started = spawn(process.execPath, ['-e', program, path], {
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.once('exit', () => {
      if (child === started) child = undefined;
    });
    await nextAnswer(started, () => none());
    started.unref();
    started.channel?.unref();
    return started;
  };

  const ask = async (to: ChildProcess, asked: object): Promise<Uint8Array> => {
    const answer = nextAnswer(to, unread);
    to.send({ ...asked, pixels: imageBounds.pixels });
    const { small, fault } = await answer;
    if (small === undefined) throw unread(fault ?? 'it is no picture');
    return small;
  };
  const ready = async (): Promise<ChildProcess> => {
    clearTimeout(idle);
    return (child ??= await start());
  };
  const shrink = async (open: () => Promise<ByteStream>, edge: number): Promise<SmallPicture> => {
    const to = await ready();
    return {
      bytes: await ask(to, { bytes: await gather(await open()), edge }),
      type: 'image/webp',
    };
  };
  const draw = async (svg: string): Promise<SmallPicture> => ({
    bytes: await ask(await ready(), { svg }),
    type: 'image/png',
  });

  /** Does one thing after the other. */
  const inTurn = async (work: () => Promise<SmallPicture>): Promise<SmallPicture> => {
    if (stopped || waiting >= mostWaiting)
      throw new Failure('unavailable', 'too many pictures wait to be made', { retryAfter: 1 });
    waiting++;
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    try {
      return await mine;
    } catch (thrown) {
      if (!isFailure(thrown)) end(); // what is left of a turn must not meet the next one
      throw thrown;
    } finally {
      waiting--;
      clearTimeout(idle);
      idle = setTimeout(end, idleMs).unref();
    }
  };

  return {
    shrink: (open, edge) => inTurn(() => shrink(open, edge)),
    async draw(svg) {
      if (svg.length > mostDrawingLetters) throw unread('the drawing is too long');
      return inTurn(() => draw(svg));
    },
    stop() {
      stopped = true;
      end();
    },
  };
};
