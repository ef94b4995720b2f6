import { requireBlobKey } from '#ports/blob';
import type { BlobLinks } from '#ports/blob-links';
import { attachment, grantedSeconds } from '../streams/keys.js';
import type { S3Connection } from './client.js';

/** Links signed with the server's own key, which never leaves it (AWS signature version 4); signing asks no one. */
export const s3Links = ({ client, bucket }: S3Connection): BlobLinks => ({
  signGet: async (key, { seconds, fileName, contentType }) => {
    requireBlobKey(key);
    return client().presignedGetObject(bucket, key, grantedSeconds(seconds), {
      'response-content-disposition': attachment(fileName),
      ...(contentType === undefined ? {} : { 'response-content-type': contentType }),
    });
  },
  signPut: async (key, { seconds }) => {
    requireBlobKey(key);
    return client().presignedPutObject(bucket, key, grantedSeconds(seconds));
  },
});
