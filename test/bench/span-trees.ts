// What one trace of many spans costs to read: whole, and as a tree without inputs and outputs.
import { v7 } from 'uuid';
import { atMost, quantile, round, type Figure, type Line } from './line.js';
import { withServer, type BenchServer } from './server.js';
import { makeSpan } from './spans.js';
import { timeEach } from './store.js';

const atOnce = 1000;
/** Most rows of a page. */
const pageSize = 2000;
const times = 5;

/** Logs a trace of so many spans, each below an earlier one. */
const logTrace = async (server: BenchServer, spans: number): Promise<string> => {
  const traceId = v7();
  const ids = Array.from({ length: spans }, () => v7());
  for (let from = 0; from < spans; from += atOnce)
    await server.call('POST', '/v1/private/spans/batch', {
      spans: ids.slice(from, from + atOnce).map((id, i) => {
        const at = from + i;
        const parent = at === 0 ? undefined : ids[Math.floor((at - 1) / 4)];
        return {
          ...makeSpan(at, id, traceId, 'bench'),
          ...(parent === undefined ? {} : { parent_span_id: parent }),
        };
      }),
    });
  return traceId;
};

/** Reads every page of a trace's spans. */
const readTrace = async (
  server: BenchServer,
  traceId: string,
  spans: number,
  more = '',
): Promise<void> => {
  for (let page = 1; (page - 1) * pageSize < spans; page++)
    await server.call(
      'GET',
      `/v1/private/spans?project_name=bench&trace_id=${traceId}&size=${pageSize}&page=${page}&truncate=false${more}`,
    );
};

export const spanTreesLine: Line = {
  name: 'span-trees',
  run: ({ quick }) =>
    withServer(async (server) => {
      const measure = async (
        what: string,
        spans: number,
        mostMs: number,
        more?: string,
      ): Promise<Figure> => {
        const traceId = await logTrace(server, spans);
        const read = () => readTrace(server, traceId, spans, more);
        await read();
        const ms = quantile(await timeEach(times, read), 0.95);
        return {
          what: `${what} of ${spans.toLocaleString('en')} spans`,
          value: round(ms, 0),
          sides: `ms, p95 of ${times}, pages of ${pageSize.toLocaleString('en')}`,
          held: atMost(mostMs, ms, 'ms'),
        };
      };
      const without = `&exclude=${encodeURIComponent(JSON.stringify(['input', 'output', 'metadata']))}`;
      return [
        await measure('a whole trace', quick ? 1000 : 3000, 300),
        await measure('the tree of a trace', quick ? 4000 : 20_000, 500, without),
      ];
    }),
};
