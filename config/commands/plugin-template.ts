// The files of a new plugin: one operation that writes, one that reads, a table, a setting, and a test against a server of its own.

export interface TemplateNames {
  /** The name of the package. */
  readonly packageName: string;
  /** The plugin's name, which its table, its area and its paths begin with. */
  readonly name: string;
  /** This release, which the plugin is written for. */
  readonly version: string;
  /** Where this release is installed, seen from the folder of the plugin. */
  readonly home: string;
}

const manifest = ({ packageName, version, home }: TemplateNames): string =>
  `${JSON.stringify(
    {
      name: packageName,
      version: '0.1.0',
      description: 'A plugin for Orrery',
      type: 'module',
      exports: './index.js',
      files: ['index.js'],
      scripts: { test: 'node --test' },
      peerDependencies: { orrery: `^${version}` },
      devDependencies: { orrery: `file:${home}` },
    },
    undefined,
    2,
  )}\n`;

const plugin = ({ name }: TemplateNames): string => `// @ts-check
import { area } from 'orrery/ports/api/area';
import { trackingFamily } from 'orrery/ports/api/families/tracking';
import { one, operations } from 'orrery/ports/api/operation';
import { integer, list, object, optional, text } from 'orrery/ports/api/schema';
import { Clock } from 'orrery/ports/clock';
import { Failure } from 'orrery/ports/failure';
import { experiment } from 'orrery/ports/model/experiments';
import { plugin } from 'orrery/ports/plugin';
import { PluginTables } from 'orrery/ports/plugin-tables';

// Each row is an operation: its address, who may call it about what, and the shapes of its input and replies. The server checks requests,
// asks whether the caller may, and describes the operation in /openapi.json; a handler gets what is left to do.
const table = operations({
  addNote: {
    method: 'POST',
    path: '/api/${name}/notes',
    access: { needs: 'write', about: one(experiment, 'body.experimentKey') },
    summary: 'Add a note to an experiment',
    body: object({ experimentKey: text(), note: text({ min: 1 }) }),
    replies: { 200: object({ number: integer() }) },
    fails: ['invalid', 'conflict'],
  },
  listNotes: {
    method: 'GET',
    path: '/api/${name}/notes',
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Notes of an experiment, oldest first',
    query: object({ experimentKey: text() }),
    replies: { 200: object({ notes: list(object({ note: text(), createdAt: integer() })) }) },
  },
});

export default plugin({
  name: '${name}',
  api: 1,
  // Values come from the entry of this plugin in the file that ORRERY_CONFIG names.
  settings: object({ notesPerExperiment: optional(integer({ minimum: 1 })) }),
  needs: { tables: PluginTables, clock: Clock },
  // Changes of the plugin's tables, in their order. Add new ones at the end; a change that was released stays as it is.
  tables: [
    {
      create: 'notes',
      columns: { experiment: 'key', number: 'whole', note: 'text', created_at: 'whole' },
      key: ['experiment', 'number'],
    },
  ],
  contribute({ tables, clock }, settings) {
    const most = settings.notesPerExperiment ?? 1000;
    return {
      areas: [
        area({
          name: '${name}',
          family: trackingFamily,
          table,
          needs: {},
          handlers: () => ({
            addNote: ({ body, experiment }) =>
              tables.transaction(async (inside) => {
                const before = await inside.list(
                  'notes',
                  'key',
                  { experiment: experiment.id },
                  { limit: most },
                );
                if (before.length >= most)
                  throw new Failure('conflict', \`an experiment has at most \${most} notes\`);
                const number = before.length + 1;
                await inside.insert('notes', {
                  experiment: experiment.id,
                  number,
                  note: body.note,
                  created_at: clock.now(),
                });
                return { number };
              }),
            async listNotes({ experiment }) {
              const rows = await tables.list(
                'notes',
                'key',
                { experiment: experiment.id },
                { limit: most },
              );
              return {
                notes: rows.map((row) => ({
                  note: String(row['note']),
                  createdAt: Number(row['created_at']),
                })),
              };
            },
          }),
        }),
      ],
    };
  },
});
`;

