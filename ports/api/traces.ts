// What SDKs of LLM observability write and read of traces and spans.
import { bytes, operations } from './operation.js';
import { everywhere, headerWorkspace, refusedWorkspace } from './private-wire.js';
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
} from './schema.js';

const errorInfo = shape('TraceError', 'What went wrong in a trace or span.', {
  exception_type: text({ min: 1 }),
  message: optional(text()),
  traceback: text({ min: 1 }),
});

/** Members that a create and an update share. */
const changeable = {
  project_name: optional(text()),
  project_id: optional(text()),
  name: optional(text()),
  end_time: optional(text()),
  input: optional(anything()),
  output: optional(anything()),
  metadata: optional(anything()),
  tags: optional(texts()),
  error_info: optional(errorInfo),
  ttft: optional(number()),
  source: optional(text()),
  environment: optional(text()),
} as const;
const created = {
  id: optional(text()),
  start_time: text(),
  last_updated_at: optional(text()),
} as const;
const retagged = { tags_to_add: optional(texts()), tags_to_remove: optional(texts()) } as const;
const ofTrace = { thread_id: optional(text()) } as const;
const ofSpan = {
  parent_span_id: optional(text()),
  type: optional(text()),
  model: optional(text()),
  provider: optional(text()),
  usage: optional(map(integer())),
  total_estimated_cost: optional(number()),
} as const;

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
const spanWrite = shape('SpanWrite', 'A span as a client sends it; times are ISO 8601.', {
  ...created,
  ...changeable,
  ...ofSpan,
  trace_id: optional(text()),
});
const spanUpdate = shape('SpanUpdate', 'What changes of a span; what is left out stays.', {
  ...changeable,
  ...retagged,
  ...ofSpan,
  trace_id: text(),
});

/** What a reply says of both; what there is nothing of is left out. */
const shown = {
  id: text(),
  project_id: text(),
  name: optional(text()),
  start_time: text(),
  end_time: optional(text()),
  input: optional(anything()),
  output: optional(anything()),
  metadata: optional(anything()),
  tags: optional(texts()),
  error_info: optional(errorInfo),
  usage: optional(map(integer())),
  total_estimated_cost: optional(number()),
  duration: optional(number()),
  ttft: optional(number()),
  source: optional(text()),
  environment: optional(text()),
  created_at: text(),
  created_by: text(),
  last_updated_at: text(),
  last_updated_by: text(),
} as const;
const trace = shape('Trace', 'A trace, with what its spans add up to; durations are in ms.', {
  ...shown,
  thread_id: optional(text()),
  span_count: integer(),
  llm_span_count: integer(),
  has_tool_spans: flag(),
  providers: optional(texts()),
});
const span = shape('Span', 'A span; durations are in ms.', {
  ...shown,
  trace_id: text(),
  parent_span_id: optional(text()),
  type: text(),
  model: optional(text()),
  provider: optional(text()),
});

const search = {
  project_name: optional(text()),
  project_id: optional(text()),
  filters: optional(list(map(anything()))),
  limit: optional(integer()),
  last_retrieved_id: optional(text()),
  truncate: optional(flag()),
} as const;

const rows = bytes('application/octet-stream');
const writes = {
  access: { needs: 'write', about: headerWorkspace },
  wire: refusedWorkspace,
} as const;
const reads = {
  access: { needs: 'read', about: headerWorkspace },
  wire: refusedWorkspace,
} as const;
/** Where the thing itself may be missing, which is not the workspace's 403. */
const byId = { params: object({ id: text() }) } as const;

export const traceOperations = operations({
  createTraces: {
    ...writes,
    method: 'POST',
    path: everywhere('/v1/private/traces/batch'),
    summary:
      'Store traces, each in its project, which is made where it is missing; sent again they change nothing',
    body: object({ traces: list(traceWrite, { maxItems: 1000 }) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  createTrace: {
    ...writes,
    method: 'POST',
    path: everywhere('/v1/private/traces'),
    summary: 'Store a trace that is not there yet',
    body: traceWrite,
    replies: { 201: null },
    fails: ['invalid', 'conflict'],
  },
  updateTrace: {
    ...writes,
    ...byId,
    method: 'PATCH',
    path: everywhere('/v1/private/traces/{id}'),
    summary: 'Change a trace, or keep the change for a trace that is still to come',
    body: traceUpdate,
    replies: { 204: null },
    fails: ['invalid', 'conflict', 'unprocessable'],
  },
  showTrace: {
    access: reads.access,
    ...byId,
    method: 'GET',
    path: everywhere('/v1/private/traces/{id}'),
    summary: 'A trace with what its spans add up to',
    replies: { 200: trace },
    fails: ['absent'],
  },
  searchTraces: {
    access: reads.access,
    method: 'POST',
    path: everywhere('/v1/private/traces/search'),
    summary: 'Traces of a project as lines of JSON, the newest first, behind a cursor',
    body: object(search),
    replies: { 200: rows },
    fails: ['invalid', 'absent', 'unprocessable'],
  },
  deleteTraces: {
    ...writes,
    access: { ...writes.access, unbounded: false },
    audit: true,
    method: 'POST',
    path: everywhere('/v1/private/traces/delete'),
    summary: 'Delete traces with their spans; ids that are not there are passed over',
    body: object({ ids: texts(), project_id: optional(text()) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  createSpans: {
    ...writes,
    method: 'POST',
    path: everywhere('/v1/private/spans/batch'),
    summary: 'Store spans, whether or not their traces are there; sent again they change nothing',
    body: object({ spans: list(spanWrite, { maxItems: 1000 }) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  createSpan: {
    ...writes,
    method: 'POST',
    path: everywhere('/v1/private/spans'),
    summary: 'Store a span that is not there yet',
    body: spanWrite,
    replies: { 201: null },
    fails: ['invalid', 'conflict'],
  },
  updateSpan: {
    ...writes,
    ...byId,
    method: 'PATCH',
    path: everywhere('/v1/private/spans/{id}'),
    summary: 'Change a span, or keep the change for a span that is still to come',
    body: spanUpdate,
    replies: { 204: null },
    fails: ['invalid', 'conflict', 'unprocessable'],
  },
  showSpan: {
    access: reads.access,
    ...byId,
    method: 'GET',
    path: everywhere('/v1/private/spans/{id}'),
    summary: 'A span',
    replies: { 200: span },
    fails: ['absent'],
  },
  searchSpans: {
    access: reads.access,
    method: 'POST',
    path: everywhere('/v1/private/spans/search'),
    summary:
      'Spans of a project or of one trace as lines of JSON, the newest first, behind a cursor',
    body: object({ ...search, trace_id: optional(text()) }),
    replies: { 200: rows },
    fails: ['invalid', 'absent', 'unprocessable'],
  },
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
