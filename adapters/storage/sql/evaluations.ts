import type { Knex } from 'knex';
import type { FieldFilter } from '#ports/field-query';
import type { EvaluatedPrompt, Evaluation } from '#ports/model/evaluations';
import type { Dialect } from '#ports/sql-dialect';
import type { EvaluationListing, EvaluationStore } from '#ports/storage/evaluations';
import { changedColumns, touchRow, type Row } from './authorship.js';
import { whereHolds, inTransaction, type Connection } from './connection.js';
import { evaluationFigures, scoreMeans, shares } from './evaluation-figures.js';
import {
  evaluationColumns,
  evaluationRow,
  nameKey,
  scoresText,
  toEvaluation,
} from './evaluation-rows.js';
import { filtered, ordered } from './field-listing.js';
import {
  idField,
  jsonField,
  listField,
  numberField,
  numberOf,
  textField,
  type FieldSource,
  type FieldSources,
} from './field-query.js';
import { complement, fragment } from './fragment.js';
import { isId } from './ids.js';
import { queueRecordRemovals } from './record-removal.js';

const ofEvaluation = evaluationColumns.map((column) => `e.${column}`);

/** Names of one list are few; more are never looked at. */
const mostNamed = 2000;

const none = fragment('cast(null as decimal)');
const kept = jsonField('e.scores');
/** A score of the whole evaluation, which is kept under its name in lower case. */
const ownScores: FieldSource = {
  where: (filter, dialect) =>
    kept.where({ ...filter, path: [filter.key ?? '', 1] } as FieldFilter, dialect), // the same claim, at its place
  sort: (order, dialect) =>
    numberOf(kept.sort?.({ ...order, path: [order.key ?? '', 1] }, dialect) ?? none, dialect),
};

const meanScore = (key: string, dialect: Dialect) =>
  numberField(
    fragment(
      `(select avg(f.value) from evaluation_items i join traces t on t.id = i.trace_id join projects p on p.id = t.project_id and p.workspace_id = i.workspace_id join feedback_scores f on f.project_id = t.project_id and f.entity_id = t.id where i.workspace_id = e.workspace_id and i.evaluation_id = e.id and f.entity_kind = 'trace' and ${dialect.equalTexts(dialect.lower('f.name'), dialect.lower('?'))})`,
      key,
    ),
  );
const traceScores: FieldSource = {
  where: (filter, dialect) => meanScore(filter.key ?? '', dialect).where(filter, dialect),
  sort: (order, dialect) => meanScore(order.key ?? '', dialect).sort?.(order, dialect) ?? none,
};

/** Prompts that were evaluated, as a list of their ids. */
const promptIds: FieldSource = {
  where(filter, dialect) {
    const some =
      'exists (select 1 from evaluation_prompts q where q.workspace_id = e.workspace_id and q.evaluation_id = e.id';
    if (filter.is === 'presence') {
      const any = fragment(`${some})`);
      return filter.operator === 'isNotEmpty' ? any : complement(any);
    }
    if (filter.is !== 'list') throw new Error('prompt_ids is a list');
    // Whatever it is compared with, which may be no text of ASCII.
    const has = fragment(
      `${some} and ${dialect.byCodePoints(dialect.idAsText('q.prompt_id'))} = ?)`,
      filter.value.toLowerCase(),
    );
    return filter.operator === 'equals' || filter.operator === 'contains' ? has : complement(has);
  },
};

/** Items of evaluations of a workspace with the traces that they name, where those are there; of `i` and `t`. */
const itemsWithTraces =
  'evaluation_items i join traces t on t.id = i.trace_id join projects p on p.id = t.project_id and p.workspace_id = i.workspace_id';
const areThere = 'p.deleted_at is null and (i.project_id is null or i.project_id = t.project_id)';

/** What is asked of an evaluation by a statement about all of a workspace, which engines narrow down to the one. */
const perEvaluation = (value: string, from: string, workspaceId: string): FieldSource =>
  numberField(
    fragment(`(select ${value} from ${from} z where z.evaluation_id = e.id)`, workspaceId),
  );

const spansOfItems = `(select i.evaluation_id, sum(s.cost) as cost, count(distinct i.id) as n from ${itemsWithTraces} join spans s on s.project_id = t.project_id and s.trace_id = t.id where i.workspace_id = ? and ${areThere} and s.cost is not null group by i.evaluation_id)`;

