// What evaluations add up to: of each a few statements for all that are asked for, never one for each.
import type { Knex } from 'knex';
import type { EvaluationScore } from '#ports/model/evaluations';
import type { EvaluationFigures, JudgedItem } from '#ports/storage/evaluations';
import { textIn, type Row } from './authorship.js';
import type { Connection } from './connection.js';
import { meansOf, type UsageSums } from './usage-sums.js';

/** Items of evaluations with the traces that they name, where those are there. */
export const withTraces = (db: Knex, workspaceId: string): Knex.QueryBuilder =>
  db('evaluation_items as e')
    .join('traces as t', 't.id', 'e.trace_id')
    .join('projects as p', (on) => {
      on.on('p.id', 't.project_id').andOn('p.workspace_id', 'e.workspace_id');
    })
    .where('e.workspace_id', workspaceId)
    .whereNull('p.deleted_at')
    .whereRaw('(e.project_id is null or e.project_id = t.project_id)');

export const shares = [0.5, 0.9, 0.99] as const;

/** The ranks between which percentiles of `n` values lie, and how far. */
export const ranksOf = (n: number, share: number) => {
  const place = share * (n - 1);
  return {
    low: Math.floor(place) + 1,
    high: Math.ceil(place) + 1,
    part: place - Math.floor(place),
  };
};

const readDurations = async (
  db: Knex,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EvaluationFigures['durations']>> => {
  const places = shares.flatMap((share) => [
    `floor(${share} * (n - 1)) + 1`,
    `ceiling(${share} * (n - 1)) + 1`,
  ]);
  const ranked = withTraces(db, workspaceId)
    .whereIn('e.evaluation_id', [...ids])
    .whereNotNull('t.end_time')
    .select(
      'e.evaluation_id',
      db.raw('t.end_time - t.start_time as taken'),
      db.raw(
        'row_number() over (partition by e.evaluation_id order by t.end_time - t.start_time, e.id) as place',
      ),
      db.raw('count(*) over (partition by e.evaluation_id) as n'),
    );
  const rows = (await db(ranked.as('r'))
    .select('evaluation_id', 'taken', 'place', 'n')
    .whereRaw(`place in (${places.join(', ')})`)) as readonly Row[]; // the columns named
  const byId = new Map<string, Map<number, number>>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    const id = String(row['evaluation_id']);
    counts.set(id, Number(row['n']));
    byId.set(
      id,
      (byId.get(id) ?? new Map<number, number>()).set(Number(row['place']), Number(row['taken'])),
    );
  }
  return new Map(
    [...byId].map(([id, taken]) => {
      const at = (share: number): number => {
        const { low, high, part } = ranksOf(counts.get(id) ?? 1, share);
        const [below, above] = [taken.get(low) ?? 0, taken.get(high) ?? 0];
        return (below + (above - below) * part) / 1000;
      };
      return [id, { p50: at(0.5), p90: at(0.9), p99: at(0.99) }];
    }),
  );
};

const withSpans = (db: Knex, workspaceId: string, ids: readonly string[]) =>
  withTraces(db, workspaceId)
    .join('spans as s', (on) => {
      on.on('s.project_id', 't.project_id').andOn('s.trace_id', 't.id');
    })
    .whereIn('e.evaluation_id', [...ids]);

const readCosts = async (db: Knex, workspaceId: string, ids: readonly string[]) => {
  const rows = (await withSpans(db, workspaceId, ids)
    .whereNotNull('s.cost')
    .groupBy('e.evaluation_id')
    .select('e.evaluation_id')
    .sum({ cost: 's.cost' })
    .countDistinct({ n: 'e.id' })) as unknown as readonly Row[]; // the columns named
  return new Map(
    rows.map((row) => [
      String(row['evaluation_id']),
      { cost: Number(row['cost']), average: Number(row['cost']) / Number(row['n']) },
    ]),
  );
};

const readUsage = async (db: Knex, workspaceId: string, ids: readonly string[]) => {
  const rows = (await withSpans(db, workspaceId, ids)
    .whereNotNull('s.usage')
    .select('e.evaluation_id', { item: 'e.id' }, 's.usage')) as readonly Row[]; // the columns named
  return meansOf(
    rows.map((row): UsageSums => ({
      group: String(row['evaluation_id']),
      member: String(row['item']),
      usage: String(row['usage']),
    })),
  );
};

/** Lists of names and numbers by evaluation, in the order of the names. */
const named = (rows: readonly Row[]): ReadonlyMap<string, readonly EvaluationScore[]> => {
  const found = new Map<string, EvaluationScore[]>();
  for (const row of rows) {
    const id = String(row['evaluation_id']);
    found.set(id, [
      ...(found.get(id) ?? []),
      { name: String(row['name']), value: rounded(Number(row['value'])) },
    ]);
  }
  return new Map(
    [...found].map(([id, list]) => [id, list.sort((a, b) => (a.name < b.name ? -1 : 1))]),
  );
};
/** As many decimals as scores have. */
export const rounded = (value: number): number => Math.round(value * 1e9) / 1e9;

