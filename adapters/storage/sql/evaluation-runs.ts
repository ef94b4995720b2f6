// What the runs of evaluations come to, item by item selected, and what stands in their outputs.
import type { Knex } from 'knex';
import {
  mostOutputBytes,
  type ComparedListing,
  type NamedSpread,
  type RunStatistics,
  type Spread,
} from '#ports/storage/evaluation-items';
import type { Row } from './authorship.js';
import type { Connection } from './connection.js';
import { comparedItems } from './evaluation-comparing.js';
import { ranksOf, rounded, shares, withTraces } from './evaluation-figures.js';
import { isId } from './ids.js';

/** The spread of `value` by `name`, of a query that has both for each run; in the order of names. */
const spreadsOf = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  each: Knex.QueryBuilder,
): Promise<readonly NamedSpread[]> => {
  const name = dialect.byCodePoints('v.name');
  const places = shares.flatMap((share) => [
    `floor(${share} * (r.n - 1)) + 1`,
    `ceiling(${share} * (r.n - 1)) + 1`,
  ]);
  const ranked = db(each.as('v'))
    .whereNotNull('v.value')
    .select(
      'v.name',
      'v.value',
      db.raw(`row_number() over (partition by ${name} order by v.value) as place`),
      db.raw(`count(*) over (partition by ${name}) as n`),
      db.raw(`avg(v.value) over (partition by ${name}) as mean`),
    );
  const rows = (await db(ranked.as('r'))
    .select('r.name', 'r.value', 'r.place', 'r.n', 'r.mean')
    .whereRaw(`r.place in (${places.join(', ')})`)) as readonly Row[]; // the columns named
  const byName = new Map<string, { n: number; mean: number; at: Map<number, number> }>();
  for (const row of rows) {
    const told = String(row['name']);
    const of = byName.get(told) ?? {
      n: Number(row['n']),
      mean: Number(row['mean']),
      at: new Map(),
    };
    of.at.set(Number(row['place']), Number(row['value']));
    byName.set(told, of);
  }
  return [...byName]
    .map(([told, { n, mean, at }]) => {
      const percentile = (share: number): number => {
        const { low, high, part } = ranksOf(n, share);
        const [below, above] = [at.get(low) ?? 0, at.get(high) ?? 0];
        return rounded(below + (above - below) * part);
      };
      const [p50, p90, p99] = shares.map(percentile) as [number, number, number]; // one for each
      return { name: told, mean: rounded(mean), p50, p90, p99 };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
};

const one = ([found]: readonly NamedSpread[]): Spread | undefined => {
  if (found === undefined) return undefined;
  const { name: _, ...spread } = found;
  return spread;
};

export const sumRuns = (
  connection: Connection,
  asked: Omit<ComparedListing, 'orders'>,
): Promise<RunStatistics> => {
  const { dialect } = connection;
  const work = async (db: Knex): Promise<RunStatistics> => {
    const inside = { db, dialect };
    const listing = { ...asked, orders: [] };
    const evaluationIds = asked.evaluationIds.filter(isId);
    const selected = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
      query
        .whereIn('e.evaluation_id', evaluationIds)
        .whereIn(
          'e.dataset_item_id',
          db(comparedItems({ ...connection, db }, listing, undefined).as('c')).select('c.id'),
        );
    const runs = () => selected(withTraces(db, asked.workspaceId));
    const spans = () =>
      runs().join('spans as s', (on) => {
        on.on('s.project_id', 't.project_id').andOn('s.trace_id', 't.id');
      });
    const unnamed = { name: db.raw("''") };
    const [counts] = (await selected(
      db('evaluation_items as e').where('e.workspace_id', asked.workspaceId),
    )
      .count({ runs: '*' })
      .countDistinct({ traces: 'e.trace_id' })) as unknown as readonly Row[]; // one row
    const { join, name, amount } = dialect.jsonNumbers('s.usage', 'u');
    return {
      runs: Number(counts?.['runs'] ?? 0),
      traces: Number(counts?.['traces'] ?? 0),
      duration: one(
        await spreadsOf(
          inside,
          runs()
            .whereNotNull('t.end_time')
            .select(unnamed, { value: db.raw('(t.end_time - t.start_time) / 1000.0') }),
        ),
      ),
      cost: one(
        await spreadsOf(
          inside,
          spans()
            .whereNotNull('s.cost')
            .groupBy('e.id')
            .select(unnamed, { value: db.raw('sum(s.cost)') }),
        ),
      ),
      scores: await spreadsOf(
        inside,
        runs()
          .join('feedback_scores as f', (on) => {
            on.on('f.project_id', 't.project_id').andOn('f.entity_id', 't.id');
          })
          .where('f.entity_kind', 'trace')
          .groupByRaw(`e.id, ${dialect.byCodePoints('f.name')}`)
          .select({ name: db.raw('min(f.name)'), value: db.raw('avg(f.value)') }),
      ),
      usage: await spreadsOf(
        inside,
        spans()
          .joinRaw(join)
          .whereNotNull('s.usage')
          .groupByRaw(`e.id, ${dialect.byCodePoints(name)}`)
          .select({ name: db.raw(`min(${name})`), value: db.raw(`sum(${amount})`) }),
      ),
    };
  };
  return connection.inTransaction
    ? work(connection.db)
    : dialect.withLargeWorkMem(connection.db, undefined, work);
};

interface OutputListing {
  readonly workspaceId: string;
  readonly evaluationIds: readonly string[];
  readonly limit: number;
}

export const listOutputs = async (
  { db }: Connection,
  { workspaceId, evaluationIds, limit }: OutputListing,
): Promise<{ readonly outputs: readonly string[]; readonly cut: boolean }> => {
  const newest = (await db('evaluation_items as e')
    .where('e.workspace_id', workspaceId)
    .whereIn('e.evaluation_id', evaluationIds.filter(isId))
    .orderBy('e.id', 'desc')
    .limit(limit + 1)
    .select('e.id')) as readonly Row[]; // the column named
  const ids = newest.slice(0, limit).map((row) => String(row['id']));
  if (ids.length === 0) return { outputs: [], cut: false };
  const rows = (await withTraces(db, workspaceId)
    .whereIn('e.id', ids)
    .whereNotNull('t.output')
    .orderBy('e.id', 'desc')
    .select({
      output: db.raw(`case when octet_length(t.output) <= ${mostOutputBytes} then t.output end`),
    })) as readonly Row[]; // the column named
  const outputs = rows.flatMap((row) => (typeof row['output'] === 'string' ? [row['output']] : []));
  return { outputs, cut: newest.length > limit || outputs.length < rows.length };
};
