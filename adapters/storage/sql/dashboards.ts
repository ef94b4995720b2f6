import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { ChartDashboard, DashboardScope, DashboardType } from '#ports/model/dashboards';
import {
  mostDashboards,
  type DashboardListing,
  type DashboardStore,
} from '#ports/storage/dashboards';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { whereHolds, inTransaction, keyOf, type Connection } from './connection.js';
import { filtered, pageOf } from './field-listing.js';
import { idField, numberField, textField, type FieldSources } from './field-query.js';
import { isId } from './ids.js';
import { requireRoomFor } from './workspace-lock.js';

const columns = [
  'workspace_id',
  'id',
  'project_id',
  'scope',
  'name',
  'slug',
  'type',
  'description',
  'config',
  ...authorshipColumns,
];

const toDashboard = (row: Row): ChartDashboard => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  projectId: textIn(row, 'project_id'),
  scope: String(row['scope']) as DashboardScope, // as it was written
  name: String(row['name']),
  slug: String(row['slug']),
  type: String(row['type']) as DashboardType, // as it was written
  description: textIn(row, 'description'),
  config: String(row['config']),
  ...toAuthorship(row),
});

/** What is unique: the name in its project, or among those of the workspace alone. */
const nameKey = ({
  workspaceId,
  scope,
  projectId,
  name,
}: Pick<ChartDashboard, 'workspaceId' | 'scope' | 'projectId' | 'name'>): string =>
  keyOf(workspaceId, scope, projectId ?? '', name);

const requireFree = async (db: Knex, nameKey: string, ownId: string): Promise<void> => {
  const held = (await db('dashboards').select('id').where({ name_key: nameKey }).first()) as
    Row | undefined; // the column named
  if (held !== undefined && String(held['id']) !== ownId)
    throw new Failure('conflict', 'Dashboard with this name already exists');
};

/** Numbers that are tried where a slug with a number is another name's slug already. */
const slugTries = 100;

/** The first slug of its stem that is free: `costs`, `costs-2`, `costs-3`. */
const slugColumns = async (db: Knex, workspaceId: string, stem: string): Promise<Row> => {
  const [highest] = (await db('dashboards')
    .where({ workspace_id: workspaceId, slug_stem: stem })
    .max({ n: 'slug_number' })) as readonly Row[]; // one row of one column
  const first = Number(highest?.['n'] ?? 0) + 1;
  for (let number = first; number < first + slugTries; number++) {
    const slug = number === 1 ? stem : `${stem}-${number}`;
    const held = (await db('dashboards')
      .select('id')
      .where({ workspace_id: workspaceId, slug })
      .first()) as Row | undefined; // the column named
    if (held === undefined) return { slug_stem: stem, slug_number: number, slug };
  }
  throw new Failure('conflict', `no slug like ${stem} is free`);
};

const few = { table: 'dashboards', most: mostDashboards, called: 'dashboards' } as const;

const sources: FieldSources = {
  id: idField('id'),
  name: textField('name'),
  type: textField('type'),
  scope: textField('scope'),
  created_by: textField('created_by'),
  last_updated_by: textField('last_updated_by'),
  created_at: numberField('created_at'),
  last_updated_at: numberField('last_updated_at'),
};

const listed = (
  { db, dialect }: Connection,
  { workspaceId, scope, projectId, name, filters }: DashboardListing,
): Knex.QueryBuilder => {
  const query = db('dashboards').where({ workspace_id: workspaceId, scope });
  if (projectId !== undefined) query.where({ project_id: projectId });
  if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'name'));
  return query.modify(filtered(dialect, sources, filters));
};

export const dashboardStore = (connection: Connection): DashboardStore => {
  const { db, dialect } = connection;
  const read = async (inside: Knex, one: Readonly<Record<string, string>>) => {
    const row = (await inside('dashboards')
      .select(...columns)
      .where(one)
      .first()) as Row | undefined; // the columns named
    return row === undefined ? undefined : toDashboard(row);
  };
  return {
    insert: (dashboard) =>
      inTransaction(
        connection,
        async ({ db: inside }) => {
          const { workspaceId, id } = dashboard;
          await requireRoomFor({ db: inside }, workspaceId, few);
          if ((await read(inside, { workspace_id: workspaceId, id })) !== undefined)
            throw new Failure('conflict', 'Dashboard already exists');
          await requireFree(inside, nameKey(dashboard), id);
          const slug = await slugColumns(inside, workspaceId, dashboard.slug);
          await inside('dashboards').insert({
            workspace_id: workspaceId,
            id,
            project_id: dashboard.projectId ?? null,
            scope: dashboard.scope,
            name: dashboard.name,
            name_key: nameKey(dashboard),
            ...slug,
            type: dashboard.type,
            description: dashboard.description ?? null,
            config: dashboard.config,
            ...authorshipRow(dashboard),
          });
          return { ...dashboard, slug: String(slug['slug']) };
        },
        { overtaken: true },
      ),
    find: async (workspaceId, scope, id) =>
      isId(id) ? read(db, { workspace_id: workspaceId, id, scope }) : undefined,
    list: (listing) =>
      pageOf(connection, listing, {
        ...{ sources, bytes: 'octet_length(config)' },
        selected: () => listed(connection, listing),
        read: async (ids) => {
          const rows = (await db('dashboards')
            .select(...columns)
            .where({ workspace_id: listing.workspaceId })
            .modify(dialect.among('id', 'id', ids))) as readonly Row[]; // the columns named
          return rows.map(toDashboard);
        },
      }),
    update: (workspaceId, scope, id, { slug, ...change }) =>
      inTransaction(
        connection,
        async ({ db: inside }) => {
          if (!isId(id)) return undefined;
          const one = { workspace_id: workspaceId, id, scope };
          const held = (await inside('dashboards')
            .select(...columns, 'slug_stem')
            .where(one)
            .forUpdate()
            .first()) as Row | undefined; // the columns named
          if (held === undefined) return undefined;
          const key = nameKey({ ...toDashboard(held), name: change.name ?? String(held['name']) });
          await requireFree(inside, key, id);
          await inside('dashboards')
            .where(one)
            .update({
              ...changedColumns(change, {
                name: 'name',
                type: 'type',
                description: 'description',
                config: 'config',
              }),
              name_key: key,
              ...(slug === undefined || slug === String(held['slug_stem'])
                ? {}
                : await slugColumns(inside, workspaceId, slug)),
              ...touchRow(change),
            });
          return read(inside, one);
        },
        { overtaken: true },
      ),
    async remove(workspaceId, scope, ids) {
      await db('dashboards')
        .where({ workspace_id: workspaceId, scope })
        .whereIn('id', ids.filter(isId))
        .delete();
    },
  };
};
