// What is known of a series before any of its points is read: how many there are, and how far each page of its rollups reaches.
import type { CurveOf } from '#ports/storage/curves';
import { wholeOrNothing, type Connection } from '../connection.js';
import { chunkPoints } from '../metrics/chunks.js';
import { coveredBy } from '../metrics/rollups.js';
import { seriesIdsOf } from '../metrics/series-ids.js';
import type { SpanAxis } from '../metrics/spans.js';

/** A page of rollups, without its bytes. */
export interface PageHead {
  readonly firstIndex: number;
  /** Of the checksums of its chunks: what changes when any of them does, or one more is there. */
  readonly digest: string;
  readonly spans: number;
  /** First and last place on the axis; absent where no point has one. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** Points that have a place on the axis. */
  readonly placed: number;
}

/** A stored series: one name of one experiment has several where it was logged in several contexts. */
export interface Head {
  readonly experimentId: string;
  readonly seriesId: string;
  readonly total: number;
  readonly lastAt: number;
  /** Chunks that are not merged into full ones yet. */
  readonly loose: number;
  /** Where the first chunk begins that no page tells of. */
  readonly covered: number;
  readonly pages: readonly PageHead[];
}

/** A curve as it is asked for, with the stored series that it is made of. */
export interface Wanted {
  readonly of: CurveOf;
  readonly origin: number;
  readonly heads: readonly Head[];
}

interface HeadRow {
  readonly experiment_id: string;
  readonly series_id: string;
  readonly n: unknown;
  readonly loose: unknown;
  readonly last_time: unknown;
  readonly first_index: unknown;
  readonly spans: unknown;
  readonly low: unknown;
  readonly high: unknown;
  readonly placed: unknown;
  readonly digest: string;
}

/** Experiments that one statement asks about. */
const experimentsAtOnce = 50;

const readRows = async (
  { db, dialect }: Connection,
  axis: SpanAxis,
  idsOf: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<readonly HeadRow[]> => {
  const of = (axisColumn: string) => `r.${axis}_${axisColumn} as ${axisColumn}`;
  const arm = `select s.experiment_id, s.series_id, s.n, s.loose, s.last_time, r.first_index, r.spans, ${['low', 'high', 'placed'].map(of).join(', ')}, md5(r.checks) as digest
    from series s left join rollups r on r.experiment_id = s.experiment_id and r.series_id = s.series_id and r.span_points = ${chunkPoints}
    where s.experiment_id = ? and ${dialect.anyOf('s.series_id', 'id')}`;
  const rows: HeadRow[] = [];
  const entries = [...idsOf];
  for (let at = 0; at < entries.length; at += experimentsAtOnce) {
    const some = entries.slice(at, at + experimentsAtOnce);
    rows.push(
      ...((await dialect.run(
        db,
        some.map(() => arm).join(' union all '),
        some.flatMap(([experimentId, ids]) => [experimentId, [...ids]]),
      )) as readonly HeadRow[]), // the columns named
    );
  }
  return rows;
};

const toPage = (row: HeadRow): PageHead => ({
  firstIndex: Number(row.first_index),
  digest: row.digest,
  spans: Number(row.spans),
  low: wholeOrNothing(row.low),
  high: wholeOrNothing(row.high),
  placed: Number(row.placed),
});

const toHead = (rows: readonly HeadRow[]): Head => {
  const [row] = rows as [HeadRow]; // whoever groups rows has one
  const pages = rows
    .filter(({ first_index }) => first_index !== null)
    .map(toPage)
    .sort((a, b) => a.firstIndex - b.firstIndex);
  const newest = pages.at(-1);
  return {
    experimentId: row.experiment_id,
    seriesId: row.series_id,
    total: Number(row.n),
    loose: Number(row.loose),
    lastAt: Number(row.last_time),
    covered: coveredBy(
      newest === undefined ? undefined : { first_index: newest.firstIndex, spans: newest.spans },
    ),
    pages,
  };
};

/** The stored series of each curve, in the order of the curves; of one that is not there, none. */
export const readHeads = async (
  connection: Connection,
  curves: readonly CurveOf[],
  axis: SpanAxis,
): Promise<readonly (readonly Head[])[]> => {
  const idsOf = new Map<string, Set<string>>();
  for (const { experimentId, name } of curves) {
    const ids = idsOf.get(experimentId) ?? new Set();
    for (const id of seriesIdsOf(name)) ids.add(id);
    idsOf.set(experimentId, ids);
  }
  const grouped = new Map<string, HeadRow[]>();
  for (const row of await readRows(connection, axis, idsOf)) {
    const key = `${row.experiment_id}/${row.series_id}`;
    const group = grouped.get(key);
    if (group === undefined) grouped.set(key, [row]);
    else group.push(row);
  }
  return curves.map(({ experimentId, name }) =>
    seriesIdsOf(name)
      .map((id) => grouped.get(`${experimentId}/${id}`))
      .filter((rows) => rows !== undefined)
      .map(toHead),
  );
};
