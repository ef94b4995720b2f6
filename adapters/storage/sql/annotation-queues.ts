import type { Knex } from 'knex';
import type {
  AnnotationQueue,
  FoundQueue,
  QueueAutomation,
  QueueScope,
} from '#ports/model/annotation-queues';
import type {
  AnnotationQueueStore,
  QueueChange,
  QueueListing,
  QueueProgress,
} from '#ports/storage/annotation-queues';
import { queueItemStore, removeItemsOf } from './annotation-queue-items.js';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  jsonIn,
  jsonText,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { whereHolds, inTransaction, isTrue, refuseTaken, type Connection } from './connection.js';
import { filtered, ordered } from './field-listing.js';
import {
  filterBy,
  idField,
  listField,
  numberField,
  textField,
  type FieldSources,
} from './field-query.js';
import { either, fragment } from './fragment.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'name',
  'description',
  'instructions',
  'scope',
  'comments_enabled',
  'definition_names',
  'annotators_per_item',
  'lock_timeout_seconds',
  'automation',
  'annotator_view',
  ...authorshipColumns,
].map((column) => `q.${column}`);
const foundColumns = [...columns, 'q.items_count', 'p.name as project_name'];

const toQueue = (row: Row): AnnotationQueue => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: String(row['project_id']),
  name: String(row['name']),
  description: textIn(row, 'description'),
  instructions: textIn(row, 'instructions'),
  scope: String(row['scope']) as QueueScope, // as it was written
  commentsEnabled: isTrue(row['comments_enabled']),
  definitionNames: jsonIn<readonly string[]>(row, 'definition_names') ?? [],
  annotatorsPerItem: Number(row['annotators_per_item']),
  lockTimeoutSeconds: Number(row['lock_timeout_seconds']),
  automation: jsonIn<QueueAutomation>(row, 'automation'),
  annotatorView: textIn(row, 'annotator_view'),
  ...toAuthorship(row),
});
const toFound = (row: Row): FoundQueue => ({
  ...toQueue(row),
  projectName: String(row['project_name']),
  itemsCount: Number(row['items_count']),
});
const toRow = (queue: AnnotationQueue): Row => ({
  workspace_id: queue.workspaceId,
  id: queue.id,
  project_id: queue.projectId,
  name: queue.name,
  description: queue.description ?? null,
  instructions: queue.instructions ?? null,
  scope: queue.scope,
  comments_enabled: queue.commentsEnabled,
  definition_names: JSON.stringify(queue.definitionNames),
  annotators_per_item: queue.annotatorsPerItem,
  lock_timeout_seconds: queue.lockTimeoutSeconds,
  automation: jsonText(queue.automation),
  automated: queue.automation?.enabled ?? false,
  annotator_view: queue.annotatorView ?? null,
  items_count: 0,
  complete: true,
  ...authorshipRow(queue),
});
const changeRow = (change: QueueChange): Row => ({
  ...changedColumns(change, {
    name: 'name',
    description: 'description',
    instructions: 'instructions',
    commentsEnabled: 'comments_enabled',
    definitionNames: 'definition_names',
    annotatorsPerItem: 'annotators_per_item',
    lockTimeoutSeconds: 'lock_timeout_seconds',
    automation: 'automation',
    annotatorView: 'annotator_view',
  }),
  ...(change.automation === undefined ? {} : { automated: change.automation.enabled }),
  ...touchRow(change),
});

const sources: FieldSources = {
  id: idField('q.id'),
  project_id: idField('q.project_id'),
  name: textField('q.name'),
  description: textField('q.description'),
  instructions: textField('q.instructions'),
  scope: textField('q.scope'),
  feedback_definition_names: listField('q.definition_names'),
  created_at: numberField('q.created_at'),
  created_by: textField('q.created_by'),
  last_updated_at: numberField('q.last_updated_at'),
  last_updated_by: textField('q.last_updated_by'),
};

/** Queues whose project is there. */
const standing = (db: Knex): Knex.QueryBuilder =>
  db('annotation_queues as q')
    .join('projects as p', 'p.id', 'q.project_id')
    .whereNull('p.deleted_at');

const listed = ({ db, dialect }: Connection, listing: QueueListing): Knex.QueryBuilder => {
  const { workspaceId, projectId, name, filters } = listing;
  const query = standing(db)
    .where('q.workspace_id', workspaceId)
    .modify(filtered(dialect, sources, filters));
  if (projectId !== undefined) query.where('q.project_id', projectId);
  if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'q.name'));
  return query;
};

/** As many queues of a project add items by themselves; scoring looks at each. */
const mostAutomated = 100;
const queuesAtOnce = 50;
const namesAtOnce = 100;
const grouped = (queues: readonly FoundQueue[]): readonly (readonly FoundQueue[])[] => {
  const byProject = new Map<string, FoundQueue[]>();
  for (const queue of queues)
    byProject.set(queue.projectId, [...(byProject.get(queue.projectId) ?? []), queue]);
  return [...byProject.values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / queuesAtOnce) }, (_, at) =>
      own.slice(at * queuesAtOnce, (at + 1) * queuesAtOnce),
    ),
  );
};

/** Scores under the names of queues of one project, about their items. */
const counting = (
  { db, dialect }: Connection,
  queues: readonly FoundQueue[],
): Knex.QueryBuilder => {
  const counted = either(
    ...queues.map(({ id, scope, definitionNames }) =>
      fragment(
        `(i.queue_id = ? and f.entity_kind = ? and ${dialect.byCodePoints('f.name')} in (${definitionNames.map(() => dialect.byCodePoints('?')).join(', ')}))`,
        ...[id, scope, ...definitionNames],
      ),
    ),
  );
  return db('annotation_queue_items as i')
    .join('feedback_scores as f', (on) =>
      on.on('f.project_id', 'i.project_id').andOn('f.entity_id', 'i.item_id'),
    )
    .where({ 'i.project_id': queues[0]?.projectId, 'i.removed': false })
    .whereIn(
      'i.queue_id',
      queues.map(({ id }) => id),
    )
    .whereRaw(counted.sql, counted.bindings as never); // knex types no lists that cannot be changed
};

