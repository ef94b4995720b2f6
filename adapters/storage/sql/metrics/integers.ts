// Columns of whole numbers in which a point may have none (`NaN`): a shape byte, a bitmap of who has one, zig-zag varints of their differences.
import { readFloats, writeFloats } from './floats.js';
import { readVarint, writeVarint, type Cursor } from './varints.js';

const none = 0;
const all = 1;
const some = 2;
const plain = 3;

/** How often differences are taken: once for steps, which climb evenly, twice for times, whose pace is what is even. */
export type Order = 1 | 2;

/** Bytes that `writeIntegers` needs at most for a column of this length. */
export const measureIntegers = (count: number): number => 1 + Math.ceil(count / 8) + count * 8;

/** Writes a column and gives the place after it. Differences past 2^53 make it fall back to plain floats. */
export const writeIntegers = (
  column: Float64Array,
  order: Order,
  into: Uint8Array,
  from: number,
): number => {
  const present = countPresent(column);
  if (present === 0) return writeShape(none, into, from);
  const shape = present === column.length ? all : some;
  const start = shape === all ? from + 1 : writePresence(column, into, from + 1);
  const end = writeDifferences(column, order, into, start);
  if (end === undefined) return writeFloats(column, into, writeShape(plain, into, from));
  writeShape(shape, into, from);
  return end;
};

/** Reads a column that `writeIntegers` wrote and moves the cursor after it; throws an `Error` when the bytes do not hold one. */
export const readIntegers = (
  bytes: Uint8Array,
  cursor: Cursor,
  count: number,
  order: Order,
): Float64Array => {
  const shape = bytes[cursor.at++];
  if (shape === none) return new Float64Array(count).fill(NaN);
  if (shape === all) return readDifferences(bytes, cursor, new Float64Array(count), order);
  if (shape === some)
    return readDifferences(bytes, cursor, readPresence(bytes, cursor, count), order);
  if (shape !== plain) throw new Error(`metric chunk has a column of the unknown shape ${shape}`);
  const column = readFloats(bytes, cursor.at, count);
  cursor.at += count * 8;
  return column;
};

/** Moves the cursor behind a column that `writeIntegers` wrote; throws an `Error` when the bytes do not hold one. */
export const skipIntegers = (bytes: Uint8Array, cursor: Cursor, count: number): void => {
  const shape = bytes[cursor.at++];
  if (shape === none) return;
  if (shape === plain) {
    cursor.at += count * 8;
    return;
  }
  if (shape !== all && shape !== some)
    throw new Error(`metric chunk has a column of the unknown shape ${shape}`);
  const present = shape === all ? count : countPresent(readPresence(bytes, cursor, count));
  for (let left = present; left > 0; cursor.at++) {
    const byte = bytes[cursor.at];
    if (byte === undefined) throw new Error('metric chunk ends within a column');
    if (byte < 0x80) left--;
  }
};

const countPresent = (column: Float64Array): number => {
  let present = 0;
  for (let at = 0; at < column.length; at++) if (!Number.isNaN(column[at]!)) present++;
  return present;
};

const writeShape = (shape: number, into: Uint8Array, at: number): number => {
  into[at] = shape;
  return at + 1;
};

const writePresence = (column: Float64Array, into: Uint8Array, from: number): number => {
  const end = from + Math.ceil(column.length / 8);
  into.fill(0, from, end);
  for (let at = 0; at < column.length; at++) {
    if (!Number.isNaN(column[at]!)) into[from + (at >> 3)]! |= 1 << (at & 7);
  }
  return end;
};

// Zero where a point has a number, `NaN` where it has none: what `readDifferences` fills.
const readPresence = (bytes: Uint8Array, cursor: Cursor, count: number): Float64Array => {
  const from = cursor.at;
  cursor.at += Math.ceil(count / 8);
  if (cursor.at > bytes.length) throw new Error('metric chunk ends within a column');
  const column = new Float64Array(count);
  for (let at = 0; at < count; at++)
    if ((bytes[from + (at >> 3)]! & (1 << (at & 7))) === 0) column[at] = NaN;
  return column;
};

const writeDifferences = (
  column: Float64Array,
  order: Order,
  into: Uint8Array,
  from: number,
): number | undefined => {
  let end = from;
  let before = 0;
  let pace = 0;
  for (let at = 0; at < column.length; at++) {
    const value = column[at]!;
    if (Number.isNaN(value)) continue;
    const difference = value - before - pace;
    const zigzag = difference >= 0 ? difference * 2 : -difference * 2 - 1;
    if (!Number.isSafeInteger(zigzag) || !Number.isSafeInteger(value - before)) return undefined;
    end = writeVarint(into, end, zigzag);
    if (order === 2) pace = value - before;
    before = value;
  }
  return end;
};

const readDifferences = (
  bytes: Uint8Array,
  cursor: Cursor,
  column: Float64Array,
  order: Order,
): Float64Array => {
  let before = 0;
  let pace = 0;
  for (let at = 0; at < column.length; at++) {
    if (column[at] !== column[at]) continue;
    const first = bytes[cursor.at]!;
    let difference: number;
    if (first < 0x80) {
      // Nearly every one of them: a byte, whose lowest bit is the sign.
      difference = (first >>> 1) ^ -(first & 1);
      cursor.at++;
    } else {
      const zigzag = readVarint(bytes, cursor);
      difference = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    }
    const step = pace + difference;
    before += step;
    column[at] = before;
    if (order === 2) pace = step;
  }
  return column;
};
