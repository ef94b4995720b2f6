// Times of the private wire: ISO 8601 in UTC, kept in microseconds.
import { Failure } from '#ports/failure';

const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})$/;

/** Microseconds since 1970; digits beyond them are cut. Rejects with `invalid`, naming the member. */
export const readInstant = (text: string, member: string): number => {
  const [, seconds = '', fraction = '', zone = ''] = form.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms))
    throw new Failure('invalid', `${member} must be a time like 2024-05-01T10:00:00.123Z`);
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
};

/** The second that was shown last: rows of a page are of few of them. */
let shown = { seconds: Number.NaN, text: '' };

/** With six digits of a second, as SDKs read and write it. */
export const showInstant = (micros: number): string => {
  const seconds = Math.floor(micros / 1_000_000);
  const rest = micros - seconds * 1_000_000;
  if (seconds !== shown.seconds)
    shown = { seconds, text: new Date(seconds * 1000).toISOString().slice(0, -5) };
  return `${shown.text}.${String(rest).padStart(6, '0')}Z`;
};
