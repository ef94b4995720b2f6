// The words in which rows describe input and replies. Each yields a type and a JSON Schema from one line; the leniencies
// that public clients need (numbers as text, `True`, one text for a list) are words too, so that no handler has to know them.

import { calendar } from '../clock.js';
import type { KeptJson } from '../kept-json.js';

declare const stands: unique symbol;
declare const mayMiss: unique symbol;

/** A JSON Schema, and the type that it stands for; the marks exist for the compiler only. */
export interface Schema<T> {
  readonly [stands]: T;
}
/** A member that may be left out. */
export interface OptionalSchema<T> extends Schema<T | undefined> {
  readonly [mayMiss]: true;
}
export type TSchema = Schema<unknown>;
/** The type that a schema stands for. */
export type Static<S> = S extends Schema<infer T> ? T : never;
export type Properties = Readonly<Record<string, TSchema>>;

type Missable<P> = { [K in keyof P]: P[K] extends OptionalSchema<unknown> ? K : never }[keyof P];
type Members<P> = { readonly [K in Exclude<keyof P, Missable<P>>]: Static<P[K]> } & {
  readonly [K in Missable<P>]?: Static<P[K]>;
};
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The JSON Schema as what it stands for. */
const means = <T>(json: Readonly<Record<string, unknown>>): Schema<T> =>
  json as unknown as Schema<T>; // the mark is never there at run time
const jsonOf = (schema: TSchema) => schema as unknown as Readonly<Record<string, unknown>>; // made by `means`

/**
 * How an input is read when it is not in its plain form already. The keyword `lenient` carries it in the JSON Schema, beside
 * what OpenAPI shows; `adapters/http/input.ts` gives it its meaning, and converts in place.
 */
export type Leniency =
  | 'integer'
  | 'millis'
  | 'number'
  | 'flag'
  | 'replacing'
  | 'literal'
  | 'texts'
  | 'text'
  | 'objects'
  | 'object'
  | 'json';

const lenient = <T>(leniency: Leniency, shown: Readonly<Record<string, unknown>>) =>
  means<T>({ lenient: leniency, shown });

export interface TextRule {
  readonly max?: number;
  readonly min?: number;
  readonly pattern?: string;
}

/** A text; a number or a boolean in its place is read as its text. */
export const text = (rule: TextRule = {}) =>
  means<string>({
    lenient: 'text',
    shown: { type: 'string' },
    ...(rule.max === undefined ? {} : { maxLength: rule.max }),
    ...(rule.min === undefined ? {} : { minLength: rule.min }),
    ...(rule.pattern === undefined ? {} : { pattern: rule.pattern }),
  });

/** One of a closed set of texts. */
export const word = <const W extends readonly string[]>(...words: W) =>
  means<W[number]>({ type: 'string', enum: [...words] });

/** A whole number within 2^53, also as text. */
export const integer = (rule: { readonly minimum?: number; readonly maximum?: number } = {}) =>
  means<number>({ lenient: 'integer', shown: { type: 'integer' }, ...rule });

/** A number, also as text. */
export const number = () => lenient<number>('number', { type: 'number' });

/** Milliseconds since the Unix epoch, also as text, that have a date; microseconds in their place are read as milliseconds. */
export const millis = () =>
  means<number>({
    lenient: 'millis',
    shown: {
      type: 'integer',
      format: 'int64',
      description: 'milliseconds since the Unix epoch',
    },
    minimum: calendar.first,
    maximum: calendar.last,
  });

/** A boolean, also as `True`, `FALSE`, `1` or `0`. */
export const flag = () => lenient<boolean>('flag', { type: 'boolean' });

/** Whether a file takes the place of another; the Python client also sends the word by which it was told to treat files on its own disk: `FAIL`, `PRESERVE`, `OVERWRITE`. */
export const replacing = () => lenient<boolean>('replacing', { type: 'boolean' });

