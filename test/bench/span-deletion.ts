// A project with many spans is deleted while others log theirs.
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, quantile, round, type Line } from './line.js';
import { withServer, type BenchServer } from './server.js';
import { fillSpans, openTraced } from './spans-fill.js';
import { loadSpans } from './spans.js';

const doomed = 'bench';
/** What is marked rests for ten seconds before anything of it is removed. */
const restMs = 11_000;

/** The greatest memory of a server while something is done, in MB. */
const watchMemory = async (server: BenchServer, work: () => Promise<void>): Promise<number> => {
  let most = server.residentMb();
  const watch = setInterval(() => {
    most = Math.max(most, server.residentMb());
  }, 100);
  await work().finally(() => {
    clearInterval(watch);
  });
  return most;
};

export const spanDeletionLine: Line = {
  name: 'span-deletion',
  run: ({ quick }) =>
    withServer(async (server) => {
      const count = quick ? 100_000 : 1_000_000;
      const { db, projectId } = await openTraced(server, doomed);
      await fillSpans(db, projectId, 0, count);
      const countLeft = async (): Promise<number> =>
        Number(
          (await db('spans').where({ project_id: projectId }).count({ n: '*' }))[0]?.['n'] ?? 0,
        );
      const seconds = quick ? 8 : 20;
      // Half of what the server takes: a full one would tell of its queue.
      const log = () => loadSpans(server, { seconds, clients: 2, project: 'others' });
      await loadSpans(server, { seconds: 3, clients: 2, project: 'others' });
      const before = await log();
      const memoryBefore = server.residentMb();
      const startedAt = performance.now();
      await server.call('POST', '/v1/private/projects/delete', { ids: [projectId] });
      const answered = performance.now() - startedAt;
      await wait(restMs);
      let [during, left] = [before, 0];
      const memory = await watchMemory(server, async () => {
        during = await log();
        left = await countLeft();
        while ((await countLeft()) > 0) await wait(500);
      });
      const took = (performance.now() - startedAt) / 1000;
      await db.destroy();
      const [calm, busy] = [quantile(before.times, 0.95), quantile(during.times, 0.95)];
      const spans = count.toLocaleString('en');
      return [
        {
          what: `p95 of logging spans while ${spans} of a project go, over none`,
          value: round(busy / calm),
          held: atMost(1.5, busy / calm),
          sides: `${round(busy, 1)} ms over ${round(calm, 1)} ms; answered in ${round(answered, 0)} ms, all gone after ${round(took, 0)} s, ${left.toLocaleString('en')} were left when the load ended`,
        },
        {
          what: `memory more while ${spans} spans go`,
          value: round(memory - memoryBefore, 0),
          held: atMost(100, memory - memoryBefore, 'MB'),
          sides: `${round(memory, 0)} over ${round(memoryBefore, 0)} MB`,
        },
      ];
    }),
};