const progressOf = async (
  connection: Connection,
  queues: readonly FoundQueue[],
): Promise<ReadonlyMap<string, QueueProgress>> => {
  const { db, dialect } = connection;
  const found = new Map<
    string,
    { scores: QueueProgress['scores'][number][]; reviewers: QueueProgress['reviewers'][number][] }
  >();
  const of = (row: Row) => {
    const id = String(row['queue_id']);
    const progress = found.get(id) ?? { scores: [], reviewers: [] };
    found.set(id, progress);
    return progress;
  };
  const counted = queues.filter(
    ({ definitionNames, itemsCount }) => definitionNames.length > 0 && itemsCount > 0,
  );
  for (const some of grouped(counted)) {
    const scores = (await counting(connection, some)
      .select('i.queue_id', {
        name: db.raw('min(f.name)'),
        mean: db.raw('cast(avg(f.value) as decimal(30, 9))'),
      })
      .groupByRaw(`i.queue_id, ${dialect.byCodePoints('f.name')}`)
      .orderByRaw(`i.queue_id, ${dialect.byCodePoints('min(f.name)')}`)) as readonly Row[]; // the columns named
    for (const row of scores)
      of(row).scores.push({ name: String(row['name']), value: Number(row['mean']) });
    const reviewers = (await counting(connection, some)
      .select('i.queue_id', 'f.author', { items: db.raw('count(distinct i.item_id)') })
      .groupBy('i.queue_id', 'f.author')
      .orderBy(['i.queue_id', 'f.author'])) as readonly Row[]; // the columns named
    for (const row of reviewers)
      of(row).reviewers.push({ user: String(row['author']), items: Number(row['items']) });
  }
  return found;
};

export const annotationQueueStore = (connection: Connection): AnnotationQueueStore => {
  const { db, dialect } = connection;
  const findMany = async (
    workspaceId: string,
    ids: readonly string[],
  ): Promise<readonly FoundQueue[]> => {
    const wanted = ids.filter(isId);
    if (wanted.length === 0) return [];
    const rows = (await standing(db)
      .select(...foundColumns)
      .where('q.workspace_id', workspaceId)
      .whereIn('q.id', wanted)
      .orderBy('q.id')) as readonly Row[]; // the columns named
    return rows.map(toFound);
  };
  return {
    insert: (queues) =>
      inTransaction(connection, (inside) =>
        refuseTaken(
          dialect,
          'annotation queue already exists',
          inside.db('annotation_queues').insert(queues.map(toRow)),
        ),
      ),
    async find(workspaceId, id) {
      const [found] = await findMany(workspaceId, [id]);
      return found;
    },
    findMany,
    async list(listing) {
      const [counted] = (await listed(connection, listing).count({ n: '*' })) as readonly Row[]; // one row of one column
      const rows = (await listed(connection, listing)
        .select(...foundColumns)
        .modify(ordered(dialect, sources, listing.orders, 'q.id desc'))
        .offset(listing.offset)
        .limit(listing.limit)) as readonly Row[]; // the columns named
      return { total: Number(counted?.['n'] ?? 0), content: rows.map(toFound) };
    },
    change: (workspaceId, id, decide) =>
      inTransaction(connection, async (inside) => {
        if (!isId(id)) return false;
        const one = { workspace_id: workspaceId, id };
        const row = (await inside
          .db('annotation_queues as q')
          .select(...columns)
          .where({ 'q.workspace_id': workspaceId, 'q.id': id })
          .forUpdate()
          .first()) as Row | undefined; // the columns named
        if (row === undefined) return false;
        await inside
          .db('annotation_queues')
          .where(one)
          .update(changeRow(decide(toQueue(row))));
        return true;
      }),
    async remove(workspaceId, ids) {
      for (const { id, projectId } of await findMany(workspaceId, ids)) {
        await removeItemsOf(connection, { id, projectId });
        await db('annotation_queues').where({ workspace_id: workspaceId, id }).delete();
      }
    },
    async findNameInUse(workspaceId, names) {
      for (let from = 0; from < names.length; from += namesAtOnce) {
        const some = names.slice(from, from + namesAtOnce);
        const { sql, bindings } = either(
          ...some.map((value) =>
            filterBy(
              [{ field: 'feedback_definition_names', is: 'list', operator: 'equals', value }],
              sources,
              dialect,
            ),
          ),
        );
        const row = (await standing(db)
          .select('q.definition_names')
          .where('q.workspace_id', workspaceId)
          .whereRaw(sql, bindings as never) // knex types no lists that cannot be changed
          .first()) as Row | undefined; // the column named
        const used =
          row === undefined ? [] : (jsonIn<readonly string[]>(row, 'definition_names') ?? []);
        const found = some.find((name) => used.includes(name));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    progress: (queues) => progressOf(connection, queues),
    async listAutomated(projectId, scope) {
      const rows = (await db('annotation_queues as q')
        .select(...columns)
        .where({ 'q.project_id': projectId, 'q.automated': true, 'q.scope': scope })
        .orderBy('q.id')
        .limit(mostAutomated)) as readonly Row[]; // the columns named
      return rows.map(toQueue);
    },
    ...queueItemStore(connection),
  };
};
