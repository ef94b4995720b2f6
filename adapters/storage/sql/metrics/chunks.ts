// Chunks as rows: a run of points as bytes, with what a chart needs of it beside them.
import type { Knex } from 'knex';
import type { Dialect } from '../dialect.js';
import type { Point } from './points.js';

/** Most points that one chunk holds. */
export const chunkPoints = 1024;

export interface ChunkRow {
  readonly experimentId: string;
  readonly seriesId: string;
  readonly firstIndex: number;
  readonly points: readonly Point[];
  readonly bytes: Buffer;
  readonly packed: boolean;
}

/** The finite point that is smallest (`sign` 1) or largest (`sign` -1). */
const extreme = (points: readonly Point[], sign: 1 | -1): Point | undefined => {
  let found: Point | undefined;
  for (const point of points) if (Number.isFinite(point.value) && (found === undefined || point.value * sign < found.value * sign)) found = point;
  return found;
};
const finite = (point: Point | undefined): number | null => (point !== undefined && Number.isFinite(point.value) ? point.value : null);

const ends = ['min', 'max', 'last'] as const;

export const insertChunks = async (db: Knex, dialect: Dialect, chunks: readonly ChunkRow[]): Promise<void> => {
  if (chunks.length === 0) return;
  const heads = chunks.map(({ points }) => ({ min: extreme(points, 1), max: extreme(points, -1), last: points.at(-1) }));
  const column = (name: string, kind: 'id' | 'whole' | 'real' | 'bytes' | 'flag', values: readonly unknown[]) => ({ name, kind, values });
  await dialect.insertColumns(db, 'chunks', [
    column('experiment_id', 'id', chunks.map((chunk) => chunk.experimentId)),
    column('series_id', 'id', chunks.map((chunk) => chunk.seriesId)),
    column('first_index', 'whole', chunks.map((chunk) => chunk.firstIndex)),
    column('n', 'whole', chunks.map((chunk) => chunk.points.length)),
    column('packed', 'flag', chunks.map((chunk) => chunk.packed)),
    ...ends.flatMap((end) => [
      column(`${end}_value`, 'real', heads.map((head) => finite(head[end]))),
      column(`${end}_step`, 'whole', heads.map((head) => head[end]?.step ?? null)),
      column(`${end}_epoch`, 'whole', heads.map((head) => head[end]?.epoch ?? null)),
      column(`${end}_time`, 'whole', heads.map((head) => head[end]?.timestamp ?? null)),
    ]),
    column('points', 'bytes', chunks.map((chunk) => chunk.bytes)),
  ]);
};

/** Runs of at most `chunkPoints` points, with the place of each in its series. */
export const cut = (points: readonly Point[], firstIndex: number): readonly { readonly firstIndex: number; readonly points: readonly Point[] }[] => {
  if (points.length <= chunkPoints) return [{ firstIndex, points }];
  const pieces = [];
  for (let at = 0; at < points.length; at += chunkPoints) pieces.push({ firstIndex: firstIndex + at, points: points.slice(at, at + chunkPoints) });
  return pieces;
};
