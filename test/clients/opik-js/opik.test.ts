// The unmodified JavaScript client of LLM observability, on each database.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { goThrough, journeyLimitMs } from '../journeys.js';
import { startServer, triedStorages, type StartedServer } from '../server.js';

// The journeys are run where they are written, not where this file is compiled to.
const journeys = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients/opik-js/journeys',
);

/** Each database, with one of the addresses that a client may be given. */
const places = [
  { storage: 'embedded', base: '/opik/api' },
  { storage: 'postgres', base: '/api' },
  { storage: 'mysql', base: '/api' },
] as const;

for (const { storage, base } of places.filter(({ storage }) => triedStorages.includes(storage))) {
  describe(`the JavaScript client of LLM observability on ${storage} storage`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;
    before(async () => {
      // Journeys receive webhooks and have their models on this machine.
      const env = {
        ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
        ORRERY_ALERT_EVENTS_SECONDS: '1',
        ORRERY_ALERT_WINDOW_SECONDS: '0',
        ORRERY_ALERT_METRICS_SECONDS: '1',
      };
      const started = await startServer({ storage, env });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    for (const journey of readdirSync(journeys)
      .filter((file) => file !== 'journey.mjs')
      .sort())
      it(`goes through the journey ${basename(journey, '.mjs')}`, async function () {
        if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
        this.timeout(journeyLimitMs + 10_000);
        const { broken } = await goThrough(process.execPath, join(journeys, journey), {
          OPIK_URL_OVERRIDE: `${server.url}${base}`,
          OPIK_API_KEY: server.apiKey,
          OPIK_WORKSPACE: server.workspace,
        });
        expect(broken.join('\n')).to.equal('');
      });
  });
}

describe('the JavaScript client of LLM observability without a key', () => {
  it('writes and reads where authentication is off', async function () {
    this.timeout(journeyLimitMs + 10_000);
    const server = await startServer({
      storage: 'embedded',
      env: { ORRERY_AUTHENTICATION: 'off' },
    });
    if ('missing' in server) throw new Error(server.missing);
    try {
      const script = join(dirname(journeys), 'without-key.mjs');
      const { broken } = await goThrough(process.execPath, script, {
        OPIK_URL_OVERRIDE: `${server.url}/api`,
      });
      expect(broken.join('\n')).to.equal('');
    } finally {
      await server.stop();
    }
  });
});
