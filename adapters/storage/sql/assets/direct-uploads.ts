// Uploads whose bytes come in parts, or go to the bucket directly.
import type { DirectUpload } from '#ports/model/assets';
import type { UploadStore } from '#ports/storage/uploads';
import { inTransaction, type Connection } from '../connection.js';
import { dropParts, forgetDirect, type DirectContent } from './direct-content.js';
import { queueRemovals } from './removals.js';

type Directly =
  'insertDirect' | 'findDirect' | 'keepPart' | 'listParts' | 'finishDirect' | 'removeDirect';

export const directUploads = (connection: Connection): Pick<UploadStore, Directly> => {
  const { db, clock } = connection;
  return {
    async insertDirect({ id, experimentId, expiresAt, ...content }) {
      await db('direct_uploads').insert({
        id,
        experiment_id: experimentId,
        content: JSON.stringify(content),
        expires_at: expiresAt,
      });
    },
    async findDirect(id) {
      const row = await db('direct_uploads')
        .select('experiment_id', 'content', 'expires_at')
        .where({ id })
        .first<
          | {
              readonly experiment_id: string;
              readonly content: string;
              readonly expires_at: unknown;
            }
          | undefined
        >();
      if (row === undefined) return undefined;
      const content = JSON.parse(row.content) as DirectContent; // written by `insertDirect`
      return {
        id,
        experimentId: row.experiment_id,
        expiresAt: Number(row.expires_at),
        ...content,
        bucket: content.bucket,
        keptAs: content.keptAs,
      } satisfies DirectUpload;
    },
    keepPart: (uploadId, { number, size, sha256, blobKey }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const open = await inside('direct_uploads')
          .select('content')
          .where({ id: uploadId })
          .forUpdate()
          .first<{ readonly content: string } | undefined>();
        if (open === undefined || (JSON.parse(open.content) as DirectContent).keptAs !== undefined)
          return false; // written by `insertDirect` and `finishDirect`
        const before = await inside('direct_parts')
          .select('blob_key')
          .where({ upload_id: uploadId, number })
          .first<{ readonly blob_key: string } | undefined>();
        await inside('direct_parts')
          .insert({ upload_id: uploadId, number, size, sha256, blob_key: blobKey })
          .onConflict(['upload_id', 'number'])
          .merge(['size', 'sha256', 'blob_key']);
        await inside('uploads').where({ blob_key: blobKey }).delete();
        if (before !== undefined && before.blob_key !== blobKey)
          await queueRemovals(inside, [before.blob_key], clock.now());
        return true;
      }),
    async listParts(uploadId) {
      const rows = (await db('direct_parts')
        .select('number', 'size', 'sha256', 'blob_key')
        .where({ upload_id: uploadId })
        .orderBy('number')) as readonly {
        readonly number: unknown;
        readonly size: unknown;
        readonly sha256: string;
        readonly blob_key: string;
      }[]; // the columns named
      return rows.map((row) => ({
        number: Number(row.number),
        size: Number(row.size),
        sha256: row.sha256,
        blobKey: row.blob_key,
      }));
    },
    finishDirect: (id, keptAs, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        const row = await inside('direct_uploads')
          .select('content')
          .where({ id })
          .forUpdate()
          .first<{ readonly content: string } | undefined>();
        if (row === undefined) return false;
        const content = JSON.parse(row.content) as DirectContent; // written by `insertDirect`, and here
        if (content.keptAs !== undefined) return false;
        await inside('direct_uploads')
          .where({ id })
          .update({ content: JSON.stringify({ ...content, keptAs }) });
        await dropParts(inside, id, at);
        return true;
      }),
    removeDirect: (id, at) =>
      inTransaction(connection, ({ db: inside }) => forgetDirect(inside, id, at)),
  };
};
