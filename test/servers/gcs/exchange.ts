// A request and its answer, as the handlers of the fake see them.
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StoredObject } from './objects.js';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly reply: ServerResponse;
  readonly url: URL;
}

/** Ends a request with a status that the JSON or the XML interface dresses in its own way. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message = code,
  ) {
    super(message);
  }
}

export const answer = (
  { reply }: Exchange,
  status: number,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): void => {
  reply.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
};

export const answerJson = (exchange: Exchange, value: unknown, status = 200): void =>
  answer(exchange, status, JSON.stringify(value), {
    'content-type': 'application/json; charset=UTF-8',
  });

export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for await (const bytes of request) pieces.push(bytes as Buffer); // no encoding is set, so bytes come
  return Buffer.concat(pieces);
};

/** The bytes of an object, or the range of them that is asked for. */
export const answerBytes = (
  { request, reply }: Exchange,
  object: StoredObject,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const { size } = object;
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const [start, end] =
    asked === null
      ? [0, size - 1]
      : [Number(asked[1]), Math.min(asked[2] === '' ? size - 1 : Number(asked[2]), size - 1)];
  if (asked !== null && (start > end || start >= size))
    throw new Refusal(416, 'InvalidRange', 'The requested range cannot be satisfied.');
  reply.writeHead(asked === null ? 200 : 206, {
    'content-type': object.type,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    etag: `"${object.etag}"`,
    'x-goog-hash': `crc32c=${object.crc32c}${object.md5 === undefined ? '' : `,md5=${object.md5}`}`,
    'x-goog-stored-content-encoding': 'identity',
    'x-goog-generation': String(object.generation),
    ...(asked === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    ...headers,
  });
  if (request.method === 'HEAD' || size === 0) {
    reply.end();
    return;
  }
  const reading = createReadStream(object.file, { start, end });
  reading.pipe(reply);
  reply.once('close', () => reading.destroy());
};
