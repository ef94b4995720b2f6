// Bytes of a body, as they come and unpacked, within bounds that are held while they arrive.
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Failure } from '#ports/failure';
import type { Held } from './budget.js';

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What has come, each piece counted against the limit and the budget before it is kept. */
const gather = (limit: number, sentence: string, held: Held) => {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    add(piece: Buffer): void {
      size += piece.length;
      if (size > limit) throw new Failure('tooLarge', sentence);
      held.take(piece.length);
      pieces.push(piece);
    },
    all: (): Buffer =>
      pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces),
  };
};

/** The whole body. Rejects with `tooLarge`, `unavailable`, or `invalid` where it ends early. Not by a loop over the request: leaving that one early would destroy the connection, and the refusal with it. */
export const readAll = (request: IncomingMessage, limit: number, held: Held): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const sentence = `the body must be at most ${limit} bytes`;
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > limit) throw new Failure('tooLarge', sentence);
    held.expect(declared);
    const gathered = gather(limit, sentence, held);
    const take = (piece: Buffer): void => {
      // no encoding is set on the request, so its pieces are buffers
      try {
        gathered.add(piece);
      } catch (thrown) {
        request.off('data', take);
        reject(thrown);
      }
    };
    request.on('data', take);
    let isWhole = false;
    request.once('end', () => {
      isWhole = true;
      resolve(gathered.all());
    });
    for (const end of ['aborted', 'error', 'close'] as const)
      request.once(end, () => {
        if (!isWhole) reject(new Failure('invalid', 'the request ended before its body'));
      });
  });

/** The bytes that were packed. Rejects with `tooLarge`, `unavailable`, `unsupported`, or `invalid` for what is not packed so. */
export const unpack = (
  packed: Buffer,
  encoding: string,
  limit: number,
  held: Held,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (encoding === 'identity' || encoding === '') {
      resolve(packed);
      return;
    }
    const open = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
    if (open === undefined)
      throw new Failure(
        'unsupported',
        `Content-Encoding ${encoding.slice(0, 40)} is not supported`,
      );
    const unpacking = open();
    const gathered = gather(limit, `the inflated body must be at most ${limit} bytes`, held);
    unpacking.on('data', (piece: Buffer) => {
      try {
        gathered.add(piece);
      } catch (thrown) {
        unpacking.destroy();
        reject(thrown);
      }
    });
    unpacking.once('end', () => {
      resolve(gathered.all());
    });
    unpacking.once('error', (cause) => {
      reject(new Failure('invalid', `the body is not ${encoding}`, { cause }));
    });
    unpacking.end(packed);
  });
