// What this server knows of the bytes in its bucket.
import type { Asset } from '#ports/model/assets';
import type { BlobRecordStore } from '#ports/storage/blob-records';
import { inTransaction, type Connection } from '../connection.js';
import { withoutHeld } from '../queue-faults.js';
import type { AssetRow } from './asset-rows.js';
import { dropAssets, removalsAtOnce } from './removals.js';

export const blobRecordStore = (connection: Connection): BlobRecordStore => {
  const { db, clock, dialect } = connection;
  const removeSome = (
    where: Record<string, unknown>,
    limit: number,
    at: number,
    withVersions: boolean,
  ) =>
    inTransaction(connection, async ({ db: inside }) => {
      const query = inside('assets')
        .select('experiment_id', 'id_key', 'blob_key')
        .where(where)
        .orderBy('row_id')
        .limit(Math.min(limit, removalsAtOnce));
      if (!withVersions) query.whereNull('artifact_version_id');
      const rows = (await query) as readonly AssetRow[]; // those three columns
      await dropAssets(inside, rows, at);
      return rows.length;
    });

  return {
    purge: (experimentId, limit, at) =>
      removeSome({ experiment_id: experimentId }, limit, at, false),
    purgeVersion: (artifactVersionId, limit, at) =>
      removeSome({ artifact_version_id: artifactVersionId }, limit, at, true),
    async listRemovals(limit) {
      // Bytes that a registered version keeps wait until it is gone.
      const held = db('registry_files')
        .select('registry_files.blob_key')
        .whereRaw('registry_files.blob_key = blob_removals.blob_key');
      const rows = (await db('blob_removals')
        .select('blob_key')
        .whereNotExists(held)
        .modify(withoutHeld(connection, 'blob-removal', 'blob_removals.blob_key', clock.now()))
        .orderBy(['at', 'blob_key'])
        .limit(limit)) as readonly { readonly blob_key: string }[]; // the column named
      return rows.map((row) => row.blob_key);
    },
    async forgetRemovals(keys) {
      for (let at = 0; at < keys.length; at += removalsAtOnce)
        await db('blob_removals')
          .whereIn('blob_key', keys.slice(at, at + removalsAtOnce))
          .delete();
    },
    async listKnown(blobKeys) {
      const known = new Set<string>();
      // In the order in which a key passes from one to the next, so that one that passes meanwhile is seen where it arrives.
      for (const table of [
        'uploads',
        'direct_parts',
        'assets',
        'registry_files',
        'trace_attachments',
        'blob_removals',
      ] as const) {
        const rows = (await db(table)
          .distinct('blob_key')
          .modify(dialect.among('blob_key', 'text', blobKeys))) as readonly {
          readonly blob_key: string;
        }[]; // the column named
        for (const { blob_key } of rows) known.add(blob_key);
      }
      return blobKeys.filter((key) => known.has(key));
    },
    async listKept(afterRow, limit) {
      const query = db('assets')
        .select('row_id', 'blob_key', 'experiment_id', 'id', 'file_size')
        .whereNotNull('blob_key')
        .orderBy('row_id')
        .limit(limit);
      if (afterRow !== undefined) query.where('row_id', '>', afterRow);
      const rows = (await query) as readonly {
        readonly row_id: string;
        readonly blob_key: string;
        readonly experiment_id: string;
        readonly id: string;
        readonly file_size: unknown;
      }[]; // the columns named
      return rows.map((row) => ({
        rowId: row.row_id,
        blobKey: row.blob_key,
        experimentId: row.experiment_id,
        assetId: row.id,
        size: Number(row.file_size),
      }));
    },
    async listRegistered(afterRow, limit) {
      const query = db('registry_files')
        .select('row_id', 'blob_key', 'source_id')
        .min({ content: 'content' })
        .whereNotNull('blob_key')
        .groupBy('row_id', 'blob_key', 'source_id')
        .orderBy('row_id')
        .limit(limit);
      if (afterRow !== undefined) query.where('row_id', '>', afterRow);
      const rows = (await query) as unknown as readonly {
        readonly row_id: string;
        readonly blob_key: string;
        readonly source_id: string;
        readonly content: string;
      }[]; // the columns named
      return rows.map((row) => {
        const asset = JSON.parse(row.content) as Asset; // written by the registry as a copy of the asset
        return {
          rowId: row.row_id,
          blobKey: row.blob_key,
          experimentId: row.source_id,
          assetId: asset.id,
          size: asset.fileSize,
        };
      });
    },
  };
};
