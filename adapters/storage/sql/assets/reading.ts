// Assets as they are looked up and listed.
import type { Knex } from 'knex';
import type { Asset, VersionFile } from '#ports/model/assets';
import type { AssetStore } from '#ports/storage/assets';
import { keyOf, orNothing, whereHolds, type Connection } from '../connection.js';
import { isId } from '../ids.js';
import { assetColumns, toAsset, type AssetRow } from './asset-rows.js';

const fileColumns = [
  'row_id',
  'id',
  'file_name',
  'type',
  'file_size',
  'metadata',
  'remote_link',
  'blob_key',
  'created_at',
] as const;
type FileRow = Pick<AssetRow, (typeof fileColumns)[number]>;
const toFile = (row: FileRow): VersionFile => ({
  id: row.id,
  rowId: row.row_id,
  fileName: row.file_name,
  type: row.type,
  fileSize: Number(row.file_size),
  metadata: orNothing(row.metadata),
  remoteLink: orNothing(row.remote_link),
  blobKey: orNothing(row.blob_key),
  createdAt: Number(row.created_at),
});

/** The experiment's id and the first half of the name's key: whose it is can be told without asking. */
const modelIdOf = (experimentId: string, name: string): string =>
  `${experimentId}.${keyOf(name).slice(0, 32)}`;
const modelIdForm = /^([0-9a-f-]{36})\.([0-9a-f]{32})$/;

const modelLimit = 10_000;

type Reads =
  | 'find'
  | 'findInVersion'
  | 'findByRow'
  | 'listById'
  | 'list'
  | 'listNames'
  | 'listOfVersion'
  | 'listPartsOf'
  | 'listModels'
  | 'findModel';

export const assetReads = ({ db, dialect }: Connection): Pick<AssetStore, Reads> => {
  const select = () => db('assets').select(...assetColumns);
  const found = async (query: Knex.QueryBuilder): Promise<readonly Asset[]> =>
    ((await query) as readonly AssetRow[]).map(toAsset); // the columns named above
  return {
    async find(experimentId, assetId) {
      const [asset] = await found(
        select().where({ experiment_id: experimentId, id_key: keyOf(assetId) }),
      );
      return asset;
    },
    async findInVersion(artifactVersionId, assetId) {
      const [asset] = await found(
        select()
          .where({ artifact_version_id: artifactVersionId, id_key: keyOf(assetId) })
          .orderBy('row_id')
          .limit(1),
      );
      return asset;
    },
    async findByRow(rowId) {
      const [asset] = await found(select().where({ row_id: rowId }).limit(1));
      return asset;
    },
    listById: (assetId, limit) =>
      found(
        select()
          .where({ id_key: keyOf(assetId) })
          .orderBy('row_id')
          .limit(limit),
      ),
    list({ experimentId, type, fileName, groupingName, afterRow, limit }) {
      const query = select()
        .where({ experiment_id: experimentId })
        .whereNull('artifact_version_id')
        .whereNull('part_key')
        .orderBy('row_id')
        .limit(limit);
      if (type !== undefined) query.andWhere({ type });
      if (fileName !== undefined) query.andWhere({ name_key: keyOf(fileName) });
      if (groupingName !== undefined) query.andWhere({ grouping_key: keyOf(groupingName) });
      if (afterRow !== undefined) query.andWhere('row_id', '>', afterRow);
      return found(query);
    },
    async listNames({ experimentIds, phrase, limit }) {
      if (experimentIds.length === 0) return [];
      const among = () =>
        db('assets')
          .whereIn('experiment_id', experimentIds)
          .whereNull('artifact_version_id')
          .whereNull('part_key');
      const names = (await among()
        .modify(whereHolds(dialect, phrase, 'file_name'))
        .groupBy('name_key')
        .select('name_key')
        .min({ file_name: 'file_name' })
        .orderByRaw(dialect.byCodePoints('min(file_name)'))
        .limit(limit)) as unknown as readonly {
        readonly name_key: string;
        readonly file_name: string;
      }[]; // the columns named
      const rows =
        names.length === 0
          ? []
          : ((await among()
              .whereIn(
                'name_key',
                names.map(({ name_key }) => name_key),
              )
              .distinct('name_key', 'experiment_id')
              .orderBy('experiment_id')) as readonly {
              readonly name_key: string;
              readonly experiment_id: string;
            }[]); // the columns named
      const holders = new Map<string, string[]>(names.map(({ name_key }) => [name_key, []]));
      for (const { name_key, experiment_id } of rows) holders.get(name_key)?.push(experiment_id);
      return names.map(({ name_key, file_name }) => ({
        fileName: file_name,
        experimentIds: holders.get(name_key) ?? [],
      }));
    },
    async listOfVersion(artifactVersionId, afterRow, limit) {
      const query = db('assets')
        .select(...fileColumns)
        .where({ artifact_version_id: artifactVersionId })
        .orderBy('row_id')
        .limit(limit);
      if (afterRow !== undefined) query.andWhere('row_id', '>', afterRow);
      return ((await query) as readonly FileRow[]).map(toFile); // the columns named above
    },
    listPartsOf: (experimentId, assetId) =>
      found(
        select()
          .where({ experiment_id: experimentId, part_key: keyOf(assetId) })
          .orderBy('row_id')
          .limit(1000),
      ),
    async listModels(experimentId) {
      const rows = (await db('assets')
        .select('grouping_name')
        .where({ experiment_id: experimentId, type: 'model-element' })
        .whereNull('artifact_version_id')
        .whereNotNull('grouping_key')
        .groupBy('grouping_key', 'grouping_name')
        .orderBy('grouping_key')
        .limit(modelLimit)) as readonly { readonly grouping_name: string }[]; // not null, by the condition above
      const names = rows.map((row) => row.grouping_name);
      return names
        .sort((one, other) => (one < other ? -1 : 1))
        .map((name) => ({ id: modelIdOf(experimentId, name), name }));
    },
    async findModel(modelId) {
      const [, experimentId = '', start = ''] = modelIdForm.exec(modelId) ?? [];
      if (!isId(experimentId)) return undefined;
      const row = await db('assets')
        .select('grouping_name')
        .where({ experiment_id: experimentId, type: 'model-element' })
        .whereNull('artifact_version_id')
        .where('grouping_key', 'like', `${start}%`)
        .orderBy('row_id')
        .first<{ readonly grouping_name: string } | undefined>();
      return row === undefined ? undefined : { experimentId, name: row.grouping_name };
    },
  };
};
