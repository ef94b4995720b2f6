import type { Knex } from 'knex';
import type { ColumnValues, Dialect, Fault } from '../sql/dialect.js';
import { fragment } from '../sql/fragment.js';

const arrays = { id: 'uuid[]', text: 'text[]', whole: 'bigint[]', real: 'float8[]', bytes: 'bytea[]', flag: 'boolean[]' } as const;

const faults: Readonly<Record<string, Fault>> = {
  '23505': 'conflict', '40P01': 'repeat', '40001': 'repeat', '55P03': 'repeat', '25P02': 'repeat',
  '57P01': 'away', '57P02': 'away', '57P03': 'away', '53300': 'away', '53400': 'away', '08000': 'away', '08003': 'away', '08006': 'away', '08001': 'away', '08004': 'away', '3D000': 'away',
  '53100': 'full', '53200': 'away', '22021': 'unfit', '22P02': 'unfit', '22003': 'unfit', '22001': 'unfit',
};
const network = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

const quote = (name: string) => `"${name}"`;

/** Many byte values as one: a single one goes over the wire as it is, a list of them as twice as many hexadecimal digits. */
const joinBytes = (values: readonly Buffer[]) => {
  let next = 1;
  const offsets = values.map(({ length }) => { const offset = next; next += length; return offset; });
  return { all: Buffer.concat(values), offsets, lengths: values.map(({ length }) => length) };
};

interface Sent { readonly rows: readonly unknown[]; readonly rowCount: number | null }
interface Session {
  query(text: string, values: readonly unknown[]): Promise<Sent>;
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}
interface Driver {
  acquireConnection(): Promise<Session>;
  releaseConnection(connection: unknown): Promise<void>;
}

const numbered = new Map<string, string>();

/** Statements with `?` as the driver wants them, `$1` and on; their texts are few and come again and again. */
const numberMarks = (sql: string): string => {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const made = sql.replaceAll('?', () => `$${++count}`);
  if (numbered.size > 1000) numbered.clear();
  numbered.set(sql, made);
  return made;
};

/** The connections of transactions under way, so that statements are sent in the very order in which they are asked for. */
const sessions = new WeakMap<Driver, Session>();

/** One statement on the pool's or the transaction's connection, past the query builder, which would take as long as the statement. */
const send = (db: Knex, sql: string, values: readonly unknown[]): Promise<Sent> => {
  const driver = db.client as Driver; // knex's client, of which its types tell nothing
  const session = sessions.get(driver);
  return session === undefined ? sendFirst(driver, sql, values) : session.query(numberMarks(sql), values);
};
const sendFirst = async (driver: Driver, sql: string, values: readonly unknown[]): Promise<Sent> => {
  const session = await driver.acquireConnection();
  try {
    return await session.query(numberMarks(sql), values);
  } finally {
    await driver.releaseConnection(session);
  }
};

