// Merges neighbouring small chunks into full, packed ones: some series of one experiment a transaction, so that writers wait for a moment only.
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

const ofSeries = 'experiment_id = ? and series_id = ?';

/** What is to be done with one series. */
interface Work {
  readonly seriesId: string;
  /** Chunks that are replaced, from the first to the last; nothing where there is nothing to merge. */
  readonly replaced: readonly [first: number, last: number] | undefined;
  readonly packed: readonly ChunkRow[];
  readonly closed: readonly Measured[];
  /** Whether nothing of it is left to be merged. */
  readonly done: boolean;
}

interface Found {
  readonly seriesId: string;
  readonly rows: readonly BlobRow[];
  /** Whether it has more small chunks than were read. */
  readonly more: boolean;
  readonly newest: PageRow | undefined;
}

const planSeries = async (
  inside: Connection,
  experimentId: string,
  { seriesId, rows, more, newest }: Found,
): Promise<Work> => {
  const run = neighbours(rows);
  const merged = run.length > 1 ? merge(experimentId, seriesId, run) : [];
  const packed = merged.map(({ chunk }) => chunk);
  const first = rows[0] === undefined ? undefined : Number(rows[0].first_index);
  const closed = await followPages(
    inside,
    [experimentId, seriesId],
    coveredBy(newest),
    merged,
    first,
  );
  const left =
    rows.length - run.length + packed.filter(({ n }) => n < chunkPoints).length + (more ? 2 : 0);
  return {
    seriesId,
    replaced:
      packed.length === 0
        ? undefined
        : [Number(run[0]?.first_index), Number(run.at(-1)?.first_index)],
    packed,
    closed,
    done: (left <= 1 || packed.length === 0) && closed.length < mostMeasured,
  };
};

/** The small chunks of some series of an experiment, as many as one transaction merges: of the last of these series it may be only the first ones. */
const readLoose = async (
  { db, dialect }: Connection,
  experimentId: string,
  seriesIds: readonly string[],
): Promise<readonly Found[]> => {
  const [, loose, pages] = await dialect.together(db, [
    () => dialect.run(db, 'select id from experiments where id = ? for update', [experimentId]),
    () =>
      dialect.run(
        db,
        `select series_id, first_index, n, points from chunks where experiment_id = ? and ${dialect.anyOf('series_id', 'id')} and ${isLoose} order by series_id, first_index limit ${mostAtOnce}`,
        [experimentId, seriesIds],
      ),
    () =>
      dialect.run(
        db,
        `select r.series_id, r.first_index, r.spans from rollups r where r.experiment_id = ? and ${dialect.anyOf('r.series_id', 'id')} and r.span_points = ${chunkPoints}
and r.first_index = (select max(m.first_index) from rollups m where m.experiment_id = r.experiment_id and m.series_id = r.series_id and m.span_points = ${chunkPoints})`,
        [experimentId, seriesIds],
      ),
  ]);
  const rows = loose as readonly (BlobRow & { readonly series_id: string })[]; // the columns named
  const newest = new Map(
    (pages as readonly (PageRow & { readonly series_id: string })[]).map((row) => [
      row.series_id,
      row,
    ]), // the columns named
  );
  const last = rows.length === mostAtOnce ? rows.at(-1)?.series_id : undefined;
  return seriesIds
    .filter((id) => last === undefined || id <= last)
    .map((seriesId) => ({
      seriesId,
      rows: rows.filter((row) => row.series_id === seriesId),
      more: seriesId === last,
      newest: newest.get(seriesId),
    }));
};

/** Removes the chunks that are replaced, each range by the key. */
const removeReplaced = (
  { db, dialect }: Connection,
  experimentId: string,
  works: readonly Work[],
): Promise<unknown> => {
  const ranges = works.flatMap(({ seriesId, replaced }) =>
    replaced === undefined ? [] : [[experimentId, seriesId, ...replaced]],
  );
  return dialect.run(
    db,
    `delete from chunks where ${ranges.map(() => `(${ofSeries} and first_index >= ? and first_index <= ?)`).join(' or ')}`,
    ranges.flat(),
  );
};

