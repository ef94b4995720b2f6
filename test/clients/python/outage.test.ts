// The Python client logs through a minute without a database, and through a minute of a full disk: every point is there once.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { callJson, mortalServer, type MortalServer } from '#test/faults/server';
import { makeDatabase } from '#test/servers/databases';
import { cacheFolder, findFreePort } from '#test/servers/launch';
import { findServer } from '#test/servers/servers';
import { pendingUnlessAll } from '#test/pending';

const script = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  '..',
  'test',
  'clients',
  'python',
  'steady.py',
);
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
const outageSeconds = 60;
const loggingSeconds = outageSeconds + 15;

interface Logged {
  readonly key: string;
  readonly count: number;
}

const train = (server: MortalServer): Promise<Logged> =>
  new Promise((resolve, reject) => {
    const home = mkdtempSync(join(tmpdir(), 'orrery-python-'));
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      PYTHONDONTWRITEBYTECODE: '1',
      COMET_URL_OVERRIDE: `${server.url}/clientlib/`,
      COMET_API_KEY: server.key,
      COMET_WORKSPACE: 'faults',
    };
    const child = spawn(python, [script, String(loggingSeconds)], {
      cwd: home,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [printed, complained] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => {
      printed += piece.toString();
    });
    child.stderr.on('data', (piece: Buffer) => {
      complained += piece.toString();
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), 280_000);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      rmSync(home, { recursive: true, force: true });
      const last = printed.trim().split('\n').at(-1) ?? '';
      if (last.startsWith('{"key"')) resolve(JSON.parse(last) as Logged);
      else reject(new Error(`the script ended with ${String(code)}: ${complained.slice(-3000)}`));
    });
  });

const verify = async (server: MortalServer, { key, count }: Logged): Promise<void> => {
  const { body } = await callJson(
    server,
    `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${key}&metricName=steady`,
  );
  const steps = (body['metrics'] as { step: number }[])
    .map((point) => point.step)
    .sort((a, b) => a - b);
  expect(steps).to.deep.equal(Array.from({ length: count }, (_, i) => i));
  const { body: parameters } = await callJson(
    server,
    `/api/rest/v2/experiment/parameters?experimentKey=${key}`,
  );
  const turns = (parameters['values'] as { name: string }[])
    .filter(({ name }) => name.startsWith('turn_'))
    .map(({ name }) => Number(name.slice(5)))
    .sort((a, b) => a - b);
  expect(turns).to.deep.equal(Array.from({ length: Math.ceil(count / 20) }, (_, i) => i * 20));
  const { body: list } = await callJson(
    server,
    `/api/rest/v2/experiment/asset/list?experimentKey=${key}`,
  );
  const assets = (list['assets'] as { fileName: string }[])
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('asset-'));
  expect(new Set(assets).size).to.equal(assets.length);
  expect(assets).to.have.length(Math.ceil((count - 50) / 100));
  const { body: metadata } = await callJson(
    server,
    `/api/rest/v2/experiment/metadata?experimentKey=${key}`,
  );
  expect(metadata['throttle']).to.equal(false);
};

/** A door before a database that can be shut and opened. */
const openDoor = async (
  target: URL,
): Promise<{ readonly port: number; shut(): void; open(): Promise<void>; close(): void }> => {
  const port = await findFreePort();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const open = () =>
    new Promise<void>((resolve) => {
      server = createServer((near) => {
        const far = connect(Number(target.port), target.hostname);
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket.on('error', () => undefined);
          socket.on('close', () => {
            sockets.delete(socket);
            near.destroy();
            far.destroy();
          });
        }
        near.pipe(far).pipe(near);
      }).listen(port, '127.0.0.1', () => {
        resolve();
      });
    });
  const shut = () => {
    server?.close();
    for (const socket of sockets) socket.destroy();
  };
  await open();
  return { port, shut, open, close: shut };
};

describe('the Python client through an outage', function () {
  this.timeout(400_000);
  before(function () {
    if (!existsSync(python))
      return pendingUnlessAll(
        this,
        'needs a Python with comet_ml; .ci/run makes one, or set ORRERY_TEST_PYTHON',
      );
  });

  for (const kind of ['postgres', 'mysql'] as const) {
    it(`keeps every point once through ${outageSeconds} s without its ${kind} database`, async function () {
      const found = await findServer(kind);
      if ('missing' in found) return pendingUnlessAll(this, found.missing);
      const database = await makeDatabase(found.url);
      const target = new URL(database.url);
      const door = await openDoor(target);
      const behind = new URL(database.url);
      behind.port = String(door.port);
      const server = await mortalServer({
        ORRERY_STORAGE: kind,
        [`ORRERY_${kind.toUpperCase()}_URL`]: behind.href,
      });
      try {
        await server.start();
        const training = train(server);
        await wait(8000);
        door.shut();
        await wait(outageSeconds * 1000);
        expect((await fetch(`${server.url}/health/ready`)).status).to.equal(503);
        await door.open();
        await verify(server, await training);
        expect((await fetch(`${server.url}/health/ready`)).status).to.equal(200);
      } finally {
        await server.destroy();
        door.close();
        await database.remove();
      }
    });
  }

  it(`keeps every point once through ${outageSeconds} s of a full disk`, async function () {
    const mount = mkdtempSync(join(tmpdir(), 'orrery-small-'));
    const mounted =
      process.getuid?.() === 0 &&
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600m', 'tmpfs', mount]).status === 0;
    if (!mounted) {
      rmSync(mount, { recursive: true });
      return pendingUnlessAll(this, 'needs root and the right to mount a small file system');
    }
    const data = join(mount, 'data');
    mkdirSync(data);
    const server = await mortalServer({}, data);
    try {
      await server.start();
      const training = train(server);
      await wait(8000);
      fill(join(mount, 'filler'));
      await wait(outageSeconds * 1000);
      rmSync(join(mount, 'filler'));
      await verify(server, await training);
    } finally {
      await server.destroy();
      spawnSync('umount', ['-l', mount]);
      rmSync(mount, { recursive: true, force: true });
    }
  });
});

/** Writes until nothing more fits. */
const fill = (path: string): void => {
  const piece = Buffer.alloc(1 << 20);
  for (let written = 0; written < 700; written++) {
    try {
      writeFileSync(path, piece, { flag: 'a' });
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code === 'ENOSPC') return; // a system error carries a code
      throw thrown;
    }
  }
};
