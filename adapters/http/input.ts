// Reads params, query and body against a row. The leniencies of `ports/api/schema.ts` get their meaning here.
import { Ajv, type ValidateFunction, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { toMillis } from '#ports/clock';
import { Failure, type FailureKind } from '#ports/failure';
import { jsonTextOf } from '#ports/json-text';
import { KeptJson } from '#ports/kept-json';
import type { TSchema } from '#ports/api/schema';

type Converted<T = unknown> = { readonly value: T } | undefined;

const wholeNumber = /^[+-]?\d+(\.0+)?$/;
const aNumber = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

const toInteger = (given: unknown): Converted<number> => {
  const number =
    typeof given === 'string' && wholeNumber.test(given)
      ? Number(given)
      : typeof given === 'number'
        ? Math.trunc(given)
        : Number.NaN;
  return Number.isSafeInteger(number) ? { value: number } : undefined;
};
const toTime = (given: unknown): Converted => {
  const whole = toInteger(given);
  return whole && { value: toMillis(whole.value) };
};
const toNumber = (given: unknown): Converted => {
  if (typeof given === 'number') return { value: given };
  return typeof given === 'string' && aNumber.test(given) ? { value: Number(given) } : undefined;
};
const flags = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
]);
const toFlag = (given: unknown): Converted => {
  if (typeof given === 'boolean') return { value: given };
  if (typeof given === 'number') return { value: given !== 0 };
  const found = typeof given === 'string' ? flags.get(given.toLowerCase()) : undefined;
  return found === undefined ? undefined : { value: found };
};
const strategies = new Map<unknown, boolean>([
  ['FAIL', false],
  ['PRESERVE', false],
  ['OVERWRITE', true],
]);
const toReplacing = (given: unknown): Converted => {
  const strategy = strategies.get(given);
  return strategy === undefined ? toFlag(given) : { value: strategy };
};
const toText = (given: unknown): Converted => {
  if (typeof given === 'string') return { value: given };
  return typeof given === 'number' || typeof given === 'boolean'
    ? { value: String(given) }
    : undefined;
};
const toTexts = (given: unknown): Converted => {
  if (given === null) return { value: [] };
  const all = (Array.isArray(given) ? given : [given]).map(toText);
  return all.every((one) => one !== undefined) ? { value: all.map((one) => one.value) } : undefined;
};
const isPlainObject = (given: unknown) =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

const readings: Readonly<Record<string, (given: unknown) => Converted>> = {
  integer: toInteger,
  millis: toTime,
  number: toNumber,
  flag: toFlag,
  replacing: toReplacing,
  text: toText,
  literal: (given) => ({ value: typeof given === 'string' ? given : JSON.stringify(given) }),
  texts: toTexts,
  objects: (given) =>
    Array.isArray(given)
      ? { value: given.filter(isPlainObject) }
      : isPlainObject(given)
        ? { value: [given] }
        : undefined,
  object: (given) => (isPlainObject(given) ? { value: given } : undefined),
  json: (given) => ({
    value: given instanceof KeptJson ? given : new KeptJson(jsonTextOf(given)),
  }),
};

const wanted: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  millis: 'a whole number of milliseconds',
  number: 'a number',
  flag: 'true or false',
  replacing: 'true or false',
  text: 'a text',
  texts: 'a list of texts',
  objects: 'a list of objects',
  object: 'an object',
};