/** Series of one experiment in one transaction: its rows are locked by the series, as the flush's are by the experiment and then the series. */
const compactTogether = (
  connection: Connection,
  experimentId: string,
  seriesIds: readonly string[],
): Promise<void> =>
  inTransaction(connection, async (inside) => {
    const { db, dialect } = inside;
    const works: Work[] = [];
    for (const found of await readLoose(inside, experimentId, [...seriesIds].sort()))
      works.push(await planSeries(inside, experimentId, found));
    const packed = works.flatMap((work) => work.packed);
    const done = works.filter((work) => work.done).map(({ seriesId }) => seriesId);
    const changed = works.map(({ seriesId }) => seriesId);
    const amongSeries = `experiment_id = ? and ${dialect.anyOf('series_id', 'id')}`;
    await dialect.together(db, [
      ...(packed.length === 0
        ? []
        : [
            () => removeReplaced(inside, experimentId, works),
            () => insertChunks(db, dialect, packed),
          ]),
      () =>
        dialect.run(
          db,
          `update series set loose = (select count(*) from chunks where chunks.experiment_id = series.experiment_id and chunks.series_id = series.series_id and ${isLoose.replaceAll(/packed|n </g, 'chunks.$&')}) where ${amongSeries}`,
          [experimentId, changed],
        ),
      ...(done.length > 0
        ? [
            () =>
              dialect.run(db, `delete from compactions where ${amongSeries}`, [experimentId, done]),
          ]
        : []),
    ]);
    for (const { seriesId, closed } of works)
      await extendRollups(db, dialect, { experimentId, seriesId }, closed);
  });

interface Waiting {
  readonly experiment_id: string;
  readonly series_id: string;
}

/** Merges what waits of each experiment together; answers what went well. What stands against one of a group is found one by one after it. */
const compactGroups = async (
  connection: Connection,
  items: readonly Waiting[],
  signal: AbortSignal,
): Promise<ReadonlySet<Waiting>> => {
  const groups = new Map<string, Waiting[]>();
  for (const item of items) {
    const group = groups.get(item.experiment_id);
    if (group === undefined) groups.set(item.experiment_id, [item]);
    else group.push(item);
  }
  const done = new Set<Waiting>();
  for (const [experimentId, group] of groups) {
    if (signal.aborted) break;
    if (group.length > 1)
      await compactTogether(
        connection,
        experimentId,
        group.map(({ series_id }) => series_id),
      ).then(
        () => {
          for (const item of group) done.add(item);
        },
        () => undefined,
      );
  }
  return done;
};

export interface Compaction {
  /** Merges the oldest `limit` series that wait and are not held back. Answers how many there were. */
  run(limit: number, signal: AbortSignal): Promise<number>;
  backlog(): Promise<number>;
  /** Queues every series of experiments that has more than one loose chunk: at their end, when nothing more comes. */
  queue(experimentIds: readonly string[]): Promise<void>;
}

export const createCompaction = (connection: Connection): Compaction => ({
  async run(limit, signal) {
    const { db, dialect, clock } = connection;
    const item = `concat(${dialect.idAsText('experiment_id')}, '/', ${dialect.idAsText('series_id')})`;
    const items = (await db('compactions')
      .select('experiment_id', 'series_id')
      .modify(withoutHeld(connection, 'compaction', item, clock.now()))
      .orderBy(['at', 'experiment_id', 'series_id'])
      .limit(limit)) as readonly Waiting[]; // the columns named above
    const together = await compactGroups(connection, items, signal);
    await workThrough(connection, {
      queue: 'compaction',
      items,
      idOf: ({ experiment_id, series_id }) => `${experiment_id}/${series_id}`,
      work: async (item) => {
        if (!together.has(item))
          await compactTogether(connection, item.experiment_id, [item.series_id]);
      },
      signal,
    });
    return items.length;
  },
  async backlog() {
    const [row] = await connection.db('compactions').count({ n: '*' });
    return Number(row?.n ?? 0);
  },
  async queue(experimentIds) {
    const { db, dialect, clock } = connection;
    await dialect.run(
      db,
      `insert into compactions (experiment_id, series_id, at) select experiment_id, series_id, ? from series where ${dialect.anyOf('experiment_id', 'id')} and loose > 1 ${dialect.onConflictIgnore(['experiment_id', 'series_id']).replaceAll('`experiment_id`', 'compactions.experiment_id')}`,
      [clock.now(), experimentIds],
    );
  },
});
