import type { Knex } from 'knex';
import type { Workspace } from '#ports/model/workspaces';
import type { Orphan, WorkspaceStore } from '#ports/storage/workspaces';
import {
  whereHolds,
  inTransaction,
  keyOf,
  refuseTaken,
  wholeOrNothing,
  type Connection,
} from './connection.js';
import { lockWorkspace } from './workspace-lock.js';
import { datasetStore } from './datasets.js';
import { evaluationStore } from './evaluations.js';
import { libraryPromptStore } from './library-prompts.js';
import { optimizationStore } from './optimizations.js';

interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly created_at: unknown;
  readonly experiments_limit: unknown;
  readonly storage_limit: unknown;
}
const columns = [
  'id',
  'name',
  'owner_id',
  'created_at',
  'experiments_limit',
  'storage_limit',
] as const;
/** Only those that are set, so that most workspaces look as they always did. */
const limitsOf = (row: WorkspaceRow): Pick<Workspace, 'experimentsLimit' | 'storageLimit'> => {
  const [experimentsLimit, storageLimit] = [
    wholeOrNothing(row.experiments_limit),
    wholeOrNothing(row.storage_limit),
  ];
  return {
    ...(experimentsLimit === undefined ? {} : { experimentsLimit }),
    ...(storageLimit === undefined ? {} : { storageLimit }),
  };
};
const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  name: row.name,
  ownerId: row.owner_id,
  createdAt: Number(row.created_at),
  ...limitsOf(row),
});

/** What somebody would miss: a workspace that holds any of it is not deleted. */
const missed = ['projects', 'artifacts', 'registry_models'] as const;
const holdsSomething = async ({ db }: Connection, workspace_id: string): Promise<boolean> => {
  const found = await Promise.all(
    missed.map((table) =>
      db(table)
        .select('id')
        .where({ workspace_id })
        .whereNull('deleted_at')
        .first<{ readonly id: string } | undefined>(),
    ),
  );
  if (found.some((row) => row !== undefined)) return true;
  for (const table of missedRecords)
    if ((await db(table).select('id').where({ workspace_id }).first()) !== undefined) return true;
  return false;
};
/** What somebody would miss as well, of which nothing is only marked. */
const missedRecords = ['datasets', 'evaluations', 'library_prompts', 'optimizations'] as const;
/** What is of the workspace alone, and goes with it. */
const own = [
  'members',
  'tickets',
  'panels',
  'channels',
  'optimizers',
  'artifact_numbers',
  'environments',
  'provider_keys',
  'retention_rules',
  'dashboards',
  'saved_queries',
  'policies_of_guardrails',
  'alerts',
  'automation_rules',
  'alert_events',
  'alert_firings',
  'feedback_definitions',
  'workspace_configurations',
] as const;

/** Records of one statement. */
const recordsAtOnce = 1000;
/** Deletes the records of a workspace that somebody would miss, each as its own store does. */
const removeRecordsOf = async (inside: Connection, workspaceId: string, at: number) => {
  const remove = {
    datasets: (ids: readonly string[]) => datasetStore(inside).remove(workspaceId, ids, at),
    evaluations: (ids: readonly string[]) => evaluationStore(inside).remove(workspaceId, ids, at),
    library_prompts: (ids: readonly string[]) =>
      libraryPromptStore(inside).remove(workspaceId, ids),
    optimizations: (ids: readonly string[]) => optimizationStore(inside).remove(workspaceId, ids),
  } as const;
  for (const table of missedRecords)
    for (let count = recordsAtOnce; count === recordsAtOnce;) {
      const rows = (await inside
        .db(table)
        .select('id')
        .where({ workspace_id: workspaceId })
        .orderBy('id')
        .limit(recordsAtOnce)) as readonly { readonly id: string }[]; // the column named
      if (rows.length > 0) await remove[table](rows.map(({ id }) => id));
      count = rows.length;
    }
};

const ofWorkspace = {
  key: 'id',
  owner: 'workspace_id',
  owners: 'workspaces',
  deletes: true,
} as const;
/** What belongs to something else, and by which columns; `deletes` says that it is marked before it goes. */
const belongings = [
  { kind: 'project', table: 'projects', ...ofWorkspace },
  { kind: 'artifact', table: 'artifacts', ...ofWorkspace },
  { kind: 'registered model', table: 'registry_models', ...ofWorkspace },
  {
    kind: 'experiment',
    table: 'experiments',
    key: 'id',
    owner: 'project_id',
    owners: 'projects',
    deletes: true,
  },
  {
    kind: 'asset',
    table: 'assets',
    key: 'id',
    owner: 'experiment_id',
    owners: 'experiments',
    deletes: false,
  },
] as const;

/** About what one point of a metric, and what one value beside its text, takes on disk. */
const [pointBytes, valueBytes] = [40, 200];

