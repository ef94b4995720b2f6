// What one trace of many spans costs to read: whole, and as a tree without inputs and outputs, as lines and by pages.
import { v7 } from 'uuid';
import { atMost, quantile, round, type Figure, type Line } from './line.js';
import { withServer, type BenchServer } from './server.js';
import { makeSpan } from './spans.js';
import { timeEach } from './store.js';

const atOnce = 1000;
/** Most rows of a page or of a stream. */
const pageSize = 2000;
const times = 5;

/** Logs a trace of so many spans, each below an earlier one. */
export const logTrace = async (server: BenchServer, spans: number): Promise<string> => {
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

const left = ['input', 'output', 'metadata'];

type Read = (
  server: BenchServer,
  traceId: string,
  spans: number,
  exclude: readonly string[],
) => Promise<void>;

/** Reads every page of a trace's spans. */
const readPages: Read = async (server, traceId, spans, exclude) => {
  const more = `&exclude=${encodeURIComponent(JSON.stringify(exclude))}`;
  for (let page = 1; (page - 1) * pageSize < spans; page++)
    await server.call(
      'GET',
      `/v1/private/spans?project_name=bench&trace_id=${traceId}&size=${pageSize}&page=${page}&truncate=false${more}`,
    );
};

/** Reads them as lines, behind the last one each time, as SDKs and the web UI do. */
const readLines: Read = async (server, traceId, spans, exclude) => {
  let last: string | undefined;
  for (let read = 0; read < spans;) {
    const reply = await fetch(`${server.url}/v1/private/spans/search`, {
      method: 'POST',
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        ...{ project_name: 'bench', trace_id: traceId, limit: pageSize, truncate: false, exclude },
        last_retrieved_id: last,
      }),
    });
    const lines = (await reply.text()).split('\r\n').filter((line) => line !== '');
    const rows = lines.map((line) => JSON.parse(line) as { readonly id: string }); // spans, as asked
    if (rows.length === 0) throw new Error(`a trace ended after ${read} of ${spans} spans`);
    last = rows.at(-1)?.id;
    read += rows.length;
  }
};

export const spanTreesLine: Line = {
  name: 'span-trees',
  run: ({ quick }) =>
    withServer(async (server) => {
      const measure = async (
        what: string,
        spans: number,
        mostMs: number,
        exclude: readonly string[],
      ): Promise<readonly Figure[]> => {
        const traceId = await logTrace(server, spans);
        const figures: Figure[] = [];
        for (const [how, read] of [
          ['as lines', readLines],
          ['by pages', readPages],
        ] as const) {
          const once = () => read(server, traceId, spans, exclude);
          await once();
          const before = server.usedMs();
          const taken = await timeEach(times, once);
          const after = server.usedMs();
          const ms = quantile(taken, 0.95);
          figures.push({
            what: `${what} of ${spans.toLocaleString('en')} spans, ${how}`,
            value: round(ms, 0),
            sides: `ms, p95 of ${times}, ${pageSize.toLocaleString('en')} at once; processor ${round((after.server - before.server) / times, 0)} ms, database ${round((after.database - before.database) / times, 0)} ms`,
            held: atMost(mostMs, ms, 'ms'),
          });
        }
        return figures;
      };
      return [
        ...(await measure('a whole trace', quick ? 1000 : 3000, 300, [])),
        ...(await measure('the tree of a trace', quick ? 4000 : 20_000, 500, left)),
      ];
    }),
};
