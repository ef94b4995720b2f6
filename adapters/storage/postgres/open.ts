// The Postgres adapter: connections and their settings. Everything else is shared with the other engine.
import type { Knex } from 'knex';
import pg from 'pg';
import { silentKnexLog } from '../sql/knex-log.js';
import type { SqlEngine } from '#ports/drivers';
import { storageOver, type SqlStorage, type SqlStorageNeeds } from '../sql/storage.js';
import { LimitedPgClient, openKnex } from './client.js';
import { postgresDialect } from './dialect.js';

const int8 = 20;
const numeric = 1700;

/** Big integers come back as numbers: every one that is stored fits into 2^53. */
const types = {
  getTypeParser: (oid: number, format?: unknown) =>
    oid === int8 || oid === numeric
      ? Number
      : (pg.types.getTypeParser as (oid: number, format?: unknown) => unknown)(oid, format), // the overloads of the declared type do not accept a variable format
};

interface Session {
  query(sql: string, done: (refused: Error | null | undefined) => void): void;
  end(): Promise<void>;
}

/**
 * Compiling takes longer than any statement of ours. Said to each connection when it is made: a pooler need not know of it, and behind one it
 * reaches whichever of its connections is at hand, to which it does no harm.
 */
const compileNothing = (
  session: Session,
  done: (refused: Error | null | undefined, session: Session) => void,
): void => {
  session.query('set jit = off', (refused) => {
    // Nobody else closes a connection that the pool was never given.
    if (refused !== null && refused !== undefined) session.end().catch(() => undefined);
    done(refused, session);
  });
};

export interface PostgresOptions {
  readonly connection:
    | string
    | {
        readonly host: string;
        readonly port: number;
        readonly user: string;
        readonly password: string;
        readonly database: string;
      };
  readonly poolSize: number;
  /** Keeps the statements of the hot path prepared, which a pooler in transaction mode does not allow. Default: no. */
  readonly prepared?: boolean;
}

export const connectPostgres = ({
  connection,
  poolSize,
  prepared = false,
}: PostgresOptions): Knex =>
  openKnex({
    client: LimitedPgClient,
    connection: {
      ...(typeof connection === 'string' ? { connectionString: connection } : connection),
      types,
      pipeline: true,
      connectionTimeoutMillis: 5000,
      application_name: 'orrery',
    } as unknown as Knex.PgConnectionConfig, // knex's type lacks the driver's `types` and `pipeline`
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 30_000, afterCreate: compileNothing },
    acquireConnectionTimeout: 5000,
    log: silentKnexLog,
    compileSqlOnError: false,
    ...{ userParams: { prepared } }, // read by the dialect; knex documents it, its types lack it
  });

/** Any Postgres from version 14 on, also behind a pooler in transaction mode: no session settings, and no named statements unless asked for. */
export const postgresEngine = (options: Omit<PostgresOptions, 'poolSize'>): SqlEngine => ({
  dialect: postgresDialect,
  connect: (poolSize) => connectPostgres({ ...options, poolSize }),
  migratesItself: false,
  state: () => 'running',
});

/** A storage on such a server. */
export const postgresStorage = (
  { poolSize, ...options }: PostgresOptions,
  needs: SqlStorageNeeds,
): SqlStorage => storageOver(postgresEngine(options), poolSize, needs);
