// Servers of buckets that are built once from their source and kept, never fetched in the short lane.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeAccount } from './gcs/permission.js';
import { askHttp } from './radosgw.js';
import {
  cacheFolder,
  findFreePort,
  findProgram,
  launch,
  makeFolder,
  makeReachable,
  makeSecret,
  NotInstalled,
  runHere,
  waitUntilReady,
} from './launch.js';
import type { TestServer } from './servers.js';

/** Bumped by hand, with a run of the contract suites. */
const modules = {
  minio: 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c',
  'fake-gcs-server': 'github.com/fsouza/fake-gcs-server@v1.56.1',
} as const;

/** The path of a program that is kept, on the search path, or, in the long lane, built now, which takes minutes. */
export const findBuilt = async (name: keyof typeof modules): Promise<string> => {
  const folder = join(cacheFolder(), 'bin');
  const kept = join(folder, name);
  const found = existsSync(kept) ? kept : findProgram(name);
  if (found !== undefined) return join(await makeReachable(join(found, '..'), name), name);
  const go =
    findProgram('go') ?? (existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : undefined);
  if (go === undefined || process.env['ORRERY_TEST_LONG'] !== '1')
    throw new NotInstalled(
      `no ${name}: GOBIN=${folder} go install ${modules[name]}, or run the long lane where Go is installed`,
    );
  mkdirSync(folder, { recursive: true });
  await runHere(go, ['install', '-trimpath', '-ldflags=-s -w', modules[name]], {
    environment: { GOBIN: folder, GOFLAGS: '-buildvcs=false' },
  });
  return join(await makeReachable(folder, name), name);
};

/** Starts a MinIO of its own with one account. Rejects with `NotInstalled` when it was not built and is not to be built now. */
export const startMinio = async (): Promise<TestServer> => {
  const program = await findBuilt('minio');
  const folder = makeFolder('minio');
  const [port, console, key, secret] = [
    await findFreePort(),
    await findFreePort(),
    `k${makeSecret()}`,
    makeSecret(),
  ];
  const server = launch({
    name: 'minio',
    program,
    folder,
    arguments: [
      'server',
      '--quiet',
      '--address',
      `127.0.0.1:${String(port)}`,
      '--console-address',
      `127.0.0.1:${String(console)}`,
      makeFolder('minio', 'data'),
    ],
    environment: {
      MINIO_ROOT_USER: key,
      MINIO_ROOT_PASSWORD: secret,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
      MINIO_CI_CD: '1',
    },
  });
  await waitUntilReady(server, () =>
    askHttp(`http://127.0.0.1:${String(port)}/minio/health/ready`),
  );
  return {
    url: `http://${key}:${secret}@127.0.0.1:${String(port)}/?region=us-east-1`,
    name: 'MinIO',
    version: modules.minio.split('@')[1] ?? '',
    stop: () => server.stop(),
  };
};

/** Starts a fake-gcs-server of its own, a second opinion on what Google Cloud Storage is like; it asks for no credentials. */
export const startFakeGcsServer = async (): Promise<TestServer> => {
  const program = await findBuilt('fake-gcs-server');
  const folder = makeFolder('fake-gcs');
  const port = await findFreePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const server = launch({
    name: 'fake-gcs-server',
    program,
    folder,
    arguments: [
      '-scheme',
      'http',
      '-host',
      '127.0.0.1',
      '-port',
      String(port),
      '-backend',
      'filesystem',
      '-filesystem-root',
      makeFolder('fake-gcs', 'data'),
      '-external-url',
      url,
      '-public-host',
      `127.0.0.1:${String(port)}`,
      '-log-level',
      'warn',
    ],
  });
  await waitUntilReady(server, () => askHttp(`${url}/_internal/healthcheck`));
  return {
    url: `${url}/?credentials=${Buffer.from(JSON.stringify(makeAccount().credentials)).toString('base64url')}`,
    name: 'fake-gcs-server',
    version: modules['fake-gcs-server'].split('@')[1] ?? '',
    stop: () => server.stop(),
  };
};
