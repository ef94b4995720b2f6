// Files that pass by this server: a client sends their parts to the bucket, which joins them.
import type { BlobStore } from '#ports/blob-store';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { BucketUpload, DirectUpload } from '#ports/model/assets';
import type { Attachment } from '#ports/model/attachments';
import type { Project } from '#ports/model/projects';
import type { StorageOf } from '#ports/storage/storage';
import { dropBytes } from '../assets/offers.js';
import { isUuid } from '../uuid.js';

export interface DirectNeeds {
  readonly storage: StorageOf<'attachments' | 'uploads'>;
  readonly store: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A file that is to come. */
export type Coming = Pick<
  Attachment,
  'projectId' | 'entityKind' | 'entityId' | 'fileName' | 'mimeType'
>;

/** S3 and GCS number no further. */
const mostParts = 10_000;
/** How long links work. An upload that is not ended is dropped a day after that. */
const linkSeconds = 3600;

/** Begins an upload: its id, and a link of the bucket for each part, in order. Its key is noted first, so that a sweep finds what is never finished. */
export const startUpload = async (
  { storage, store: { multipart }, clock, ids }: DirectNeeds,
  { workspaceId, id: projectId }: Pick<Project, 'id' | 'workspaceId'>,
  { entityKind, entityId, fileName, mimeType }: Omit<Coming, 'projectId'>,
  parts: number,
): Promise<{ readonly id: string; readonly links: readonly string[] }> => {
  if (multipart === undefined) throw new Failure('unsupported', 'the bucket joins no parts');
  if (parts > mostParts)
    throw new Failure('invalid', `num_of_file_parts must be at most ${mostParts}`);
  const { uploads } = storage.stores;
  const [id, rowId, now] = [ids.next(), ids.next(), clock.now()];
  const blobKey = `${workspaceId}/${rowId}`;
  await uploads.noteUpload(blobKey, now);
  const upload = await multipart.start(blobKey);
  await uploads.insertDirect({
    ...{ id, experimentId: projectId, idGiven: false, replacing: true, parts },
    facts: {
      ...{ id, rowId, experimentId: projectId, workspaceId, fileName, type: 'attachment' },
      ...{ runContext: undefined, step: undefined, epoch: undefined, metadata: undefined },
      ...{ remoteLink: undefined, groupingName: undefined, artifactVersionId: undefined },
      ...{ extension: undefined, tags: [], partOf: undefined, createdAt: now },
    },
    bucket: { blobKey, upload },
    expiresAt: now + linkSeconds * 1000,
    keptAs: undefined,
    attachedTo: { entityKind, entityId, mimeType },
  });
  return {
    id,
    links: await multipart.signParts(blobKey, upload, { count: parts, seconds: linkSeconds }),
  };
};

export interface UploadEnd {
  readonly uploadId: string;
  readonly about: Omit<Coming, 'mimeType'>;
  readonly fileSize: number;
  readonly sent: readonly { readonly e_tag: string; readonly part_number: number }[];
  readonly createdBy: string;
}

type Begun = DirectUpload &
  Required<Pick<DirectUpload, 'attachedTo'>> & { readonly bucket: BucketUpload };

/** The upload of exactly this file. */
const requireUpload = async (
  { storage }: DirectNeeds,
  { uploadId, about }: UploadEnd,
): Promise<Begun> => {
  const found = isUuid(uploadId) ? await storage.stores.uploads.findDirect(uploadId) : undefined;
  const { attachedTo, bucket } = found ?? {};
  if (
    found === undefined ||
    attachedTo === undefined ||
    bucket === undefined ||
    found.experimentId !== about.projectId ||
    found.facts.fileName !== about.fileName ||
    attachedTo.entityKind !== about.entityKind ||
    attachedTo.entityId !== about.entityId
  )
    throw new Failure('invalid', `upload ${uploadId.slice(0, 80)} is not under way for this file`);
  return { ...found, attachedTo, bucket };
};

/** Joins the parts, and answers the size. An upload that is no longer open was joined by a try whose answer was lost, if its blob is there. */
const join = async (
  { store: { blob, multipart } }: DirectNeeds,
  { id, parts, bucket: { blobKey, upload } }: Begun,
  { sent }: UploadEnd,
): Promise<number> => {
  if (multipart === undefined)
    throw new Failure(
      'unavailable',
      `the bucket of upload ${id} is no longer the one that is used`,
    );
  const ordered = sent
    .map(({ part_number: number, e_tag: etag }) => ({ number, etag }))
    .sort((one, other) => one.number - other.number);
  if (ordered.length !== parts || ordered.some(({ number }, at) => number !== at + 1))
    throw new Failure('invalid', `upload ${id} must have the parts 1 to ${parts}`);
  try {
    return (await multipart.complete(blobKey, upload, ordered)).size;
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
    return (await blob.stat(blobKey)).size;
  }
};

/** Ends an upload: its parts are the file then. Rejects with `invalid` for parts and sizes that are not those that came. May be repeated. */
export const completeUpload = async (needs: DirectNeeds, end: UploadEnd): Promise<void> => {
  const { storage, store, clock } = needs;
  const begun = await requireUpload(needs, end);
  if (begun.keptAs !== undefined) return;
  const { blobKey } = begun.bucket;
  const size = await join(needs, begun, end);
  if (size !== end.fileSize) {
    await dropBytes({ uploads: storage.stores.uploads, blob: store.blob }, blobKey);
    await storage.stores.uploads.removeDirect(begun.id, clock.now());
    throw new Failure('invalid', `upload ${begun.id} has ${size} bytes, not ${end.fileSize}`);
  }
  const now = clock.now();
  await storage.transaction(async ({ attachments, uploads }) => {
    // One of several at once goes on: the file may have been replaced since.
    if (!(await uploads.finishDirect(begun.id, blobKey, now))) return;
    await attachments.put({
      ...end.about,
      ...{ mimeType: begun.attachedTo.mimeType, fileSize: size, blobKey },
      ...{ createdAt: now, createdBy: end.createdBy },
    });
  });
};

/** A link to the bytes in the bucket, where clients know that it takes no key of this server: to others they send theirs. */
export const linkInBucket = async (
  { store: { links } }: Pick<DirectNeeds, 'store'>,
  { blobKey, fileName, mimeType }: Pick<Attachment, 'blobKey' | 'fileName' | 'mimeType'>,
): Promise<string | undefined> => {
  const link = await links?.signGet(blobKey, {
    seconds: linkSeconds,
    fileName,
    contentType: mimeType,
  });
  return link?.includes('X-Amz-Signature') === true ? link : undefined;
};
