// Times of the private wire: ISO 8601 in UTC, kept in microseconds.
import { Failure } from '#ports/failure';

const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})$/;

/** The first and the last microsecond of the years with four digits, which other languages read; the last that a number holds. */
const [earliest, latest] = [-62_135_596_800_000_000, 253_402_300_799_999_968];
/** Whether a month has the day: `Date.parse` takes the 30th of February for the 1st of March. */
const hasDay = (seconds: string): boolean => {
  const day = Number(seconds.slice(8, 10));
  if (day < 29) return true;
  const [year, month] = [Number(seconds.slice(0, 4)), Number(seconds.slice(5, 7))];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
};

/** Microseconds since 1970; digits beyond them are cut. Rejects with `invalid`, naming the member. */
export const readInstant = (text: string, member: string): number => {
  const [, seconds = '', fraction = '', zone = ''] = form.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms) || !hasDay(seconds))
    throw new Failure('invalid', `${member} must be a time like 2024-05-01T10:00:00.123Z`);
  const micros = ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
  return Math.max(earliest, Math.min(micros, latest));
};

const [microsPerSecond, secondsPerDay] = [1_000_000, 24 * 60 * 60];
/** The day that was shown last: rows of a page are of few of them. */
let shown = { day: Number.NaN, text: '' };
/** The time that was shown last: what was made and never changed has the same twice. */
let last = { micros: Number.NaN, text: '' };
const two = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

const write = (micros: number): string => {
  const seconds = Math.floor(micros / microsPerSecond);
  const day = Math.floor(seconds / secondsPerDay);
  if (day !== shown.day)
    shown = {
      day,
      text: new Date(day * secondsPerDay * 1000).toISOString().slice(0, -'00:00:00.000Z'.length),
    };
  const ofDay = seconds - day * secondsPerDay;
  const minutes = Math.floor(ofDay / 60);
  const hour = two[Math.floor(minutes / 60)] ?? '';
  const fraction = String(microsPerSecond + micros - seconds * microsPerSecond).slice(1);
  return `${shown.text}${hour}:${two[minutes % 60] ?? ''}:${two[ofDay % 60] ?? ''}.${fraction}Z`;
};

/** With six digits of a second, as SDKs read and write it. */
export const showInstant = (micros: number): string => {
  if (micros !== last.micros) last = { micros, text: write(micros) };
  return last.text;
};
