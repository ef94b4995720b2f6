// The schemas of rows as readers of the description know them: in plain JSON Schema, and each shape named once.

export type Json = Readonly<Record<string, unknown>>;

/** What every success envelope holds beside the members of its reply. */
const success = {
  type: 'object',
  description: 'What every reply that is an envelope holds.',
  properties: {
    msg: { type: 'string', examples: ['Saved'] },
    code: { const: 200 },
    data: { type: ['string', 'null'] },
    sdk_error_code: { const: 0 },
  },
  required: ['msg', 'code', 'data', 'sdk_error_code'],
} as const;

/** The shapes of one description, by name. */
export interface NamedSchemas {
  /** The schema in plain JSON Schema, in which shapes that have a name are referred to; an object that has none gets the `fallback`. */
  describe(schema: unknown, fallback?: string): unknown;
  /** Every shape that was named so far. */
  all(): Json;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasMembers = (schema: Json): boolean =>
  Object.keys((schema['properties'] ?? {}) as Json).length > 0; // members of an object schema are an object

/** Alternatives of which one takes everything are no alternatives. */
const takesAnything = (schema: Json): boolean =>
  Array.isArray(schema['anyOf']) &&
  (schema['anyOf'] as readonly object[]).some((one) => Object.keys(one).length === 0);

/** The same, or null. */
const orNull = (schema: Json): Json => {
  if ('$ref' in schema || 'allOf' in schema) return { anyOf: [schema, { type: 'null' }] };
  if (typeof schema['type'] !== 'string') return schema;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(schema['enum'])
      ? { enum: [...(schema['enum'] as readonly unknown[]), null] }
      : {}),
  };
};

/** An envelope refers to what all envelopes hold, unless it says otherwise of one of those members. */
const inEnvelope = (schema: Json, base: Json): Json => {
  if (!hasMembers(schema)) return base;
  const own = (schema['properties'] ?? {}) as Json; // members of an object schema are an object
  const required = (schema['required'] ?? []) as readonly string[]; // made by `object`
  const shared = Object.keys(success.properties).some((name) => name in own && name !== 'msg');
  if (!shared) return { allOf: [base, schema] };
  return {
    ...schema,
    properties: { ...success.properties, ...own },
    required: [...new Set([...success.required, ...required])],
  };
};

/** Collects the named shapes of one description. */
export const nameSchemas = (): NamedSchemas => {
  const byName = new Map<string, Json>();
  const names = new Map<string, string>();

  /** Refers to a shape by its name; where another shape has that name already, by the name and a number. */
  const named = (name: string, schema: Json, isFallback: boolean): Json => {
    const key = `${isFallback ? '' : name}${JSON.stringify(schema)}`;
    let known = names.get(key);
    if (known === undefined) {
      known = name;
      for (let n = 2; byName.has(known); n++) known = `${name}_${n}`;
      names.set(key, known);
      byName.set(known, schema);
    }
    return { $ref: `#/components/schemas/${known}` };
  };

  const members = (properties: Json): Json =>
    Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, describe(of)]));

  const describe = (given: unknown, fallback?: string): unknown => {
    if (Array.isArray(given)) return given.map((one) => describe(one));
    if (!isObject(given)) return given;
    const { lenient: _, literals: __, shown, envelope, absentAsNull, title, ...rest } = given; // our own words
    const plain = Object.fromEntries(
      Object.entries({ ...(isObject(shown) ? shown : {}), ...rest }).map(([keyword, value]) => [
        keyword,
        keyword === 'properties'
          ? members(value as Json) // members of an object schema are an object
          : ['items', 'anyOf', 'additionalProperties'].includes(keyword)
            ? describe(value)
            : value,
      ]),
    );
    if (takesAnything(plain)) return {};
    const whole =
      envelope === undefined ? plain : inEnvelope(plain, named('Success', success, false));
    const referred =
      typeof title === 'string'
        ? named(title, whole, false)
        : fallback !== undefined && (hasMembers(whole) || 'allOf' in whole)
          ? named(fallback, whole, true)
          : whole;
    return absentAsNull === true ? orNull(referred) : referred;
  };

  return {
    describe,
    all: () => Object.fromEntries([...byName].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
};
