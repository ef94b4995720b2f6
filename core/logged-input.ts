// How what clients log is read: times, names with a context, scalars of any form. Pure.
import { calendar, toMillis } from '#ports/clock';

/** The full name: a context becomes its prefix; an empty one counts as absent. */
export const fullName = (name: string, context: string | undefined): string =>
  context === undefined || context === '' ? name : `${context}_${name}`;

/** The text of a scalar as it is kept; lists and objects as JSON; `undefined` for nothing. */
export const asText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value === undefined) return undefined;
  return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
};
/** A whole number, also as text; `undefined` for anything else. */
export const asWhole = (value: unknown): number | undefined => {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : Number.NaN;
  return Number.isFinite(number) && Number.isSafeInteger(Math.trunc(number))
    ? Math.trunc(number)
    : undefined;
};

/** A client's time in ms; `now` where it gave none, or one that is in no calendar. */
export const toTime = (given: unknown, now: number): number => {
  const whole = asWhole(given);
  const time = whole === undefined ? now : toMillis(whole);
  return time < calendar.first || time > calendar.last ? now : time;
};
