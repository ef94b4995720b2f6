// `orrery call`: any operation of the table by command, as the installation's administrator, beside a running server or without one.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bareShape, type JsonText, type Pieces } from '#ports/api/operation';
import type { Download } from '#ports/bytes';
import type { CatalogueRow } from '#ports/catalogue';
import { Failure } from '#ports/failure';
import type { User } from '#ports/model/identity';
import type { Stores } from '#ports/storage/storage';
import { baseUrlOf } from './base-url.js';
import { compose } from './compose.js';
import { knownAddress, requireDataFolder } from './data-folder.js';
import { writeNewFile } from './file-faults.js';
import { loadSettings } from './load.js';
import { nearest } from './nearest.js';
import type { Output } from './output.js';
import { withStorage } from './with-storage.js';

/** The first administrator, at the command line: whoever may read the settings may do everything. */
const administrator = async ({ users }: Stores): Promise<User> => {
  const user = await users.findUser({ id: (await users.firstUserId()) ?? '' });
  if (user === undefined)
    throw new Failure(
      'absent',
      'there is no user yet; start the server once, or run "orrery user add NAME --admin"',
    );
  return user;
};

const parts = ['query', 'params', 'body'] as const;

/** The parts of the input: as they are named, or members by the part in which the row has them. */
const inputOf = (
  { id, operation }: CatalogueRow,
  text: string,
): Readonly<Record<string, Record<string, unknown>>> => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid', 'the input of an operation must be JSON', { cause });
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new Failure('invalid', 'the input of an operation must be a JSON object of its members');
  const input: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(given)) {
    const part = parts.find((one) =>
      Object.hasOwn(
        (operation[one] as { readonly properties?: object } | undefined)?.properties ?? {},
        name,
      ),
    ); // typebox schemas are JSON Schema
    if (part === undefined)
      throw new Failure('invalid', `${id} has no member ${name.slice(0, 60)}`);
    (input[part] ??= {})[name] = value;
  }
  return { ...input, ...(operation.body === undefined ? {} : { body: input['body'] ?? {} }) };
};

const isCallable = ({ operation }: CatalogueRow): boolean =>
  !['public', 'signed', 'visitor'].includes(operation.access.needs);

/** Members by name; those that may be left out in brackets. */
const membersOf = ({ operation }: CatalogueRow): readonly string[] =>
  parts.flatMap((part) => {
    const { properties = {}, required = [] } = (operation[part] ?? {}) as {
      readonly properties?: object;
      readonly required?: readonly string[];
    }; // JSON Schema, as above
    return Object.keys(properties).map((name) =>
      part === 'params' || required.includes(name) ? name : `[${name}]`,
    );
  });

const listing = (rows: readonly CatalogueRow[]): string =>
  rows
    .filter(isCallable)
    .map((row) => `${[row.id, ...membersOf(row)].join(' ')}\n    ${row.operation.summary}`)
    .join('\n');

export interface CallWords {
  readonly operation: string | undefined;
  readonly input: string | undefined;
  /** A new file that takes the reply. */
  readonly file: string | undefined;
}

const isDownload = (reply: unknown): reply is Download =>
  typeof reply === 'object' &&
  reply !== null &&
  typeof (reply as { readonly open?: unknown }).open === 'function';
const isText = (reply: unknown): reply is JsonText =>
  typeof reply === 'object' &&
  reply !== null &&
  Symbol.asyncIterator in Object((reply as { readonly text?: unknown }).text);

const isInPieces = (reply: unknown): reply is Pieces =>
  typeof reply === 'object' &&
  reply !== null &&
  Symbol.asyncIterator in Object((reply as { readonly pieces?: unknown }).pieces);

/** A reply as the bytes that are printed: what is stored as it is, everything else as JSON, pieces one a line. */
async function* printed(reply: unknown): AsyncIterable<Uint8Array | string> {
  if (isDownload(reply)) yield* await reply.open();
  else if (isText(reply)) {
    yield* reply.text;
    yield '\n';
  } else if (isInPieces(reply))
    for await (const piece of reply.pieces) yield `${JSON.stringify(piece)}\n`;
  else if (typeof reply === 'string') yield `${reply}\n`;
  else yield `${JSON.stringify(reply ?? {}, null, 2)}\n`;
}

/** The body of a reply: what is said besides it, and which of several replies it is, is not printed. */
const contentOf = ({ operation }: CatalogueRow, reply: unknown): unknown => {
  const [shape, ...others] = Object.values(operation.replies);
  const plain = others.length === 0 && (shape === undefined || bareShape(shape) === shape);
  return plain ? reply : (reply as { readonly body: unknown }).body; // the row's type makes the handler return this
};

const write = async (reply: unknown, file: string | undefined): Promise<void> => {
  const bytes = Readable.from(printed(reply), { objectMode: false });
  if (file !== undefined) {
    await writeNewFile(bytes, file);
    return;
  }
  await pipeline(bytes, process.stdout, { end: false }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EPIPE') throw thrown; // whoever read it has enough
  });
};

/** Prints what the operation replies, as JSON or as the bytes that it is; without a name, every operation with its members. */
export const call = async (
  { operation: id, input = '{}', file }: CallWords,
  output: Output,
): Promise<void> => {
  const loaded = loadSettings(process.env);
  requireDataFolder(loaded, { bytes: true });
  await withStorage(loaded, async (storage) => {
    const address = knownAddress(loaded);
    const values = {
      ...loaded.values,
      ORRERY_LOG_LEVEL: 'silent',
      SMART_API_KEY_ENABLED: loaded.values.SMART_API_KEY_ENABLED && address !== undefined,
    }; // a key carries no address that nobody was reached at
    const composed = await compose({
      loaded: { ...loaded, values },
      baseUrl: address ?? baseUrlOf(loaded, values.ORRERY_PORT),
      owns: false,
      storage,
    });
    try {
      if (id === undefined) {
        output.line(listing(composed.rows));
        output.json(
          composed.rows.filter(isCallable).map((row) => ({
            operation: row.id,
            members: membersOf(row),
            summary: row.operation.summary,
          })),
        );
        return;
      }
      const row = composed.rows.find((one) => one.id === id);
      if (row === undefined)
        throw new Failure(
          'absent',
          `there is no operation ${id.slice(0, 60)}; did you mean ${nearest(
            id,
            composed.rows.map((one) => one.id),
          )}? "orrery call" lists them`,
        );
      const { operations } = composed;
      const user = await administrator(storage.storage.stores);
      const reply = await operations.call(
        id,
        inputOf(row, input),
        operations.forInstallation({ ...user, kind: 'person' }),
      );
      await write(contentOf(row, reply), file);
    } finally {
      await composed.stop();
    }
  });
};
