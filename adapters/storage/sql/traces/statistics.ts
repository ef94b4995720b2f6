// What selections of traces, spans and threads come to.
import type { Dialect, Fragment } from '#ports/sql-dialect';
import type { NamedMean, Percentiles, TraceStatisticsStore } from '#ports/storage/trace-statistics';
import type { Connection } from '../connection.js';
import { both, fragment, joined } from '../fragment.js';
import { readBlocks } from './block-reading.js';
import { addParts, addSpanParts, type Part, type SpanParts } from './block-sums.js';
import { withinStretches } from './blocks.js';
import { rankedOf } from './lengths.js';
import { real, type Row } from './rows.js';
import { selectedThreads } from './threads.js';
import { narrow } from './narrowing.js';
import { withReads, type Read } from './reads.js';
import { selected, type Selection } from './selecting.js';

const weekMs = 7 * 24 * 3600 * 1000;

/** What is counted: rows of a table under an alias, and the SQL of what is asked of each. */
interface Counted {
  readonly connection: Connection;
  readonly read: Read;
  readonly projectId: string;
  /** `traces x where …`. */
  readonly rows: Fragment;
  /** Ids of those rows, for `in (…)`. */
  readonly ids: Fragment;
  /** Microseconds from beginning to end; null before the end. */
  readonly duration: string;
  readonly kind: 'trace' | 'span' | 'thread';
}

export type Reading = Pick<Counted, 'connection' | 'read'>;

const ask = (
  { read }: Pick<Counted, 'read'>,
  ...parts: readonly (string | Fragment)[]
): Promise<readonly Row[]> => read(...parts);

const ranks = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;

/** What is selected for percentiles of an expression, where the engine has them among aggregates; nothing where it has not. */
const percentileColumns = ({ dialect }: Connection, expression: string): readonly string[] => {
  const { percentile } = dialect;
  return percentile === undefined
    ? []
    : Object.entries(ranks).map(([name, part]) => `${percentile(expression, part)} as ${name}`);
};
const readPercentiles = (row: Row | undefined): Percentiles | undefined => {
  const [p50, p90, p99] = [real(row?.['p50']), real(row?.['p90']), real(row?.['p99'])];
  return p50 === undefined || p90 === undefined || p99 === undefined
    ? undefined
    : { p50: p50 / 1000, p90: p90 / 1000, p99: p99 / 1000 };
};

/** Percentiles of durations that take long to tell, so that each is told once. */
const percentilesOf = async (counted: Counted): Promise<Percentiles | undefined> => {
  const columns = percentileColumns(counted.connection, 'q.d');
  if (columns.length > 0) {
    const [found] = await ask(
      counted,
      `select ${columns.join(', ')} from (select ${counted.duration} as d from `,
      counted.rows,
      ') q',
    );
    return readPercentiles(found);
  }
  const rows = await ask(
    counted,
    `select r.d, r.place, r.n from (select q.d, row_number() over (order by q.d) as place, count(*) over () as n from (select ${counted.duration} as d from `,
    counted.rows,
    `) q where q.d is not null) r where r.place in (${Object.values(ranks)
      .map((part) => `ceiling(r.n * ${part})`)
      .join(', ')}) order by r.place`,
  );
  const n = Number(rows[0]?.['n'] ?? 0);
  if (n === 0) return undefined;
  const at = (part: number): number => {
    const place = Math.ceil(n * part);
    return Number(rows.find((one) => Number(one['place']) === place)?.['d'] ?? 0) / 1000;
  };
  return { p50: at(ranks.p50), p90: at(ranks.p90), p99: at(ranks.p99) };
};

/** Of the schema too, so that a planner knows how many there are (`traces_lasting`). Rows are counted by how long they took, in steps of a sixty-fourth of that: few enough to be kept apart, and what has a rank lies among the few rows of one step. */
const stepOf = (duration: string): string =>
  `(case when ${duration} > 0 then floor(ln(${duration}) * 64) when ${duration} <= 0 then -1 end)`;

