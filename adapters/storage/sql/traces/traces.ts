// The store of traces and spans.
import type { Trace, TraceEntry } from '#ports/model/traces';
import { Failure } from '#ports/failure';
import type { Fragment } from '#ports/sql-dialect';
import {
  mostSearched,
  type TraceListing,
  type TracePage,
  type TracePageRequest,
  type TraceStore,
} from '#ports/storage/traces';
import { inTransaction, type Connection } from '../connection.js';
import { orderBy } from '../field-query.js';
import { both, fragment } from '../fragment.js';
import { isId } from '../ids.js';
import {
  countInBlocks,
  firstBy,
  joinStretches,
  seekStretches,
  type SeekStretches,
  type Stretches,
  withinStretches,
  type Stretched,
} from './blocks.js';
import { change } from './changing.js';
import { bodyParts, type BodyPart } from './frames.js';
import { asksForBodies, narrow } from './narrowing.js';
import { idBefore, idBehind, idFurther, laterOf } from './ranges.js';
import { run, withReads } from './reads.js';
import { readQueuePage, rememberComplete, type QueuePage } from './queue-pages.js';
import { createRepeats, type Repeats } from './repeats.js';
import { removeEntries, removeSpanRows } from './removing.js';
import {
  firstColumnsOf,
  readColumnsOf,
  readRows,
  spanShelf,
  traceShelf,
  type Extent,
  type Row,
  type Shelf,
} from './rows.js';
import { selected, sourcesOf, type Selection } from './selecting.js';
import { sumSpans } from './sums.js';

const partsBut = (omitted: ReadonlySet<string> = new Set()): readonly BodyPart[] =>
  bodyParts.filter((part) => !omitted.has(part));

/** Rows as they were found, with texts that are not too long, and about how many bytes all of them have. */
interface Found {
  readonly id: string;
  readonly bytes: number;
  readonly row: Row;
}

interface Sought {
  readonly projectId: string;
  readonly among: Fragment;
  /** How they are sorted, if at all. */
  readonly order?: Fragment;
  readonly limit?: number;
  readonly offset?: number;
}

/** Rows that are selected, each as far as it is wanted but for its longer texts. */
const find = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  extent: Extent,
  { projectId, among, order, limit, offset = 0 }: Sought,
): Promise<readonly Found[]> => {
  const columns = firstColumnsOf(shelf, extent).join(', ');
  const sorted = order === undefined ? [] : [' order by ', order];
  const bounds = limit === undefined ? [] : [fragment(' limit ? offset ?', limit, offset)];
  const rows = await (offset === 0
    ? run(connection, `select ${columns} from ${shelf.table} x where `, among, ...sorted, ...bounds)
    : // Rows before those of the page are stepped over by their ids alone.
      run(
        connection,
        `select ${columns} from (select x.id from ${shelf.table} x where `,
        among,
        ...sorted,
        ...bounds,
        `) p join ${shelf.table} x on x.id = p.id where `,
        fragment('x.project_id = ?', projectId),
        ...sorted,
      ));
  return rows.map((row) => ({ id: String(row['id']), bytes: Number(row['bytes']), row }));
};

/** Among so many of the newest rows those that are sought are looked for one after the other, and then among about so many times as many. */
const [walkedRows, walkedFurther] = [20_000, 20];
/** Of the newest blocks so many at most may hold what seldom occurs. */
const seldomBlocks = 256;

