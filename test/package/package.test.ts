// The packed package, installed elsewhere with production dependencies only, and a vendor's plugin beside it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startReceiver } from '#test/clients/receiver';
import { findFreePort } from '#test/servers/launch';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const vendor = join(root, 'test', 'package', 'vendor');
const key = 'package-test-key';

const run = (program: string, words: readonly string[], cwd: string): string => {
  const done = spawnSync(program, [...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 1 << 26,
  });
  if (done.status !== 0)
    throw new Error(
      `${program} ${words.join(' ')} ended with ${String(done.status)}: ${`${done.stdout}${done.stderr}`.slice(-2000)}`,
    );
  return done.stdout;
};

interface Elsewhere {
  readonly url: string;
  readonly output: () => string;
  stop(): Promise<number | null>;
}

describe('the packed package', () => {
  let folder = '';
  const running: ChildProcess[] = [];

  /** `npx orrery serve` in the folder; resolves once it is ready or has ended. */
  const serve = async (
    data: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<Elsewhere> => {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${String(port)}`;
    const child = spawn('npx', ['--no-install', 'orrery', 'serve'], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        ORRERY_PORT: String(port),
        ORRERY_BASE_URL: url,
        ORRERY_DATA: join(folder, data),
        ORRERY_ADMIN_API_KEY: key,
        ORRERY_ADMIN_WORKSPACE: 'vendor',
        ORRERY_CHECK_REPLIES: '1',
        ...settings,
      },
    });
    running.push(child);
    let output = '';
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
    child.stderr.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    });
    for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
      if (
        await fetch(`${url}/health/ready`).then(
          (reply) => reply.ok,
          () => false,
        )
      )
        break;
      await wait(50);
    }
    return {
      url,
      output: () => output,
      stop: async () => {
        if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
        return ended;
      },
    };
  };
  const call = async (
    url: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> => {
    const reply = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }; // every reply of the API is an object
  };
  const configure = (
    name: string,
    plugins: readonly unknown[],
    more: Readonly<Record<string, unknown>> = {},
  ): string => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, JSON.stringify({ plugins, ...more }));
    return path;
  };

  before('pack it and install it elsewhere', function () {
    if (process.env['ORRERY_TEST_ALL'] !== '1')
      return pendingUnlessAll(
        this,
        'installs the package from the registry; ORRERY_TEST_ALL=1 runs it',
      );
    this.timeout(180_000);
    folder = mkdtempSync(join(tmpdir(), 'orrery package '));
    run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], root);
    const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'elsewhere', private: true, type: 'module' }),
    );
    run(
      'npm',
      ['install', '--omit=dev', '--ignore-scripts', '--prefer-offline', `./${String(packed)}`],
      folder,
    );
    cpSync(vendor, join(folder, 'node_modules', 'orrery-plugin-notes'), { recursive: true });
  });
  after(async () => {
    for (const child of running)
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
        process.kill(-child.pid, 'SIGKILL');
    if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('carries its license, its changes, and the licenses of the code that was joined into it', function () {
    const home = join(folder, 'node_modules', 'orrery');
    for (const name of ['LICENSE', 'NOTICE', 'CHANGELOG.md', 'README.md'])
      expect(readFileSync(join(home, name), 'utf8').length, name).to.be.above(500);
    const licenses = readFileSync(join(home, 'dist', 'parts', 'LICENSES'), 'utf8');
    const notice = readFileSync(join(home, 'NOTICE'), 'utf8');
    const joined = [
      ...licenses.matchAll(/^(@inversifyjs\/[\w-]+|inversify|reflect-metadata)\n/gm),
    ].map(([, name]) => name ?? '');
    expect(joined.length).to.be.above(2);
    for (const name of joined) expect(notice).to.contain(name.split('/')[0]);
  });

  it('brings up a server that takes and gives back a point', async function () {
    this.timeout(60_000);
    const server = await serve('plain', {});

    const { body } = await call(server.url, '/api/rest/v2/write/experiment/create', {});
    await call(server.url, '/api/rest/v2/write/experiment/metric', {
      experimentKey: body['experimentKey'],
      metricName: 'loss',
      metricValue: '0.25',
    });
    const read = await call(
      server.url,
      `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${String(body['experimentKey'])}&metricName=loss`,
    );

    expect(
      (read.body['metrics'] as { metricValue: string }[]).map((one) => one.metricValue),
    ).to.deep.equal(['0.25']);
    expect(server.output()).to.include('COMET_API_KEY');
    await server.stop();
  });

  it('takes in a plugin with rows, tables, a job, a subscriber, a driver, a setting and a toggle', async function () {
    this.timeout(90_000);
    const config = configure(
      'with',
      [{ name: 'orrery-plugin-notes', settings: { greeting: 'hello' } }],
      { ORRERY_BLOB: 'vendor-folder' },
    );
    const server = await serve('with', { ORRERY_CONFIG: config });
    const { body: made } = await call(server.url, '/api/rest/v2/write/experiment/create', {
      experimentName: 'noted',
    });
    const experimentKey = String(made['experimentKey']);

    expect(
      (await call(server.url, '/api/vendor/notes', { experimentKey, note: 'first' })).body,
    ).to.include({ number: 1, greeting: 'hello' });
    expect(
      (await call(server.url, '/api/vendor/notes', { experimentKey, note: 'second' })).body,
    ).to.include({ number: 2 });
    expect(
      (await call(server.url, `/api/vendor/notes?experimentKey=${experimentKey}`)).body,
    ).to.deep.equal({ notes: ['first', 'second'], name: 'noted' });
    expect(
      (await call(server.url, '/api/vendor/notes', { experimentKey: 'f'.repeat(32), note: 'x' }))
        .body['sdk_error_code'],
    ).to.equal(90211);
    expect(
      (await fetch(`${server.url}/api/vendor/notes?experimentKey=${experimentKey}`)).status,
    ).to.equal(401);
    const upload = new FormData();
    upload.append('file', new Blob(['kept by the vendor']), 'a.txt');
    const kept = await fetch(
      `${server.url}/api/rest/v2/write/experiment/upload-asset?experimentKey=${experimentKey}&fileName=a.txt`,
      { method: 'POST', headers: { authorization: key }, body: upload },
    );
    const { assetId } = (await kept.json()) as { assetId: string };
    expect(
      await (
        await fetch(
          `${server.url}/api/rest/v2/experiment/asset/get-asset?experimentKey=${experimentKey}&assetId=${assetId}`,
          { headers: { authorization: key } },
        )
      ).text(),
    ).to.equal('kept by the vendor');
    expect(readdirSync(join(folder, 'with', 'vendor-blobs'))).to.have.length(1);
    for (let tries = 0; tries < 200; tries++) {
      const { body } = await call(server.url, '/api/vendor/seen');
      if ((body['created'] as string[]).includes(experimentKey) && Number(body['runs']) > 1) break;
      await wait(100);
    }
    const { body: seen } = await call(server.url, '/api/vendor/seen');
    expect(seen['created']).to.deep.equal([experimentKey]);
    expect(Number(seen['runs'])).to.be.greaterThan(1);
    expect(await (await fetch(`${server.url}/openapi.json`)).text()).to.include(
      '/api/vendor/notes',
    );
    await server.stop();
  });

  /** Makes a channel of the kind that the plugin brings, sends a sample, and tells what arrived at its path. */
  const pagesOf = async (url: string): Promise<readonly string[]> => {
    const receiver = await startReceiver();
    const target = `${receiver.url}/paged`;
    const { body } = await call(url, '/api/rest/v2/write/channels', {
      kind: 'pager',
      name: 'pager',
      target,
    });
    await call(url, `/api/rest/v2/write/channels/${String(body['channelId'])}/test`, {});
    await receiver.stop();
    return receiver.got().map(({ path }) => path.slice(1));
  };

  it('serves from several processes with the drivers of a plugin, for files and for channels', async function () {
    this.timeout(90_000);
    const config = configure(
      'workers',
      [{ name: 'orrery-plugin-notes', settings: { greeting: 'hello' } }],
      {
        ORRERY_BLOB: 'vendor-folder',
        ORRERY_WORKERS: 2,
        ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
      },
    );
    const server = await serve('workers', { ORRERY_CONFIG: config });
    const { body: made } = await call(server.url, '/api/rest/v2/write/experiment/create', {});
    const experimentKey = String(made['experimentKey']);

    const assets = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const upload = new FormData();
        upload.append('file', new Blob([`file ${i}`]), `${i}.txt`);
        const kept = await fetch(
          `${server.url}/api/rest/v2/write/experiment/upload-asset?experimentKey=${experimentKey}&fileName=${i}.txt`,
          { method: 'POST', headers: { authorization: key }, body: upload },
        );
        return String(((await kept.json()) as { assetId: string }).assetId);
      }),
    );
    const texts = await Promise.all(
      assets.map(async (assetId) => {
        const reply = await fetch(
          `${server.url}/api/rest/v2/experiment/asset/get-asset?experimentKey=${experimentKey}&assetId=${assetId}`,
          { headers: { authorization: key } },
        );
        return reply.text();
      }),
    );

    expect(texts).to.deep.equal(assets.map((_, i) => `file ${i}`));
    expect(readdirSync(join(folder, 'workers', 'vendor-blobs'))).to.have.length(8);
    expect(await pagesOf(server.url)).to.deep.equal(['paged']);
    await server.stop();
  });

  it('makes a plugin that passes its own tests and checks against the types', function () {
    this.timeout(120_000);
    run('npx', ['--no-install', 'orrery', 'plugin', 'new', 'orrery-plugin-first'], folder);
    const made = join(folder, 'orrery-plugin-first'); // it finds the package in the folder above
    expect(run('npm', ['test'], made)).to.match(/# pass 2\n# fail 0|pass 2\n.*fail 0/);
    run(
      join(root, 'node_modules', '.bin', 'tsc'),
      [
        ...['--noEmit', '--strict', '--allowJs', '--skipLibCheck', '--target', 'es2023'],
        ...['--module', 'nodenext', '--typeRoots', join(root, 'node_modules', '@types')],
        ...['--types', 'node', 'index.js', 'index.test.js'],
      ],
      made,
    );
  });

  it('leaves a plugin out whose toggle is off, and keeps its tables until they are dropped', async function () {
    this.timeout(60_000);
    const config = configure('off', [
      { name: 'orrery-plugin-notes', settings: { greeting: 'hello' } },
    ]);
    const server = await serve('with', {
      ORRERY_CONFIG: config,
      ORRERY_TOGGLE_VENDOR_NOTES: 'off',
    });

    expect((await call(server.url, '/api/vendor/seen')).status).to.equal(404);
    await server.stop();
    const env = { ...process.env, ORRERY_DATA: join(folder, 'with'), ORRERY_LOG_LEVEL: 'silent' };
    const orrery = (...words: readonly string[]) =>
      spawnSync('npx', ['--no-install', 'orrery', ...words], { cwd: folder, encoding: 'utf8', env })
        .stdout;
    expect(orrery('migrate', 'status')).to.include('notes\t1\tcreate notes');
    expect(orrery('migrate', 'drop', 'notes', '--yes')).to.include('2 tables of notes removed');
    expect(orrery('migrate', 'status')).not.to.include('notes\t1');
  });

  for (const [fault, source, sentence] of [
    [
      'a wrong name',
      "export default { name: 'Bad Name', api: 1, settings: {}, needs: {}, contribute() { return {}; } };",
      'its name is not lower-case words with dashes',
    ],
    [
      'another version of the contract',
      "export default { name: 'later', api: 2, settings: {}, needs: {}, contribute() { return {}; } };",
      'it is written for version 2',
    ],
    ['no default export', 'export const x = 1;', 'no default export'],
    [
      'the whole storage without trust',
      "export default { name: 'greedy', api: 1, settings: {}, needs: { storage: Symbol.for('orrery.port.storage') }, contribute() { return {}; } };",
      'granted only to plugins that the configuration trusts',
    ],
    [
      'an area that reaches stores without trust',
      "import { area } from 'orrery/ports/api/area'; import { plainFamily } from 'orrery/ports/api/families/plain'; import { storageOf } from 'orrery/ports/storage/storage'; export default { name: 'greedy', api: 1, settings: {}, needs: {}, contribute() { return { areas: [area({ name: 'greedy', family: plainFamily, needs: { storage: storageOf('users') }, table: {}, handlers: () => ({}) })] }; } };",
      'its area greedy asks for the storage, which is granted only to plugins that the configuration trusts',
    ],
    [
      'a row that hides another',
      "import { area } from 'orrery/ports/api/area'; import { plainFamily } from 'orrery/ports/api/families/plain'; import { operations } from 'orrery/ports/api/operation'; export default { name: 'shadow', api: 1, settings: {}, needs: {}, contribute() { return { areas: [area({ name: 'shadow', family: plainFamily, needs: {}, table: operations({ mine: { method: 'GET', path: '/health/live', access: { needs: 'public' }, summary: 'x', replies: { 200: null } } }), handlers: () => ({ mine: async () => undefined }) })] }; } };",
      'would hide isLive',
    ],
  ] as const) {
    it(`does not start with a plugin of ${fault}, and says so in one sentence`, async function () {
      this.timeout(60_000);
      writeFileSync(join(folder, 'wrong.mjs'), source);
      const server = await serve('wrong', {
        ORRERY_CONFIG: configure('wrong', [{ name: './wrong.mjs' }]),
      });

      const code = await server.stop();

      expect(code).to.equal(1);
      expect(server.output()).to.match(/^.*plugin \.\/wrong\.mjs cannot be loaded: .*$/m);
      expect(server.output()).to.include(sentence);
    });
  }

  it('refuses wrong settings of a plugin, and goes on without an optional one', async function () {
    this.timeout(60_000);
    const refused = await serve('settings', {
      ORRERY_CONFIG: configure('refused', [{ name: 'orrery-plugin-notes', settings: {} }]),
    });
    expect(await refused.stop()).to.equal(1);
    expect(refused.output()).to.include('its settings are wrong: greeting is required');

    const optional = await serve('settings', {
      ORRERY_CONFIG: configure('optional', [{ name: 'orrery-plugin-missing', optional: true }]),
    });
    expect((await fetch(`${optional.url}/health/ready`)).status).to.equal(200);
    await optional.stop();
  });

  it('names in the types of its suites nothing that it does not hold', () => {
    const home = join(folder, 'node_modules', 'orrery', 'dist', 'test', 'contract');
    const types = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.d.ts'),
    );

    expect(types.length).to.be.above(30);
    for (const name of types)
      expect(readFileSync(join(home, name), 'utf8'), name).not.to.match(
        /#(core|adapters|config)\//,
      );
  });

  it('lets a vendor run every suite that it loads with mocha, chai and fast-check beside it', function () {
    this.timeout(240_000);
    run(
      'npm',
      [
        'install',
        '--ignore-scripts',
        '--prefer-offline',
        '--no-save',
        'mocha',
        'chai',
        'fast-check',
      ],
      folder,
    );
    cpSync(vendor, join(folder, 'node_modules', 'orrery-plugin-notes'), { recursive: true });
    cpSync(vendor, join(folder, 'vendor'), { recursive: true });

    const output = run(
      'npx',
      [
        '--no-install',
        'mocha',
        '--timeout',
        '30000',
        ...['contract', 'load', 'auth', 'sign-in', 'notifier'].map(
          (name) => `vendor/${name}.test.js`,
        ),
      ],
      folder,
    );

    expect(output).to.match(/\d\d+ passing/);
    expect(output).to.include('the packed suite storage/search.js loads');
    expect(output).not.to.include('failing');
  });
});
