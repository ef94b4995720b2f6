// Listeners of two processes on one database, and after a restart.
import { expect } from 'chai';
import { makeDatabase, type TestDatabase } from '#test/servers/databases';
import { findServer } from '#test/servers/servers';
import { pendingUnlessAll } from '#test/pending';
import { readEvents, type EventReader } from '#test/api/event-reader';
import { callJson, createExperiment, mortalServer, type MortalServer } from './server.js';

const write = '/api/rest/v2/write';

const logPoint = (server: MortalServer, experimentKey: string) =>
  callJson(server, `${write}/experiment/metric`, {
    experimentKey,
    metricName: 'loss',
    metricValue: '1',
  });
const projectOf = async (server: MortalServer, experimentKey: string): Promise<string> =>
  String(
    (await callJson(server, `/api/rest/v2/experiment/metadata?experimentKey=${experimentKey}`))
      .body['projectId'],
  );

describe('listeners', function () {
  this.timeout(90_000);
  const readers: EventReader[] = [];
  const listen = async (
    server: MortalServer,
    project: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader> => {
    const reader = await readEvents(`${server.url}/v1/private/ui/events?project=${project}`, {
      authorization: server.key,
      ...headers,
    });
    readers.push(reader);
    await reader.until(({ event }) => event === 'ready');
    return reader;
  };
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  for (const kind of ['postgres', 'mysql'] as const)
    describe(`of two processes on ${kind}`, () => {
      let database: TestDatabase | undefined;
      const servers: MortalServer[] = [];

      before(`start two servers on ${kind}`, async function () {
        const found = await findServer(kind);
        if ('missing' in found) return pendingUnlessAll(this, found.missing);
        database = await makeDatabase(found.url);
        for (let i = 0; i < 2; i++)
          servers.push(
            await mortalServer({
              ORRERY_STORAGE: kind,
              [`ORRERY_${kind.toUpperCase()}_URL`]: database.url,
            }),
          );
        await Promise.all(servers.map((server) => server.start()));
      });
      after(async () => {
        for (const server of servers) await server.destroy();
        await database?.remove();
      });

      it('hear within a second of what the other process stored', async () => {
        const [one, two] = servers as [MortalServer, MortalServer];
        const run = await createExperiment(one);
        const reader = await listen(two, await projectOf(one, run));
        const waits: number[] = [];

        for (let i = 0; i < 5; i++) {
          const made = await createExperiment(one);
          await logPoint(one, made);
          const stored = performance.now();
          await reader.until(({ event, data }) => event === 'points' && data['run'] === made);
          waits.push(performance.now() - stored);
        }

        // The machine may be busy with other tests: it is the way that is measured, not the machine.
        expect(Math.min(...waits), waits.map(Math.round).join(' ')).to.be.below(1000);
      });

      it('hear at another process what they missed at one that was killed', async () => {
        const [one, two] = servers as [MortalServer, MortalServer];
        const run = await createExperiment(one);
        const project = await projectOf(one, run);
        const reader = await listen(two, project);
        const seen = await createExperiment(one);
        const { id } = await reader.until(({ data }) => data['run'] === seen);
        await two.kill(false);
        await reader.end();
        const missed = await createExperiment(one);

        const again = await listen(one, project, { 'last-event-id': id });

        await again.until(({ event, data }) => event === 'run' && data['run'] === missed);
        await two.start();
      });
    });

  describe('of one process', () => {
    let server: MortalServer;
    beforeEach(async () => {
      server = await mortalServer();
      await server.start();
    });
    afterEach(() => server.destroy());

    it('are ended when it stops, and hear afterwards what they missed', async () => {
      const run = await createExperiment(server);
      const project = await projectOf(server, run);
      const reader = await listen(server, project);
      const seen = await createExperiment(server);
      const { id } = await reader.until(({ data }) => data['run'] === seen);
      const last = logPoint(server, seen);
      await last;
      reader.close();
      const open = await listen(server, project);
      const begun = performance.now();

      const code = await server.stop();

      expect(code).to.equal(0);
      expect(performance.now() - begun).to.be.below(8000);
      expect(open.isOver()).to.equal(true);
      await server.start();
      const again = await listen(server, project, { 'last-event-id': id });
      await again.until(({ event, data }) => event === 'points' && data['run'] === seen);
      expect(again.events.some(({ event }) => event === 'resync')).to.equal(false);
    });
  });
});
