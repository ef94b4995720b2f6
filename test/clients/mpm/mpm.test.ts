// The unmodified Python client of production monitoring, on each database.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { goThrough, journeyLimitMs, journeysIn } from '../journeys.js';
import { startServer, triedStorages, type StartedServer } from '../server.js';

// The journeys are Python: they are run where they are written, not where this file is compiled to.
const clients = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients',
);
const journeys = join(clients, 'mpm', 'journeys');
const paced = join(clients, 'mpm', 'paced');
const shared = join(clients, 'python', 'journeys');
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');

for (const { storage, title, scripts, env } of [
  ...triedStorages.map((one) => ({
    ...{ storage: one, title: `on ${one} storage`, scripts: journeysIn(journeys, one), env: {} },
  })),
  {
    storage: 'embedded',
    title: 'where a workspace may send 6,000 events a minute',
    scripts: journeysIn(paced, 'embedded'),
    env: { MPM_ITEMS_PER_MINUTE: '6000' },
  },
] as const) {
  describe(`the Python client of production monitoring ${title}`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;

    before(async () => {
      if (!existsSync(python))
        missing = `no Python client: python3 -m venv ${join(cacheFolder(), 'python')}, then pip install comet_mpm into it`;
      if (missing !== undefined) return;
      const started = await startServer({ storage, env });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    for (const journey of scripts) {
      it(`goes through the journey ${basename(journey, '.py')}`, async function () {
        if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
        this.timeout(journeyLimitMs + 10_000);

        const { broken } = await goThrough(python, journey, {
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