const makeAjv = () => {
  // Tidying the code it writes takes as long as writing it, and makes the code no quicker: V8 tidies, too. Whether schemas are schemas is asked where
  // they may not be, in `compiles`.
  const ajv = new Ajv({
    strict: false,
    allErrors: false,
    ownProperties: true,
    validateSchema: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  for (const word of ['shown', 'envelope', 'literals', 'absentAsNull']) ajv.addKeyword(word);
  ajv.addKeyword({
    keyword: 'lenient',
    modifying: true,
    errors: true,
    compile: (kind: string) => {
      const reading = readings[kind];
      if (reading === undefined) throw new Error(`unknown leniency ${kind}`);
      const check: {
        (
          given: unknown,
          at?: {
            parentData: Record<string | number, unknown>;
            parentDataProperty: string | number;
          },
        ): boolean;
        errors?: Partial<ErrorObject>[];
      } = (given, at) => {
        const converted = reading(given);
        if (converted === undefined)
          check.errors = [
            { keyword: 'lenient', message: `must be ${wanted[kind] ?? kind}`, params: {} },
          ];
        else if (at !== undefined && converted.value !== given)
          at.parentData[at.parentDataProperty] = converted.value;
        return converted !== undefined;
      };
      return check;
    },
  });
  return ajv;
};

interface ShownSchema {
  readonly lenient?: string;
  readonly absentAsNull?: boolean;
  readonly literals?: readonly string[];
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly items?: ShownSchema;
}

/** Removes members that are null where absent means the same, so that validation and handlers see one form. */
const dropNulls = (schema: ShownSchema): ((given: unknown) => void) | undefined => {
  const nullables = Object.entries(schema.properties ?? {})
    .filter(([, of]) => of.absentAsNull === true)
    .map(([name]) => name);
  const nested = Object.entries(schema.properties ?? {}).flatMap(([name, of]) => {
    const inner = dropNulls(of);
    return inner === undefined ? [] : [[name, inner] as const];
  });
  const ofItems = schema.items === undefined ? undefined : dropNulls(schema.items);
  if (nullables.length === 0 && nested.length === 0 && ofItems === undefined) return undefined;
  return (given) => {
    if (Array.isArray(given)) {
      if (ofItems !== undefined) for (const item of given) ofItems(item);
      return;
    }
    if (typeof given !== 'object' || given === null) return;
    const members = given as Record<string, unknown>; // an object, as was just checked
    for (const name of nullables) if (members[name] === null) delete members[name];
    for (const [name, inner] of nested) if (Object.hasOwn(members, name)) inner(members[name]);
  };
};

/** Names of the members, at any depth, whose JSON numbers must keep the text that was sent. */
export const literalNames = (schema: unknown): readonly string[] => {
  const { lenient: _, literals = [], properties = {}, items } = (schema ?? {}) as ShownSchema; // JSON Schema of our own making
  const here = Object.entries(properties)
    .filter(([, of]) => of.lenient === 'literal')
    .map(([name]) => name);
  return [
    ...new Set([
      ...here,
      ...literals,
      ...Object.values(properties).flatMap(literalNames),
      ...(items === undefined ? [] : literalNames(items)),
    ]),
  ];
};

let shared: Ajv | undefined;
const ajv = () => (shared ??= makeAjv());

const placeOf = ({ instancePath }: ErrorObject, whole: string): string =>
  instancePath === '' ? whole : instancePath.slice(1).replaceAll('/', '.');

const sentence = (errors: readonly ErrorObject[] | null | undefined, whole: string): string => {
  const [error] = errors ?? [];
  if (error === undefined) return `${whole} is not acceptable`;
  if (error.keyword === 'required')
    return `${error.instancePath === '' ? '' : `${placeOf(error, whole)}.`}${String(error.params['missingProperty'])} is required`;
  return `${placeOf(error, whole)} ${error.message ?? 'is not acceptable'}`;
};

/** Whether an error is about null where null means that a member was left out. */
const isLeftOut = (schema: ShownSchema, given: unknown, { instancePath }: ErrorObject): boolean => {
  let [at, of]: [unknown, ShownSchema | undefined] = [given, schema];
  for (const part of instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null) return false;
    at = (at as Record<string, unknown>)[name]; // any object can be read by name
    of = of?.properties?.[name] ?? of?.items;
  }
  return at === null && of?.absentAsNull !== false;
};

/** Rules that a value of the right type may break. */
const rulesOfMembers = new Set([
  'required',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
]);

/**
 * Gives the input in the row's own types, or rejects with `invalid` and a sentence that names the member; where a rule of a member is broken, with
 * `brokenRule`: there null means that a member was left out, also of one that is required. Compiled on first use.
 */
export const reader = (
  schema: TSchema,
  whole: string,
  brokenRule: FailureKind = 'invalid',
): ((given: unknown) => unknown) => {
  let validate: ValidateFunction | undefined;
  const clean = dropNulls(schema as ShownSchema); // typebox schemas are JSON Schema
  const run = (given: unknown): unknown => {
    validate ??= ajv().compile({ type: 'object', properties: { it: schema } });
    clean?.(given);
    const held = { it: given };
    const holds: boolean = validate(held);
    if (holds) return held.it;
    const errors = validate.errors?.map((error) => ({
      ...error,
      instancePath: error.instancePath.replace(/^\/it/, ''),
    }));
    const [error] = errors ?? [];
    if (
      error !== undefined &&
      brokenRule !== 'invalid' &&
      isLeftOut(schema as ShownSchema, held.it, error) // typebox schemas are JSON Schema
    )
      throw new Failure(brokenRule, `${placeOf(error, whole)} is required`);
    throw new Failure(
      rulesOfMembers.has(error?.keyword ?? '') ? brokenRule : 'invalid',
      sentence(errors, whole),
    );
  };
  return run;
};

/** Compiles a schema now, so that a fault in it shows at once. Throws when it is not a schema. */
export const compiles = (schema: TSchema): void => {
  void ajv().validateSchema(schema, true);
  ajv().compile({ type: 'object', properties: { it: schema } });
};
