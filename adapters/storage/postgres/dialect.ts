import type { Knex } from 'knex';
import { repeatStatement } from '../sql/connection.js';
import { searchMs } from '../sql/limits.js';
import { cancellable } from '../sql/semaphore.js';
import { limitedBegin } from './client.js';
import { listType, toList, readReals } from './lists.js';
import type { ColumnValues, Dialect, Fault, PipelinedTransaction } from '#ports/sql-dialect';
import { fragment } from '../sql/fragment.js';
import { withoutValues } from '../sql/without-values.js';

const faults: Readonly<Record<string, Fault>> = {
  '23505': 'conflict',
  '40P01': 'repeat',
  '40001': 'repeat',
  '55P03': 'repeat',
  '25P02': 'repeat',
  '57P01': 'away',
  '57P02': 'away',
  '57P03': 'away',
  '53300': 'away',
  '53400': 'away',
  '08000': 'away',
  '08003': 'away',
  '08006': 'away',
  '08001': 'away',
  '08004': 'away',
  '3D000': 'away',
  '25P03': 'away',
  '57014': 'slow',
  '53100': 'full',
  '22012': 'changed',
  '53200': 'away',
  '22021': 'unfit',
  '22P02': 'unfit',
  '22003': 'unfit',
  '22001': 'unfit',
};
const network = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

const quote = (name: string) => `"${name}"`;

