// Chunks as rows: a run of points as bytes, with what a chart needs of it beside them.
import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import type { Slice } from './points.js';
import type { Ends } from './runs.js';

/** Most points that one chunk holds. */
export const chunkPoints = 1024;

export interface ChunkRow {
  readonly experimentId: string;
  readonly seriesId: string;
  readonly firstIndex: number;
  readonly n: number;
  /** Of a packed chunk; points of a raw one are decoded where they are asked for. */
  readonly ends: Ends | undefined;
  readonly bytes: Buffer;
  readonly packed: boolean;
}

const ends = ['min', 'max', 'last'] as const;

export const insertChunks = async (
  db: Knex,
  dialect: Dialect,
  chunks: readonly ChunkRow[],
): Promise<void> => {
  if (chunks.length === 0) return;
  const column = (
    name: string,
    kind: 'id' | 'whole' | 'real' | 'bytes' | 'flag',
    values: readonly unknown[],
  ) => ({ name, kind, values });
  await dialect.insertColumns(db, 'chunks', [
    column(
      'experiment_id',
      'id',
      chunks.map((chunk) => chunk.experimentId),
    ),
    column(
      'series_id',
      'id',
      chunks.map((chunk) => chunk.seriesId),
    ),
    column(
      'first_index',
      'whole',
      chunks.map((chunk) => chunk.firstIndex),
    ),
    column(
      'n',
      'whole',
      chunks.map((chunk) => chunk.n),
    ),
    column(
      'packed',
      'flag',
      chunks.map((chunk) => chunk.packed),
    ),
    ...ends.flatMap((end) => [
      column(
        `${end}_value`,
        'real',
        chunks.map((chunk) => {
          const value = chunk.ends?.[end]?.value;
          return Number.isFinite(value) ? value : null;
        }),
      ),
      column(
        `${end}_step`,
        'whole',
        chunks.map((chunk) => chunk.ends?.[end]?.step ?? null),
      ),
      column(
        `${end}_epoch`,
        'whole',
        chunks.map((chunk) => chunk.ends?.[end]?.epoch ?? null),
      ),
      column(
        `${end}_time`,
        'whole',
        chunks.map((chunk) => chunk.ends?.[end]?.timestamp ?? null),
      ),
    ]),
    column(
      'points',
      'bytes',
      chunks.map((chunk) => chunk.bytes),
    ),
  ]);
};

interface Piece {
  readonly firstIndex: number;
  readonly n: number;
  readonly slices: readonly Slice[];
}

/** Points in pieces of at most `chunkPoints`, with the place of each in its series. */
export const cut = (
  slices: readonly Slice[],
  count: number,
  firstIndex: number,
): readonly Piece[] => {
  if (count <= chunkPoints) return [{ firstIndex, n: count, slices }];
  const pieces: { firstIndex: number; n: number; slices: Slice[] }[] = [];
  let piece = { firstIndex, n: 0, slices: [] as Slice[] };
  for (const { columns, from, to } of slices) {
    for (let at = from; at < to;) {
      if (piece.n === chunkPoints) {
        pieces.push(piece);
        piece = { firstIndex: piece.firstIndex + piece.n, n: 0, slices: [] };
      }
      const end = Math.min(to, at + chunkPoints - piece.n);
      piece.slices.push({ columns, from: at, to: end });
      piece.n += end - at;
      at = end;
    }
  }
  return [...pieces, piece];
};
