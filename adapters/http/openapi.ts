// The operation table as an OpenAPI 3.1 document. Pure: rows in, document out.
import { sessionCookie } from '#ports/model/credentials';
import type { CatalogueRow } from '#ports/catalogue';
import type { FailureKind } from '#ports/failure';
import {
  bareShape,
  type Access,
  type EventsReply,
  type Operation,
  type ReplyShape,
} from '#ports/api/operation';
import { bareReply, nameFailures, type NamedFailures } from './description/failures.js';
import { exampleOf } from './description/examples.js';
import { nameSchemas, type Json, type NamedSchemas } from './description/schemas.js';

/** Every status that a row can answer besides its replies: what it declares, and what the way to it can refuse. */
export const failureStatuses = ({ family, operation }: CatalogueRow): readonly number[] => {
  const { statuses } = family.dress;
  const restricted = operation.access.needs !== 'public';
  const hasBody = operation.body !== undefined;
  const kinds: readonly FailureKind[] = [
    ...(operation.fails ?? []),
    ...(restricted ? (['unauthenticated', 'forbidden', 'absent'] as const) : []),
    ...(hasBody ? (['invalid', 'tooLarge', 'unsupported'] as const) : []),
    ...(hasBody && family.dress.brokenRule !== undefined ? [family.dress.brokenRule] : []),
    ...(operation.toggle !== undefined ||
    operation.query !== undefined ||
    operation.params !== undefined ||
    restricted
      ? (['invalid'] as const)
      : []),
    ...(operation.wire?.retryableWith429 === true || operation.metered !== undefined
      ? (['throttled'] as const)
      : []),
    'unavailable',
  ];
  const own = [
    operation.wire?.refusals?.unauthenticated?.status,
    operation.wire?.refusals?.absent?.status,
    operation.wire?.refusals?.conflict?.status,
    operation.wire?.refusals?.off?.status,
    operation.wire?.refusals?.notInstalled?.status,
    operation.wire?.refusals?.every?.status,
  ].filter((status) => status !== undefined);
  const statusOf = (kind: FailureKind): number =>
    (kind === 'unprocessable' ? operation.wire?.refusals?.unprocessable?.status : undefined) ??
    statuses[kind];
  // Who takes no pages is not sent to one that signs in.
  const inText = family.dress.pages === true && restricted ? [401] : [];
  return [...new Set([...kinds.map(statusOf), ...own, ...inText, 500])].sort((a, b) => a - b);
};

/** What the parts of one description share. */
interface Names {
  readonly schemas: NamedSchemas;
  readonly failures: NamedFailures;
}