/**
 * A scalar kept as the text that was sent: `122.0` stays `122.0` and 123456789012345678 keeps every digit, whether it came as a
 * JSON number or as text. null becomes `null`; lists and objects become their JSON text.
 */
export const literal = () =>
  lenient<string>('literal', { description: 'any scalar; kept as the text that was sent' });

/** A list of texts; one text alone is a list of one. */
export const texts = () =>
  lenient<readonly string[]>('texts', { type: 'array', items: { type: 'string' } });

/**
 * A list of objects whose members are read by the use-case, because one bad item must not refuse the others. `literals` are
 * the members whose numbers keep the text that was sent.
 */
export const items = (...literals: readonly string[]) =>
  means<readonly Readonly<Record<string, unknown>>[]>({
    lenient: 'objects',
    shown: { type: 'array', items: { type: 'object' } },
    literals,
  });

/** An object with members of any name. */
export const record = () =>
  lenient<Readonly<Record<string, unknown>>>('object', {
    type: 'object',
    additionalProperties: true,
  });

/** Any JSON value, which the handler gets as its text: cheaper than as a value, and nothing of it is rounded or sorted anew. */
export const json = () => lenient<KeptJson>('json', {});

/** Anything, left as it came. */
export const anything = () => means<unknown>({});

export const list = <T extends TSchema>(
  of: T,
  rule: { readonly maxItems?: number; readonly minItems?: number } = {},
) => means<readonly Static<T>[]>({ type: 'array', items: of, ...rule });

/** Absent, or explicitly null, which means the same: the handler then sees `undefined`. */
export const optional = <T extends TSchema>(schema: T): OptionalSchema<Static<T>> =>
  ({ ...jsonOf(schema), absentAsNull: true }) as unknown as OptionalSchema<Static<T>>; // the marks are never there at run time

/** May be left out; an explicit null is kept, and refused where the schema has no place for it. */
export const missable = <T extends TSchema>(schema: T): OptionalSchema<Static<T>> =>
  ({ ...jsonOf(schema), absentAsNull: false }) as unknown as OptionalSchema<Static<T>>; // as above

/** For replies: one of them, or several as a list. */
export const oneOrMany = <T extends TSchema>(schema: T) =>
  means<Static<T> | readonly Static<T>[]>({ anyOf: [schema, { type: 'array', items: schema }] });

/** For replies: the value or null. */
export const nullable = <T extends TSchema>(schema: T) =>
  means<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });

const objectJson = (properties: Properties) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter(
    (name) => jsonOf(properties[name] as TSchema)['absentAsNull'] === undefined,
  ),
}); // names of that very table

/** An object; unknown members are ignored on input. */
export const object = <const P extends Properties>(properties: P) =>
  means<Flat<Members<P>>>(objectJson(properties));

/**
 * The same schema under a name, by which the description of the API refers to it wherever it stands: `titled('Saved', …)`. One name stands for one
 * shape.
 */
export const titled = <S extends TSchema>(name: string, schema: S): S =>
  ({ ...jsonOf(schema), title: name }) as unknown as S; // the same schema with a word for readers

/** The same schema with an example that satisfies it, which the description of the API shows. */
export const withExample = <S extends TSchema>(schema: S, example: Static<S>): S =>
  ({ ...jsonOf(schema), examples: [example] }) as unknown as S; // the same schema with a word for readers

/** An object that is a record: under a name, as with `titled`, and with a sentence that says what it is. */
export const shape = <const P extends Properties>(
  name: string,
  description: string,
  properties: P,
) => means<Flat<Members<P>>>({ ...objectJson(properties), title: name, description });

/** An object that the family wraps into its success envelope, with this `msg` unless the reply has its own. */
export const envelope = <const P extends Properties>(msg: string, beside: P) =>
  means<Flat<Members<P>> & { readonly msg?: string }>({ ...objectJson(beside), envelope: msg });

/** A JSON object whose values are all of one shape, for replies. */
export const map = <T extends TSchema>(of: T) =>
  means<Readonly<Record<string, Static<T>>>>({ type: 'object', additionalProperties: of });