/** Rows that are selected, the greatest id first. What few rows have, or none, would be looked for from row to row by one process of the engine. */
const findNewest = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  extent: Extent,
  selection: Selection,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<readonly Found[]> => {
  const { projectId, filters, type, among } = selection;
  const { dialect } = connection;
  const walk = (those: Selection): Promise<readonly Found[]> =>
    find(connection, shelf, extent, {
      ...{ projectId, limit, offset, order: newestFirst },
      among: selected(connection, shelf, those),
    });
  const isAny = filters.length === 0 && type === undefined;
  if (isAny || among !== undefined) return walk(selection);
  const [first, last] = [
    await idBehind(connection, shelf.kind, selection, 1),
    await idBehind(connection, shelf.kind, selection, walkedRows),
  ];
  if (first === undefined || last === undefined) return walk(selection);
  const walkFrom = (fromId: string) =>
    walk({ ...selection, fromId: laterOf(selection.fromId, fromId) });
  const seek = await seekStretches(connection, shelf.kind, selection);
  // Where nearly all rows are in blocks, of which few may hold what is sought, these are read at once.
  const seldom = seek && last <= seek.end ? await seek.next(seldomBlocks) : undefined;
  if (seldom === undefined) {
    const newest = await walkFrom(last);
    if (newest.length === limit) return newest;
  }
  const sought =
    seek && (await idsIn(connection, shelf, selection, { seek, first: seldom }, offset + limit));
  if (sought !== undefined)
    return find(connection, shelf, extent, {
      ...{ projectId, order: newestFirst },
      among: selected(connection, shelf, { ...selection, among: sought.slice(offset) }),
    });
  if (dialect.withWorkers === undefined) return walk(selection);
  const further = await walkFrom(idFurther(first, last, walkedFurther));
  if (further.length === limit) return further;
  // Sorted by an expression, no index gives this order: the engine reads what it has to, and keeps the first.
  const ids = await withReads(connection, (read) =>
    read(
      `select x.id from ${shelf.table} x where `,
      selected(connection, shelf, selection),
      ` order by ${dialect.byCodePoints(dialect.idAsText('x.id'))} desc`,
      fragment(' limit ? offset ?', limit, offset),
    ),
  );
  return find(connection, shelf, extent, {
    ...{ projectId, order: newestFirst },
    among: selected(connection, shelf, {
      ...selection,
      among: ids.map((row) => String(row['id'])),
    }),
  });
};

/** Stretches of the first look, and of any. */
const [stretchesFirst, stretchesMost] = [8, 128];

/** How many stretches to look at next, after so many in which so many rows were found: about as many as it takes. */
const stretchesNext = (looked: number, found: number, wanted: number): number =>
  Math.min(
    stretchesMost,
    found === 0 ? looked * 4 : Math.max(2, Math.ceil((1.2 * looked * (wanted - found)) / found)),
  );

/** The ids of selected rows in these stretches, the greatest first, as many as are wanted. */
const idsWithin = <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  selection: Selection,
  stretches: readonly Stretched[],
  wanted: number,
): Promise<readonly string[]> =>
  withReads(connection, async (read) => {
    const { dialect } = connection;
    const ids: string[] = [];
    let [looked, size] = [0, stretchesFirst];
    while (looked < stretches.length && ids.length < wanted) {
      const some = stretches.slice(looked, looked + size);
      // Sorted by an expression, no index gives this order: only these stretches are read.
      const rows = await read(
        `select x.id from ${shelf.table} x where `,
        both(selected(connection, shelf, selection), withinStretches(joinStretches(some))),
        ` order by ${dialect.byCodePoints(dialect.idAsText('x.id'))} desc`,
        fragment(' limit ?', wanted - ids.length),
      );
      for (const row of rows) ids.push(String(row['id']));
      looked += some.length;
      size = stretchesNext(looked, ids.length, wanted);
    }
    return ids;
  });

/** The ids of selected rows, the greatest first, as many as are wanted; `undefined` where blocks tell too little. */
const idsIn = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  selection: Selection,
  { seek, first }: { readonly seek: SeekStretches; readonly first: Stretches | undefined },
  wanted: number,
): Promise<readonly string[] | undefined> => {
  const ids: string[] = [];
  for (let sought = first ?? (await seek.next()); ; sought = await seek.next()) {
    if (sought === undefined) return undefined;
    const { stretches, more } = sought;
    const some = await idsWithin(connection, shelf, selection, stretches, wanted - ids.length);
    for (const id of some) ids.push(id);
    if (!more || ids.length >= wanted) return ids;
  }
};

/** Entries of what was found, in its order. One with longer texts is read once more as a whole, so that it is of one time, as far as it is still there. */
const readFound = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  projectId: string,
  found: readonly Found[],
  extent: Extent,
): Promise<readonly T[]> => {
  if (found.length === 0) return [];
  const isLonger = ({ row }: Found): boolean => Number(row['longer']) === 1;
  const longer = found.filter(isLonger).map(({ id }) => id);
  const again = new Map(
    longer.length === 0
      ? []
      : (
          await run(
            connection,
            `select ${readColumnsOf(shelf, extent).join(', ')} from ${shelf.table} x where `,
            fragment(
              `x.project_id = ? and ${connection.dialect.anyOf('x.id', 'id')}`,
              projectId,
              longer,
            ),
          )
        ).map((row) => [String(row['id']), row] as const),
  );
  const rows = found.flatMap((one): Row | readonly Row[] =>
    isLonger(one) ? (again.get(one.id) ?? []) : one.row,
  );
  const { omitted, characters } = extent;
  return readRows(connection, shelf, projectId, rows, { wanted: partsBut(omitted), characters });
};

