// Rows of a workspace in pages, by the keys of their tables.
import type { Knex } from 'knex';
import type { AnalyticTable } from '#ports/analytics';
import {
  changeMembers,
  isFollowed,
  type AnalyticReading,
  type AnalyticRow,
  type AnalyticRowStore,
} from '#ports/storage/analytic-rows';
import type { Row } from './authorship.js';
import { isTrue, type Connection } from './connection.js';
import { still } from './dataset-item-rows.js';
import { isId } from './ids.js';
import { bodyParts } from './traces/frames.js';
import { forgetJournal, readJournal } from './traces/journal.js';
import { columnsOf, readRows, sizeOf, spanShelf } from './traces/rows.js';

/** Rows and bytes of one page, and projects or datasets that are looked up at once. */
const [rowsAtOnce, bytesAtOnce, placesAtOnce] = [2000, 8 * 1024 * 1024, 200];

/** By what the columns of a table are found, one place after the other. */
interface Source {
  readonly table: string;
  /** What rows of one place have in common. */
  readonly place: 'project_id' | 'dataset_id' | 'workspace_id';
  /** What orders the rows of a place. */
  readonly key: readonly string[];
  /** Columns by members; others are called the same. */
  readonly columns: Readonly<Record<string, string>>;
  /** Members of long texts, by whose bytes pages are bounded. */
  readonly long: readonly string[];
  /** Instants that are kept as milliseconds. */
  readonly inMs: readonly string[];
}

const authored = ['created_at', 'last_updated_at'];
const scores: Source = {
  table: 'feedback_scores',
  place: 'project_id',
  key: ['entity_id', 'score_key'],
  // Who gave a score made it.
  columns: { entity_type: 'entity_kind', created_by: 'author' },
  long: ['reason'],
  inMs: [],
};
const sources: Readonly<Record<AnalyticTable, Source>> = {
  traces: {
    table: 'traces',
    place: 'project_id',
    key: ['id'],
    columns: {},
    long: ['input', 'output', 'metadata'],
    inMs: [],
  },
  spans: {
    table: 'spans',
    place: 'project_id',
    key: ['id'],
    columns: { total_estimated_cost: 'cost', total_estimated_cost_version: 'cost_version' },
    long: ['input', 'output', 'metadata'],
    inMs: [],
  },
  feedback_scores: scores,
  authored_feedback_scores: scores,
  trace_threads: {
    table: 'trace_threads',
    place: 'project_id',
    key: ['id'],
    columns: { status: 'closed', key: 'thread_key' },
    long: [],
    inMs: [],
  },
  experiments: {
    table: 'evaluations',
    place: 'workspace_id',
    key: ['id'],
    columns: { experiment_scores: 'scores', evaluation_method: 'method' },
    long: ['metadata'],
    inMs: [...authored, 'finished_at'],
  },
  experiment_items: {
    table: 'evaluation_items',
    place: 'workspace_id',
    key: ['id'],
    columns: { experiment_id: 'evaluation_id' },
    long: ['execution_policy'],
    inMs: authored,
  },
  dataset_items: {
    table: 'dataset_items',
    place: 'dataset_id',
    key: ['id'],
    columns: {},
    long: ['data'],
    inMs: authored,
  },
};

/** Ids of what the rows of a workspace are gathered by. */
async function* placesOf(
  { db }: Connection,
  { place }: Pick<Source, 'place'>,
  { workspaceId, projectId }: Pick<AnalyticReading, 'workspaceId' | 'projectId'>,
): AsyncIterable<string> {
  if (place === 'workspace_id') {
    yield workspaceId;
    return;
  }
  for (let after: string | undefined; ;) {
    const query = db(place === 'project_id' ? 'projects' : 'datasets')
      .select('id')
      .where({ workspace_id: workspaceId })
      .orderBy('id')
      .limit(placesAtOnce);
    if (place === 'project_id') query.whereNull('deleted_at');
    if (place === 'project_id' && projectId !== undefined) query.where({ id: projectId });
    if (after !== undefined) query.where('id', '>', after);
    const rows = (await query) as readonly Row[]; // the column named
    for (const row of rows) yield String(row['id']);
    if (rows.length < placesAtOnce) return;
    after = String(rows.at(-1)?.['id']);
  }
}

type Key = readonly string[];

