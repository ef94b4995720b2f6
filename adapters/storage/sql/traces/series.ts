// Figures of traces, spans and threads over time.
import type { Dialect, Fragment } from '#ports/sql-dialect';
import type {
  Buckets,
  Grouping,
  SeriesPoint,
  SeriesRequest,
  TraceSeriesStore,
} from '#ports/storage/trace-series';
import { idsBetween } from '#ports/id-time';
import type { Connection } from '../connection.js';
import { fragment, joined } from '../fragment.js';
import { text, type Row } from './rows.js';
import { selectedThreads } from './threads.js';
import { narrow } from './narrowing.js';
import { selected } from './selecting.js';

/** What is put into buckets: rows under an alias, and the SQL of what is asked of each. */
interface Timed {
  readonly connection: Connection;
  readonly projectId: string;
  readonly kind: 'trace' | 'span' | 'thread';
  /** `traces x`. */
  readonly table: string;
  /** What stands behind `where`. */
  readonly where: Fragment;
  readonly id: string;
  /** Microseconds. */
  readonly duration: string;
  readonly failed: string;
  /** `from … where …` of the spans of a row, as `s`; the row itself for spans. */
  readonly spans: string;
}

const groupOf = (grouping: Grouping | undefined, dialect: Dialect): Fragment => {
  if (grouping === undefined) return fragment('null');
  switch (grouping.by) {
    case 'metadata':
      return dialect.jsonText('x.metadata', grouping.path);
    case 'error_type':
      return dialect.jsonText('x.error_info', ['exception_type']);
    case 'error_info':
      return dialect.jsonText('x.error_info', ['message']);
    case 'tags':
      return fragment(dialect.jsonTexts('x.tags', 'g').value);
    case 'type':
      return fragment("coalesce(x.type, 'general')");
    case 'name':
    case 'model':
    case 'provider':
      return fragment(`x.${grouping.by}`);
  }
};

const idsIn = ({ from, to, endless }: Buckets) =>
  idsBetween(from, endless === true ? Infinity : to);

/** Every row with its bucket, its group and what is asked of it, as `q`. */
const bucketed = (
  { connection: { dialect }, table, where, id }: Timed,
  buckets: Buckets,
  grouping: Grouping | undefined,
  asked: string,
): Fragment => {
  const { width, offset, to } = buckets;
  const { fromId, toId } = idsIn(buckets);
  const made = `${dialect.idTime(id)} * 1000`;
  const counted = buckets.endless === true ? `least(${made}, ${to - 1})` : made;
  return joined(
    `(select ${id} as id, floor((${counted} - (${offset})) / ${width}) as bucket, ${asked} as asked, `,
    groupOf(grouping, dialect),
    ` as grouped from ${table} ${grouping?.by === 'tags' ? dialect.jsonTexts('x.tags', 'g').join : ''} where `,
    where,
    fragment(` and ${id} >= ? and ${id} <= ?) q`, fromId, toId),
  );
};

const read = async (
  { connection: { db, dialect } }: Timed,
  { width, offset }: Buckets,
  ...parts: readonly (string | Fragment)[]
): Promise<readonly SeriesPoint[]> => {
  const { sql, bindings } = joined(...parts);
  const rows = (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns that the parts name
  return rows.flatMap((row) =>
    row['value'] === null
      ? []
      : [
          {
            at: Number(row['bucket']) * width + offset,
            name: text(row['name']),
            group: text(row['grouped']),
            value: Number(row['value']),
          },
        ],
  );
};

const percentiles = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
] as const;

/** Percentiles by rank: of each bucket and group those rows whose place is the one asked for. One without a name is all that is measured. */
const durations = async (
  timed: Timed,
  { buckets, grouping }: SeriesRequest,
  asked: readonly (readonly [name: string | undefined, part: number])[],
): Promise<readonly SeriesPoint[]> => {
  const found: SeriesPoint[] = [];
  const exact = timed.connection.dialect.byCodePoints;
  const group = `q.bucket, ${exact('q.grouped')}`;
  for (const [name, part] of asked)
    found.push(
      ...(await read(
        timed,
        buckets,
        `select z.bucket, z.grouped, ${name === undefined ? 'null' : `'${name}'`} as name, z.asked / 1000.0 as value from (select q.bucket, q.grouped, q.asked, row_number() over (partition by ${group} order by q.asked) as place, count(*) over (partition by ${group}) as n from `,
        bucketed(timed, buckets, grouping, timed.duration),
        ` where q.asked is not null) z where z.place = ceiling(z.n * ${part}) order by z.bucket, ${exact('z.grouped')}`,
      )),
    );
  return found;
};

