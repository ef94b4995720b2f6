// The operation table as an OpenAPI 3.1 document. Pure: rows in, document out.
import { sessionCookie } from '#ports/model/credentials';
import type { CatalogueRow } from '#ports/catalogue';
import type { FailureKind } from '#ports/failure';
import type { Operation, ReplyShape } from '#ports/api/operation';
import { familiesOf } from './families.js';

type Json = Readonly<Record<string, unknown>>;

/** A schema as readers of the document know it: our leniencies become the form that is meant. */
export const showSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(showSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const {
    lenient: _lenient,
    shown,
    envelope,
    literals: _literals,
    absentAsNull,
    ...rest
  } = schema as Json & { shown?: Json; envelope?: string; absentAsNull?: boolean }; // our own words
  const plain = Object.fromEntries(
    Object.entries({ ...shown, ...rest }).map(([name, value]) => [
      name,
      name === 'properties'
        ? Object.fromEntries(
            Object.entries(value as Json).map(([key, of]) => [key, showSchema(of)]),
          )
        : ['items', 'anyOf', 'additionalProperties'].includes(name)
          ? showSchema(value)
          : value,
    ]),
  );
  if (absentAsNull === true && typeof plain['type'] === 'string')
    return {
      ...plain,
      type: [plain['type'], 'null'],
      ...(Array.isArray(plain['enum']) ? { enum: [...(plain['enum'] as unknown[]), null] } : {}),
    };
  if (envelope === undefined) return plain;
  return {
    ...plain,
    properties: {
      msg: { type: 'string', default: envelope },
      code: { const: 200 },
      data: { type: ['string', 'null'] },
      sdk_error_code: { const: 0 },
      ...(plain['properties'] as Json),
    },
    required: [
      ...new Set([
        'msg',
        'code',
        'data',
        'sdk_error_code',
        ...((plain['required'] ?? []) as string[]),
      ]),
    ],
  };
};

const contentOf = (given: ReplyShape): Json => {
  const shape = given !== null && 'headed' in given ? given.headed : given;
  if (shape === null || 'redirect' in shape || 'tag' in shape) return {};
  if ('bytes' in shape) return { content: { [shape.bytes]: {}, '*/*': {} } };
  if ('page' in shape) return { content: { 'text/html': {} } };
  return {
    content: {
      'application/json': { schema: showSchema('streamed' in shape ? shape.streamed : shape) },
    },
  };
};

/** Every status that a row can answer besides its replies: what it declares, and what the way to it can refuse. */
export const failureStatuses = ({ family, operation }: CatalogueRow): readonly number[] => {
  const { statuses } = family.dress;
  const restricted = operation.access !== 'public';
  const hasBody = operation.body !== undefined;
  const kinds: readonly FailureKind[] = [
    ...(operation.fails ?? []),
    ...(restricted ? (['unauthenticated', 'forbidden', 'absent'] as const) : []),
    ...(hasBody ? (['invalid', 'tooLarge', 'unsupported'] as const) : []),
    ...(operation.toggle !== undefined ||
    operation.query !== undefined ||
    operation.params !== undefined ||
    restricted
      ? (['invalid'] as const)
      : []),
    ...(operation.parked === true ? (['throttled'] as const) : []),
    'unavailable',
  ];
  const own = [
    operation.refusals?.unauthenticated?.status,
    operation.refusals?.absent?.status,
    operation.refusals?.conflict?.status,
    operation.refusals?.off?.status,
    operation.refusals?.every?.status,
  ].filter((status) => status !== undefined);
  return [...new Set([...kinds.map((kind) => statuses[kind]), ...own, 500])].sort((a, b) => a - b);
};

const parametersOf = (operation: Operation, path: string): readonly Json[] =>
  (['params', 'query'] as const).flatMap((where) => {
    const schema = operation[where] as
      { properties?: Json; required?: readonly string[] } | undefined; // typebox schemas are JSON Schema
    return Object.entries(schema?.properties ?? {})
      .filter(([name]) => where === 'query' || path.includes(`{${name}}`))
      .map(([name, of]) => ({
        name,
        in: where === 'params' ? 'path' : 'query',
        required: where === 'params' || (schema?.required ?? []).includes(name),
        schema: showSchema(of),
      }));
  });

const bodyOf = ({ body }: Operation): Json => {
  if (body === undefined) return {};
  if ('multipart' in body)
    return {
      requestBody: {
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: Object.fromEntries(
                Object.entries(body.multipart).map(([name, says]) => [
                  name,
                  { type: 'string', format: 'binary', description: says },
                ]),
              ),
            },
          },
        },
      },
    };
  if ('form' in body)
    return {
      requestBody: {
        content: {
          'application/x-www-form-urlencoded': { schema: showSchema(body.form) },
          ...(body.json ? { 'application/json': { schema: showSchema(body.form) } } : {}),
        },
      },
    };
  return {
    requestBody: {
      content:
        'raw' in body ? { [body.raw]: {} } : { 'application/json': { schema: showSchema(body) } },
    },
  };
};

/** What the server answers before it knows which row is meant; without a body. */
const ofTheServer: Json = {
  408: { description: 'the headers came too slowly' },
  431: { description: 'the headers are larger than 32 KiB' },
};

const describeRow = (row: CatalogueRow, path: string): Json => {
  const { id, area, family, operation } = row;
  const failure = {
    content: {
      [family.dress.pages === true ? 'text/html' : 'application/json']: {
        schema: { $ref: `#/components/schemas/${family.name}Failure` },
      },
    },
  };
  return {
    operationId: id,
    tags: [area],
    summary: operation.summary,
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    ...(operation.access === 'public' ||
    operation.access === 'signed' ||
    operation.access === 'visitor'
      ? { security: [] }
      : {}),
    parameters: parametersOf(operation, path),
    ...bodyOf(operation),
    responses: {
      ...ofTheServer,
      ...Object.fromEntries(
        failureStatuses(row).map((status) => [
          String(status),
          { description: 'refused', ...failure },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(operation.replies).flatMap(([status, shape]) => [
          [status, { description: 'done', ...contentOf(shape) }],
          ...(shape !== null && 'bytes' in shape && status === '200'
            ? ([
                ['206', { description: 'a range', ...contentOf(shape) }],
                ['416', { description: 'the range is beyond the end' }],
              ] as const)
            : []),
        ]),
      ),
    },
  };
};

/** The document for these rows. */
export const describeRows = (
  rows: readonly CatalogueRow[],
  version: string,
  baseUrl: string,
): Json => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of rows)
    [row.operation.path].flat().forEach((path, place) => {
      const described = describeRow(row, path);
      paths[path] = {
        ...paths[path],
        [row.operation.method.toLowerCase()]:
          place === 0 ? described : { ...described, operationId: `${row.id}_${place + 1}` },
      };
    });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orrery',
      version,
      description: 'Experiment tracking, model registry, artifacts and LLM observability.',
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }, { javaKey: [] }, { optimizerKey: [] }, { bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization' },
        javaKey: { type: 'apiKey', in: 'header', name: 'Comet-Sdk-Api' },
        optimizerKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
      schemas: Object.fromEntries(
        familiesOf(rows).map(({ name, dress }) => [`${name}Failure`, dress.failureSchema]),
      ),
    },
  };
};
