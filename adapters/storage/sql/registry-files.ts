// What a version keeps of the files it was registered with.
import type { Asset } from '#ports/model/assets';
import type { NewVersion, ModelVersionStore } from '#ports/storage/model-versions';
import { assetColumns, toAsset, type AssetRow } from './assets/asset-rows.js';
import { isTrue, keyOf, type Connection } from './connection.js';
import { isId } from './ids.js';
import type { ColumnValues } from '#ports/sql-dialect';

const readAtOnce = 1000;
/** Files that one link can mean: an asset is registered again and again, and one that can be read is enough. */
const keptAtMost = 50;

const toRow = ({ modelId, id, experimentId, experimentKey }: NewVersion, asset: Asset) => ({
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
