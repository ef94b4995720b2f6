import { atEnd } from '#test/ending';
import { startFakeGcs } from './gcs/fake.js';
import { NotInstalled, stopAll } from './launch.js';
import { askMysqlVersion, startMariadb } from './mariadb.js';
import { startFakeGcsServer, startMinio } from './minio.js';
import { startMysql9 } from './mysql9.js';
import { startPgbouncer } from './pgbouncer.js';
import { askPostgresVersion, startPostgres } from './postgres.js';
import { startRadosgw } from './radosgw.js';

/** A server the tests may use as they like, except for other files' databases. */
export interface TestServer {
  /** An account that may make databases, or buckets. */
  readonly url: string;
  readonly name: string;
  readonly version: string;
  /** Ends it when it was started here; a server given by its URL stays. May be repeated. */
  stop(): Promise<void>;
}

export type ServerKind =
  'postgres' | 'mysql' | 'mysql9' | 'pgbouncer' | 's3' | 'minio' | 'gcs' | 'fakegcs';

/** A server that is not to be had; `missing` is one line that says what to do. */
export interface MissingServer {
  readonly missing: string;
}

const found = new Map<ServerKind, Promise<TestServer | MissingServer>>();

/**
 * The server named by `TEST_<KIND>_URL`, else one started from what is installed, at most once per process, and ended with it.
 * Rejects when a named server does not answer or an installed one does not start.
 */
export const findServer = (kind: ServerKind): Promise<TestServer | MissingServer> => {
  if (found.size === 0) atEnd(stopServers);
  const known = found.get(kind) ?? find(kind);
  found.set(kind, known);
  return known;
};

/** Ends every server started by this process and removes what they wrote. May be repeated. */
export const stopServers = async (): Promise<void> => {
  const servers = await Promise.allSettled(found.values());
  found.clear();
  // Ended in turn where one stands before another: a pooler must not find its database gone.
  for (const server of servers.reverse())
    if (server.status === 'fulfilled' && 'url' in server.value) await server.value.stop();
  await stopAll();
};

const find = async (kind: ServerKind): Promise<TestServer | MissingServer> => {
  const variable = `TEST_${kind.toUpperCase()}_URL`;
  const url = process.env[variable];
  if (url !== undefined && url !== '') return given(kind, variable, url);
  try {
    return await start(kind);
  } catch (error) {
    if (error instanceof NotInstalled) return { missing: error.message };
    throw error;
  }
};

const given = async (kind: ServerKind, variable: string, url: string): Promise<TestServer> => {
  const stop = (): Promise<void> => Promise.resolve();
  try {
    if (kind === 's3' || kind === 'minio' || kind === 'gcs' || kind === 'fakegcs') {
      await fetch(new URL(url).origin).then((reply) => reply.arrayBuffer());
      return { url, name: kind, version: 'as given', stop };
    }
    if (kind === 'mysql' || kind === 'mysql9')
      return { url, ...(await askMysqlVersion(url)), stop };
    return { url, name: 'PostgreSQL', version: await askPostgresVersion(url), stop };
  } catch (error) {
    throw new Error(`the server of ${variable} does not answer`, { cause: error });
  }
};

const start = async (kind: ServerKind): Promise<TestServer | MissingServer> => {
  if (kind === 'postgres') return startPostgres();
  if (kind === 'mysql') return startMariadb();
  if (kind === 'mysql9') return startMysql9();
  if (kind === 's3') return startRadosgw();
  if (kind === 'minio') return startMinio();
  if (kind === 'gcs')
    return { ...(await startFakeGcs()), name: 'our own strict stand-in for GCS', version: '1' };
  if (kind === 'fakegcs') return startFakeGcsServer();
  const postgres = await findServer('postgres');
  return 'missing' in postgres ? postgres : startPgbouncer(postgres);
};
