import type { Knex } from 'knex';
import type { Project, ProjectKind } from '#ports/model/projects';
import type { ProjectProduct, ProjectStore } from '#ports/storage/projects';
import { readFigures, type FigureMemory } from './project-figures.js';
import { requireWorkspace } from './workspace-lock.js';
import {
  whereHolds,
  inTransaction,
  isTrue,
  keyOf,
  orNothing,
  refuseTaken,
  wholeOrNothing,
  type Connection,
} from './connection.js';
import { idField, numberField, orderBy, textField, type FieldSources } from './field-query.js';

interface ProjectRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly name: string;
  readonly description: string | null;
  readonly public: unknown;
  readonly kind: ProjectKind;
  readonly owner_id: string;
  readonly owner_name: string | null;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}

const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  name: row.name,
  description: orNothing(row.description),
  public: isTrue(row.public),
  kind: row.kind,
  ownerId: row.owner_id,
  ownerUserName: row.owner_name ?? '',
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Things of a workspace that are made version by version, and the columns that say of what and by which experiment. */
const products = [
  {
    kind: 'artifact',
    table: 'artifacts',
    versions: 'artifact_versions',
    of: 'artifact_id',
    maker: 'experiment_id',
  },
  {
    kind: 'model',
    table: 'registry_models',
    versions: 'registry_versions',
    of: 'model_id',
    maker: 'source_id',
  },
] as const;

/** When the newest trace of a project was changed. */
const newestTraceOf =
  '(select t.last_updated_at from traces t where t.project_id = projects.id order by t.id desc limit 1)';

const sortSources: FieldSources = {
  id: idField('projects.id'),
  name: textField('projects.name'),
  description: textField('projects.description'),
  created_at: numberField('projects.created_at'),
  last_updated_at: numberField('projects.updated_at'),
  created_by: textField('users.name'),
  last_updated_by: textField('users.name'),
  last_updated_trace_at: numberField(newestTraceOf),
};

