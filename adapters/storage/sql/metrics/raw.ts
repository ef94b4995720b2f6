// The form ingest writes: 8 bytes of head (form, shapes, two zeros, count), little-endian float64, then int32, then texts, a CRC-32 of all before it.
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { Columns, Slice } from './points.js';
import { gatherTexts, measureTexts, readTexts, writeTexts } from './texts.js';

export const rawForm = 1;

/** How a column stands in a chunk: nowhere; as floats; as its first and their distance; as its first and what each lies off it in 32 bits. */
const shapes = { none: 0, plain: 1, even: 2, near: 3 } as const;
type Shape = (typeof shapes)[keyof typeof shapes];

/** The columns that have a shape, each in its own two bits of the second byte. */
const shaped = ['timestamps', 'steps', 'epochs'] as const;
const withTexts = 64;
const headBytes = 8;
const tailBytes = 4;
const bigEndian = endianness() === 'BE';

const countFloats = (shape: Shape, count: number): number =>
  shape === shapes.plain ? count : shape === shapes.even ? 2 : shape === shapes.near ? 1 : 0;

/** The points as they stand, without what can be told in fewer words: steps and epochs cost next to nothing, times four bytes. Made to cost little. */
export const encodeRaw = (slices: readonly Slice[]): Buffer => {
  const [only] = slices;
  return slices.length === 1 &&
    only !== undefined &&
    only.to - only.from === 1 &&
    !only.columns.texts.has(only.from)
    ? encodeOne(only)
    : encodeMany(slices);
};

/** One point without a text, of which live runs write most: the same bytes without arrays, which cost as much to make as to collect. */
const encodeOne = ({ columns, from }: Slice): Buffer => {
  const chunk = Buffer.allocUnsafe(headBytes + 8 * (1 + shaped.length) + tailBytes);
  let [place, bits] = [chunk.writeDoubleLE(columns.values[from]!, headBytes), 0];
  for (let at = 0; at < shaped.length; at++) {
    const value = columns[shaped[at]!][from]!;
    if (Number.isNaN(value)) continue;
    bits |= shapes.plain << (at * 2);
    place = chunk.writeDoubleLE(value, place);
  }
  chunk.writeUInt32LE(0, 0);
  chunk[0] = rawForm;
  chunk[1] = bits;
  chunk.writeUInt32LE(1, 4);
  const end = chunk.writeUInt32LE(crc32(chunk.subarray(0, place)), place);
  return chunk.subarray(0, end);
};

const encodeMany = (slices: readonly Slice[]): Buffer => {
  const values = gather(slices, 'values');
  const count = values.length;
  const columns = shaped.map((name) => gather(slices, name));
  const found = columns.map(findShape);
  const texts = gatherTexts(slices);
  const floats = count + found.reduce((sum: number, shape) => sum + countFloats(shape, count), 0);
  const integers = found.filter((shape) => shape === shapes.near).length * count;
  const textsFrom = headBytes + floats * 8 + integers * 4;
  // An ArrayBuffer of its own, since a pooled Buffer need not begin where a Float64Array may.
  const chunk = Buffer.from(
    new ArrayBuffer(textsFrom + (texts.length > 0 ? measureTexts(texts) : 0) + tailBytes),
  );
  chunk[0] = rawForm;
  chunk[1] = found.reduce(
    (bits: number, shape, at) => bits | (shape << (at * 2)),
    texts.length > 0 ? withTexts : 0,
  );
  chunk.writeUInt32LE(count, 4);
  const [reals, wholes] = [
    new Float64Array(chunk.buffer, headBytes, floats),
    new Int32Array(chunk.buffer, headBytes + floats * 8, integers),
  ];
  reals.set(values);
  let [real, whole] = [count, 0];
  columns.forEach((column, at) => {
    const shape = found[at]!;
    if (shape === shapes.plain) reals.set(column, real);
    else if (shape !== shapes.none) reals[real] = column[0]!;
    if (shape === shapes.even) reals[real + 1] = column[1]! - column[0]!;
    if (shape === shapes.near)
      for (let i = 0; i < count; i++) wholes[whole++] = column[i]! - column[0]!;
    real += countFloats(shape, count);
  });
  if (bigEndian) {
    chunk.subarray(headBytes, headBytes + floats * 8).swap64();
    chunk.subarray(headBytes + floats * 8, textsFrom).swap32();
  }
  if (texts.length > 0) writeTexts(texts, chunk, textsFrom);
  chunk.writeUInt32LE(crc32(chunk.subarray(0, -tailBytes)), chunk.length - tailBytes);
  return chunk;
};

