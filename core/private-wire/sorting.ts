// The sort fields of the private wire. Pure.
import type { FieldOrder } from '#ports/field-query';
import { Failure } from '#ports/failure';
import { parseJson } from '../json-text.js';
import { stepsOf } from './json-path.js';

const mostOrders = 10;

/** The field, and for names like `feedback_scores.*` the key behind the dot; `undefined` for what cannot be sorted by. */
const fieldOf = (
  name: string,
  names: readonly string[],
): Omit<FieldOrder, 'descending'> | undefined => {
  if (names.includes(name)) {
    const dot = name.indexOf('.');
    return dot === -1 ? { field: name } : { field: name.slice(0, dot), key: name.slice(dot + 1) };
  }
  const dot = name.indexOf('.');
  const [field, key] = [name.slice(0, dot), name.slice(dot + 1)];
  const path = stepsOf(key);
  return dot > 0 && names.includes(`${field}.*`) && path !== undefined
    ? { field, key, path }
    : undefined;
};

const unfit = (what: string) => new Failure('invalid', `Invalid sorting${what}`);

const toOrder = (item: unknown, names: readonly string[]): FieldOrder => {
  const { field, direction = 'ASC' } = (
    typeof item === 'object' && item !== null ? item : {}
  ) as Readonly<Record<string, unknown>>; // any object can be read by name
  if (typeof field !== 'string') throw unfit(': each needs a field');
  const word = typeof direction === 'string' ? direction.toUpperCase() : '';
  if (word !== 'ASC' && word !== 'DESC') throw unfit(`: the direction of ${field.slice(0, 100)}`);
  const found = fieldOf(field, names);
  if (found === undefined) throw unfit(` fields: ${field.slice(0, 100)}`);
  return { ...found, descending: word === 'DESC' };
};

/**
 * The orders that a query asks for; none for a blank one. Among the names, `feedback_scores.*` takes any key, `duration.p50` that one. Rejects
 * with `invalid` for what is no list, and for a field that is not among the names.
 */
export const readSorting = (
  text: string | undefined,
  names: readonly string[],
): readonly FieldOrder[] => {
  if (text === undefined || text.trim() === '') return [];
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) throw unfit(': it must be a JSON array');
  if (parsed.length > mostOrders) throw unfit(`: at most ${mostOrders} fields may be given`);
  return parsed.map((item) => toOrder(item, names));
};
