// What storing spans costs beside reading them, and how many bytes one takes.
import { atLeast, atMost, median, round, type Line } from './line.js';
import { prepare, type Prepared, type Target } from './batches.js';
import { runLoad } from './load.js';
import { withServer, type BenchServer } from './server.js';

const clients = 8;
const each = 12;
const spansOfBatch = 100;
export const spansPath = '/v1/private/spans/batch';

const words =
  'the model answers a question about an order that was placed last week and has not arrived yet so please look at what the carrier said of parcel number and tell our customer when to expect it or how their money comes back if nobody can find it any more in this warehouse'.split(
    ' ',
  );
/** Sentences of about so many characters, which are the same for the same seed. */
export const sentences = (seed: number, characters: number): string => {
  let [text, state] = ['', (seed * 2_654_435_761 + 12_345) >>> 0];
  while (text.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const word = words[(state >>> 8) % words.length] ?? '';
    text += (state >>> 24) % 11 === 0 ? `${word} ${state % 100_000}. ` : `${word} `;
  }
  return text.slice(0, characters);
};

const mark = '00000000-0000';

/** A span as an SDK sends it, with 2 KB each of input and output. */
export const makeSpan = (seed: number, id: string, traceId: string, projectName: string) => ({
  id,
  trace_id: traceId,
  project_name: projectName,
  name: `step ${seed % 20}`,
  type: seed % 3 === 0 ? 'llm' : 'general',
  start_time: new Date(1_760_000_000_000 + seed * 37).toISOString(),
  end_time: new Date(1_760_000_000_000 + seed * 37 + 5 + (seed % 4000)).toISOString(),
  input: {
    messages: [
      { role: 'system', content: 'You are a helpful assistant of a shop.' },
      { role: 'user', content: sentences(seed * 2, 1900) },
    ],
  },
  output: {
    choices: [{ role: 'assistant', content: sentences(seed * 2 + 1, 1900), finish_reason: 'stop' }],
  },
  metadata: { temperature: 0.2, run: seed % 5000, region: `eu-${seed % 7}` },
  tags: [`tag ${seed % 50}`, 'production'],
  model: seed % 2 === 0 ? 'gpt-4o-mini' : 'gpt-4o',
  provider: 'openai',
  usage: {
    prompt_tokens: 400 + (seed % 300),
    completion_tokens: 380,
    total_tokens: 780 + (seed % 300),
  },
});

/** A batch of one trace; the number of the request is in every id. */
export const prepareSpans = (target: Target, first: number, project = 'bench'): Prepared => {
  const traceId = `${mark}-7fff-8000-000000000000`;
  const request = prepare(target, {
    spans: Array.from({ length: spansOfBatch }, (_, at) =>
      makeSpan(
        first + at,
        `${mark}-7${(first % 4000).toString(16).padStart(3, '0')}-8000-${at.toString(16).padStart(12, '0')}`,
        traceId,
        project,
      ),
    ),
  });
  const idsAt: number[] = [];
  for (let at = request.bytes.indexOf(mark); at !== -1; at = request.bytes.indexOf(mark, at + 1))
    idsAt.push(at);
  return { ...request, idsAt };
};

/** Batches of spans from some clients, for so long. */
export const loadSpans = (
  server: BenchServer,
  wanted: { readonly seconds: number; readonly clients: number; readonly project: string },
) =>
  runLoad({
    port: server.port,
    seconds: wanted.seconds,
    clients: Array.from({ length: wanted.clients }, (_, client) =>
      Array.from({ length: each }, (__, i) =>
        prepareSpans(
          { path: spansPath, apiKey: server.apiKey },
          (client * each + i) * spansOfBatch,
          wanted.project,
        ),
      ),
    ),
  });

export const runSpans = async (server: BenchServer, to: string, seconds: number) => {
  const target = { path: to, apiKey: server.apiKey };
  const before = server.usedMs();
  const { requests, perSecond } = await runLoad({
    port: server.port,
    seconds,
    clients: Array.from({ length: clients }, (_, client) =>
      Array.from({ length: each }, (__, i) =>
        prepareSpans(target, (client * each + i) * spansOfBatch),
      ),
    ),
  });
  const after = server.usedMs();
  const spans = requests * spansOfBatch;
  return {
    spans,
    perSecond: perSecond * spansOfBatch,
    serverUs: ((after.server - before.server) * 1000) / spans,
    databaseUs: ((after.database - before.database) * 1000) / spans,
  };
};
type Side = Awaited<ReturnType<typeof runSpans>>;
const show = ({ perSecond, serverUs, databaseUs }: Side): string =>
  `${round(perSecond, 0)}/s (server ${round(serverUs, 0)} µs, database ${round(databaseUs, 0)} µs a span)`;

/** What the tables of spans take, indexes and all. */
const bytesOfSpans = async (server: BenchServer): Promise<{ spans: number; bytes: number }> => {
  const db = await server.openDatabase();
  try {
    const { rows } = await db.raw<{ rows: { spans: string; bytes: string }[] }>(
      "select (select count(*) from spans) as spans, (select sum(pg_total_relation_size(c.oid)) from pg_class c where c.relname in ('spans', 'span_frames')) as bytes",
    );
    return { spans: Number(rows[0]?.spans), bytes: Number(rows[0]?.bytes) };
  } finally {
    await db.destroy();
  }
};

export const spansLine: Line = {
  name: 'spans',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [rounds, seconds] = quick ? [3, 3] : [5, 6];
      const [stored, read]: [Side[], Side[]] = [[], []];
      await runSpans(server, spansPath, quick ? 2 : 4);
      await runSpans(server, '/bench/spans', 2);
      for (let i = 0; i < rounds; i++) {
        read.push(await runSpans(server, '/bench/spans', seconds));
        stored.push(await runSpans(server, spansPath, seconds));
      }
      const middle = (sides: readonly Side[]): Side => {
        const sorted = [...sides].sort((one, other) => one.perSecond - other.perSecond);
        return (
          sorted[Math.floor(sorted.length / 2)] ?? {
            spans: 0,
            perSecond: 0,
            serverUs: 0,
            databaseUs: 0,
          }
        );
      };
      const { spans, bytes } = await bytesOfSpans(server);
      const rate = middle(stored).perSecond;
      const ratio = median(
        stored.map((side, i) => side.perSecond / (read[i]?.perSecond ?? Infinity)),
      );
      return [
        {
          what: 'spans a second, batches of 100 with 2 KB in and out',
          value: round(rate, 0),
          sides: `${show(middle(stored))} over ${show(middle(read))} read only: ${round(ratio)}, ${clients} clients`,
          held: atLeast(12_000, rate),
        },
        {
          what: 'bytes a span, indexes and all',
          value: round(bytes / spans, 0),
          sides: `${spans.toLocaleString('en')} spans`,
          held: atMost(2700, bytes / spans),
        },
      ];
    }),
};
