// Float64 columns with their bytes transposed: all least bytes first, all greatest ones last; those that hardly change stand together and deflate well.
import { endianness } from 'node:os';

// The place of a little-endian byte within a float of this machine.
const flip = endianness() === 'BE' ? 7 : 0;

/** Writes the column transposed and gives the place after it. */
export const writeFloats = (column: Float64Array, into: Uint8Array, from: number): number => {
  const count = column.length;
  const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  for (let plane = 0; plane < 8; plane++) {
    const start = from + plane * count;
    const place = plane ^ flip;
    for (let at = 0; at < count; at++) into[start + at] = bytes[at * 8 + place]!;
  }
  return from + count * 8;
};

/** Reads `count` floats that `writeFloats` wrote; throws an `Error` when the bytes end before. */
export const readFloats = (from: Uint8Array, start: number, count: number): Float64Array => {
  if (start + count * 8 > from.length)
    throw new Error(`metric chunk is too short for its ${count} points`);
  const column = new Float64Array(count);
  const words = new Uint32Array(column.buffer);
  const low = flip === 0 ? 0 : 1;
  for (let at = 0; at < count; at++) {
    const byte = start + at;
    words[at * 2 + low] = joinBytes(from, byte, count);
    words[at * 2 + 1 - low] = joinBytes(from, byte + count * 4, count);
  }
  return column;
};

// The caller has checked the bounds.
const joinBytes = (from: Uint8Array, at: number, stride: number): number =>
  from[at]! |
  (from[at + stride]! << 8) |
  (from[at + stride * 2]! << 16) |
  (from[at + stride * 3]! << 24);
