// Assets whose bytes are elsewhere: many are told at once, and again when a reply was lost.
import type { Knex } from 'knex';
import type { Asset } from '#ports/model/assets';
import type { RemoteKept } from '#ports/storage/assets';
import { countFiles, takesFiles } from '../artifact-files.js';
import { inTransaction, keyOf, type Connection } from '../connection.js';
import { isOfModel, joinVersions } from '../registry-files.js';
import { toRow, type AssetRow } from './asset-rows.js';
import { holdExperiment } from './held-experiment.js';
import { countByVersion } from './versions.js';

const remoteAtOnce = 200;

/** Those of remote assets whose id is new, each id once; `present` when an id stands for a file of another artifact version. */
const findFresh = async (
  db: Knex,
  experimentId: string,
  assets: readonly Asset[],
): Promise<readonly Asset[] | 'present'> => {
  const fresh = new Map(assets.map((asset) => [keyOf(asset.id), asset] as const).reverse());
  const keys = [...fresh.keys()];
  for (let at = 0; at < keys.length; at += remoteAtOnce) {
    const rows = (await db('assets')
      .select('id_key', 'artifact_version_id')
      .where({ experiment_id: experimentId })
      .whereIn('id_key', keys.slice(at, at + remoteAtOnce))) as readonly Pick<
      AssetRow,
      'id_key' | 'artifact_version_id'
    >[]; // the columns named
    for (const { id_key, artifact_version_id } of rows) {
      if ((fresh.get(id_key)?.artifactVersionId ?? null) !== artifact_version_id) return 'present';
      fresh.delete(id_key);
    }
  }
  return [...fresh.values()].reverse();
};

export const insertRemote = (
  connection: Connection,
  experimentId: string,
  assets: readonly Asset[],
): Promise<RemoteKept> =>
  inTransaction(connection, async (within) => {
    const { db: inside } = within;
    if (!(await holdExperiment(inside, experimentId))) return 'gone';
    const fresh = await findFresh(inside, experimentId, assets);
    if (fresh === 'present') return 'present';
    const counts = countByVersion(fresh);
    for (const [version] of counts) {
      const takes = await takesFiles(
        { db: inside, dialect: connection.dialect },
        fresh[0]?.workspaceId ?? '',
        version,
      );
      if (takes !== 'open') return takes;
    }
    for (const [version, files] of counts) await countFiles(inside, version, files, 0);
    for (let at = 0; at < fresh.length; at += remoteAtOnce)
      await inside('assets').insert(fresh.slice(at, at + remoteAtOnce).map(toRow));
    await joinVersions(within, fresh.filter(isOfModel));
    return 'kept';
  });
