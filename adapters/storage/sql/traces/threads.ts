// Threads: a row for each thread id of a project, and what its traces come to.
import type { Thread, Trace } from '#ports/model/traces';
import type { ThreadChange, ThreadSelection, ThreadStore } from '#ports/storage/threads';
import type { Fragment } from '#ports/sql-dialect';
import { inTransaction, isTrue, wholeOrNothing, type Connection } from '../connection.js';
import { filterBy, orderBy } from '../field-query.js';
import { both, fragment, joined } from '../fragment.js';
import { isId } from '../ids.js';
import { requireRoom } from '../room.js';
import { threadSources } from './fields.js';
import { writeJournal } from './journal.js';
import { removeEmptyThreads, removeEntries } from './removing.js';
import { real, tagsOf, text, threadKey, type Row } from './rows.js';
import { searched } from './searching.js';
import { sumUsage } from './sums.js';

/** What is written of a thread: new, or with a trace that came to it. */
interface Touch {
  readonly threadId: string;
  readonly environment: string | undefined;
  readonly change: ThreadChange;
  readonly firstTrace?: string | undefined;
}
/** Digits of an id of version 7 that tell when it was made, with the hyphen between them. */
const timeLength = 13;

const columns = [
  'id',
  'project_id',
  'thread_id',
  'tags',
  'environment',
  'closed',
  'last_activity_at',
  'created_at',
  'created_by',
  'last_updated_at',
  'last_updated_by',
] as const;

/** An id of its own, from when a trace was made: threads of traces that are brought in later stand where these do. */
const idLike = (ids: Connection['ids'], traceId: string | undefined): string => {
  const own = ids.next();
  return traceId === undefined ? own : traceId.slice(0, timeLength) + own.slice(timeLength);
};

