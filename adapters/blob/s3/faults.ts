// What goes wrong with a bucket, as sentences that say what to mend.
import { S3Error } from 'minio';
import { Failure } from '#ports/failure';
import { codeOf, Refused, sayUnreachable, wasCutOff, type Doing } from '../streams/faults.js';

const full = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'XMinioDiskFull',
  'XMinioAdminBucketQuotaExceeded',
  'EntityTooLarge',
]);
const regional = new Set([
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'TemporaryRedirect',
  'MovedPermanently',
  'IllegalLocationConstraintException',
]);
const absentCodes = new Set(['NoSuchKey', 'NotFound']);
const unfit = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall', 'MalformedXML']);

const sentences = (place: string, doing: Doing): ReadonlyMap<string, string> =>
  new Map([
    ['NoSuchBucket', `${place} does not exist; see ORRERY_S3_BUCKET`],
    ['InvalidAccessKeyId', `${place} does not know the access key; see ORRERY_S3_ACCESS_KEY`],
    ['SignatureDoesNotMatch', `${place} does not take the secret key; see ORRERY_S3_SECRET_KEY`],
    ['AccessDenied', `the access key may not ${doing} in ${place}`],
    ['RequestTimeTooSkewed', `the clocks of this machine and of ${place} differ too much`],
  ]);

const sayWhy = (thrown: unknown, place: string, doing: Doing): string | undefined => {
  const code = thrown instanceof Refused ? (thrown.code ?? '') : codeOf(thrown);
  if (full.has(code) || (thrown instanceof Refused && thrown.status === 507))
    return `${place} has no room left`;
  if (regional.has(code)) return `${place} lies in another region; see ORRERY_S3_REGION`;
  const sentence = sentences(place, doing).get(code);
  if (sentence !== undefined) return sentence;
  if (thrown instanceof Refused) return `${place} answers ${thrown.message}`;
  if (thrown instanceof S3Error)
    return `${place} refuses to ${doing}: ${code === '' ? thrown.message : code}`;
  return sayUnreachable(thrown, place, 'ORRERY_S3_ENDPOINT');
};

/** What callers are told in place of an error of the library; errors that are no fault of the bucket stay as they are. */
export const failureOf = (thrown: unknown, place: string, doing: Doing, key?: string): unknown => {
  const code = codeOf(thrown);
  if (key !== undefined && thrown instanceof S3Error && absentCodes.has(code))
    return new Failure('absent', `blob ${key} not found`, { cause: thrown });
  if (thrown instanceof S3Error && code === 'NoSuchUpload')
    return new Failure('absent', 'the upload is not open', { cause: thrown });
  if (thrown instanceof S3Error && unfit.has(code))
    return new Failure('invalid', `the parts cannot be joined: ${code}`, { cause: thrown });
  const why = sayWhy(thrown, place, doing);
  return why === undefined ? thrown : new Failure('unavailable', why, { cause: thrown });
};

/** Whether asking once more may help: a bucket that was busy, or a connection that was let go. */
export const passes = (thrown: unknown): boolean =>
  (thrown instanceof Refused && !full.has(thrown.code ?? '')) || wasCutOff(thrown);
