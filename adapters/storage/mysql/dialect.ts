import type { Knex } from 'knex';
import type { ColumnValues, Dialect, Fault } from '#ports/sql-dialect';
import { fragment } from '../sql/fragment.js';
import { searchMs } from '../sql/limits.js';
import { cancellable } from '../sql/semaphore.js';

const faults: Readonly<Record<string, Fault>> = {
  ER_DUP_ENTRY: 'conflict',
  ER_LOCK_DEADLOCK: 'repeat',
  ER_LOCK_WAIT_TIMEOUT: 'repeat',
  ER_CHECKREAD: 'repeat',
  ER_UNKNOWN_COM_ERROR: 'repeat',
  ER_CON_COUNT_ERROR: 'away',
  ER_SERVER_SHUTDOWN: 'away',
  PROTOCOL_CONNECTION_LOST: 'away',
  ER_BAD_DB_ERROR: 'away',
  ER_NORMAL_SHUTDOWN: 'away',
  ER_QUERY_INTERRUPTED: 'away',
  ER_CONNECTION_KILLED: 'away',
  ER_STATEMENT_TIMEOUT: 'slow',
  ER_QUERY_TIMEOUT: 'slow',
  ER_DISK_FULL: 'full',
  ER_RECORD_FILE_FULL: 'full',
  ER_ERROR_ON_WRITE: 'full',
  ER_DATA_TOO_LONG: 'unfit',
  ER_WARN_DATA_OUT_OF_RANGE: 'unfit',
  ER_TRUNCATED_WRONG_VALUE: 'unfit',
  ER_TRUNCATED_WRONG_VALUE_FOR_FIELD: 'unfit',
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

const quote = (name: string) => `\`${name}\``;
const namesOf = (columns: readonly ColumnValues[]) =>
  columns.map(({ name }) => quote(name)).join(', ');
const rowsOf = (columns: readonly ColumnValues[]) =>
  (columns[0]?.values ?? []).map((_, row) => columns.map(({ values }) => values[row] ?? null));

/** How long a transaction may last, in ms, where it is not told which ones there are: each of its statements, and each wait for its client, ends much sooner. */
const longestMs = 10 * 60_000;

const transactions: Dialect['transactions'] = {
  async name(db) {
    const [[row]] = (await db.raw(
      'select cast(unix_timestamp(now(3)) * 1000 as signed) as moment',
    )) as readonly [readonly [{ readonly moment: unknown }]]; // one row
    return String(row.moment);
  },
  async haveEnded(db, moment) {
    const [[row]] = (await db.raw(
      'select cast(unix_timestamp(now(3)) * 1000 as signed) - ? as age',
      [Number(moment)],
    )) as readonly [readonly [{ readonly age: unknown }]]; // one row
    if (Number(row.age) > longestMs) return true;
    return Number(row.age) > listedMs && (await haveBegunSince(db, moment));
  },
};
/** The list of transactions tells of their beginnings in whole seconds, in ms. */
const listedMs = 1000;
/** Whether every transaction there is began after a moment; not, where this may not be known: a cluster lists those of one of its nodes. */
const haveBegunSince = async (db: Knex, moment: string): Promise<boolean> => {
  if (db.isTransaction === true) return false; // which has begun itself, and would end here
  try {
    const [cluster] = (await db.raw("show variables like 'wsrep_on'")) as readonly [
      readonly { readonly Value: string }[],
    ]; // the driver's rows
    if (cluster.some(({ Value }) => Value === 'ON')) return false;
    // What began within the second of the moment may have begun before it; whatever is told of the next second began after it.
    const second = Math.floor(Number(moment) / 1000) + 1;
    const time = "convert_tz(from_unixtime(?), @@session.time_zone, 'SYSTEM')";
    return await db.transaction(async (own) => {
      // The list is not made anew while anybody reads it ten times a second. One that has a transaction from after the moment, as this one, is new enough.
      await own.raw('start transaction with consistent snapshot');
      const [[row]] = (await own.raw(
        `select sum(trx_started >= ${time}) as newer, sum(trx_started < ${time} and trx_mysql_thread_id <> connection_id()) as older from information_schema.innodb_trx`,
        [second, second],
      )) as readonly [readonly [{ readonly newer: unknown; readonly older: unknown }]]; // one row
      return Number(row.newer) > 0 && Number(row.older) === 0;
    });
  } catch (thrown) {
    if ((thrown as { errno?: unknown }).errno === 1227) return false; // any thrown value can be asked for members: the right to list them is missing
    throw thrown;
  }
};

export const mysqlDialect: Dialect = {
  id: (table, column) =>
    table.specificType(column, 'char(36) character set ascii collate ascii_bin'),
  // Both engines pad trailing blanks under utf8mb4_bin, so what must be unique is a hash or is stored as bytes.
  exactText: (table, column, length) =>
    table.specificType(column, `varchar(${length}) character set utf8mb4 collate utf8mb4_bin`),
  longText: (table, column) =>
    table.specificType(column, 'longtext character set utf8mb4 collate utf8mb4_bin'),
  longBytes: (table, column) => table.specificType(column, 'longblob'),
  real: (table, column) => table.specificType(column, 'double'),
  finishTable: (table) => {
    table.charset('utf8mb4');
    table.collate('utf8mb4_bin');
    table.engine('InnoDB');
  },
  transactions,
  incoming: (column) => `values(${quote(column)})`,
  stored: (table, column) => `${quote(table)}.${quote(column)}`,
  // As bytes: the collation alone would ignore trailing blanks, and order by them.
  // The tables of utf8mb4_bin lack letters of newer Unicode, such as ẞ.
  lower: (expression) =>
    `(lower(convert(${expression} using utf8mb4) collate utf8mb4_unicode_520_ci) collate utf8mb4_bin)`,
  asciiLower: (expression) => `lower(${expression})`,
  byteAt: (column, index) => `ord(substring(${column}, ${index + 1}, 1))`,
  byCodePoints: (expression) => `cast(${expression} as binary)`,
  equalTexts: (one, other) => `cast(${one} as binary) = cast(${other} as binary)`,
  holdsText: (expression, where, text) => {
    const bytes = `cast(${expression} as binary)`;
    if (where === 'contains') return fragment(`instr(${bytes}, cast(? as binary)) > 0`, text);
    // No LIKE: over an index it leaves out texts whose next sign lies before the blank or beyond the first plane.
    return fragment(
      `${where === 'startsWith' ? 'left' : 'right'}(${bytes}, ${Buffer.byteLength(text)}) = cast(? as binary)`,
      text,
    );
  },
  jsonText(column, steps) {
    const path = steps.map((step) =>
      typeof step === 'number' ? `[${step}]` : `.${JSON.stringify(step)}`,
    );
    // MySQL refuses a number that no float holds, and with it every row of the query.
    const found = `json_extract(case when json_valid(${column}) then ${column} end, ?)`;
    const bound = `$${path.join('')}`;
    // The first element of what is no list would be that itself.
    const lists = steps.flatMap((step, at) =>
      step === 0 ? [`$${path.slice(0, at).join('')}`] : [],
    );
    // A JSON null is the word, which a text may be, too.
    return fragment(
      `(case when ${lists.map(() => `json_type(${found}) = 'ARRAY' and `).join('')}json_type(${found}) <> 'NULL' then json_unquote(${found}) end)`,
      ...lists,
      bound,
      bound,
    );
  },
  jsonNumbers: (column, alias) => ({
    join: `join json_table(json_keys(${column}), '$[*]' columns (name varchar(500) character set utf8mb4 collate utf8mb4_bin path '$')) ${alias}`,
    name: `${alias}.name`,
    amount: `(json_extract(${column}, concat('$.', json_quote(${alias}.name))) + 0e0)`,
  }),
  jsonTexts: (column, alias) => ({
    join: `left join json_table(${column}, '$[*]' columns (one varchar(500) character set utf8mb4 collate utf8mb4_bin path '$')) ${alias} on true`,
    value: `${alias}.one`,
  }),
  numberIn: (expression) =>
    `(case when ${expression} regexp '^[-+]{0,1}[0-9]{1,200}([.][0-9]{1,200}){0,1}([eE][-+]{0,1}[0-9]{1,2}){0,1}$' then ${expression} + 0e0 end)`,
  idAsText: (expression) => expression,
  idTime: (expression) => `cast(conv(replace(left(${expression}, 13), '-', ''), 16, 10) as signed)`,
  currentSchema: 'database()',
  inOrder: (value, direction) => [
    { sql: `${value.sql} is null`, bindings: value.bindings },
    { sql: `${value.sql} ${direction}`, bindings: value.bindings },
  ],
  walksLazily: false,
  partialIndexes: false,
  hasIndex: async (db, table, name) =>
    (
      await db('information_schema.statistics')
        .select('index_name')
        .whereRaw('table_schema = database()')
        .where({ table_name: table, index_name: name })
    ).length > 0,
  nowMs: 'cast(unix_timestamp(now(3)) * 1000 as signed)',
  async insertColumns(db, table, columns, suffix = '') {
    const rows = rowsOf(columns);
    if (rows.length > 0)
      await db.raw(`insert into ${quote(table)} (${namesOf(columns)}) values ? ${suffix}`, [
        rows,
      ] as never); // knex types no nested lists as bindings; the driver expands them
  },
  async insertFresh(db, table, _keys, columns) {
    const rows = rowsOf(columns);
    if (rows.length === 0) return 0;
    const [{ affectedRows, warningStatus }] = (await db.raw(
      `insert ignore into ${quote(table)} (${namesOf(columns)}) values ?`,
      [rows] as never,
    )) as readonly [{ readonly affectedRows: number; readonly warningStatus: number }]; // as above; the driver's result of an insert
    // Each row left alone is one warning; any other tells that a value was bent to fit, which an insert of this kind does instead of failing.
    if (warningStatus > rows.length - affectedRows)
      throw Object.assign(new Error('a value does not fit its column'), {
        code: 'ER_DATA_TOO_LONG',
      });
    return affectedRows;
  },
  async insertWhile(db, table, row, { table: other, condition, bindings }) {
    const names = Object.keys(row);
    const [{ affectedRows }] = (await db.raw(
      `insert into ${quote(table)} (${names.map(quote).join(', ')}) select ${names.map(() => '?').join(', ')} from ${quote(other)} where ${condition} lock in share mode`,
      [...Object.values(row), ...bindings] as never,
    )) as readonly [{ readonly affectedRows: number }]; // knex types no mixed bindings; the driver's result of an insert
    return affectedRows;
  },
  async run(db, sql, bindings) {
    const [rows] = (await db.raw(sql, bindings as never)) as readonly [readonly unknown[]]; // as above; the driver's result of a select
    return rows;
  },
  async together(_db, works) {
    const results: unknown[] = [];
    // A deadlock ends the transaction here, and what had been sent already would be carried out on its own.
    for (const work of works) results.push(await work());
    return results as never; // one result of each, in their order
  },
  withLargeWorkMem: (db, signal, work) =>
    db.transaction(async (inside) => {
      const [[row]] = (await inside.raw('select connection_id() as id')) as readonly [
        readonly [{ readonly id: number }],
      ]; // one row
      let ended = false;
      const end = () => {
        ended = true;
        return db.raw('kill query ?', [row.id]);
      };
      // An interruption that was not asked for is a server that stops, and another fault.
      return cancellable({ signal, afterMs: searchMs }, end, () => work(inside)).catch(
        (thrown: unknown) => {
          throw ended
            ? Object.assign(new Error('the search was ended', { cause: thrown }), {
                code: 'ER_STATEMENT_TIMEOUT',
              })
            : thrown;
        },
      );
    }),
  async *readAll(db, select) {
    for await (const row of db.raw(select).stream({ highWaterMark: 16 }) as AsyncIterable<
      Readonly<Record<string, unknown>>
    >)
      yield [row]; // knex's stream, of one object a row
  },
  // The columns are quoted: newer releases reserve words such as `last_value`.
  onConflict: (_keys, assign) =>
    `on duplicate key update ${assign.map((one) => one.replace(/^\w+/, quote)).join(', ')}`,
  onConflictIgnore: (keys) =>
    `on duplicate key update ${keys
      .slice(0, 1)
      .map((key) => `${quote(key)} = ${quote(key)}`)
      .join(', ')}`,
  anyOf: (column) => `${column} in (?)`,
  among: (column, _kind, values) => (query) => {
    query.whereIn(column, values as never);
  }, // knex types the values of known tables only
  statementBytes: 8 * 1024 * 1024,
  fault(thrown) {
    const { code, errno, message } = thrown as {
      code?: unknown;
      errno?: unknown;
      message?: unknown;
    }; // any thrown value can be asked for members, which may be absent
    if (errno === 1020 || errno === 1047) return errno === 1020 ? 'repeat' : 'away'; // Galera: the row changed since it was read; the node is not part of the cluster
    if (typeof code === 'string') return faults[code] ?? (network.has(code) ? 'away' : 'other');
    return typeof message === 'string' &&
      /closed state|Connection lost|Timeout acquiring|Unable to acquire|aborted/i.test(message)
      ? 'away'
      : 'other';
  },
};
