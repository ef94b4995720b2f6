import { join } from 'node:path';
import {
  findFreePort,
  findProgram,
  launch,
  makeFolder,
  NotInstalled,
  waitUntilReady,
  writeOwnFile,
} from './launch.js';
import { askPostgresVersion } from './postgres.js';
import type { TestServer } from './servers.js';

/** Starts a pgbouncer in transaction mode before a Postgres; every database of that Postgres is reachable through it. */
export const startPgbouncer = async (postgres: TestServer): Promise<TestServer> => {
  const program = findProgram('pgbouncer');
  if (program === undefined)
    throw new NotInstalled('no pgbouncer: (Debian) apt-get install pgbouncer');
  const folder = makeFolder('pgbouncer');
  const port = await findFreePort();
  const behind = new URL(postgres.url);
  writeOwnFile(
    join(folder, 'users.txt'),
    `"${decodeURIComponent(behind.username)}" "${decodeURIComponent(behind.password)}"\n`,
  );
  writeOwnFile(join(folder, 'pgbouncer.ini'), configure(behind, folder, port));
  const server = launch({
    name: 'pgbouncer',
    program,
    arguments: [join(folder, 'pgbouncer.ini')],
    folder,
    signal: 'SIGINT',
  });
  const url = new URL(behind);
  url.host = `127.0.0.1:${String(port)}`;
  await waitUntilReady(server, () => askPostgresVersion(url.href));
  return {
    url: url.href,
    name: `pgbouncer before ${postgres.name}`,
    version: postgres.version,
    stop: () => server.stop(),
  };
};

const configure = (behind: URL, folder: string, port: number): string =>
  [
    '[databases]',
    `* = host=${behind.hostname} port=${behind.port === '' ? '5432' : behind.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${String(port)}`,
    'unix_socket_dir =',
    'pool_mode = transaction',
    // The plain password of the list answers whatever Postgres asks for.
    'auth_type = plain',
    `auth_file = ${join(folder, 'users.txt')}`,
    'max_client_conn = 300',
    'default_pool_size = 20',
    'ignore_startup_parameters = extra_float_digits',
    '',
  ].join('\n');