/** Rows of one step: how many there are, and the shortest and longest duration among them. */
interface Step {
  readonly n: number;
  readonly shortest: number;
  readonly longest: number;
}
/** What has a rank: in which step, and which one of its rows. */
interface Ranked {
  readonly step: Step;
  readonly place: number;
}
const findRank = (steps: readonly Step[], part: number): Ranked | undefined => {
  let place = Math.ceil(steps.reduce((sum, { n }) => sum + n, 0) * part);
  for (const step of steps) {
    if (place <= step.n) return { step, place };
    place -= step.n;
  }
  return undefined;
};

/** Percentiles of what was counted in steps, the shortest first. */
const percentilesIn = async (
  counted: Counted,
  steps: readonly Step[],
): Promise<Percentiles | undefined> => {
  const [p50, p90, p99] = Object.values(ranks).map((part) => findRank(steps, part));
  if (p50 === undefined || p90 === undefined || p99 === undefined) return undefined;
  const found = await findRanked(counted, [p50, p90, p99]);
  const of = (ranked: Ranked): number => (found.get(ranked) ?? ranked.step.longest) / 1000;
  return { p50: of(p50), p90: of(p90), p99: of(p99) };
};

/** The durations of what has these ranks; one is missing where rows have changed since they were counted. */
const findRanked = async (
  counted: Counted,
  all: readonly Ranked[],
): Promise<ReadonlyMap<Ranked, number>> => {
  const wanted = all.filter(({ step: { shortest, longest } }) => shortest < longest);
  const steps = [...new Set(wanted.map(({ step }) => step))];
  if (steps.length === 0) return new Map();
  const { duration } = counted;
  const whole = (value: number): string => value.toFixed(0);
  const within = ({ shortest, longest }: Step): string =>
    `${duration} between ${whole(shortest)} and ${whole(longest)}`;
  const rows = await ask(
    counted,
    `select r.step, r.place, r.d from (select q.step, q.d, row_number() over (partition by q.step order by q.d) as place from (select ${duration} as d, case ${steps
      .map((step, at) => `when ${within(step)} then ${at}`)
      .join(' ')} end as step from `,
    counted.rows,
    ` and (${steps.map(within).join(' or ')})) q) r where ${wanted
      .map(({ step, place }) => `(r.step = ${steps.indexOf(step)} and r.place = ${place})`)
      .join(' or ')}`,
  );
  const found = new Map<Ranked, number>();
  for (const row of rows)
    for (const ranked of wanted)
      if (
        steps.indexOf(ranked.step) === Number(row['step']) &&
        ranked.place === Number(row['place'])
      )
        found.set(ranked, Number(row['d']));
  return found;
};

const byName = (one: NamedMean, other: NamedMean): number => (one.name < other.name ? -1 : 1);
const toMeans = (rows: readonly Row[]): readonly NamedMean[] =>
  rows
    .map((row) => ({
      name: String(row['name']),
      mean: Number(row['mean']),
      sum: Number(row['total']),
    }))
    .sort(byName);

/** Means by name of what has one value under a name for each thing. */
const meansByName = (dialect: Dialect, ofEach: Fragment): Fragment =>
  joined(
    'select min(m.name) as name, avg(m.value) as mean, sum(m.value) as total from (select min(f.name) as name, avg(f.value) as value from feedback_scores f',
    ofEach,
    ` group by ${dialect.byCodePoints('f.name')}, f.entity_id) m group by ${dialect.byCodePoints('m.name')}`,
  );

/** Means of scores by their names: of several authors of one thing first the mean of those. */
const scoresOf = async (
  counted: Counted,
  kind: Counted['kind'],
  ids: Fragment,
): Promise<readonly NamedMean[]> =>
  toMeans(
    await ask(
      counted,
      meansByName(
        counted.connection.dialect,
        joined(
          fragment(
            ' where f.project_id = ? and f.entity_kind = ? and f.entity_id in (',
            counted.projectId,
            kind,
          ),
          ids,
          ')',
        ),
      ),
    ),
  );

/** The same of spans of these traces, which are few beside the spans. */
const spanScoresOf = async (counted: Counted): Promise<readonly NamedMean[]> =>
  toMeans(
    await ask(
      counted,
      meansByName(
        counted.connection.dialect,
        joined(
          fragment(
            " join spans s on s.project_id = f.project_id and s.id = f.entity_id where f.project_id = ? and f.entity_kind = 'span' and s.trace_id in (",
            counted.projectId,
          ),
          counted.ids,
          ')',
        ),
      ),
    ),
  );

