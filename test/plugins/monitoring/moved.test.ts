// The plugin as somebody else's: packed into one file, listed in the settings, beside a server that was built without it.
import { spawn, type ChildProcess } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { findFreePort } from '#test/servers/launch';
import { layDatabase } from '#test/servers/template';

const built = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const root = dirname(built);
const apiKey = 'keyofthemovedpluginxyz123';

const copyAll = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true }))
    if (entry.isDirectory()) copyAll(join(from, entry.name), join(to, entry.name));
    else copyFileSync(join(from, entry.name), join(to, entry.name));
};

describe('the monitoring plugin outside the tree', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'orrery-moved-'));
  let child: ChildProcess | undefined;
  after(async () => {
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((done) => child?.once('close', done));
      child.kill();
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('is loaded from a packed copy, and takes events, batches and files and answers as before', async () => {
    for (const part of ['adapters', 'config', 'core', 'parts', 'ports', 'plugins'])
      copyAll(join(built, part), join(folder, 'dist', part));
    rmSync(join(folder, 'dist/plugins/monitoring'), { recursive: true });
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const pack = (name: string, first = '') =>
      build({
        entryPoints: [join(built, 'plugins/monitoring', name)],
        outdir: join(folder, 'packed'),
        bundle: true,
        platform: 'node',
        format: 'esm',
        logLevel: 'silent',
        banner: { js: first },
      });
    await pack('plugin.js');
    const ran = join(folder, 'thread-ran');
    // The thread leaves a file, by which it is told that it was this one that took in what came.
    await pack(
      'intake-thread.js',
      `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(ran)}, 'x');`,
    );
    copyAll(join(built, 'plugins/monitoring/page'), join(folder, 'packed/page'));
    writeFileSync(
      join(folder, 'settings.json'),
      JSON.stringify({ plugins: [{ name: './packed/plugin.js' }] }),
    );
    mkdirSync(join(folder, 'data'));
    await layDatabase(join(folder, 'data'));
    const port = await findFreePort();
    child = spawn(process.execPath, [join(folder, 'dist/config/main.js')], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        ORRERY_CONFIG: join(folder, 'settings.json'),
        ORRERY_DATA: join(folder, 'data'),
        ORRERY_PORT: String(port),
        ORRERY_ADMIN_API_KEY: apiKey,
        ORRERY_ADMIN_WORKSPACE: 'moved',
      },
      stdio: 'ignore',
    });
    const url = `http://127.0.0.1:${port}`;
    const ask = async (path: string, body?: object): Promise<unknown> => {
      const reply = await fetch(`${url}${path}`, {
        headers: { authorization: apiKey, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return reply.json();
    };
    for (let isUp = false; !isUp;) {
      if (child.exitCode !== null) throw new Error('the server does not start');
      // The key is known a little after the server listens.
      isUp = await fetch(`${url}/api/mpm/v3/workspaces`, {
        headers: { authorization: apiKey },
      }).then(
        ({ ok }) => ok,
        () => false, // nobody listens yet
      );
    }

    const event = {
      workspaceName: 'moved',
      modelName: 'm',
      modelVersion: '1',
      predictionId: 'p',
      features: { age: 1 },
    };
    expect(await ask('/mpm/v2/events/batch', { data: [event] })).to.include({ accepted: 1 });
    expect(existsSync(ran)).to.equal(false);
    const many = Array.from({ length: 100 }, (_, place) => ({
      ...event,
      predictionId: `many${place}`,
      features: Object.fromEntries(Array.from({ length: 40 }, (__, at) => [`f${at}`, at + place])),
    }));
    expect(await ask('/mpm/v2/events/batch', { data: many })).to.include({ accepted: 100 });
    expect(readFileSync(ran, 'utf8')).to.equal('x');
    const form = new FormData();
    for (const [name, value] of Object.entries({
      ...{ workspaceName: 'moved', modelName: 'm', modelVersion: '1' },
    }))
      form.append(name, value);
    const rows = Array.from({ length: 3000 }, (_, place) => `c${place},${place}`);
    form.append('file', new Blob([['predictionId,feature_age', ...rows].join('\n')]), 'a.csv');
    const uploaded = await fetch(`${url}/mpm/v2/data/events/csv`, {
      ...{ method: 'POST', headers: { authorization: apiKey }, body: form },
    });
    expect(await uploaded.text()).to.include('"accepted":3000');
    expect(readFileSync(ran, 'utf8')).to.equal('x');
    expect(JSON.stringify(await ask('/api/mpm/v3/workspaces'))).to.contain('"modelName":"m"');
    expect((await fetch(`${url}/app/plugins/monitoring/page.js`)).status).to.equal(200);
  });
});
