// The form ingest writes: 8 bytes of head (form, flags, two zeros, count), little-endian float64 columns, texts, a CRC-32 of all before it.
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { Columns, Slice } from './points.js';
import { gatherTexts, measureTexts, readTexts, writeTexts } from './texts.js';

export const rawForm = 1;
const withSteps = 1;
const withEpochs = 2;
const withTexts = 4;
const headBytes = 8;
const tailBytes = 4;
const bigEndian = endianness() === 'BE';

/** The points as they stand: 16 to 32 bytes each and their texts, in one allocation, made to cost little. */
export const encodeRaw = (slices: readonly Slice[]): Buffer => {
  const count = slices.reduce((sum, { from, to }) => sum + to - from, 0);
  const texts = gatherTexts(slices);
  const flags = (hasNumbers(slices, 'steps') ? withSteps : 0) | (hasNumbers(slices, 'epochs') ? withEpochs : 0) | (texts.length > 0 ? withTexts : 0);
  const floatBytes = count * 8 * countColumns(flags);
  // An ArrayBuffer of its own, since a pooled Buffer need not begin where a Float64Array may.
  const chunk = Buffer.from(new ArrayBuffer(headBytes + floatBytes + (flags & withTexts ? measureTexts(texts) : 0) + tailBytes));
  chunk[0] = rawForm;
  chunk[1] = flags;
  chunk.writeUInt32LE(count, 4);
  writeColumns(slices, flags, new Float64Array(chunk.buffer, headBytes, floatBytes / 8));
  if (bigEndian) chunk.subarray(headBytes, headBytes + floatBytes).swap64();
  if (flags & withTexts) writeTexts(texts, chunk, headBytes + floatBytes);
  chunk.writeUInt32LE(crc32(chunk.subarray(0, -tailBytes)), chunk.length - tailBytes);
  return chunk;
};

/** The columns of a raw chunk; throws an `Error` when any byte was changed, added or lost. */
export const decodeRaw = (chunk: Buffer): Columns => {
  if (chunk.length < headBytes + tailBytes) throw new Error(`raw metric chunk of ${chunk.length} bytes is cut short`);
  const body = chunk.subarray(0, -tailBytes);
  if (crc32(body) !== chunk.readUInt32LE(body.length)) throw new Error('raw metric chunk does not match its checksum');
  const flags = chunk[1]!;
  const count = chunk.readUInt32LE(4);
  const textsFrom = headBytes + count * 8 * countColumns(flags);
  if (textsFrom > body.length) throw new Error(`raw metric chunk is too short for its ${count} points`);
  const next = columnReader(body, count);
  return {
    values: next(),
    timestamps: next(),
    steps: flags & withSteps ? next() : new Float64Array(count).fill(NaN),
    epochs: flags & withEpochs ? next() : new Float64Array(count).fill(NaN),
    texts: flags & withTexts ? readTexts(body, textsFrom, count) : new Map(),
  };
};

const hasNumbers = (slices: readonly Slice[], name: 'steps' | 'epochs'): boolean => {
  for (const { columns, from, to } of slices) for (let at = from; at < to; at++) if (!Number.isNaN(columns[name][at]!)) return true;
  return false;
};

const countColumns = (flags: number): number => 2 + (flags & withSteps ? 1 : 0) + (flags & withEpochs ? 1 : 0);

const writeColumns = (slices: readonly Slice[], flags: number, floats: Float64Array): void => {
  const names = ['values', 'timestamps', ...(flags & withSteps ? ['steps'] as const : []), ...(flags & withEpochs ? ['epochs'] as const : [])] as const;
  let place = 0;
  for (const name of names) for (const { columns, from, to } of slices) {
    const column = columns[name];
    for (let at = from; at < to; at++) floats[place++] = column[at]!;
  }
};

// Bytes from a driver begin anywhere, so each column is copied to where a Float64Array may lie.
const columnReader = (body: Buffer, count: number) => {
  let from = headBytes;
  return (): Float64Array => {
    const column = new Float64Array(count);
    const bytes = Buffer.from(column.buffer);
    body.copy(bytes, 0, from, from + count * 8);
    if (bigEndian) bytes.swap64();
    from += count * 8;
    return column;
  };
};
