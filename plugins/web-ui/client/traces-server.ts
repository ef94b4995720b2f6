// What the pages of traces and threads ask: rows that SDKs of LLM observability ask too.
import type { attachmentOperations } from '#ports/api/attachments';
import type { feedbackDefinitionOperations } from '#ports/api/feedback-definitions';
import type { projectMetricOperations } from '#ports/api/project-metrics';
import type { spanOperations } from '#ports/api/spans';
import type { threadOperations } from '#ports/api/threads';
import type { traceOperations } from '#ports/api/traces';
import { row } from './request.js';

type Traces = typeof traceOperations;
type Spans = typeof spanOperations;
type Threads = typeof threadOperations;
const traces = '/v1/private/traces';
const spans = '/v1/private/spans';
const threads = `${traces}/threads` as const;

export const tracesServer = {
  page: row<Traces['pageTraces']>('GET', traces),
  statistics: row<Traces['traceStatistics']>('GET', `${traces}/stats`),
  metrics: row<(typeof projectMetricOperations)['showProjectMetrics']>(
    'POST',
    '/v1/private/projects/{id}/metrics',
  ),
  show: row<Traces['showTrace']>('GET', `${traces}/{id}`),
  update: row<Traces['updateTraces']>('PATCH', `${traces}/batch`),
  remove: row<Traces['deleteTraces']>('POST', `${traces}/delete`),
  score: row<Traces['scoreTrace']>('PUT', `${traces}/{id}/feedback-scores`),
  unscore: row<Traces['unscoreTrace']>('POST', `${traces}/{id}/feedback-scores/delete`),
  scoreNames: row<Traces['listTraceScoreNames']>('GET', `${traces}/feedback-scores/names`),
  comment: row<Traces['commentTrace']>('POST', `${traces}/{id}/comments`),
  editComment: row<Traces['updateTraceComment']>('PATCH', `${traces}/comments/{commentId}`),
  deleteComments: row<Traces['deleteTraceComments']>('POST', `${traces}/comments/delete`),
  attachments: row<(typeof attachmentOperations)['listAttachments']>(
    'GET',
    '/v1/private/attachment/list',
  ),
  definitions: row<(typeof feedbackDefinitionOperations)['listFeedbackDefinitions']>(
    'GET',
    '/v1/private/feedback-definitions',
  ),
} as const;

export const spansServer = {
  search: row<Spans['searchSpans']>('POST', `${spans}/search`),
  show: row<Spans['showSpan']>('GET', `${spans}/{id}`),
  update: row<Spans['updateSpans']>('PATCH', `${spans}/batch`),
  score: row<Spans['scoreSpan']>('PUT', `${spans}/{id}/feedback-scores`),
  unscore: row<Spans['unscoreSpan']>('POST', `${spans}/{id}/feedback-scores/delete`),
  scoreNames: row<Spans['listSpanScoreNames']>('GET', `${spans}/feedback-scores/names`),
  comment: row<Spans['commentSpan']>('POST', `${spans}/{id}/comments`),
  editComment: row<Spans['updateSpanComment']>('PATCH', `${spans}/comments/{commentId}`),
  deleteComments: row<Spans['deleteSpanComments']>('POST', `${spans}/comments/delete`),
} as const;

export const threadsServer = {
  page: row<Threads['pageThreads']>('GET', threads),
  retrieve: row<Threads['retrieveThread']>('POST', `${threads}/retrieve`),
  close: row<Threads['closeThreads']>('PUT', `${threads}/close`),
  open: row<Threads['openThread']>('PUT', `${threads}/open`),
  tag: row<Threads['tagThread']>('PATCH', `${threads}/{threadModelId}`),
  score: row<Threads['scoreThreads']>('PUT', `${threads}/feedback-scores`),
  unscore: row<Threads['unscoreThread']>('POST', `${threads}/feedback-scores/delete`),
  comment: row<Threads['commentThread']>('POST', `${threads}/{id}/comments`),
  editComment: row<Threads['updateThreadComment']>('PATCH', `${threads}/comments/{commentId}`),
  deleteComments: row<Threads['deleteThreadComments']>('POST', `${threads}/comments/delete`),
} as const;

export type ShownTrace = Awaited<ReturnType<typeof tracesServer.show>>;
export type ShownThread = Awaited<ReturnType<typeof threadsServer.retrieve>>;
export type ShownSpan = Awaited<ReturnType<typeof spansServer.show>>;
