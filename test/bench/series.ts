// Curves at any zoom: of a very long series, of many long ones, and of many that clients have logged, all asked for as a page asks.
import { encodePacked } from '#adapters/storage/sql/metrics/codec';
import { chunkPoints, insertChunks, type ChunkRow } from '#adapters/storage/sql/metrics/chunks';
import type { Columns } from '#adapters/storage/sql/metrics/points';
import {
  extendRollups,
  measureChunk,
  pageSpans,
  type Measured,
} from '#adapters/storage/sql/metrics/rollups';
import { findEnds } from '#adapters/storage/sql/metrics/runs';
import { seriesIdOf } from '#adapters/storage/sql/metrics/series-ids';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { atMost, median, quantile, round, type Figure, type Line } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';
import { logLongMetric, openStore, timeEach, waitUntilMerged } from './store.js';

const path = '/v1/private/ui/series';

/** The points of a full chunk: one a step and ten a second. */
const chunkAt = (firstIndex: number, noise: Float64Array): Columns => {
  const index = Float64Array.from({ length: chunkPoints }, (_, at) => firstIndex + at);
  return {
    values: index.map((at, i) => Math.exp(-at / 2e7) + noise[(firstIndex / 7 + i) & 0xffff]! / 50),
    timestamps: index.map((at) => 1_700_000_000_000 + at * 100),
    steps: index,
    epochs: new Float64Array(chunkPoints).fill(NaN),
    texts: new Map(),
  };
};

/** Writes a series as compaction leaves it, a page at a time. Of chunks before `from`, which nobody will read, only the pages. */
export const fillSeries = async (
  { connection: { db, dialect } }: SqlStorage,
  experimentId: string,
  name: string,
  { chunks, from = 0 }: { readonly chunks: number; readonly from?: number },
): Promise<void> => {
  const seriesId = seriesIdOf(name, undefined);
  const noise = Float64Array.from({ length: 0x10000 }, (_, i) =>
    Math.fround((Math.sin(i * 12.9898) * 43758.5453) % 1),
  );
  for (let page = 0; page < chunks; page += pageSpans) {
    const [rows, measured]: [ChunkRow[], Measured[]] = [[], []];
    for (let at = page; at < Math.min(chunks, page + pageSpans); at++) {
      const firstIndex = at * chunkPoints;
      const slices = [{ columns: chunkAt(firstIndex, noise), from: 0, to: chunkPoints }];
      const bytes = at >= from ? encodePacked(slices) : Buffer.alloc(4);
      measured.push(measureChunk(firstIndex, bytes, slices));
      if (at >= from)
        rows.push({
          experimentId,
          seriesId,
          firstIndex,
          n: chunkPoints,
          ends: findEnds(slices),
          bytes,
          packed: true,
        });
    }
    for (let at = 0; at < rows.length; at += 128)
      await insertChunks(db, dialect, rows.slice(at, at + 128));
    await extendRollups(db, dialect, { experimentId, seriesId }, measured);
  }
  const last = {
    value: 0.5,
    step: chunks * chunkPoints - 1,
    time: 1_700_000_000_000 + chunks * chunkPoints * 100,
  };
  await db('series').insert({
    experiment_id: experimentId,
    series_id: seriesId,
    name,
    n: chunks * chunkPoints,
    loose: 0,
    last_text: String(last.value),
    ...Object.fromEntries(
      ['min', 'max', 'last'].flatMap((end) => [
        [`${end}_value`, last.value],
        [`${end}_step`, last.step],
        [`${end}_time`, last.time],
      ]),
    ),
  });
};

const experimentIdOf = async ({ stores }: SqlStorage, key: string): Promise<string> =>
  (await stores.experiments.findByKey(key))?.id ?? '';

