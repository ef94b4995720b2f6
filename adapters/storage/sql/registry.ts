import type { ModelVersionStore, VersionChange } from '#ports/storage/model-versions';
import type { Stores } from '#ports/storage/storage';
import type { Knex } from 'knex';
import type { ModelVersion, RegistryModel } from '#ports/model/registry';
import type { ListedModel, NewModel, RegistryStore } from '#ports/storage/registry';
import {
  inTransaction,
  isTrue,
  keyOf,
  orNothing,
  refuseTaken,
  type Connection,
} from './connection.js';
import { holdExperiment } from './assets/held-experiment.js';
import { isId } from './ids.js';
import { requireWorkspace } from './workspace-lock.js';
import { registryFiles } from './registry-files.js';
import { storeVersion } from './registrations.js';
import { registryDownloads, registryHistory } from './registry-history.js';

interface ModelRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly name: string;
  readonly description: string | null;
  readonly public: unknown;
  readonly user_name: string | null;
  readonly versions: unknown;
  readonly latest_id: string | null;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}
interface VersionRow {
  readonly id: string;
  readonly model_id: string;
  readonly source_id: string;
  readonly source_key: string;
  readonly source_model_id: string;
  readonly source_model: string;
  readonly version: string;
  readonly comment: string | null;
  readonly tags: string;
  readonly status: string;
  readonly files: unknown;
  readonly user_name: string | null;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}
const modelColumns = [
  'id',
  'workspace_id',
  'name',
  'description',
  'public',
  'versions',
  'latest_id',
  'created_at',
  'updated_at',
] as const;
const versionColumns = [
  'id',
  'model_id',
  'source_id',
  'source_key',
  'source_model_id',
  'source_model',
  'version',
  'comment',
  'tags',
  'status',
  'files',
  'created_at',
  'updated_at',
] as const;

