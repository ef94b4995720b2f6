// What is known of the points of one full chunk on one axis, and how a page keeps it of many chunks: as columns of floats, one number of each a chunk.
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { Slice } from './points.js';

/** Where a point can stand: by its step, its epoch or its time. */
export type SpanAxis = 'time' | 'step' | 'epoch';
export const spanAxes: readonly SpanAxis[] = ['time', 'step', 'epoch'];
export const columnOf = { time: 'timestamps', step: 'steps', epoch: 'epochs' } as const;

/**
 * The columns. `count`: points that stand on the axis and are finite; `skipped`: those that stand there and are not. `low` and `high`: how far both
 * reach. The others are of the finite ones: smallest, largest, newest and sum, and where on the axis the first three stand.
 */
export const spanColumns = [
  'count',
  'skipped',
  'low',
  'high',
  'min',
  'max',
  'last',
  'sum',
  'atMin',
  'atMax',
  'atLast',
] as const;
export type SpanColumn = (typeof spanColumns)[number];
export type Spans = Readonly<Record<SpanColumn, Float64Array>>;

/** One number for each column. */
export type Span = Readonly<Record<SpanColumn, number>>;

export const measureSpan = (slices: readonly Slice[], axis: SpanAxis): Span => {
  let [count, skipped, sum, low, high] = [0, 0, 0, NaN, NaN];
  let [min, max, last, atMin, atMax, atLast] = [NaN, NaN, NaN, NaN, NaN, NaN];
  for (const { columns, from, to } of slices) {
    const { values, [columnOf[axis]]: places } = columns;
    for (let at = from; at < to; at++) {
      const [place, value] = [places[at]!, values[at]!];
      if (place !== place) continue;
      if (!(place >= low)) low = place;
      if (!(place <= high)) high = place;
      if (value - value !== 0) {
        skipped++;
        continue;
      }
      count++;
      sum += value;
      [last, atLast] = [value, place];
      if (!(value >= min)) [min, atMin] = [value, place];
      if (!(value <= max)) [max, atMax] = [value, place];
    }
  }
  return { count, skipped, low, high, min, max, last, sum, atMin, atMax, atLast };
};

const [form, headBytes, tailBytes] = [1, 16, 4];
const [constant, plain] = [0, 1];
const bigEndian = endianness() === 'BE';

/** Spans as bytes: a head of form and shapes, the number of spans in four, then each column as its one value or as all of them, a CRC-32 of it all. */
export const encodeSpans = (spans: readonly Span[]): Buffer => {
  const columns = spanColumns.map((name) => Float64Array.from(spans, (span) => span[name]));
  const shapes = columns.map((column) =>
    column.every((value) => Object.is(value, column[0])) ? constant : plain,
  );
  const floats = shapes.reduce(
    (sum: number, shape) => sum + (shape === plain ? spans.length : 1),
    0,
  );
  const bytes = Buffer.from(new ArrayBuffer(headBytes + floats * 8 + tailBytes));
  bytes[0] = form;
  shapes.forEach((shape, at) => {
    bytes[1 + at] = shape;
  });
  bytes.writeUInt32LE(spans.length, headBytes - 4);
  const numbers = new Float64Array(bytes.buffer, headBytes, floats);
  let at = 0;
  for (const [i, column] of columns.entries()) {
    const kept = shapes[i] === plain ? column : column.subarray(0, 1);
    numbers.set(kept, at);
    at += kept.length;
  }
  if (bigEndian) bytes.subarray(headBytes, -tailBytes).swap64();
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -tailBytes)), bytes.length - tailBytes);
  return bytes;
};

/** The spans of a page; throws an `Error` when any byte was changed, added or lost. */
export const decodeSpans = (bytes: Buffer): Spans => {
  const body = bytes.subarray(0, -tailBytes);
  if (
    bytes.length < headBytes + tailBytes ||
    bytes[0] !== form ||
    crc32(body) !== bytes.readUInt32LE(body.length)
  )
    throw new Error(`rollup of ${bytes.length} bytes is damaged`);
  const count = bytes.readUInt32LE(headBytes - 4);
  const copy = new ArrayBuffer(body.length - headBytes); // a driver's bytes begin anywhere
  const view = Buffer.from(copy);
  body.copy(view, 0, headBytes);
  if (bigEndian) view.swap64();
  const numbers = new Float64Array(copy);
  let at = 0;
  const columns = spanColumns.map((name, i) => {
    const length = bytes[1 + i] === plain ? count : 1;
    const kept = numbers.subarray(at, at + length);
    at += length;
    return [name, length === count ? kept : new Float64Array(count).fill(kept[0]!)] as const;
  });
  return Object.fromEntries(columns) as unknown as Spans; // one for each name
};

/** One of them. */
export const spanAt = (spans: Spans, at: number): Span =>
  Object.fromEntries(spanColumns.map((name) => [name, spans[name][at]!])) as unknown as Span; // one for each name
