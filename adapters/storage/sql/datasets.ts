import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { Dataset, DatasetType, Visibility } from '#ports/model/datasets';
import type { DatasetFigures, DatasetListing, DatasetStore } from '#ports/storage/datasets';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  jsonIn,
  jsonText,
  textIn,
  toAuthorship,
  touchRow,
  wholeIn,
  type Row,
} from './authorship.js';
import {
  whereHolds,
  inTransaction,
  newestNamed,
  keyOf,
  refuseTaken,
  type Connection,
} from './connection.js';
import { idField, listField, numberField, textField, type FieldSources } from './field-query.js';
import { filtered, ordered } from './field-listing.js';
import { isId } from './ids.js';
import { isBeingRemoved, queueRecordRemovals } from './record-removal.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'name',
  'type',
  'visibility',
  'tags',
  'description',
  'newest',
  ...authorshipColumns,
];
const ofDataset = columns.map((column) => `d.${column}`);

const toDataset = (row: Row): Dataset => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  name: String(row['name']),
  type: String(row['type']) as DatasetType, // as it was written
  visibility: String(row['visibility']) as Visibility, // as it was written
  tags: jsonIn<readonly string[]>(row, 'tags'),
  description: textIn(row, 'description'),
  newest: Number(row['newest']),
  ...toAuthorship(row),
});

/** What is unique: the name in its project, or among those of the workspace alone. */
const nameKey = ({
  workspaceId,
  projectId,
  name,
}: Pick<Dataset, 'workspaceId' | 'projectId' | 'name'>): string =>
  keyOf(workspaceId, projectId ?? '', name);

const taken = 'Dataset already exists';

/** When something of a kind was last made of a dataset; an expression, since lists are filtered and sorted by it. */
const lastOf = (table: 'evaluations' | 'optimizations', condition = ''): string =>
  `(select max(m.created_at) from ${table} m where m.workspace_id = d.workspace_id and m.dataset_id = d.id${condition})`;

const sources: FieldSources = {
  id: idField('d.id'),
  name: textField('d.name'),
  description: textField('d.description'),
  created_by: textField('d.created_by'),
  last_updated_by: textField('d.last_updated_by'),
  tags: listField('d.tags'),
  created_at: numberField('d.created_at'),
  last_updated_at: numberField('d.last_updated_at'),
  last_created_experiment_at: numberField(lastOf('evaluations', " and m.type = 'regular'")),
  last_created_optimization_at: numberField(lastOf('optimizations')),
};

const listed = (
  { db, dialect }: Connection,
  {
    workspaceId,
    projectId,
    name,
    withEvaluations,
    withOptimizations,
    promptId,
    filters,
  }: DatasetListing,
): Knex.QueryBuilder => {
  const query = db('datasets as d').where('d.workspace_id', workspaceId);
  const whereMade = (table: 'evaluations' | 'optimizations') =>
    db(`${table} as m`)
      .select('m.id')
      .whereRaw('m.workspace_id = d.workspace_id and m.dataset_id = d.id');
  if (projectId !== undefined) query.where('d.project_id', projectId);
  if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'd.name'));
  if (withEvaluations === true) query.whereExists(whereMade('evaluations'));
  if (withOptimizations === true) query.whereExists(whereMade('optimizations'));
  if (promptId !== undefined)
    query.whereExists(
      whereMade('evaluations')
        .join('evaluation_prompts as p', (on) => {
          on.on('p.workspace_id', 'm.workspace_id').andOn('p.evaluation_id', 'm.id');
        })
        .where('p.prompt_id', promptId),
    );
  return query.modify(filtered(dialect, sources, filters));
};

const countByDataset = async (
  db: Knex,
  table: 'evaluations' | 'optimizations',
  workspaceId: string,
  ids: readonly string[],
): Promise<
  ReadonlyMap<
    string,
    { readonly n: number; readonly at: number | undefined; readonly regularAt: number | undefined }
  >
> => {
  const rows = (await db(table)
    .where({ workspace_id: workspaceId })
    .whereIn('dataset_id', [...ids])
    .groupBy('dataset_id')
    .select('dataset_id')
    .count({ n: '*' })
    .max({ at: 'created_at' })
    .modify((query) => {
      if (table === 'evaluations')
        void query.select(
          db.raw("max(case when type = 'regular' then created_at end) as regular_at"),
        );
    })) as unknown as readonly Row[]; // the columns named
  return new Map(
    rows.map((row) => [
      String(row['dataset_id']),
      { n: Number(row['n']), at: wholeIn(row, 'at'), regularAt: wholeIn(row, 'regular_at') },
    ]),
  );
};