/** The mean of what authors say of a trace, then of traces. */
export const scoreMeans = (db: Knex, workspaceId: string): Knex.QueryBuilder =>
  withTraces(db, workspaceId)
    .join('feedback_scores as f', (on) => {
      on.on('f.project_id', 't.project_id').andOn('f.entity_id', 't.id');
    })
    .where('f.entity_kind', 'trace');

type Names = Pick<Connection, 'db' | 'dialect'>;

const readScores = async ({ db, dialect }: Names, workspaceId: string, ids: readonly string[]) => {
  const byTrace = scoreMeans(db, workspaceId)
    .whereIn('e.evaluation_id', [...ids])
    .groupByRaw(`e.evaluation_id, e.id, ${dialect.byCodePoints('f.name')}`)
    .select('e.evaluation_id')
    .min({ name: 'f.name' })
    .avg({ value: 'f.value' });
  return named(
    (await db(byTrace.as('s'))
      .groupByRaw(`evaluation_id, ${dialect.byCodePoints('name')}`)
      .select('evaluation_id')
      .min({ name: 'name' })
      .avg({ value: 'value' })) as unknown as readonly Row[], // the columns named
  );
};

const withResults = (db: Knex, workspaceId: string, ids: readonly string[]) =>
  withTraces(db, workspaceId)
    .join('assertion_results as a', (on) => {
      on.on('a.project_id', 't.project_id').andOn('a.entity_id', 't.id');
    })
    .where('a.entity_kind', 'trace')
    .whereIn('e.evaluation_id', [...ids]);
const passing = 'case when a.passed then 1 else 0 end';

const readAssertions = async (
  { db, dialect }: Names,
  workspaceId: string,
  ids: readonly string[],
) => {
  const rows = (await withResults(db, workspaceId, ids)
    .groupByRaw(`e.evaluation_id, ${dialect.byCodePoints('a.name')}`)
    .select('e.evaluation_id')
    .min({ name: 'a.name' })
    .sum({ passed: db.raw(passing) })
    .count({ n: '*' })) as unknown as readonly Row[]; // the columns named
  // Divided here: engines differ in the decimals that they keep.
  return named(rows.map((row) => ({ ...row, value: Number(row['passed']) / Number(row['n']) })));
};

const readJudged = async (
  db: Knex,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly JudgedItem[]>> => {
  const runs = withResults(db, workspaceId, ids)
    .groupBy('e.evaluation_id', 'e.dataset_item_id', 'e.id')
    .select('e.evaluation_id', 'e.dataset_item_id')
    .max({ policy: 'e.execution_policy' })
    .min({ passed: db.raw(passing) });
  const rows = (await db(runs.as('r'))
    .groupBy('evaluation_id', 'dataset_item_id')
    .select('evaluation_id', 'dataset_item_id')
    .max({ policy: 'policy' })
    .sum({ passed: 'passed' })
    .count({ n: '*' })) as unknown as readonly Row[]; // the columns named
  const found = new Map<string, JudgedItem[]>();
  for (const row of rows) {
    const id = String(row['evaluation_id']);
    const judged = {
      datasetItemId: String(row['dataset_item_id']),
      passedRuns: Number(row['passed']),
      runs: Number(row['n']),
      executionPolicy: textIn(row, 'policy'),
    };
    const list = found.get(id);
    if (list === undefined) found.set(id, [judged]);
    else list.push(judged);
  }
  return found;
};

const readCounts = async (db: Knex, workspaceId: string, ids: readonly string[]) => {
  const rows = (await db('evaluation_items')
    .where({ workspace_id: workspaceId })
    .whereIn('evaluation_id', [...ids])
    .groupBy('evaluation_id')
    .select('evaluation_id')
    .countDistinct({ traces: 'trace_id' })
    .countDistinct({ items: 'dataset_item_id' })) as unknown as readonly Row[]; // the columns named
  return new Map(
    rows.map((row) => [
      String(row['evaluation_id']),
      { traces: Number(row['traces']), items: Number(row['items']) },
    ]),
  );
};

export const evaluationFigures = async (
  connection: Names,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EvaluationFigures>> => {
  if (ids.length === 0) return new Map();
  const { db } = connection;
  const counts = await readCounts(db, workspaceId, ids);
  // Only those with items have anything else.
  const filled = [...counts.keys()];
  const none = new Map<string, never>();
  const readOn = <On, T>(
    on: On,
    of: (on: On, workspaceId: string, ids: readonly string[]) => Promise<T>,
  ) => (filled.length === 0 ? Promise.resolve(none as T) : of(on, workspaceId, filled)); // an empty map of anything
  const durations = await readOn(db, readDurations);
  const costs = await readOn(db, readCosts);
  const usage = await readOn(db, readUsage);
  const scores = await readOn(connection, readScores);
  const assertions = await readOn(connection, readAssertions);
  const judged = await readOn(db, readJudged);
  return new Map(
    ids.map((id) => [
      id,
      {
        traces: counts.get(id)?.traces ?? 0,
        items: counts.get(id)?.items ?? 0,
        durations: durations.get(id),
        cost: costs.get(id)?.cost,
        averageCost: costs.get(id)?.average,
        usage: usage.get(id),
        scores: scores.get(id) ?? [],
        assertions: assertions.get(id) ?? [],
        judged: judged.get(id) ?? [],
      },
    ]),
  );
};
