// Frames are packed on this thread where a batch is small, and on a thread beside it where it is large, so that requests are read meanwhile.
import { Worker } from 'node:worker_threads';
import { varintBytes, writeVarint } from '../metrics/varints.js';
import { isOdd } from './grams.js';
import { packContent, type Content, type Packed } from './pack-content.js';

type Texts = readonly (string | undefined)[];

/** A batch of as many bytes goes to the thread beside; less takes no longer here than its way there. */
const besideBytes = 128 * 1024;
/** How long that thread is kept without work, in ms. */
const keptMs = 30_000;
/** Young objects of that thread, in MiB: it keeps none. */
const youngMb = 4;

/** Texts that are to lie in a row: how many there are, how long each is, and the texts themselves. */
interface Row {
  readonly texts: Texts;
  readonly numbers: readonly number[];
  /** Where the texts begin, and where they end. */
  readonly from: number;
  readonly bytes: number;
}
const measure = (texts: Texts): Row => {
  const numbers = [
    texts.length,
    ...texts.map((text) => (text === undefined ? 0 : text.length + 1)),
  ];
  const from = numbers.reduce((sum, one) => sum + varintBytes(one), 0);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), from);
  return { texts, numbers, from, bytes };
};
const bytesOf = (rows: readonly Row[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);

/** Lays out rows one behind the other, in memory of their own: in one piece, since to hand many to another thread takes longer than to fill them. */
const layOut = (rows: readonly Row[]): readonly Content[] => {
  const all = Buffer.allocUnsafeSlow(bytesOf(rows));
  let begin = 0;
  return rows.map(({ texts, numbers, from, bytes }) => {
    const row = new Uint8Array(all.buffer, begin, bytes);
    numbers.reduce((at, one) => writeVarint(row, at, one), 0);
    let at = begin + from;
    for (const text of texts) if (text !== undefined) at += all.write(text, at);
    begin += bytes;
    return { bytes: row, from, hasGrams: !isOdd(texts) };
  });
};

/** What the thread beside is asked and what it answers. */
export interface Order {
  readonly id: number;
  readonly contents: readonly Content[];
}
export interface Done {
  readonly id: number;
  readonly packed: readonly Packed[];
}

interface Beside {
  pack(contents: readonly Content[]): Promise<readonly Packed[]>;
}

/** Starts the thread; `onEnd` is called once it takes no more. */
const startBeside = (onEnd: () => void): Beside => {
  const thread = new Worker(new URL('./packing-thread.js', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: youngMb },
  });
  thread.unref();
  const waiting = new Map<
    number,
    { readonly done: (packed: readonly Packed[]) => void; readonly failed: (why: Error) => void }
  >();
  let last = 0;
  let idle: NodeJS.Timeout | undefined;
  const rest = () => {
    idle = setTimeout(() => {
      onEnd();
      void thread.terminate();
    }, keptMs).unref();
  };
  const end = (why: Error) => {
    onEnd();
    clearTimeout(idle);
    for (const { failed } of waiting.values()) failed(why);
    waiting.clear();
  };
  thread.on('message', ({ id, packed }: Done) => {
    waiting.get(id)?.done(packed);
    waiting.delete(id);
    if (waiting.size > 0) return;
    thread.unref();
    rest();
  });
  thread.once('error', end);
  thread.once('exit', () => {
    end(new Error('the thread that packs has ended'));
  });
  return {
    pack: (contents) =>
      new Promise((done, failed) => {
        clearTimeout(idle);
        thread.ref(); // what waits for it must be answered
        const id = ++last;
        waiting.set(id, { done, failed });
        const order: Order = { id, contents };
        thread.postMessage(
          order,
          contents.slice(0, 1).map(({ bytes }) => bytes.buffer), // all of them lie in one
        );
      }),
  };
};

let beside: Beside | undefined;

/** Packs texts as frames, in their order. */
export const packAll = async (all: readonly Texts[]): Promise<readonly Packed[]> => {
  const rows = all.map(measure);
  if (bytesOf(rows) < besideBytes) return layOut(rows).map(packContent);
  const thread = (beside ??= startBeside(() => {
    if (beside === thread) beside = undefined;
  }));
  try {
    return await thread.pack(layOut(rows));
  } catch {
    return layOut(rows).map(packContent); // that thread has ended, and what it was given with it
  }
};
