import type { Knex } from 'knex';
import type { Experiment } from '#ports/model/experiments';
import type { ExperimentChange, ExperimentStore } from '#ports/storage/experiments';
import { inTransaction, isTrue, orNothing, wholeOrNothing, type Connection } from './connection.js';
import { experimentCreator } from './creations.js';
import { moveExperiments, noteNamesIn } from './moving.js';
import { insertAtHome } from './placing.js';
import { addToCounts, readCount, slotOf } from './project-counts.js';
import { withoutHeld } from './queue-faults.js';

interface ExperimentRow {
  readonly id: string;
  readonly key: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly workspace_storage_limit: unknown;
  readonly project_id: string;
  readonly project_name: string;
  readonly user_id: string;
  readonly user_name: string | null;
  readonly name: string;
  readonly optimization_id: string | null;
  readonly file_path: string | null;
  readonly file_name: string | null;
  readonly created_at: unknown;
  readonly start_time: unknown;
  readonly end_time: unknown;
  readonly start_set: unknown;
  readonly end_set: unknown;
  readonly last_seen_at: unknown;
  readonly beat_ms: unknown;
  readonly alive: unknown;
  readonly reports_end: unknown;
  readonly has_crashed: unknown;
  readonly archived: unknown;
  readonly offline: unknown;
  readonly processing: unknown;
  readonly throttle: unknown;
  readonly throttle_message: string | null;
  readonly throttle_reasons: string | null;
}

const own = [
  'id',
  'key',
  'workspace_id',
  'project_id',
  'user_id',
  'name',
  'optimization_id',
  'file_path',
  'file_name',
  'created_at',
  'start_time',
  'end_time',
  'start_set',
  'end_set',
  'last_seen_at',
  'beat_ms',
  'alive',
  'reports_end',
  'has_crashed',
  'archived',
  'offline',
  'processing',
  'throttle',
  'throttle_message',
  'throttle_reasons',
] as const;

const readReasons = (stored: string | null): readonly string[] =>
  stored === null ? [] : (JSON.parse(stored) as string[]); // written by `toColumns` below

const toExperiment = (row: ExperimentRow): Experiment => ({
  id: row.id,
  key: row.key,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  workspaceStorageLimit: wholeOrNothing(row.workspace_storage_limit),
  projectId: row.project_id,
  projectName: row.project_name,
  userId: row.user_id,
  userName: row.user_name ?? '',
  name: row.name,
  optimizationId: orNothing(row.optimization_id),
  filePath: orNothing(row.file_path),
  fileName: orNothing(row.file_name),
  createdAt: Number(row.created_at),
  startTimeMillis: Number(row.start_time),
  endTimeMillis: Number(row.end_time),
  startSet: isTrue(row.start_set),
  endSet: isTrue(row.end_set),
  lastSeenAt: Number(row.last_seen_at),
  beatMs: Number(row.beat_ms),
  alive: isTrue(row.alive),
  reportsEnd: isTrue(row.reports_end),
  hasCrashed: isTrue(row.has_crashed),
  archived: isTrue(row.archived),
  offline: isTrue(row.offline),
  processing: isTrue(row.processing),
  throttle: isTrue(row.throttle),
  throttleMessage: orNothing(row.throttle_message),
  throttleReasons: readReasons(row.throttle_reasons),
});

const toColumns = (change: ExperimentChange): Record<string, unknown> => {
  const columns: Readonly<Record<keyof ExperimentChange, string>> = {
    name: 'name',
    optimizationId: 'optimization_id',
    filePath: 'file_path',
    fileName: 'file_name',
    startTimeMillis: 'start_time',
    endTimeMillis: 'end_time',
    startSet: 'start_set',
    endSet: 'end_set',
    lastSeenAt: 'last_seen_at',
    beatMs: 'beat_ms',
    alive: 'alive',
    reportsEnd: 'reports_end',
    hasCrashed: 'has_crashed',
    archived: 'archived',
    offline: 'offline',
    processing: 'processing',
    gpus: 'gpus',
    throttle: 'throttle',
    throttleMessage: 'throttle_message',
    throttleReasons: 'throttle_reasons',
  };
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      columns[name as keyof ExperimentChange],
      Array.isArray(value) ? JSON.stringify(value) : (value ?? null),
    ]),
  ); // its members are those of the type
};

/** Locks every experiment at home in a project, in the one order in which experiments are locked. */
const lockAtHome = (db: Knex, projectId: string) =>
  db('experiments')
    .select('id', 'deleted_at')
    .where({ project_id: projectId })
    .orderBy('id')
    .forUpdate() as PromiseLike<readonly { readonly deleted_at: unknown }[]>; // the columns named

