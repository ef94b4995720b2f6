// The unmodified Python client of LLM observability, while the server's database is away in the middle of a run.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { makeDatabase } from '#test/servers/databases';
import { cacheFolder } from '#test/servers/launch';
import { openLine } from '#test/servers/line';
import { findServer } from '#test/servers/servers';
import { goThrough, journeyLimitMs } from '../journeys.js';
import { startServer } from '../server.js';

const clients = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients',
);
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
/** How long the database is away; a minute shows no more than some seconds, in which every retry of the client has its turn. */
const outageSeconds = Number(process.env['ORRERY_TEST_OUTAGE_SECONDS'] ?? 12);

describe('a run of the Python client of LLM observability', () => {
  for (const storage of ['postgres', 'mysql'] as const)
    it(`outlives an outage of its database (${storage})`, async function () {
      this.timeout(journeyLimitMs + 60_000);
      if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client');
      const found = await findServer(storage);
      if ('missing' in found) return pendingUnlessAll(this, found.missing);
      const database = await makeDatabase(found.url);
      const line = await openLine(database.url);
      try {
        const server = await startServer({
          storage,
          env: { [`ORRERY_${storage.toUpperCase()}_URL`]: line.url },
          apart: true,
        });
        if ('missing' in server) throw new Error(server.missing);
        try {
          const going = goThrough(python, join(clients, 'opik-python', 'outage.py'), {
            PYTHONPATH: join(clients, 'python', 'journeys'),
            OPIK_URL_OVERRIDE: `${server.url}/api`,
            OPIK_API_KEY: server.apiKey,
            OPIK_WORKSPACE: server.workspace,
            OPIK_ANALYTICS_ENABLE: 'false',
            OPIK_SENTRY_ENABLE: 'false',
            LITELLM_LOCAL_MODEL_COST_MAP: 'True',
            OUTAGE_JOURNEY_SECONDS: String(outageSeconds + 12),
          });
          await wait(6000); // the client has begun
          line.cut();
          await wait(outageSeconds * 1000);
          const away = await fetch(`${server.url}/is-alive/ping`);
          line.mend();
          const { broken, found: facts } = await going;

          expect(broken.join('\n')).to.equal('');
          expect(away.status).to.equal(500);
          expect(facts['turns']).to.be.greaterThan(20);
        } finally {
          await server.stop();
        }
      } finally {
        await line.stop();
        await database.remove();
      }
    });
});
