// The form compaction leaves: one byte of form, the chunk's length in four, the deflated columns, and a CRC-32 of all of it: deflate's own check
// sees what was packed, not the bytes that were stored, of which some bits stand for nothing.
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { readFloats, writeFloats } from './floats.js';
import { measureIntegers, readIntegers, skipIntegers, writeIntegers } from './integers.js';
import type { Columns, Slice } from './points.js';
import { gatherTexts, measureTexts, readTexts, writeTexts } from './texts.js';
import { readVarint, varintBytes, writeVarint } from './varints.js';

export const packedForm = 2;
const headBytes = 5;
const tailBytes = 4;
/** Far above a full chunk whose every point has the longest text; a damaged chunk cannot ask for more memory. */
const largestBody = 256 * 1024 * 1024;

/** The columns beside the values, in the order in which they are packed. */
const packedColumns = ['timestamps', 'steps', 'epochs'] as const;
export type PackedColumn = (typeof packedColumns)[number];

/** Values, and where they stand on one axis; `NaN` where they do not. */
export interface ChunkColumn {
  readonly values: Float64Array;
  readonly places: Float64Array;
}

/** The points in the fewest bytes that cost little time: about 8 each where values are random, less where they are not. */
export const encodePacked = (slices: readonly Slice[]): Buffer => {
  const count = slices.reduce((sum, { from, to }) => sum + to - from, 0);
  const texts = gatherTexts(slices);
  const body = Buffer.allocUnsafe(
    varintBytes(count) + count * 8 + 3 * measureIntegers(count) + measureTexts(texts),
  );
  let end = writeVarint(body, 0, count);
  end = writeFloats(gather(slices, count, 'values'), body, end);
  end = writeIntegers(gather(slices, count, 'timestamps'), 2, body, end);
  end = writeIntegers(gather(slices, count, 'steps'), 1, body, end);
  end = writeIntegers(gather(slices, count, 'epochs'), 1, body, end);
  end = writeTexts(texts, body, end);
  return frame(deflateRawSync(body.subarray(0, end), { level: 1 }));
};

/** The columns of a packed chunk; throws an `Error` when any byte was changed, added or lost. */
export const decodePacked = (chunk: Buffer): Columns => {
  const body = inflate(chunk);
  const cursor = { at: 0 };
  const count = readVarint(body, cursor);
  const values = readFloats(body, cursor.at, count);
  cursor.at += count * 8;
  const timestamps = readIntegers(body, cursor, count, 2);
  const steps = readIntegers(body, cursor, count, 1);
  const epochs = readIntegers(body, cursor, count, 1);
  return { values, timestamps, steps, epochs, texts: readTexts(body, cursor.at, count) };
};

/** The values of a packed chunk and one of its columns beside them: what a curve needs. Throws as `decodePacked` does. */
export const decodePackedColumn = (chunk: Buffer, name: PackedColumn): ChunkColumn => {
  const body = inflate(chunk);
  const cursor = { at: 0 };
  const count = readVarint(body, cursor);
  const values = readFloats(body, cursor.at, count);
  cursor.at += count * 8;
  for (const before of packedColumns) {
    if (before === name)
      return { values, places: readIntegers(body, cursor, count, name === 'timestamps' ? 2 : 1) };
    skipIntegers(body, cursor, count);
  }
  throw new Error(`metric chunk has no column ${name}`);
};

const frame = (deflated: Buffer): Buffer => {
  const chunk = Buffer.allocUnsafe(headBytes + deflated.length + tailBytes);
  chunk[0] = packedForm;
  chunk.writeUInt32LE(chunk.length, 1);
  deflated.copy(chunk, headBytes);
  chunk.writeUInt32LE(crc32(chunk.subarray(0, -tailBytes)), chunk.length - tailBytes);
  return chunk;
};

const inflate = (chunk: Buffer): Buffer => {
  if (chunk.length < headBytes + tailBytes || chunk.readUInt32LE(1) !== chunk.length)
    throw new Error(`packed metric chunk of ${chunk.length} bytes is cut short or has grown`);
  const body = chunk.subarray(0, -tailBytes);
  if (crc32(body) !== chunk.readUInt32LE(body.length))
    throw new Error('packed metric chunk does not match its checksum');
  try {
    return inflateRawSync(body.subarray(headBytes), { maxOutputLength: largestBody });
  } catch (cause) {
    throw new Error('packed metric chunk does not inflate', { cause });
  }
};

const gather = (
  slices: readonly Slice[],
  count: number,
  name: 'values' | 'timestamps' | 'steps' | 'epochs',
): Float64Array => {
  const column = new Float64Array(count);
  let place = 0;
  for (const { columns, from, to } of slices) {
    column.set(columns[name].subarray(from, to), place);
    place += to - from;
  }
  return column;
};