const measure = (timed: Timed, request: SeriesRequest): Promise<readonly SeriesPoint[]> => {
  const { buckets, grouping } = request;
  const exact = timed.connection.dialect.byCodePoints;
  const simple = (value: string, asked: string) =>
    read(
      timed,
      buckets,
      `select q.bucket, min(q.grouped) as grouped, null as name, ${value} as value from `,
      bucketed(timed, buckets, grouping, asked),
      ` group by q.bucket, ${exact('q.grouped')} order by q.bucket, ${exact('min(q.grouped)')}`,
    );
  switch (request.measure) {
    case 'count':
      return simple('count(*)', '1');
    case 'duration':
      return durations(timed, request, percentiles);
    case 'p95Duration':
      return durations(timed, request, [[undefined, 0.95]]);
    case 'meanDuration':
      return simple('avg(q.asked) / 1000.0', timed.duration);
    case 'errorRate':
      return simple('100.0 * sum(q.asked) / count(*)', timed.failed);
    case 'cost':
      return simple('sum(q.asked)', `(select sum(s.cost) ${timed.spans})`);
    case 'guardrailsFailed':
      return simple(
        'sum(q.asked)',
        '(case when exists (select 1 from guardrails g where g.project_id = x.project_id and g.trace_id = x.id and not g.passed) then 1 else 0 end)',
      );
    case 'scores':
      return read(
        timed,
        buckets,
        'select m.bucket, min(m.grouped) as grouped, min(m.name) as name, avg(m.value) as value from (select q.bucket, min(q.grouped) as grouped, q.id, min(f.name) as name, avg(f.value) as value from ',
        bucketed(timed, buckets, grouping, '1'),
        fragment(
          ` join feedback_scores f on f.project_id = ? and f.entity_id = q.id and f.entity_kind = '${timed.kind}' group by q.bucket, ${exact('q.grouped')}, q.id, ${exact('f.name')}) m group by m.bucket, ${exact('m.grouped')}, ${exact('m.name')} order by ${exact('min(m.name)')}, m.bucket, ${exact('min(m.grouped)')}`,
          timed.projectId,
        ),
      );
    case 'usage': {
      const { join, name, amount } = timed.connection.dialect.jsonNumbers('w.usage', 'u');
      const owner = timed.kind === 'span' ? 'w.id' : 'w.trace_id';
      return read(
        timed,
        buckets,
        `select q.bucket, min(q.grouped) as grouped, min(${name}) as name, sum(${amount}) as value from `,
        bucketed(timed, buckets, grouping, '1'),
        fragment(
          ` join spans w on w.project_id = ? and ${owner} = q.id and w.usage is not null ${join} group by q.bucket, ${exact('q.grouped')}, ${exact(name)} order by ${exact(`min(${name})`)}, q.bucket, ${exact('min(q.grouped)')}`,
          timed.projectId,
        ),
      );
    }
  }
};

const failed = '(case when x.error_info is null then 0 else 1 end)';
const lasted = '(x.end_time - x.start_time)';

export const traceSeriesStore = (connection: Connection): TraceSeriesStore => ({
  ofTraces: (selection, request) =>
    measure(
      {
        ...{ connection, projectId: selection.projectId, kind: 'trace', id: 'x.id' },
        ...{ duration: lasted, failed },
        table: 'traces x',
        where: selected(connection, { kind: 'trace' }, selection),
        spans: 'from spans s where s.project_id = x.project_id and s.trace_id = x.id',
      },
      request,
    ),
  ofSpans: async (selection, request) =>
    measure(
      {
        ...{ connection, projectId: selection.projectId, kind: 'span', id: 'x.id' },
        ...{ duration: lasted, failed },
        table: 'spans x',
        where: selected(
          connection,
          { kind: 'span' },
          await narrow(connection, 'span', { ...selection, ...idsIn(request.buckets) }),
        ),
        spans: 'from spans s where s.project_id = x.project_id and s.id = x.id',
      },
      request,
    ),
  ofThreads: (selection, request) => {
    const of = 'from traces t where t.project_id = h.project_id and t.thread_key = h.thread_key';
    return measure(
      {
        ...{ connection, projectId: selection.projectId, kind: 'thread', id: 'h.id', failed: '0' },
        duration: `(select max(coalesce(t.end_time, t.start_time)) - min(t.start_time) ${of})`,
        table: 'trace_threads h',
        where: selectedThreads(connection, selection),
        spans:
          'from traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id where t.project_id = h.project_id and t.thread_key = h.thread_key',
      },
      { ...request, grouping: undefined },
    );
  },
});
