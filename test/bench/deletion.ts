// A large project is deleted while others log.
import { setTimeout as wait } from 'node:timers/promises';
import { batchPath, prepareBatches } from './batches.js';
import { fillProject } from './listing.js';
import { atMost, quantile, round, type Line } from './line.js';
import { runLoad } from './load.js';
import { makeExperiments, withServer } from './server.js';

export const deletionLine: Line = {
  name: 'deletion',
  run: ({ quick }) =>
    withServer(async (server) => {
      const count = quick ? 2500 : 25_000;
      const [key = ''] = await makeExperiments(server, 1, 'doomed');
      const db = await server.openDatabase();
      await fillProject(db, key, count);
      const keys = await makeExperiments(server, 8);
      const clients = prepareBatches(
        { path: batchPath, apiKey: server.apiKey },
        keys,
        { series: 4, points: 25 },
        8,
      );
      const seconds = quick ? 8 : 20;
      const run = () => runLoad({ port: server.port, clients, seconds });
      await runLoad({ port: server.port, clients, seconds: 3 });
      const before = await run();
      const [row] = (await db('projects').where({ name: 'doomed' }).select('id')) as readonly {
        readonly id: string;
      }[]; // the column named
      const startedAt = performance.now();
      await server.call('POST', '/api/rest/v2/write/project/delete', {
        projectId: row?.id,
        deleteAllExperiments: true,
      });
      const answered = performance.now() - startedAt;
      await wait(11_000); // what was marked rests for ten seconds
      const during = await run();
      const left = Number(
        (await db('experiments').whereNotNull('deleted_at').count({ n: '*' }))[0]?.['n'] ?? 0,
      );
      for (let at = left; at > 0; await wait(500))
        at = Number(
          (await db('experiments').whereNotNull('deleted_at').count({ n: '*' }))[0]?.['n'] ?? 0,
        );
      const took = (performance.now() - startedAt) / 1000;
      await db.destroy();
      const [calm, busy] = [quantile(before.times, 0.95), quantile(during.times, 0.95)];
      return [
        {
          what: `p95 of logging while ${count.toLocaleString('en')} experiments go, over none`,
          value: round(busy / calm),
          held: atMost(1.5, busy / calm),
          sides: `${round(busy, 1)} ms over ${round(calm, 1)} ms; answered in ${round(answered, 0)} ms, all gone after ${round(took, 0)} s, ${left.toLocaleString('en')} were left when the load ended`,
        },
      ];
    }),
};