const whose = (
  { db, dialect }: Connection,
  source: Source,
  { table, workspaceId, ids, times = {} }: AnalyticReading,
  place: string,
): Knex.QueryBuilder => {
  const query = db(`${source.table} as x`).where(`x.${source.place}`, place);
  for (const [member, { from, to }] of Object.entries(times)) {
    const column = `x.${source.columns[member] ?? member}`;
    const unit = source.inMs.includes(member) ? 1000 : 1;
    query.whereNotNull(column);
    if (from !== undefined) query.where(column, '>=', Math.ceil(from / unit));
    if (to !== undefined) query.where(column, '<=', Math.floor(to / unit));
  }
  if (ids !== undefined && isFollowed(table)) {
    const member = changeMembers[table];
    const column = `x.${source.columns[member] ?? member}`;
    // Threads are told of by hashes, others by ids.
    if (member === 'key') query.whereIn(column, [...ids]);
    else query.modify(dialect.among(column, 'id', ids.filter(isId)));
  }
  if (source.place === 'dataset_id')
    query.where({ 'x.workspace_id': workspaceId, 'x.to_version': still });
  if (source.table === 'evaluation_items')
    query.whereExists(
      db('evaluations as e')
        .select('e.id')
        .whereRaw('e.workspace_id = x.workspace_id and e.id = x.evaluation_id'),
    );
  return query;
};

/** For `modify`: what comes after a key, up to another one. */
const between =
  ({ key }: Source, after: Key | undefined, upTo?: Key) =>
  (query: Knex.QueryBuilder): void => {
    const [first = '', second] = key.map((column) => `x.${column}`);
    const bound = (sign: '>' | '<', at: Key, orEqual: boolean) => {
      const [one = '', other = ''] = at;
      if (second === undefined) query.where(first, orEqual ? `${sign}=` : sign, one);
      else
        query
          .where(first, `${sign}=`, one)
          .where((some) =>
            some.where(first, sign, one).orWhere(second, orEqual ? `${sign}=` : sign, other),
          );
    };
    if (after !== undefined) bound('>', after, false);
    if (upTo !== undefined) bound('<', upTo, true);
    for (const column of key) query.orderBy(`x.${column}`);
  };

/** The last key of the next page, and whether there may be one after it; `undefined` where there is none. */
const endOfPage = async (
  connection: Connection,
  source: Source,
  query: Knex.QueryBuilder,
  size: string,
): Promise<{ readonly key: Key; readonly more: boolean } | undefined> => {
  const keys = (await query
    .select(...source.key.map((column) => `x.${column}`), {
      bytes: connection.db.raw(size),
    })
    .limit(rowsAtOnce)) as readonly Row[]; // the columns named
  let bytes = 0;
  const over = keys.findIndex((row, at) => (bytes += Number(row['bytes'])) > bytesAtOnce && at > 0);
  const last = over === -1 ? keys.at(-1) : keys[over - 1];
  return (
    last && {
      key: source.key.map((column) => String(last[column])),
      more: over !== -1 || keys.length === rowsAtOnce,
    }
  );
};

const sizeOfLong = (source: Source, members: ReadonlySet<string>): string =>
  source.table === 'spans' && (members.has('input') || members.has('output'))
    ? sizeOf(spanShelf)
    : source.long
        .filter((member) => members.has(member) && !isBody(source, member))
        .map((member) => `coalesce(octet_length(x.${source.columns[member] ?? member}), 0)`)
        .join(' + ') || '0';

/** Of spans, these lie in frames. */
const isBody = ({ table }: Source, member: string): boolean =>
  table === 'spans' && (member === 'input' || member === 'output');

const plain = (value: unknown): string | number | undefined =>
  value === null || value === undefined
    ? undefined
    : typeof value === 'number'
      ? value
      : String(value);
/** Members whose columns hold whole numbers or fractions, which some drivers give as texts. */
const numbers: ReadonlySet<string> = new Set([
  ...['start_time', 'end_time', 'created_at', 'last_updated_at', 'finished_at', 'ttft', 'value'],
  'total_estimated_cost',
]);

