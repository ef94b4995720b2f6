// The items of an annotation queue: which there are, what was thought of them, and who looks at which.
import { useEffect, useState } from 'preact/hooks';
import { otherAuthors, scoresBy, type Scores } from '../../pure/reviewing.js';
import { useLoaded } from '../loading.js';
import { session } from '../request.js';
import { queuesServer, type Queue } from '../reviewing-server.js';
import { threadsServer, tracesServer } from '../traces-server.js';

const pageSize = 1000;
/** More items than this are reached once some of these are done and taken out. */
export const mostItems = 5000;
const locksMs = 10_000;

export interface QueueItem {
  readonly id: string;
  /** The name of a trace, or the id that a client gave a thread. */
  readonly name: string;
  /** What whoever looks gave it. */
  readonly own: Scores;
  readonly isDone: boolean;
  /** Whether as many others as are asked for scored it. */
  readonly isFull: boolean;
}

type Found = Pick<QueueItem, 'id' | 'name'> & { readonly scores: Parameters<typeof scoresBy>[2] };

const left = ['input', 'output', 'metadata', 'comments', 'tags', 'error_info', 'usage'];

const pageOf = async (queue: Queue, page: number, signal: AbortSignal) => {
  const asked = {
    ...{ project_id: queue.project_id, annotation_queue_id: queue.id },
    ...{ page, size: pageSize },
  };
  if (queue.scope === 'trace') {
    const { total, content } = await tracesServer.page(
      { query: { ...asked, exclude: JSON.stringify(left) } },
      signal,
    );
    return {
      total,
      content: content.map(({ id, name, feedback_scores: scores }) => ({
        ...{ id, name: name ?? 'trace', scores: scores ?? [] },
      })),
    };
  }
  const { total, content } = await threadsServer.page(
    { query: { ...asked, truncate: true } },
    signal,
  );
  return {
    total,
    content: content.map(({ thread_model_id: id, id: name, feedback_scores: scores }) => ({
      ...{ id, name, scores: scores ?? [] },
    })),
  };
};

const listAll = async (queue: Queue, signal: AbortSignal) => {
  const all: Found[] = [];
  for (let page = 1; ; page++) {
    const { total, content } = await pageOf(queue, page, signal);
    all.push(...content);
    if (content.length < pageSize || all.length >= mostItems) return { total, all };
  }
};

const itemOf = (queue: Queue, { id, name, scores }: Found, given: Scores | undefined) => {
  const user = session.value?.userName ?? '';
  const { feedback_definition_names: names, annotators_per_item: wanted } = queue;
  const own = given ?? scoresBy(user, names, scores);
  const isDone = Object.keys(own).length > 0;
  return { id, name, own, isDone, isFull: !isDone && otherAuthors(user, names, scores) >= wanted };
};

/** The items of a queue, the newest first; what is given meanwhile counts at once, without asking for all of them anew. */
export const useItems = (queue: Queue) => {
  const [given, setGiven] = useState<Readonly<Record<string, Scores>>>({});
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const { value, fault } = useLoaded((signal) => listAll(queue, signal), [queue.id]);
  return {
    fault,
    total: value === undefined ? undefined : value.total - gone.size,
    items: value?.all
      .filter(({ id }) => !gone.has(id))
      .map((one): QueueItem => itemOf(queue, one, given[one.id])),
    give: (id: string, scores: Scores) => setGiven((before) => ({ ...before, [id]: scores })),
    drop: (id: string) => setGone((before) => new Set([...before, id])),
  };
};

export type Locks = Awaited<ReturnType<typeof queuesServer.locks>>['locks'];

/** Who looks at which item, asked every few seconds while the page is seen, and whenever `tick` changes. */
export const useLocks = (queueId: string, tick: number): Locks => {
  const [locks, setLocks] = useState<Locks>({});
  useEffect(() => {
    const leaving = new AbortController();
    const look = () => {
      if (document.hidden) return;
      queuesServer.locks({ params: { queueId } }, leaving.signal).then(
        (found) => setLocks(found.locks),
        () => undefined, // the page says by itself that the server is away
      );
    };
    look();
    const timer = setInterval(look, locksMs);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [queueId, tick]);
  return locks;
};
