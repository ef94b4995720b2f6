import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { goThrough, journeyLimitMs, journeysIn, type Findings } from '../journeys.js';
import { startServer, triedStorages, type ServerOptions, type StartedServer } from '../server.js';

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

const travel = (journey: string, server: StartedServer): Promise<Findings> =>
  goThrough(python, journey, {
    PYTHONPATH: journeys,
    COMET_URL_OVERRIDE: `${server.url}/clientlib/`,
    COMET_API_KEY: server.apiKey,
    COMET_WORKSPACE: server.workspace,
  });

/** Each database with another place of bytes. */
const places = [
  { storage: 'embedded', blob: 'filesystem' },
  { storage: 'postgres', blob: 's3' },
  { storage: 'mysql', blob: 'gcs' },
] as const;

for (const { storage, blob } of places.filter(({ storage }) => triedStorages.includes(storage))) {
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

    for (const journey of journeysIn(journeys, storage)) {
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

      const { broken } = await travel(join(journeys, 'set', `${journey}.py`), server).finally(() =>
        server.stop(),
      );

      expect(broken.join('\n')).to.equal('');
      if (told !== undefined) expect(server.output()).to.match(told);
      if (never !== undefined) expect(server.output()).not.to.match(never);
    });
  }
});