const insertTouched = async (
  { db, dialect, ids }: Connection,
  projectId: string,
  touches: readonly Touch[],
  suffix: string,
): Promise<void> => {
  if (touches.length === 0) return;
  const sorted = touches
    .map((touch) => ({ ...touch, key: threadKey(touch.threadId) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const all = <V>(value: V) => sorted.map(() => value);
  await dialect.insertColumns(
    db,
    'trace_threads',
    [
      { name: 'project_id', kind: 'id', values: all(projectId) },
      { name: 'thread_key', kind: 'text', values: sorted.map(({ key }) => key) },
      { name: 'id', kind: 'id', values: sorted.map(({ firstTrace }) => idLike(ids, firstTrace)) },
      { name: 'thread_id', kind: 'text', values: sorted.map(({ threadId }) => threadId) },
      {
        name: 'environment',
        kind: 'text',
        values: sorted.map(({ environment }) => environment ?? null),
      },
      { name: 'closed', kind: 'flag', values: all(false) },
      { name: 'last_activity_at', kind: 'whole', values: sorted.map(({ change }) => change.at) },
      { name: 'created_at', kind: 'whole', values: sorted.map(({ change }) => change.at) },
      { name: 'created_by', kind: 'text', values: sorted.map(({ change }) => change.by) },
      { name: 'last_updated_at', kind: 'whole', values: sorted.map(({ change }) => change.at) },
      { name: 'last_updated_by', kind: 'text', values: sorted.map(({ change }) => change.by) },
    ],
    suffix,
  );
};

/** By what the journal tells of the threads of traces. */
export const threadKeysOf = (traces: readonly Pick<Trace, 'threadId'>[]): readonly string[] => [
  ...new Set(traces.flatMap(({ threadId }) => (threadId === undefined ? [] : threadKey(threadId)))),
];

/** Tells the journal of threads, in the caller's transaction. */
const tellOf = async (connection: Connection, ids: readonly string[]): Promise<void> => {
  const rows = (await connection
    .db('trace_threads')
    .select('project_id', 'thread_key')
    .whereIn('id', [...ids])
    .orderBy(['project_id', 'thread_key'])) as readonly Row[]; // the columns named
  for (const projectId of new Set(rows.map((row) => String(row['project_id']))))
    await writeJournal(
      connection,
      projectId,
      'trace_threads',
      rows.flatMap((row) => (row['project_id'] === projectId ? String(row['thread_key']) : [])),
    );
};

/** Makes the threads of traces that were written just now, or marks them active. */
export const touchThreads = async (
  connection: Connection,
  projectId: string,
  traces: readonly Trace[],
): Promise<void> => {
  const at = connection.clock.now() * 1000;
  const touches = new Map<string, Touch>();
  for (const { id, threadId, environment, lastUpdatedBy: by } of traces)
    if (threadId !== undefined) {
      const before = touches.get(threadId)?.firstTrace ?? id;
      const firstTrace = before < id ? before : id;
      touches.set(threadId, { threadId, environment, change: { at, by }, firstTrace });
    }
  const { dialect } = connection;
  const latest = (column: string) => {
    const [stored, incoming] = [dialect.stored('trace_threads', column), dialect.incoming(column)];
    return `${column} = case when ${stored} > ${incoming} then ${stored} else ${incoming} end`;
  };
  await insertTouched(
    connection,
    projectId,
    [...touches.values()],
    dialect.onConflict(
      ['project_id', 'thread_key'],
      [
        `closed = ${dialect.incoming('closed')}`,
        `environment = coalesce(${dialect.incoming('environment')}, ${dialect.stored('trace_threads', 'environment')})`,
        latest('last_activity_at'),
        latest('last_updated_at'),
      ],
    ),
  );
};

/** What the traces of a thread come to. */
interface Sums {
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  readonly traces: number;
  readonly cost: number | undefined;
}

const sumTraces = async (
  { db }: Connection,
  projectId: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Sums>> => {
  const rows = (await db('traces as t')
    .select('t.thread_key', {
      starts: db.raw('min(t.start_time)'),
      ends: db.raw('max(coalesce(t.end_time, t.start_time))'),
      traces: db.raw('count(*)'),
    })
    .where({ 't.project_id': projectId })
    .whereIn('t.thread_key', [...keys])
    .groupBy('t.thread_key')) as readonly Row[]; // the columns named
  const costs = (await db('traces as t')
    .join('spans as s', (on) => on.on('s.project_id', 't.project_id').andOn('s.trace_id', 't.id'))
    .select('t.thread_key', { cost: db.raw('sum(s.cost)') })
    .where({ 't.project_id': projectId })
    .whereIn('t.thread_key', [...keys])
    .groupBy('t.thread_key')) as readonly Row[]; // the columns named
  const costOf = new Map(costs.map((row) => [String(row['thread_key']), real(row['cost'])]));
  return new Map(
    rows.map((row) => {
      const key = String(row['thread_key']);
      return [
        key,
        {
          startTime: wholeOrNothing(row['starts']),
          endTime: wholeOrNothing(row['ends']),
          traces: Number(row['traces']),
          cost: costOf.get(key),
        },
      ] as const;
    }),
  );
};

/** The first input or the last output of each thread. */
const readMessages = async (
  { db }: Connection,
  projectId: string,
  keys: readonly string[],
  which: 'first' | 'last',
): Promise<ReadonlyMap<string, string | undefined>> => {
  const direction = which === 'first' ? 'asc' : 'desc';
  const column = which === 'first' ? 'input' : 'output';
  const numbered = db('traces')
    .select('thread_key', 'id', { bytes: db.raw('octet_length(??)', [column]) })
    .select(
      db.raw(
        `row_number() over (partition by thread_key order by start_time ${direction}, id ${direction}) as place`,
      ),
    )
    .where({ project_id: projectId })
    .whereIn('thread_key', [...keys])
    .as('numbered');
  const found = (await db(numbered).select('id', 'bytes').where('place', 1)) as readonly Row[]; // the columns named
  requireRoom(found.reduce((sum, row) => sum + Number(row['bytes'] ?? 0), 0));
  const rows = (await db('traces')
    .select('thread_key', { message: column })
    .where({ project_id: projectId })
    .whereIn(
      'id',
      found.map((row) => String(row['id'])),
    )) as readonly Row[]; // the columns named
  return new Map(rows.map((row) => [String(row['thread_key']), text(row['message'])]));
};

const noSums: Sums = { startTime: undefined, endTime: undefined, traces: 0, cost: undefined };

/** Rows of threads with what their traces come to. */
const complete = async (
  connection: Connection,
  projectId: string,
  rows: readonly Row[],
): Promise<readonly Thread[]> => {
  if (rows.length === 0) return [];
  const keys = rows.map((row) => threadKey(String(row['thread_id'])));
  const sums = await sumTraces(connection, projectId, keys);
  const usage = await sumUsage(connection, projectId, { threadKeys: keys });
  const first = await readMessages(connection, projectId, keys, 'first');
  const last = await readMessages(connection, projectId, keys, 'last');
  return rows.map((row, at) => {
    const key = keys[at] ?? '';
    return {
      id: String(row['id']),
      projectId,
      threadId: String(row['thread_id']),
      tags: tagsOf(row['tags']),
      environment: text(row['environment']),
      closed: isTrue(row['closed']),
      lastActivityAt: Number(row['last_activity_at']),
      createdAt: Number(row['created_at']),
      createdBy: String(row['created_by']),
      lastUpdatedAt: Number(row['last_updated_at']),
      lastUpdatedBy: String(row['last_updated_by']),
      ...(sums.get(key) ?? noSums),
      firstMessage: first.get(key),
      lastMessage: last.get(key),
      usage: usage.get(key),
    };
  });
};

/** Which rows of threads, as `h`, are selected. */
export const selectedThreads = (
  { dialect }: Pick<Connection, 'dialect'>,
  { projectId, filters, search, fromId, toId, activeSince }: ThreadSelection,
): Fragment => {
  const sources = threadSources(activeSince);
  return both(
    fragment('h.project_id = ?', projectId),
    filterBy(filters, sources, dialect),
    ...(fromId === undefined ? [] : [fragment('h.id >= ?', fromId)]),
    ...(toId === undefined ? [] : [fragment('h.id <= ?', toId)]),
    ...(search === undefined
      ? []
      : [searched(search, ['h.thread_id', 'h.tags', ...messagesOf], dialect)]),
  );
};
const messageOf = (column: string, direction: string) =>
  `(select t.${column} from traces t where t.project_id = h.project_id and t.thread_key = h.thread_key order by t.start_time ${direction}, t.id ${direction} limit 1)`;
const messagesOf = [messageOf('input', 'asc'), messageOf('output', 'desc')];

const selectThreads = columns.map((column) => `h.${column}`).join(', ');

export const threadStore = (connection: Connection): ThreadStore => {
  const { db, dialect } = connection;
  const readRows = async (parts: readonly (string | Fragment)[]): Promise<readonly Row[]> => {
    const { sql, bindings } = joined(
      `select ${selectThreads} from trace_threads h where `,
      ...parts,
    );
    return (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns named
  };
  const findRows = (projectId: string, threadIds: readonly string[]): Promise<readonly Row[]> =>
    threadIds.length === 0
      ? Promise.resolve([])
      : (db('trace_threads')
          .select(...columns)
          .where({ project_id: projectId })
          .whereIn('thread_key', [...new Set(threadIds)].map(threadKey))
          .orderBy('id') as Promise<readonly Row[]>); // the columns named

  return {
    async require(projectId, threadIds, change) {
      const wanted = [...new Set(threadIds)];
      const found = await findRows(projectId, wanted);
      const known = new Set(found.map((row) => row['thread_id']));
      const missing = wanted.filter((threadId) => !known.has(threadId));
      if (missing.length > 0)
        await inTransaction(connection, async (inside) => {
          await insertTouched(
            inside,
            projectId,
            missing.map((threadId) => ({ threadId, environment: undefined, change })),
            dialect.onConflictIgnore(['project_id', 'thread_key']),
          );
          await writeJournal(inside, projectId, 'trace_threads', missing.map(threadKey));
        });
      const rows = missing.length === 0 ? found : await findRows(projectId, wanted);
      return new Map(rows.map((row) => [String(row['thread_id']), String(row['id'])]));
    },
    async find(projectId, threadIds) {
      return complete(connection, projectId, await findRows(projectId, threadIds));
    },
    async findPlaces(workspaceId, ids) {
      const rows = (await db('trace_threads as h')
        .join('projects as p', 'p.id', 'h.project_id')
        .select('h.id', 'h.project_id')
        .where('p.workspace_id', workspaceId)
        .whereNull('p.deleted_at')
        .whereIn('h.id', ids.filter(isId))
        .orderBy('h.id')) as readonly Row[]; // the columns named
      return rows.map((row) => ({ id: String(row['id']), projectId: String(row['project_id']) }));
    },
    async list({ beforeId, limit, ...selection }) {
      const rows = await readRows([
        selectedThreads(connection, selection),
        ...(beforeId === undefined ? [] : [fragment(' and h.id < ?', beforeId)]),
        fragment(' order by h.id desc limit ?', limit),
      ]);
      return complete(connection, selection.projectId, rows);
    },
    async page({ orders, page, size, ...selection }) {
      const among = selectedThreads(connection, selection);
      const rows = await readRows([
        among,
        ' order by ',
        orderBy(orders, threadSources(selection.activeSince), 'h.id desc', dialect),
        fragment(' limit ? offset ?', size, (page - 1) * size),
      ]);
      const { sql, bindings } = joined('select count(*) as n from trace_threads h where ', among);
      const [counted] = (await dialect.run(db, sql, bindings)) as readonly Row[]; // one row
      return {
        page,
        size,
        total: Number(counted?.['n'] ?? 0),
        content: await complete(connection, selection.projectId, rows),
      };
    },
    setClosed: (ids, closed, { at, by }) =>
      inTransaction(connection, async (inside) => {
        const changed = await inside
          .db('trace_threads')
          .whereIn('id', ids.filter(isId))
          .update({
            closed,
            last_updated_at: at,
            last_updated_by: by,
            ...(closed ? {} : { last_activity_at: at }),
          });
        if (changed > 0) await tellOf(inside, ids.filter(isId));
      }),
    changeTags: (ids, decide, { at, by }) =>
      inTransaction(connection, async (inside) => {
        const rows = (await inside
          .db('trace_threads')
          .select('id', 'tags')
          .whereIn('id', ids.filter(isId))
          .orderBy('id')
          .forUpdate()) as readonly Row[]; // the columns named
        for (const row of rows)
          await inside
            .db('trace_threads')
            .where({ id: String(row['id']) })
            .update({
              tags: JSON.stringify(decide(tagsOf(row['tags']) ?? [])),
              last_updated_at: at,
              last_updated_by: by,
            });
        await tellOf(inside, ids.filter(isId));
      }),
    remove: (projectId, threadIds) =>
      inTransaction(connection, async (inside) => {
        const keys = [...new Set(threadIds)].map(threadKey).sort();
        const traces = (await inside
          .db('traces')
          .select('id')
          .where({ project_id: projectId })
          .whereIn('thread_key', keys)
          .orderBy('id')) as readonly Row[]; // the column named
        const ids = traces.map((row) => String(row['id']));
        await removeEntries(inside, projectId, ids);
        await removeEmptyThreads(inside, projectId, keys);
      }),
  };
};
