// Values of rules as they stand on the wire, read by the type of their column.
import { Failure } from '#ports/failure';
import type {
  BooleanOperand,
  InstantOperand,
  NumberOperand,
  OrderedOperand,
  TextOperand,
} from '#ports/query';
import type { ColumnType } from './columns.js';

/** A rule's value: of the column's type where it can be read so, a text otherwise; throws `invalid` for what no column holds. */
export const readOperand = (value: unknown, type: ColumnType): OrderedOperand | BooleanOperand => {
  if (type === 'boolean') return readBoolean(value);
  if (type === 'datetime') return readInstant(value);
  if (typeof value === 'boolean') return ofNumber(value ? 1 : 0);
  // A number stays one in a column of texts, which may hold numbers besides.
  const number = typeof value === 'number' || type !== 'string' ? findNumber(value) : undefined;
  if (number !== undefined) return ofNumber(number);
  return readText(value);
};

/** An end of a range, which stands in the rule as a text; throws `invalid` unless it is a number or, for a `datetime`, an instant. */
export const readEnd = (value: unknown, type: ColumnType): NumberOperand | InstantOperand => {
  if (type === 'datetime') return readInstant(value);
  const number = findNumber(value);
  if (number === undefined)
    throw new Failure('invalid', `value ${show(value)} of a range must be a number`);
  return ofNumber(number);
};

/** A text, or a number by the text it prints as; throws `invalid` for anything else. */
export const readText = (value: unknown): TextOperand => {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Failure('invalid', `value ${show(value)} of a rule must be a text or a number`);
  return { type: 'text', text: String(value) };
};

const ofNumber = (number: number): NumberOperand => ({ type: 'number', number });

const booleans = new Map<unknown, boolean>([
  ...[1, true, '1', 'true', 'True'].map((word) => [word, true] as const),
  ...[0, false, '0', 'false', 'False'].map((word) => [word, false] as const),
]);

const readBoolean = (value: unknown): BooleanOperand => {
  const boolean = booleans.get(value);
  if (boolean === undefined)
    throw new Failure('invalid', `value ${show(value)} of a boolean must be 1 or 0`);
  return { type: 'boolean', boolean };
};

// Python prints infinity as `inf`.
const infinities = new Map([
  ['inf', Infinity],
  ['+inf', Infinity],
  ['infinity', Infinity],
  ['-inf', -Infinity],
  ['-infinity', -Infinity],
]);

const findNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/.test(text)
    ? Number(text)
    : infinities.get(text);
};

const instantRule =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?)? ?(Z|[+-]\d{2}:\d{2})?$/;

// A number of milliseconds, or a date and time; UTC unless it says otherwise.
const readInstant = (value: unknown): InstantOperand => {
  const instant = findNumber(value) ?? (typeof value === 'string' ? parseInstant(value) : NaN);
  if (!Number.isFinite(instant))
    throw new Failure('invalid', `value ${show(value)} must be a time as YYYY-MM-DD HH:MM:SS`);
  return { type: 'instant', instant };
};

const parseInstant = (text: string): number => {
  const [, date, time = '00:00', fraction = '', zone = 'Z'] = instantRule.exec(text.trim()) ?? [];
  if (date === undefined) return NaN;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // A day such as February 30th would otherwise be taken for one in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return NaN;
  return Date.parse(
    `${date}T${time.length === 5 ? `${time}:00` : time}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`,
  );
};

const show = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 100);