interface Sent {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string;
}
interface Session {
  query(statement: Statement): Promise<Sent>;
  readonly connection: { readonly stream: { cork(): void; uncork(): void } };
}
interface Driver {
  /** Of a transaction. */
  readonly transacting?: boolean;
  readonly config: { readonly userParams?: { readonly prepared?: boolean } };
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

/** Sends one statement on a connection. */
type Sender = (sql: string, values: readonly unknown[]) => Promise<Sent>;

const plainly =
  (session: Session): Sender =>
  (sql, values) =>
    withoutValues(sql, session.query({ text: numberMarks(sql), values }));

const names = new Map<string, string>();

/** Keeps what the database made of a statement in its connection, under a name of its own: for the few of the hot path only. */
const prepared =
  (session: Session): Sender =>
  (sql, values) => {
    const name = names.get(sql) ?? `orrery_${names.size}`;
    names.set(sql, name);
    return withoutValues(sql, session.query({ name, text: numberMarks(sql), values }));
  };

/** The connections of transactions under way, so that statements are sent in the very order in which they are asked for. */
const sessions = new WeakMap<object, Sender>();

/** One statement on the pool's or the transaction's connection, past the query builder, which would take as long as the statement. */
const send = (db: Knex, sql: string, values: readonly unknown[]): Promise<Sent> => {
  const driver = db.client as Driver; // knex's client, of which its types tell nothing
  return sessions.get(driver)?.(sql, values) ?? sendFirst(driver, sql, values);
};
const sendFirst = async (
  driver: Driver,
  sql: string,
  values: readonly unknown[],
): Promise<Sent> => {
  const session = await driver.acquireConnection();
  try {
    const query = () => withoutValues(sql, session.query({ text: numberMarks(sql), values }));
    return await (driver.transacting === true ? query() : repeatStatement(postgresDialect, query));
  } finally {
    await driver.releaseConnection(session);
  }
};

/** Starts every work at once on a transaction's connection, so that what they send goes out in one piece. */
const sendTogether = async (
  db: Knex,
  works: readonly (() => Promise<unknown>)[],
): Promise<readonly unknown[]> => {
  const driver = db.client as Driver; // as above
  const session = await driver.acquireConnection(); // a transaction's client always gives the same
  sessions.set(driver, plainly(session));
  const { stream } = session.connection;
  stream.cork();
  const started = works.map((work) => work());
  stream.uncork();
  return Promise.all(started);
};

/** Characters of a text that an index over its beginning has: most names are told apart by them. */
const indexedCharacters = 40;

/** Characters beyond which an index does not have the words of a text. */
const wordyCharacters = 2000;
const wordsOf = (expression: string): string =>
  `(case when length(${expression}) > ${wordyCharacters} then array['*'] else regexp_split_to_array(lower(${expression}), '[^a-z0-9_]+') end)`;

/** Pages of a stretch of a table: so many that, however fast rows come, the database is asked to look at no more stretches than it takes orders for in a minute. */
const rangePages = 512;
const indexKinds = { values: 'btree', words: 'gin', ranges: 'brin' } as const;

/** Rows read at once where every row of a table is: the longest are of a mebibyte. */
const rowsAtOnce = 64;

/** A select that gives these rows. */
const given = (columns: readonly ColumnValues[]) => {
  const selected = columns.map(({ name }, i) => `u.c${i} as ${quote(name)}`).join(', ');
  const lists = columns.map(({ kind }) => `?::${listType(kind)}`).join(', ');
  return {
    select: `select ${selected} from unnest(${lists}) as u(${columns.map((_, i) => `c${i}`).join(', ')})`,
    bindings: columns.map(({ kind, values }) => toList(kind, values)),
  };
};

const insert = async (
  db: Knex,
  table: string,
  columns: readonly ColumnValues[],
  suffix: string,
): Promise<number> => {
  const { select, bindings } = given(columns);
  const { rowCount } = await send(
    db,
    `insert into ${quote(table)} (${columns.map(({ name }) => quote(name)).join(', ')}) ${select} ${suffix}`,
    bindings,
  );
  return rowCount ?? 0;
};

/** What a statement says that came after the one that failed. */
const isAftermath = (thrown: unknown): boolean => (thrown as { code?: unknown }).code === '25P02'; // any thrown value can be asked for members

/** For how long a connection keeps what it planned, in ms. */
const planMs = 10_000;
const planned = new WeakMap<Session, number>();

/**
 * Whether a connection is to plan its prepared statements anew. What was planned while a table was nearly empty reads all of it, and goes on doing so
 * when there are many thousands of rows: the database itself looks at a plan again only once the table was analyzed, minutes later.
 */
const plansAreOld = (session: Session): boolean => {
  const now = performance.now();
  const since = planned.get(session);
  if (since !== undefined && now - since < planMs) return false;
  planned.set(session, now);
  return since !== undefined;
};

/** A transaction as one message: an error in it turns its commit into a rollback. */
const transact: PipelinedTransaction['transact'] = async (db, works) => {
  const driver = db.client as Driver; // knex's client, of which its types tell nothing
  const session = await driver.acquireConnection();
  const key = {};
  const inside = { client: key } as Knex; // only a name by which statements find the connection
  const { stream } = session.connection;
  try {
    const keepsPlans = driver.config.userParams?.prepared === true;
    sessions.set(key, (keepsPlans ? prepared : plainly)(session));
    const parts = works(inside);
    stream.cork();
    const started = [
      ...(keepsPlans && plansAreOld(session)
        ? [session.query({ text: 'discard plans', values: [] })]
        : []),
      session.query({ text: limitedBegin, values: [] }),
      ...parts.map((work) => work()),
      session.query({ text: 'commit', values: [] }),
    ];
    stream.uncork();
    sessions.delete(key); // what asks later would be carried out on its own
    const refused = (await Promise.allSettled(started)).flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    if (refused.length > 0) throw refused.find((reason) => !isAftermath(reason)) ?? refused[0];
  } finally {
    await driver.releaseConnection(session);
  }
};

/** Bytes of a table from which on an index is made while others go on writing to it, which takes twice as long. */
const largeTableBytes = 64 * 1024 * 1024;

/** Makes an index unless there is one of that name; one that a run left half made is made anew. */
const createIndex = async (
  db: Knex,
  table: string,
  name: string,
  definition: string,
): Promise<void> => {
  const { rows } = (await db.raw(
    'select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relname = ?',
    [name],
  )) as { readonly rows: readonly { readonly valid: boolean }[] }; // the column named
  if (rows[0]?.valid === true) return;
  if (rows[0] !== undefined) await db.raw(`drop index concurrently ${quote(name)}`);
  const {
    rows: [size],
  } = (await db.raw('select pg_relation_size(?::regclass) as bytes', [quote(table)])) as {
    readonly rows: readonly { readonly bytes: unknown }[];
  }; // the column named
  const meanwhile = Number(size?.bytes ?? 0) >= largeTableBytes ? 'concurrently ' : '';
  await db.raw(`create index ${meanwhile}${quote(name)} on ${quote(table)} ${definition}`);
};

/** Works in a transaction with settings of its own, none of whose statements takes longer than a search. */
const withSettings = <T>(
  db: Knex,
  signal: AbortSignal | undefined,
  settings: Readonly<Record<string, string>>,
  work: (inside: Knex) => Promise<T>,
): Promise<T> =>
  db.transaction(async (inside) => {
    const all = { ...settings, jit: 'off', statement_timeout: String(searchMs) };
    const set = Object.entries(all).map(
      ([name, value]) => `set_config('${name}', '${value}', true)`,
    );
    // Sent before what it is for, in the shortest way, and not waited for.
    const setting = send(inside, `select ${set.join(', ')}, pg_backend_pid() as pid`, []).then(
      ({ rows }) => Number((rows as readonly { readonly pid: unknown }[])[0]?.pid), // one row
    );
    const [result] = await Promise.all([
      cancellable(
        { signal },
        async () => db.raw('select pg_cancel_backend(?)', [await setting]),
        () => work(inside),
      ),
      setting,
    ]);
    return result;
  });

export const postgresDialect: Dialect = {
  id: (table, column) => table.uuid(column),
  exactText: (table, column, length) =>
    table.specificType(column, `varchar(${length}) collate "C"`), // ordered by code points, whatever the database's own order
  longText: (table, column) => table.text(column),
  longBytes: (table, column) => table.binary(column),
  real: (table, column) => table.double(column),
  finishTable: () => undefined,
  async keepRoom(db, table, percent) {
    await db.raw(
      `alter table ?? set (fillfactor = ${100 - percent}, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
      [table],
    );
  },
  async keepPacked(db, table, column) {
    await db.raw('alter table ?? alter column ?? set storage external', [table, column]);
  },
  async keepInRow(db, table, column) {
    await db.raw('alter table ?? alter column ?? set storage main', [table, column]);
  },
  transactions: {
    async name(db) {
      // Its own number is greater than that of every transaction that has begun to write.
      const { rows } = await send(db, 'select pg_current_xact_id()::text as moment', []);
      return (rows as readonly { readonly moment: string }[])[0]?.moment ?? ''; // one row
    },
    async haveEnded(db, moment) {
      const { rows } = await send(
        db,
        'select pg_snapshot_xmin(pg_current_snapshot()) >= ?::text::xid8 as ended',
        [moment],
      );
      return (rows as readonly { readonly ended: boolean }[])[0]?.ended === true; // one row
    },
  },
  incoming: (column) => `excluded.${quote(column)}`,
  stored: (table, column) => `${quote(table)}.${quote(column)}`,
  percentile: (expression, part) =>
    `percentile_disc(${part}) within group (order by ${expression})`,
  // Columns that are compared exactly have an order that knows the letters of ASCII alone.
  lower: (expression) => `lower((${expression}) collate "default")`,
  asciiLower: (expression) => `lower((${expression}) collate "C")`,
  byteAt: (column, index) => `get_byte(${column}, ${index})`,
  byCodePoints: (expression) => `(${expression})::text collate "C"`,
  equalTexts: (one, other) => `${one} = ${other}`,
  holdsText: (expression, where, text) => {
    if (where === 'contains') return fragment(`strpos(${expression}, ?) > 0`, text);
    // Said once: a second condition on the same beginning would be taken for another, and its rows for far fewer.
    return where === 'startsWith'
      ? fragment(`${expression} like ? escape '!'`, `${text.replaceAll(/[!%_]/g, '!$&')}%`)
      : fragment(`right(${expression}, ${[...text].length}) = ?`, text);
  },
  jsonText: (column, steps) => fragment(`(${column}::json #>> ?::text[])`, steps.map(String)),
  jsonNumbers: (column, alias) => ({
    join: `cross join lateral json_each_text(${column}::json) ${alias}`,
    name: `${alias}.key`,
    amount: `(${alias}.value)::float8`,
  }),
  jsonTexts: (column, alias) => ({
    join: `left join lateral json_array_elements_text(${column}::json) ${alias}(one) on true`,
    value: `${alias}.one`,
  }),
  numberIn: (expression) =>
    `(case when ${expression} ~ '^[-+]{0,1}[0-9]{1,200}([.][0-9]{1,200}){0,1}([eE][-+]{0,1}[0-9]{1,2}){0,1}$' then (${expression})::float8 end)`,
  idAsText: (expression) => `${expression}::text`,
  idTime: (expression) =>
    `('x0000' || replace(left(${expression}::text, 13), '-', ''))::bit(64)::bigint`,
  currentSchema: 'current_schema()',
  changeSchema: async (db, statements) => {
    await db.raw(statements.join(';\n').replaceAll('?', '\\?')); // what comes as one message is one transaction, and rolled back as one
  },
  expressionIndexes: {
    characters: indexedCharacters,
    beginning: (expression) => `left(lower(${expression}), ${indexedCharacters})`,
    words: wordsOf,
    mayHaveWords: (expression, words) =>
      fragment(
        `(${wordsOf(expression)} @> ?::text[] or ${wordsOf(expression)} @> array['*'])`,
        words,
      ),
    create: (db, table, name, parts, over) =>
      createIndex(
        db,
        table,
        name,
        `using ${indexKinds[over]} (${parts.join(', ')})${over === 'ranges' ? ` with (pages_per_range = ${rangePages}, autosummarize = on)` : ''}`,
      ),
    drop: async (db, name) => {
      await db.raw(`drop index if exists ${quote(name)}`);
    },
  },
  expressionStatistics: {
    create: async (db, table, name, expression) => {
      await db.raw(
        `create statistics if not exists ${quote(name)} on (${expression}) from ${quote(table)}`,
      );
      await db.raw(`analyze ${quote(table)}`);
    },
    drop: async (db, name) => {
      await db.raw(`drop statistics if exists ${quote(name)}`);
    },
  },
  walksLazily: true,
  partialIndexes: true,
  createIndex: (db, table, columns, name) =>
    createIndex(db, table, name, `(${columns.map(quote).join(', ')})`),
  // An index that is sorted like this gives its rows in this order.
  inOrder: (value, direction) => [
    { sql: `${value.sql} ${direction} nulls last`, bindings: value.bindings },
  ],
  hasIndex: async (db, table, name) =>
    (
      await db('pg_indexes')
        .select('indexname')
        .whereRaw('schemaname = current_schema()')
        .where({ tablename: table, indexname: name })
    ).length > 0,
  nowMs: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  async insertColumns(db, table, columns, suffix = '') {
    await insert(db, table, columns, suffix);
  },
  insertFresh: (db, table, keys, columns) =>
    insert(db, table, columns, `on conflict (${keys.map(quote).join(', ')}) do nothing`),
  async insertWhile(db, table, row, { table: other, condition, bindings }) {
    const names = Object.keys(row);
    const { rowCount } = await send(
      db,
      `insert into ${quote(table)} (${names.map(quote).join(', ')}) select ${names.map(() => '?').join(', ')} from ${quote(other)} where ${condition} for share`,
      [...Object.values(row), ...bindings],
    );
    return rowCount ?? 0;
  },
  run: async (db, sql, bindings) => (await send(db, sql, bindings)).rows,
  together: (db, works) => sendTogether(db, works) as never, // one result of each, in their order
  // A list that would not fit into its memory is not hashed but gone through for every row; and each parallel worker would make one of its own.
  withLargeWorkMem: (db, signal, work) =>
    withSettings(db, signal, { work_mem: '256MB', max_parallel_workers_per_gather: '0' }, work),
  withWorkers: (db, signal, work) =>
    withSettings(db, signal, { work_mem: '128MB', max_parallel_workers_per_gather: '2' }, work),
  async *readAll(db, select) {
    await db.raw(`declare every_row no scroll cursor for ${select}`);
    try {
      for (;;) {
        const { rows } = (await db.raw(`fetch ${rowsAtOnce} from every_row`)) as {
          readonly rows: readonly Readonly<Record<string, unknown>>[];
        }; // the driver's result
        if (rows.length === 0) return;
        yield rows;
      }
    } finally {
      await db.raw('close every_row').catch(() => undefined); // a transaction that failed has closed it
    }
  },
  packed: {
    numbers: (number) => `array_send(array_agg((${number})::float8))`,
    read: readReals,
    texts: (place, text, condition) =>
      `json_agg(json_build_array(${place}, ${text})) filter (where ${condition})::text`,
  },
  pipelined: {
    transact,
    given,
    durableWithNext: 'set local synchronous_commit = off',
    refuseUnless: (condition) => `1 / (${condition})::int`,
  },
  onConflict: (keys, assign) =>
    `on conflict (${keys.map(quote).join(', ')}) do update set ${assign.join(', ')}`,
  onConflictIgnore: (keys) => `on conflict (${keys.map(quote).join(', ')}) do nothing`,
  anyOf: (column, kind) => `${column} = any(?::${listType(kind)})`,
  among: (column, kind, values) => (query) => {
    query.whereRaw(`?? = any(?::${listType(kind)})`, [column, toList(kind, values)]);
  },
  statementBytes: 64 * 1024 * 1024,
  fault(thrown) {
    const { code, message } = thrown as { code?: unknown; message?: unknown }; // any thrown value can be asked for members, which may be absent
    if (typeof code === 'string')
      return (
        faults[code] ?? (network.has(code) ? 'away' : code.startsWith('08') ? 'away' : 'other')
      );
    return typeof message === 'string' &&
      /Connection terminated|Timeout acquiring|timeout exceeded when trying to connect|not queryable|Unable to acquire|aborted/i.test(
        message,
      )
      ? 'away'
      : 'other';
  },
};
