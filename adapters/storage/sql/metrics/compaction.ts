// Merges neighbouring small chunks into full, packed ones: one series a transaction, so that writers wait for a moment only.
import { inTransaction, isTrue, type Connection } from '../connection.js';
import { withoutHeld, workThrough } from '../queue-faults.js';
import { decodeColumns, encodePacked } from './codec.js';
import type { Slice } from './points.js';
import { findEnds } from './runs.js';
import { chunkPoints, cut, insertChunks, type ChunkRow } from './chunks.js';
import {
  coveredBy,
  extendRollups,
  measureChunk,
  measureStored,
  type Measured,
  type PageRow,
} from './rollups.js';

interface BlobRow {
  readonly first_index: unknown;
  readonly n: unknown;
  readonly points: Buffer;
}

const mostAtOnce = 400;
const isLoose = `(packed = false or n < ${chunkPoints})`;

/** The first loose chunks of a series that follow each other without a gap. */
const neighbours = (rows: readonly BlobRow[]): readonly BlobRow[] => {
  let end = Number(rows[0]?.first_index);
  const gap = rows.findIndex((row) => {
    const follows = Number(row.first_index) === end;
    end += Number(row.n);
    return !follows;
  });
  return gap === -1 ? rows : rows.slice(0, gap);
};

interface Merged {
  readonly chunk: ChunkRow;
  readonly slices: readonly Slice[];
}

const merge = (
  experimentId: string,
  seriesId: string,
  run: readonly BlobRow[],
): readonly Merged[] => {
  const slices: readonly Slice[] = run.map((row) => ({
    columns: decodeColumns(row.points),
    from: 0,
    to: Number(row.n),
  }));
  const count = slices.reduce((sum, { to }) => sum + to, 0);
  return cut(slices, count, Number(run[0]?.first_index)).map(({ firstIndex, n, slices: some }) => ({
    slices: some,
    chunk: {
      experimentId,
      seriesId,
      firstIndex,
      n,
      ends: findEnds(some),
      bytes: encodePacked(some),
      packed: true,
    },
  }));
};

/** Most chunks that one transaction measures of those that were merged before there were rollups. */
const mostMeasured = 256;

/** The chunks behind the pages of a series, up to one that is not full, is not packed or does not follow. */
const measureFrom = async (
  { db, dialect }: Connection,
  key: readonly string[],
  covered: number,
): Promise<readonly Measured[]> => {
  const rows = (await dialect.run(
    db,
    `select first_index, n, packed, points from chunks where experiment_id = ? and series_id = ? and first_index >= ? order by first_index limit ${mostMeasured}`,
    [...key, covered],
  )) as readonly (BlobRow & { readonly packed: unknown })[]; // the columns named
  const end = rows.findIndex(
    (row, at) =>
      !isTrue(row.packed) ||
      Number(row.n) < chunkPoints ||
      Number(row.first_index) !== covered + at * chunkPoints,
  );
  return rows
    .slice(0, end === -1 ? rows.length : end)
    .map((row) => measureStored(Number(row.first_index), row.points));
};

/** Those of the merged chunks that can stand behind what the pages tell of; of a series that has none yet, what has to be measured first. */
const followPages = async (
  connection: Connection,
  key: readonly string[],
  covered: number,
  merged: readonly Merged[],
  firstLoose: number | undefined,
): Promise<readonly Measured[]> => {
  const older =
    firstLoose !== undefined && firstLoose <= covered
      ? []
      : await measureFrom(connection, key, covered);
  let end = covered + older.length * chunkPoints;
  const closed: Measured[] = [...older];
  for (const { chunk, slices } of merged)
    if (chunk.n === chunkPoints && chunk.firstIndex === end) {
      closed.push(measureChunk(chunk.firstIndex, chunk.bytes, slices));
      end += chunkPoints;
    }
  return closed;
};

