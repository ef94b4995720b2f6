// What SDKs of LLM observability write and read of spans.
import { span, spanComment } from '../model/traces.js';
import { detailed, one, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { flag, list, object, optional, shape, text, texts, word } from './schema.js';
import {
  changeable,
  created,
  feedbackRows,
  lines,
  listing,
  ofSpan,
  projectOfBody,
  projectOfQuery,
  retagged,
  searching,
  selecting,
  shownEntry,
  statistics,
  targetOfBody,
  targetsOf,
  tracedPage,
  wholeScope,
} from './traced.js';

const spanWrite = shape('SpanWrite', 'A span as a client sends it; times are ISO 8601.', {
  ...created,
  ...changeable,
  ...ofSpan,
  trace_id: optional(text()),
});
const spanChange = { ...changeable, ...retagged, ...ofSpan } as const;
const spanUpdate = shape('SpanUpdate', 'What changes of a span; what is left out stays.', {
  ...spanChange,
  trace_id: text(),
});
const shownSpan = shape('Span', 'A span; durations are in ms.', {
  ...shownEntry,
  trace_id: text(),
  parent_span_id: optional(text()),
  type: optional(text()),
  model: optional(text()),
  provider: optional(text()),
  total_estimated_cost_version: optional(text()),
});

const root = '/v1/private/spans';
const byId = { path: everywhere(`${root}/{id}`), params: object({ id: text() }) } as const;
const feedback = feedbackRows(root, 'span', span, spanComment);
/** Spans of one trace, of one type. */
const narrowed = {
  trace_id: optional(text()),
  type: optional(word('general', 'tool', 'llm', 'guardrail')),
} as const;

export const spanOperations = operations({
  createSpans: {
    method: 'POST',
    path: everywhere(`${root}/batch`),
    access: { needs: 'write', about: targetsOf('spans') },
    wire: { keepsNul: true },
    adds: true,
    metered: { events: { listed: 'spans' } },
    summary: 'Store spans, whether or not their traces are there; sent again they change nothing',
    body: object({ spans: list(spanWrite, { maxItems: 1000, minItems: 1 }) }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  createSpan: {
    method: 'POST',
    path: everywhere(root),
    access: { needs: 'write', about: targetOfBody },
    wire: { keepsNul: true },
    adds: true,
    metered: { events: 'one', as: 'singleWrites' },
    summary: 'Store a span that is not there yet',
    body: spanWrite,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'conflict'],
  },
  updateSpans: {
    method: 'PATCH',
    path: everywhere(`${root}/batch`),
    access: { needs: 'write', about: wholeScope },
    wire: { keepsNul: true },
    metered: { events: { listed: 'ids' } },
    summary:
      'Change several spans alike; `merge_tags` adds to their tags instead of replacing them',
    body: object({
      ids: texts(),
      update: shape('SpansUpdate', 'What changes of every one of some spans.', {
        ...spanChange,
        trace_id: optional(text()),
      }),
      merge_tags: optional(flag()),
    }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  updateSpan: {
    ...byId,
    method: 'PATCH',
    access: { needs: 'write', about: targetOfBody },
    wire: { keepsNul: true },
    metered: { events: 'one', as: 'singleWrites' },
    summary: 'Change a span, or keep the change for a span that is still to come',
    body: spanUpdate,
    replies: { 204: null },
    fails: ['invalid', 'conflict'],
  },
  pageSpans: {
    method: 'GET',
    path: everywhere(root),
    access: { needs: 'read', about: projectOfQuery },
    summary: 'Spans of a project or of one trace by page, filtered and sorted',
    query: object({ ...listing, ...narrowed }),
    replies: { 200: tracedPage('SpanPage', shownSpan) },
    fails: ['invalid', 'absent'],
  },
  spansExist: {
    method: 'GET',
    path: everywhere(`${root}/exists`),
    access: { needs: 'read', about: projectOfQuery },
    summary: 'Whether a project has spans, of a source or of traces in threads',
    query: object({
      project_name: selecting.project_name,
      project_id: selecting.project_id,
      source: optional(text()),
      thread_only: optional(flag()),
    }),
    replies: { 200: object({ exists: flag() }) },
    fails: ['invalid', 'absent'],
  },
  spanStatistics: {
    method: 'GET',
    path: everywhere(`${root}/stats`),
    access: { needs: 'read', about: projectOfQuery },
    summary: 'Counts, means and percentiles over spans of a project',
    query: object({ ...selecting, ...narrowed }),
    replies: { 200: statistics },
    fails: ['invalid', 'absent'],
  },
  showSpan: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about: one(span, 'header.comet-workspace/params.id') },
    metered: { as: 'spanReads' },
    summary: 'A span',
    query: object({ strip_attachments: optional(flag()) }),
    replies: { 200: shownSpan },
    fails: ['absent'],
  },
  searchSpans: {
    method: 'POST',
    path: everywhere(`${root}/search`),
    access: { needs: 'read', about: projectOfBody },
    summary:
      'Spans of a project or of one trace as lines of JSON, the newest first, behind a cursor',
    body: object({ ...searching, ...narrowed, last_retrieved_id: optional(text()) }),
    replies: { 200: lines },
    fails: ['invalid', 'absent'],
  },
  deleteSpan: {
    ...byId,
    method: 'DELETE',
    access: { needs: 'write', about: wholeScope, unbounded: false },
    audit: true,
    summary: 'Delete a span; one that is not there is no error',
    replies: { 204: null },
    fails: ['invalid'],
  },
  scoreSpan: feedback.scoreOne,
  scoreSpans: feedback.scoreMany,
  unscoreSpan: feedback.unscore,
  listSpanScoreNames: feedback.scoreNames,
  commentSpan: feedback.comment,
  showSpanComment: feedback.showComment,
  updateSpanComment: feedback.changeComment,
  deleteSpanComments: feedback.deleteComments,
});
