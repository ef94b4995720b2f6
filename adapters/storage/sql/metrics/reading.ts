// Reads series, points and charts. Headers and blobs come in one statement, and pages go by the index of a point, so that a merge
// between two statements neither loses nor repeats one.
import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type {
  ChartPoint,
  PointColumns,
  Series,
  SeriesListing,
  SeriesValue,
} from '#ports/storage/metrics';
import { orNothing, wholeOrNothing, type Connection } from '../connection.js';
import { decodeColumns } from './codec.js';
import { chunkPoints } from './chunks.js';
import { KeptTexts } from './kept-texts.js';
import { ThreadEnded, threadBeside } from '../beside.js';
import { writeChunks, type StoredChunks } from './point-text.js';
import { columnsFrom, type Columns } from './points.js';
import { seriesIdsOf } from './series-ids.js';

interface SeriesRow {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly context: string | null;
  readonly series_id: string;
}
interface BlobRow {
  readonly first_index: unknown;
  readonly n: unknown;
  readonly points: Buffer;
}

const ends = ['min', 'max', 'last'] as const;
const seriesColumns = [
  'series_id',
  'name',
  'context',
  'n',
  ...ends.flatMap((end) =>
    ['value', 'text', 'step', 'epoch', 'time'].map((part) => `${end}_${part}`),
  ),
];
/** What was logged; a text is kept only where the number does not print like it. */
const textOf = (text: unknown, value: unknown): string => String(text ?? Number(value));
const toValue = (row: SeriesRow, end: (typeof ends)[number]): SeriesValue => ({
  text: textOf(row[`${end}_text`], row[`${end}_value`]),
  step: wholeOrNothing(row[`${end}_step`]),
  epoch: wholeOrNothing(row[`${end}_epoch`]),
  timestamp: Number(row[`${end}_time`]),
});
const toSeries = (row: SeriesRow): Series => ({
  name: row.name,
  context: orNothing(row.context),
  count: Number(row['n']),
  min: toValue(row, 'min'),
  max: toValue(row, 'max'),
  last: toValue(row, 'last'),
});

const byName = (a: Series, b: Series) =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : (a.context ?? '') < (b.context ?? '') ? -1 : 1;

export const listSeries = async (
  { db, dialect }: Connection,
  experimentId: string,
  options: SeriesListing = {},
): Promise<readonly Series[]> => {
  const query = db('series')
    .select(...seriesColumns)
    .where({ experiment_id: experimentId });
  if (options.names !== undefined) {
    if (options.names.length === 0) return [];
    query.modify(dialect.among('series_id', 'id', options.names.flatMap(seriesIdsOf)));
  }
  if (options.startsWith !== undefined) {
    const { sql, bindings } = dialect.holdsText('name', 'startsWith', options.startsWith);
    query.whereRaw(sql, bindings as Knex.RawBinding[]); // a text
  }
  query.orderBy('series_id');
  if (options.limit !== undefined) query.limit(options.limit);
  return ((await query) as readonly SeriesRow[]).map(toSeries).sort(byName); // the columns named above
};

const findSeries = async ({ db, dialect }: Connection, experimentId: string, name: string) => {
  const rows = (await db('series')
    .select('series_id', 'name', 'context', 'n')
    .where({ experiment_id: experimentId })
    .modify(dialect.among('series_id', 'id', seriesIdsOf(name)))
    .orderBy('series_id')) as readonly SeriesRow[]; // as above
  return rows.filter((row) => row.name === name);
};

const blobsPerRead = 64;

/** The chunks of a series from the one that holds point `from` on. */
const readBlobs = async (
  { db }: Connection,
  experimentId: string,
  seriesId: string,
  from: number,
): Promise<readonly BlobRow[]> =>
  (await db('chunks')
    .select('first_index', 'n', 'points')
    .where({ experiment_id: experimentId, series_id: seriesId })
    .where(
      'first_index',
      '>=',
      db.raw(
        'coalesce((select max(c.first_index) from chunks c where c.experiment_id = ? and c.series_id = ? and c.first_index <= ?), 0)',
        [experimentId, seriesId, from],
      ),
    )
    .orderBy('first_index')
    .limit(blobsPerRead)) as readonly BlobRow[]; // the columns named above

