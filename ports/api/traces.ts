// What SDKs of LLM observability write and read of traces.
import { trace, traceComment } from '../model/traces.js';
import { detailed, one, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { flag, integer, list, object, optional, shape, text, texts } from './schema.js';
import {
  changeable,
  created,
  feedbackRows,
  lines,
  listing,
  ofQueue,
  ofTrace,
  projectOfBody,
  projectOfQuery,
  retagged,
  scopeOfBody,
  searching,
  selecting,
  shownEntry,
  shownQueues,
  shownScore,
  statistics,
  targetOfBody,
  targetsOf,
  tracedPage,
  wholeScope,
} from './traced.js';

const traceWrite = shape('TraceWrite', 'A trace as a client sends it; times are ISO 8601.', {
  ...created,
  ...changeable,
  ...ofTrace,
});
const traceUpdate = shape('TraceUpdate', 'What changes of a trace; what is left out stays.', {
  ...changeable,
  ...retagged,
  ...ofTrace,
});
const shownTrace = shape('Trace', 'A trace, with what its spans add up to; durations are in ms.', {
  ...shownEntry,
  ...shownQueues,
  thread_id: optional(text()),
  visibility_mode: optional(text()),
  span_count: optional(integer()),
  llm_span_count: optional(integer()),
  has_tool_spans: optional(flag()),
  providers: optional(texts()),
  span_feedback_scores: optional(list(shownScore)),
  guardrails_validations: optional(
    list(
      object({
        span_id: text(),
        checks: list(object({ name: text(), result: text() })),
      }),
    ),
  ),
  experiment: optional(
    object({ id: text(), name: text(), dataset_id: text(), dataset_item_id: text() }),
  ),
});

const root = '/v1/private/traces';
const byId = { path: everywhere(`${root}/{id}`), params: object({ id: text() }) } as const;
const feedback = feedbackRows(root, 'trace', trace, traceComment);

export const traceOperations = operations({
  createTraces: {
    method: 'POST',
    path: everywhere(`${root}/batch`),
    access: { needs: 'write', about: targetsOf('traces') },
    wire: { keepsNul: true },
    adds: true,
    metered: { events: { listed: 'traces' } },
    summary:
      'Store traces, each in its project, which is made where it is missing; sent again they change nothing',
    body: object({ traces: list(traceWrite, { maxItems: 1000, minItems: 1 }) }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  createTrace: {
    method: 'POST',
    path: everywhere(root),
    access: { needs: 'write', about: targetOfBody },
    wire: { keepsNul: true },
    adds: true,
    metered: { events: 'one', as: 'singleWrites' },
    summary: 'Store a trace that is not there yet',
    body: traceWrite,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'conflict'],
  },
  updateTraces: {
    method: 'PATCH',
    path: everywhere(`${root}/batch`),
    access: { needs: 'write', about: wholeScope },
    wire: { keepsNul: true },
    metered: { events: { listed: 'ids' } },
    summary:
      'Change several traces alike; `merge_tags` adds to their tags instead of replacing them',
    body: object({
      ids: texts(),
      update: traceUpdate,
      merge_tags: optional(flag()),
    }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  updateTrace: {
    ...byId,
    method: 'PATCH',
    access: { needs: 'write', about: targetOfBody },
    wire: { keepsNul: true },
    metered: { events: 'one', as: 'singleWrites' },
    summary: 'Change a trace, or keep the change for a trace that is still to come',
    body: traceUpdate,
    replies: { 204: null },
    fails: ['invalid', 'conflict'],
  },
  pageTraces: {
    method: 'GET',
    path: everywhere(root),
    access: { needs: 'read', about: projectOfQuery },
    metered: { as: 'traceLists' },
    summary: 'Traces of a project by page, filtered and sorted',
    query: object({ ...listing, ...ofQueue }),
    replies: { 200: tracedPage('TracePage', shownTrace) },
    fails: ['invalid', 'absent'],
  },
  tracesExist: {
    method: 'GET',
    path: everywhere(`${root}/exists`),
    access: { needs: 'read', about: projectOfQuery },
    summary: 'Whether a project has traces, of a source or in threads',
    query: object({
      project_name: selecting.project_name,
      project_id: selecting.project_id,
      source: optional(text()),
      thread_only: optional(flag()),
    }),
    replies: { 200: object({ exists: flag() }) },
    fails: ['invalid', 'absent'],
  },
  traceStatistics: {
    method: 'GET',
    path: everywhere(`${root}/stats`),
    access: { needs: 'read', about: projectOfQuery },
    metered: { as: 'traceStatistics' },
    summary: 'Counts, means and percentiles over traces of a project',
    query: object({ ...selecting, ...ofQueue }),
    replies: { 200: statistics },
    fails: ['invalid', 'absent'],
  },
  showTrace: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about: one(trace, 'header.comet-workspace/params.id') },
    summary: 'A trace with what its spans add up to',
    query: object({ strip_attachments: optional(flag()) }),
    replies: { 200: shownTrace },
    fails: ['absent'],
  },
  searchTraces: {
    method: 'POST',
    path: everywhere(`${root}/search`),
    access: { needs: 'read', about: projectOfBody },
    metered: { as: 'traceStreams' },
    summary: 'Traces of a project as lines of JSON, the newest first, behind a cursor',
    body: object({ ...searching, last_retrieved_id: optional(text()) }),
    replies: { 200: lines },
    fails: ['invalid', 'absent'],
  },
  deleteTrace: {
    ...byId,
    method: 'DELETE',
    access: { needs: 'write', about: wholeScope, unbounded: false },
    audit: true,
    summary: 'Delete a trace with its spans; one that is not there is no error',
    replies: { 204: null },
    fails: ['invalid'],
  },
  deleteTraces: {
    method: 'POST',
    path: everywhere(`${root}/delete`),
    access: { needs: 'write', about: scopeOfBody, unbounded: false },
    audit: true,
    summary:
      'Delete traces with their spans, of one project where it is named; ids that are not there are skipped',
    body: object({
      ids: texts(),
      project_id: optional(text()),
      project_name: optional(text()),
    }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  scoreTrace: feedback.scoreOne,
  scoreTraces: feedback.scoreMany,
  unscoreTrace: feedback.unscore,
  listTraceScoreNames: feedback.scoreNames,
  commentTrace: feedback.comment,
  showTraceComment: feedback.showComment,
  updateTraceComment: feedback.changeComment,
  deleteTraceComments: feedback.deleteComments,
  isAlive: {
    method: 'GET',
    path: ['/is-alive/ping', '/api/is-alive/ping', '/opik/api/is-alive/ping'],
    access: { needs: 'public' },
    summary: 'Whether the server can do its work, for SDKs that wait to send again',
    replies: {
      200: object({ message: text(), healthy: flag() }),
      500: object({ message: text(), healthy: flag() }),
    },
  },
  showServerVersion: {
    method: 'GET',
    path: ['/is-alive/ver', '/api/is-alive/ver', '/opik/api/is-alive/ver'],
    access: { needs: 'public' },
    summary: 'The version of the server, by which SDKs know what they may send at once',
    replies: { 200: object({ version: text() }) },
  },
});
