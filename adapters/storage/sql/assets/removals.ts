// Assets that go, and their bytes, which a job removes from the bucket.
import type { Knex } from 'knex';
import type { AssetRow } from './asset-rows.js';

/** Rows of one statement, or of one transaction. */
export const removalsAtOnce = 500;

export const queueRemovals = async (
  db: Knex,
  keys: readonly (string | null)[],
  at: number,
): Promise<void> => {
  const rows = [...new Set(keys.filter((key) => key !== null))]
    .sort()
    .map((blob_key) => ({ blob_key, at }));
  if (rows.length > 0) await db('blob_removals').insert(rows).onConflict('blob_key').ignore();
};

/** Deletes assets of one experiment and queues their bytes. */
export const dropAssets = async (
  db: Knex,
  rows: readonly Pick<AssetRow, 'experiment_id' | 'id_key' | 'blob_key'>[],
  at: number,
): Promise<void> => {
  for (const { experiment_id, id_key } of rows)
    await db('assets').where({ experiment_id, id_key }).delete();
  await queueRemovals(
    db,
    rows.map((row) => row.blob_key),
    at,
  );
};
