// A cluster of three MariaDB nodes that certify each other's transactions: a commit may fail there as a deadlock does.
import { existsSync } from 'node:fs';
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
import { askMysqlVersion, makeAccount } from './mariadb.js';
import type { TestServer } from './servers.js';

/** Nodes that hold the same databases. */
export interface GaleraCluster {
  readonly nodes: readonly TestServer[];
  /** Ends every node. May be repeated. */
  stop(): Promise<void>;
}

interface NodePlace {
  readonly program: string;
  readonly folder: string;
  readonly password: string;
  /** Where the other nodes reach this one. */
  readonly address: string;
  /** Members to join; the first node founds the group. */
  readonly members: readonly string[];
}

const provider = '/usr/lib/galera/libgalera_smm.so';
const size = 3;

/** Starts a cluster of three. Rejects with `NotInstalled` when the machine lacks a part of it. */
export const startGalera = async (): Promise<GaleraCluster> => {
  const [program, installer] = [findProgram('mariadbd'), findProgram('mariadb-install-db')];
  if (
    program === undefined ||
    installer === undefined ||
    !existsSync(provider) ||
    findProgram('wsrep_sst_rsync') === undefined ||
    findProgram('rsync') === undefined
  )
    throw new NotInstalled(
      'no Galera: (Debian) RUNLEVEL=1 apt-get install mariadb-server galera-4 rsync',
    );
  const password = makeSecret();
  const nodes: TestServer[] = [];
  const members: string[] = [];
  for (let i = 1; i <= size; i++) {
    const folder = makeFolder(`galera-${i}`);
    // A node that joins is sent the whole state, and needs a made data folder only to begin with.
    await runToEnd(
      installer,
      [
        '--no-defaults',
        `--datadir=${join(folder, 'data')}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        '--skip-name-resolve',
      ],
      { folder },
    );
    const address = `127.0.0.1:${String(await findFreePort())}`;
    nodes.push(await startNode({ program, folder, password, address, members: [...members] }));
    members.push(address);
  }
  return {
    nodes,
    stop: async () => {
      for (const node of [...nodes].reverse()) await node.stop();
    },
  };
};

const startNode = async ({
  program,
  folder,
  password,
  address,
  members,
}: NodePlace): Promise<TestServer> => {
  const [port, incremental, transfer] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  const first = join(folder, 'first.sql');
  if (members.length === 0) writeOwnFile(first, makeAccount(password));
  const node = launch({
    name: 'mariadbd',
    program,
    folder,
    arguments: [
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      `--socket=${join(folder, 's')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--tmpdir=${folder}`,
      '--bind-address=127.0.0.1',
      `--port=${String(port)}`,
      '--skip-name-resolve',
      '--secure-file-priv=',
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-flush-log-at-trx-commit=0',
      '--character-set-server=utf8mb4',
      '--max-connections=300',
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      '--wsrep-cluster-name=orrery-test',
      `--wsrep-cluster-address=gcomm://${members.join(',')}`,
      '--wsrep-node-address=127.0.0.1',
      `--wsrep-node-name=${address}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${String(transfer)}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://${address};ist.recv_addr=127.0.0.1:${String(incremental)};gcache.size=32M`,
      ...(members.length === 0 ? ['--wsrep-new-cluster', `--init-file=${first}`] : []),
    ],
    // Its scripts look for the tools of the system.
    environment: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  });
  const url = `mysql://app:${password}@127.0.0.1:${String(port)}/test`;
  await waitUntilReady(node, () => askWhetherSynced(url), 120);
  const { version } = await askMysqlVersion(url);
  return { url, name: 'MariaDB Galera', version, stop: () => node.stop() };
};

const askWhetherSynced = async (url: string): Promise<void> => {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 5_000 });
  try {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(
      "show status like 'wsrep_local_state_comment'",
    );
    if (rows[0]?.['Value'] !== 'Synced') throw new Error('the node is not synced yet');
  } finally {
    await connection.end();
  }
};
