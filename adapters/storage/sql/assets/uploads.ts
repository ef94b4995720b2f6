// Bytes that are on their way: noted before they are stored, so that those which nobody came back for are removed.
import type { Knex } from 'knex';
import type { UploadStore } from '#ports/storage/uploads';
import { batchByKey } from '../batch-by-key.js';
import { inTransaction, type Connection } from '../connection.js';
import { withoutHeld, workThrough } from '../queue-faults.js';
import { forgetDirect } from './direct-content.js';
import { directUploads } from './direct-uploads.js';
import { queueRemovals, removalsAtOnce } from './removals.js';
import { mostWaiting, together } from './sharing.js';

interface Note {
  readonly blobKey: string;
  readonly at: number;
}

const writeNotes = async (db: Knex, notes: readonly Note[]): Promise<readonly void[]> => {
  const rows = new Map(notes.map(({ blobKey, at }) => [blobKey, { blob_key: blobKey, at }]));
  await db('uploads')
    .insert([...rows.values()].sort((one, other) => (one.blob_key < other.blob_key ? -1 : 1)))
    .onConflict('blob_key')
    .merge(['at']);
  return notes.map(() => undefined);
};

export const uploadStore = (connection: Connection): UploadStore => {
  const { db, clock, dialect } = connection;
  const note = connection.inTransaction
    ? async (one: Note): Promise<void> => {
        await writeNotes(db, [one]);
      }
    : batchByKey<Note, void>({ keyOf: () => '', together, waiting: mostWaiting }, (notes) =>
        writeNotes(db, notes),
      );
  return {
    ...directUploads(connection),
    noteUpload: (blobKey, at) => note({ blobKey, at }),
    async forgetUpload(blobKey) {
      await db('uploads').where({ blob_key: blobKey }).delete();
    },
    async expireUploads(before, at, limit) {
      const stale = (await db('uploads')
        .select('blob_key')
        .where('at', '<', before.uploads)
        .orderBy('at')
        .limit(limit)) as readonly { readonly blob_key: string }[]; // the column named
      for (const { blob_key } of stale)
        await inTransaction(connection, async ({ db: inside }) => {
          if ((await inside('uploads').where({ blob_key }).delete()) > 0)
            await queueRemovals(inside, [blob_key], at);
        });
      const expired = (await db('direct_uploads')
        .select('id')
        .where('expires_at', '<', before.direct)
        .modify(
          withoutHeld(
            connection,
            'upload-expiry',
            dialect.idAsText('direct_uploads.id'),
            clock.now(),
          ),
        )
        .orderBy('expires_at')
        .limit(limit)) as readonly { readonly id: string }[]; // the column named
      await workThrough(connection, {
        queue: 'upload-expiry',
        items: expired,
        idOf: ({ id }) => id,
        work: async ({ id }) => {
          await inTransaction(connection, ({ db: inside }) => forgetDirect(inside, id, at));
        },
        signal: new AbortController().signal,
      });
      return stale.length + expired.length;
    },
    async listAborts(limit) {
      const rows = (await db('blob_aborts')
        .select('blob_key', 'upload')
        .modify(withoutHeld(connection, 'blob-abort', 'blob_aborts.blob_key', clock.now()))
        .orderBy(['at', 'blob_key'])
        .limit(limit)) as readonly { readonly blob_key: string; readonly upload: string }[]; // the columns named
      return rows.map((row) => ({ blobKey: row.blob_key, upload: row.upload }));
    },
    async forgetAborts(keys) {
      for (let at = 0; at < keys.length; at += removalsAtOnce)
        await db('blob_aborts')
          .whereIn('blob_key', keys.slice(at, at + removalsAtOnce))
          .delete();
    },
  };
};
