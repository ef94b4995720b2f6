import { requireBlobKey } from '#ports/blob';
import { Failure, isFailure } from '#ports/failure';

/** Whether an object of a bucket has a key of ours; others are someone else's and left alone. */
export const isOurs = (name: string): boolean => {
  try {
    requireBlobKey(name);
    return true;
  } catch (thrown) {
    if (isFailure(thrown)) return false;
    throw thrown;
  }
};

/** Lets the size of a page pass; throws `invalid` for another. */
export const requireLimit = (limit: number): void => {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw new Failure('invalid', `limit ${limit} must be from 1 to 1000`);
};

/** Seven days, which is the most that S3 and GCS grant a signed link. */
const longestSeconds = 7 * 24 * 3600;
export const grantedSeconds = (seconds: number): number =>
  Math.max(1, Math.min(Math.floor(seconds), longestSeconds));

const plainly = (name: string): string => name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
const exactly = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The header by which a browser saves and never shows what it gets (RFC 6266). */
export const attachment = (fileName: string | undefined): string =>
  fileName === undefined || fileName === ''
    ? 'attachment'
    : `attachment; filename="${plainly(fileName)}"; filename*=UTF-8''${exactly(fileName)}`;
