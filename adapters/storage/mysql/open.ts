// The MySQL and MariaDB adapter: connections and their settings. Everything else is shared with the other engine.
import knex, { type Knex } from 'knex';
import { openSqlStorage, type SqlStorage, type SqlStorageNeeds } from '../sql/storage.js';
import { mysqlDialect } from './dialect.js';

export interface MysqlOptions {
  readonly url: string;
  readonly poolSize: number;
}


/** Strict, so that nothing is cut in silence; read committed, since repeatable read deadlocks several times as often. */
const prepare = (connection: { query(sql: string, done: (fault: unknown) => void): void }, done: (fault: unknown, connection: unknown) => void): void => {
  connection.query("set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'", (fault) => {
    if (fault !== null && fault !== undefined) { done(fault, connection); return; }
    connection.query('set session transaction isolation level read committed', (second) => done(second, connection));
  });
};

export const connectMysql = ({ url, poolSize }: MysqlOptions): Knex => {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const socket = searchParams.get('socketPath');
  return knex.default({
    client: 'mysql2',
    connection: {
      ...(socket === null ? { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 3306 : port) } : { socketPath: socket }),
      user: decodeURIComponent(username), password: decodeURIComponent(password), database: decodeURIComponent(pathname.slice(1)),
      charset: 'utf8mb4', supportBigNumbers: true, connectTimeout: 5000,
    } as Knex.MySql2ConnectionConfig, // knex's type lacks newer members of the driver's
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 30_000, afterCreate: prepare },
    acquireConnectionTimeout: 5000,
  });
};

/** A storage on MySQL from 8.0 or MariaDB from 10.6 on. */
export const mysqlStorage = (options: MysqlOptions, needs: SqlStorageNeeds): SqlStorage => openSqlStorage(connectMysql(options), mysqlDialect, needs);