/** Durations in ms as they are shown: between two of them in proportion. */
const durationOf = (share: number, workspaceId: string): FieldSource => {
  const place = `${share} * (max(r.n) - 1)`;
  const at = (rank: 'floor' | 'ceiling') =>
    `max(case when r.place = ${rank}(${share} * (r.n - 1)) + 1 then r.d end)`;
  const ranked = `(select i.evaluation_id, t.end_time - t.start_time as d, row_number() over (partition by i.evaluation_id order by t.end_time - t.start_time, i.id) as place, count(*) over (partition by i.evaluation_id) as n from ${itemsWithTraces} where i.workspace_id = ? and ${areThere} and t.end_time is not null) r`;
  return perEvaluation(
    'z.taken / 1000.0',
    `(select r.evaluation_id, ${at('floor')} + (${at('ceiling')} - ${at('floor')}) * (${place} - floor(${place})) as taken from ${ranked} group by r.evaluation_id)`,
    workspaceId,
  );
};
const shareOf = new Map(shares.map((share) => [`p${share * 100}`, share]));
const durations = (workspaceId: string): FieldSource => {
  const of = (key: string | undefined): FieldSource => {
    const share = shareOf.get(key ?? '');
    return share === undefined ? numberField(none) : durationOf(share, workspaceId);
  };
  return {
    where: (filter, dialect) => of(filter.key).where(filter, dialect),
    sort: (order, dialect) => of(order.key).sort?.(order, dialect) ?? none,
  };
};

const sourcesOf = (workspaceId: string): FieldSources => ({
  id: idField('e.id'),
  name: textField('e.name'),
  dataset_id: idField('e.dataset_id'),
  created_by: textField('e.created_by'),
  created_at: numberField('e.created_at'),
  last_updated_at: numberField('e.last_updated_at'),
  tags: listField('e.tags'),
  metadata: jsonField('e.metadata'),
  prompt_ids: promptIds,
  experiment_scores: ownScores,
  feedback_scores: traceScores,
  trace_count: numberField(
    '(select count(distinct i.trace_id) from evaluation_items i where i.workspace_id = e.workspace_id and i.evaluation_id = e.id)',
  ),
  duration: durations(workspaceId),
  total_estimated_cost: perEvaluation('z.cost', spansOfItems, workspaceId),
  total_estimated_cost_avg: perEvaluation('z.cost / z.n', spansOfItems, workspaceId),
});

/** For `modify`: those of which this is there, or is gone. */
const whose =
  (there: Knex.QueryBuilder, gone: boolean) =>
  (query: Knex.QueryBuilder): void => {
    if (gone) query.whereNotExists(there);
    else query.whereExists(there);
  };

const listed = (
  { db, dialect }: Connection,
  listing: Omit<EvaluationListing, 'limit' | 'orders'>,
): Knex.QueryBuilder => {
  const { workspaceId, name, ids, types, promptId, datasetDeleted, projectDeleted } = listing;
  const query = db('evaluations as e').where('e.workspace_id', workspaceId);
  const equal = {
    'e.project_id': listing.projectId,
    'e.dataset_id': listing.datasetId,
    'e.optimization_id': listing.optimizationId,
  };
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) query.where(column, value);
  if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'e.name'));
  if (ids !== undefined) query.modify(dialect.among('e.id', 'id', ids.filter(isId)));
  if (types !== undefined) query.whereIn('e.type', [...types]);
  if (promptId !== undefined)
    query.whereExists(
      db('evaluation_prompts as q')
        .select('q.version_id')
        .whereRaw('q.workspace_id = e.workspace_id and q.evaluation_id = e.id')
        .where('q.prompt_id', promptId),
    );
  if (datasetDeleted !== undefined)
    query.modify(
      whose(
        db('datasets as d')
          .select('d.id')
          .whereRaw('d.workspace_id = e.workspace_id and d.id = e.dataset_id'),
        datasetDeleted,
      ),
    );
  if (projectDeleted !== undefined) {
    query.whereNotNull('e.project_id');
    query.modify(
      whose(
        db('projects as o').select('o.id').whereRaw('o.id = e.project_id and o.deleted_at is null'),
        projectDeleted,
      ),
    );
  }
  if (listing.beforeId !== undefined) query.where('e.id', '<', listing.beforeId);
  return query.modify(filtered(dialect, sourcesOf(workspaceId), listing.filters));
};

