// What monitored models cost: taking events in, keeping them, and asking of them.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { systemParquet } from '#adapters/system/parquet';
import { uploadApart } from './monitoring-upload.js';
import { memoryWithin } from './processes.js';
import { atLeast, atMost, mebibyte, median, quantile, round, type Line } from './line.js';
import { withServer, type BenchServer } from './server.js';
import { timeEach } from './store.js';

const features = 50;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Numbers that are always the same, and look like chance. */
const chance = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

const regions = ['eu', 'us-east', 'us-west', 'ap'];
/** One feature of the fifty: numbers with many digits, few different ones, and texts. */
const valueOf = (feature: number, random: () => number): number | string =>
  feature % 10 === 0
    ? (regions[Math.floor(random() * regions.length)] ?? '')
    : feature % 3 === 0
      ? Math.floor(random() * 100)
      : random() * 1000;

interface Batch {
  readonly model: string;
  readonly number: number;
  readonly events: number;
  readonly from: number;
  readonly spanMs: number;
}
const eventsOf = ({ number, events, from, spanMs }: Batch) => {
  const random = chance(number + 1);
  return Array.from({ length: events }, (_, at) => ({
    predictionId: `p${number}-${at}`,
    timestamp: from + Math.floor((spanMs * at) / events),
    features: Object.fromEntries(
      Array.from({ length: features }, (__, feature) => [`f${feature}`, valueOf(feature, random)]),
    ),
    prediction: { value: random() < 0.5 ? 'yes' : 'no', probability: random() },
  }));
};
const bodyOf = (server: BenchServer, batch: Batch): string => {
  const names = { workspaceName: server.workspace, modelName: batch.model, modelVersion: '1' };
  return JSON.stringify({ data: eventsOf(batch).map((event) => ({ ...names, ...event })) });
};

const post = async (server: BenchServer, path: string, body: string): Promise<unknown> => {
  const reply = await fetch(server.url + path, {
    method: 'POST',
    headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
    body,
  });
  const text = await reply.text();
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${text}`);
  return JSON.parse(text);
};
const send = (server: BenchServer, batch: Batch) =>
  post(server, '/mpm/v2/events/batch', bodyOf(server, batch));

/** The same for what is answered, of which no object is made here: that would take as long as answering it. */
const drain = async (server: BenchServer, path: string, asked: object): Promise<number> => {
  const reply = await fetch(server.url + path, {
    method: 'POST',
    headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const { byteLength } = await reply.arrayBuffer();
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}`);
  return byteLength;
};

const modelIdOf = async (server: BenchServer, name: string): Promise<string> => {
  const { workspaces } = (await server.call('GET', '/api/mpm/v3/workspaces')) as {
    readonly workspaces: readonly {
      readonly models: readonly { readonly modelId: string; readonly modelName: string }[];
    }[];
  }; // that row's reply
  return (
    workspaces.flatMap(({ models }) => models).find(({ modelName }) => modelName === name)
      ?.modelId ?? ''
  );
};

/** Batches of one model each, so that clients do not wait for each other, sent by several at once. */
export const monitoringIngestLine: Line = {
  name: 'monitoring-ingest',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [clients, each, size] = [4, quick ? 10 : 50, 1000];
      const now = Date.now();
      const bodies = Array.from({ length: clients }, (_, client) =>
        Array.from({ length: each }, (__, at) =>
          bodyOf(server, {
            model: `m${client}`,
            number: client * each + at,
            events: size,
            from: now - hourMs,
            spanMs: hourMs / 2,
          }),
        ),
      );
      const before = server.usedMs();
      const startedAt = performance.now();
      await Promise.all(
        bodies.map(async (own) => {
          for (const body of own) await post(server, '/mpm/v2/events/batch', body);
        }),
      );
      const seconds = (performance.now() - startedAt) / 1000;
      const after = server.usedMs();
      const perSecond = (clients * each * size) / seconds;
      return [
        {
          what: `monitored events a second, ${size} × ${features} features a batch`,
          value: round(perSecond, 0),
          sides: `${clients} clients, ${round((after.server - before.server) / (clients * each), 0)} ms of the server and ${round((after.database - before.database) / (clients * each), 0)} ms of the database a batch`,
          held: atLeast(10_000, perSecond),
        },
      ];
    }),
};

async function* partsOf(batches: readonly Batch[]) {
  await Promise.resolve();
  for (const batch of batches) {
    const events = eventsOf(batch);
    yield [
      events.map(({ timestamp }) => timestamp),
      events.map(({ predictionId }) => predictionId),
      events.map(() => '1'),
      ...Array.from({ length: features }, (_, feature) =>
        events.map((event) => event.features[`f${feature}`] ?? null),
      ),
      events.map(({ prediction }) => prediction.value),
      events.map(({ prediction }) => prediction.probability),
    ];
  }
}
const parquetBytes = async (batches: readonly Batch[]): Promise<number> => {
  const columns = [
    { name: 'timestamp', type: 'number' as const },
    { name: 'predictionId', type: 'text' as const },
    { name: 'version', type: 'text' as const },
    ...Array.from({ length: features }, (_, feature) => ({
      name: `f${feature}`,
      type: feature % 10 === 0 ? ('text' as const) : ('number' as const),
    })),
    { name: 'value', type: 'text' as const },
    { name: 'probability', type: 'number' as const },
  ];
  let bytes = 0;
  for await (const part of systemParquet.write(columns, partsOf(batches))) bytes += part.length;
  return bytes;
};

