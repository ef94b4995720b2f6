// The words in which rows describe input and replies. Each yields a type and a JSON Schema from one line; the leniencies
// that public clients need (numbers as text, `True`, one text for a list) are words too, so that no handler has to know them.
import { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';

export type { Static, TSchema };

/**
 * How an input is read when it is not in its plain form already. The keyword `lenient` carries it in the JSON Schema, beside
 * what OpenAPI shows; `adapters/http/input.ts` gives it its meaning, and converts in place.
 */
export type Leniency = 'integer' | 'number' | 'flag' | 'literal' | 'texts' | 'text' | 'objects' | 'object';

const lenient = <T>(leniency: Leniency, shown: Record<string, unknown>) => Type.Unsafe<T>({ lenient: leniency, shown });

export interface TextRule {
  readonly max?: number;
  readonly min?: number;
  readonly pattern?: string;
}

/** A text; a number or a boolean in its place is read as its text. */
export const text = (rule: TextRule = {}) =>
  Type.Unsafe<string>({
    lenient: 'text',
    shown: { type: 'string' },
    ...(rule.max === undefined ? {} : { maxLength: rule.max }),
    ...(rule.min === undefined ? {} : { minLength: rule.min }),
    ...(rule.pattern === undefined ? {} : { pattern: rule.pattern }),
  });

/** One of a closed set of texts. */
export const word = <const W extends readonly string[]>(...words: W) => Type.Unsafe<W[number]>({ type: 'string', enum: [...words] });

/** A whole number within 2^53, also as text. */
export const integer = (rule: { readonly minimum?: number; readonly maximum?: number } = {}) =>
  Type.Unsafe<number>({ lenient: 'integer', shown: { type: 'integer' }, ...rule });

/** A number, also as text. */
export const number = () => lenient<number>('number', { type: 'number' });

/** Milliseconds since the Unix epoch, also as text. */
export const millis = () => lenient<number>('integer', { type: 'integer', format: 'int64', description: 'milliseconds since the Unix epoch' });

/** A boolean, also as `True`, `FALSE`, `1` or `0`. */
export const flag = () => lenient<boolean>('flag', { type: 'boolean' });

/**
 * A scalar kept as the text that was sent: `122.0` stays `122.0` and 123456789012345678 keeps every digit, whether it came as a
 * JSON number or as text. null becomes `null`; lists and objects become their JSON text.
 */
export const literal = () => lenient<string>('literal', { description: 'any scalar; kept as the text that was sent' });

/** A list of texts; one text alone is a list of one. */
export const texts = () => lenient<readonly string[]>('texts', { type: 'array', items: { type: 'string' } });

/**
 * A list of objects whose members are read by the use-case, because one bad item must not refuse the others. `literals` are
 * the members whose numbers keep the text that was sent.
 */
export const items = (...literals: readonly string[]) =>
  Type.Unsafe<readonly Readonly<Record<string, unknown>>[]>({ lenient: 'objects', shown: { type: 'array', items: { type: 'object' } }, literals });

/** An object with members of any name. */
export const record = () => lenient<Readonly<Record<string, unknown>>>('object', { type: 'object', additionalProperties: true });

/** Anything, left as it came. */
export const anything = () => Type.Unsafe<unknown>({});

export const list = <T extends TSchema>(of: T, rule: { readonly maxItems?: number } = {}) => Type.Unsafe<readonly Static<T>[]>({ type: 'array', items: of, ...rule });

/** Absent, or explicitly null, which means the same: the handler then sees `undefined`. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Unsafe<Static<T> | undefined>({ ...schema, absentAsNull: true }));

/** For replies: the value or null. */
export const nullable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });

/** An object; unknown members are ignored on input. */
export const object = <P extends TProperties>(properties: P): TObject<P> => Type.Object(properties);

export type Properties = TProperties;

/** An object that the family wraps into its success envelope, with this `msg` unless the reply has its own. */
export const envelope = <P extends TProperties>(msg: string, beside: P) =>
  Type.Unsafe<Static<TObject<P>> & { readonly msg?: string }>({ ...Type.Object(beside), envelope: msg });

/** A JSON object whose values are all of one shape, for replies. */
export const map = <T extends TSchema>(of: T) => Type.Unsafe<Readonly<Record<string, Static<T>>>>({ type: 'object', additionalProperties: of });