/** Spans: in which tables, under which alias, and which of their rows. */
export interface Spans {
  readonly tables: string;
  readonly alias: string;
  readonly where: Fragment;
  /** What each is summed for first, such as its trace; each counts for itself when left out. */
  readonly owner?: string;
}

/** Counts that have a column of their own. */
const counts = ['completion_tokens', 'prompt_tokens', 'total_tokens'] as const;

/** Parts as means, in the order of the names. */
const joinParts = (parts: readonly Part[]): readonly NamedMean[] =>
  [...addParts(parts)].map(({ name, n, sum }) => ({ name, mean: sum / n, sum })).sort(byName);

/** Whether the usage of a span has more than those: a member has one colon, and a name may have more of them. Most have all of those, which is told without counting. */
const hasMoreUsage = (alias: string): string => {
  const usage = `${alias}.usage`;
  const here = counts.map((column) => `${alias}.${column} is not null`);
  return `${usage} is not null and (case when ${here.join(' and ')} then ${usage} like '%${':%'.repeat(counts.length + 1)}' else octet_length(${usage}) - octet_length(replace(${usage}, ':', '')) > ${here
    .map((one) => `(case when ${one} then 1 else 0 end)`)
    .join(' + ')} end)`;
};

/** Usage by the names that have no column, and by owners, out of the JSON text of those spans alone that have any. */
const otherUsage = (
  { dialect }: Connection,
  { tables, alias: s, where, owner = `${s}.id` }: Spans,
): Fragment => {
  const { join, name, amount } = dialect.jsonNumbers(`${s}.usage`, 'u');
  const inColumn = counts
    .map((column) => `(${dialect.equalTexts(name, `'${column}'`)} and ${s}.${column} is not null)`)
    .join(' or ');
  return joined(
    `select min(${name}) as name, ${owner} as owner, sum(${amount}) as amount from ${tables} ${join} where `,
    `${hasMoreUsage(s)} and not (${inColumn}) and `,
    where,
    ` group by ${dialect.byCodePoints(name)}, ${owner}`,
  );
};
const otherUsageOf = async (
  { read, connection }: Reading,
  spans: Spans,
): Promise<readonly Part[]> => {
  const rows = await ask(
    { read },
    'select min(m.name) as name, count(m.amount) as n, sum(m.amount) as total from (',
    otherUsage(connection, spans),
    `) m group by ${connection.dialect.byCodePoints('m.name')}`,
  );
  return rows.map((row) => ({
    name: String(row['name']),
    n: Number(row['n']),
    sum: Number(row['total']),
  }));
};