/** Every chunk in order, each with how many of its first points were given already. */
async function* readChunks(
  connection: Connection,
  experimentId: string,
  seriesId: string,
): AsyncIterable<{ readonly points: Buffer; readonly skip: number }> {
  for (let next = 0; ;) {
    const rows = await readBlobs(connection, experimentId, seriesId, next);
    const before = next;
    for (const row of rows) {
      const [first, n] = [Number(row.first_index), Number(row.n)];
      if (first + n <= next) continue;
      yield { points: row.points, skip: next - first };
      next = first + n;
    }
    if (next === before) return;
  }
}

/** The columns of every chunk. */
async function* readColumns(
  connection: Connection,
  experimentId: string,
  seriesId: string,
): AsyncIterable<{ readonly columns: Columns; readonly skip: number }> {
  for await (const { points, skip } of readChunks(connection, experimentId, seriesId))
    yield { columns: decodeColumns(points), skip };
}

const orAbsent = (value: number | undefined): number | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : value;

export async function* readPoints(
  connection: Connection,
  experimentId: string,
  name: string,
): AsyncIterable<PointColumns> {
  for (const series of await findSeries(connection, experimentId, name)) {
    const context = orNothing(series.context);
    for await (const { columns, skip } of readColumns(connection, experimentId, series.series_id))
      yield { context, ...columnsFrom(columns, skip) };
  }
}

/** Points of a series from which on a thread beside writes them, so that others are answered meanwhile. */
const besidePoints = 20_000;
/** Chunks that it is given at once, which come to 1 MB of text. */
const together = 8;
/** Pieces that it is given ahead of those that are taken. */
const ahead = 2;
/** Objects of that thread that are young, in MiB: the texts of the numbers of such a piece. */
const youngMb = 16;
const writeBeside = threadBeside<StoredChunks, Uint8Array<ArrayBuffer>>(
  new URL('./point-text-thread.js', import.meta.url),
  youngMb,
);

/** Chunks as text, from the thread beside; written here where that thread has ended. */
const writeThere = async (chunks: StoredChunks): Promise<Uint8Array> => {
  try {
    return await writeBeside(chunks, []);
  } catch (thrown) {
    if (thrown instanceof ThreadEnded) return writeChunks(chunks);
    throw thrown;
  }
};

const keptTexts = new KeptTexts();

