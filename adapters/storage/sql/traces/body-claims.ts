// Claims about the input and output of spans. Their bodies are compressed, so that no database compares them: it is done here, by the rules of
// `field-query.ts`. Pure.
import type { FieldFilter, OrderOperator, TextOperator } from '#ports/field-query';
import { lowered } from '../lower-case.js';
import type { Bodies, BodyPart } from './frames.js';

const partOf: Readonly<Record<string, BodyPart>> = {
  input: 'input',
  input_json: 'input',
  output: 'output',
  output_json: 'output',
};

/** The part of the body that a claim is about; `undefined` for one about anything else. */
export const claimedPart = ({ field }: Pick<FieldFilter, 'field'>): BodyPart | undefined =>
  Object.hasOwn(partOf, field) ? partOf[field] : undefined;

const positive: ReadonlySet<TextOperator> = new Set([
  'equals',
  'contains',
  'startsWith',
  'endsWith',
]);

/** Texts that stand letter by letter, but for their case, in every body for which a claim holds. */
export const textsWithin = (filter: FieldFilter): readonly string[] => {
  if (filter.is !== 'text' && filter.is !== 'number') return [];
  if (filter.is === 'text' && !positive.has(filter.operator)) return [];
  const value = filter.is === 'text' ? [filter.value] : [];
  if (filter.path === undefined) return value;
  const names = filter.path.filter((step) => typeof step === 'string');
  // A name, or a value behind a path, may be written otherwise where it is not of such letters alone.
  return [...names, ...value].filter((text) => /^[a-z_ ]+$/i.test(text));
};

/** What stands at a path of a JSON text, as a text. */
const textAt = (
  json: string | undefined,
  path: readonly (string | number)[] | undefined,
): string | undefined => {
  if (json === undefined || path === undefined) return json;
  let value: unknown = JSON.parse(json); // what was stored is JSON
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[step]; // an object or a list
  }
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const comparisons: Readonly<Record<TextOperator, (one: string, other: string) => boolean>> = {
  equals: (one, other) => one === other,
  differs: (one, other) => one !== other,
  contains: (one, other) => one.includes(other),
  notContains: (one, other) => !one.includes(other),
  startsWith: (one, other) => one.startsWith(other),
  endsWith: (one, other) => one.endsWith(other),
  above: (one, other) => one > other,
  below: (one, other) => one < other,
};
const orders: Readonly<Record<OrderOperator, (one: number, other: number) => boolean>> = {
  equals: (one, other) => one === other,
  differs: (one, other) => one !== other,
  above: (one, other) => one > other,
  atLeast: (one, other) => one >= other,
  below: (one, other) => one < other,
  atMost: (one, other) => one <= other,
};
const holdsWithout: ReadonlySet<TextOperator> = new Set(['differs', 'notContains']);
/** What the dialects take for a number. */
const decimal = /^[-+]?[0-9]{1,200}([.][0-9]{1,200})?([eE][-+]?[0-9]{1,2})?$/;

/** Whether a claim about a body holds. */
export const bodyHolds = (filter: FieldFilter, bodies: Bodies): boolean => {
  const part = claimedPart(filter);
  if (part === undefined) throw new Error(`the field ${filter.field} is no part of a body`);
  const value = textAt(bodies[part], filter.path);
  switch (filter.is) {
    case 'text':
      return value === undefined
        ? holdsWithout.has(filter.operator)
        : comparisons[filter.operator](lowered(value), lowered(filter.value));
    case 'presence':
      return (value === undefined || value === '') === (filter.operator === 'isEmpty');
    case 'number': {
      const number = value !== undefined && decimal.test(value) ? Number(value) : undefined;
      return number !== undefined && orders[filter.operator](number, filter.value);
    }
    default:
      throw new Error(`the field ${filter.field} takes no claim about its ${filter.is}`);
  }
};
