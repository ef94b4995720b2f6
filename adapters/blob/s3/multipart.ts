import { requireBlobKey } from '#ports/blob';
import type { BlobMultipart, StoredPart } from '#ports/blob-multipart';
import { Failure, isFailure } from '#ports/failure';
import { again } from '../streams/again.js';
import { Refused, type Doing } from '../streams/faults.js';
import { grantedSeconds, isOurs } from '../streams/keys.js';
import type { S3Connection } from './client.js';
import { passes, failureOf } from './faults.js';

/** Uploads whose parts clients send to the bucket themselves. */
export const s3Multipart = ({ client, bucket, place }: S3Connection): BlobMultipart => {
  const ask = async <T>(doing: Doing, work: () => Promise<T>): Promise<T> => {
    try {
      return await again(work, passes);
    } catch (thrown) {
      throw failureOf(thrown, place, doing);
    }
  };
  /** radosgw answers a wrong upload with 500, so that it must be asked whether there is one. */
  const requireStarted = async (key: string, upload: string): Promise<void> => {
    const { uploads } = await ask('list', () =>
      client().listIncompleteUploadsQuery(bucket, key, '', '', ''),
    );
    if (!uploads.some((one) => one.key === key && one.uploadId === upload))
      throw new Failure('absent', 'the upload is not open');
  };
  const join = async (key: string, upload: string, parts: readonly StoredPart[]): Promise<void> => {
    try {
      await client().completeMultipartUpload(
        bucket,
        key,
        upload,
        parts.map(({ number, etag }) => ({ part: number, etag: etag.replaceAll('"', '') })),
      );
    } catch (thrown) {
      if (thrown instanceof Refused && thrown.status === 500) await requireStarted(key, upload);
      throw thrown;
    }
  };
  const abort = (key: string, upload: string) =>
    ask('remove', () => client().abortMultipartUpload(bucket, key, upload));
  return {
    start: async (key) => {
      requireBlobKey(key);
      return ask('write', () => client().initiateNewMultipartUpload(bucket, key, {}));
    },
    signParts: async (key, upload, { count, seconds }) => {
      requireBlobKey(key);
      const signing = client();
      const links: string[] = [];
      for (let number = 1; number <= count; number++)
        links.push(
          await signing.presignedUrl('PUT', bucket, key, grantedSeconds(seconds), {
            partNumber: String(number),
            uploadId: upload,
          }),
        );
      return links;
    },
    complete: async (key, upload, parts) => {
      requireBlobKey(key);
      await ask('write', () => join(key, upload, parts));
      const { size } = await ask('read', () => client().statObject(bucket, key));
      return { size };
    },
    abort: async (key, upload) => {
      requireBlobKey(key);
      await abort(key, upload).catch((thrown: unknown) => {
        if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
      });
    },
    async *listStarted() {
      for (let [key, id] = ['', '']; ;) {
        const page = await ask('list', () =>
          client().listIncompleteUploadsQuery(bucket, '', key, id, ''),
        );
        for (const { key: name, uploadId, initiated } of page.uploads)
          if (isOurs(name))
            yield { key: name, upload: uploadId, startedAt: new Date(String(initiated)).getTime() };
        if (!page.isTruncated) return;
        [key, id] = [page.nextKeyMarker, page.nextUploadIdMarker];
      }
    },
  };
};
