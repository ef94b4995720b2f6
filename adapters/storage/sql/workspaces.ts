import type { Workspace } from '#ports/model/workspaces';
import type { WorkspaceStore } from '#ports/storage/workspaces';
import { containing, keyOf, refuseTaken, wholeOrNothing, type Connection } from './connection.js';

interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly created_at: unknown;
  readonly experiments_limit: unknown;
  readonly storage_limit: unknown;
}
const columns = ['id', 'name', 'owner_id', 'created_at', 'experiments_limit', 'storage_limit'] as const;
/** Only those that are set, so that most workspaces look as they always did. */
const limitsOf = (row: WorkspaceRow): Pick<Workspace, 'experimentsLimit' | 'storageLimit'> => {
  const [experimentsLimit, storageLimit] = [wholeOrNothing(row.experiments_limit), wholeOrNothing(row.storage_limit)];
  return { ...(experimentsLimit === undefined ? {} : { experimentsLimit }), ...(storageLimit === undefined ? {} : { storageLimit }) };
};
const toWorkspace = (row: WorkspaceRow): Workspace => ({ id: row.id, name: row.name, ownerId: row.owner_id, createdAt: Number(row.created_at), ...limitsOf(row) });

export const workspaceStore = ({ db, dialect }: Connection): WorkspaceStore => {
  const find = async (where: Readonly<Record<string, string>>): Promise<Workspace | undefined> => {
    const row = await db('workspaces').select(...columns).where(where).first<WorkspaceRow | undefined>();
    return row === undefined ? undefined : toWorkspace(row);
  };
  return {
    insert: ({ id, name, ownerId, createdAt, experimentsLimit, storageLimit }) => refuseTaken(dialect, `workspace ${name} exists already`, db('workspaces').insert({ id, name, name_key: keyOf(name), owner_id: ownerId, created_at: createdAt, experiments_limit: experimentsLimit ?? null, storage_limit: storageLimit ?? null })),
    findById: (id) => find({ id }),
    findByName: (name) => find({ name_key: keyOf(name) }),
    async update(id, { name, ownerId, ...limits }) {
      const set = { ...(name === undefined ? {} : { name, name_key: keyOf(name) }), ...(ownerId === undefined ? {} : { owner_id: ownerId }), ...('experimentsLimit' in limits ? { experiments_limit: limits.experimentsLimit ?? null } : {}), ...('storageLimit' in limits ? { storage_limit: limits.storageLimit ?? null } : {}) };
      if (Object.keys(set).length > 0) await refuseTaken(dialect, `workspace ${name ?? ''} exists already`, db('workspaces').where({ id }).update(set));
      return (await find({ id })) !== undefined;
    },
    async figures(id) {
      const projects = db('projects').select('id').where({ workspace_id: id }).whereNull('deleted_at');
      const [experiments] = await db('experiments').whereIn('project_id', projects).whereNull('deleted_at').count({ n: '*' });
      const [assets] = await db('assets').join('experiments', 'experiments.id', 'assets.experiment_id').whereIn('experiments.project_id', projects).whereNull('experiments.deleted_at').sum({ n: 'assets.file_size' });
      return { experiments: Number(experiments?.n ?? 0), bytes: Number(assets?.['n'] ?? 0) };
    },
    async removeEmpty(id) {
      const gone = await db('workspaces').where({ id }).whereNotExists(db('projects').select('id').where({ workspace_id: id }).whereNull('deleted_at')).delete();
      if (gone > 0) await db('members').where({ workspace_id: id }).delete();
      return gone > 0;
    },
    async page({ search, after, limit }) {
      const rows = await db('workspaces').select(...columns).orderBy('name').limit(limit).modify((some) => {
        if (after !== undefined) void some.where('name', '>', after);
        if (search !== undefined) void some.whereRaw("lower(name) like ? escape '!'", [containing(search)]);
      }) as readonly WorkspaceRow[]; // the columns named above
      const counts = rows.length === 0 ? [] : await db('members').select('workspace_id').count({ n: '*' }).whereIn('workspace_id', rows.map((row) => row.id)).groupBy('workspace_id') as readonly { readonly workspace_id: string; readonly n: unknown }[]; // the columns just named
      const members = new Map(counts.map((row) => [row.workspace_id, Number(row.n)]));
      return rows.map((row) => ({ ...toWorkspace(row), members: members.get(row.id) ?? 0 }));
    },
    async listByIds(ids) {
      if (ids.length === 0) return [];
      return ((await db('workspaces').select(...columns).whereIn('id', ids).orderBy('name')) as readonly WorkspaceRow[]).map(toWorkspace); // the columns named above
    },
    async listAll() {
      return ((await db('workspaces').select(...columns).orderBy('name')) as readonly WorkspaceRow[]).map(toWorkspace); // the columns named above
    },
  };
};
