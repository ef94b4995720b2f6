// What nobody in particular may do: however often it is asked, the audit log does not grow with it.
import { expect } from 'chai';
import { openStorage } from '#config/opening';
import { loadSettings } from '#config/load';
import { anonymousOperations, claimPages } from '#plugins/anonymous-mode/rows';
import type { Operation } from '#ports/api/operation';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { findFreePort } from '#test/servers/launch';
import { providerClient, startProvider, type TestProvider } from '#test/servers/oidc';
import { startServer, type StartedServer } from '#test/clients/server';
import { inputFor } from './building.js';
import { isRestricted, pathsOf, rows } from './rows.js';
import { send } from './sending.js';
import { mayCallNowhere } from './fresh.js';
import { makePeople } from './people.js';
import { makeWorld, type World } from './world.js';

const open: readonly (readonly [string, Operation])[] = [
  ...rows.map(({ id, operation }) => [id, operation] as const),
  ...Object.entries<Operation>({ ...anonymousOperations, ...claimPages }),
].filter(([, operation]) => !isRestricted(operation));
const timesEach = 25;

describe('requests of strangers', function () {
  this.timeout(180_000);
  let server: StartedServer;
  let provider: TestProvider;
  let storage: SqlStorage;
  let close: () => Promise<void>;
  let world: World;
  before(async () => {
    const port = await findFreePort();
    const started = await startServer({
      storage: 'embedded',
      env: {
        ...mayCallNowhere,
        ORRERY_AUTH: 'oidc',
        ORRERY_OIDC_ISSUER: `http://127.0.0.1:${port}`,
        ORRERY_OIDC_CLIENT_ID: providerClient.clientId,
        ORRERY_OIDC_CLIENT_SECRET: providerClient.clientSecret,
        ORRERY_SIGN_UP: 'on',
        ORRERY_TOGGLE_ANONYMOUS_MODE: 'on',
        ORRERY_LOG_LEVEL: 'error',
      },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    provider = await startProvider({
      port,
      returnUrl: `${server.url}/login/oidc/return`,
      afterSignOut: `${server.url}/login`,
    });
    const { home, supplies } = await makePeople(server);
    world = await makeWorld(server.url, home, { supplies, slow: false });
    const opened = await openStorage(loadSettings(server.settings), false);
    ({ storage } = opened);
    close = async () => {
      await opened.storage.close();
      await opened.stop();
    };
  });
  after(async () => {
    await close?.();
    await provider?.stop();
    await server?.stop();
  });

  const entries = async (): Promise<number> =>
    Number((await storage.connection.db('audit').count({ n: '*' }))[0]?.['n'] ?? 0);
  /** Asks one row often, from one address, with what it takes and with a way that leads to the provider; how many entries that made. */
  const growthOf = async (id: string, operation: Operation): Promise<number> => {
    const before = await entries();
    for (let i = 0; i < timesEach; i++) {
      const input = inputFor(id, operation, world.copy(), {
        with:
          'params' in operation && pathsOf(operation).some((path) => path.includes('{way}'))
            ? { 'params.way': 'oidc' }
            : {},
      });
      await send(server.url, operation.method, pathsOf(operation)[0] ?? '', input);
    }
    return (await entries()) - before;
  };

  it('fill no audit log: what they write is counted by address, or proved', async () => {
    const walk = async (): Promise<Readonly<Record<string, number>>> => {
      const grown: Record<string, number> = {};
      for (const [id, operation] of open) {
        const growth = await growthOf(id, operation);
        if (growth > 0) grown[id] = growth;
      }
      return grown;
    };
    const sum = (grown: Readonly<Record<string, number>>): number =>
      Object.values(grown).reduce((all, one) => all + one, 0);

    const [first, second] = [await walk(), await walk()];

    expect(sum(first), JSON.stringify(first)).to.be.lessThan(90);
    expect(sum(second), JSON.stringify(second)).to.be.lessThan(12);
  });

  it('are to no row that is audited by itself', () => {
    expect(open.filter(([, { audit }]) => audit === true).map(([id]) => id)).to.deep.equal([]);
  });
});
