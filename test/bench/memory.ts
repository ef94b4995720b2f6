// What the server process holds while it is busy, and while much is read from it.
import { request } from 'node:http';
import { batchPath, prepareBatches } from './batches.js';
import { runLoad } from './load.js';
import { atMost, mebibyte, quantile, round, type Line } from './line.js';
import { memoryWithin } from './processes.js';
import { logLongMetric, timeEach } from './store.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

/** The most that a reading was while something was done. */
const watchMost = async <T>(
  read: () => number,
  everyMs: number,
  work: () => Promise<T>,
): Promise<{ readonly peak: number; readonly result: T }> => {
  let peak = read();
  const watching = setInterval(() => {
    peak = Math.max(peak, read());
  }, everyMs);
  try {
    return { result: await work(), peak: Math.max(peak, read()) };
  } finally {
    clearInterval(watching);
  }
};

/** The most that the process held while something was done, in MB. */
const watchResident = <T>(server: BenchServer, work: () => Promise<T>) =>
  watchMost(() => server.residentMb(), 50, work);

export const busyLine: Line = {
  name: 'busy',
  run: ({ quick }) =>
    withServer(async (server) => {
      const clients = prepareBatches(
        { path: batchPath, apiKey: server.apiKey },
        await makeExperiments(server, 32),
        { series: 20, points: 50 },
        2,
      );
      const seconds = quick ? 8 : 60;
      const { peak, result } = await watchResident(server, () =>
        runLoad({ port: server.port, clients, seconds }),
      );
      // By itself: what each process shares takes some time to tell.
      const { peak: together } = await watchMost(
        () => memoryWithin(server.pid),
        500,
        () => runLoad({ port: server.port, clients, seconds }),
      );
      return [
        {
          what: 'the same with the database, MB in all',
          value: round(together, 0),
          sides: 'what processes share is counted once',
          held: atMost(400, together),
        },
        {
          what: `32 clients of 1,000-point batches for ${seconds} s, MB resident`,
          value: round(peak, 0),
          sides: `${round(result.perSecond, 0)} batches/s, p95 ${round(quantile(result.times, 0.95), 0)} ms`,
          held: atMost(400, peak),
        },
      ];
    }),
};

export const namesLine: Line = {
  name: 'names',
  run: ({ quick }) =>
    withServer(async (server) => {
      const keys = await makeExperiments(server, 20);
      const clients = keys.flatMap((key) =>
        prepareBatches(
          { path: batchPath, apiKey: server.apiKey },
          [key],
          { series: 500, points: 1 },
          4,
        ),
      );
      const { peak, result } = await watchResident(server, () =>
        runLoad({ port: server.port, clients, seconds: quick ? 6 : 20 }),
      );
      return [
        {
          what: '20 clients of batches of 500 metrics, batches/s',
          value: round(result.perSecond, 0),
          sides: `p50 ${round(quantile(result.times, 0.5), 0)} ms, p95 ${round(quantile(result.times, 0.95), 0)} ms, ${round(peak, 0)} MB resident`,
        },
      ];
    }),
};

/** Sends a form with one file of so many zero bytes, made while it is sent; gives the reply. */
const sendFile = (server: BenchServer, path: string, size: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const head = Buffer.from(
      '--mark\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
    );
    const tail = Buffer.from('\r\n--mark--\r\n');
    const sending = request(
      server.url + path,
      {
        method: 'POST',
        headers: {
          Authorization: server.apiKey,
          'Content-Type': 'multipart/form-data; boundary=mark',
          'Content-Length': head.length + size + tail.length,
        },
      },
      (reply) => {
        let text = '';
        reply.on('data', (piece: Buffer) => {
          text += piece.toString();
        });
        reply.on('end', () => {
          if (reply.statusCode === 200) resolve(text);
          else reject(new Error(`the upload was answered with ${reply.statusCode ?? 0}: ${text}`));
        });
      },
    );
    sending.on('error', reject);
    sending.write(head);
    const piece = Buffer.alloc(256 * 1024, 7);
    let left = size;
    const push = (): void => {
      while (left > 0) {
        const some = piece.subarray(0, Math.min(left, piece.length));
        left -= some.length;
        if (!sending.write(some)) {
          sending.once('drain', push);
          return;
        }
      }
      sending.end(tail);
    };
    push();
  });

const readAway = (server: BenchServer, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(server.url + path, { headers: { Authorization: server.apiKey } }, (reply) => {
      let size = 0;
      reply.on('data', (piece: Buffer) => {
        size += piece.length;
      });
      reply.on('end', () => {
        resolve(size);
      });
      reply.on('error', reject);
    })
      .on('error', reject)
      .end();
  });

