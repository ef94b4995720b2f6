// Queues of traces and threads that people look through and score.
import {
  annotationQueue,
  itemSources,
  queueScopes,
  scoreOperators,
} from '../model/annotation-queues.js';
import { projectTarget } from '../model/projects.js';
import { detailed, eachOf, maybe, one, operations } from './operation.js';
import { authorship, everywhere, manyIds, pageOf, paged, reachedOfHeader } from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  map,
  number,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

const conditions = shape('QueueConditions', 'One group must hold, with all of its conditions.', {
  groups: list(
    object({
      conditions: list(
        object({ score_name: text(), operator: word(...scoreOperators), value: number() }),
      ),
    }),
  ),
});
const automation = shape('QueueAutomation', 'What adds items by itself when they are scored.', {
  enabled: optional(flag()),
  conditions: optional(conditions),
  max_items_in_queue: optional(integer()),
  clear_max_items_in_queue: optional(flag()),
});
const written = shape('AnnotationQueueWrite', 'An annotation queue as a client makes it.', {
  id: optional(text()),
  project_id: text({ min: 1, pattern: String.raw`\S` }),
  name: text({ min: 1, pattern: String.raw`\S` }),
  description: optional(text()),
  instructions: optional(text()),
  scope: word(...queueScopes),
  comments_enabled: optional(flag()),
  feedback_definition_names: optional(list(text(), { maxItems: 1000 })),
  annotators_per_item: optional(integer({ minimum: 1, maximum: 1000 })),
  lock_timeout_seconds: optional(integer({ minimum: 1, maximum: 3600 })),
  automation: optional(automation),
  annotator_view: optional(anything()),
});
const shown = shape('AnnotationQueue', 'An annotation queue, and how far people have come.', {
  id: text(),
  project_id: text(),
  project_name: text(),
  name: text(),
  description: optional(text()),
  instructions: optional(text()),
  scope: text(),
  comments_enabled: flag(),
  feedback_definition_names: texts(),
  annotators_per_item: integer(),
  lock_timeout_seconds: integer(),
  automation: optional(
    object({
      enabled: flag(),
      conditions: optional(conditions),
      max_items_in_queue: optional(integer()),
    }),
  ),
  annotator_view: optional(anything()),
  reviewers: list(object({ username: text(), status: integer() })),
  feedback_scores: list(object({ name: text(), value: number() })),
  items_count: integer(),
  ...authorship,
});

const root = '/v1/private/annotation-queues';
const byId = { path: everywhere(`${root}/{id}`), params: object({ id: text() }) } as const;
const about = one(annotationQueue, 'header.comet-workspace/params.id');
const ofItems = { params: object({ id: text() }), method: 'POST', body: manyIds } as const;

export const annotationQueueOperations = operations({
  listAnnotationQueues: {
    method: 'GET',
    path: everywhere(root),
    access: { needs: 'read', about: reachedOfHeader },
    summary: 'Annotation queues, the newest first; `name` is a part of it',
    query: object({
      ...paged,
      name: optional(text()),
      filters: optional(text()),
      sorting: optional(text()),
    }),
    replies: { 200: pageOf('AnnotationQueuePage', shown) },
    fails: ['invalid'],
  },
  createAnnotationQueue: {
    method: 'POST',
    path: everywhere(root),
    access: { needs: 'write', about: maybe(projectTarget, 'body.project_id') },
    projectsOfVersion7: true,
    summary: 'Make an annotation queue for traces or threads of a project',
    body: written,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  createAnnotationQueues: {
    method: 'POST',
    path: everywhere(`${root}/batch`),
    access: {
      needs: 'write',
      about: eachOf(projectTarget, 'body.annotation_queues.*', 'project_id'),
    },
    projectsOfVersion7: true,
    summary: 'Make several annotation queues, all or none',
    body: object({ annotation_queues: list(written, { minItems: 1, maxItems: 1000 }) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  deleteAnnotationQueues: {
    method: 'POST',
    path: everywhere(`${root}/delete`),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary:
      'Delete annotation queues; what is in them stays, and ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  showAnnotationQueue: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'An annotation queue with what it holds and how far people have come',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateAnnotationQueue: {
    ...byId,
    method: 'PATCH',
    access: { needs: 'write', about },
    // Its broken rules are 400, as the specification has it, and so is a body that is not there.
    wire: { needsBody: true, refusals: { unprocessable: { status: 400 } } },
    summary: 'Change an annotation queue; what is left out stays',
    body: object({
      name: optional(text()),
      description: optional(text()),
      instructions: optional(text()),
      comments_enabled: optional(flag()),
      feedback_definition_names: optional(list(text())),
      annotators_per_item: optional(integer()),
      lock_timeout_seconds: optional(integer()),
      automation: optional(automation),
      annotator_view: optional(anything()),
    }),
    replies: { 204: null },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  addQueueItems: {
    ...ofItems,
    path: everywhere(`${root}/{id}/items/add`),
    access: { needs: 'write', about },
    summary: 'Add traces or threads to an annotation queue; those that are in it stay',
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  removeQueueItems: {
    ...ofItems,
    path: everywhere(`${root}/{id}/items/delete`),
    access: { needs: 'write', about, unbounded: false },
    audit: true,
    summary:
      'Take traces or threads out of an annotation queue; those that are not in it are skipped',
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  findQueueItems: {
    ...ofItems,
    path: everywhere(`${root}/{id}/items/search`),
    access: { needs: 'read', about },
    summary: 'Which of these traces or threads are in an annotation queue, and how they came there',
    replies: {
      200: object({ content: list(object({ id: text(), source: word(...itemSources) })) }),
    },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  listQueueLocks: {
    method: 'GET',
    path: everywhere(`${root}/{queueId}/locks`),
    params: object({ queueId: text() }),
    access: { needs: 'read', about: reachedOfHeader },
    summary:
      'Who looks at which item of an annotation queue, and when the first of them stops (own); nothing of a queue that is not there',
    replies: {
      200: object({
        locks: map(object({ active_locks: integer(), locked_by: texts(), expires_at: text() })),
      }),
    },
  },
  lockQueueItem: {
    method: 'PUT',
    path: everywhere(`${root}/{queueId}/items/{itemId}/lock`),
    params: object({ queueId: text(), itemId: text() }),
    access: {
      needs: 'write',
      about: one(annotationQueue, 'header.comet-workspace/params.queueId'),
    },
    summary:
      'Lock an item for the caller, or extend the lock, while there is room for an annotator',
    replies: {
      200: object({
        acquired: flag(),
        item_id: text(),
        locked_by: text(),
        expires_at: optional(text()),
      }),
    },
    fails: ['absent', 'forbidden'],
  },
  releaseQueueItem: {
    method: 'DELETE',
    path: everywhere(`${root}/{queueId}/items/{itemId}/lock`),
    params: object({ queueId: text(), itemId: text() }),
    access: {
      needs: 'write',
      about: one(annotationQueue, 'header.comet-workspace/params.queueId'),
    },
    summary:
      'End the lock that the caller has of an item, in all queues of the project; nothing happens without one (own)',
    replies: { 204: null },
    fails: ['absent', 'forbidden'],
  },
});