const readPrompts = async (
  db: Knex,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly EvaluatedPrompt[]>> => {
  const found = new Map<string, EvaluatedPrompt[]>();
  if (ids.length === 0) return found;
  const rows = (await db('evaluation_prompts')
    .select('evaluation_id', 'version_id', 'prompt_id')
    .where({ workspace_id: workspaceId })
    .whereIn('evaluation_id', [...ids])
    .orderBy(['evaluation_id', 'position', 'version_id'])) as readonly Row[]; // the columns named
  for (const row of rows) {
    const id = String(row['evaluation_id']);
    const one = { versionId: String(row['version_id']), promptId: String(row['prompt_id']) };
    found.set(id, [...(found.get(id) ?? []), one]);
  }
  return found;
};

const writePrompts = async (
  db: Knex,
  workspaceId: string,
  id: string,
  prompts: readonly EvaluatedPrompt[],
): Promise<void> => {
  await db('evaluation_prompts').where({ workspace_id: workspaceId, evaluation_id: id }).delete();
  const distinct = [...new Map(prompts.map((one) => [one.versionId, one])).values()];
  if (distinct.length > 0)
    await db('evaluation_prompts').insert(
      distinct.map(({ versionId, promptId }, position) => ({
        workspace_id: workspaceId,
        evaluation_id: id,
        version_id: versionId,
        prompt_id: promptId,
        position,
      })),
    );
};

export const evaluationStore = (connection: Connection): EvaluationStore => {
  const { db, dialect } = connection;
  const readAll = async (
    workspaceId: string,
    query: Knex.QueryBuilder,
  ): Promise<readonly Evaluation[]> => {
    const rows = (await query.select(...ofEvaluation)) as readonly Row[]; // the columns named
    const prompts = await readPrompts(
      db,
      workspaceId,
      rows.map((row) => String(row['id'])),
    );
    return rows.map((row) => toEvaluation(row, prompts.get(String(row['id'])) ?? []));
  };
  const some = (workspaceId: string, ids: readonly string[]) =>
    db('evaluations as e')
      .where('e.workspace_id', workspaceId)
      .modify(dialect.among('e.id', 'id', ids.filter(isId)));
  return {
    insert: (evaluation) =>
      inTransaction(
        connection,
        async (inside) => {
          const { workspaceId, id } = evaluation;
          const held = await inside
            .db('evaluations')
            .select('id')
            .where({ workspace_id: workspaceId, id })
            .first();
          if (held !== undefined) return false;
          await inside.db('evaluations').insert(evaluationRow(evaluation));
          await writePrompts(inside.db, workspaceId, id, evaluation.prompts);
          return true;
        },
        { overtaken: true },
      ),
    find: async (workspaceId, id) => (await readAll(workspaceId, some(workspaceId, [id])))[0],
    findMany: (workspaceId, ids) => readAll(workspaceId, some(workspaceId, ids)),
    async findByName(workspaceId, name, projectId) {
      const query = db('evaluations')
        .select('id')
        .where({ workspace_id: workspaceId, name_key: nameKey(name) })
        .orderBy('id', 'desc')
        .limit(mostNamed);
      if (projectId !== undefined) query.where({ project_id: projectId });
      return ((await query) as readonly Row[]).map((row) => String(row['id'])); // the column named
    },
    list: ({ orders, offset = 0, limit, ...listing }) =>
      readAll(
        listing.workspaceId,
        listed(connection, listing)
          .modify(ordered(dialect, sourcesOf(listing.workspaceId), orders, 'e.id desc'))
          .offset(offset)
          .limit(limit),
      ),
    async count(listing) {
      const [row] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      return Number(row?.['n'] ?? 0);
    },
    figures: (workspaceId, ids) => evaluationFigures(connection, workspaceId, ids.filter(isId)),
    async listScoreNames(workspaceId, { projectId, ids }) {
      const query = scoreMeans(db, workspaceId)
        .min({ name: 'f.name' })
        .groupByRaw(dialect.byCodePoints('f.name'))
        .limit(mostNamed);
      if (ids !== undefined) query.whereIn('e.evaluation_id', ids.filter(isId));
      if (projectId !== undefined)
        query.whereIn(
          'e.evaluation_id',
          db('evaluations')
            .select('id')
            .where({ workspace_id: workspaceId, project_id: projectId }),
        );
      return ((await query) as readonly Row[]).map((row) => String(row['name'])).sort(); // the column named
    },
    update: (workspaceId, id, change) =>
      inTransaction(connection, async (inside) => {
        const one = { workspace_id: workspaceId, id };
        const held = isId(id)
          ? await inside.db('evaluations').select('id').where(one).forUpdate().first()
          : undefined;
        if (held === undefined) return false;
        const { name, scores, prompts } = change;
        await inside
          .db('evaluations')
          .where(one)
          .update({
            ...changedColumns(change, {
              name: 'name',
              metadata: 'metadata',
              tags: 'tags',
              type: 'type',
              status: 'status',
              finishedAt: 'finished_at',
            }),
            ...(name === undefined ? {} : { name_key: nameKey(name) }),
            ...(scores === undefined ? {} : { scores: scoresText(scores) }),
            ...touchRow(change),
          });
        if (prompts !== undefined) await writePrompts(inside.db, workspaceId, id, prompts);
        return true;
      }),
    async setStatus(workspaceId, ids, status, { finishedAt, ...touch }) {
      await db('evaluations')
        .where({ workspace_id: workspaceId })
        .whereIn('id', ids.filter(isId))
        .update({
          status,
          ...(finishedAt === undefined ? {} : { finished_at: finishedAt }),
          ...touchRow(touch),
        });
    },
    remove: (workspaceId, ids, at) =>
      inTransaction(connection, async (inside) => {
        const rows = (await inside
          .db('evaluations')
          .select('id')
          .where({ workspace_id: workspaceId })
          .whereIn('id', [...new Set(ids)].filter(isId))
          .orderBy('id')
          .forUpdate()) as readonly Row[]; // the column named
        const found = rows.map((row) => String(row['id']));
        if (found.length === 0) return;
        await queueRecordRemovals(inside, 'evaluation', workspaceId, found, at);
        await inside
          .db('evaluations')
          .where({ workspace_id: workspaceId })
          .whereIn('id', found)
          .delete();
      }),
  };
};