/** Figures of which means are told. */
const summed = ['cost', ...counts] as const;
/** Of each figure how many have it and what it comes to. */
const meansOf = (value: (column: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    summed.flatMap((column) => [
      [`n_${column}`, `count(${value(column)})`],
      [`sum_${column}`, `sum(${value(column)})`],
    ]),
  );
const spanSums = (alias: string) => ({
  llm: `sum(case when ${alias}.type = 'llm' then 1 else 0 end)`,
  more: `sum(case when ${hasMoreUsage(alias)} then 1 else 0 end)`,
});
export const selectSums = (sums: Readonly<Record<string, string>>): string =>
  Object.entries(sums)
    .map(([name, sum]) => `${sum} as ${name}`)
    .join(', ');

/** What spans come to that a row tells of, but for usage that has no column. */
const partsIn = (row: Row | undefined): SpanParts => {
  const of = (name: string): Part => ({
    name,
    n: Number(row?.[`n_${name}`] ?? 0),
    sum: Number(row?.[`sum_${name}`] ?? 0),
  });
  return {
    n: Number(row?.['n'] ?? 0),
    llm: Number(row?.['llm'] ?? 0),
    cost: of('cost'),
    usage: counts.map(of).filter(({ n }) => n > 0),
  };
};
const hasMore = (row: Row | undefined): boolean => Number(row?.['more'] ?? 0) > 0;

/** What spans come to that a row tells of. */
export const readSpanParts = async (
  counted: Reading,
  spans: Spans,
  row: Row | undefined,
): Promise<SpanParts> => {
  const parts = partsIn(row);
  return hasMore(row)
    ? { ...parts, usage: [...parts.usage, ...(await otherUsageOf(counted, spans))] }
    : parts;
};
/** The same as means. */
const figuresOf = (parts: readonly SpanParts[]) => {
  const { n, llm, cost, usage } = addSpanParts(parts);
  return {
    ...{ n, llm },
    cost: cost.n === 0 ? undefined : { mean: cost.sum / cost.n, sum: cost.sum },
    usage: joinParts(usage),
  };
};

const ownerSums = ({ alias: s }: Spans): string =>
  `count(*) as n, ${selectSums(spanSums(s))}, ${summed.map((column) => `sum(${s}.${column}) as ${column}`).join(', ')}`;

/** The same of spans that are summed for their owners first. */
export const ownedSpanParts = async (
  counted: Reading,
  spans: Spans & { readonly owner: string },
): Promise<SpanParts> => {
  const { tables, where, owner } = spans;
  const [row] = await ask(
    counted,
    `select sum(m.n) as n, sum(m.llm) as llm, sum(m.more) as more, ${selectSums(meansOf((column) => `m.${column}`))} from (select ${ownerSums(spans)} from ${tables} where `,
    where,
    ` group by ${owner}) m`,
  );
  return readSpanParts(counted, spans, row);
};

/** The same of each owner for itself. */
export const spanPartsByOwner = async (
  counted: Reading,
  spans: Spans & { readonly owner: string },
): Promise<ReadonlyMap<string, SpanParts>> => {
  const { tables, where, owner } = spans;
  const rows = await ask(
    counted,
    `select ${owner} as owner, ${ownerSums(spans)} from ${tables} where `,
    where,
    ` group by ${owner}`,
  );
  const others = new Map<string, Part[]>();
  if (rows.some(hasMore))
    for (const row of await ask(counted, otherUsage(counted.connection, spans))) {
      if (row['amount'] === null) continue;
      const part = { name: String(row['name']), n: 1, sum: Number(row['amount']) };
      const of = others.get(String(row['owner']));
      if (of === undefined) others.set(String(row['owner']), [part]);
      else of.push(part);
    }
  return new Map(
    rows.map((row) => {
      const id = String(row['owner']);
      const of = (name: string): Part =>
        row[name] === null ? { name, n: 0, sum: 0 } : { name, n: 1, sum: Number(row[name]) };
      return [
        id,
        {
          n: Number(row['n']),
          llm: Number(row['llm']),
          cost: of('cost'),
          usage: [...counts.map(of).filter(({ n }) => n > 0), ...(others.get(id) ?? [])],
        },
      ] as const;
    }),
  );
};

/** Elements of a JSON list of texts: a comma between two of them stands between two quotes, of which none within is bare. */
const tagCount = (column: string): string =>
  `(case when ${column} is null or ${column} = '[]' then 0 else 1 + (octet_length(${column}) - octet_length(replace(${column}, '","', ''))) / 3 end)`;

const errorsBetween = (column: string, from: number, to: number): string =>
  `sum(case when x.error_info is not null and ${column} >= ${from} and ${column} < ${to} then 1 else 0 end)`;

/** A column that is null where there is no such body. */
const bodyOf = (kind: Counted['kind'], part: 'input' | 'output'): string =>
  kind === 'span' ? `x.${part}_start` : `x.${part}`;

/** Sums over rows of the same names. */
const sumRows = (rows: readonly Row[], names: readonly string[]): Row =>
  Object.fromEntries(
    names.map((name) => [name, rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0)]),
  );

/** What is counted of traces or spans, `x`. */
export const entrySums = (kind: Counted['kind']) => ({
  n: 'count(*)',
  inputs: `count(${bodyOf(kind, 'input')})`,
  outputs: `count(${bodyOf(kind, 'output')})`,
  metadata: 'count(x.metadata)',
  tags: `sum(${tagCount('x.tags')})`,
  errors: 'count(x.error_info)',
});
/** Sums of each span, `x`, for itself. */
export const ownSums = { ...spanSums('x'), ...meansOf((column) => `x.${column}`) };

