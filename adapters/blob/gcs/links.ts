import { requireBlobKey } from '#ports/blob';
import type { BlobLinks } from '#ports/blob-links';
import { attachment, grantedSeconds } from '../streams/keys.js';
import type { GcsConnection } from './client.js';
import { failureOf } from './faults.js';

/** When a link that is made now and lives this many seconds ends. */
export const endOf = (seconds: number): number => Date.now() + grantedSeconds(seconds) * 1000;

/** Links signed with the service account's own key, or by Google where the machine only lends an account (version 4). */
export const gcsLinks = ({ bucket, place }: GcsConnection): BlobLinks => {
  const sign = async (
    key: string,
    config: Parameters<ReturnType<typeof bucket.file>['getSignedUrl']>[0],
  ): Promise<string> => {
    requireBlobKey(key);
    try {
      return (await bucket.file(key).getSignedUrl(config))[0];
    } catch (thrown) {
      throw failureOf(thrown, place, 'read');
    }
  };
  return {
    signGet: async (key, { seconds, fileName, contentType }) =>
      sign(key, {
        version: 'v4',
        action: 'read',
        expires: endOf(seconds),
        responseDisposition: attachment(fileName),
        ...(contentType === undefined ? {} : { responseType: contentType }),
      }),
    signPut: async (key, { seconds }) =>
      sign(key, { version: 'v4', action: 'write', expires: endOf(seconds) }),
  };
};
