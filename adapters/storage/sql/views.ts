import type { View, ViewStore } from '#ports/storage/views';
import { orNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

interface ViewRow {
  readonly id: string;
  readonly project_id: string;
  readonly experiment_key: string | null;
  readonly name: string;
  readonly content: string;
  readonly created_by: string;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}

const toView = (row: ViewRow): View => ({
  id: row.id,
  projectId: row.project_id,
  experimentKey: orNothing(row.experiment_key),
  name: row.name,
  content: row.content,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

const most = 10_000;

export const viewStore = ({ db }: Connection): ViewStore => {
  const select = (projectId: string) =>
    db('views')
      .leftJoin('experiments', 'experiments.id', 'views.experiment_id')
      .where('views.project_id', projectId)
      .select(
        'views.id',
        'views.project_id',
        { experiment_key: 'experiments.key' },
        'views.name',
        'views.content',
        'views.created_by',
        'views.created_at',
        'views.updated_at',
      );
  const find: ViewStore['find'] = async (projectId, id) => {
    const row = isId(id)
      ? await select(projectId).where('views.id', id).first<ViewRow | undefined>()
      : undefined;
    return row === undefined ? undefined : toView(row);
  };
  return {
    async insert(view) {
      await db('views').insert({
        id: view.id,
        project_id: view.projectId,
        experiment_id: view.experimentId ?? null,
        name: view.name,
        content: view.content,
        created_by: view.createdBy,
        created_at: view.createdAt,
        updated_at: view.updatedAt,
      });
    },
    async update(projectId, id, { name, content, updatedAt }) {
      if (!isId(id)) return false;
      const changed = await db('views')
        .where({ id, project_id: projectId })
        .update({ name, content, updated_at: updatedAt });
      return (
        changed > 0 ||
        (await db('views').select('id').where({ id, project_id: projectId }).first()) !== undefined
      ); // one engine counts no row whose values stay the same
    },
    async remove(projectId, id) {
      return isId(id) && (await db('views').where({ id, project_id: projectId }).delete()) > 0;
    },
    find,
    async lock(projectId, id) {
      if (isId(id)) await db('views').select('id').where({ id, project_id: projectId }).forUpdate();
      return find(projectId, id);
    },
    async list(projectId, experimentId) {
      const query = select(projectId).orderBy(['views.created_at', 'views.id']).limit(most);
      const rows = (await (experimentId === undefined
        ? query.whereNull('views.experiment_id')
        : query.where('views.experiment_id', experimentId))) as readonly ViewRow[]; // the columns named above
      return rows.map(toView);
    },
  };
};
