// Fills a project with many spans and traces, faster than clients could log them.
import type { Knex } from 'knex';
import { postgresDialect } from '#adapters/storage/postgres/dialect';
import type { Connection } from '#adapters/storage/sql/connection';
import { createBlockUpkeep } from '#adapters/storage/sql/traces/block-building';
import type { Packed } from '#adapters/storage/sql/traces/pack-content';
import { packAll } from '#adapters/storage/sql/traces/packing';
import type { BenchServer } from './server.js';
import { makeSpan, sentences } from './spans.js';

/** Spans of a trace. */
const spansOfTrace = 10;
/** Traces of a thread. */
const tracesOfThread = 10;
/** Spans whose bodies are told apart; the others share theirs. */
const framesKept = 2000;
const spansOfFrame = 20;

/** Ids of version 7 that grow with a number. */
const idOf = (number: string, kind: string) =>
  `('0192' || lpad(to_hex(${number} / 65536), 4, '0') || '-' || lpad(to_hex(${number} % 65536), 4, '0') || '-7000-8000-${kind}00000000000')::uuid`;

const asBuffers = ({ data, grams }: Packed) => ({
  data: Buffer.from(data),
  grams: grams && Buffer.from(grams),
});

/** The thread of a number, and what it is known by. */
const threadOf = (number: string) => `'thread ' || (${number})`;
const threadKeyOf = (number: string) =>
  `encode(sha256(convert_to(length(${threadOf(number)}) || ':' || ${threadOf(number)}, 'UTF8')), 'hex')`;

/** Rows from which on it is quicker to make indexes once they are there. */
const manySpans = 500_000;
const tables = ['spans', 'traces', 'trace_threads', 'feedback_scores', 'span_frames'];

/** Does without indexes that are no keys meanwhile. */
export const withoutIndexes = async (db: Knex, work: () => Promise<void>): Promise<void> => {
  const { rows } = await db.raw<{
    readonly rows: readonly { readonly name: string; readonly made: string }[];
  }>(
    'select i.indexname as name, i.indexdef as made from pg_indexes i where i.schemaname = current_schema() and i.tablename = any(?) and not exists (select 1 from pg_constraint c where c.conname = i.indexname)',
    [tables],
  );
  for (const { name } of rows) await db.raw('drop index ??', [name]);
  await work();
  await db.raw("set maintenance_work_mem = '512MB'");
  for (const { made } of rows) await db.raw(made.replaceAll('?', String.raw`\?`));
};

/** A project with one trace, by the name of it, and the database that it is in; the caller closes that. */
export const openTraced = async (
  server: BenchServer,
  name = 'bench',
): Promise<{ readonly db: Knex; readonly projectId: string }> => {
  await server.call('POST', '/v1/private/traces/batch', {
    traces: [{ project_name: name, name: 'x', start_time: '2024-01-01T00:00:00Z' }],
  });
  const db = await server.openDatabase();
  const [project] = (await db('projects').where({ name }).select('id')) as readonly {
    readonly id: string;
  }[]; // the column named
  return { db, projectId: project?.id ?? '' };
};

/** Sums up what was filled in, as the server does by and by. */
export const sumUpSpans = async (db: Knex): Promise<void> => {
  const { signal } = new AbortController();
  const upkeep = createBlockUpkeep({
    ...{ db, dialect: postgresDialect, inTransaction: false },
    clock: { now: () => Date.now() },
  } as Connection); // nothing else of it is used
  const isLeft = async (): Promise<boolean> =>
    (await db('entry_blocks').whereNot({ state: 2 }).limit(1)).length > 0;
  do await upkeep.run(signal);
  while (await isLeft());
  await db.raw('vacuum analyze entry_blocks');
};

/** Brings a project to so many spans, of ten in a trace and a hundred in a thread. `from` are there already. */
export const fillSpans = async (
  db: Knex,
  projectId: string,
  from: number,
  to: number,
): Promise<void> => {
  const fill = () => fillRows(db, projectId, from, to);
  await (to - from < manySpans ? fill() : withoutIndexes(db, fill));
  for (const table of tables) await db.raw('analyze ??', [table]);
};