const toModel = (row: ModelRow): RegistryModel => ({
  id: row.id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  name: row.name,
  description: orNothing(row.description),
  public: isTrue(row.public),
  userName: row.user_name ?? '',
  versions: Number(row.versions),
  latestId: orNothing(row.latest_id),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
const toVersion = (row: VersionRow): ModelVersion => ({
  id: row.id,
  modelId: row.model_id,
  experimentId: row.source_id,
  experimentKey: row.source_key,
  experimentModelId: row.source_model_id,
  experimentModelName: row.source_model,
  version: row.version,
  comment: orNothing(row.comment),
  tags: JSON.parse(row.tags) as string[], // written by `insertVersion` and `toColumns`
  status: row.status,
  files: Number(row.files),
  userName: row.user_name ?? '',
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
const toColumns = ({
  comment,
  tags,
  status,
  metadata,
  statusConfiguration,
  updatedAt,
}: VersionChange): Record<string, unknown> => ({
  updated_at: updatedAt,
  ...(comment === undefined ? {} : { comment }),
  ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
  ...(status === undefined ? {} : { status }),
  ...(metadata === undefined ? {} : { metadata }),
  ...(statusConfiguration === undefined ? {} : { status_configuration: statusConfiguration }),
});

const listedModelColumns = [
  'id',
  'name',
  'description',
  'public',
  'versions',
  'latest_id',
  'created_at',
  'updated_at',
] as const;
const listedVersionColumns = [
  'source_key',
  'source_model_id',
  'source_model',
  'version',
  'comment',
  'tags',
  'created_at',
  'updated_at',
  'metadata',
] as const;
/** Columns of the highest version beside those of its model. */
type ListedRow = Pick<ModelRow, (typeof listedModelColumns)[number] | 'user_name'> & {
  readonly [
    C in Exclude<(typeof listedVersionColumns)[number], 'metadata'> | 'user_name' as `v_${C}`
  ]: VersionRow[C];
} & { readonly v_metadata: string | null };
/** Written out column by column: a list of a thousand models spends most of its time here. */
const toListed = (row: ListedRow): ListedModel => ({
  model: {
    id: row.id,
    name: row.name,
    description: orNothing(row.description),
    public: isTrue(row.public),
    userName: row.user_name ?? '',
    versions: Number(row.versions),
    latestId: orNothing(row.latest_id),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  },
  latest:
    row.latest_id === null
      ? undefined
      : {
          id: row.latest_id,
          experimentKey: row.v_source_key,
          experimentModelId: row.v_source_model_id,
          experimentModelName: row.v_source_model,
          version: row.v_version,
          comment: orNothing(row.v_comment),
          tags: row.v_tags,
          userName: row.v_user_name ?? '',
          createdAt: Number(row.v_created_at),
          updatedAt: Number(row.v_updated_at),
          metadata: orNothing(row.v_metadata),
        },
});

const modelRow = (model: NewModel) => ({
  id: model.id,
  workspace_id: model.workspaceId,
  name: model.name,
  name_key: keyOf(model.workspaceId, model.normalName),
  description: model.description ?? null,
  public: model.public,
  user_id: model.userId,
  versions: 0,
  created_at: model.createdAt,
  updated_at: model.createdAt,
});

/** The id of the model of a name, locked. */
const lockByName = async (
  { db }: Connection,
  { workspaceId, normalName }: Pick<NewModel, 'workspaceId' | 'normalName'>,
): Promise<string | undefined> => {
  const row = await db('registry_models')
    .select('id')
    .where({ name_key: keyOf(workspaceId, normalName) })
    .whereNull('deleted_at')
    .forUpdate()
    .first<{ readonly id: string } | undefined>();
  return row?.id;
};

/**
 * The model of a name as it is, locked or made, in one statement where an engine takes it so. `undefined` where another request made it
 * meanwhile, or the workspace is gone. An experiment that is named is held with it.
 */
const openAtOnce = async (
  { db, dialect }: Connection,
  fresh: NewModel,
  experimentId: string | undefined,
): Promise<ModelRow | undefined> => {
  if (dialect.pipelined === undefined) return undefined;
  const row = modelRow(fresh);
  const names = Object.keys(row);
  const source =
    experimentId === undefined
      ? ''
      : ', (select e.id from (select id from experiments where id = ? for update) e) as source';
  const [found] = (await dialect.run(
    db,
    `with held as materialized (select * from registry_models where name_key = ? for update),
w as (update workspaces set revision = revision + 1 where id = ? and not exists (select 1 from held) returning id),
made as (insert into registry_models (${names.join(', ')}) select ${names.map(() => '?').join(', ')} from w ${dialect.onConflictIgnore(['name_key'])} returning *)
select ${modelColumns.map((column) => `m.${column}`).join(', ')}, w.name as workspace_name, u.name as user_name${source}
from (select * from held union all select * from made) m join workspaces w on w.id = m.workspace_id left join users u on u.id = m.user_id`,
    [
      ...[row.name_key, row.workspace_id, ...Object.values(row)],
      ...(experimentId === undefined ? [] : [experimentId]),
    ],
  )) as readonly ModelRow[]; // the columns named
  return found;
};

const versionsAtMost = 100_000;

export const registryStores = (
  connection: Connection,
): Pick<Stores, 'registry' | 'modelVersions'> => {
  const { db, dialect } = connection;
  const models = () =>
    db('registry_models as m')
      .join('workspaces as w', 'w.id', 'm.workspace_id')
      .leftJoin('users as u', 'u.id', 'm.user_id')
      .whereNull('m.deleted_at')
      .select(...modelColumns.map((column) => `m.${column}`), {
        workspace_name: 'w.name',
        user_name: 'u.name',
      });
  const versions = () =>
    db('registry_versions as v')
      .join('registry_models as m', 'm.id', 'v.model_id')
      .leftJoin('users as u', 'u.id', 'v.user_id')
      .whereNull('v.deleted_at')
      .whereNull('m.deleted_at')
      .select(...versionColumns.map((column) => `v.${column}`), { user_name: 'u.name' });
  const live = (inside: Knex, table: 'registry_models' | 'registry_versions', id: string) =>
    inside(table).where({ id }).whereNull('deleted_at');
  /** One engine counts no row whose values stay the same. */
  const changed = async (
    table: 'registry_models' | 'registry_versions',
    id: string,
    columns: Record<string, unknown>,
  ): Promise<boolean> =>
    isId(id) &&
    ((await live(db, table, id).update(columns)) > 0 ||
      (await live(db, table, id).select('id').first()) !== undefined);
  const taken = (name: string) =>
    `the workspace has a registered model ${name.slice(0, 100)} already`;
  const oneModel = async (query: Knex.QueryBuilder): Promise<RegistryModel | undefined> => {
    const row = (await query.first()) as ModelRow | undefined; // the columns named above
    return row === undefined ? undefined : toModel(row);
  };

  const registry: RegistryStore = {
    ...registryDownloads(connection),
    insertModel: (model) =>
      inTransaction(connection, async (inside) => {
        await requireWorkspace(inside, model.workspaceId);
        await refuseTaken(
          dialect,
          taken(model.name),
          inside.db('registry_models').insert(modelRow(model)),
        );
      }),
    openModel: (named, fresh, experimentId) =>
      inTransaction(connection, async (inside) => {
        const stores = registryStores(inside);
        const opened = fresh && (await openAtOnce(inside, fresh, experimentId));
        if (opened !== undefined) return toModel(opened);
        // After the model, as above: in one order nobody waits for one who waits for him.
        const find = async () => {
          const found = await lockByName(inside, named);
          if (found !== undefined && experimentId !== undefined)
            await holdExperiment(inside.db, experimentId);
          return found === undefined ? undefined : stores.registry.findModel(found);
        };
        if (fresh === undefined) return find();
        // Where there is none, the workspace is locked, so that of many who miss it one makes it.
        const found = await find();
        if (found !== undefined) return found;
        await requireWorkspace(inside, named.workspaceId);
        if ((await find()) === undefined)
          await inside.db('registry_models').insert(modelRow(fresh));
        return find();
      }),
    findModel: async (id) => (isId(id) ? oneModel(models().where('m.id', id)) : undefined),
    findModelByName: (workspaceId, normalName) =>
      oneModel(models().where('m.name_key', keyOf(workspaceId, normalName))),
    async lockModel(id) {
      return (await live(db, 'registry_models', id).select('id').forUpdate().first()) !== undefined;
    },
    async listModels(workspaceId, afterId, limit) {
      // The page first: joined before, each page would join them all.
      const page = db('registry_models')
        .select(...listedModelColumns, 'user_id')
        .where({ workspace_id: workspaceId })
        .whereNull('deleted_at')
        .orderBy('id')
        .limit(limit)
        .as('m');
      if (afterId !== undefined) page.where('id', '>', afterId);
      const query = db(page as unknown as string)
        .leftJoin('users as u', 'u.id', 'm.user_id')
        .leftJoin('registry_versions as v', (on) => {
          on.on('v.model_id', 'm.id').andOn('v.id', 'm.latest_id');
        })
        .leftJoin('users as vu', 'vu.id', 'v.user_id')
        .orderBy('m.id') // a query stands wherever the name of a table does
        .select(
          ...listedModelColumns.map((column) => `m.${column}`),
          Object.fromEntries(listedVersionColumns.map((column) => [`v_${column}`, `v.${column}`])),
          { user_name: 'u.name', v_user_name: 'vu.name' },
        );
      return ((await query) as readonly ListedRow[]).map(toListed); // the columns named above; those of a version are there with its id
    },
    async countModels(workspaceId) {
      const [row] = await db('registry_models')
        .where({ workspace_id: workspaceId })
        .whereNull('deleted_at')
        .count({ n: '*' });
      return Number(row?.n ?? 0);
    },
    updateModel(id, { naming, description, public: open, updatedAt }) {
      const change = {
        updated_at: updatedAt,
        ...(description === undefined ? {} : { description }),
        ...(open === undefined ? {} : { public: open }),
      };
      if (naming === undefined) return changed('registry_models', id, change);
      return inTransaction(connection, async ({ db: inside }) => {
        const row = await live(inside, 'registry_models', id)
          .select('workspace_id')
          .first<{ readonly workspace_id: string } | undefined>();
        if (row === undefined) return false;
        await refuseTaken(
          dialect,
          taken(naming.name),
          inside('registry_models')
            .where({ id })
            .update({
              ...change,
              name: naming.name,
              name_key: keyOf(row.workspace_id, naming.normalName),
            }),
        );
        return true;
      });
    },
    moveToWorkspace: (id, { workspaceId, name, normalName, at }) =>
      inTransaction(connection, async (inside) => {
        await requireWorkspace(inside, workspaceId);
        let moved = 0;
        await refuseTaken(
          dialect,
          taken(name),
          live(inside.db, 'registry_models', id)
            .update({
              workspace_id: workspaceId,
              name,
              name_key: keyOf(workspaceId, normalName),
              updated_at: at,
            })
            .then((count) => {
              moved = count;
            }),
        );
        if (moved > 0)
          await inside
            .db('registry_requests')
            .where({ model_id: id })
            .update({ workspace_id: workspaceId });
        return moved > 0;
      }),
    async readNotes(id) {
      const row = await live(db, 'registry_models', id)
        .select('notes')
        .first<{ readonly notes: string | null } | undefined>();
      return row?.notes ?? '';
    },
    async writeNotes(id, notes) {
      await live(db, 'registry_models', id).update({ notes });
    },
    markModelDeleted: (id, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        const there =
          (await live(inside, 'registry_models', id).update({ deleted_at: at, name_key: id })) > 0;
        if (there) await inside('registry_removals').insert({ id, at });
        return there;
      }),
  };
  const modelVersions: ModelVersionStore = {
    ...registryFiles(connection),
    ...registryHistory(connection),
    async countVersions(id, by, latestId) {
      await live(db, 'registry_models', id).update({
        versions: db.raw('?? + ?', ['versions', by]),
        latest_id: latestId ?? null,
      });
    },
    insertVersion: (version, registering) =>
      inTransaction(connection, (inside) => storeVersion(inside, version, registering)),
    async findVersion(id) {
      const row = isId(id)
        ? await versions().where('v.id', id).first<VersionRow | undefined>()
        : undefined;
      return row === undefined ? undefined : toVersion(row);
    },
    async listVersions(modelId) {
      const rows = (await versions()
        .where('v.model_id', modelId)
        .orderBy('v.id')
        .limit(versionsAtMost)) as readonly VersionRow[]; // the columns named above
      return rows.map(toVersion);
    },
    updateVersion: (id, change) => changed('registry_versions', id, toColumns(change)),
    async readSettings(id) {
      const row = await live(db, 'registry_versions', id)
        .select('metadata', 'status_configuration')
        .first<
          | { readonly metadata: string | null; readonly status_configuration: string | null }
          | undefined
        >();
      return {
        metadata: orNothing(row?.metadata),
        statusConfiguration: orNothing(row?.status_configuration),
      };
    },
    markVersionDeleted: (id, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        const row = await live(inside, 'registry_versions', id)
          .select('model_id')
          .first<{ readonly model_id: string } | undefined>();
        const there =
          row !== undefined &&
          (await live(inside, 'registry_versions', id).update({
            deleted_at: at,
            version_key: id,
          })) > 0;
        if (there) await inside('registry_removals').insert({ id, owner_id: row.model_id, at });
        return there;
      }),
    async listRecords(experimentId) {
      const rows = (await db('registry_versions as v')
        .join('registry_models as m', 'm.id', 'v.model_id')
        .where('v.source_id', experimentId)
        .whereNull('v.deleted_at')
        .whereNull('m.deleted_at')
        .orderBy('v.id')
        .limit(versionsAtMost)
        .select(
          'v.source_model',
          'v.model_id',
          { model_name: 'm.name' },
          'v.id',
          'v.version',
          'v.created_at',
        )) as readonly {
        readonly source_model: string;
        readonly model_id: string;
        readonly model_name: string;
        readonly id: string;
        readonly version: string;
        readonly created_at: unknown;
      }[]; // the columns named
      return rows.map((row) => ({
        experimentModelName: row.source_model,
        modelId: row.model_id,
        modelName: row.model_name,
        versionId: row.id,
        version: row.version,
        createdAt: Number(row.created_at),
      }));
    },
  };
  return { registry, modelVersions };
};
