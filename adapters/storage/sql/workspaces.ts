import type { Workspace } from '#ports/model/workspaces';
import type { WorkspaceStore } from '#ports/storage/workspaces';
import { keyOf, refuseTaken, type Connection } from './connection.js';

interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly created_at: unknown;
}
const columns = ['id', 'name', 'owner_id', 'created_at'] as const;
const toWorkspace = (row: WorkspaceRow): Workspace => ({ id: row.id, name: row.name, ownerId: row.owner_id, createdAt: Number(row.created_at) });

export const workspaceStore = ({ db, dialect }: Connection): WorkspaceStore => {
  const find = async (where: Readonly<Record<string, string>>): Promise<Workspace | undefined> => {
    const row = await db('workspaces').select(...columns).where(where).first<WorkspaceRow | undefined>();
    return row === undefined ? undefined : toWorkspace(row);
  };
  return {
    insert: ({ id, name, ownerId, createdAt }) => refuseTaken(dialect, `workspace ${name} exists already`, db('workspaces').insert({ id, name, name_key: keyOf(name), owner_id: ownerId, created_at: createdAt })),
    findById: (id) => find({ id }),
    findByName: (name) => find({ name_key: keyOf(name) }),
    async listByIds(ids) {
      if (ids.length === 0) return [];
      return ((await db('workspaces').select(...columns).whereIn('id', ids).orderBy('name')) as readonly WorkspaceRow[]).map(toWorkspace); // the columns named above
    },
    async listAll() {
      return ((await db('workspaces').select(...columns).orderBy('name')) as readonly WorkspaceRow[]).map(toWorkspace); // the columns named above
    },
  };
};