const fillRows = async (db: Knex, projectId: string, from: number, to: number): Promise<void> => {
  if (from === 0) {
    for (let frame = 0; frame < framesKept; frame++) {
      const spans = Array.from({ length: spansOfFrame }, (_, at) =>
        makeSpan(frame * spansOfFrame + at, '', '', ''),
      );
      const parts = await packAll(
        (['input', 'output'] as const).map((name) =>
          spans.map((span) => JSON.stringify(span[name])),
        ),
      );
      for (const [part, packed] of parts.entries())
        await db('span_frames').insert({
          project_id: projectId,
          id: db.raw(idOf(String(frame), 'f')),
          part,
          live: 1_000_000,
          ...asBuffers(packed),
        });
    }
  }
  const at = 'g.n::bigint';
  await db.raw(
    `insert into spans (project_id, id, name, start_time, end_time, metadata, tags, error_info, source, created_at, created_by, last_updated_at, last_updated_by, partial, trace_id, type, model, provider, usage, cost, cost_version, total_tokens, prompt_tokens, completion_tokens, frame_id, frame_at, input_start, output_start)
      select ?, ${idOf(at, 'a')}, 'step ' || ${at} % 20, 1760000000000000 + ${at} * 1000, 1760000000000000 + ${at} * 1000 + 5000 + (${at} * 7919) % 4000000,
      '{"temperature":0.2,"run":' || ${at} % 5000 || ',"region":"eu-' || ${at} % 7 || '"}', '["tag ' || ${at} % 50 || '","production"]', case when ${at} % 100 = 0 then '{"exception_type":"ValueError","traceback":"x"}' end, 'sdk',
      1760000000000000 + ${at}, 'admin', 1760000000000000 + ${at}, 'admin', false, ${idOf(`(${at} / ${spansOfTrace})`, 'b')}, case when ${at} % 3 = 0 then 'llm' else 'general' end, case when ${at} % 2 = 0 then 'gpt-4o-mini' else 'gpt-4o' end, 'openai',
      '{"prompt_tokens":400,"completion_tokens":380,"total_tokens":780}', 0.001 * (${at} % 97), 'v', 780, 400, 380, ${idOf(`((${at} / ${spansOfFrame}) % ${framesKept})`, 'f')}, ${at} % ${spansOfFrame}, '{"messages":[{"role":"system","content":"You', '{"choices":[{"role":"assistant","content":"'
      from generate_series(?::bigint, ?::bigint) as g(n)`,
    [projectId, from, to - 1],
  );
  const question = JSON.stringify({ question: sentences(7, 600) });
  await fillTraceRows(db, projectId, [from / spansOfTrace, to / spansOfTrace], question);
};

/** Brings a project to so many traces without spans, with inputs and outputs of some words. `from` are there already. */
export const fillTraces = async (
  db: Knex,
  projectId: string,
  from: number,
  to: number,
): Promise<void> => {
  const body = JSON.stringify({ question: sentences(7, 60) });
  await withoutIndexes(db, () => fillTraceRows(db, projectId, [from, to], body));
  for (const table of tables) await db.raw('analyze ??', [table]);
};

const fillTraceRows = async (
  db: Knex,
  projectId: string,
  [from, to]: readonly [from: number, to: number],
  body: string,
): Promise<void> => {
  const at = 'g.n::bigint';
  const thread = `${at} / ${tracesOfThread}`;
  await db.raw(
    `insert into traces (project_id, id, name, start_time, end_time, input, output, metadata, tags, error_info, source, created_at, created_by, last_updated_at, last_updated_by, partial, thread_id, thread_key)
      select ?, ${idOf(at, 'b')}, 'trace ' || ${at} % 20, 1760000000000000 + ${at} * 10000, 1760000000000000 + ${at} * 10000 + 5000 + (${at} * 7919) % 4000000, ?::text, ?::text,
      '{"run":' || ${at} % 5000 || ',"region":"eu-' || ${at} % 7 || '"}', '["tag ' || ${at} % 50 || '","production"]', case when ${at} % 100 = 0 then '{"exception_type":"ValueError","traceback":"x"}' end, 'sdk',
      1760000000000000 + ${at}, 'admin', 1760000000000000 + ${at}, 'admin', false, ${threadOf(thread)}, ${threadKeyOf(thread)}
      from generate_series(?::bigint, ?::bigint) as g(n)`,
    [projectId, body, body, from, to - 1],
  );
  await db.raw(
    `insert into trace_threads (id, project_id, thread_key, thread_id, closed, last_activity_at, created_at, created_by, last_updated_at, last_updated_by)
      select ${idOf(at, 'd')}, ?, ${threadKeyOf(at)}, ${threadOf(at)}, false, 1760000000000000 + ${at}, 1760000000000000 + ${at}, 'admin', 1760000000000000 + ${at}, 'admin'
      from generate_series(?::bigint, ?::bigint) as g(n)`,
    [projectId, from / tracesOfThread, to / tracesOfThread - 1],
  );
  await db.raw(
    `insert into feedback_scores (project_id, entity_id, score_key, entity_kind, name, author, value, source, created_at, last_updated_at, last_updated_by)
      select ?, ${idOf(at, 'b')}, md5('quality'), 'trace', 'quality', 'admin', (${at} % 101) / 100.0, 'sdk', 0, 0, 'admin' from generate_series(?::bigint, ?::bigint) as g(n) where ${at} % 5 = 0`,
    [projectId, from, to - 1],
  );
};