/** As many of the first as have together no more than so many bytes, and the first in any case. */
const firstOf = (found: readonly Found[], mostBytes: number): readonly Found[] => {
  let bytes = 0;
  const end = found.findIndex((one, at) => (bytes += one.bytes) > mostBytes && at > 0);
  return end === -1 ? found : found.slice(0, end);
};

const newestFirst = fragment('x.id desc');

const list = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  { beforeId, limit, omitted, characters, mostBytes = Infinity, ...selection }: TraceListing,
): Promise<readonly T[]> => {
  const narrowed = await narrow(connection, shelf.kind, selection, { enough: limit, beforeId });
  const { projectId } = selection;
  const extent = { omitted, characters };
  const found = await findNewest(connection, shelf, extent, { ...narrowed, beforeId }, { limit });
  return readFound(connection, shelf, projectId, firstOf(found, mostBytes), extent);
};

/** Rows of a first look; each further one is of twice as many. */
const countedFirst = 4000;
/** How long it may take until no further look is begun, in ms: among the first rows, of which a total is nearly always told whole, and beyond. */
const [promptRows, promptMs, countingMs] = [50_000, 40, 20];

/** Whether nothing is asked of rows but where they are: all that is read is a range of an index. */
const isRange = ({ filters, search, threadId, type, among }: Selection): boolean =>
  filters.length === 0 && [search, threadId, type, among].every((asked) => asked === undefined);

/** How many rows are selected: the newest ones first, as far as a while allows, of which looking for those of a page has taken some. */
const countRows = async (
  connection: Connection,
  shelf: Pick<Shelf<TraceEntry>, 'kind' | 'table'>,
  selection: Selection,
  spentMs: number,
): Promise<{ readonly total: number; readonly atLeast: boolean }> => {
  if (isRange(selection)) {
    const told =
      selection.traceId === undefined
        ? await countInBlocks(connection, shelf.kind, selection)
        : undefined;
    const [counted] = await run(
      connection,
      `select count(*) as n from (select x.id from ${shelf.table} x where `,
      both(
        selected(connection, shelf, selection),
        ...(told === undefined ? [] : [withinStretches(told.beside)]),
      ),
      ` limit ${promptRows}) c`,
    );
    const found = Number(counted?.['n'] ?? 0);
    const total = found + (told?.rows ?? 0);
    if (found < promptRows) return { total, atLeast: false };
    if (told !== undefined) return { total, atLeast: true };
  }
  const began = performance.now();
  let [total, looked] = [0, 0];
  let toId = selection.toId;
  for (let rows = countedFirst; ;) {
    const last = await idBehind(connection, shelf.kind, { ...selection, toId }, rows);
    const range = { ...selection, toId, fromId: laterOf(selection.fromId, last) };
    const [counted] = await run(
      connection,
      `select count(*) as n from ${shelf.table} x where `,
      selected(connection, shelf, range),
    );
    total += Number(counted?.['n'] ?? 0);
    looked += rows;
    if (last === undefined) return { total, atLeast: false };
    const took = performance.now() - began;
    const left =
      (looked < promptRows ? Math.max(promptMs - spentMs, countingMs) : countingMs) - took;
    if (left <= 0) return { total, atLeast: true };
    // No more than what is likely to be done in time.
    rows = Math.max(countedFirst, Math.min(rows * 2, Math.floor((looked * left) / took)));
    toId = idBefore(last);
  }
};

const requireFitting = (found: readonly Found[], mostBytes = Infinity): void => {
  const bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > mostBytes)
    throw new Failure(
      'invalid',
      `the ${found.length} rows of this page have ${Math.ceil(bytes / 1024 / 1024)} MiB together: ask for fewer of them, or for truncated ones`,
    );
};

