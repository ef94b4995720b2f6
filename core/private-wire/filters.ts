// The filters of the private wire, judged and typed field by field. Pure.
import type { FieldFilter, OrderOperator, TextOperator } from '#ports/field-query';
import { Failure } from '#ports/failure';
import { parseJson } from '../json-text.js';
import { readInstant } from './instants.js';
import { stepsOf, type JsonPath } from './json-path.js';

/** What a field is compared as; the contract's names are in the comments. */
export type FilterType =
  | 'text' // STRING, STRING_EXACT, STRING_STATE_DB
  | 'number' // NUMBER, DURATION
  | 'instant' // DATE_TIME
  | 'list' // LIST
  | 'ids' // STRING_LIST
  | 'word' // ENUM, ENUM_LEGACY
  | 'scores' // FEEDBACK_SCORES_NUMBER, by the score's name
  | 'json' // DICTIONARY, by a path
  | 'map' // MAP, by the name of a member
  | 'error' // ERROR_CONTAINER
  | 'custom'; // CUSTOM: the path begins with input, output or metadata

export type FilterTypes = Readonly<Record<string, FilterType>>;

interface Sent {
  readonly field: string;
  readonly operator: string;
  readonly key: string | undefined;
  readonly value: string;
}

const textOperators: Readonly<Record<string, TextOperator>> = {
  '=': 'equals',
  '!=': 'differs',
  contains: 'contains',
  not_contains: 'notContains',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
  '>': 'above',
  '<': 'below',
};
const orderOperators: Readonly<Record<string, OrderOperator>> = {
  '=': 'equals',
  '!=': 'differs',
  '>': 'above',
  '>=': 'atLeast',
  '<': 'below',
  '<=': 'atMost',
};
const listOperators = {
  '=': 'equals',
  '!=': 'differs',
  contains: 'contains',
  not_contains: 'notContains',
} as const;
const presence = { is_empty: 'isEmpty', is_not_empty: 'isNotEmpty' } as const;

const from = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const quoted = (text: string): string => `'${text.slice(0, 100)}'`;
const unfitOperator = ({ field, operator }: Sent) =>
  new Failure(
    'invalid',
    `Invalid operator ${quoted(operator)} for the filter field ${quoted(field)}`,
  );
const unfitValue = ({ field, value }: Sent, wanted: string) =>
  new Failure(
    'invalid',
    `Invalid value ${quoted(value)} for the filter field ${quoted(field)}: it must be ${wanted}`,
  );

const requireText = (sent: Sent): string => {
  if (sent.value.trim() === '') throw unfitValue(sent, 'a text that is not blank');
  return sent.value;
};
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const requireNumber = (sent: Sent): number => {
  const number = decimal.test(sent.value.trim()) ? Number(sent.value) : Number.NaN;
  if (!Number.isFinite(number)) throw unfitValue(sent, 'a number');
  return number;
};
const requireKey = ({ field, key }: Sent): string => {
  if (key === undefined)
    throw new Failure('invalid', `the filter field ${quoted(field)} needs a key`);
  return key;
};
const split = (value: string): readonly string[] => [
  ...new Set(value.split(',').map((one) => one.trim())),
];

/** A place within a field: a score's name, or a path. */
interface Place {
  readonly key: string;
  readonly path?: JsonPath;
}

const readPresence = (sent: Sent, place?: Place): FieldFilter | undefined => {
  const operator = from(presence, sent.operator);
  return operator === undefined
    ? undefined
    : { field: sent.field, ...place, is: 'presence', operator };
};

const readText = (sent: Sent, place?: Place): FieldFilter => {
  const operator = from(textOperators, sent.operator);
  if (operator === undefined) throw unfitOperator(sent);
  return {
    field: sent.field,
    ...place,
    is: 'text',
    operator,
    value: requireText(sent),
  };
};
const readNumber = (sent: Sent, place?: Place): FieldFilter => {
  const operator = from(orderOperators, sent.operator);
  if (operator === undefined) throw unfitOperator(sent);
  return {
    field: sent.field,
    ...place,
    is: 'number',
    operator,
    value: requireNumber(sent),
  };
};
const readTime = (sent: Sent): FieldFilter => {
  const operator = from(orderOperators, sent.operator);
  if (operator === undefined) throw unfitOperator(sent);
  const value = readInstant(sent.value.trim(), `the value of the filter field ${sent.field}`);
  return { field: sent.field, is: 'instant', operator, value };
};
const readList = (sent: Sent): FieldFilter => {
  const operator = from(listOperators, sent.operator);
  if (operator === undefined) throw unfitOperator(sent);
  return { field: sent.field, is: 'list', operator, value: requireText(sent) };
};
const wordOperators: Readonly<Record<string, 'in' | 'notIn'>> = {
  '=': 'in',
  '!=': 'notIn',
  in: 'in',
  not_in: 'notIn',
};
const readWords = (sent: Sent, several: boolean): FieldFilter => {
  const operator = from(wordOperators, sent.operator);
  if (operator === undefined) throw unfitOperator(sent);
  const text = requireText(sent);
  const asList = several || sent.operator.endsWith('in');
  return {
    field: sent.field,
    is: 'words',
    operator,
    value: asList ? split(text) : [text],
  };
};