/** Starts every work at once on a transaction's connection, so that what they send goes out in one piece. */
const sendTogether = async (db: Knex, works: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> => {
  const driver = db.client as Driver; // as above
  const session = sessions.get(driver) ?? await driver.acquireConnection();
  sessions.set(driver, session);
  const { stream } = session.connection;
  stream.cork();
  const started = works.map((work) => work());
  stream.uncork();
  return Promise.all(started);
};

const escapeText = (text: string): string => `"${/[\\"]/.test(text) ? text.replaceAll(/[\\"]/g, String.raw`\$&`) : text}"`;

/** A list in the database's own text form, which the driver would make value by value. */
const toList = (kind: keyof typeof arrays, values: readonly unknown[]): string => {
  const isText = kind === 'text';
  let list = '';
  for (const value of values) list += `${list === '' ? '' : ','}${value === null || value === undefined ? 'NULL' : isText ? escapeText(String(value)) : String(value)}`;
  return `{${list}}`;
};

const insert = async (db: Knex, table: string, columns: readonly ColumnValues[], suffix: string): Promise<number> => {
  const names = columns.map(({ name }) => quote(name)).join(', ');
  const [bytes, plain] = [columns.filter(({ kind }) => kind === 'bytes'), columns.filter(({ kind }) => kind !== 'bytes')];
  const joined = bytes.map(({ values }) => joinBytes(values as readonly Buffer[])); // the kind says that they are
  const selected = columns.map((column) => (column.kind === 'bytes' ? `substr(?::bytea, u.o${bytes.indexOf(column)}, u.l${bytes.indexOf(column)})` : `u.c${plain.indexOf(column)}`)).join(', ');
  const lists = [...plain.map(({ kind }) => `?::${arrays[kind]}`), ...bytes.flatMap(() => ['?::int[]', '?::int[]'])].join(', ');
  const given = [...plain.map((_, i) => `c${i}`), ...bytes.flatMap((_, i) => [`o${i}`, `l${i}`])].join(', ');
  const bindings = [...joined.map(({ all }) => all), ...plain.map(({ kind, values }) => toList(kind, values)), ...joined.flatMap(({ offsets, lengths }) => [toList('whole', offsets), toList('whole', lengths)])];
  const { rowCount } = await send(db, `insert into ${quote(table)} (${names}) select ${selected} from unnest(${lists}) as u(${given}) ${suffix}`, bindings);
  return rowCount ?? 0;
};

export const postgresDialect: Dialect = {
  id: (table, column) => table.uuid(column),
  exactText: (table, column, length) => table.specificType(column, `varchar(${length}) collate "C"`), // ordered by code points, whatever the database's own order
  longText: (table, column) => table.text(column),
  longBytes: (table, column) => table.binary(column),
  real: (table, column) => table.double(column),
  finishTable: () => undefined,
  incoming: (column) => `excluded.${quote(column)}`,
  stored: (table, column) => `${quote(table)}.${quote(column)}`,
  byCodePoints: (expression) => `(${expression})::text collate "C"`,
  holdsText: (expression, where, text) => {
    if (where === 'contains') return fragment(`strpos(${expression}, ?) > 0`, text);
    return where === 'startsWith' ? fragment(`starts_with(${expression}, ?)`, text) : fragment(`right(${expression}, ${[...text].length}) = ?`, text);
  },
  rangeOfStart: (column, start) => fragment(`${column} like ? escape '!'`, `${start.replaceAll(/[!%_]/g, '!$&')}%`),
  idAsText: (expression) => `${expression}::text`,
  currentSchema: 'current_schema()',
  hasIndex: async (db, table, name) => (await db('pg_indexes').select('indexname').whereRaw('schemaname = current_schema()').where({ tablename: table, indexname: name })).length > 0,
  nowMs: "(extract(epoch from clock_timestamp()) * 1000)::bigint",
  async insertColumns(db, table, columns, suffix = '') {
    await insert(db, table, columns, suffix);
  },
  insertFresh: (db, table, keys, columns) => insert(db, table, columns, `on conflict (${keys.map(quote).join(', ')}) do nothing`),
  run: async (db, sql, bindings) => (await send(db, sql, bindings)).rows,
  together: (db, works) => sendTogether(db, works) as never, // one result of each, in their order
  onConflict: (keys, assign) => `on conflict (${keys.map(quote).join(', ')}) do update set ${assign.join(', ')}`,
  onConflictIgnore: (keys) => `on conflict (${keys.map(quote).join(', ')}) do nothing`,
  anyOf: (column, kind) => `${column} = any(?::${arrays[kind]})`,
  among: (column, kind, values) => (query) => { query.whereRaw(`?? = any(?::${arrays[kind]})`, [column, values] as never); }, // knex types no lists as bindings; the driver takes them
  statementBytes: 64 * 1024 * 1024,
  fault(thrown) {
    const { code, message } = thrown as { code?: unknown; message?: unknown }; // any thrown value can be asked for members, which may be absent
    if (typeof code === 'string') return faults[code] ?? (network.has(code) ? 'away' : code.startsWith('08') ? 'away' : 'other');
    return typeof message === 'string' && /Connection terminated|Timeout acquiring|timeout exceeded when trying to connect|not queryable|Unable to acquire|aborted/i.test(message) ? 'away' : 'other';
  },
};
