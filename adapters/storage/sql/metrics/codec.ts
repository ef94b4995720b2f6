// How a run of points becomes the bytes of one chunk. The first byte tells the form: raw as ingest writes it, packed as compaction leaves it.
import {
  decodePacked,
  decodePackedColumn,
  packedForm,
  type ChunkColumn,
  type PackedColumn,
} from './packed.js';
import { gatherPoints, type Columns, type Point } from './points.js';
import { decodeRaw, rawForm } from './raw.js';

export { encodePacked } from './packed.js';
export { encodeRaw } from './raw.js';
export type { Columns, Point } from './points.js';

/** The points of a chunk of either form, in the order they were given. Throws an `Error` naming the fault when the bytes are damaged. */
export const decode = (chunk: Buffer): Point[] => gatherPoints(decodeColumns(chunk));

/** As `decode`, without making an object for each point. */
export const decodeColumns = (chunk: Buffer): Columns => {
  if (chunk[0] === rawForm) return decodeRaw(chunk);
  if (chunk[0] === packedForm) return decodePacked(chunk);
  throw new Error(
    chunk.length === 0 ? 'metric chunk is empty' : `metric chunk has the unknown form ${chunk[0]}`,
  );
};

/** The values and one column of a chunk of either form. */
export const decodeColumn = (chunk: Buffer, name: PackedColumn): ChunkColumn => {
  if (chunk[0] === packedForm) return decodePackedColumn(chunk, name);
  const columns = decodeColumns(chunk);
  return { values: columns.values, places: columns[name] };
};
