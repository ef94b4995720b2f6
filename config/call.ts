// `orrery call`: any operation of the table by command, as the installation's administrator, beside a running server or without one.
import type { CatalogueRow } from '#ports/catalogue';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Stores } from '#ports/storage/storage';
import { baseUrlOf } from './base-url.js';
import { compose } from './compose.js';
import type { Loaded } from './load.js';
import { withStorage } from './with-storage.js';

/** The first administrator, at the command line: whoever may read the settings may do everything. */
const administrator = async ({ identity }: Stores): Promise<Caller> => {
  const user = await identity.findUser({ id: (await identity.firstUserId()) ?? '' });
  if (user === undefined) throw new Failure('absent', 'there is no user yet; start the server once, or run "orrery user add NAME --admin"');
  return { userId: user.id, userName: user.name, kind: 'person', admin: true, everywhere: true, viewOnly: false, defaultWorkspaceId: user.defaultWorkspaceId, via: 'command', keyId: 'command', scope: undefined, csrf: undefined, roles: new Map(), permissions: new Map() };
};

const parts = ['query', 'params', 'body'] as const;

/** The parts of the input: as they are named, or members by the part in which the row has them. */
const inputOf = ({ id, operation }: CatalogueRow, text: string): Readonly<Record<string, Record<string, unknown>>> => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new Failure('invalid', 'the input of an operation must be JSON', { cause });
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Failure('invalid', 'the input of an operation must be a JSON object of its members');
  const input: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of Object.entries(given)) {
    const part = parts.find((one) => Object.hasOwn((operation[one] as { readonly properties?: object } | undefined)?.properties ?? {}, name)); // typebox schemas are JSON Schema
    if (part === undefined) throw new Failure('invalid', `${id} has no member ${name.slice(0, 60)}`);
    (input[part] ??= {})[name] = value;
  }
  return { ...input, ...(operation.body === undefined ? {} : { body: input['body'] ?? {} }) };
};

const listing = (rows: readonly CatalogueRow[]): string => rows.filter(({ operation }) => operation.access !== 'public' && operation.access !== 'signed' && operation.access !== 'visitor').map(({ id, operation }) => {
  const members = parts.flatMap((part) => { const { properties = {}, required = [] } = (operation[part] ?? {}) as { readonly properties?: object; readonly required?: readonly string[] }; return Object.keys(properties).map((name) => (part === 'params' || required.includes(name) ? name : `[${name}]`)); }); // JSON Schema, as above
  return `${id}${members.length === 0 ? '' : ` ${members.join(' ')}`}\n    ${operation.summary}`;
}).join('\n');

/** Prints what the operation replies, as JSON; without a name, every operation with its members. */
export const call = async (loaded: Loaded, [id, text = '{}', ...more]: readonly string[]): Promise<void> => {
  if (more.length > 0) throw new Failure('invalid', 'call takes the name of an operation and one JSON object');
  await withStorage(loaded, async (storage) => {
    const composed = await compose({ loaded: { ...loaded, values: { ...loaded.values, ORRERY_LOG_LEVEL: 'silent' } }, baseUrl: baseUrlOf(loaded, loaded.values.ORRERY_PORT), owns: false, storage });
    try {
      if (id === undefined) { process.stdout.write(`${listing(composed.rows)}\n`); return; }
      const row = composed.rows.find((one) => one.id === id);
      if (row === undefined) throw new Failure('absent', `there is no operation ${id.slice(0, 60)}; "orrery call" lists them`);
      const reply = await composed.operations.call(id, inputOf(row, text), await administrator(storage.storage.stores));
      process.stdout.write(`${JSON.stringify(reply ?? {}, null, 2)}\n`);
    } finally {
      await composed.stopPlugins();
    }
  });
};