const pascal = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}`;

const parametersOf = (
  operation: Operation,
  path: string,
  { describe }: NamedSchemas,
): readonly Json[] =>
  (['params', 'query'] as const).flatMap((where) => {
    const schema = operation[where] as
      { properties?: Json; required?: readonly string[] } | undefined; // the words of `ports/api/schema` make JSON Schema
    return Object.entries(schema?.properties ?? {})
      .filter(([name]) => where === 'query' || path.includes(`{${name}}`))
      .map(([name, of]) => ({
        name,
        in: where === 'params' ? 'path' : 'query',
        ...(where === 'params' || schema?.required?.includes(name) === true
          ? { required: true }
          : {}),
        schema: describe(of),
      }));
  });

const partsOf = (parts: Readonly<Record<string, string>>): Json => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(parts).map(([name, description]) => [
      name,
      { type: 'string', format: 'binary', description },
    ]),
  ),
});

/** An example beside a schema that has members, unless one stands in it. */
const exampled = (schema: unknown): Json => {
  const example = exampleOf(schema);
  const isEmpty =
    typeof example === 'object' && example !== null && Object.keys(example).length === 0;
  return example === undefined || isEmpty ? {} : { example };
};

const bodyOf = ({ id, operation: { body } }: CatalogueRow, { describe }: NamedSchemas): Json => {
  if (body === undefined) return {};
  const name = `${pascal(id)}Request`;
  const content = (): Json => {
    if ('multipart' in body) return { 'multipart/form-data': { schema: partsOf(body.multipart) } };
    if ('raw' in body) return { [body.raw]: {} };
    const schema = 'form' in body ? body.form : body;
    const json = { schema: describe(schema, name), ...exampled(schema) };
    if (!('form' in body)) return { 'application/json': json };
    return {
      'application/x-www-form-urlencoded': json,
      ...(body.json ? { 'application/json': json } : {}),
    };
  };
  return { requestBody: { required: true, content: content() } };
};

/** What a success is called: the word that its envelope says, where it holds nothing else. */
const headlineOf = (given: ReplyShape): string => {
  const { envelope } = (given ?? {}) as { readonly envelope?: string }; // a word of our own in JSON Schema
  return envelope ?? 'Done';
};

/** A stream of events, of which each is one of these. */
const eventsOf = (
  { events }: EventsReply,
  name: string,
  describe: NamedSchemas['describe'],
): Json => ({
  schema: {
    description:
      'Server-sent events; the data of each is JSON, and its id is what a client sends as Last-Event-ID when it comes back.',
    anyOf: Object.entries(events).map(([event, schema]) => ({
      type: 'object',
      required: ['id', 'event', 'data'],
      properties: {
        id: { type: 'string' },
        event: { type: 'string', enum: [event] },
        data: describe(schema, `${name}${pascal(event)}`),
      },
    })),
  },
});

const contentOf = (given: ReplyShape, name: string, { describe }: NamedSchemas): Json => {
  const shape = bareShape(given);
  if (shape === null || 'redirect' in shape || 'tag' in shape) return {};
  if ('bytes' in shape) return { content: { [shape.bytes]: {}, '*/*': {} } };
  if ('page' in shape) return { content: { 'text/html': { schema: { type: 'string' } } } };
  if ('events' in shape)
    return { content: { 'text/event-stream': eventsOf(shape, name, describe) } };
  if ('piece' in shape)
    return {
      content: {
        'application/json': { schema: describe(shape.whole, name) },
        'text/event-stream': { schema: describe(shape.piece, `${name}Piece`) },
      },
    };
  const schema = describe('streamed' in shape ? shape.streamed : shape, name);
  return { content: { 'application/json': { schema } } };
};

const successesOf = ({ id, operation }: CatalogueRow, schemas: NamedSchemas): Json => {
  const [first] = Object.keys(operation.replies);
  return Object.fromEntries(
    Object.entries(operation.replies).flatMap(([status, shape]) => {
      const name = `${pascal(id)}Reply${status === first ? '' : status}`;
      // The same status with a sentence is told as that refusal.
      if (shape === null && Number(status) === operation.wire?.refusals?.notInstalled?.status)
        return [];
      const content = contentOf(shape, name, schemas);
      const reply = [status, { description: headlineOf(shape), ...content }] as const;
      if (shape === null || !('bytes' in shape) || status !== '200') return [reply];
      return [
        reply,
        ['206', { description: 'A range of the bytes', ...content }] as const,
        ['416', bareReply('RangeNotSatisfiable')] as const,
      ];
    }),
  );
};

const refusalsOf = (row: CatalogueRow, failures: NamedFailures): Json => {
  const silent = row.operation.wire?.refusals?.every?.status;
  return Object.fromEntries(
    failureStatuses(row).map((status) => [
      String(status),
      status === silent
        ? { description: 'Refused, without a body' }
        : failures.refer(row.family, status),
    ]),
  );
};

/** Who may ask for a row of each access. */
const callers: Readonly<Record<Access, string>> = {
  public: 'Anybody may ask.',
  visitor: 'Anybody may ask; the reply depends on who it is.',
  signed: 'For who has a link that the server signed.',
  caller: 'For anybody with a credential.',
  read: 'For who may read what the request names.',
  write: 'For who may change what the request names.',
  owner: 'For the owner of what the request names.',
  'workspace-admin': 'For administrators of the workspace.',
  'organization-admin': 'For administrators of the installation.',
};

const descriptionOf = ({ access: { needs, permission }, toggle, wire }: Operation): string =>
  [
    callers[needs],
    ...(permission === undefined ? [] : [`Members with the permission ${permission.of} may, too.`]),
    ...(toggle === undefined ? [] : [`There only while the toggle ${toggle} is on.`]),
    ...(wire?.retryableWith429 === true ? ['After 429 the same request may be sent again.'] : []),
  ].join(' ');

const describeRow = (row: CatalogueRow, path: string, { schemas, failures }: Names): Json => {
  const { id, area, operation } = row;
  const { needs } = operation.access;
  const isOpen = needs === 'public' || needs === 'signed' || needs === 'visitor';
  const parameters = parametersOf(operation, path, schemas);
  return {
    operationId: id,
    tags: [area],
    summary: operation.summary,
    description: descriptionOf(operation),
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(row, schemas),
    responses: {
      408: bareReply('HeadersTooSlow'),
      431: bareReply('HeadersTooLarge'),
      ...refusalsOf(row, failures),
      ...successesOf(row, schemas),
    },
  };
};

const securitySchemes = {
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An API key, without a word for a scheme.',
  },
  javaKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Comet-Sdk-Api',
    description: 'The API key, as the Java client sends it.',
  },
  optimizerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-KEY',
    description: 'The API key, as clients of the optimizer send it.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token that a user allowed a program by OAuth 2.1.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The session of a browser; changes also carry its token in X-CSRF-Token.',
  },
} as const;

/** What an operation is under a further path: its input and success, and its refusals in one word, since the first path says them all. */
const describeAgain = (row: CatalogueRow, path: string, place: number, names: Names): Json => ({
  ...describeRow(row, path, names),
  operationId: `${row.id}_${place + 1}`,
  description: `The same as ${row.id}, at another address.`,
  responses: {
    ...successesOf(row, names.schemas),
    '4XX': names.failures.refer(row.family),
    '5XX': names.failures.refer(row.family),
  },
});

const pathsOf = (rows: readonly CatalogueRow[], names: Names): Json => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of rows)
    [row.operation.path].flat().forEach((path, place) => {
      paths[path] = {
        ...paths[path],
        [row.operation.method.toLowerCase()]:
          place === 0 ? describeRow(row, path, names) : describeAgain(row, path, place, names),
      };
    });
  return paths;
};

const tagsOf = (rows: readonly CatalogueRow[]): readonly Json[] => {
  const summaries = new Map(rows.map(({ area, areaSummary }) => [area, areaSummary]));
  return [...summaries].map(([name, summary]) => ({
    name,
    description: summary ?? `Operations of the area ${name}.`,
  }));
};

/** The document for these rows. */
export const describeRows = (
  rows: readonly CatalogueRow[],
  version: string,
  baseUrl: string,
): Json => {
  const names: Names = { schemas: nameSchemas(), failures: nameFailures() };
  const paths = pathsOf(rows, names);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Orrery',
      version,
      description:
        'Experiment tracking, a model registry, artifacts and identity. Send an API key as the Authorization header; every reply carries X-Request-Id.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This server' }],
    tags: tagsOf(rows),
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    components: {
      securitySchemes,
      responses: names.failures.replies(),
      schemas: { ...names.schemas.all(), ...names.failures.schemas() },
    },
  };
};