export const datasetStore = (connection: Connection): DatasetStore => {
  const { db, dialect } = connection;
  const select = () => db('datasets').select(...columns);
  const first = async (query: Knex.QueryBuilder): Promise<Dataset | undefined> => {
    const row = (await query.first()) as Row | undefined; // the columns named
    return row === undefined ? undefined : toDataset(row);
  };
  return {
    async insert(dataset) {
      if (await isBeingRemoved(db, 'dataset', dataset.workspaceId, dataset.id))
        throw new Failure('conflict', taken);
      await refuseTaken(
        dialect,
        taken,
        db('datasets').insert({
          workspace_id: dataset.workspaceId,
          id: dataset.id,
          project_id: dataset.projectId ?? null,
          name: dataset.name,
          name_key: nameKey(dataset),
          type: dataset.type,
          visibility: dataset.visibility,
          tags: jsonText(dataset.tags),
          description: dataset.description ?? null,
          newest: 0,
          ...authorshipRow(dataset),
        }),
      );
    },
    find: async (workspaceId, id) =>
      isId(id) ? first(select().where({ workspace_id: workspaceId, id })) : undefined,
    async findMany(workspaceId, ids) {
      const rows = (await select()
        .where({ workspace_id: workspaceId })
        .modify(dialect.among('id', 'id', ids.filter(isId)))) as readonly Row[]; // the columns named
      return rows.map(toDataset);
    },
    findByName: (workspaceId, projectId, name) =>
      first(select().where({ name_key: nameKey({ workspaceId, projectId, name }) })),
    findAnywhere: async (workspaceId, name) =>
      (await first(
        select().where({ name_key: nameKey({ workspaceId, projectId: undefined, name }) }),
      )) ?? first(select().modify(newestNamed(dialect, workspaceId, name))),
    async list(listing) {
      const [counted] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      const rows = (await listed(connection, listing)
        .select(...ofDataset)
        .modify(ordered(dialect, sources, listing.orders, 'd.id desc'))
        .offset(listing.offset)
        .limit(listing.limit)) as readonly Row[]; // the columns named
      return { total: Number(counted?.['n'] ?? 0), content: rows.map(toDataset) };
    },
    async figures(workspaceId, ids) {
      const some = ids.filter(isId);
      const items = (await db('datasets as d')
        .leftJoin('dataset_versions as v', (on) => {
          on.on('v.workspace_id', 'd.workspace_id')
            .andOn('v.dataset_id', 'd.id')
            .andOn('v.number', 'd.newest');
        })
        .where('d.workspace_id', workspaceId)
        .whereIn('d.id', some)
        .select('d.id', 'v.items_total')) as readonly Row[]; // the columns named
      const evaluations = await countByDataset(db, 'evaluations', workspaceId, some);
      const optimizations = await countByDataset(db, 'optimizations', workspaceId, some);
      return new Map(
        items.map((row): [string, DatasetFigures] => {
          const id = String(row['id']);
          return [
            id,
            {
              items: wholeIn(row, 'items_total') ?? 0,
              evaluations: evaluations.get(id)?.n ?? 0,
              lastEvaluationAt: evaluations.get(id)?.at,
              lastRegularEvaluationAt: evaluations.get(id)?.regularAt,
              optimizations: optimizations.get(id)?.n ?? 0,
              lastOptimizationAt: optimizations.get(id)?.at,
            },
          ];
        }),
      );
    },
    update: (workspaceId, id, change) =>
      inTransaction(connection, async (inside) => {
        const one = { workspace_id: workspaceId, id };
        const row = isId(id)
          ? ((await inside
              .db('datasets')
              .select(...columns)
              .where(one)
              .forUpdate()
              .first()) as Row | undefined) // the columns named
          : undefined;
        if (row === undefined) return false;
        await refuseTaken(
          dialect,
          taken,
          inside
            .db('datasets')
            .where(one)
            .update({
              ...changedColumns(change, {
                name: 'name',
                description: 'description',
                visibility: 'visibility',
                tags: 'tags',
              }),
              name_key: nameKey({ ...toDataset(row), name: change.name ?? String(row['name']) }),
              ...touchRow(change),
            }),
        );
        return true;
      }),
    remove: (workspaceId, ids, at) =>
      inTransaction(connection, async (inside) => {
        const rows = (await inside
          .db('datasets')
          .select('id')
          .where({ workspace_id: workspaceId })
          .whereIn('id', [...new Set(ids)].filter(isId))
          .orderBy('id')
          .forUpdate()) as readonly { readonly id: string }[]; // the column named
        const found = rows.map((row) => row.id);
        if (found.length === 0) return;
        await queueRecordRemovals(inside, 'dataset', workspaceId, found, at);
        await inside
          .db('datasets')
          .where({ workspace_id: workspaceId })
          .whereIn('id', found)
          .delete();
      }),
  };
};
