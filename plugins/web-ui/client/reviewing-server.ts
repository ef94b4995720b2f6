// What the pages of annotation queues, evaluators and alerts ask: rows that SDKs of LLM observability ask too.
import type { annotationQueueOperations } from '#ports/api/annotation-queues';
import type { feedbackDefinitionOperations } from '#ports/api/feedback-definitions';
import type { traceOperations } from '#ports/api/traces';
import { row } from './request.js';

type Queues = typeof annotationQueueOperations;
type Definitions = typeof feedbackDefinitionOperations;
const queues = '/v1/private/annotation-queues';
const ofQueue = `${queues}/{id}` as const;
const ofLock = `${queues}/{queueId}/items/{itemId}/lock` as const;
const definitions = '/v1/private/feedback-definitions';

export const queuesServer = {
  list: row<Queues['listAnnotationQueues']>('GET', queues),
  show: row<Queues['showAnnotationQueue']>('GET', ofQueue),
  create: row<Queues['createAnnotationQueue']>('POST', queues),
  update: row<Queues['updateAnnotationQueue']>('PATCH', ofQueue),
  remove: row<Queues['deleteAnnotationQueues']>('POST', `${queues}/delete`),
  addItems: row<Queues['addQueueItems']>('POST', `${ofQueue}/items/add`),
  removeItems: row<Queues['removeQueueItems']>('POST', `${ofQueue}/items/delete`),
  locks: row<Queues['listQueueLocks']>('GET', `${queues}/{queueId}/locks`),
  lock: row<Queues['lockQueueItem']>('PUT', ofLock),
  release: row<Queues['releaseQueueItem']>('DELETE', ofLock),
  /** Scores of traces of a queue, all or none. */
  score: row<(typeof traceOperations)['scoreTraces']>('PUT', '/v1/private/traces/feedback-scores'),
} as const;

export const definitionsServer = {
  list: row<Definitions['listFeedbackDefinitions']>('GET', definitions),
  create: row<Definitions['createFeedbackDefinition']>('POST', definitions),
  remove: row<Definitions['deleteFeedbackDefinitions']>('POST', `${definitions}/delete`),
} as const;

export type Queue = Awaited<ReturnType<typeof queuesServer.show>>;
export type ShownDefinition = Awaited<ReturnType<typeof definitionsServer.list>>['content'][number];
