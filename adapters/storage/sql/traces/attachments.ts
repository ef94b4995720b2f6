// Files of traces and spans: rows here, bytes in the bucket.
import type { Attachment } from '#ports/model/attachments';
import type { AttachedTo, AttachmentStore } from '#ports/storage/attachments';
import { queueRemovals } from '../assets/removals.js';
import { inTransaction, keyOf, type Connection } from '../connection.js';
import { isId } from '../ids.js';
import type { Row } from './rows.js';

const columns = [
  'project_id',
  'entity_kind',
  'entity_id',
  'file_name',
  'mime_type',
  'file_size',
  'blob_key',
  'created_at',
  'created_by',
] as const;

const toAttachment = (row: Row): Attachment => ({
  projectId: String(row['project_id']),
  entityKind: String(row['entity_kind']) as Attachment['entityKind'], // written from one
  entityId: String(row['entity_id']),
  fileName: String(row['file_name']),
  mimeType: String(row['mime_type']),
  fileSize: Number(row['file_size']),
  blobKey: String(row['blob_key']),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
});

const nameKey = (entityKind: string, fileName: string): string => keyOf(entityKind, fileName);
const isFindable = ({ projectId, entityId }: AttachedTo): boolean =>
  isId(projectId) && isId(entityId);
const rowsOf = ({ projectId, entityKind, entityId }: AttachedTo) => ({
  project_id: projectId,
  entity_kind: entityKind,
  entity_id: entityId,
});

/** Removes the files of some traces or spans, in the caller's transaction. */
export const removeAttachmentsOf = async (
  { db, clock }: Connection,
  projectId: string,
  entityKind: Attachment['entityKind'],
  entityIds: readonly string[],
): Promise<void> => {
  const rows = (await db('trace_attachments')
    .select('blob_key')
    .where({ project_id: projectId, entity_kind: entityKind })
    .whereIn('entity_id', [...entityIds])) as readonly Row[]; // the column named
  if (rows.length === 0) return;
  const keys = rows.map((row) => String(row['blob_key'])).sort();
  await queueRemovals(db, keys, clock.now());
  await db('trace_attachments').whereIn('blob_key', keys).delete();
};

/** Removes some files of a project that is gone, and answers how many. */
export const removeAttachmentsOfProject = (
  connection: Connection,
  projectId: string,
  limit: number,
): Promise<number> =>
  inTransaction(connection, async ({ db, clock }) => {
    const rows = (await db('trace_attachments')
      .select('blob_key')
      .where({ project_id: projectId })
      .orderBy(['entity_id', 'name_key'])
      .limit(limit)) as readonly Row[]; // the column named
    const keys = rows.map((row) => String(row['blob_key']));
    await queueRemovals(db, keys, clock.now());
    if (keys.length > 0) await db('trace_attachments').whereIn('blob_key', keys).delete();
    return rows.length;
  });

export const attachmentStore = (connection: Connection): AttachmentStore => {
  const { db } = connection;
  return {
    put: (attachment) =>
      inTransaction(
        connection,
        async (inside) => {
          const { entityKind, fileName, blobKey, createdAt } = attachment;
          const own = { ...rowsOf(attachment), name_key: nameKey(entityKind, fileName) };
          const before = (await inside
            .db('trace_attachments')
            .select('blob_key')
            .where(own)
            .forUpdate()
            .first()) as Row | undefined; // the column named
          if (before !== undefined) {
            if (before['blob_key'] !== blobKey)
              await queueRemovals(inside.db, [String(before['blob_key'])], createdAt);
            await inside.db('trace_attachments').where(own).delete();
          }
          await inside.db('trace_attachments').insert({
            ...own,
            file_name: fileName,
            mime_type: attachment.mimeType,
            file_size: attachment.fileSize,
            blob_key: blobKey,
            created_at: createdAt,
            created_by: attachment.createdBy,
          });
          await inside.db('uploads').where({ blob_key: blobKey }).delete();
        },
        { overtaken: true },
      ),
    async page(about, { page, size }) {
      if (!isFindable(about)) return { page, size, total: 0, content: [] };
      const rows = (await db('trace_attachments')
        .select(...columns)
        .where(rowsOf(about))
        .orderBy(['file_name', 'name_key'])
        .offset((page - 1) * size)
        .limit(size)) as readonly Row[]; // the columns named
      const [counted] = await db('trace_attachments').where(rowsOf(about)).count({ n: '*' });
      return {
        page,
        size,
        total: Number(counted?.['n'] ?? 0),
        content: rows.map(toAttachment),
      };
    },
    async find(about, fileName) {
      if (!isFindable(about)) return undefined;
      const row = (await db('trace_attachments')
        .select(...columns)
        .where({ ...rowsOf(about), name_key: nameKey(about.entityKind, fileName) })
        .first()) as Row | undefined; // the columns named
      return row === undefined ? undefined : toAttachment(row);
    },
    async remove(about, fileNames, at) {
      if (!isFindable(about)) return;
      await inTransaction(connection, async (inside) => {
        const rows = (await inside
          .db('trace_attachments')
          .select('blob_key', 'name_key')
          .where(rowsOf(about))
          .whereIn(
            'name_key',
            fileNames.map((name) => nameKey(about.entityKind, name)),
          )
          .orderBy('name_key')
          .forUpdate()) as readonly Row[]; // the columns named
        const keys = rows.map((row) => String(row['blob_key']));
        await queueRemovals(inside.db, keys, at);
        await inside.db('trace_attachments').whereIn('blob_key', keys).delete();
      });
    },
  };
};