export const monitoringReadsLine: Line = {
  name: 'monitoring-reads',
  run: ({ quick }) =>
    withServer(async (server) => {
      const days = 90;
      const now = Math.floor(Date.now() / dayMs) * dayMs;
      const size = quick ? 1000 : 5000;
      const batches = Array.from({ length: days }, (_, at) => ({
        model: 'm',
        number: at,
        events: size,
        from: now - (days - at) * dayMs,
        spanMs: dayMs,
      }));
      for (const batch of batches) await send(server, batch);
      const modelId = await modelIdOf(server, 'm');
      const [from, to] = [now - days * dayMs, now].map((at) => new Date(at).toISOString());
      const drift = (feature: number) =>
        drain(server, '/api/mpm/v2/features/drift', {
          ...{ modelId, from, to, intervalType: 'HOURLY', algorithmType: 'PSI' },
          ...{ name: `f${feature}`, source: 'model_input_features' },
        });
      const bytes = await drift(0);
      const driftOfAll = async (): Promise<void> => {
        for (let feature = 0; feature < features; feature++) await drift(feature);
      };
      const [first = 0] = await timeEach(1, driftOfAll);
      const before = server.usedMs();
      const passes = 3;
      const taken = await timeEach(passes, driftOfAll);
      const after = server.usedMs();
      const sql = (cometSql: string) =>
        server.call('POST', '/api/mpm/v2/custom-metrics/query', {
          ...{ modelId, from, to, intervalType: 'DAILY', cometSql },
        });
      const metric = await timeEach(3, () =>
        sql("SELECT avg(feature_f1) FROM model WHERE feature_f0 = 'eu'"),
      );
      const tenMillion = (median(metric) * 10_000_000) / (days * size);
      const db = await server.openDatabase();
      const { rows } = (await db.raw(
        'select sum(octet_length(content))::float8 as bytes from (select content from p_monitoring_frames union all select content from p_monitoring_columns) as all_of_them',
      )) as { readonly rows: readonly { readonly bytes: number }[] }; // one row of that column
      await db.destroy();
      const [ours, theirs] = [rows[0]?.bytes ?? 0, await parquetBytes(batches)];
      return [
        {
          what: `drift of ${features} features, ${days} days by hour, ms`,
          value: round(median(taken), 0),
          sides: `${features} requests one after another over sums of ${days * size} events, ${round(first, 0)} ms the first time, ${round((features * bytes) / mebibyte)} MB; ${round((after.server - before.server) / passes, 0)} ms of the server and ${round((after.database - before.database) / passes, 0)} ms of the database`,
          held: atMost(300, median(taken), 'ms'),
        },
        {
          what: 'a metric in SQL over 10 million events, ms',
          value: round(tenMillion, 0),
          sides: `${round(median(metric), 0)} ms over ${days * size}, in proportion`,
          held: atMost(2000, tenMillion, 'ms'),
        },
        {
          what: 'bytes of raw events, of the same as Parquet',
          value: round(ours / theirs),
          sides: `${round(ours / mebibyte)} MB in frames, ${round(theirs / mebibyte)} MB as a file`,
          held: atMost(1.2, ours / theirs),
        },
      ];
    }),
};

/** The lines of a CSV file, in pieces. */
async function* csvOf(rows: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const names = Array.from({ length: features }, (_, feature) => `feature_f${feature}`);
  yield encoder.encode(`timestamp,predictionId,${names.join(',')},prediction_value\r\n`);
  const random = chance(7);
  const from = Date.now() - hourMs;
  for (let row = 0; row < rows; row += 1000) {
    await Promise.resolve();
    let text = '';
    for (let at = row; at < Math.min(rows, row + 1000); at++)
      text += `${from + at},c${at},${names.map((_, feature) => valueOf(feature, random)).join(',')},yes\r\n`;
    yield encoder.encode(text);
  }
}
export const monitoringCsvLine: Line = {
  name: 'monitoring-csv',
  run: ({ quick }) =>
    withServer(async (server) => {
      const rows = quick ? 20_000 : 380_000;
      // Written before, so that making it takes no time of those who ask meanwhile.
      const file = join(server.folder, 'events.csv');
      await pipeline(csvOf(rows), createWriteStream(file));
      const probe = async (): Promise<number> => {
        const startedAt = performance.now();
        await server.call('GET', '/api/mpm/v3/workspaces');
        return performance.now() - startedAt;
      };
      // Asked in the same rhythm before and meanwhile.
      const restMs = 50;
      const alone = [];
      for (let at = 0; at < 200; at++) {
        alone.push(await probe());
        await wait(restMs);
      }
      let [peak, isOver] = [0, false];
      const during: number[] = [];
      const watching = (async () => {
        while (!isOver) {
          peak = Math.max(peak, server.residentMb());
          during.push(await probe());
          await wait(restMs);
        }
      })();
      const { status, text, bytes, seconds } = await uploadApart(server, 'csv', file);
      isOver = true;
      await watching;
      if (status !== 200 || !text.includes(`"accepted":${rows}`))
        throw new Error(`the file was not taken: ${status} ${text.slice(-300)}`);
      const [before, while_] = [quantile(alone, 0.95), quantile(during, 0.95)];
      return [
        {
          what: `a CSV file of ${round(bytes / mebibyte, 0)} MB, MB resident`,
          value: round(peak, 0),
          sides: `${round(seconds, 1)} s, ${round(rows / seconds, 0)} rows a second, ${round(memoryWithin(server.pid), 0)} MB with the database at the end`,
          held: atMost(256, peak, 'MB'),
        },
        {
          what: 'p95 of others while a CSV file comes in',
          value: round(while_ / Math.max(before, 1)),
          sides: `${round(while_)} ms, ${round(before)} ms before; medians ${round(median(during))} and ${round(median(alone))} ms`,
          held: atMost(1.2, while_ / Math.max(before, 1)),
        },
      ];
    }),
};
