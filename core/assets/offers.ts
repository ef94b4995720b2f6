// What other areas do with assets: keep a document of their own, show and pack files that they keep, and the job that removes bytes no one needs.
import type { ByteStream, Download } from '#ports/bytes';
import type { VersionFile } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import { workEach, type QueueNeeds } from '#ports/queues';
import type { Stores } from '#ports/storage/storage';
import { dropAborted, isAway, type BucketNeeds } from './bucket.js';
import { toZip, type DownloadNeeds } from './downloads.js';
import { keepBytes, keepRow, type KeepingNeeds } from './storing.js';
import { readFacts, withName, type UploadFields } from './requests.js';

export { toZip as packAssets, type DownloadNeeds as PackingNeeds } from './downloads.js';
export { bucketLink } from './links.js';
export { dropBytes, putNoted } from './storing.js';
export { contentTypeOf } from './content-types.js';
export { downloadLink, toWire as showAsset } from './wire.js';

async function* bytesOf(text: string): ByteStream {
  yield new TextEncoder().encode(text);
}

/** Keeps a text as an asset of an experiment that exists, and answers its id. One of the same name and type is replaced when `overwrite` is set. Rejects as an upload does. */
export const keepText = async (
  needs: KeepingNeeds,
  experiment: Experiment,
  fields: UploadFields,
  text: string,
  signal: AbortSignal,
): Promise<string> => {
  const facts = withName(
    readFacts(fields, experiment, {
      id: needs.ids.key(),
      rowId: needs.ids.next(),
      now: needs.clock.now(),
    }),
    undefined,
  );
  const bytes = await keepBytes(needs, facts, bytesOf(text), signal);
  return keepRow(needs, facts, bytes, {
    replacing: fields.overwrite === true,
    idGiven: fields.assetId !== undefined,
  });
};

export interface JsonAsset {
  readonly fileName: string;
  readonly type: string;
  readonly extension: string | undefined;
  /** The document, as its text or as the value it stands for. */
  readonly file: unknown;
}

/** Keeps a JSON document that came inside a batch. A batch sent again replaces it, so that one stays one. */
export const keepJson = (
  needs: KeepingNeeds,
  experiment: Experiment,
  { file, ...names }: JsonAsset,
  signal: AbortSignal,
): Promise<string> =>
  keepText(
    needs,
    experiment,
    { ...names, overwrite: true },
    typeof file === 'string' ? file : JSON.stringify(file),
    signal,
  );

const filesAtOnce = 2000;

/** Every file of an artifact version in the order of storing, page by page. */
export async function* everyFile(
  assets: Stores['assets'],
  artifactVersionId: string,
): AsyncIterable<readonly VersionFile[]> {
  for (let afterRow: string | undefined; ;) {
    const page = await assets.listOfVersion(artifactVersionId, afterRow, filesAtOnce);
    if (page.length > 0) yield page;
    if (page.length < filesAtOnce) return;
    afterRow = page.at(-1)?.rowId;
  }
}

/** The files of an artifact version as one zip, each under its own relative path, made while it is read. */
export const zipVersion = (
  needs: DownloadNeeds,
  artifactVersionId: string,
  fileName: string,
  signal: AbortSignal,
): Download => toZip(needs, everyFile(needs.assets, artifactVersionId), fileName, signal);

const dayMs = 24 * 60 * 60 * 1000;

/** What removing bytes needs besides the bucket. */
type RemovalNeeds = QueueNeeds & { readonly blobRecords: Stores['blobRecords'] };

/**
 * Removes bytes that no row needs: of deleted assets, of uploads that broke off a day ago, of uploads in parts that ran out. At most `limit`
 * of each; answers how many keys it looked at, so that the caller goes on while there are more. May be repeated and run by several at once.
 */
export const sweepBlobs = async (
  needs: Pick<BucketNeeds, 'uploads' | 'blob' | 'store'> & RemovalNeeds,
  limit: number,
  signal: AbortSignal,
): Promise<number> => {
  const { uploads, blobRecords, clock } = needs;
  const now = clock.now();
  await uploads.expireUploads({ uploads: now - dayMs, direct: now - dayMs }, now, limit);
  await dropAborted(needs, limit, signal);
  const keys = await blobRecords.listRemovals(limit);
  await removeBlobs(needs, keys, signal);
  return keys.length;
};

/** All at once, which is the fewest requests to a bucket; one by one where one of them cannot be removed, so that it alone stays. */
const removeBlobs = async (
  needs: Pick<BucketNeeds, 'blob'> & RemovalNeeds,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const { blobRecords, blob } = needs;
  const areGone =
    keys.length === 0 ||
    (await blob.remove(keys).then(
      () => true,
      (thrown: unknown) => {
        if (isAway(thrown)) throw thrown;
        return false;
      },
    ));
  const removed: string[] = [];
  try {
    await workEach(needs, {
      queue: 'blob-removal',
      items: keys,
      idOf: (key) => key,
      isOutage: isAway,
      signal,
      work: async (key) => {
        if (!areGone) await blob.remove([key]);
        removed.push(key);
      },
    });
  } finally {
    await blobRecords.forgetRemovals(removed);
  }
};
