import type { SavedView, SavedViewType } from '#ports/model/saved-views';
import type { ListedView, SavedViewStore } from '#ports/storage/saved-views';
import { inTransaction, isTrue, type Connection } from './connection.js';
import { isId } from './ids.js';

interface ListedRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly project_public: unknown;
  readonly type: SavedViewType;
  readonly name: string;
  readonly shared: unknown;
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly version: unknown;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}
interface ViewRow extends ListedRow {
  readonly content: string;
}

const toListed = (row: ListedRow): ListedView => ({
  id: row.id,
  workspaceId: row.workspace_id,
  projectId: row.project_id,
  projectPublic: isTrue(row.project_public),
  type: row.type,
  name: row.name,
  shared: isTrue(row.shared),
  ownerId: row.owner_id,
  ownerName: row.owner_name ?? '',
  version: Number(row.version),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
const toView = (row: ViewRow): SavedView => ({ ...toListed(row), content: row.content });

const columns = [
  'v.id',
  'p.workspace_id',
  'v.project_id',
  { project_public: 'p.public' },
  'v.type',
  'v.name',
  'v.shared',
  'v.owner_id',
  { owner_name: 'u.name' },
  'v.version',
  'v.created_at',
  'v.updated_at',
] as const;

/** The key of a default that is everybody's. */
const everybody = 'everybody';

export const savedViewStore = (connection: Connection): SavedViewStore => {
  const { db } = connection;
  const from = () =>
    db('saved_views as v')
      .join('projects as p', 'p.id', 'v.project_id')
      .leftJoin('users as u', 'u.id', 'v.owner_id')
      .whereNull('p.deleted_at');
  return {
    async insert(view) {
      await db('saved_views').insert({
        id: view.id,
        project_id: view.projectId,
        type: view.type,
        name: view.name,
        shared: view.shared,
        owner_id: view.ownerId,
        content: view.content,
        version: 1,
        created_at: view.createdAt,
        updated_at: view.createdAt,
      });
    },
    async find(id) {
      const row = isId(id)
        ? await from()
            .where('v.id', id)
            .select(...columns, 'v.content')
            .first<ViewRow | undefined>()
        : undefined;
      return row === undefined ? undefined : toView(row);
    },
    async list({ projectId, type, userId, limit }) {
      const rows = (await from()
        .where({ 'v.project_id': projectId, 'v.type': type })
        .where((open) => open.where('v.shared', true).orWhere('v.owner_id', userId))
        .orderBy(['v.name', 'v.id'])
        .limit(limit)
        .select(...columns)) as readonly ListedRow[]; // the columns named
      return rows.map(toListed);
    },
    async count(projectId) {
      const [row] = await db('saved_views').where({ project_id: projectId }).count({ n: '*' });
      return Number(row?.['n'] ?? 0);
    },
    async update(id, version, { name, shared, content, updatedAt }) {
      if (!isId(id)) return false;
      return (
        (await db('saved_views')
          .where({ id, version })
          .update({
            version: version + 1,
            updated_at: updatedAt,
            ...(name === undefined ? {} : { name }),
            ...(shared === undefined ? {} : { shared }),
            ...(content === undefined ? {} : { content }),
          })) > 0
      );
    },
    async remove(id) {
      if (!isId(id)) return false;
      return inTransaction(connection, async (inside) => {
        await inside.db('saved_view_defaults').where({ view_id: id }).delete();
        return (await inside.db('saved_views').where({ id }).delete()) > 0;
      });
    },
    async setDefault({ projectId, type }, userId = everybody, viewId) {
      const place = { project_id: projectId, type, for_user: userId };
      if (viewId === undefined) await db('saved_view_defaults').where(place).delete();
      else
        await db('saved_view_defaults')
          .insert({ ...place, view_id: viewId })
          .onConflict(['project_id', 'type', 'for_user'])
          .merge(['view_id']);
    },
    async findDefaults({ projectId, type }, userId) {
      const rows = (await db('saved_view_defaults as d')
        .join('saved_views as v', 'v.id', 'd.view_id')
        .where({ 'd.project_id': projectId, 'd.type': type })
        .whereIn('d.for_user', [everybody, userId])
        .where((open) => open.where('v.shared', true).orWhere('v.owner_id', userId))
        .select('d.for_user', 'd.view_id')) as readonly {
        readonly for_user: string;
        readonly view_id: string;
      }[]; // the columns named
      const of = (user: string) => rows.find((row) => row.for_user === user)?.view_id;
      return { everybody: of(everybody), own: of(userId) };
    },
  };
};
