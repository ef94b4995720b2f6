// Packed output: pieces of a run that follow each other, deflated as one, and beside them where each of them lies.
import { promisify } from 'node:util';
import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib';
import { readVarint, varintBytes, writeVarint } from './metrics/varints.js';

const deflated = promisify(deflate);
const inflated = promisify(inflate);
const level = 6;

/** A piece as it was stored: the offsets of its lines and the bytes that they have. */
export interface PlacedPiece {
  readonly first: number;
  readonly last: number;
  readonly stderr: boolean;
  readonly bytes: number;
}

/** For each piece as varints: the offsets that lie between it and the piece before, how many more offsets than one it has and whether they are of standard error, its bytes. All deflated, since most are alike. */
export const encodePlaces = (pieces: readonly PlacedPiece[]): Buffer => {
  let end = pieces[0]?.first ?? 0;
  const numbers = pieces.flatMap(({ first, last, stderr, bytes }) => {
    const gap = first - end;
    end = last + 1;
    return [gap, (last - first) * 2 + (stderr ? 1 : 0), bytes];
  });
  const body = Buffer.allocUnsafe(numbers.reduce((sum, number) => sum + varintBytes(number), 0));
  let at = 0;
  for (const number of numbers) at = writeVarint(body, at, number);
  return deflateSync(body, { level });
};

/** The pieces of a packed row whose first one begins at an offset. Throws an `Error` where the bytes are not as they were written. */
export const decodePlaces = (places: Buffer, firstOffset: number): readonly PlacedPiece[] => {
  const body = inflateSync(places);
  const cursor = { at: 0 };
  const pieces: PlacedPiece[] = [];
  for (let first = firstOffset; cursor.at < body.length;) {
    first += readVarint(body, cursor);
    const more = readVarint(body, cursor);
    const last = first + Math.floor(more / 2);
    pieces.push({ first, last, stderr: more % 2 === 1, bytes: readVarint(body, cursor) });
    first = last + 1;
  }
  return pieces;
};

export const deflatePack = (content: Buffer): Promise<Buffer> => deflated(content, { level });

/** The content of a packed row, of which the bytes are known. Throws an `Error` where it is not as it was written. */
export const inflatePack = async (content: Buffer, bytes: number): Promise<Buffer> => {
  const whole = await inflated(content, {
    chunkSize: Math.max(bytes, 64),
    maxOutputLength: Math.max(bytes, 1),
  });
  if (whole.length !== bytes)
    throw new Error(`packed output has ${whole.length} bytes and should have ${bytes}`);
  return whole;
};

/** How much of some bytes of output can be told without them. */
export interface CountedLines {
  readonly newlines: number;
  readonly endsLine: boolean | undefined;
}

const newline = 10;

export const countLines = (content: Buffer): CountedLines => {
  let newlines = 0;
  for (let at = content.indexOf(newline); at !== -1; at = content.indexOf(newline, at + 1))
    newlines++;
  return { newlines, endsLine: content.length === 0 ? undefined : content.at(-1) === newline };
};
