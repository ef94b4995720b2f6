import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { startServer, type ServerOptions, type StartedServer } from '../server.js';

// The journeys are Python: they are run where they are written, not where this file is compiled to.
const journeys = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  '..',
  'test',
  'clients',
  'python',
  'journeys',
);
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
const journeyLimitMs = 240_000;

/** What a journey prints as its last line. */
interface Findings {
  readonly found: Readonly<Record<string, unknown>>;
  /** Each broken rule with what was expected and what came. */
  readonly broken: readonly string[];
}

const listJourneys = (): readonly string[] =>
  readdirSync(journeys)
    .filter((file) => file.endsWith('.py') && file !== 'journey.py')
    .sort();

const travel = (journey: string, server: StartedServer): Promise<Findings> =>
  new Promise((resolve, reject) => {
    const home = mkdtempSync(join(tmpdir(), 'orrery-python-'));
    // No setting of the person who runs the tests may reach the client: it starts with an empty home.
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      PYTHONPATH: journeys,
      PYTHONDONTWRITEBYTECODE: '1',
      COMET_URL_OVERRIDE: `${server.url}/clientlib/`,
      COMET_API_KEY: server.apiKey,
      COMET_WORKSPACE: server.workspace,
    };
    const child = spawn(python, [join(journeys, journey)], {
      cwd: home,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed: Buffer[] = [];
    const complained: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complained.push(chunk));
    const limit = setTimeout(() => child.kill('SIGKILL'), journeyLimitMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      rmSync(home, { recursive: true, force: true });
      const last = Buffer.concat(printed).toString().trim().split('\n').at(-1) ?? '';
      // Only journey.py writes a line that begins like this.
      if (last.startsWith('{"found"')) resolve(JSON.parse(last) as Findings);
      else
        reject(
          new Error(
            `${journey} ended with ${String(code ?? signal)}: ${Buffer.concat(complained).toString().slice(-4000)}`,
          ),
        );
    });
  });

/** Each database with another place of bytes. */
const places = [
  { storage: 'embedded', blob: 'filesystem' },
  { storage: 'postgres', blob: 's3' },
  { storage: 'mysql', blob: 'gcs' },
] as const;

for (const { storage, blob } of places) {
  describe(`Python client on ${storage} storage and ${blob} blobs`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;

    before(async () => {
      if (!existsSync(python))
        missing = `no Python client: python3 -m venv ${join(cacheFolder(), 'python')}, then pip install comet_ml matplotlib numpy pillow into it`;
      if (missing !== undefined) return;
      const started = await startServer({ storage, blob });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    for (const journey of listJourneys()) {
      it(`goes through the journey ${basename(journey, '.py')}`, async function () {
        if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
        this.timeout(journeyLimitMs + 10_000);

        const { broken } = await travel(journey, server);

        expect(broken.join('\n')).to.equal('');
      });
    }
  });
}

const direct = { ALLOW_S3_DIRECT_DOWNLOAD: 'true', ASSET_REDIRECT_SIZE_LIMIT: '1000000' };
/** Journeys that need a server set in a certain way, and what its log must or must not tell. */
const setJourneys: readonly {
  readonly journey: string;
  readonly what: string;
  readonly options: ServerOptions;
  readonly told?: RegExp;
  readonly never?: RegExp;
}[] = [
  {
    journey: 'large',
    what: 'a file of 60 MiB in parts to the server, and reads it by its links',
    options: { storage: 'embedded', env: direct },
    told: /asset\/parts[^]*asset\/signed/,
  },
  {
    journey: 'large',
    what: 'a file of 60 MiB in parts to a bucket of S3, and reads it from there',
    options: { storage: 'postgres', blob: 's3', env: direct },
    never: /asset\/(parts|signed)/,
  },
  {
    journey: 'large',
    what: 'a file of 60 MiB in parts to a bucket of GCS, and reads it from there',
    options: { storage: 'mysql', blob: 'gcs', env: direct },
    never: /asset\/(parts|signed)/,
  },
  {
    journey: 'anonymous',
    what: 'a run without an account',
    options: { storage: 'embedded', env: { ORRERY_TOGGLE_ANONYMOUS_MODE: 'on' } },
  },
  {
    journey: 'anonymous_off',
    what: 'nothing without an account where that is switched off',
    options: { storage: 'embedded' },
  },
  {
    journey: 'throttled',
    what: 'more points than a minute allows',
    options: { storage: 'embedded', env: { ORRERY_THROTTLE_METRICS_PER_MINUTE: '2000' } },
  },
  {
    journey: 'signup',
    what: 'the wish for an account, which it gets',
    options: { storage: 'embedded', env: { ORRERY_SIGN_UP: 'on', ORRERY_ADMIN_WORKSPACE: 'open' } },
  },
  {
    journey: 'signup',
    what: 'the wish for an account, which nobody gets there',
    options: { storage: 'embedded' },
  },
];

describe('Python client on a server set otherwise', () => {
  for (const { journey, what, options, told, never } of setJourneys) {
    it(`sends ${what}`, async function () {
      if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client; see .ci/run');
      this.timeout(journeyLimitMs + 10_000);
      const server = await startServer(options);
      if ('missing' in server) return pendingUnlessAll(this, server.missing);

      const { broken } = await travel(join('set', `${journey}.py`), server).finally(() =>
        server.stop(),
      );

      expect(broken.join('\n')).to.equal('');
      if (told !== undefined) expect(server.output()).to.match(told);
      if (never !== undefined) expect(server.output()).not.to.match(never);
    });
  }
});
