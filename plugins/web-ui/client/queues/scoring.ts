// What a reviewer gives an item is stored by the rows of its kind, and taken back by them.
import type { Scores } from '../../pure/reviewing.js';
import { session } from '../request.js';
import { queuesServer, type Queue } from '../reviewing-server.js';
import { threadsServer, tracesServer } from '../traces-server.js';
import type { QueueItem } from './items.js';

const sentScores = (scores: Scores) =>
  Object.entries(scores).map(([name, { value, category, reason }]) => ({
    ...{ name, value, source: 'ui' as const },
    ...(category === undefined ? {} : { category_name: category }),
    ...(reason === undefined ? {} : { reason }),
  }));

const give = async (queue: Queue, { id, name }: QueueItem, scores: Scores): Promise<void> => {
  const sent = sentScores(scores);
  const { project_id } = queue;
  if (sent.length === 0) return;
  if (queue.scope === 'trace')
    await queuesServer.score({ body: { scores: sent.map((one) => ({ ...one, id, project_id })) } });
  else
    await threadsServer.score({
      body: { scores: sent.map((one) => ({ ...one, thread_id: name, project_id })) },
    });
};

const takeBack = async (
  queue: Queue,
  { id, name }: QueueItem,
  names: readonly string[],
): Promise<void> => {
  const author = session.value?.userName ?? '';
  if (names.length === 0) return;
  if (queue.scope === 'thread') {
    const { project_id } = queue;
    await threadsServer.unscore({
      body: { project_id, thread_id: name, names: [...names], author },
    });
    return;
  }
  for (const one of names)
    await tracesServer.unscore({ params: { id }, body: { name: one, author } });
};

/** Makes what somebody gave an item what is wanted; the scores of others stay. */
export const storeScores = async (
  queue: Queue,
  item: QueueItem,
  before: Scores,
  wanted: Scores,
): Promise<void> => {
  await give(queue, item, wanted);
  await takeBack(
    queue,
    item,
    Object.keys(before).filter((name) => !Object.hasOwn(wanted, name)),
  );
};