/** The series of one experiment: its rows are locked by the series, as the flush's are by the experiment and then the series. */
const compactSeries = (
  connection: Connection,
  experimentId: string,
  seriesId: string,
): Promise<void> =>
  inTransaction(connection, async (inside) => {
    const { db, dialect } = inside;
    const key = [experimentId, seriesId];
    const ofSeries = 'experiment_id = ? and series_id = ?';
    const [, found, [newest]] = await dialect.together(db, [
      () => dialect.run(db, 'select id from experiments where id = ? for update', [experimentId]),
      () =>
        dialect.run(
          db,
          `select first_index, n, points from chunks where ${ofSeries} and ${isLoose} order by first_index limit ${mostAtOnce}`,
          key,
        ),
      () =>
        dialect.run(
          db,
          `select first_index, spans from rollups where ${ofSeries} and span_points = ${chunkPoints} order by first_index desc limit 1`,
          key,
        ),
    ]);
    const rows = found as readonly BlobRow[]; // the columns named above
    const run = neighbours(rows);
    const merged = run.length > 1 ? merge(experimentId, seriesId, run) : [];
    const packed = merged.map(({ chunk }) => chunk);
    const first = rows[0] === undefined ? undefined : Number(rows[0].first_index);
    const covered = coveredBy(newest as PageRow | undefined); // the columns named above
    const closed = await followPages(inside, key, covered, merged, first);
    const left =
      rows.length -
      run.length +
      packed.filter(({ n }) => n < chunkPoints).length +
      (rows.length === mostAtOnce ? 2 : 0);
    const isDone = (left <= 1 || packed.length === 0) && closed.length < mostMeasured;
    await dialect.together(db, [
      ...(packed.length === 0
        ? []
        : [
            () =>
              dialect.run(
                db,
                `delete from chunks where ${ofSeries} and first_index >= ? and first_index <= ?`,
                [...key, Number(run[0]?.first_index), Number(run.at(-1)?.first_index)],
              ),
            () => insertChunks(db, dialect, packed),
          ]),
      () =>
        dialect.run(
          db,
          `update series set loose = (select count(*) from chunks where ${ofSeries} and ${isLoose}) where ${ofSeries}`,
          [...key, ...key],
        ),
      ...(isDone ? [() => dialect.run(db, `delete from compactions where ${ofSeries}`, key)] : []),
    ]);
    await extendRollups(db, dialect, { experimentId, seriesId }, closed);
  });

export interface Compaction {
  /** Merges the oldest `limit` series that wait and are not held back. Answers how many there were. */
  run(limit: number, signal: AbortSignal): Promise<number>;
  backlog(): Promise<number>;
  /** Queues every series of an experiment that has more than one loose chunk: at its end, when nothing more comes. */
  queue(experimentId: string): Promise<void>;
}

export const createCompaction = (connection: Connection): Compaction => ({
  async run(limit, signal) {
    const { db, dialect, clock } = connection;
    const item = `concat(${dialect.idAsText('experiment_id')}, '/', ${dialect.idAsText('series_id')})`;
    const items = (await db('compactions')
      .select('experiment_id', 'series_id')
      .modify(withoutHeld(connection, 'compaction', item, clock.now()))
      .orderBy(['at', 'experiment_id', 'series_id'])
      .limit(limit)) as readonly { readonly experiment_id: string; readonly series_id: string }[]; // the columns named above
    await workThrough(connection, {
      queue: 'compaction',
      items,
      idOf: ({ experiment_id, series_id }) => `${experiment_id}/${series_id}`,
      work: ({ experiment_id, series_id }) => compactSeries(connection, experiment_id, series_id),
      signal,
    });
    return items.length;
  },
  async backlog() {
    const [row] = await connection.db('compactions').count({ n: '*' });
    return Number(row?.n ?? 0);
  },
  async queue(experimentId) {
    const { db, dialect, clock } = connection;
    await db.raw(
      `insert into compactions (experiment_id, series_id, at) select experiment_id, series_id, ? from series where experiment_id = ? and loose > 1 ${dialect.onConflictIgnore(['experiment_id', 'series_id']).replaceAll('`experiment_id`', 'compactions.experiment_id')}`,
      [clock.now(), experimentId],
    );
  },
});
