// A multipart body as parts that come one by one. Every part is a stream, so bytes without a file name are never taken for text.
import { Busboy } from '@fastify/busboy';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Part, Upload } from '#ports/bytes';
import { Failure } from '#ports/failure';

const leadLimit = 64 * 1024;
const partLimit = 200;

const readText = async (
  name: string,
  content: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > limit) throw new Failure('tooLarge', `part ${name} must be at most ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
};

const arriving = (request: IncomingMessage): AsyncIterable<Part> => {
  const waiting: Part[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  let broken: Error | undefined;
  const tell = () => {
    wake?.();
    wake = undefined;
  };
  const finish = (fault?: Error) => {
    over = true;
    broken ??= fault;
    tell();
  };

  let parser: InstanceType<typeof Busboy>;
  try {
    parser = new Busboy({
      headers: request.headers as IncomingHttpHeaders & { 'content-type': string }, // its absence makes the parser throw, which is translated below
      preservePath: true,
      limits: { parts: partLimit, headerPairs: 40 },
      isPartAFile: () => true,
    });
  } catch (cause) {
    throw new Failure('invalid', 'the body is not multipart/form-data', { cause });
  }
  parser.on(
    'file',
    (
      name: string,
      content: Readable,
      fileName: string | undefined,
      _encoding: string,
      type: string,
    ) => {
      content.on('error', () => undefined); // a break in mid-part is reported by the request itself
      waiting.push({
        name,
        fileName,
        type,
        content,
        text: (limit) => readText(name, content, limit),
      });
      tell();
    },
  );
  parser.on('finish', () => finish());
  parser.on('error', (cause: unknown) =>
    finish(new Failure('invalid', 'the multipart body is broken', { cause })),
  );
  request.on('aborted', () => {
    finish(new Failure('invalid', 'the request ended before its body'));
    parser.destroy();
  });
  request.on('error', (cause) =>
    finish(new Failure('invalid', 'the request ended before its body', { cause })),
  );
  request.pipe(parser);

  return (async function* () {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (broken !== undefined) throw broken;
      if (over) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  })();
};

async function* contentOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
const replay = (part: Part, text: string): Part => ({
  ...part,
  content: contentOf(text),
  text: async () => text,
});

/**
 * Whether a body that says it is multipart names no boundary, by which its parts could be told: the Python SDK of LLM observability says so of a
 * web form.
 */
export const hasNoBoundary = (type: string | undefined): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(type ?? '') && !/;\s*boundary\s*=/i.test(type ?? '');

/** The fields of a web form as parts. */
export async function* formParts(form: string): Upload {
  for (const [name, value] of new URLSearchParams(form))
    yield {
      ...{ name, fileName: undefined, type: undefined, content: contentOf(value) },
      text: (limit) => readText(name, contentOf(value), limit),
    };
}

export interface OpenedMultipart {
  /** Parts named in `wanted` that came before any other, as text. */
  readonly lead: ReadonlyMap<string, string>;
  readonly parts: Upload;
}

/** Opens a multipart body. Parts in `wanted` that stand at its front are read at once, to 64 KiB, and still come as parts. */
export const openMultipart = async (
  request: IncomingMessage,
  wanted: readonly string[],
): Promise<OpenedMultipart> => {
  const source = arriving(request)[Symbol.asyncIterator]();
  const lead = new Map<string, string>();
  const seen: Part[] = [];
  while (lead.size < wanted.length) {
    const { value, done } = await source.next();
    if (done === true) break;
    if (!wanted.includes(value.name)) {
      seen.push(value);
      break;
    }
    const text = await value.text(leadLimit);
    lead.set(value.name, text);
    seen.push(replay(value, text));
  }
  const parts = (async function* () {
    yield* seen;
    for (;;) {
      const { value, done } = await source.next();
      if (done === true) return;
      yield value;
    }
  })();
  return { lead, parts };
};