const numericOrders = new Set(['>', '>=', '<', '<=']);
/** A value within JSON: ordered as a number, else compared as text. */
const readWithin = (sent: Sent, place: Place): FieldFilter =>
  readPresence(sent, place) ??
  (numericOrders.has(sent.operator) ? readNumber(sent, place) : readText(sent, place));

const requirePath = (sent: Sent): Place => {
  const key = requireKey(sent).replace(/^\$\.?/, '');
  const path = stepsOf(key);
  if (path === undefined)
    throw new Failure('invalid', `Invalid key ${quoted(key)} for the filter field ${sent.field}`);
  return { key, path };
};
const customColumns: Readonly<Record<string, string>> = {
  input: 'input_json',
  output: 'output_json',
  metadata: 'metadata',
};
const readCustom = (sent: Sent): FieldFilter => {
  const key = requireKey(sent);
  const [, column = '', rest = ''] = /^(input|output|metadata)\.?(.*)$/s.exec(key) ?? [];
  const field = from(customColumns, column);
  const path = stepsOf(rest);
  if (field === undefined || path === undefined)
    throw new Failure(
      'invalid',
      `Invalid key ${quoted(key)}: it must begin with input, output or metadata`,
    );
  return readWithin({ ...sent, field }, { key: rest, path });
};

const readers: Readonly<Record<FilterType, (sent: Sent) => FieldFilter>> = {
  text: (sent) => readText(sent),
  number: (sent) => readNumber(sent),
  instant: readTime,
  list: (sent) => readPresence(sent) ?? readList(sent),
  ids: (sent) => readWords(sent, true),
  word: (sent) => readPresence(sent) ?? readWords(sent, false),
  scores: (sent) => {
    const place = { key: requireKey(sent).toLowerCase() };
    return readPresence(sent, place) ?? readNumber(sent, place);
  },
  json: (sent) => readWithin(sent, requirePath(sent)),
  map: (sent) => {
    const key = requireKey(sent);
    return readWithin(sent, { key, path: [key] });
  },
  error: (sent) => {
    const read = readPresence(sent);
    if (read === undefined) throw unfitOperator(sent);
    return read;
  },
  custom: readCustom,
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;

const toSent = (item: unknown): Sent => {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw new Failure('invalid', 'Invalid filters: each must be an object');
  const { field, operator, key, value } = item as Readonly<Record<string, unknown>>; // any object can be read by name
  if (typeof field !== 'string' || typeof operator !== 'string')
    throw new Failure('invalid', 'Invalid filters: each needs a field and an operator');
  return {
    field,
    operator,
    key: key === '' ? undefined : textOf(key),
    value: textOf(value) ?? '',
  };
};

const listOf = (sent: string | readonly unknown[]): readonly unknown[] => {
  if (typeof sent !== 'string') return sent;
  if (sent.trim() === '') return [];
  const parsed = parseJson(sent);
  if (!Array.isArray(parsed))
    throw new Failure('invalid', 'Invalid filters: they must be a JSON array');
  return parsed;
};

const mostFilters = 100;

/**
 * What filters say, in their order: JSON text of a query, or a list of a body. Rejects with `invalid` for an unknown field, an operator that the
 * field does not have, a missing key and a value that does not fit. `typeOf` may know fields that no table holds.
 */
export const readFilters = (
  sent: string | readonly unknown[] | undefined,
  types: FilterTypes,
  typeOf: (field: string) => FilterType | undefined = () => undefined,
): readonly FieldFilter[] => {
  const items = listOf(sent ?? []);
  if (items.length > mostFilters)
    throw new Failure('invalid', `Invalid filters: at most ${mostFilters} may be given`);
  return items.map(toSent).map((one) => {
    const type = from(types, one.field) ?? typeOf(one.field);
    if (type === undefined)
      throw new Failure('invalid', `Invalid filter field ${quoted(one.field)}`);
    return readers[type](one);
  });
};
