// What selections of traces, spans and threads come to.
import type { Fragment } from '#ports/sql-dialect';
import type {
  NamedMean,
  Percentiles,
  Statistics,
  TraceStatisticsStore,
} from '#ports/storage/trace-statistics';
import type { Connection } from '../connection.js';
import { fragment, joined } from '../fragment.js';
import { real, type Row } from './rows.js';
import { selectedThreads } from './threads.js';
import { narrow } from './narrowing.js';
import { selected } from './selecting.js';

const weekMs = 7 * 24 * 3600 * 1000;

/** What is counted: rows of a table under an alias, and the SQL of what is asked of each. */
interface Counted {
  readonly connection: Connection;
  readonly projectId: string;
  /** `traces x where …`. */
  readonly rows: Fragment;
  /** Ids of those rows, for `in (…)`. */
  readonly ids: Fragment;
  /** Microseconds from beginning to end; null before the end. */
  readonly duration: string;
  readonly kind: 'trace' | 'span' | 'thread';
}

const ask = async (
  { connection: { db, dialect } }: Pick<Counted, 'connection'>,
  ...parts: readonly (string | Fragment)[]
): Promise<readonly Row[]> => {
  const { sql, bindings } = joined(...parts);
  return (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns that the parts name
};

const percentilesOf = async (counted: Counted): Promise<Percentiles | undefined> => {
  const rows = await ask(
    counted,
    `select r.d, r.place, r.n from (select q.d, row_number() over (order by q.d) as place, count(*) over () as n from (select ${counted.duration} as d from `,
    counted.rows,
    ') q where q.d is not null) r where r.place in (ceiling(r.n * 0.5), ceiling(r.n * 0.9), ceiling(r.n * 0.99)) order by r.place',
  );
  const n = Number(rows[0]?.['n'] ?? 0);
  if (n === 0) return undefined;
  const at = (part: number): number => {
    const place = Math.ceil(n * part);
    return Number(rows.find((row) => Number(row['place']) === place)?.['d'] ?? 0) / 1000;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
};

const toMeans = (rows: readonly Row[]): readonly NamedMean[] =>
  rows.map((row) => ({
    name: String(row['name']),
    mean: Number(row['mean']),
    sum: Number(row['total']),
  }));

/** Means of scores by their names: of several authors of one thing first the mean of those. */
const scoresOf = async (
  counted: Counted,
  kind: Counted['kind'],
  ids: Fragment,
): Promise<readonly NamedMean[]> =>
  toMeans(
    await ask(
      counted,
      'select m.name, avg(m.value) as mean, sum(m.value) as total from (select f.name, f.entity_id, avg(f.value) as value from feedback_scores f where ',
      fragment(
        'f.project_id = ? and f.entity_kind = ? and f.entity_id in (',
        counted.projectId,
        kind,
      ),
      ids,
      ') group by f.name, f.entity_id) m group by m.name order by m.name',
    ),
  );

/** Usage by name over spans: summed for each owner first, where several spans are one trace or thread. */
const usageOf = async (
  counted: Counted,
  from: Fragment,
  owner: string,
): Promise<readonly NamedMean[]> => {
  const { join, name, amount } = counted.connection.dialect.jsonNumbers('s.usage', 'u');
  const where = ' where ';
  const at = from.sql.indexOf(where); // none of the tables before it has one of its own
  const [before, after] = [from.sql.slice(0, at), from.sql.slice(at + where.length)];
  return toMeans(
    await ask(
      counted,
      `select m.name, avg(m.amount) as mean, sum(m.amount) as total from (select ${name} as name, ${owner} as owner, sum(${amount}) as amount from `,
      {
        sql: `${before} ${join} where s.usage is not null and ${after}`,
        bindings: from.bindings,
      },
      ` group by ${name}, ${owner}) m group by m.name order by m.name`,
    ),
  );
};

const costOf = async (
  counted: Counted,
  from: Fragment,
  owner: string,
): Promise<Statistics['cost']> => {
  const [row] = await ask(
    counted,
    `select avg(m.cost) as mean, sum(m.cost) as total from (select ${owner} as owner, sum(s.cost) as cost from `,
    from,
    ` group by ${owner}) m where m.cost is not null`,
  );
  const mean = real(row?.['mean']);
  return mean === undefined ? undefined : { mean, sum: Number(row?.['total']) };
};

/** Elements of a JSON list of texts: a comma between two of them stands between two quotes, of which none within is bare. */
const tagCount = (column: string): string =>
  `(case when ${column} is null or ${column} = '[]' then 0 else 1 + (length(${column}) - length(replace(${column}, '","', ''))) / 3 end)`;

const errorsBetween = (column: string, from: number, to: number): string =>
  `sum(case when x.error_info is not null and ${column} >= ${from} and ${column} < ${to} then 1 else 0 end)`;

/** A column that is null where there is no such body. */
const bodyOf = ({ kind }: Counted, part: 'input' | 'output'): string =>
  kind === 'span' ? `x.${part}_start` : `x.${part}`;

const entryCounts = async (counted: Counted, now: number) => {
  const [recent, past] = [now - weekMs, now - 2 * weekMs].map((ms) => ms * 1000);
  const [row] = await ask(
    counted,
    `select count(*) as n, sum(case when ${bodyOf(counted, 'input')} is null then 0 else 1 end) as inputs, sum(case when ${bodyOf(counted, 'output')} is null then 0 else 1 end) as outputs, sum(case when x.metadata is null then 0 else 1 end) as metadata, avg(${tagCount('x.tags')}) as tags, sum(case when x.error_info is null then 0 else 1 end) as errors, ${errorsBetween('x.start_time', recent ?? 0, now * 1000 + 1)} as recent, ${errorsBetween('x.start_time', past ?? 0, recent ?? 0)} as past from `,
    counted.rows,
  );
  const of = (name: string): number => Number(row?.[name] ?? 0);
  return {
    count: of('n'),
    inputs: of('inputs'),
    outputs: of('outputs'),
    metadata: of('metadata'),
    tags: of('tags'),
    errors: of('errors'),
    recentErrors: of('recent'),
    pastErrors: of('past'),
  };
};

const guardrailsFailed = async (counted: Counted): Promise<number> => {
  const [row] = await ask(
    counted,
    'select count(distinct g.trace_id) as n from guardrails g where ',
    fragment('g.project_id = ? and not g.passed and g.trace_id in (', counted.projectId),
    counted.ids,
    ')',
  );
  return Number(row?.['n'] ?? 0);
};

const entryDuration = '(x.end_time - x.start_time)';

export const traceStatisticsStore = (connection: Connection): TraceStatisticsStore => ({
  async ofTraces(selection, now) {
    const { projectId } = selection;
    const where = selected(connection, { kind: 'trace' }, selection);
    const ids = joined('select x.id from traces x where ', where);
    const counted: Counted = {
      ...{ connection, projectId, ids, kind: 'trace', duration: entryDuration },
      rows: joined('traces x where ', where),
    };
    const spans = joined(
      'spans s where ',
      fragment('s.project_id = ? and s.trace_id in (', projectId),
      ids,
      ')',
    );
    const counts = await entryCounts(counted, now);
    const [sums] = await ask(
      counted,
      "select count(*) as n, sum(case when s.type = 'llm' then 1 else 0 end) as llm from ",
      spans,
    );
    const each = (name: string): number =>
      counts.count === 0 ? 0 : Number(sums?.[name] ?? 0) / counts.count;
    return {
      ...counts,
      duration: await percentilesOf(counted),
      spans: each('n'),
      llmSpans: each('llm'),
      cost: await costOf(counted, spans, 's.trace_id'),
      usage: await usageOf(counted, spans, 's.trace_id'),
      scores: await scoresOf(counted, 'trace', ids),
      spanScores: await scoresOf(counted, 'span', joined('select s.id from ', spans)),
      guardrailsFailed: await guardrailsFailed(counted),
    };
  },
  async ofSpans(selection, now) {
    const { projectId } = selection;
    const where = selected(
      connection,
      { kind: 'span' },
      await narrow(connection, 'span', selection),
    );
    const ids = joined('select x.id from spans x where ', where);
    const counted: Counted = {
      ...{ connection, projectId, ids, kind: 'span', duration: entryDuration },
      rows: joined('spans x where ', where),
    };
    const spans = joined(
      'spans s where ',
      fragment('s.project_id = ? and s.id in (', projectId),
      ids,
      ')',
    );
    return {
      ...(await entryCounts(counted, now)),
      duration: await percentilesOf(counted),
      spans: 0,
      llmSpans: 0,
      cost: await costOf(counted, spans, 's.id'),
      usage: await usageOf(counted, spans, 's.id'),
      scores: await scoresOf(counted, 'span', ids),
      spanScores: [],
      guardrailsFailed: 0,
    };
  },
  async ofThreads(selection) {
    const { projectId } = selection;
    const where = selectedThreads(connection, selection);
    const ids = joined('select h.id from trace_threads h where ', where);
    const counted: Counted = {
      ...{ connection, projectId, ids, kind: 'thread' },
      rows: joined('trace_threads h where ', where),
      duration:
        '(select max(coalesce(t.end_time, t.start_time)) - min(t.start_time) from traces t where t.project_id = h.project_id and t.thread_key = h.thread_key)',
    };
    const spans = joined(
      'traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id where ',
      fragment(
        't.project_id = ? and t.thread_key in (select h.thread_key from trace_threads h where ',
        projectId,
      ),
      where,
      ')',
    );
    const [row] = await ask(
      counted,
      `select count(*) as n, avg(${tagCount('h.tags')}) as tags from `,
      counted.rows,
    );
    return {
      count: Number(row?.['n'] ?? 0),
      duration: await percentilesOf(counted),
      ...{ inputs: 0, outputs: 0, metadata: 0, spans: 0, llmSpans: 0 },
      tags: Number(row?.['tags'] ?? 0),
      cost: await costOf(counted, spans, 't.thread_key'),
      usage: await usageOf(counted, spans, 't.thread_key'),
      scores: await scoresOf(counted, 'thread', ids),
      spanScores: [],
      ...{ guardrailsFailed: 0, errors: 0, recentErrors: 0, pastErrors: 0 },
    };
  },
});
