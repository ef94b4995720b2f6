// An asset that may take the place of others, or of which an experiment has only so many: decided one after the other.
import type { Knex } from 'knex';
import type { Asset } from '#ports/model/assets';
import type { Keeping, Kept } from '#ports/storage/assets';
import { countFiles, takesFiles } from '../artifact-files.js';
import { inTransaction, keyOf, type Connection } from '../connection.js';
import { isOfModel, joinVersions } from '../registry-files.js';
import { assetColumns, placeOf, toRow, type AssetRow } from './asset-rows.js';
import { holdExperiment } from './held-experiment.js';
import { dropAssets } from './removals.js';

/** Whether a file of one artifact version may not take the place of this row, which belongs elsewhere. */
const belongsElsewhere = (row: AssetRow, asset: Asset): boolean =>
  row.artifact_version_id !== (asset.artifactVersionId ?? null) && row.artifact_version_id !== null;

/** Counts an asset into its artifact version in place of those it replaces there. */
const countIn = async (db: Knex, asset: Asset, replaced: readonly AssetRow[]): Promise<void> => {
  const gone = replaced.filter((row) => row.artifact_version_id === asset.artifactVersionId);
  if (asset.artifactVersionId !== undefined)
    await countFiles(
      db,
      asset.artifactVersionId,
      1 - gone.length,
      asset.fileSize - gone.reduce((sum, row) => sum + Number(row.file_size), 0),
    );
};

/** Those that an asset takes the place of: one of its id, and the newest of its name in its place. */
const findReplaced = async (
  db: Knex,
  asset: Asset,
  { idGiven }: Keeping,
): Promise<readonly AssetRow[]> => {
  const named = (await db('assets')
    .select(...assetColumns)
    .where({ experiment_id: asset.experimentId, place_key: placeOf(asset) })
    .orderBy('row_id', 'desc')
    .limit(1)) as readonly AssetRow[]; // the columns named above
  const same = idGiven
    ? ((await db('assets')
        .select(...assetColumns)
        .where({
          experiment_id: asset.experimentId,
          id_key: keyOf(asset.id),
        })) as readonly AssetRow[])
    : [];
  return [...same, ...named.filter((row) => !same.some(({ id_key }) => id_key === row.id_key))];
};

const countOf = async (
  db: Knex,
  experimentId: string,
  types: readonly string[],
): Promise<number> => {
  const [row] = await db('assets')
    .where({ experiment_id: experimentId })
    .whereIn('type', types)
    .whereNull('artifact_version_id')
    .count({ n: '*' });
  return Number(row?.n ?? 0);
};

export const insertReplacing = (
  connection: Connection,
  asset: Asset,
  keeping: Keeping,
): Promise<Kept> =>
  inTransaction(connection, async (within) => {
    const { db: inside } = within;
    if (!(await holdExperiment(inside, asset.experimentId))) return { outcome: 'gone' };
    const replaced = keeping.replacing ? await findReplaced(inside, asset, keeping) : [];
    const [first] = replaced;
    const id = keeping.idGiven || first === undefined ? asset.id : first.id;
    const taken = await inside('assets')
      .select('id_key')
      .where({ experiment_id: asset.experimentId, id_key: keyOf(id) })
      .first<{ readonly id_key: string } | undefined>();
    if (taken !== undefined && !replaced.some((row) => row.id_key === taken.id_key))
      return { outcome: 'present' };
    const { limit } = keeping;
    if (replaced.some((row) => belongsElsewhere(row, asset))) return { outcome: 'present' };
    if (
      limit !== undefined &&
      first === undefined &&
      (await countOf(inside, asset.experimentId, limit.types)) >= limit.most
    )
      return { outcome: 'full' };
    const takes =
      asset.artifactVersionId === undefined
        ? 'open'
        : await takesFiles(
            { db: inside, dialect: connection.dialect },
            asset.workspaceId,
            asset.artifactVersionId,
          );
    if (takes !== 'open') return { outcome: takes };
    if (
      asset.blobKey !== undefined &&
      (await inside('uploads').where({ blob_key: asset.blobKey }).delete()) === 0
    )
      return { outcome: 'gone' };
    await dropAssets(inside, replaced, asset.createdAt);
    await countIn(inside, asset, replaced);
    await inside('assets').insert(toRow({ ...asset, id }));
    if (isOfModel(asset) && replaced.length === 0) await joinVersions(within, [asset]);
    return { outcome: 'kept', id };
  });