interface Asked {
  readonly runs: readonly string[];
  readonly metrics: readonly string[];
  readonly buckets?: number;
  readonly from?: number;
  readonly to?: number;
  readonly x?: string;
}
const ask = async ({ url, apiKey }: BenchServer, body: Asked): Promise<number> => {
  const reply = await fetch(`${url}${path}/binary`, {
    method: 'POST',
    headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const bytes = await reply.arrayBuffer();
  if (reply.status !== 200)
    throw new Error(
      `a curve answered ${reply.status}: ${Buffer.from(bytes).toString().slice(0, 300)}`,
    );
  return bytes.byteLength;
};

/** How long a read takes from request to reply, after one that is not counted, and what it costs the processor. */
const measure = async (
  server: BenchServer,
  { what, bound, sides }: { readonly what: string; readonly bound: number; readonly sides: string },
  many: number,
  read: (i: number) => Promise<unknown>,
): Promise<Figure> => {
  const [first = 0] = await timeEach(1, () => read(many));
  const before = server.usedMs();
  const times = await timeEach(many, read);
  const after = server.usedMs();
  const used = (of: 'server' | 'database') => round((after[of] - before[of]) / many, 0);
  return {
    what,
    value: `${round(quantile(times, 0.95), 0)} ms`,
    sides: `95 of 100 of ${many}; median ${round(median(times), 0)} ms, the first ${round(first, 0)} ms; server ${used('server')} ms, database ${used('database')} ms of processor; ${sides}`,
    held: atMost(bound, quantile(times, 0.95), 'ms'),
  };
};

const zooms = [
  1, 0.3, 0.1, 0.03, 0.01, 0.008, 0.005, 0.003, 0.002, 0.001, 0.0001, 0.00001,
] as const;

export const zoomLine: Line = {
  name: 'zoom',
  run: ({ quick }) =>
    withServer(async (server) => {
      const chunks = Math.ceil((quick ? 1e7 : 1e8) / chunkPoints);
      const [key = ''] = await makeExperiments(server, 1);
      const storage = await openStore(server);
      await fillSeries(storage, await experimentIdOf(storage, key), 'long', { chunks });
      await storage.connection.db.raw('vacuum analyze chunks');
      await storage.connection.db.raw('vacuum analyze rollups');
      const points = chunks * chunkPoints;
      const figures: Figure[] = [];
      for (const buckets of [600, 2000])
        for (const zoom of zooms) {
          const read = (i: number) => {
            const from = Math.floor(((i * 0.137) % 1) * points * (1 - zoom));
            const body = {
              runs: [key],
              metrics: ['long'],
              buckets,
              from,
              to: from + points * zoom,
            };
            return ask(server, body);
          };
          const what = `${round((points * zoom) / 1e6, 3)} of ${round(points / 1e6, 0)} million points, ${buckets} buckets`;
          const sides = 'one metric of one run, any place';
          figures.push(await measure(server, { what, bound: 100, sides }, quick ? 10 : 20, read));
        }
      await storage.close();
      return figures;
    }),
};

export const curvesLine: Line = {
  name: 'curves',
  run: ({ quick }) =>
    withServer(async (server) => {
      const runs = await makeExperiments(server, 20);
      const storage = await openStore(server);
      const chunks = Math.ceil((quick ? 2e6 : 1e7) / chunkPoints);
      for (const key of runs)
        await fillSeries(storage, await experimentIdOf(storage, key), 'long', {
          ...{ chunks, from: chunks },
        });
      const long = () => ask(server, { runs, metrics: ['long'] });
      const figures = [
        await measure(
          server,
          {
            what: `20 runs of ${round((chunks * chunkPoints) / 1e6, 0)} million points`,
            bound: 250,
            sides: '600 buckets each, the whole curve; pages of rollups alone are filled',
          },
          20,
          long,
        ),
      ];
      await storage.close();
      return figures;
    }),
};

export const loggedCurvesLine: Line = {
  name: 'logged-curves',
  run: ({ quick }) =>
    withServer(async (server) => {
      const runs = await makeExperiments(server, 20);
      for (const key of runs) await logLongMetric(server, key, 50_000);
      const read = () => ask(server, { runs, metrics: ['long'] });
      const many = quick ? 20 : 100;
      const sides = '600 buckets each, as bytes over HTTP';
      const figures = [
        await measure(
          server,
          { what: '20 runs of 50,000 points as they were logged', bound: 60, sides },
          many,
          read,
        ),
      ];
      const db = await server.openDatabase();
      await waitUntilMerged(db);
      await db.destroy();
      figures.push(
        await measure(
          server,
          { what: '20 runs of 50,000 points once merged', bound: 60, sides },
          many,
          read,
        ),
      );
      return figures;
    }),
};
