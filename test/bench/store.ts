// What is stored: how many acknowledgements share a sync, how small points become, how fast a long series is summed up.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { postgresStorage } from '#adapters/storage/postgres/open';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { promMeters } from '#adapters/system/meters';
import { batchPath, prepareBatches } from './batches.js';
import { runLoad } from './load.js';
import { atLeast, atMost, median, quantile, round, type Line } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

/** How often this disk syncs one block in a row, per second. */
const measureSyncs = (folder: string, ms: number): number => {
  const file = join(folder, 'syncs');
  const opened = openSync(file, 'w');
  const block = Buffer.alloc(8192, 1);
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < ms; count++) {
    writeSync(opened, block, 0, block.length, 0);
    fdatasyncSync(opened);
  }
  closeSync(opened);
  rmSync(file);
  return (count * 1000) / ms;
};

/** Syncs of its log that the database has made so far. */
const countLogSyncs = async (db: Knex): Promise<number> => {
  const { rows } = (await db.raw(
    "select coalesce(sum(fsyncs), 0)::float8 as n from pg_stat_io where object = 'wal'",
  )) as { readonly rows: readonly { readonly n: number }[] }; // one row of one column
  return rows[0]?.n ?? 0;
};

const writers = 64;

export const acknowledgementsLine: Line = {
  name: 'acknowledgements',
  run: ({ quick }) =>
    withServer(async (server) => {
      const db = await server.openDatabase();
      const clients = prepareBatches(
        { path: batchPath, apiKey: server.apiKey },
        await makeExperiments(server, writers),
        { series: 1, points: 1 },
        8,
      );
      const load = { port: server.port, clients, seconds: quick ? 3 : 10 };
      await runLoad({ ...load, seconds: 2 });
      const [rawBefore, syncsBefore] = [measureSyncs(server.folder, 1000), await countLogSyncs(db)];
      const { requests, perSecond } = await runLoad(load);
      await wait(1500); // a backend tells of its syncs within a second of its last work
      const [rawAfter, syncs] = [
        measureSyncs(server.folder, 1000),
        (await countLogSyncs(db)) - syncsBefore,
      ];
      await db.destroy();
      const raw = (rawBefore + rawAfter) / 2;
      const value = requests / syncs;
      return [
        {
          what: `${writers} writers of one point, acknowledgements a sync`,
          value: round(value, 1),
          held: atLeast(6, value),
          sides: `${requests} over ${syncs} syncs of the database's log; ${round(perSecond, 0)}/s over ${round(raw, 0)} raw fdatasync/s is ${round(perSecond / raw, 1)}`,
        },
      ];
    }),
};

const curve = { series: 4, points: 250 };

/** Logs one long run as a client does, and ends when everything is merged. */
const logLongRun = async (server: BenchServer, key: string, batches: number): Promise<void> => {
  const [requests = []] = prepareBatches(
    { path: batchPath, apiKey: server.apiKey },
    [key],
    curve,
    batches,
  );
  await runLoad({ port: server.port, clients: [requests], requests: batches, seconds: 600 });
};
/** Waits until the chunks of every series are full ones. */
export const waitUntilMerged = async (db: Knex): Promise<void> => {
  await db.raw(
    'insert into compactions (experiment_id, series_id, at) select experiment_id, series_id, 0 from series where loose > 1 on conflict do nothing',
  );
  for (let left = 1; left > 0; await wait(200))
    left = Number((await db('compactions').count({ n: '*' }))[0]?.['n'] ?? 0);
};

export const sizeLine: Line = {
  name: 'size',
  run: ({ quick }) =>
    withServer(async (server) => {
      const batches = quick ? 60 : 400;
      const [key = ''] = await makeExperiments(server, 1);
      await logLongRun(server, key, batches);
      const db = await server.openDatabase();
      await waitUntilMerged(db);
      await db.raw('vacuum full chunks');
      const { rows } = (await db.raw(
        "select pg_total_relation_size('chunks')::float8 as bytes, (select sum(n) from chunks)::float8 as points",
      )) as { readonly rows: readonly { readonly bytes: number; readonly points: number }[] }; // one row of the columns named
      await db.destroy();
      const { bytes, points } = rows[0] ?? { bytes: 0, points: 0 };
      return [
        {
          what: 'bytes a point once merged',
          value: round(bytes / points),
          sides: `${bytes} bytes of table, index and long values, ${points} points of ${curve.series} curves with 16 digits`,
          held: atMost(9, bytes / points),
        },
      ];
    }),
};

/** A store over a server's own database, in this process. */
export const openStore = async (server: BenchServer) => {
  const { connection } = await startEmbedded({
    folder: join(server.folder, 'postgres'),
    log: systemLog('silent'),
    attachOnly: true,
  });
  return postgresStorage(
    { connection, poolSize: 2 },
    { clock: systemClock, ids: systemIds, log: systemLog('silent'), meters: promMeters() },
  );
};

/** Times of something done one after another, in ms. */
export const timeEach = async (
  times: number,
  work: (i: number) => Promise<unknown>,
): Promise<readonly number[]> => {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    await work(i);
    taken.push(performance.now() - startedAt);
  }
  return taken;
};

/** Logs so many points of one metric, a thousand a request. */
export const logLongMetric = async (
  server: BenchServer,
  key: string,
  points: number,
): Promise<void> => {
  const [requests = []] = prepareBatches(
    { path: batchPath, apiKey: server.apiKey },
    [key],
    { series: 1, points: 1000 },
    Math.min(50, points / 1000),
    () => 'long',
  );
  await runLoad({ port: server.port, clients: [requests], requests: points / 1000, seconds: 600 });
};

export const summaryLine: Line = {
  name: 'summary',
  run: ({ quick }) =>
    withServer(async (server) => {
      const points = quick ? 100_000 : 1_000_000;
      const [key = ''] = await makeExperiments(server, 1);
      await logLongMetric(server, key, points);
      const storage = await openStore(server);
      const experiment = await storage.stores.experiments.findByKey(key);
      const path = `/api/rest/v2/experiment/metrics/summary?experimentKey=${key}`;
      for (const read of [
        () => storage.stores.metrics.listSeries(experiment?.id ?? ''),
        () => server.call('GET', path),
      ])
        await timeEach(50, read);
      const store = await timeEach(300, () =>
        storage.stores.metrics.listSeries(experiment?.id ?? ''),
      );
      const http = await timeEach(300, () => server.call('GET', path));
      await storage.close();
      return [
        {
          what: `summary of ${points.toLocaleString('en')} points, ms`,
          value: round(median(store)),
          sides: `median of the store; over HTTP ${round(median(http))}, p95 ${round(quantile(http, 0.95))}`,
          held: atMost(2, median(store)),
        },
      ];
    }),
};
