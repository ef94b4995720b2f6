import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import pg from 'pg';

/** An empty database on a shared server, for one test file. */
export interface TestDatabase {
  readonly url: string;
  /** Drops it, closing what is still connected. */
  remove(): Promise<void>;
}

/** Makes a database of its own on the server behind a `postgres:` or `mysql:` URL: empty, or on Postgres as a copy of one that nobody is connected to. */
export const makeDatabase = async (server: string, copyOf?: string): Promise<TestDatabase> => {
  const name = `t${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const run = server.startsWith('postgres') ? runOnPostgres : runOnMysql;
  const drop = server.startsWith('postgres')
    ? `drop database if exists ${name} with (force)`
    : `drop database if exists ${name}`;
  await run(
    server,
    server.startsWith('postgres')
      ? `create database ${name}${copyOf === undefined ? '' : ` template ${copyOf}`}`
      : `create database ${name} character set utf8mb4`,
  );
  return { url: url.href, remove: () => run(server, drop) };
};

const runOnPostgres = async (server: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

const runOnMysql = async (server: string, statement: string): Promise<void> => {
  const connection = await mysql.createConnection({ uri: server });
  await connection.query(statement).finally(() => connection.end());
};