const toRow = (
  source: Source,
  members: readonly string[],
  row: Row,
  workspaceId: string,
): AnalyticRow => {
  // Millions are read for one file: no more is made of each than has to be.
  const made: Record<string, string | number | undefined> = {};
  for (const member of members) made[member] = valueOf(source, member, row[member], workspaceId);
  return made;
};
const valueOf = (
  source: Source,
  member: string,
  stored: unknown,
  workspaceId: string,
): string | number | undefined => {
  if (member === 'workspace_id') return workspaceId;
  if (member === 'status' && source.table === 'trace_threads')
    return isTrue(stored) ? 'inactive' : 'active';
  const value = plain(stored);
  if (value === undefined || !numbers.has(member)) return value;
  return Number(value) * (source.inMs.includes(member) ? 1000 : 1);
};

/** Versions of prompts by the ids of evaluations: an object of lists, by the ids of prompts. */
const promptsOf = async (
  { db }: Connection,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = (await db('evaluation_prompts')
    .select('evaluation_id', 'prompt_id', 'version_id')
    .where({ workspace_id: workspaceId })
    .whereIn('evaluation_id', [...ids])
    .orderBy(['evaluation_id', 'position'])) as readonly Row[]; // the columns named
  const found = new Map<string, Record<string, string[]>>();
  for (const row of rows) {
    const id = String(row['evaluation_id']);
    const of = found.get(id) ?? {};
    found.set(id, of);
    (of[String(row['prompt_id'])] ??= []).push(String(row['version_id']));
  }
  return new Map([...found].map(([id, of]) => [id, JSON.stringify(of)]));
};

const readPage = async (
  connection: Connection,
  source: Source,
  reading: AnalyticReading,
  query: Knex.QueryBuilder,
): Promise<readonly AnalyticRow[]> => {
  const { workspaceId } = reading;
  const members = [...new Set([...reading.members, ...(source.key.includes('id') ? ['id'] : [])])];
  const own = members.filter(
    (member) =>
      member !== 'workspace_id' && member !== 'prompt_versions' && !isBody(source, member),
  );
  const columns = own.map((member) => `x.${source.columns[member] ?? member} as ${member}`);
  const parts = bodyParts.filter((part) => source.table === 'spans' && members.includes(part));
  if (parts.length > 0) {
    const rows = (await query.select(...columnsOf(spanShelf, 'x.'))) as readonly Row[]; // the columns named
    if (rows.length === 0) return [];
    const spans = await readRows(connection, spanShelf, String(rows[0]?.['project_id']), rows, {
      wanted: parts,
    });
    const byId = new Map(rows.map((row) => [String(row['id']), row]));
    return spans.map(({ id, input, output }) => {
      const row = byId.get(id) ?? {};
      const named = Object.fromEntries(
        own.map((member) => [member, row[source.columns[member] ?? member]]),
      );
      return toRow(source, members, { ...named, input, output }, workspaceId);
    });
  }
  const rows = (await query.select(
    ...(columns.length === 0 ? ['x.id'] : columns),
  )) as readonly Row[]; // the columns named
  const prompts = members.includes('prompt_versions')
    ? await promptsOf(
        connection,
        workspaceId,
        rows.map((row) => String(row['id'])),
      )
    : undefined;
  return rows.map((row) =>
    toRow(
      source,
      members,
      prompts === undefined ? row : { ...row, prompt_versions: prompts.get(String(row['id'])) },
      workspaceId,
    ),
  );
};

export const analyticRowStore = (connection: Connection): AnalyticRowStore => ({
  async *stream(reading) {
    if (reading.projectId !== undefined && !isId(reading.projectId)) return;
    const source = sources[reading.table];
    const size = sizeOfLong(source, reading.members);
    for await (const place of placesOf(connection, source, reading)) {
      let after: Key | undefined;
      for (;;) {
        const of = () => whose(connection, source, reading, place);
        const end = await endOfPage(connection, source, of().modify(between(source, after)), size);
        if (end === undefined) break;
        const page = await readPage(
          connection,
          source,
          reading,
          of().modify(between(source, after, end.key)),
        );
        if (page.length > 0) yield page;
        if (!end.more) break;
        after = end.key;
      }
    }
  },
  async changes(workspaceId, since) {
    const projectIds: string[] = [];
    for await (const id of placesOf(connection, { place: 'project_id' }, { workspaceId }))
      projectIds.push(id);
    return readJournal(connection, projectIds, since);
  },
  forgetChanges: (before, limit) => forgetJournal(connection, before, limit),
});
