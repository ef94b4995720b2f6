import { administrationFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { queueOperations } from '#ports/api/queues';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { storageOf } from '#ports/storage/storage';

const pageSize = 100;

export const queuesArea = area({
  name: 'queues',
  summary: 'Items of background queues that failed, and trying them again.',
  family: administrationFamily,
  table: queueOperations,
  needs: { storage: storageOf('queueFaults'), clock: Clock },
  handlers: ({ storage, clock }) => {
    const { queueFaults } = storage.stores;
    return {
      listQueues: async () => ({
        queues: (await queueFaults.states()).map((state) => ({
          ...state,
          oldestAt: state.oldestAt ?? null,
        })),
      }),
      async listQueueFaults({ query: { queue, page = 1, size = pageSize } }) {
        const found = await queueFaults.list({
          ...(queue === undefined ? {} : { queue }),
          offset: (page - 1) * size,
          limit: size,
        });
        return {
          faults: found.map((fault) => ({
            ...fault,
            retryAt: fault.parkedAt === undefined ? fault.retryAt : null,
            parkedAt: fault.parkedAt ?? null,
          })),
        };
      },
      async retryQueue({ body: { queue, item } }) {
        const retried = await queueFaults.retry(queue, item, clock.now());
        if (retried === 0 && item !== undefined)
          throw new Failure('absent', `no work on ${item} of queue ${queue} has failed`);
        return { retried };
      },
    };
  },
});
