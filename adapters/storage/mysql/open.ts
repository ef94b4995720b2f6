// The MySQL and MariaDB adapter: connections and their settings. Everything else is shared with the other engine.
import knex, { type Knex } from 'knex';
import { silentKnexLog } from '../sql/knex-log.js';
import { idleMs, lockMs } from '../sql/limits.js';
import type { SqlEngine } from '#ports/drivers';
import { storageOver, type SqlStorage, type SqlStorageNeeds } from '../sql/storage.js';
import { mysqlDialect } from './dialect.js';
import { readTls } from './tls.js';

export interface MysqlOptions {
  readonly url: string;
  readonly poolSize: number;
}

/** Strict, so that nothing is cut in silence; read committed, since repeatable read deadlocks several times as often; and waiting for a lock no longer than on the other engine. */
const settings = [
  `set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', session innodb_lock_wait_timeout = ${lockMs / 1000}`,
  'set session transaction isolation level read committed',
];
/** One of the two engines ends transactions that wait for their client; the other does not know the word. */
const idleSetting = `set session idle_transaction_timeout = ${idleMs / 1000}`;

const prepare = (
  connection: { query(sql: string, done: (fault: unknown) => void): void; destroy(): void },
  done: (fault: unknown, connection: unknown) => void,
): void => {
  const send = ([first, ...more]: readonly string[]): void => {
    if (first === undefined)
      connection.query(idleSetting, () => {
        done(undefined, connection);
      });
    else
      connection.query(first, (fault) => {
        if (fault === null || fault === undefined) return send(more);
        // Nobody else closes a connection that the pool was never given.
        connection.destroy();
        done(fault, connection);
      });
  };
  send(settings);
};

export const connectMysql = ({ url, poolSize }: MysqlOptions): Knex => {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const socket = searchParams.get('socketPath');
  const tls = readTls(searchParams);
  return knex.default({
    client: 'mysql2',
    connection: {
      ...(socket === null
        ? { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 3306 : port) }
        : { socketPath: socket }),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: decodeURIComponent(pathname.slice(1)),
      ...(tls === undefined ? {} : { ssl: tls }),
      charset: 'utf8mb4',
      supportBigNumbers: true,
      connectTimeout: 5000,
    } as Knex.MySql2ConnectionConfig, // knex's type lacks newer members of the driver's
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 30_000, afterCreate: prepare },
    acquireConnectionTimeout: 5000,
    log: silentKnexLog,
    compileSqlOnError: false,
  });
};

/** MySQL from 8.0 or MariaDB from 10.6 on. */
export const mysqlEngine = (url: string): SqlEngine => ({
  dialect: mysqlDialect,
  connect: (poolSize) => connectMysql({ url, poolSize }),
  migratesItself: false,
  state: () => 'running',
});

/** A storage on such a server. */
export const mysqlStorage = ({ url, poolSize }: MysqlOptions, needs: SqlStorageNeeds): SqlStorage =>
  storageOver(mysqlEngine(url), poolSize, needs);