/** Rows of these ids, the newest first, as a page. */
const pageOf = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  request: TracePageRequest,
  { ids, total }: QueuePage,
): Promise<TracePage<T>> => {
  const { projectId, page: number, size, omitted, characters, mostBytes } = request;
  const extent = { omitted, characters };
  const found = await find(connection, shelf, extent, {
    ...{ projectId, order: newestFirst },
    among: selected(connection, shelf, { projectId, filters: [], among: ids }),
  });
  requireFitting(found, mostBytes);
  const content = await readFound(connection, shelf, projectId, found, extent);
  return { page: number, size, total, atLeast: false, content, cut: false };
};

/** A page of the traces of a queue is read by the queue's own rows, where these tell everything. */
const pageTraces = async (
  connection: Connection,
  request: TracePageRequest,
): Promise<TracePage<Trace>> => {
  const queued = await readQueuePage(connection, request);
  if (queued !== undefined) return pageOf(connection, traceShelf, request, queued);
  const found = await page(connection, traceShelf, request);
  if (!found.atLeast) await rememberComplete(connection, request, found.total);
  return found;
};

const page = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  { orders, page: number, size, omitted, characters, mostBytes, ...selection }: TracePageRequest,
): Promise<TracePage<T>> => {
  const from = asksForBodies(selection)
    ? await idBehind(connection, shelf.kind, selection, mostSearched)
    : undefined;
  const offset = (number - 1) * size;
  const narrowed = await narrow(
    connection,
    shelf.kind,
    { ...selection, fromId: laterOf(selection.fromId, from) },
    // In another order, the page may hold any of them.
    orders.length === 0 ? { enough: offset + size + 1 } : {},
  );
  const extent = { omitted, characters };
  const { projectId } = selection;
  const sorted = (...bounds: readonly Fragment[]) =>
    find(connection, shelf, extent, {
      ...{ projectId, limit: size, offset },
      among: both(selected(connection, shelf, narrowed), ...bounds),
      order: orderBy(orders, sourcesOf(shelf.kind), 'x.id desc', connection.dialect),
    });
  const findSorted = async (): Promise<readonly Found[]> => {
    const bounds = await firstBy(connection, shelf.kind, narrowed, orders, offset + size);
    const first = await sorted(...bounds);
    // One that was within its bounds may have changed since these were read.
    return bounds.length > 0 && first.length < size ? sorted() : first;
  };
  const began = performance.now();
  const found =
    orders.length === 0
      ? await findNewest(connection, shelf, extent, narrowed, { limit: size, offset })
      : await findSorted();
  requireFitting(found, mostBytes);
  // A page that is not full is the last one.
  const isLast = found.length < size && (found.length > 0 || offset === 0);
  const [content, { total, atLeast }] = await Promise.all([
    readFound(connection, shelf, projectId, found, extent),
    narrowed.among !== undefined
      ? { total: narrowed.among.length, atLeast: narrowed.more === true }
      : isLast
        ? { total: offset + found.length, atLeast: false }
        : countRows(connection, shelf, narrowed, performance.now() - began),
  ]);
  return {
    ...{ page: number, size, atLeast, content, cut: from !== undefined },
    // Rows were counted from the newest one on, and those of the page may all be older.
    total: Math.max(total, found.length === 0 ? 0 : offset + found.length),
  };
};

const read = async <T extends TraceEntry>(
  connection: Connection,
  shelf: Shelf<T>,
  projectId: string,
  ids: readonly string[],
): Promise<readonly T[]> => {
  const wanted = ids.filter(isId);
  if (wanted.length === 0) return [];
  const rows = await run(
    connection,
    `select ${readColumnsOf(shelf).join(', ')} from ${shelf.table} x where `,
    fragment(
      `x.project_id = ? and ${connection.dialect.anyOf('x.id', 'id')} order by x.id desc`,
      projectId,
      wanted,
    ),
  );
  return readRows(connection, shelf, projectId, rows);
};

/** Rows that are forgotten in passing, so that no request pays for many. */
const forgottenAtOnce = 100;
const forgetOtelTraces = async ({ db }: Connection, before: number): Promise<void> => {
  const rows = (await db('otel_traces')
    .select('project_id', 'otel_id')
    .where('seen_at', '<', before)
    .orderBy('seen_at')
    .limit(forgottenAtOnce)) as readonly Row[]; // the columns named
  for (const projectId of new Set(rows.map((row) => String(row['project_id']))))
    await db('otel_traces')
      .where({ project_id: projectId })
      .where('seen_at', '<', before)
      .whereIn(
        'otel_id',
        rows.filter((row) => row['project_id'] === projectId).map((row) => String(row['otel_id'])),
      )
      .delete();
};

