// What an upload in parts is to become, as it is kept until it has become that.
import type { Knex } from 'knex';
import type { AssetFacts, BucketUpload } from '#ports/model/assets';
import { queueRemovals } from './removals.js';

export interface DirectContent {
  readonly facts: AssetFacts;
  readonly idGiven: boolean;
  readonly replacing: boolean;
  readonly parts: number;
  readonly bucket?: BucketUpload;
  readonly keptAs?: string;
}

export const dropParts = async (db: Knex, uploadId: string, at: number): Promise<void> => {
  const parts = (await db('direct_parts')
    .select('blob_key')
    .where({ upload_id: uploadId })) as readonly { readonly blob_key: string }[]; // the column named
  await db('direct_parts').where({ upload_id: uploadId }).delete();
  await queueRemovals(
    db,
    parts.map((part) => part.blob_key),
    at,
  );
};

/** What the bucket gathered for an upload that became no asset; where its note is gone, an asset may have taken the bytes. */
const queueAbort = async (
  db: Knex,
  { bucket, keptAs }: DirectContent,
  at: number,
): Promise<void> => {
  if (bucket === undefined || keptAs !== undefined) return;
  await db('blob_aborts')
    .insert({ blob_key: bucket.blobKey, upload: bucket.upload, at })
    .onConflict('blob_key')
    .ignore();
  if ((await db('uploads').where({ blob_key: bucket.blobKey }).delete()) > 0)
    await queueRemovals(db, [bucket.blobKey], at);
};

/** Whether there was such an upload; it and what came of it are gone. */
export const forgetDirect = async (db: Knex, id: string, at: number): Promise<boolean> => {
  const row = await db('direct_uploads')
    .select('content')
    .where({ id })
    .forUpdate()
    .first<{ readonly content: string } | undefined>();
  if (row !== undefined) await queueAbort(db, JSON.parse(row.content) as DirectContent, at); // written by `insertDirect`
  await db('direct_uploads').where({ id }).delete();
  await dropParts(db, id, at);
  return row !== undefined;
};
