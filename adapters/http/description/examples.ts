// Examples of requests, made from their schemas: members that readers know have a value that looks like theirs. Pure.
import type { Json } from './schemas.js';

const key = '6b9c1f0a4d2e48c7a5d3f1e2b4c6d8e0';
const at = 1_760_000_000_000;

/** What stands for a member of this name, where its schema takes it. */
const known: Readonly<Record<string, unknown>> = {
  experimentKey: key,
  experiment_key: key,
  copiedExperimentKey: key,
  newExperimentKey: 'a1d4c7f0b3e6925814703692581470de',
  targetedExperiments: [key],
  experimentKeys: [key],
  workspaceName: 'research',
  targetWorkspaceName: 'research',
  projectName: 'digits',
  targetProjectName: 'digits',
  name: 'lenet-baseline',
  experimentName: 'lenet-baseline',
  userName: 'ann',
  email: 'ann@example.com',
  password: 'seven lamps in a boat',
  newPassword: 'nine kites above a barn',
  metricName: 'loss',
  metricValue: '0.2716',
  parameterName: 'learning_rate',
  parameterValue: '0.001',
  step: 100,
  epoch: 2,
  context: 'train',
  timestamp: at,
  local_timestamp: at,
  startTimeMillis: at,
  endTimeMillis: at + 60_000,
  tags: ['baseline'],
  addedTags: ['baseline'],
  artifactName: 'digits-train',
  artifactType: 'dataset',
  version: '1.0.0',
  alias: ['latest'],
  stages: ['production'],
  status: 'QA',
  modelName: 'lenet',
  registryModelName: 'lenet',
  fileName: 'confusion-matrix.png',
  description: 'Reads handwritten digits',
  comment: 'Overfits after epoch 12',
  query: 'metrics.loss < 0.3',
  redirect_uri: 'http://127.0.0.1:8765/callback',
  redirect_uris: ['http://127.0.0.1:8765/callback'],
  url: 'https://hooks.example.com/models',
  target: 'https://hooks.example.com/models',
};

const optionalShown = 4;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;

/** Whether a schema takes a value that was made for its name alone, as far as its type and bounds say. */
const takes = (schema: Json, value: unknown): boolean => {
  const { type, maxLength, minLength, pattern, maximum, minimum } = schema as {
    readonly type?: unknown;
    readonly maxLength?: number;
    readonly minLength?: number;
    readonly pattern?: string;
    readonly maximum?: number;
    readonly minimum?: number;
  }; // keywords of JSON Schema
  const kind = kindOf(value);
  if (type !== undefined && type !== kind && !(type === 'number' && kind === 'integer'))
    return false;
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return false;
  if (typeof value === 'string')
    return (
      value.length <= (maxLength ?? Infinity) &&
      value.length >= (minLength ?? 0) &&
      (pattern === undefined || new RegExp(pattern, 'u').test(value))
    );
  if (typeof value === 'number')
    return value <= (maximum ?? Infinity) && value >= (minimum ?? -Infinity);
  if (Array.isArray(value)) {
    const items = plainOf(schema['items']);
    return value.every((item) => takes(items, item));
  }
  return true;
};

/** The schema with what our own words show of it. */
const plainOf = (schema: unknown): Json => {
  if (!isObject(schema)) return {};
  const { shown, ...rest } = schema;
  return { ...(isObject(shown) ? shown : {}), ...rest };
};

const membersOf = (schema: Json): Json => {
  const properties = (schema['properties'] ?? {}) as Json; // members of an object schema are an object
  const required = (schema['required'] ?? []) as readonly string[]; // made by `object`
  const optional = Object.keys(properties).filter(
    (name) => !required.includes(name) && Object.hasOwn(known, name),
  );
  const shown = [...required, ...optional.slice(0, optionalShown)];
  return Object.fromEntries(
    (shown.length > 0 ? shown : Object.keys(properties).slice(0, 1)).map((name) => [
      name,
      exampleOf(properties[name], name),
    ]),
  );
};

const textOf = (schema: { minLength?: number; pattern?: string }): unknown => {
  const made = 'text'.padEnd(schema.minLength ?? 0, '-');
  return takes(schema as Json, made) ? made : undefined; // keywords of JSON Schema
};

const byType = (schema: Json, name: string): unknown => {
  switch (schema['type']) {
    case 'object':
      return membersOf(schema);
    case 'array': {
      const item = exampleOf(schema['items'], name);
      return item === undefined ? [] : [item];
    }
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1));
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema);
    default:
      return isObject(schema['properties']) ? membersOf(schema) : 'text';
  }
};

/** A value that the schema takes, for a member of this name; `undefined` where none can be made from it. */
export const exampleOf = (given: unknown, name = ''): unknown => {
  const schema = plainOf(given);
  const { examples, enum: words } = schema as {
    readonly examples?: readonly unknown[];
    readonly enum?: readonly unknown[];
  }; // keywords of JSON Schema
  if (examples !== undefined) return examples[0];
  if ('const' in schema) return schema['const'];
  if (words !== undefined) return words[0];
  if (Object.hasOwn(known, name) && takes(schema, known[name])) return known[name];
  const anyOf = schema['anyOf'];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0], name);
  return byType(schema, name);
};
