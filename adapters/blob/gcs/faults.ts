// What goes wrong with a bucket of GCS, as sentences that say what to mend.
import { Failure } from '#ports/failure';
import { codeOf, Refused, sayUnreachable, wasCutOff, type Doing } from '../streams/faults.js';

const busy = new Set([408, 429, 500, 502, 503, 504]);
const full = new Set([
  'quotaExceeded',
  'storageQuotaExceeded',
  'insufficientStorage',
  'QuotaExceeded',
  'InsufficientQuota',
]);
const unfit = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall', 'MalformedXML']);

const sayRefused = (
  { status, code = '', message }: Refused,
  place: string,
  doing: Doing,
): string => {
  if (code === 'NoSuchBucket') return `${place} does not exist; see ORRERY_GCS_BUCKET`;
  if (full.has(code) || status === 507) return `${place} has no room left`;
  if (status === 401) return `${place} does not take the credentials; see ORRERY_GCS_CREDENTIALS`;
  if (status === 403) return `the account may not ${doing} in ${place}`;
  return `${place} answers ${message}`;
};

/** What callers are told in place of an error of the library; errors that are no fault of the bucket stay as they are. */
export const failureOf = (thrown: unknown, place: string, doing: Doing, key?: string): unknown => {
  if (!(thrown instanceof Refused)) {
    // Asking for a token may fail in many ways, all of which the administrator mends in one place.
    const why =
      sayUnreachable(thrown, place, 'ORRERY_GCS_ENDPOINT') ??
      (/credential|invalid_grant|private key|DECODER|PEM/i.test(
        thrown instanceof Error ? `${codeOf(thrown)} ${thrown.message}` : '',
      )
        ? `there are no usable credentials for ${place}; see ORRERY_GCS_CREDENTIALS`
        : undefined);
    return why === undefined ? thrown : new Failure('unavailable', why, { cause: thrown });
  }
  if (thrown.code === 'NoSuchUpload')
    return new Failure('absent', 'the upload is not open', { cause: thrown });
  if (unfit.has(thrown.code ?? ''))
    return new Failure('invalid', `the parts cannot be joined: ${thrown.code ?? ''}`, {
      cause: thrown,
    });
  if (key !== undefined && thrown.status === 404 && thrown.code !== 'NoSuchBucket')
    return new Failure('absent', `blob ${key} not found`, { cause: thrown });
  return new Failure('unavailable', sayRefused(thrown, place, doing), { cause: thrown });
};

/** Whether asking once more may help: a bucket that was busy, or a connection that was let go. */
export const passes = (thrown: unknown): boolean =>
  (thrown instanceof Refused && busy.has(thrown.status) && !full.has(thrown.code ?? '')) ||
  wasCutOff(thrown);
