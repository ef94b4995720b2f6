import { rmSync } from 'node:fs';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import {
  findFreePort,
  findProgram,
  launch,
  makeFolder,
  makeSecret,
  NotInstalled,
  runToEnd,
  waitUntilReady,
  writeOwnFile,
} from './launch.js';
import type { TestServer } from './servers.js';

/** Starts a MariaDB of its own with an account `app` that may make databases, and with more settings under another name than `mariadb`. Rejects with `NotInstalled` when the machine has none. */
export const startMariadb = async (
  name = 'mariadb',
  more: readonly string[] = [],
): Promise<TestServer> => {
  const program = findProgram('mariadbd');
  const installer = findProgram('mariadb-install-db');
  if (
    program === undefined ||
    installer === undefined ||
    findProgram('my_print_defaults') === undefined
  ) {
    throw new NotInstalled(
      'no MariaDB: set TEST_MYSQL_URL, or (Debian) apt-get install mariadb-server-core mariadb-client-core',
    );
  }
  const folder = makeFolder(name);
  const data = join(folder, 'data');
  await runToEnd(
    installer,
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
    ],
    { folder },
  );
  return serveMysql({ name, program, before: [], folder, more });
};

/** A program of the MySQL family whose data folder `<folder>/data` has been made. */
export interface MysqlProgram {
  readonly name: string;
  readonly program: string;
  /** Arguments before the server's own, for a program run through a loader. */
  readonly before: readonly string[];
  readonly folder: string;
  /** Settings only this member of the family knows. */
  readonly more: readonly string[];
}

/** Serves a made data folder on a free loopback port and makes the account. */
export const serveMysql = async ({
  name,
  program,
  before,
  folder,
  more,
}: MysqlProgram): Promise<TestServer> => {
  const password = makeSecret();
  const port = await findFreePort();
  const first = join(folder, 'first.sql');
  writeOwnFile(first, makeAccount(password));
  const places = [
    `--datadir=${join(folder, 'data')}`,
    `--socket=${join(folder, 's')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--tmpdir=${folder}`,
    `--init-file=${first}`,
  ];
  const server = launch({
    name,
    program,
    arguments: [
      ...before,
      '--no-defaults',
      ...places,
      '--bind-address=127.0.0.1',
      `--port=${String(port)}`,
      ...settings,
      ...more,
    ],
    folder,
  });
  const url = `mysql://app:${password}@127.0.0.1:${String(port)}/test`;
  const answer = await waitUntilReady(server, () => askMysqlVersion(url), 120);
  rmSync(first, { force: true });
  return { url, ...answer, stop: () => server.stop() };
};

/** The name and version of the server behind a URL. Rejects when it does not answer. */
export const askMysqlVersion = async (
  url: string,
): Promise<{ readonly name: string; readonly version: string }> => {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 5_000 });
  try {
    const [rows] = await connection.query<mysql.RowDataPacket[]>('select version() as version');
    const version = String(rows[0]?.['version']);
    return {
      name: /maria/i.test(version) ? 'MariaDB' : 'MySQL',
      version: version.split('-')[0] ?? version,
    };
  } finally {
    await connection.end();
  }
};

/** Each test file makes a database of its own, so the account may do everything; nobody else can log in. */
export const makeAccount = (password: string): string =>
  [
    'CREATE DATABASE test CHARACTER SET utf8mb4;',
    `CREATE USER 'app'@'%' IDENTIFIED BY '${password}';`,
    "GRANT ALL ON *.* TO 'app'@'%' WITH GRANT OPTION;",
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${makeSecret()}';`,
    '',
  ].join('\n');

/** Nothing here survives the run, so nothing needs to reach the disk. */
const settings = [
  '--secure-file-priv=',
  '--skip-name-resolve',
  '--skip-log-bin',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=0',
  '--innodb-flush-method=nosync',
  '--character-set-server=utf8mb4',
  '--max-connections=300',
];