const sorting = {
  startTime: 'start_time',
  endTime: 'end_time',
  hasCrashed: 'has_crashed',
} as const;

export const experimentStore = (connection: Connection): ExperimentStore => {
  const { db, dialect, clock } = connection;
  const slot = slotOf(connection);
  const select = () =>
    db('experiments')
      .join('projects', 'projects.id', 'experiments.project_id')
      .join('workspaces', 'workspaces.id', 'experiments.workspace_id')
      .leftJoin('users', 'users.id', 'experiments.user_id')
      .whereNull('experiments.deleted_at')
      .whereNull('projects.deleted_at')
      .select(
        ...own.map((column) => `experiments.${column}`),
        { project_name: 'projects.name' },
        { workspace_name: 'workspaces.name' },
        { workspace_storage_limit: 'workspaces.storage_limit' },
        { user_name: 'users.name' },
      );
  const lapsed = (now: number) =>
    db('experiments')
      .where('experiments.alive', true)
      .whereNull('experiments.deleted_at')
      .whereRaw('experiments.last_seen_at + experiments.beat_ms < ?', [now]);
  const live = (id: string) => db('experiments').where({ id }).whereNull('deleted_at');
  const listBy = async (
    column: 'key' | 'id',
    values: readonly string[],
  ): Promise<readonly Experiment[]> => {
    if (values.length === 0) return [];
    const wanted = new Set(values);
    const rows = (await select().whereIn(
      `experiments.${column}`,
      values,
    )) as readonly ExperimentRow[]; // the columns named above
    return rows.map(toExperiment).filter((one) => wanted.has(one[column]));
  };

  return {
    insert: (experiment) =>
      inTransaction(connection, async (inside) => {
        if (!(await insertAtHome(inside, experiment))) return false;
        await addToCounts(inside, slot, [[experiment.projectId, 1]]);
        return true;
      }),
    create: experimentCreator(connection),
    async lock(id) {
      const there = await live(id)
        .select('id')
        .forUpdate()
        .first<{ readonly id: string } | undefined>();
      return there === undefined ? undefined : (await listBy('id', [id]))[0];
    },
    async findByKey(key) {
      const [found] = await listBy('key', [key]);
      return found;
    },
    listByKeys: (keys) => listBy('key', keys),
    listByIds: (ids) => listBy('id', ids),
    async list({ projectId, archived, sortBy, descending, offset = 0, limit }) {
      const order = (column: string, id: string) =>
        [column, id].map((by) => ({ column: by, order: descending ? 'desc' : 'asc' }) as const);
      const column = `experiments.${sorting[sortBy]}`;
      // Those at home and those linked are looked up apart, each by an index and no further than the page: of either at once an engine reads every run there is.
      const first = (some: Knex.QueryBuilder) => {
        some
          .where('experiments.archived', archived)
          .whereNull('experiments.deleted_at')
          .select('experiments.id', { moment: column })
          .orderBy(order(column, 'experiments.id'));
        return limit === undefined ? some : some.limit(offset + limit);
      };
      const parts = [
        first(db('experiments').where('experiments.project_id', projectId)),
        first(
          db('experiment_links')
            .join('experiments', 'experiments.id', 'experiment_links.experiment_id')
            .join('projects', 'projects.id', 'experiments.project_id')
            .where('experiment_links.project_id', projectId)
            .whereNot('experiments.project_id', projectId)
            .whereNull('projects.deleted_at'),
        ),
      ];
      const page = db
        .select('found.id')
        .from(db.unionAll(parts, true).as('found'))
        .orderBy(order('found.moment', 'found.id'));
      if (limit !== undefined) page.limit(limit);
      if (offset > 0) page.offset(offset);
      const rows = await select()
        .join(page.as('page'), 'page.id', 'experiments.id')
        .orderBy(order(column, 'experiments.id'));
      return (rows as readonly ExperimentRow[]).map(toExperiment); // the columns named above
    },
    countInProject: (projectId) => readCount(connection, projectId),
    async update(id, change) {
      const columns = toColumns(change);
      if (Object.keys(columns).length > 0 && (await live(id).update(columns)) > 0) return true;
      return (await live(id).select('id').first()) !== undefined;
    },
    flagThrottled: (id, reason, message) =>
      inTransaction(connection, async ({ db: inside }) => {
        const row = await inside('experiments')
          .select('throttle_reasons')
          .where({ id })
          .whereNull('deleted_at')
          .forUpdate()
          .first<{ readonly throttle_reasons: string | null } | undefined>();
        if (row === undefined) return;
        await inside('experiments')
          .where({ id })
          .update({
            throttle: true,
            throttle_message: message,
            throttle_reasons: JSON.stringify([
              ...new Set([...readReasons(row.throttle_reasons), reason]),
            ]),
          });
      }),
    async touch(id, at) {
      await live(id).update({
        last_seen_at: db.raw('case when last_seen_at < ? then ? else last_seen_at end', [at, at]),
        end_time: db.raw('case when not end_set and end_time < ? then ? else end_time end', [
          at,
          at,
        ]),
      });
    },
    markDeleted: (id, at) =>
      inTransaction(connection, async (inside) => {
        const there = inside.db('experiments').where({ id }).whereNull('deleted_at');
        const home = await there
          .clone()
          .select('project_id')
          .forUpdate()
          .first<{ readonly project_id: string } | undefined>();
        if (home === undefined) return false;
        await there.update({ deleted_at: at });
        await addToCounts(inside, slot, [[home.project_id, -1]]);
        return true;
      }),
    async listIdsAtHome(projectId, afterId, limit) {
      const query = db('experiments')
        .where({ project_id: projectId })
        .whereNull('deleted_at')
        .orderBy('id')
        .limit(limit)
        .select('id');
      if (afterId !== undefined) query.andWhere('id', '>', afterId);
      return ((await query) as readonly { readonly id: string }[]).map((row) => row.id); // the column named above
    },
    move: (ids, to) => moveExperiments(connection, slot, ids, to),
    moveAll: (fromProjectId, toProjectId) =>
      inTransaction(connection, async (within) => {
        const inside = within.db;
        const there = await lockAtHome(inside, fromProjectId);
        const moved = inside('experiments').select('id').where({ project_id: fromProjectId });
        await inside('experiment_links')
          .where({ project_id: toProjectId })
          .whereIn('experiment_id', moved)
          .delete();
        await inside('experiments')
          .where({ project_id: fromProjectId })
          .update({ project_id: toProjectId });
        await inside('experiment_values')
          .where({ project_id: fromProjectId })
          .update({ project_id: toProjectId });
        await inside('experiment_links').where({ project_id: fromProjectId }).delete();
        await inside('stale_values')
          .where({ project_id: fromProjectId })
          .update({ project_id: toProjectId, at: clock.now() }); // as above
        const names = (await inside('project_names')
          .where({ project_id: fromProjectId })
          .select('kind', 'name_key', 'name', 'numeric')) as readonly object[]; // the columns named
        for (let at = 0; at < names.length; at += 1000)
          await inside('project_names')
            .insert(
              names
                .slice(at, at + 1000)
                .map((name) => ({ ...name, project_id: toProjectId, unused_at: null })),
            )
            .onConflict(['project_id', 'kind', 'name_key'])
            .merge(['unused_at']);
        const count = there.filter((row) => row.deleted_at === null).length;
        await addToCounts(within, slot, [
          [fromProjectId, -count],
          [toProjectId, count],
        ]);
      }),
    async link(id, projectId) {
      const home = await live(id)
        .select('project_id')
        .first<{ readonly project_id: string } | undefined>();
      if (home === undefined || home.project_id === projectId) return;
      await db('experiment_links')
        .insert({ project_id: projectId, experiment_id: id })
        .onConflict(['project_id', 'experiment_id'])
        .ignore();
      await noteNamesIn(connection, [id], projectId);
    },
    async unlink(id, projectId) {
      return (
        (await db('experiment_links')
          .where({ project_id: projectId, experiment_id: id })
          .delete()) > 0
      );
    },
    async listLinks(id) {
      const rows = (await db('experiment_links')
        .select('project_id')
        .where({ experiment_id: id })
        .orderBy('project_id')) as readonly { readonly project_id: string }[]; // the column named above
      return rows.map((row) => row.project_id);
    },
    async listLapsed(now, limit) {
      const rows = (await lapsed(now)
        .modify(
          withoutHeld(connection, 'lapsed-experiments', dialect.idAsText('experiments.id'), now),
        )
        .orderBy('experiments.id')
        .limit(limit)
        .select('experiments.id')) as readonly { readonly id: string }[]; // the column named
      return rows.map(({ id }) => id);
    },
    async markLapsed(ids, now) {
      if (ids.length === 0) return;
      await lapsed(now)
        .modify(dialect.among('experiments.id', 'id', ids))
        .update({
          alive: false,
          processing: false,
          has_crashed: db.raw('has_crashed or reports_end'),
        });
    },
  };
};
