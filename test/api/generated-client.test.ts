// A client that is generated from the description compiles as strictly as this code, and works.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** What a user of the generated types writes. */
const firstRun = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Point = components['schemas']['MetricPoint'];

export const firstRun = async (baseUrl: string, apiKey: string): Promise<readonly Point[]> => {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: apiKey } });
  const created = await client.POST('/api/rest/v2/write/experiment/create', {
    body: { projectName: 'generated', experimentName: 'first run' },
  });
  if (created.data === undefined) throw new Error(String(created.response.status));
  const { experimentKey } = created.data;
  const logged = await client.POST('/api/rest/v2/write/experiment/metric', {
    body: { experimentKey, metricName: 'loss', metricValue: 0.25, step: 1 },
  });
  if (logged.data === undefined) throw new Error(String(logged.response.status));
  const read = await client.GET('/api/rest/v2/experiment/metrics/get-metric', {
    params: { query: { experimentKey, metricName: 'loss' } },
  });
  if (read.data === undefined) throw new Error(String(read.response.status));
  return read.data.metrics;
};
`;

/** What must not compile: a member of another name, and one of another type. */
const mistakes = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths>({ baseUrl: '' });
await client.POST('/api/rest/v2/write/experiment/metric', {
  body: { experimentKey: 'x', metricNames: 'loss' },
});
await client.GET('/api/rest/v2/experiment/metrics/get-metric', {
  params: { query: { experimentKey: 1, metricName: 'loss' } },
});
`;

interface Client {
  readonly firstRun: (baseUrl: string, apiKey: string) => Promise<readonly object[]>;
}

describe('a client that is generated from the description', () => {
  let server: StartedServer;
  let folder = '';

  const put = (file: string, content: string): void =>
    writeFileSync(join(folder, 'src', file), content);
  /** Compiles what lies there with the options of this project. */
  const compile = (): { readonly status: number | null; readonly said: string } => {
    const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder], {
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };

  before('start a server and generate', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: { ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    folder = mkdtempSync(join(root, 'dist', 'generated-client-')); // packages are found from there
    mkdirSync(join(folder, 'src'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { rootDir: 'src', outDir: 'out' },
        include: ['src'],
      }),
    );
    put('schema.ts', astToString(await openapiTypescript(new URL('/openapi.json', server.url))));
  });
  after(async () => {
    if (folder !== '') rmSync(folder, { recursive: true });
    await server?.stop();
  });

  it('compiles, makes an experiment, logs a metric and reads it', async () => {
    put('first-run.ts', firstRun);
    expect(compile()).to.deep.equal({ status: 0, said: '' });
    const { href } = pathToFileURL(join(folder, 'out', 'first-run.js'));

    const { firstRun: run } = (await import(href)) as Client; // compiled just now
    const points = await run(server.url, server.apiKey);

    expect(points).to.have.length(1);
    expect(points[0]).to.include({ metricName: 'loss', metricValue: '0.25', step: 1 });
  });

  it('does not compile where a member has another name or type', () => {
    put('mistakes.ts', mistakes);

    const { status, said } = compile();

    expect(status).to.not.equal(0);
    expect(said)
      .to.match(/mistakes\.ts\(7,/)
      .and.match(/mistakes\.ts\(10,/);
    expect(said).to.not.match(/^(?!src|.*mistakes\.ts).*error TS/m);
  });
});