/** What comes one by one, in lists of some. */
async function* inLists<T>(all: AsyncIterable<T>, length: number): AsyncIterable<readonly T[]> {
  let list: T[] = [];
  for await (const one of all) {
    list.push(one);
    if (list.length < length) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}

export async function* readPointTexts(
  connection: Connection,
  experimentId: string,
  name: string,
): AsyncIterable<Uint8Array> {
  for (const series of await findSeries(connection, experimentId, name)) {
    const context = orNothing(series.context);
    const all = readChunks(connection, experimentId, series.series_id);
    const beside = Number(series['n']) >= besidePoints;
    const begun: Promise<Uint8Array>[] = [];
    for await (const some of inLists(all, together)) {
      // Copies, or all that came with them would go to the thread.
      const copied = (): StoredChunks => ({
        ...{ name, context },
        chunks: some.map(({ points, skip }) => ({ points: new Uint8Array(points), skip })),
      });
      if (!beside) yield writeChunks(copied());
      else {
        const one = keptTexts.of({ name, context, chunks: some }, () => writeThere(copied()));
        one.catch(() => undefined); // is told where it is waited for, unless nobody does any more
        begun.push(one);
        const first = begun.length > ahead ? begun.shift() : undefined;
        if (first !== undefined) yield await first;
      }
    }
    for (const one of begun) yield await one;
  }
}

/** Keeps the smallest, largest and last of even runs of numbers, in their order. */
const thin = (points: readonly ChartPoint[], limit: number): readonly ChartPoint[] => {
  if (points.length <= limit) return points;
  const width = Math.ceil(points.length / Math.max(1, Math.floor(limit / 3)));
  const kept: ChartPoint[] = [];
  for (let at = 0; at < points.length; at += width) {
    const run = points.slice(at, at + width);
    let [min, max] = [0, 0];
    run.forEach((point, i) => {
      if (!(point.value >= (run[min]?.value ?? Number.NaN))) min = i;
      if (!(point.value <= (run[max]?.value ?? Number.NaN))) max = i;
    });
    for (const i of [...new Set([min, max, run.length - 1])].sort((a, b) => a - b))
      kept.push(run[i] as ChartPoint); // indexes of the run itself
  }
  return kept;
};

const toChartPoints = (columns: Columns, from: number, to: number): readonly ChartPoint[] => {
  const points: ChartPoint[] = [];
  for (let at = from; at < to; at++)
    points.push({
      value: columns.values[at] ?? Number.NaN,
      step: orAbsent(columns.steps[at]),
      epoch: orAbsent(columns.epochs[at]),
      timestamp: columns.timestamps[at] ?? 0,
    });
  return points;
};

export async function* readSeries(
  connection: Connection,
  experimentId: string,
  { name, context, count }: Pick<Series, 'name' | 'context' | 'count'>,
): AsyncIterable<readonly ChartPoint[]> {
  const found = (await findSeries(connection, experimentId, name)).find(
    (row) => orNothing(row.context) === context,
  );
  let left = count;
  if (found !== undefined)
    for await (const { columns, skip } of readColumns(connection, experimentId, found.series_id)) {
      const points = toChartPoints(columns, skip, Math.min(columns.values.length, skip + left));
      left -= points.length;
      yield points;
      if (left === 0) return;
    }
  if (left > 0)
    throw new Failure('absent', `metric ${name.slice(0, 100)} was removed while it was read`);
}

const readEvery = async (
  connection: Connection,
  experimentId: string,
  seriesId: string,
): Promise<readonly ChartPoint[]> => {
  const pieces: (readonly ChartPoint[])[] = [];
  for await (const { columns, skip } of readColumns(connection, experimentId, seriesId))
    pieces.push(toChartPoints(columns, skip, columns.values.length));
  return pieces.flat();
};

/** The ends of full chunks, and every point of what is not merged yet. */
const readHeaders = async (
  { db }: Connection,
  experimentId: string,
  seriesId: string,
): Promise<readonly ChartPoint[]> => {
  const rows = (await db('chunks')
    .select(
      ...ends.flatMap((end) => ['value', 'step', 'epoch', 'time'].map((part) => `${end}_${part}`)),
      { points: db.raw('case when packed then null else points end') },
    )
    .where({ experiment_id: experimentId, series_id: seriesId })
    .orderBy('first_index')) as readonly (Readonly<Record<string, unknown>> & {
    readonly points: Buffer | null;
  })[]; // the columns named above
  return rows.flatMap((row) => {
    if (row.points !== null) {
      const columns = decodeColumns(row.points);
      return toChartPoints(columns, 0, columns.values.length);
    }
    return endsOf(row);
  });
};

const endsOf = (row: Readonly<Record<string, unknown>>): readonly ChartPoint[] =>
  ends
    .filter((end) => row[`${end}_value`] !== null)
    .map((end): ChartPoint => ({
      value: Number(row[`${end}_value`]),
      step: wholeOrNothing(row[`${end}_step`]),
      epoch: wholeOrNothing(row[`${end}_epoch`]),
      timestamp: Number(row[`${end}_time`]),
    }))
    .sort((a, b) => a.timestamp - b.timestamp || (a.step ?? 0) - (b.step ?? 0));

export const readChart = async (
  connection: Connection,
  experimentId: string,
  name: string,
  limit: number,
): Promise<readonly ChartPoint[]> => {
  const all: (readonly ChartPoint[])[] = [];
  for (const series of await findSeries(connection, experimentId, name)) {
    const chunks = Number(series['n']) / chunkPoints;
    // So long that the heads of its chunks alone make a chart of this many points: no blob is opened.
    all.push(
      chunks * 6 >= limit
        ? await readHeaders(connection, experimentId, series.series_id)
        : await readEvery(connection, experimentId, series.series_id),
    );
  }
  return thin(all.flat(), limit);
};
