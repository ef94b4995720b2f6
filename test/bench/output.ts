// What a page waits for that shows some lines of a long output.
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, mebibyte, quantile, round, type Line } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

const linesAtOnce = 20_000;
const line = `${'x'.repeat(99)}\n`;

const packedWithinMs = 180_000;

/** Ends the run and waits until its output is packed; answers the rows and bytes that it takes then. */
const endAndPack = async (
  server: BenchServer,
  run: string,
): Promise<{ readonly rows: number; readonly bytes: number }> => {
  await server.call('POST', '/clientlib/status-report/update', {
    experimentKey: run,
    is_alive: false,
  });
  const db = await server.openDatabase();
  const deadline = performance.now() + packedWithinMs;
  while ((await db('output_packings')).length > 0) {
    if (performance.now() > deadline) throw new Error('the output was not packed in time');
    await wait(500);
  }
  const [row] = (await db('output_lines').select(
    db.raw('count(*) as n, sum(octet_length(content) + octet_length(places)) as bytes'),
  )) as unknown as readonly { readonly n: unknown; readonly bytes: unknown }[]; // one row of two columns
  return { rows: Number(row?.n), bytes: Number(row?.bytes) };
};

export const outputLine: Line = {
  name: 'output',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [run = ''] = await makeExperiments(server, 1);
      const batches = quick ? 30 : 75; // 57 and 143 MiB
      for (let i = 0; i < batches; i++)
        await server.call('POST', '/api/rest/v2/write/experiment/output', {
          experimentKey: run,
          outputLines: Array.from({ length: linesAtOnce }, (_, n) => ({
            output: n === 0 ? `batch ${i} begins\n` : line,
          })),
        });
      const before = server.residentMb();
      const read = async (query: string): Promise<number> => {
        const begun = performance.now();
        await server.call('GET', `/v1/private/ui/runs/${run}/output?${query}`);
        return performance.now() - begun;
      };
      const many = async (query: (i: number) => string): Promise<readonly number[]> => {
        const times: number[] = [];
        for (let i = 0; i < 20; i++) times.push(await read(query(i)));
        return times;
      };
      const total = batches * linesAtOnce;
      const first = await read('tail=200');
      const tail = await many(() => 'tail=200');
      const range = await many((i) => {
        const from = Math.floor((total / 21) * (i + 1));
        return `from=${from}&to=${from + 500}`;
      });
      const search = await read(`search=${encodeURIComponent('batch 2')}&limit=5000`);
      const size = round((total * line.length) / mebibyte, 0);
      const packed = await endAndPack(server, run);
      const tailPacked = await many(() => 'tail=200');
      const rangePacked = await many((i) => {
        const from = Math.floor((total / 21) * (i + 1));
        return `from=${from}&to=${from + 500}`;
      });
      const searchPacked = await read(`search=${encodeURIComponent('batch 2')}&limit=5000`);
      return [
        {
          what: 'rows of it once it is packed',
          value: String(packed.rows),
          sides: `${round(packed.bytes / mebibyte, 2)} MiB of lines that are all alike`,
          held: atMost(2 * Number(size), packed.rows),
        },
        {
          what: 'of packed output the last 200 lines, p95 in ms',
          value: round(quantile(tailPacked, 0.95), 0),
          sides: `500 lines anywhere ${round(quantile(rangePacked, 0.95), 0)}, a search ${round(searchPacked, 0)}`,
          held: atMost(100, Math.max(quantile(tailPacked, 0.95), quantile(rangePacked, 0.95))),
        },
        {
          what: `first look at ${size} MiB of output, ms`,
          value: round(first, 0),
          sides: 'every line is counted once',
        },
        {
          what: 'the last 200 lines after that, p95 in ms',
          value: round(quantile(tail, 0.95), 0),
          sides: `median ${round(quantile(tail, 0.5), 0)}`,
          held: atMost(100, quantile(tail, 0.95)),
        },
        {
          what: '500 lines anywhere, p95 in ms',
          value: round(quantile(range, 0.95), 0),
          sides: `median ${round(quantile(range, 0.5), 0)}`,
          held: atMost(100, quantile(range, 0.95)),
        },
        {
          what: 'a search through 64 MiB, ms',
          value: round(search, 0),
          sides: 'then it is asked to go on',
          held: atMost(2000, search),
        },
        {
          what: 'memory that took, MB resident more',
          value: round(server.residentMb() - before, 0),
          sides: `${round(before, 0)} before`,
          held: atMost(150, server.residentMb() - before),
        },
      ];
    }),
};
