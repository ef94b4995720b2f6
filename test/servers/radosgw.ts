// An S3 server out of Debian's packages: one monitor, one store in memory and the gateway of Ceph.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
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
  type Launched,
} from './launch.js';
import type { TestServer } from './servers.js';

const programs = [
  'radosgw',
  'radosgw-admin',
  'ceph',
  'ceph-mon',
  'ceph-osd',
  'ceph-authtool',
  'monmaptool',
] as const;
type Program = (typeof programs)[number];

interface Place {
  readonly folder: string;
  readonly cluster: string;
  readonly port: number;
  /** Addresses of the monitor, of the newer and the older protocol. */
  readonly monitor: string;
}

/** Starts a radosgw with one account. Rejects with `NotInstalled` when the machine lacks a part of it. */
export const startRadosgw = async (): Promise<TestServer> => {
  const found = new Map(programs.map((name) => [name, findProgram(name)]));
  if ([...found.values()].includes(undefined))
    throw new NotInstalled(
      'no S3 server: set TEST_S3_URL, or (Debian) RUNLEVEL=1 apt-get install radosgw ceph-mon ceph-osd ceph-common',
    );
  const programAt = (name: Program): string => found.get(name) ?? name;
  const folder = makeFolder('radosgw');
  const place: Place = {
    folder,
    cluster: randomUUID(),
    port: await findFreePort(),
    monitor: `v2:127.0.0.1:${String(await findFreePort())},v1:127.0.0.1:${String(await findFreePort())}`,
  };
  writeOwnFile(join(folder, 'ceph.conf'), configure(place));
  const run = (name: Program, ...args: readonly string[]): Promise<string> =>
    runToEnd(programAt(name), args, { folder });
  await makeKeys(place, run);
  const parts = await startParts(place, run, programAt);
  const [key, secret] = [`k${makeSecret()}`, makeSecret()];
  await run(
    'radosgw-admin',
    '-c',
    join(folder, 'ceph.conf'),
    'user',
    'create',
    '--uid',
    'tests',
    '--display-name',
    'tests',
    '--access-key',
    key,
    '--secret-key',
    secret,
  );
  const version = /version (\S+)/.exec(await run('ceph', '--version'))?.[1] ?? 'of unknown version';
  return {
    url: `http://${key}:${secret}@127.0.0.1:${String(place.port)}/?region=us-east-1`,
    name: 'radosgw',
    version,
    stop: async () => {
      for (const part of [...parts].reverse()) await part.stop();
    },
  };
};

const configure = ({ folder, cluster, port, monitor }: Place): string =>
  [
    '[global]',
    `fsid = ${cluster}`,
    `mon host = [${monitor}]`,
    'ms bind ipv6 = false',
    'public addr = 127.0.0.1',
    // One copy on one store that is a piece of memory.
    'osd pool default size = 1',
    'osd pool default min size = 1',
    'osd crush chooseleaf type = 0',
    'mon allow pool size one = true',
    'osd objectstore = memstore',
    'memstore device bytes = 4294967296',
    'osd pool default pg num = 4',
    'osd pool default pgp num = 4',
    'osd pool default pg autoscale mode = off',
    'mon max pg per osd = 1000',
    // It knows nothing of what this machine's disks hold, and a nearly full disk must not stop it.
    'mon data avail warn = 1',
    'mon data avail crit = 1',
    `run dir = ${folder}`,
    `pid file = ${folder}/$type.$id.pid`,
    `log file = ${folder}/$type.$id.log`,
    `admin socket = ${folder}/$type.$id.asok`,
    `crash dir = ${folder}`,
    `keyring = ${folder}/keyring`,
    '[mon.a]',
    `mon data = ${folder}/mon`,
    '[osd.0]',
    `osd data = ${folder}/osd`,
    '[client.rgw.r]',
    `rgw frontends = beast endpoint=127.0.0.1:${String(port)}`,
    'rgw enable usage log = false',
    'rgw thread pool size = 32',
    // What was removed gives its memory back at once, not after two hours.
    'rgw gc obj min wait = 1',
    'rgw gc processor period = 2',
    'rgw gc processor max time = 30',
    '',
  ].join('\n');

type Run = (name: Program, ...args: readonly string[]) => Promise<string>;

const makeKeys = async ({ folder, cluster, monitor }: Place, run: Run): Promise<void> => {
  const ring = join(folder, 'keyring');
  const allow = (name: string, rights: Readonly<Record<string, string>>) =>
    run(
      'ceph-authtool',
      ring,
      '--gen-key',
      '-n',
      name,
      ...Object.entries(rights).flatMap(([of, right]) => ['--cap', of, right]),
    );
  await run('ceph-authtool', '--create-keyring', ring);
  await allow('mon.', { mon: 'allow *' });
  await allow('client.admin', { mon: 'allow *', osd: 'allow *', mgr: 'allow *' });
  await allow('osd.0', { mon: 'allow profile osd', osd: 'allow *', mgr: 'allow profile osd' });
  await allow('client.rgw.r', { mon: 'allow rwx', osd: 'allow rwx' });
  await run(
    'monmaptool',
    '--create',
    '--addv',
    'a',
    `[${monitor}]`,
    '--fsid',
    cluster,
    join(folder, 'map'),
  );
};

/** The three programs in their order; each needs the one before it. */
const startParts = async (
  { folder, port }: Place,
  run: Run,
  programAt: (name: Program) => string,
): Promise<readonly Launched[]> => {
  const settings = ['-c', join(folder, 'ceph.conf')];
  makeFolder('radosgw', 'mon');
  makeFolder('radosgw', 'osd');
  await run(
    'ceph-mon',
    ...settings,
    '--mkfs',
    '-i',
    'a',
    '--monmap',
    join(folder, 'map'),
    '--keyring',
    join(folder, 'keyring'),
  );
  const monitor = launch({
    name: 'ceph-mon',
    program: programAt('ceph-mon'),
    arguments: [...settings, '-f', '-i', 'a'],
    folder,
  });
  const id = randomUUID();
  await waitUntilReady(monitor, () =>
    run('ceph', ...settings, '--connect-timeout', '3', 'osd', 'new', id, '0'),
  );
  await run('ceph-osd', ...settings, '-i', '0', '--mkfs', '--osd-uuid', id);
  const store = launch({
    name: 'ceph-osd',
    program: programAt('ceph-osd'),
    arguments: [...settings, '-f', '-i', '0'],
    folder,
  });
  const gateway = launch({
    name: 'radosgw',
    program: programAt('radosgw'),
    arguments: [...settings, '-n', 'client.rgw.r', '-f'],
    folder,
  });
  await waitUntilReady(gateway, () => askHttp(`http://127.0.0.1:${String(port)}/`), 120);
  return [monitor, store, gateway];
};

/** Rejects unless the address answers with 200. */
export const askHttp = async (url: string): Promise<void> => {
  const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await reply.arrayBuffer();
  if (reply.status !== 200) throw new Error(`${url} answers ${String(reply.status)}`);
};
