// What a database says of itself while a site works on it: log, data, waits for locks, vacuum, and how old what waits in queues is.
import knex, { type Knex } from 'knex';

export interface DatabaseFigures {
  readonly logBytes: number;
  readonly dataBytes: number;
  /** Waits for row locks: seconds that connections waited on Postgres, which tells them by looking, waits in all on MariaDB. */
  readonly lockWaits: number;
  readonly deadlocks: number;
  /** Vacuums of tables on Postgres; what is still to be purged on MariaDB. */
  readonly cleaned: number;
}

/** Age of the oldest in seconds, or how many there are. */
export interface Backlog {
  readonly mergesS: number;
  readonly copiesS: number;
  readonly removals: number;
}

export interface WatchedDatabase {
  readonly words: { readonly lockWaits: string; readonly cleaned: string };
  figures(): Promise<DatabaseFigures>;
  backlog(): Promise<Backlog>;
  /** Looks for connections that wait at this moment; told every second. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const numberOf = (row: unknown, name: string): number =>
  Number((row as Readonly<Record<string, unknown>> | undefined)?.[name] ?? 0); // a row of these columns

const readBacklog = async (db: Knex): Promise<Backlog> => {
  const now = Date.now();
  const [merges] = await db('compactions').min({ at: 'at' });
  const [copies] = await db('stale_values').min({ at: 'at' });
  const [removals] = await db('experiments').whereNotNull('deleted_at').count({ n: '*' });
  const age = (row: unknown) => {
    const at = numberOf(row, 'at');
    return at === 0 ? 0 : (now - at) / 1000;
  };
  return { mergesS: age(merges), copiesS: age(copies), removals: numberOf(removals, 'n') };
};

const watchPostgres = (url: string): WatchedDatabase => {
  const db = knex.default({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
  let waited = 0;
  const first = async (sql: string): Promise<unknown> =>
    ((await db.raw(sql)) as { readonly rows: readonly unknown[] }).rows[0]; // the form of the driver
  return {
    words: { lockWaits: 's of waiting for locks', cleaned: 'vacuums' },
    async figures() {
      const row = await first(
        `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as log, pg_database_size(current_database()) as data,
         (select deadlocks from pg_stat_database where datname = current_database()) as deadlocks,
         (select sum(autovacuum_count) from pg_stat_user_tables) as vacuums`,
      );
      return {
        logBytes: numberOf(row, 'log'),
        dataBytes: numberOf(row, 'data'),
        lockWaits: waited,
        deadlocks: numberOf(row, 'deadlocks'),
        cleaned: numberOf(row, 'vacuums'),
      };
    },
    backlog: () => readBacklog(db),
    async look() {
      const row = await first(
        "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      waited += numberOf(row, 'n');
    },
    close: () => db.destroy(),
  };
};

const watchMariadb = (url: string): WatchedDatabase => {
  const db = knex.default({ client: 'mysql2', connection: url, pool: { min: 0, max: 2 } });
  const rowsOf = async (sql: string): Promise<readonly unknown[]> =>
    ((await db.raw(sql)) as readonly [readonly unknown[]])[0]; // the form of the driver
  return {
    words: { lockWaits: 'waits for row locks', cleaned: 'left to purge' },
    async figures() {
      const rows = (await rowsOf("show global status like 'Innodb%'")) as readonly {
        readonly Variable_name: string;
        readonly Value: string;
      }[]; // the columns of this statement
      const status = new Map(rows.map((row) => [row.Variable_name, Number(row.Value)]));
      const [data] = await rowsOf(
        "select sum(file_size) as n from information_schema.innodb_sys_tablespaces where name like concat(database(), '/%')",
      );
      return {
        logBytes: status.get('Innodb_os_log_written') ?? 0,
        dataBytes: numberOf(data, 'n'),
        lockWaits: status.get('Innodb_row_lock_waits') ?? 0,
        deadlocks: status.get('Innodb_deadlocks') ?? 0,
        cleaned: status.get('Innodb_history_list_length') ?? 0,
      };
    },
    backlog: () => readBacklog(db),
    look: () => Promise.resolve(),
    close: () => db.destroy(),
  };
};

export const watchDatabase = (url: string): WatchedDatabase =>
  url.startsWith('postgres') ? watchPostgres(url) : watchMariadb(url);
