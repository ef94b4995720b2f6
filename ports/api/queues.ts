// Queues that jobs work through, as an administrator of the installation sees them.
import { queueNames } from '../storage/queue-faults.js';
import { operations } from './operation.js';
import { integer, list, millis, nullable, object, optional, text, word } from './schema.js';
import { admin, saved } from './tracking.js';

const forAdmins = { needs: 'organization-admin', about: 'caller' } as const;

export const queueOperations = operations({
  listQueues: {
    method: 'GET',
    path: admin('/queues'),
    access: forAdmins,
    summary: 'Queues of the background jobs: what waits, since when, and what fails',
    replies: {
      200: object({
        queues: list(
          object({
            queue: text(),
            waiting: integer(),
            oldestAt: nullable(millis()),
            failing: integer(),
            parked: integer(),
          }),
        ),
      }),
    },
  },
  listQueueFaults: {
    method: 'GET',
    path: admin('/queues/faults'),
    access: forAdmins,
    summary: 'Items of queues on which work fails, parked ones first',
    query: object({
      queue: optional(word(...queueNames)),
      page: optional(integer({ minimum: 1 })),
      size: optional(integer({ minimum: 1, maximum: 1000 })),
    }),
    replies: {
      200: object({
        faults: list(
          object({
            queue: text(),
            item: text(),
            attempts: integer(),
            firstAt: millis(),
            retryAt: nullable(millis()),
            parkedAt: nullable(millis()),
            reason: text(),
          }),
        ),
      }),
    },
    fails: ['invalid'],
  },
  retryQueue: {
    method: 'POST',
    path: admin('/queues/retry'),
    access: forAdmins,
    audit: true,
    summary: 'Let an item of a queue be tried at once, or without one every parked item',
    body: object({ queue: word(...queueNames), item: optional(text({ min: 1, max: 200 })) }),
    replies: { 200: saved({ retried: integer() }, 'Retried') },
    fails: ['invalid', 'absent'],
  },
});