export const projectStore = (connection: Connection, memory: FigureMemory): ProjectStore => {
  const { db, dialect } = connection;
  const select = () =>
    db('projects')
      .join('workspaces', 'workspaces.id', 'projects.workspace_id')
      .leftJoin('users', 'users.id', 'projects.owner_id')
      .whereNull('projects.deleted_at')
      .select(
        'projects.id',
        'projects.workspace_id',
        { workspace_name: 'workspaces.name' },
        'projects.name',
        'projects.description',
        'projects.public',
        'projects.kind',
        'projects.owner_id',
        { owner_name: 'users.name' },
        'projects.created_at',
        'projects.updated_at',
      );
  const live = (id: string) => db('projects').where({ id }).whereNull('deleted_at');
  const taken = (name: string) => `the workspace has a project ${name.slice(0, 100)} already`;

  return {
    insert: (project) =>
      inTransaction(connection, async (inside) => {
        await requireWorkspace(inside, project.workspaceId);
        await refuseTaken(
          dialect,
          taken(project.name),
          inside.db('projects').insert({
            id: project.id,
            workspace_id: project.workspaceId,
            name: project.name,
            name_key: keyOf(project.workspaceId, project.name),
            description: project.description ?? null,
            public: project.public,
            kind: project.kind,
            owner_id: project.ownerId,
            created_at: project.createdAt,
            updated_at: project.createdAt,
          }),
        );
      }),
    async findById(id) {
      const row = isId(id)
        ? await select().where('projects.id', id).first<ProjectRow | undefined>()
        : undefined;
      return row === undefined ? undefined : toProject(row);
    },
    async findByName(workspaceId, name) {
      const row = await select()
        .where('projects.name_key', keyOf(workspaceId, name))
        .first<ProjectRow | undefined>();
      return row === undefined ? undefined : toProject(row);
    },
    async findByFoldedName(workspaceId, name) {
      const row = await select()
        .where('projects.workspace_id', workspaceId)
        .whereRaw(`${dialect.lower('trim(projects.name)')} = ${dialect.lower('?')}`, [name.trim()])
        .orderBy(['projects.created_at', 'projects.id'])
        .first<ProjectRow | undefined>();
      return row === undefined ? undefined : toProject(row);
    },
    async page({ workspaceId, name, orders, page, size }) {
      const among = () => {
        const query = select().where('projects.workspace_id', workspaceId);
        return name === undefined
          ? query
          : query.modify(whereHolds(dialect, name, 'projects.name'));
      };
      const by = orderBy(orders, sortSources, 'projects.id desc', dialect);
      const [rows, [counted]] = await Promise.all([
        among()
          .select({ last_trace_at: db.raw(newestTraceOf) })
          .orderByRaw(by.sql, [...by.bindings] as Knex.Value[]) // values of claims are texts and numbers
          .offset((page - 1) * size)
          .limit(size) as Promise<readonly (ProjectRow & { readonly last_trace_at: unknown })[]>, // the columns named above
        among().clearSelect().count({ n: '*' }),
      ]);
      return {
        page,
        size,
        total: Number(counted?.['n'] ?? 0),
        content: rows.map((row) => ({
          ...toProject(row),
          lastTraceAt: wholeOrNothing(row.last_trace_at),
        })),
      };
    },
    async listTraceTimes(ids) {
      if (ids.length === 0) return new Map();
      const rows = (await db('projects')
        .select('projects.id', { at: db.raw(newestTraceOf) })
        .whereIn('projects.id', [...ids])) as readonly {
        readonly id: string;
        readonly at: unknown;
      }[]; // the columns named
      return new Map(
        rows.flatMap(({ id, at }) => {
          const time = wholeOrNothing(at);
          return time === undefined ? [] : [[id, time] as const];
        }),
      );
    },
    async listByWorkspace(workspaceId) {
      const rows = (await select()
        .where('projects.workspace_id', workspaceId)
        .orderBy('projects.created_at')) as readonly ProjectRow[]; // the columns named above
      return rows.map(toProject).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    },
    figures: (projectIds) => readFigures(connection, memory, projectIds),
    update: (id, change) =>
      inTransaction(connection, async ({ db: inside }) => {
        const row = await inside('projects')
          .where({ id })
          .whereNull('deleted_at')
          .select('workspace_id')
          .first<{ readonly workspace_id: string } | undefined>();
        if (row === undefined) return false;
        await refuseTaken(
          dialect,
          taken(change.name ?? ''),
          inside('projects')
            .where({ id })
            .update({
              updated_at: change.updatedAt,
              ...(change.name === undefined
                ? {}
                : { name: change.name, name_key: keyOf(row.workspace_id, change.name) }),
              ...(change.description === undefined ? {} : { description: change.description }),
              ...(change.public === undefined ? {} : { public: change.public }),
              ...(change.ownerId === undefined ? {} : { owner_id: change.ownerId }),
            }),
        );
        return true;
      }),
    lock: async (id) => (await live(id).select('id').forUpdate().first()) !== undefined,
    async markDeleted(id, at, { keepsExperiments = false } = {}) {
      return (
        (await live(id).update({
          deleted_at: at,
          name_key: id,
          keeps_experiments: keepsExperiments,
        })) > 0
      );
    },
    moveToWorkspace: (id, workspaceId, at) =>
      inTransaction(connection, async (inside) => {
        await requireWorkspace(inside, workspaceId);
        const row = await inside
          .db('projects')
          .where({ id })
          .whereNull('deleted_at')
          .select('name')
          .forUpdate()
          .first<{ readonly name: string } | undefined>();
        if (row === undefined) return false;
        await refuseTaken(
          dialect,
          taken(row.name),
          inside
            .db('projects')
            .where({ id })
            .update({
              workspace_id: workspaceId,
              name_key: keyOf(workspaceId, row.name),
              updated_at: at,
            }),
        );
        await inside
          .db('experiments')
          .where({ project_id: id })
          .update({ workspace_id: workspaceId });
        await inside
          .db('moved_projects')
          .insert({ project_id: id, at })
          .onConflict('project_id')
          .merge(['at']);
        return true;
      }),
    async listProducts(id, limit) {
      const found: ProjectProduct[] = [];
      for (const { kind, table, versions, of, maker } of products) {
        const made = (where: 'in' | 'not in') =>
          db(`${versions} as v`)
            .join('experiments as e', 'e.id', `v.${maker}`)
            .whereRaw('?? = ??', [`v.${of}`, 't.id'])
            .whereNull('v.deleted_at')
            .whereRaw(where === 'in' ? 'e.project_id = ?' : 'e.project_id <> ?', [id]);
        const rows = (await db(`${table} as t`)
          .join('projects as p', 'p.workspace_id', 't.workspace_id')
          .where('p.id', id)
          .whereNull('p.deleted_at')
          .whereNull('t.deleted_at')
          .whereExists(made('in').select(db.raw('1')))
          .orderBy('t.id')
          .limit(limit)
          .select('t.id', 't.name', { elsewhere: made('not in').count('*') })) as readonly {
          readonly id: string;
          readonly name: string;
          readonly elsewhere: unknown;
        }[]; // the columns named
        found.push(
          ...rows.map((row) => ({
            kind,
            id: row.id,
            name: row.name,
            shared: Number(row.elsewhere) > 0,
          })),
        );
      }
      return found;
    },
    async readNotes(id) {
      const row = await live(id)
        .select('notes')
        .first<{ readonly notes: string | null } | undefined>();
      return row?.notes ?? '';
    },
    async writeNotes(id, notes) {
      await live(id).update({ notes });
    },
    async insertShareCode(id, code, at) {
      await db('share_codes').insert({ project_id: id, code, created_at: at });
    },
    async removeShareCode(id, code) {
      return (await db('share_codes').where({ project_id: id, code }).delete()) > 0;
    },
    async findByShareCode(code) {
      const row = await select()
        .join('share_codes', 'share_codes.project_id', 'projects.id')
        .where('share_codes.code', code)
        .orderBy('share_codes.created_at')
        .first<ProjectRow | undefined>();
      return row === undefined ? undefined : toProject(row);
    },
    async listShareCodes(id) {
      const rows = (await db('share_codes')
        .select('code')
        .where({ project_id: id })
        .orderBy(['created_at', 'code'])
        .limit(10_000)) as readonly { readonly code: string }[]; // the column named above
      return rows.map((row) => row.code);
    },
    async readInstanceStore(id, instanceId) {
      const row = await db('instance_stores')
        .select('content')
        .where({ project_id: id, instance_key: keyOf(instanceId) })
        .first<{ readonly content: string } | undefined>();
      return row?.content;
    },
    async writeInstanceStore(id, instanceId, content) {
      await db('instance_stores')
        .insert({ project_id: id, instance_key: keyOf(instanceId), content })
        .onConflict(['project_id', 'instance_key'])
        .merge(['content']);
    },
  };
};
