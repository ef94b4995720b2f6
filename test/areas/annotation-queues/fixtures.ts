import { v7 } from 'uuid';
import { annotationQueue } from '#ports/model/annotation-queues';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { annotationQueues } from './things.js';

const ownItems = 'are traces or threads that need not be there, kept by the queue alone';
const items = {
  with: (world: World) => ({ 'body.ids': [world.of(annotationQueues).traceId] }),
  notOurs: { 'body.ids': ownItems },
} as const;

export const fixtures: AreaFixtures = {
  areas: ['annotation-queues'],
  kinds: [
    kindIn(annotationQueue, annotationQueues, {
      name: ({ annotationQueueId }) => annotationQueueId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    listAnnotationQueues: { ownNames: ['query.name'] },
    createAnnotationQueue: {
      with: () => ({ 'body.name': freshName('queue') }),
      ownNames: ['body.name'],
    },
    createAnnotationQueues: {
      with: () => ({ 'body.annotation_queues.*.name': freshName('queue') }),
      ownNames: ['body.annotation_queues.*.name'],
      notOurs: { 'body.annotation_queues.*.id': 'is made by clients' },
    },
    updateAnnotationQueue: { ownNames: ['body.name'] },
    deleteAnnotationQueues: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(annotationQueues).annotationQueueId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
    addQueueItems: { with: () => ({ 'body.ids': [v7()] }), notOurs: { 'body.ids': ownItems } },
    removeQueueItems: { ...items, with: () => ({ 'body.ids': [v7()] }) },
    findQueueItems: items,
    listQueueLocks: {
      with: (world) => ({ 'params.queueId': world.of(annotationQueues).annotationQueueId }),
      notOurs: { 'params.queueId': 'is looked for in what the request reaches alone' },
    },
    lockQueueItem: {
      with: (world) => ({ 'params.itemId': world.of(annotationQueues).traceId }),
      notOurs: { 'params.itemId': 'is looked for in the queue alone' },
    },
    releaseQueueItem: {
      with: (world) => ({ 'params.itemId': world.of(annotationQueues).traceId }),
      notOurs: { 'params.itemId': 'is a lock of the caller, in the project of the queue alone' },
    },
  },
};
