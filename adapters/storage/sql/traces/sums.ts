// What spans add up to, by trace or by thread.
import type { SpanSums } from '#ports/storage/traces';
import type { Connection } from '../connection.js';
import { joined, fragment } from '../fragment.js';
import { real, type Row } from './rows.js';

/** Spans of some traces, or of all traces of some threads. */
type Among = { readonly traceIds: readonly string[] } | { readonly threadKeys: readonly string[] };
type Usage = Readonly<Record<string, number>>;

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** Counts of tokens and the like, by trace or thread. */
export const sumUsage = async (
  { db, dialect }: Connection,
  projectId: string,
  among: Among,
): Promise<ReadonlyMap<string, Usage>> => {
  const { join, name, amount } = dialect.jsonNumbers('s.usage', 'u');
  const [key, values, from, where] =
    'traceIds' in among
      ? ['s.trace_id', among.traceIds, 'spans s', 's.trace_id']
      : [
          't.thread_key',
          among.threadKeys,
          'traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id',
          't.thread_key',
        ];
  if (values.length === 0) return new Map();
  const { sql, bindings } = joined(
    `select ${key} as owner, min(${name}) as name, sum(${amount}) as amount from ${from} ${join}`,
    fragment(
      ` where s.project_id = ? and s.usage is not null and ${where} in (${marks(values)})`,
      projectId,
      ...values,
    ),
    ` group by ${key}, ${dialect.byCodePoints(name)} order by ${key}, ${dialect.byCodePoints(`min(${name})`)}`,
  );
  const rows = (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns named
  const sums = new Map<string, Record<string, number>>();
  for (const row of rows) {
    const owner = String(row['owner']);
    const of = sums.get(owner) ?? {};
    // A member of any name, `__proto__` too.
    Object.defineProperty(of, String(row['name']), {
      value: Number(row['amount']),
      enumerable: true,
      configurable: true,
      writable: true,
    });
    sums.set(owner, of);
  }
  return sums;
};

const listProviders = async (
  { db }: Connection,
  projectId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = (await db('spans')
    .distinct('trace_id', 'provider')
    .where({ project_id: projectId })
    .whereIn('trace_id', [...traceIds])
    .whereNotNull('provider')) as readonly Row[]; // the columns named
  const providers = new Map<string, string[]>();
  for (const row of rows) {
    const owner = String(row['trace_id']);
    providers.set(owner, [...(providers.get(owner) ?? []), String(row['provider'])].sort());
  }
  return providers;
};

/** What the spans of each of these traces add up to. */
export const sumSpans = async (
  connection: Connection,
  projectId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, SpanSums>> => {
  if (traceIds.length === 0) return new Map();
  const { db } = connection;
  const rows = (await db('spans')
    .select('trace_id', {
      spans: db.raw('count(*)'),
      llm: db.raw("sum(case when type = 'llm' then 1 else 0 end)"),
      tools: db.raw("sum(case when type = 'tool' then 1 else 0 end)"),
      cost: db.raw('sum(cost)'),
    })
    .where({ project_id: projectId })
    .whereIn('trace_id', [...traceIds])
    .groupBy('trace_id')) as readonly Row[]; // the columns named
  const usage = await sumUsage(connection, projectId, { traceIds });
  const providers = await listProviders(connection, projectId, traceIds);
  return new Map(
    rows.map((row) => {
      const id = String(row['trace_id']);
      return [
        id,
        {
          spans: Number(row['spans']),
          llmSpans: Number(row['llm']),
          hasTool: Number(row['tools']) > 0,
          cost: real(row['cost']),
          usage: usage.get(id),
          providers: providers.get(id) ?? [],
        },
      ] as const;
    }),
  );
};
