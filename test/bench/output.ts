// What a page waits for that shows some lines of a long output.
import { atMost, mebibyte, quantile, round, type Line } from './line.js';
import { makeExperiments, withServer } from './server.js';

const linesAtOnce = 20_000;
const line = `${'x'.repeat(99)}\n`;

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
      return [
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