const test = ({ name }: TemplateNames): string => `// @ts-check
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const apiKey = 'a-key-for-tests';
const manifest = fileURLToPath(import.meta.resolve('orrery/package.json'));
let folder = '';
let url = '';
/** @type {import('node:child_process').ChildProcess | undefined} */
let server;

const findFreePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), '${name}-'));
  const port = await findFreePort();
  url = \`http://127.0.0.1:\${port}\`;
  const config = join(folder, 'config.json');
  const entry = fileURLToPath(new URL('index.js', import.meta.url));
  await writeFile(
    config,
    JSON.stringify({ plugins: [{ name: entry, settings: { notesPerExperiment: 2 } }] }),
  );
  const { bin } = JSON.parse(await readFile(manifest, 'utf8'));
  server = spawn(process.execPath, [join(dirname(manifest), bin.orrery), 'serve'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ORRERY_PORT: String(port),
      ORRERY_BASE_URL: url,
      ORRERY_DATA: join(folder, 'data'),
      ORRERY_CONFIG: config,
      ORRERY_ADMIN_API_KEY: apiKey,
      ORRERY_ADMIN_WORKSPACE: 'tests',
      ORRERY_CHECK_REPLIES: '1',
      ORRERY_LOG_LEVEL: 'error',
    },
  });
  for (let tries = 0; tries < 600 && server.exitCode === null; tries++) {
    const ready = await fetch(\`\${url}/health/ready\`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ready) return;
    await wait(100);
  }
  throw new Error('the server did not become ready');
});

after(async () => {
  if (server !== undefined && server.exitCode === null) {
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

/**
 * @param {string} path
 * @param {object} [body]
 * @param {string} [key]
 */
const call = async (path, body, key = apiKey) => {
  const reply = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: await reply.json() };
};

test('gives back the notes of an experiment, and takes no more than the setting allows', async () => {
  const created = await call('/api/rest/v2/write/experiment/create', {
    workspaceName: 'tests',
    projectName: 'notes',
  });
  const { experimentKey } = created.body;
  assert.equal((await call('/api/${name}/notes', { experimentKey, note: 'first' })).body.number, 1);
  assert.equal((await call('/api/${name}/notes', { experimentKey, note: 'second' })).body.number, 2);
  assert.equal((await call('/api/${name}/notes', { experimentKey, note: 'third' })).status, 400); // how clients of the tracking family are refused
  const listed = await call(\`/api/${name}/notes?experimentKey=\${experimentKey}\`);
  assert.deepEqual(
    listed.body.notes.map((/** @type {{ note: string }} */ { note }) => note),
    ['first', 'second'],
  );
});

test('refuses whoever has no key', async () => {
  const { status } = await call('/api/${name}/notes?experimentKey=any', undefined, 'wrong');
  assert.equal(status, 401);
});
`;

const readme = ({ packageName, name }: TemplateNames): string => `# ${packageName}

A plugin for Orrery. It adds \`POST\` and \`GET /api/${name}/notes\`.

    npm install
    npm test

Its tests run against the server that the folder was made with (\`devDependencies\` in \`package.json\` says where that is installed).

To use it, install the package beside Orrery and name it in the file that \`ORRERY_CONFIG\` names:

    { "plugins": [{ "name": "${packageName}", "settings": { "notesPerExperiment": 100 } }] }

A plugin runs in the server's process and can do whatever the server can: install only what you trust.
`;

/** The files of a new plugin, by their names. */
export const pluginFiles = (names: TemplateNames): Readonly<Record<string, string>> => ({
  'package.json': manifest(names),
  'index.js': plugin(names),
  'index.test.js': test(names),
  'README.md': readme(names),
});