/** Errors of the seven days before now (ms), and of the seven before those, begin and end at these times (µs). */
export const errorWindows = (now: number) => ({
  past: (now - 2 * weekMs) * 1000,
  recent: (now - weekMs) * 1000,
  end: now * 1000 + 1,
});

/** Counts of rows and the percentiles of their durations, and what else is summed, in one look at them and one at those around the ranks. */
const entryCounts = async (
  counted: Counted,
  now: number,
  others: Readonly<Record<string, string>> = {},
) => {
  const { duration } = counted;
  const sums = { ...entrySums(counted.kind), ...errorSums(now), ...others };
  const rows = await ask(
    counted,
    `select ${stepOf(duration)} as step, min(${duration}) as shortest, max(${duration}) as longest, ${selectSums(sums)} from `,
    counted.rows,
    ' group by step',
  );
  const steps = rows
    .filter((row) => row['step'] !== null)
    .map((row) => ({
      n: Number(row['n']),
      shortest: Number(row['shortest']),
      longest: Number(row['longest']),
    }))
    .sort((one, other) => one.shortest - other.shortest);
  const row = sumRows(rows, Object.keys(sums));
  return { row, entries: toEntries(row, await percentilesIn(counted, steps)) };
};
const errorSums = (now: number) => {
  const { past, recent, end } = errorWindows(now);
  return {
    recent: errorsBetween('x.start_time', recent, end),
    past: errorsBetween('x.start_time', past, recent),
  };
};
const toEntries = (row: Row, duration: Percentiles | undefined) => {
  const of = (name: string): number => Number(row[name] ?? 0);
  return {
    count: of('n'),
    duration,
    inputs: of('inputs'),
    outputs: of('outputs'),
    metadata: of('metadata'),
    tags: of('n') === 0 ? 0 : of('tags') / of('n'),
    errors: of('errors'),
    recentErrors: of('recent'),
    pastErrors: of('past'),
  };
};

/** Rows that blocks do not tell of are read one by one, up to so many. */
const mostRead = 300_000;

