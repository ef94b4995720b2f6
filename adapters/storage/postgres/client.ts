// knex's client of Postgres, whose plain transactions begin with limits of time: in the message that begins them, so that they cost no round trip,
// and for that transaction only, since a pooler may give its connection to others afterwards.
import knexModule, { type Knex } from 'knex';
import PgClientOfKnex from 'knex/lib/dialects/postgres/index.js';
import { idleMs, lockMs, statementMs } from '../sql/limits.js';

type Client = new (config: Knex.Config) => Knex.Client;
interface Statement {
  sql: string;
}
interface Querying {
  _query(connection: unknown, statement: Statement): Promise<unknown>;
}

const PgClient = PgClientOfKnex as Client; // knex names this file in its documentation, and has no types for it
const parent = PgClient.prototype as unknown as Querying; // as above

/** Begins a transaction of limited time. */
export const limitedBegin = `begin; set local lock_timeout = ${lockMs}; set local statement_timeout = ${statementMs}; set local idle_in_transaction_session_timeout = ${idleMs}`;

/** What knex sends for a transaction without further wishes; one that asks for a snapshot, as an export does, takes as long as it takes. */
const plainBegin = 'BEGIN;';

class LimitedClient extends PgClient {
  _query(connection: unknown, statement: Statement): Promise<unknown> {
    if (statement.sql === plainBegin) statement.sql = limitedBegin;
    return parent._query.call(this, connection, statement);
  }
}

/** For knex's setting `client`. */
export const LimitedPgClient = LimitedClient as unknown as typeof Knex.Client; // its own class with one method over

export const openKnex = knexModule.default;
