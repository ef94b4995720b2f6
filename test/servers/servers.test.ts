import { expect } from 'chai';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { pendingUnlessAll } from '#test/pending';
import { findServer } from './servers.js';

describe('servers for tests', () => {
  it('finds a Postgres whose account makes databases', async function () {
    const server = await findServer('postgres');
    if ('missing' in server) return pendingUnlessAll(this, server.missing);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();

    await client.query('create database servers_check');
    const made = await client.query("select 1 from pg_database where datname = 'servers_check'");
    await client.query('drop database servers_check');
    await client.end();

    expect(made.rowCount).to.equal(1);
  });

  it('finds a MariaDB or MySQL whose account makes databases', async function () {
    const server = await findServer('mysql');
    if ('missing' in server) return pendingUnlessAll(this, server.missing);
    const connection = await mysql.createConnection({ uri: server.url });

    await connection.query('create database servers_check');
    const [made] = await connection.query<mysql.RowDataPacket[]>(
      "show databases like 'servers_check'",
    );
    await connection.query('drop database servers_check');
    await connection.end();

    expect(made).to.have.length(1);
  });

  it('finds a pooler through which Postgres answers', async function () {
    const server = await findServer('pgbouncer');
    if ('missing' in server) return pendingUnlessAll(this, server.missing);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();

    const answer = await client.query<{ sum: number }>('select $1::int + 1 as sum', [1]);
    await client.end();

    expect(answer.rows).to.deep.equal([{ sum: 2 }]);
  });

  it('starts a server once, however often it is asked for', async () => {
    const [first, second] = await Promise.all([findServer('postgres'), findServer('postgres')]);

    expect(first).to.equal(second);
  });
});
