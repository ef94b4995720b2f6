// Uploads in parts that pass by this server: the client sends them to the bucket, which joins them.
import type { BlobStore } from '#ports/blob-store';
import { Failure, isFailure } from '#ports/failure';
import type { AssetFacts, BucketUpload, DirectUpload } from '#ports/model/assets';
import { workEach, type QueueNeeds } from '#ports/queues';
import { headBytes, readDimensions } from './dimensions.js';
import { dropBytes, wantsDimensions, type KeepingNeeds, type KeptBytes } from './storing.js';
import { sizeLimit } from './types.js';

export interface BucketNeeds extends KeepingNeeds {
  readonly store: BlobStore;
}

/** S3 and GCS number no further. */
const mostParts = 10_000;

/** Begins an upload of the bucket and signs a link for each part; `undefined` where the bucket cannot do that. Its key is noted first, so that a sweep finds what is never finished. */
export const startInBucket = async (
  { uploads, clock, store }: BucketNeeds,
  facts: AssetFacts,
  { count, seconds }: { readonly count: number; readonly seconds: number },
): Promise<{ readonly bucket: BucketUpload; readonly links: readonly string[] } | undefined> => {
  const { multipart } = store;
  if (multipart === undefined || count > mostParts) return undefined;
  const blobKey = `${facts.workspaceId}/${facts.rowId}`;
  await uploads.noteUpload(blobKey, clock.now());
  const upload = await multipart.start(blobKey);
  return {
    bucket: { blobKey, upload },
    links: await multipart.signParts(blobKey, upload, { count, seconds }),
  };
};

/** Drops uploads of the bucket that became no asset, at most `limit`. Answers how many. May be repeated and run by several at once. */
export const dropAborted = async (
  needs: Pick<BucketNeeds, 'uploads' | 'store'> & QueueNeeds,
  limit: number,
  signal: AbortSignal,
): Promise<number> => {
  const { uploads, store } = needs;
  return workEach(needs, {
    queue: 'blob-abort',
    items: await uploads.listAborts(limit),
    idOf: ({ blobKey }) => blobKey,
    isOutage: isAway,
    signal,
    async work({ blobKey, upload }) {
      await store.multipart?.abort(blobKey, upload);
      await uploads.forgetAborts([blobKey]);
    },
  });
};

/** Whether a bucket is away, so that no blob is to blame. */
export const isAway = (thrown: unknown): boolean =>
  isFailure(thrown) && thrown.kind === 'unavailable';

export interface BucketEnd {
  readonly fileSize: number;
  readonly sent: readonly { readonly ETag: string; readonly PartNumber: number }[];
}

/** The bucket's word for every part, in order. Rejects with `invalid` when the client names others than were begun. */
const orderParts = (upload: DirectUpload, { sent }: BucketEnd) => {
  const parts = sent
    .map(({ PartNumber, ETag }) => ({ number: PartNumber, etag: ETag }))
    .sort((one, other) => one.number - other.number);
  if (parts.length !== upload.parts || parts.some(({ number }, at) => number !== at + 1))
    throw new Failure(
      'invalid',
      `upload ${upload.id} has ${parts.length} of its ${upload.parts} parts`,
    );
  return parts;
};

/** Joins the parts. An upload that is no longer open was joined by a try whose answer was lost, if its blob is there. */
const join = async (
  { store, blob }: BucketNeeds,
  upload: DirectUpload,
  { blobKey, upload: id }: BucketUpload,
  end: BucketEnd,
): Promise<number> => {
  if (store.multipart === undefined)
    throw new Failure(
      'unavailable',
      `the bucket of upload ${upload.id} is no longer the one that is used`,
    );
  try {
    return (await store.multipart.complete(blobKey, id, orderParts(upload, end))).size;
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
    return (await blob.stat(blobKey)).size;
  }
};

const readHead = async ({ blob }: BucketNeeds, blobKey: string): Promise<Uint8Array> => {
  const head = new Uint8Array(headBytes);
  let size = 0;
  for await (const bytes of (await blob.open(blobKey, { range: { start: 0, end: headBytes - 1 } }))
    .stream) {
    head.set(bytes, size);
    size += bytes.length;
  }
  return head.subarray(0, size);
};

/**
 * Ends an upload of the bucket: its parts are one blob then. Each part is held against what the client says of it by its tag, and the whole
 * by its size; of what all bytes hash to, no one has seen enough. Rejects with `invalid` or `tooLarge`, and the blob is gone then. May be repeated.
 */
export const completeInBucket = async (
  needs: BucketNeeds,
  upload: DirectUpload,
  bucket: BucketUpload,
  end: BucketEnd,
): Promise<KeptBytes> => {
  const { blobKey } = bucket;
  const size = await join(needs, upload, bucket, end);
  const most = sizeLimit(upload.facts.type, needs.settings);
  if (size !== end.fileSize || (most > 0 && size > most)) {
    await dropBytes(needs, blobKey);
    throw size === end.fileSize
      ? new Failure('tooLarge', `an asset of this type must be at most ${most} bytes`)
      : new Failure('invalid', `upload ${upload.id} has ${size} bytes, not ${end.fileSize}`);
  }
  const dimensions =
    wantsDimensions(needs, upload.facts) && size > 0
      ? readDimensions(await readHead(needs, blobKey))
      : undefined;
  return {
    blobKey,
    fileSize: size,
    sha256: undefined,
    width: dimensions?.width,
    height: dimensions?.height,
  };
};
