// MySQL 9 as Debian packages it, unpacked beside the system into the cache and run through its own loader.
import { join } from 'node:path';
import { makeFolder, makeReachable, runToEnd } from './launch.js';
import { serveMysql } from './mariadb.js';
import type { TestServer } from './servers.js';
import { unpackMysql9 } from './unpack-mysql9.js';

/** Starts a MySQL 9 of its own, fetched first in the long lane. Rejects with `NotInstalled` when there is none and none can be fetched. */
export const startMysql9 = async (): Promise<TestServer> => {
  const unpacked = await unpackMysql9(process.env['ORRERY_TEST_LONG'] === '1');
  const root = await makeReachable(unpacked, 'mysql9');
  const folder = makeFolder('mysql9');
  const libraries = join(root, 'usr/lib/x86_64-linux-gnu');
  const loader = join(libraries, 'ld-linux-x86-64.so.2');
  const before = ['--library-path', libraries, join(root, 'usr/sbin/mysqld')];
  const places = [
    `--basedir=${join(root, 'usr')}`,
    `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
    `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
  ];
  await runToEnd(
    loader,
    [
      ...before,
      '--no-defaults',
      ...places,
      `--datadir=${join(folder, 'data')}`,
      '--initialize-insecure',
      '--secure-file-priv=',
      '--skip-log-bin',
    ],
    { folder },
  );
  return serveMysql({
    name: 'mysql9',
    program: loader,
    before,
    folder,
    more: [...places, '--mysqlx=0'],
  });
};
