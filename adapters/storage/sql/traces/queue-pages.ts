// Pages of the traces of one annotation queue. People page through a queue all day long: where each of its items is known to be a trace, the queue's own rows
// tell which ones a page has, and how many there are.
import type { TracePageRequest } from '#ports/storage/traces';
import { inTransaction, isTrue, type Connection } from '../connection.js';
import { isId } from '../ids.js';
import type { Row } from './rows.js';

/** The queue whose traces are asked for, the newest ones first and without any further condition. */
const queueOf = ({
  filters,
  orders,
  search,
  fromId,
  toId,
  traceId,
  threadId,
  type,
}: TracePageRequest): string | undefined => {
  const [filter, ...others] = filters;
  const isAlone =
    others.length === 0 &&
    orders.length === 0 &&
    [search, fromId, toId, traceId, threadId, type].every((part) => part === undefined);
  if (!isAlone || filter?.field !== 'annotation_queue_ids' || filter.is !== 'list')
    return undefined;
  const id = filter.value.toLowerCase();
  const isSought = filter.operator === 'equals' || filter.operator === 'contains';
  return isSought && isId(id) ? id : undefined;
};

interface QueueState {
  readonly items: number;
  readonly complete: boolean;
}

const stateOf = async (
  { db }: Connection,
  projectId: string,
  id: string,
  lock: boolean,
): Promise<QueueState | undefined> => {
  const query = db('annotation_queues')
    .select('items_count', 'complete')
    .where({ project_id: projectId, id, scope: 'trace' })
    .first();
  const row = (await (lock ? query.forUpdate() : query)) as Row | undefined; // the columns named
  return row && { items: Number(row['items_count']), complete: isTrue(row['complete']) };
};

export interface QueuePage {
  readonly ids: readonly string[];
  readonly total: number;
}

/** Which traces a page has whose rows are those of one queue; `undefined` where it asks for anything else, or has to be looked for. */
export const readQueuePage = async (
  connection: Connection,
  request: TracePageRequest,
): Promise<QueuePage | undefined> => {
  const { projectId, page, size } = request;
  const id = queueOf(request);
  if (id === undefined) return undefined;
  const [state, rows] = await Promise.all([
    stateOf(connection, projectId, id, false),
    connection
      .db('annotation_queue_items')
      .select('item_id')
      .where({ project_id: projectId, queue_id: id, removed: false })
      .orderBy('item_id', 'desc')
      .limit(size)
      .offset((page - 1) * size) as Promise<readonly Row[]>, // the column named
  ]);
  if (state?.complete !== true) return undefined;
  return { ids: rows.map((row) => String(row['item_id'])), total: state.items };
};

/** Remembers that each item of a queue is a trace, where a page that had to look for them found as many as the queue has. */
export const rememberComplete = async (
  connection: Connection,
  request: TracePageRequest,
  total: number,
): Promise<void> => {
  const { projectId } = request;
  const id = queueOf(request);
  if (id === undefined || total === 0) return;
  const seen = await stateOf(connection, projectId, id, false);
  if (seen === undefined || seen.complete || seen.items !== total) return;
  await inTransaction(connection, async (inside) => {
    // Nobody adds or removes items from here on.
    const state = await stateOf(inside, projectId, id, true);
    if (state === undefined) return;
    const found = (await inside
      .db('annotation_queue_items as i')
      .join('traces as x', (on) => on.on('x.project_id', 'i.project_id').andOn('x.id', 'i.item_id'))
      .where({ 'i.project_id': projectId, 'i.queue_id': id, 'i.removed': false })
      .count({ n: '*' })
      .first()) as Row | undefined; // one row of one column
    if (Number(found?.['n']) === state.items)
      await inside
        .db('annotation_queues')
        .where({ project_id: projectId, id })
        .update({ complete: true });
  });
};