/** What a process remembers of traces and of spans. */
export interface TraceMemory {
  readonly traces: Repeats;
  readonly spans: Repeats;
}
export const createTraceMemory = (): TraceMemory => ({
  traces: createRepeats(),
  spans: createRepeats(),
});

export const traceStore = (connection: Connection, memory: TraceMemory): TraceStore => {
  const { db } = connection;
  const findPlaces: TraceStore['findPlaces'] = async (kind, workspaceId, ids, projectId) => {
    const query = db(`${kind}s as t`)
      .join('projects as p', 'p.id', 't.project_id')
      .select('t.id', 't.project_id')
      .where('p.workspace_id', workspaceId)
      .whereNull('p.deleted_at')
      .whereIn('t.id', [...new Set(ids)].filter(isId))
      .orderBy([{ column: 't.last_updated_at', order: 'desc' }, 't.project_id', 't.id']);
    if (projectId !== undefined) query.where('p.id', projectId);
    const rows = (await query) as readonly Row[]; // the columns named
    return rows.map((row) => ({ id: String(row['id']), projectId: String(row['project_id']) }));
  };
  return {
    changeTraces: (projectId, ids, decide, ready) =>
      change(connection, memory.traces, traceShelf, { projectId, ids, decide, ready }),
    changeSpans: (projectId, ids, decide, ready) =>
      change(connection, memory.spans, spanShelf, { projectId, ids, decide, ready }),
    findPlaces,
    readTraces: (projectId, ids) => read(connection, traceShelf, projectId, ids),
    readSpans: (projectId, ids) => read(connection, spanShelf, projectId, ids),
    listTraces: (listing) => list(connection, traceShelf, listing),
    listSpans: (listing) => list(connection, spanShelf, listing),
    pageTraces: (request) => pageTraces(connection, request),
    pageSpans: (request) => page(connection, spanShelf, request),
    sumSpans: (projectId, traceIds) => sumSpans(connection, projectId, traceIds),
    async exist(kind, selection) {
      const rows = await run(
        connection,
        `select 1 as found from ${kind}s x where `,
        selected(connection, { kind }, await narrow(connection, kind, selection, { enough: 1 })),
        ' limit 1',
      );
      return rows.length > 0;
    },
    async mapOtelTraces(projectId, proposed, { now, forgetBefore }) {
      if (proposed.size === 0) return new Map();
      const { dialect } = connection;
      const wanted = [...proposed].sort(([one], [other]) => (one < other ? -1 : 1));
      await forgetOtelTraces(connection, forgetBefore);
      await dialect.insertColumns(
        db,
        'otel_traces',
        [
          { name: 'project_id', kind: 'id', values: wanted.map(() => projectId) },
          { name: 'otel_id', kind: 'text', values: wanted.map(([id]) => id) },
          { name: 'trace_id', kind: 'id', values: wanted.map(([, traceId]) => traceId) },
          { name: 'seen_at', kind: 'whole', values: wanted.map(() => now) },
        ],
        dialect.onConflict(['project_id', 'otel_id'], [`seen_at = ${dialect.incoming('seen_at')}`]),
      );
      const rows = (await db('otel_traces')
        .select('otel_id', 'trace_id')
        .where({ project_id: projectId })
        .whereIn('otel_id', [...proposed.keys()])) as readonly Row[]; // the columns named
      return new Map(rows.map((row) => [String(row['otel_id']), String(row['trace_id'])]));
    },
    removeTraces: (workspaceId, ids, projectId) =>
      inTransaction(connection, async (inside) => {
        const places = await traceStore(inside, memory).findPlaces(
          'trace',
          workspaceId,
          ids,
          projectId,
        );
        // Whoever removes several takes them in one order.
        for (const project of [...new Set(places.map((place) => place.projectId))].sort())
          await removeEntries(
            inside,
            project,
            places
              .filter((place) => place.projectId === project)
              .map(({ id }) => id)
              .sort(),
          );
      }),
    removeSpans: (projectId, ids) =>
      inTransaction(connection, (inside) =>
        removeSpanRows(inside, projectId, [...new Set(ids)].filter(isId).sort()),
      ),
  };
};
