// What a version keeps of the files it was registered with, and of those that come late.
import type { Asset } from '#ports/model/assets';
import type { NewVersion, ModelVersionStore } from '#ports/storage/model-versions';
import { assetColumns, placeOf, toAsset, type AssetRow } from './assets/asset-rows.js';
import { isTrue, keyOf, type Connection } from './connection.js';
import { isId } from './ids.js';
import type { ColumnValues } from '#ports/sql-dialect';

const readAtOnce = 1000;
/** Files that one link can mean: an asset is registered again and again, and one that can be read is enough. */
const keptAtMost = 50;

const toRow = (
  {
    modelId,
    id,
    experimentId,
    experimentKey,
  }: Pick<NewVersion, 'modelId' | 'id' | 'experimentId' | 'experimentKey'>,
  asset: Asset,
) => ({
  model_id: modelId,
  version_id: id,
  row_id: asset.rowId,
  source_id: experimentId,
  id_key: keyOf(asset.id),
  file_key: keyOf(experimentKey, asset.id),
  blob_key: asset.blobKey ?? null,
  content: JSON.stringify(asset),
});

type FileRow = ReturnType<typeof toRow>;

/** Files as columns of their table. */
export const fileColumns = (rows: readonly FileRow[]): readonly ColumnValues[] =>
  (Object.keys(kinds) as (keyof FileRow)[]).map((name) => ({
    name,
    kind: kinds[name],
    values: rows.map((row) => row[name]),
  })); // the keys of the record

const kinds: Readonly<Record<keyof FileRow, ColumnValues['kind']>> = {
  model_id: 'id',
  version_id: 'id',
  row_id: 'id',
  source_id: 'id',
  id_key: 'text',
  file_key: 'text',
  blob_key: 'text',
  content: 'text',
};

/**
 * Copies what the experiment knows of a model's files, inside a transaction. The assets' rows stay locked until it ends: whoever removes one
 * meanwhile waits, and then its bytes are seen to be kept. Answers how many there are, and those of them that are still to be inserted.
 */
export const keepFiles = async (
  { db, dialect }: Connection,
  version: NewVersion,
): Promise<{ readonly files: number; readonly left: readonly FileRow[] }> => {
  let kept = 0;
  for (let after: string | undefined; ;) {
    const query = db('assets')
      .select(...assetColumns)
      .where({
        experiment_id: version.experimentId,
        type: 'model-element',
        grouping_key: keyOf(version.experimentModelName),
      })
      .whereNull('artifact_version_id')
      .whereNull('part_key')
      .orderBy('row_id')
      .limit(readAtOnce)
      .forUpdate();
    if (after !== undefined) query.where('row_id', '>', after);
    const assets = ((await query) as readonly AssetRow[]).map(toAsset); // the columns named
    const rows = assets.map((asset) => toRow(version, asset));
    kept += assets.length;
    if (assets.length < readAtOnce) return { files: kept, left: rows };
    await dialect.insertColumns(db, 'registry_files', fileColumns(rows));
    after = assets.at(-1)?.rowId;
  }
};

/** Whether an asset is a file of a model of its experiment. */
export const isOfModel = ({ type, groupingName, artifactVersionId, partOf }: Asset): boolean =>
  type === 'model-element' &&
  groupingName !== undefined &&
  artifactVersionId === undefined &&
  partOf === undefined;

/** Those of these assets, which are stored, that the first of their name in their place are. */
const firstOfPlace = async (
  { db, dialect }: Connection,
  experimentId: string,
  assets: readonly Asset[],
): Promise<readonly Asset[]> => {
  const places = [...new Set(assets.map(placeOf))];
  const rows = (await db('assets')
    .where({ experiment_id: experimentId })
    .modify(dialect.among('place_key', 'text', places))
    .groupBy('place_key')
    .select('place_key', { earliest: db.raw(`min(${dialect.idAsText('row_id')})`) })) as readonly {
    readonly place_key: string;
    readonly earliest: string;
  }[]; // the columns named
  const first = new Map(rows.map((row) => [row.place_key, row.earliest]));
  return assets.filter((asset) => first.get(placeOf(asset)) === asset.rowId);
};

