import type { AssetStore } from '#ports/storage/assets';
import { inTransaction, keyOf, type Connection } from '../connection.js';
import type { AssetRow } from './asset-rows.js';
import { assetInserter } from './inserting.js';
import { assetReads } from './reading.js';
import { insertRemote } from './remote.js';
import { dropAssets } from './removals.js';
import { insertReplacing } from './replacing.js';

export const assetStore = (connection: Connection): AssetStore => {
  const insert = assetInserter(connection);
  return {
    ...assetReads(connection),
    insert: (asset, keeping) =>
      !keeping.replacing && keeping.limit === undefined
        ? insert(asset)
        : insertReplacing(connection, asset, keeping),
    insertRemote: (experimentId, assets) => insertRemote(connection, experimentId, assets),
    remove: (experimentId, assetId) =>
      inTransaction(connection, async ({ db: inside }) => {
        const key = keyOf(assetId);
        const rows = (await inside('assets')
          .select('experiment_id', 'id_key', 'blob_key')
          .where({ experiment_id: experimentId })
          .whereNull('artifact_version_id')
          .andWhere((open) => open.where({ id_key: key }).orWhere({ part_key: key }))
          .orderBy('id_key')
          .forUpdate()) as readonly AssetRow[]; // those three columns
        if (!rows.some((row) => row.id_key === key)) return false;
        await dropAssets(inside, rows, connection.clock.now());
        return true;
      }),
    changeTags: (experimentId, assetId, { add, remove }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const where = { experiment_id: experimentId, id_key: keyOf(assetId) };
        const row = await inside('assets')
          .select('tags')
          .where(where)
          .forUpdate()
          .first<{ readonly tags: string | null } | undefined>();
        if (row === undefined) return false;
        const tags = [
          ...new Set([...(row.tags === null ? [] : (JSON.parse(row.tags) as string[])), ...add]),
        ].filter((tag) => !remove.includes(tag)); // written here and by `toRow`
        await inside('assets')
          .where(where)
          .update({ tags: tags.length === 0 ? null : JSON.stringify(tags) });
        return true;
      }),
  };
};
