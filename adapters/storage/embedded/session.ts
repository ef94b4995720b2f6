import { Client, type ClientConfig } from 'pg';
import { Failure } from '#ports/failure';

/** How a client of the `pg` library connects; the host is the socket's folder. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/**
 * Whether a server answers at this socket: not while it starts, stops, recovers or is not there. Rejects when it refuses the password.
 * Asks a database that every cluster has, since a new one has ours only later and would log a FATAL line.
 */
export const isAnswering = async (connection: Connection): Promise<boolean> => {
  const client = openClient({ ...connection, database: 'template1' });
  try {
    await client.connect();
    return true;
  } catch (error) {
    const code = readCode(error);
    if (code === '28P01')
      throw new Failure(
        'conflict',
        `the server at ${connection.host} does not know the password kept beside it`,
        { cause: error },
      );
    if (code === 'EACCES')
      throw new Failure('forbidden', `the socket in ${connection.host} belongs to another user`, {
        cause: error,
      });
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Gives the empty database that every new cluster has the product's name, unless that is done. A further one would be three hundred files more. */
export const requireDatabase = async (connection: Connection): Promise<void> => {
  const client = openClient({ ...connection, database: 'template1' });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
      connection.database,
    ]);
    if (rowCount === 0)
      await client.query(`alter database postgres rename to "${connection.database}"`);
  } finally {
    await client.end();
  }
};

const openClient = (config: ClientConfig): Client => {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: 5_000,
    application_name: 'orrery start',
  });
  client.on('error', () => undefined); // a server that goes away in between is seen by the next call
  return client;
};

const readCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