/**
 * Lets new files of the models of one experiment join the versions that were registered from these models while the files were on their way: the Python
 * client registers a model once the first of its files has come, and goes on sending the others. Inside the transaction that stores them and holds
 * the experiment, as a registration does, so that a file is seen by one of the two. A file of a name that the model has already is a change, which a
 * version does not follow.
 */
export const joinVersions = async (
  connection: Connection,
  assets: readonly Asset[],
): Promise<void> => {
  const { db, dialect } = connection;
  const [any] = assets;
  if (any === undefined) return;
  const rows = (await db('registry_versions as v')
    .join('registry_models as m', 'm.id', 'v.model_id')
    .where('v.source_id', any.experimentId)
    .where('v.created_at', '>=', Math.min(...assets.map(({ createdAt }) => createdAt)))
    .whereNull('v.deleted_at')
    .whereNull('m.deleted_at')
    .orderBy(['v.created_at', 'v.id'])
    .select({
      modelId: 'v.model_id',
      id: 'v.id',
      experimentKey: 'v.source_key',
      model: 'v.source_model',
      at: 'v.created_at',
    })) as readonly {
    readonly modelId: string;
    readonly id: string;
    readonly experimentKey: string;
    readonly model: string;
    readonly at: unknown;
  }[]; // the columns named
  if (rows.length === 0) return;
  const fresh = await firstOfPlace(connection, any.experimentId, assets);
  for (const version of rows) {
    const late = fresh
      .filter(
        ({ groupingName, createdAt }) =>
          groupingName === version.model && createdAt <= Number(version.at),
      )
      .map((asset) => toRow({ ...version, experimentId: asset.experimentId }, asset));
    if (late.length === 0) continue;
    // Its row is held from here on: who deletes it meanwhile waits, and finds the files too.
    const counted = await db('registry_versions')
      .where({ model_id: version.modelId, id: version.id })
      .whereNull('deleted_at')
      .increment('files', late.length);
    if (counted > 0) await dialect.insertColumns(db, 'registry_files', fileColumns(late));
  }
};

const readContent = (content: string): Asset => JSON.parse(content) as Asset; // written by `toRow`; a member that is missing is `undefined` all the same

export const registryFiles = ({
  db,
  dialect,
}: Connection): Pick<ModelVersionStore, 'listFiles' | 'findKept'> => ({
  async listFiles({ modelId, versionIds, afterRow, limit }) {
    if (versionIds.length === 0) return [];
    const query = db('registry_files as f')
      .leftJoin('assets as a', (on) => {
        on.on('a.experiment_id', 'f.source_id')
          .andOn('a.id_key', 'f.id_key')
          .andOn('a.row_id', 'f.row_id');
      })
      .where('f.model_id', modelId)
      .modify(dialect.among('f.version_id', 'id', versionIds))
      .orderBy(['f.version_id', 'f.row_id'])
      .limit(limit)
      .select('f.version_id', 'f.content', { current: db.raw('a.row_id is not null') });
    if (afterRow !== undefined) query.where('f.row_id', '>', afterRow);
    const rows = (await query) as readonly {
      readonly version_id: string;
      readonly content: string;
      readonly current: unknown;
    }[]; // the columns named
    return rows.map((row) => ({
      versionId: row.version_id,
      asset: readContent(row.content),
      current: isTrue(row.current),
    }));
  },
  async findKept(experimentKey, asset) {
    const rows = (await db('registry_files as f')
      .join('registry_models as m', 'm.id', 'f.model_id')
      .join('registry_versions as v', (on) => {
        on.on('v.model_id', 'f.model_id').andOn('v.id', 'f.version_id');
      })
      .where((open) => {
        open.where('f.file_key', keyOf(experimentKey, asset));
        if (isId(asset)) open.orWhere('f.row_id', asset);
      })
      .whereNull('m.deleted_at')
      .whereNull('v.deleted_at')
      .orderBy([
        { column: 'f.row_id', order: 'desc' },
        { column: 'f.version_id', order: 'desc' },
      ])
      .limit(keptAtMost)
      .select('f.content', 'm.workspace_id', 'm.public')) as readonly {
      readonly content: string;
      readonly workspace_id: string;
      readonly public: unknown;
    }[]; // the columns named
    return rows.map((row) => ({
      asset: readContent(row.content),
      workspaceId: row.workspace_id,
      public: isTrue(row.public),
    }));
  },
});
