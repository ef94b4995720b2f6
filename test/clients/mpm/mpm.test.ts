// The unmodified Python client of production monitoring, on each database.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { goThrough, journeyLimitMs } from '../journeys.js';
import { startServer, type StartedServer } from '../server.js';

// The journeys are Python: they are run where they are written, not where this file is compiled to.
const clients = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients',
);
const journeys = join(clients, 'mpm', 'journeys');
const shared = join(clients, 'python', 'journeys');
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');

for (const storage of ['embedded', 'postgres', 'mysql'] as const) {
  describe(`the Python client of production monitoring on ${storage} storage`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;

    before(async () => {
      if (!existsSync(python))
        missing = `no Python client: python3 -m venv ${join(cacheFolder(), 'python')}, then pip install comet_mpm into it`;
      if (missing !== undefined) return;
      const started = await startServer({ storage });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    for (const journey of readdirSync(journeys)
      .filter((file) => file.endsWith('.py'))
      .sort()) {
      it(`goes through the journey ${basename(journey, '.py')}`, async function () {
        if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
        this.timeout(journeyLimitMs + 10_000);

        const { broken } = await goThrough(python, join(journeys, journey), {
          PYTHONPATH: shared,
          COMET_URL_OVERRIDE: server.url,
          COMET_API_KEY: server.apiKey,
          COMET_WORKSPACE: server.workspace,
        });

        expect(broken.join('\n')).to.equal('');
      });
    }
  });
}