/** The columns of a raw chunk; throws an `Error` when any byte was changed, added or lost. */
export const decodeRaw = (chunk: Buffer): Columns => {
  if (chunk.length < headBytes + tailBytes)
    throw new Error(`raw metric chunk of ${chunk.length} bytes is cut short`);
  const body = chunk.subarray(0, -tailBytes);
  if (crc32(body) !== chunk.readUInt32LE(body.length))
    throw new Error('raw metric chunk does not match its checksum');
  const [bits, count] = [chunk[1]!, chunk.readUInt32LE(4)];
  const found = shaped.map((_, at) => ((bits >> (at * 2)) & 3) as Shape); // two bits hold one of the four
  const floats = count + found.reduce((sum: number, shape) => sum + countFloats(shape, count), 0);
  const integers = found.filter((shape) => shape === shapes.near).length * count;
  const wholesFrom = headBytes + floats * 8;
  const textsFrom = wholesFrom + integers * 4;
  if (textsFrom > body.length)
    throw new Error(`raw metric chunk is too short for its ${count} points`);
  const reals = new Float64Array(copyOf(body.subarray(headBytes, wholesFrom), 8));
  const wholes = new Int32Array(copyOf(body.subarray(wholesFrom, textsFrom), 4));
  let [real, whole] = [count, 0];
  const [timestamps, steps, epochs] = found.map((shape) => {
    const from = real;
    real += countFloats(shape, count);
    if (shape === shapes.plain) return reals.subarray(from, real);
    if (shape === shapes.none) return new Float64Array(count).fill(NaN);
    const first = reals[from]!;
    if (shape === shapes.even) return evenColumn(first, reals[from + 1]!, count);
    whole += count;
    return Float64Array.from(wholes.subarray(whole - count, whole), (off) => first + off);
  }) as [Float64Array, Float64Array, Float64Array]; // as many as are shaped
  return {
    values: reals.subarray(0, count),
    timestamps,
    steps,
    epochs,
    texts: bits & withTexts ? readTexts(body, textsFrom, count) : new Map(),
  };
};

/** A column of all slices in one piece, without copying where there is one. */
const gather = (
  slices: readonly Slice[],
  name: 'values' | (typeof shaped)[number],
): Float64Array => {
  const [only] = slices;
  if (slices.length === 1 && only !== undefined)
    return only.columns[name].subarray(only.from, only.to);
  const column = new Float64Array(slices.reduce((sum, { from, to }) => sum + to - from, 0));
  let at = 0;
  for (const { columns, from, to } of slices) {
    column.set(columns[name].subarray(from, to), at);
    at += to - from;
  }
  return column;
};

const findShape = (column: Float64Array): Shape => {
  const first = column[0] ?? NaN;
  const distance = column.length > 2 ? column[1]! - first : NaN; // two points take as much room either way
  let [even, near, none] = [!Number.isNaN(distance), column.length > 2, true];
  for (let at = 0; at < column.length; at++) {
    const value = column[at]!;
    const off = value - first;
    if (even && first + distance * at !== value) even = false;
    if (near && ((off | 0) !== off || first + off !== value)) near = false;
    if (none && value === value) none = false;
    if (!even && !near && !none) return shapes.plain;
  }
  return none ? shapes.none : even ? shapes.even : near ? shapes.near : shapes.plain;
};

const evenColumn = (first: number, distance: number, count: number): Float64Array => {
  const column = new Float64Array(count);
  for (let at = 0; at < count; at++) column[at] = first + distance * at;
  return column;
};

/** Bytes from a driver begin anywhere, so they are copied to where wider numbers may lie. */
const copyOf = (bytes: Buffer, width: 4 | 8): ArrayBuffer => {
  const copy = new ArrayBuffer(bytes.length);
  const view = Buffer.from(copy);
  bytes.copy(view);
  if (bigEndian && width === 8) view.swap64();
  if (bigEndian && width === 4) view.swap32();
  return copy;
};
