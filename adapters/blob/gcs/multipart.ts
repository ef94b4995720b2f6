// Uploads whose parts clients send to the bucket themselves: the multipart uploads of the XML API, which the official client has for
// its own use only.
import { requireBlobKey } from '#ports/blob';
import type { BlobMultipart, StoredPart } from '#ports/blob-multipart';
import { Failure } from '#ports/failure';
import { again } from '../streams/again.js';
import type { Doing } from '../streams/faults.js';
import { isOurs } from '../streams/keys.js';
import { askSize, readText, type GcsConnection } from './client.js';
import { passes, failureOf } from './faults.js';
import { endOf } from './links.js';

const named = (name: string, text: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
/** Ids and tags are plain, but for what a document must not hold bare. */
const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const joinRequest = (parts: readonly StoredPart[]): Buffer =>
  Buffer.from(
    `<CompleteMultipartUpload>${parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${escape(etag.replaceAll('"', ''))}"</ETag></Part>`).join('')}</CompleteMultipartUpload>`,
  );

export const gcsMultipart = (connection: GcsConnection): BlobMultipart => {
  const { bucket, endpoint, place, send } = connection;
  const ask = async <T>(doing: Doing, work: () => Promise<T>): Promise<T> => {
    try {
      return await again(work, passes);
    } catch (thrown) {
      throw failureOf(thrown, place, doing);
    }
  };
  const at = (key: string, upload: string): string =>
    `${endpoint}/${bucket.name}/${key}?uploadId=${encodeURIComponent(upload)}`;
  const xml = { 'content-type': 'application/xml' };
  return {
    start: async (key) => {
      requireBlobKey(key);
      const text = await ask('write', async () =>
        readText(
          await send({
            method: 'POST',
            url: `${endpoint}/${bucket.name}/${key}?uploads`,
            headers: { 'content-type': 'application/octet-stream' },
            expected: [200],
          }),
        ),
      );
      const upload = named('UploadId', text);
      if (upload === undefined)
        throw new Failure('unavailable', `${place} gave no id for an upload`);
      return upload;
    },
    signParts: async (key, upload, { count, seconds }) => {
      requireBlobKey(key);
      const expires = endOf(seconds);
      const links: string[] = [];
      try {
        for (let number = 1; number <= count; number++)
          links.push(
            (
              await bucket.file(key).getSignedUrl({
                version: 'v4',
                action: 'write',
                expires,
                queryParams: { partNumber: String(number), uploadId: upload },
              })
            )[0],
          );
      } catch (thrown) {
        throw failureOf(thrown, place, 'write');
      }
      return links;
    },
    complete: async (key, upload, parts) => {
      requireBlobKey(key);
      await ask('write', async () =>
        readText(
          await send({
            method: 'POST',
            url: at(key, upload),
            headers: xml,
            body: joinRequest(parts),
            expected: [200],
          }),
        ),
      );
      return { size: await ask('read', () => askSize(connection, key)) };
    },
    abort: async (key, upload) => {
      requireBlobKey(key);
      await ask('remove', async () =>
        readText(await send({ method: 'DELETE', url: at(key, upload), expected: [204, 404] })),
      );
    },
    async *listStarted() {
      for (let [key, id] = ['', '']; ;) {
        const page = await ask('list', async () =>
          readText(
            await send({
              method: 'GET',
              url: `${endpoint}/${bucket.name}?uploads&max-uploads=1000&key-marker=${encodeURIComponent(key)}&upload-id-marker=${encodeURIComponent(id)}`,
              expected: [200],
            }),
          ),
        );
        for (const one of page.split('<Upload>').slice(1)) {
          const [name, upload] = [named('Key', one) ?? '', named('UploadId', one) ?? ''];
          if (isOurs(name))
            yield { key: name, upload, startedAt: Date.parse(named('Initiated', one) ?? '') };
        }
        if (named('IsTruncated', page) !== 'true') return;
        [key, id] = [named('NextKeyMarker', page) ?? '', named('NextUploadIdMarker', page) ?? ''];
      }
    },
  };
};
