// What it takes to merge the small chunks that runs leave behind: as many series a second must be merged as a site's runs end with.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { postgresStorage } from '#adapters/storage/postgres/open';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { addExperiment, point } from '#test/contract/storage/builders';
import { atMost, round, type Line } from './line.js';
import { countStatements } from './statements.js';

const [series, chunks, points] = [10, 12, 50] as const;

export const mergesLine: Line = {
  name: 'merges',
  async run({ quick }) {
    const folder = await mkdtemp(join(tmpdir(), 'orrery-bench-'));
    const log = systemLog('silent');
    const embedded = await startEmbedded({ folder: join(folder, 'postgres'), log });
    const storage = postgresStorage(
      { connection: embedded.connection, poolSize: 4 },
      { clock: systemClock, ids: systemIds, log, meters: promMeters() },
    );
    try {
      await storage.migrations.up();
      const runs: string[] = [];
      for (let run = 0; run < (quick ? 20 : 100); run++) {
        const { id } = await addExperiment(storage);
        runs.push(id);
        for (let chunk = 0; chunk < chunks; chunk++)
          await storage.stores.metrics.append({
            experimentId: id,
            receivedAt: systemClock.now(),
            points: Array.from({ length: series * points }, (_, at) =>
              point({ name: `metric_${at % series}`, text: String(at / 7), step: chunk * 50 + at }),
            ),
          });
        await storage.stores.metrics.queueCompaction([id]);
      }
      const sent = countStatements();
      const merge = storage.jobs.find(({ name }) => name === 'merge-chunks');
      const [startedAt, used] = [performance.now(), process.cpuUsage()];
      await merge?.run(new AbortController().signal);
      const tookMs = performance.now() - startedAt;
      const { user, system } = process.cpuUsage(used);
      const merged = runs.length * series;
      const { statements, turns } = sent();
      return [
        {
          what: `statements for each series that is merged`,
          value: round(statements / merged),
          sides: `${merged} series of ${chunks} chunks of ${points} points, ${series} of each run, in ${round(turns / merged)} turns each; ${round((merged * 1000) / tookMs, 0)} series/s, ${round((user + system) / 1000 / merged)} ms of this process each`,
          held: atMost(3, statements / merged),
        },
      ];
    } finally {
      await storage.close();
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