/** Passes a file in and out of a server, and tells the most that its process held over what it holds idle, in MB. Idle is after a smaller one, which has warmed what both need. */
export const passFile = async (
  server: BenchServer,
  size: number,
): Promise<{ readonly over: number; readonly sides: string }> => {
  const [key = ''] = await makeExperiments(server, 1);
  const send = async (fileName: string, bytes: number): Promise<string> => {
    const reply = await sendFile(
      server,
      `/api/rest/v2/write/experiment/upload-asset?experimentKey=${key}&fileName=${fileName}`,
      bytes,
    );
    return (JSON.parse(reply) as { readonly assetId: string }).assetId; // the row's reply
  };
  const read = (assetId: string): Promise<number> =>
    readAway(
      server,
      `/api/rest/v2/experiment/asset/get-asset?experimentKey=${key}&assetId=${assetId}`,
    );
  await read(await send('small.bin', 32 * mebibyte));
  const idle = server.residentMb();
  const startedAt = performance.now();
  const { peak: sendingPeak, result: assetId } = await watchResident(server, () =>
    send('large.bin', size),
  );
  const sentIn = (performance.now() - startedAt) / 1000;
  const { peak: readingPeak, result: came } = await watchResident(server, () => read(assetId));
  if (came !== size) throw new Error(`${came} of ${size} bytes came back`);
  const readIn = (performance.now() - startedAt) / 1000 - sentIn;
  return {
    over: Math.max(sendingPeak, readingPeak) - idle,
    sides: `in ${round(sendingPeak - idle, 0)} MB ${round(sentIn, 1)} s, out ${round(readingPeak - idle, 0)} MB ${round(readIn, 1)} s, idle ${round(idle, 0)} MB`,
  };
};

export const assetLine: Line = {
  name: 'asset',
  run: ({ quick }) =>
    withServer(async (server) => {
      const size = (quick ? 256 : 1024) * mebibyte;
      const { over, sides } = await passFile(server, size);
      return [
        {
          what: `an asset of ${size / mebibyte} MiB in and out, MB over idle`,
          value: round(over, 0),
          sides,
          held: atMost(64, over),
        },
      ];
    }),
};

export const wideLine: Line = {
  name: 'wide',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [names, points] = quick ? [5000, 100_000] : [50_000, 1_000_000];
      const [wide = '', long = ''] = await makeExperiments(server, 2);
      const batches = Array.from(
        { length: names / 1000 },
        (_, i) =>
          prepareBatches(
            { path: batchPath, apiKey: server.apiKey },
            [wide],
            { series: 1000, points: 1 },
            1,
            (at) => `metric_${i * 1000 + at}`,
          )[0] ?? [],
      ).flat();
      await runLoad({
        port: server.port,
        clients: [batches],
        requests: batches.length,
        seconds: 600,
      });
      await logLongMetric(server, long, points);
      const chart = (key: string, metric: string) =>
        server.call('POST', '/api/rest/v2/experiments/multi-metric-chart', {
          targetedExperiments: [key],
          metrics: [metric],
        });
      const reads: readonly (readonly [string, () => Promise<unknown>])[] = [
        [
          `summary of ${names} names`,
          () => server.call('GET', `/api/rest/v2/experiment/metrics/summary?experimentKey=${wide}`),
        ],
        ['chart of one of them', () => chart(wide, 'metric_77')],
        [
          'one of them',
          () =>
            server.call(
              'GET',
              `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${wide}&metricName=metric_77`,
            ),
        ],
        [
          `summary of ${points} points`,
          () => server.call('GET', `/api/rest/v2/experiment/metrics/summary?experimentKey=${long}`),
        ],
        ['chart of them', () => chart(long, 'long')],
        [
          'every one of them',
          () =>
            readAway(
              server,
              `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${long}&metricName=long`,
            ),
        ],
      ];
      const idle = server.residentMb();
      const told: string[] = [];
      for (const [title, read] of reads) {
        const {
          peak,
          result: [first = 0, ...later],
        } = await watchResident(server, () => timeEach(3, read));
        told.push(`${title} ${round(Math.min(first, ...later), 0)} ms at ${round(peak, 0)} MB`);
      }
      return [
        {
          what: `${names} names and ${points} points read`,
          value: `${round(server.residentMb(), 0)} MB`,
          sides: `${told.join(', ')}; before ${round(idle, 0)} MB`,
        },
      ];
    }),
};
