// The unmodified Python client of LLM observability, where the server takes only so much in a minute.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { cacheFolder } from '#test/servers/launch';
import { goThrough, journeyLimitMs } from '../journeys.js';
import { startServer } from '../server.js';

const clients = join(
  dirname(fileURLToPath(import.meta.url)),
  ...Array<string>(4).fill('..'),
  'test/clients',
);
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');

describe('limits of rates and the Python client of LLM observability', () => {
  it('lose nothing of what it writes', async function () {
    this.timeout(journeyLimitMs + 60_000);
    if (!existsSync(python)) return pendingUnlessAll(this, 'no Python client');
    const server = await startServer({
      storage: 'embedded',
      env: {
        ORRERY_RATE_LIMITS: 'true',
        ORRERY_RATE_USER_EVENTS_PER_MINUTE: '240',
        ORRERY_RATE_WORKSPACE_EVENTS_PER_MINUTE: '240',
      },
    });
    if ('missing' in server) throw new Error(server.missing);
    try {
      const { broken } = await goThrough(python, join(clients, 'opik-python', 'limits.py'), {
        PYTHONPATH: join(clients, 'python', 'journeys'),
        OPIK_URL_OVERRIDE: `${server.url}/api`,
        OPIK_API_KEY: server.apiKey,
        OPIK_WORKSPACE: server.workspace,
        OPIK_ANALYTICS_ENABLE: 'false',
        OPIK_SENTRY_ENABLE: 'false',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      });
      expect(broken.join('\n')).to.equal('');
      // It was held back, or this shows nothing.
      const figures = await (
        await fetch(`${server.url}/metrics`, { headers: { Authorization: server.apiKey } })
      ).text();
      expect(figures).to.match(/status="429"/);
    } finally {
      await server.stop();
    }
  });
});
