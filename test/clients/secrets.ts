// Secrets that the tests of this process know of, and the search for them in all that a database holds.
import { listTables } from '#adapters/storage/sql/migrate';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { openStorage } from '#config/opening';
import { loadSettings } from '#config/load';

const registered = new Set<string>();
/** Shorter texts occur by themselves. */
const leastLength = 8;
/** What such a secret is known by: itself, and of a key what comes before the star, which is all that proves anything. */
const formsOf = (secret: string): readonly string[] =>
  [...new Set([secret, secret.split('*', 1)[0] ?? ''])].filter(
    (form) => form.length >= leastLength,
  );

/** Says that a text must be found in no database that this process has had served, and gives it back. */
export const neverStored = <T extends string>(secret: T): T => {
  for (const form of formsOf(secret)) registered.add(form);
  return secret;
};

/** Where points of metrics lie as bytes. */
const points = 'chunks';
const readable: Readonly<Record<string, string>> = {
  text: '??',
  'character varying': '??',
  character: '??',
  json: '??::text',
  jsonb: '??::text',
  bytea: "encode(substring(?? from 1 for 65536), 'escape')",
};
/** Beyond so many rows of a table only the first are read: what fills one so is a load, and not the making of credentials. */
const mostRows = 20_000;

/** The places, as table and column, in which one of the texts occurs; each place once. */
export const findStored = async (
  { connection }: Pick<SqlStorage, 'connection'>,
  texts: ReadonlySet<string>,
): Promise<readonly string[]> => {
  const { db } = connection;
  const columns = (await db('information_schema.columns')
    .whereRaw('table_schema = current_schema()')
    .select({ table: 'table_name', column: 'column_name', type: 'data_type' })) as readonly {
    readonly table: string;
    readonly column: string;
    readonly type: string;
  }[]; // the columns named
  const found: string[] = [];
  for (const table of await listTables(connection)) {
    const read = columns.filter(
      (one) =>
        one.table === table && one.type in readable && !(one.type === 'bytea' && table === points),
    );
    if (read.length === 0) continue;
    const rows = (await db(table)
      .select(
        read.map(({ column, type }) => db.raw(`${readable[type] ?? '??'} as ??`, [column, column])),
      )
      .limit(mostRows)) as readonly Readonly<Record<string, string | null>>[]; // every column is read as text
    for (const { column } of read) {
      const all = rows.map((row) => row[column] ?? '').join('\n');
      if ([...texts].some((text) => all.includes(text))) found.push(`${table}.${column}`);
    }
  }
  return found.sort();
};

/** Searches the embedded database of a running server for what it was started with and all that was registered. Rejects with the places. */
export const checkNothingStored = async (
  settings: Readonly<Record<string, string>>,
): Promise<void> => {
  const {
    ORRERY_STORAGE = '',
    ORRERY_POSTGRES_URL = '',
    ORRERY_DATA = '',
    ORRERY_ADMIN_API_KEY = '',
    ORRERY_ADMIN_PASSWORD = '',
  } = settings;
  const opened = await openStorage(
    loadSettings({ ORRERY_STORAGE, ORRERY_POSTGRES_URL, ORRERY_DATA, ORRERY_LOG_LEVEL: 'silent' }),
    false,
  );
  try {
    const found = await findStored(
      opened.storage,
      new Set([...registered, ...formsOf(ORRERY_ADMIN_API_KEY), ...formsOf(ORRERY_ADMIN_PASSWORD)]),
    );
    if (found.length > 0)
      throw new Error(`secrets of this run are stored as they are, in ${found.join(', ')}`);
  } finally {
    await opened.storage.close();
    await opened.stop();
  }
};