/** The same where blocks tell of nearly all rows: what they tell, and the others. `undefined` where they do not. */
const countByBlocks = async (
  connection: Connection,
  read: Read,
  kind: 'trace' | 'span',
  selection: Selection,
  now: number,
) => {
  const found = await readBlocks({ connection, read }, kind, selection, errorWindows(now));
  if (found === undefined) return undefined;
  const { whole, rest, byValues } = found;
  const within = both(selected(connection, { kind }, selection), withinStretches(rest));
  // Rows of which values are asked are looked at one by one, whichever have them.
  const among = byValues ? { ...selection, filters: [], type: undefined } : selection;
  const [size] = await read(
    `select count(*) as n from (select x.id from ${kind}s x where `,
    both(selected(connection, { kind }, among), withinStretches(rest)),
    ` limit ${mostRead + 1}) c`,
  );
  if (Number(size?.['n']) > mostRead) return undefined;
  const sums = {
    ...{ ...entrySums(kind), ...errorSums(now) },
    ...(kind === 'span' ? ownSums : {}),
  };
  const [row] = await read(`select ${selectSums(sums)} from ${kind}s x where `, within);
  const lengths = await read(
    `select ${entryDuration} as d from ${kind}s x where x.end_time is not null and `,
    within,
  );
  const reading = { connection, read };
  const spans =
    kind === 'span'
      ? await readSpanParts(reading, { tables: 'spans x', alias: 'x', where: within }, row)
      : await ownedSpanParts(reading, {
          ...{ tables: 'spans s', alias: 's', owner: 's.trace_id' },
          where: joined(
            fragment('s.project_id = ? and s.trace_id in (', selection.projectId),
            joined('select x.id from traces x where ', within),
            ')',
          ),
        });
  const others = lengths.map((one) => Number(one['d']));
  const [p50, p90, p99] = rankedOf([...whole.lengths, () => others], Object.values(ranks)) ?? [];
  const duration =
    p50 === undefined || p90 === undefined || p99 === undefined
      ? undefined
      : { p50: p50 / 1000, p90: p90 / 1000, p99: p99 / 1000 };
  const names = Object.keys({ ...entrySums(kind), ...errorSums(now) });
  return {
    entries: toEntries(sumRows([whole.counts, row ?? {}], names), duration),
    figures: figuresOf([whole.spans, spans]),
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

export const entryDuration = '(x.end_time - x.start_time)';

/** Counts of spans, and what they come to. */
const countSpans = async (counted: Counted, now: number, where: Fragment) => {
  const { row, entries } = await entryCounts(counted, now, ownSums);
  const parts = await readSpanParts(counted, { tables: 'spans x', alias: 'x', where }, row);
  return { entries, figures: figuresOf([parts]) };
};

export const traceStatisticsStore = (connection: Connection): TraceStatisticsStore => ({
  ofTraces: (selection, now) =>
    withReads(connection, async (read) => {
      const { projectId } = selection;
      const where = selected(connection, { kind: 'trace' }, selection);
      const ids = joined('select x.id from traces x where ', where);
      const counted: Counted = {
        ...{ connection, read, projectId, ids, kind: 'trace', duration: entryDuration },
        rows: joined('traces x where ', where),
      };
      const spans = joined(fragment('s.project_id = ? and s.trace_id in (', projectId), ids, ')');
      const { entries, figures } =
        (await countByBlocks(connection, read, 'trace', selection, now)) ??
        ({
          entries: (await entryCounts(counted, now)).entries,
          figures: figuresOf([
            await ownedSpanParts(counted, {
              ...{ tables: 'spans s', alias: 's', where: spans, owner: 's.trace_id' },
            }),
          ]),
        } as const);
      const { n, llm, cost, usage } = figures;
      const each = (number: number): number => (entries.count === 0 ? 0 : number / entries.count);
      return {
        ...entries,
        spans: each(n),
        llmSpans: each(llm),
        cost,
        usage,
        scores: await scoresOf(counted, 'trace', ids),
        spanScores: await spanScoresOf(counted),
        guardrailsFailed: await guardrailsFailed(counted),
      };
    }),
  async ofSpans(selection, now) {
    const { projectId } = selection;
    const narrowed = await narrow(connection, 'span', selection);
    return withReads(connection, async (read) => {
      const where = selected(connection, { kind: 'span' }, narrowed);
      const ids = joined('select x.id from spans x where ', where);
      const counted: Counted = {
        ...{ connection, read, projectId, ids, kind: 'span', duration: entryDuration },
        rows: joined('spans x where ', where),
      };
      const {
        entries,
        figures: { cost, usage },
      } =
        (await countByBlocks(connection, read, 'span', narrowed, now)) ??
        (await countSpans(counted, now, where));
      return {
        ...entries,
        ...{ spans: 0, llmSpans: 0, cost, usage },
        scores: await scoresOf(counted, 'span', ids),
        spanScores: [],
        guardrailsFailed: 0,
      };
    });
  },
  ofThreads: (selection) =>
    withReads(connection, async (read) => {
      const { projectId } = selection;
      const where = selectedThreads(connection, selection);
      const ids = joined('select h.id from trace_threads h where ', where);
      const counted: Counted = {
        ...{ connection, read, projectId, ids, kind: 'thread' },
        rows: joined('trace_threads h where ', where),
        duration:
          '(select max(coalesce(t.end_time, t.start_time)) - min(t.start_time) from traces t where t.project_id = h.project_id and t.thread_key = h.thread_key)',
      };
      const parts = await ownedSpanParts(counted, {
        tables: 'traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id',
        alias: 's',
        where: joined(
          fragment(
            't.project_id = ? and t.thread_key in (select h.thread_key from trace_threads h where ',
            projectId,
          ),
          where,
          ')',
        ),
        owner: 't.thread_key',
      });
      const { cost, usage } = figuresOf([parts]);
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
        ...{ cost, usage },
        scores: await scoresOf(counted, 'thread', ids),
        spanScores: [],
        guardrailsFailed: 0,
        ...{ errors: 0, recentErrors: 0, pastErrors: 0 },
      };
    }),
});
