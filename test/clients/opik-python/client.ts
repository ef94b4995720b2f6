// The unmodified Python client of LLM observability: what its suites on each database share.
import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { goThrough, journeyLimitMs, journeysIn } from '../journeys.js';
import {
  startServer,
  triedStorages,
  type BlobChoice,
  type StartedServer,
  type StorageChoice,
} from '../server.js';

// The journeys are Python: they are run where they are written, not where this file is compiled to.
const clients = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients',
);
const journeys = join(clients, 'opik-python', 'journeys');
const shared = join(clients, 'python', 'journeys');
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');

const settingsFor = (server: StartedServer, base: string): Readonly<Record<string, string>> => ({
  PYTHONPATH: [journeys, dirname(journeys), shared].join(delimiter),
  LANGSMITH_TRACING: 'false',
  OPIK_URL_OVERRIDE: `${server.url}${base}`,
  OPIK_API_KEY: server.apiKey,
  OPIK_WORKSPACE: server.workspace,
  // Nothing of a test is reported to anybody else.
  OPIK_ANALYTICS_ENABLE: 'false',
  OPIK_SENTRY_ENABLE: 'false',
  LITELLM_LOCAL_MODEL_COST_MAP: 'True',
});

/** All journeys over a database, with one of the addresses that a client may be given. */
export const goesThroughAll = ({
  storage,
  base,
}: {
  readonly storage: StorageChoice;
  readonly base: string;
}): void => {
  if (!triedStorages.includes(storage)) return;
  describe(`the Python client of LLM observability on ${storage} storage`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;

    before(async () => {
      if (!existsSync(python))
        missing = `no Python client: python3 -m venv ${join(cacheFolder(), 'python')}, then pip install opik langchain-openai into it`;
      if (missing !== undefined) return;
      // Journeys receive webhooks and have their models on this machine.
      const env = {
        ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
        ORRERY_ALERT_EVENTS_SECONDS: '1',
        ORRERY_ALERT_WINDOW_SECONDS: '0',
        ORRERY_ALERT_METRICS_SECONDS: '1',
        ORRERY_INSIGHTS_SECONDS: '1',
        ORRERY_INTERNAL_TOKEN: 'internal-0123456789abcdef',
        // Elsewhere no metric is run.
        ...(process.platform === 'linux' ? { ORRERY_PYTHON_METRICS: python } : {}),
      };
      const started = await startServer({ storage, env });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    for (const journey of journeysIn(journeys, storage)) {
      it(`goes through the journey ${basename(journey, '.py')}`, async function () {
        if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
        this.timeout(journeyLimitMs + 10_000);

        const { broken } = await goThrough(python, journey, settingsFor(server, base));

        expect(broken.join('\n')).to.equal('');
      });
    }
  });
};

/** The journey of files whose parts go to a bucket; `never` is what the server must not be asked for then. */
export const keepsFilesIn = ({
  storage,
  blob,
  never,
}: {
  readonly storage: StorageChoice;
  readonly blob: BlobChoice;
  readonly never: RegExp;
}): void => {
  describe(`the Python client of LLM observability with files in a bucket of ${blob}`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;
    before(async () => {
      if (!existsSync(python)) missing = `no Python client in ${python}`;
      if (missing !== undefined) return;
      const env = { ALLOW_S3_DIRECT_DOWNLOAD: 'true' };
      const started = await startServer({ storage, blob, env });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    it('attaches files and reads them back', async function () {
      if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
      this.timeout(journeyLimitMs + 10_000);

      const { broken } = await goThrough(
        python,
        join(journeys, 'attachments.py'),
        settingsFor(server, '/api'),
      );

      expect(broken.join('\n')).to.equal('');
      expect(server.output()).not.to.match(never);
    });
  });
};