export const workspaceStore = (connection: Connection): WorkspaceStore => {
  const { db, dialect } = connection;
  const find = async (where: Readonly<Record<string, string>>): Promise<Workspace | undefined> => {
    const row = await db('workspaces')
      .select(...columns)
      .where(where)
      .first<WorkspaceRow | undefined>();
    return row === undefined ? undefined : toWorkspace(row);
  };
  return {
    insert: ({ id, name, ownerId, createdAt, experimentsLimit, storageLimit }) =>
      refuseTaken(
        dialect,
        `workspace ${name} exists already`,
        db('workspaces').insert({
          id,
          name,
          name_key: keyOf(name),
          owner_id: ownerId,
          created_at: createdAt,
          experiments_limit: experimentsLimit ?? null,
          storage_limit: storageLimit ?? null,
        }),
      ),
    findById: (id) => find({ id }),
    findByName: (name) => find({ name_key: keyOf(name) }),
    async update(id, { name, ownerId, ...limits }) {
      const set = {
        ...(name === undefined ? {} : { name, name_key: keyOf(name) }),
        ...(ownerId === undefined ? {} : { owner_id: ownerId }),
        ...('experimentsLimit' in limits
          ? { experiments_limit: limits.experimentsLimit ?? null }
          : {}),
        ...('storageLimit' in limits ? { storage_limit: limits.storageLimit ?? null } : {}),
      };
      if (Object.keys(set).length > 0)
        await refuseTaken(
          dialect,
          `workspace ${name ?? ''} exists already`,
          db('workspaces').where({ id }).update(set),
        );
      return (await find({ id })) !== undefined;
    },
    async figures(id) {
      const projects = db('projects')
        .select('id')
        .where({ workspace_id: id })
        .whereNull('deleted_at');
      const held = db('experiments')
        .select('id')
        .whereIn('project_id', projects)
        .whereNull('deleted_at');
      const sum = async (rows: Knex.QueryBuilder, expression: string): Promise<number> => {
        const [row] = (await rows.select({
          n: db.raw(`coalesce(sum(${expression}), 0)`),
        })) as readonly { readonly n: unknown }[]; // one row of one column
        return Number(row?.n ?? 0);
      };
      const of = (table: string) => db(table).whereIn(`${table}.experiment_id`, held.clone());
      const [experiments] = await db('experiments')
        .whereIn('project_id', projects)
        .whereNull('deleted_at')
        .count({ n: '*' });
      const bytes = [
        await sum(of('assets'), 'file_size'),
        await sum(
          db('direct_parts').whereIn('upload_id', of('direct_uploads').select('id')),
          'size',
        ),
        await sum(of('texts'), 'bytes'),
        await sum(of('experiment_values'), `length(text) + ${valueBytes}`),
        await sum(of('series'), `n * ${pointBytes}`),
      ];
      return {
        experiments: Number(experiments?.n ?? 0),
        bytes: bytes.reduce((all, one) => all + one, 0),
      };
    },
    lock: async (id) => ((await lockWorkspace({ db }, id)) ? find({ id }) : undefined),
    removeEmpty: (id) =>
      inTransaction(connection, async (inside) => {
        if (!(await lockWorkspace(inside, id)) || (await holdsSomething(inside, id))) return false;
        await inside
          .db('optimizer_trials')
          .whereIn('optimizer_id', inside.db('optimizers').select('id').where({ workspace_id: id }))
          .delete();
        for (const table of own) await inside.db(table).where({ workspace_id: id }).delete();
        await inside.db('workspaces').where({ id }).delete();
        return true;
      }),
    markContentsDeleted: (id, at) =>
      inTransaction(connection, async (inside) => {
        await lockWorkspace(inside, id);
        const live = (table: (typeof missed)[number]) =>
          inside.db(table).where({ workspace_id: id }).whereNull('deleted_at');
        // The queue of the registry first, while its models are still told from those that were deleted before.
        await inside.db.raw(
          'insert into registry_removals (id, at) select id, ? from registry_models where workspace_id = ? and deleted_at is null',
          [at, id],
        );
        for (const table of missed)
          await live(table).update({
            deleted_at: at,
            name_key: inside.db.raw(dialect.idAsText('id')),
          });
        await removeRecordsOf(inside, id, at);
      }),
    async listOrphans(limit) {
      const found: Orphan[] = [];
      for (const { kind, table, key, owner, owners, deletes } of belongings) {
        const rows = (await db(`${table} as t`)
          .leftJoin(`${owners} as o`, 'o.id', `t.${owner}`)
          .whereNull('o.id')
          .modify((live) => {
            if (deletes) live.whereNull('t.deleted_at');
          })
          .orderBy([`t.${owner}`, `t.${key}`])
          .limit(limit)
          .select({ id: `t.${key}`, owner: `t.${owner}` })) as readonly {
          readonly id: string;
          readonly owner: string;
        }[]; // the columns named
        found.push(...rows.map((row) => ({ kind, id: row.id, ownerId: row.owner })));
      }
      return found;
    },
    async page({ search, after, limit }) {
      const rows = (await db('workspaces')
        .select(...columns)
        .orderBy('name')
        .limit(limit)
        .modify((some) => {
          if (after !== undefined) void some.where('name', '>', after);
          if (search !== undefined) void some.modify(whereHolds(dialect, search, 'name'));
        })) as readonly WorkspaceRow[]; // the columns named above
      const counts =
        rows.length === 0
          ? []
          : ((await db('members')
              .select('workspace_id')
              .count({ n: '*' })
              .whereIn(
                'workspace_id',
                rows.map((row) => row.id),
              )
              .groupBy('workspace_id')) as readonly {
              readonly workspace_id: string;
              readonly n: unknown;
            }[]); // the columns just named
      const members = new Map(counts.map((row) => [row.workspace_id, Number(row.n)]));
      return rows.map((row) => ({ ...toWorkspace(row), members: members.get(row.id) ?? 0 }));
    },
    async listByIds(ids) {
      if (ids.length === 0) return [];
      return (
        (await db('workspaces')
          .select(...columns)
          .whereIn('id', ids)
          .orderBy('name')) as readonly WorkspaceRow[]
      ).map(toWorkspace); // the columns named above
    },
    async listAll() {
      return (
        (await db('workspaces')
          .select(...columns)
          .orderBy('name')) as readonly WorkspaceRow[]
      ).map(toWorkspace); // the columns named above
    },
  };
};
