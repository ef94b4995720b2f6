import { v7 } from 'uuid';
import { span, spanComment, thread, threadComment, trace, traceComment } from '#ports/model/traces';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { traces } from './things.js';

const at = '2026-05-01T10:00:00.123456Z';
const unknown = () => unknownId;
const ours = (world: World) => world.of(traces);

/** Ids that clients make, and that are looked for in the scope of the request alone. */
const ownIds = 'is made by clients, and looked for in what the request reaches alone';
const theirs = (...places: readonly string[]) => ({
  notOurs: Object.fromEntries(places.map((place) => [place, ownIds])),
});
const score = { name: 'quality', value: 1, source: 'sdk' };

const scoring = (id: () => string) => ({
  with: () => ({
    ...Object.fromEntries(
      Object.entries(score).map(([name, value]) => [`body.scores.*.${name}`, value]),
    ),
    'body.scores.*.id': id(),
  }),
  ...theirs('body.scores.*.id'),
});
const deleting = (member: string) => ({
  with: () => ({ [member]: [v7()] }),
  ...theirs(member),
});

export const fixtures: AreaFixtures = {
  areas: ['traces', 'spans', 'threads'],
  things: [traces],
  kinds: [
    kindIn(trace, traces, { name: ({ traceId }) => traceId, unknown }),
    kindIn(span, traces, { name: ({ spanId }) => spanId, unknown }),
    kindIn(thread, traces, { name: ({ threadModelId }) => threadModelId, unknown }),
    kindIn(traceComment, traces, { name: ({ traceCommentId }) => traceCommentId, unknown }),
    kindIn(spanComment, traces, { name: ({ spanCommentId }) => spanCommentId, unknown }),
    kindIn(threadComment, traces, { name: ({ threadCommentId }) => threadCommentId, unknown }),
  ],
  rows: {
    createTraces: {
      with: () => ({ 'body.traces.*.id': v7(), 'body.traces.*.start_time': at }),
      ...theirs('body.traces.*.id', 'body.traces.*.thread_id'),
    },
    createTrace: {
      with: () => ({ 'body.start_time': at }),
      ...theirs('body.id', 'body.thread_id'),
    },
    updateTrace: { with: () => ({ 'params.id': v7() }), ...theirs('params.id', 'body.thread_id') },
    pageTraces: theirs('query.annotation_queue_id'),
    traceStatistics: theirs('query.annotation_queue_id'),
    pageThreads: theirs('query.annotation_queue_id'),
    threadStatistics: theirs('query.annotation_queue_id'),
    updateTraces: {
      with: () => ({ 'body.ids': [v7()] }),
      ...theirs('body.ids', 'body.update.thread_id', 'body.update.project_id'),
    },
    deleteTrace: { with: () => ({ 'params.id': v7() }), ...theirs('params.id') },
    deleteTraces: deleting('body.ids'),
    scoreTrace: { with: () => ({ 'body.source': 'sdk', 'body.value': 1 }) },
    scoreTraces: scoring(v7),
    unscoreTrace: { with: () => ({ 'params.id': v7() }), ...theirs('params.id') },
    showTraceComment: {
      with: (world) => ({ 'params.traceId': ours(world).traceId }),
      ...theirs('params.traceId'),
    },
    deleteTraceComments: deleting('body.ids'),
    createSpans: {
      with: () => ({ 'body.spans.*.id': v7(), 'body.spans.*.start_time': at }),
      ...theirs('body.spans.*.id', 'body.spans.*.trace_id', 'body.spans.*.parent_span_id'),
    },
    createSpan: {
      with: () => ({ 'body.start_time': at }),
      ...theirs('body.id', 'body.trace_id', 'body.parent_span_id'),
    },
    updateSpan: {
      with: () => ({ 'params.id': v7(), 'body.trace_id': v7() }),
      ...theirs('params.id', 'body.trace_id', 'body.parent_span_id'),
    },
    updateSpans: {
      with: () => ({ 'body.ids': [v7()] }),
      ...theirs(
        'body.ids',
        'body.update.trace_id',
        'body.update.parent_span_id',
        'body.update.project_id',
      ),
    },
    pageSpans: { with: () => ({ 'query.trace_id': undefined }), ...theirs('query.trace_id') },
    spanStatistics: theirs('query.trace_id'),
    searchSpans: theirs('body.trace_id', 'body.last_retrieved_id'),
    searchTraces: theirs('body.last_retrieved_id'),
    deleteSpan: { with: () => ({ 'params.id': v7() }), ...theirs('params.id') },
    scoreSpan: { with: () => ({ 'body.source': 'sdk', 'body.value': 1 }) },
    scoreSpans: scoring(v7),
    unscoreSpan: { with: () => ({ 'params.id': v7() }), ...theirs('params.id') },
    showSpanComment: {
      with: (world) => ({ 'params.spanId': ours(world).spanId }),
      ...theirs('params.spanId'),
    },
    deleteSpanComments: deleting('body.ids'),
    openThread: theirs('body.thread_id'),
    closeThreads: {
      with: (world) => ({
        'body.thread_id': ours(world).threadId,
        'body.project_id': ours(world).projectId,
      }),
      ...theirs('body.thread_id', 'body.thread_ids'),
    },
    retrieveThread: {
      with: (world) => ({
        'body.thread_id': ours(world).threadId,
        'body.project_id': ours(world).projectId,
      }),
      ...theirs('body.thread_id'),
    },
    searchThreads: theirs('body.last_retrieved_thread_model_id'),
    deleteThreads: theirs('body.thread_ids'),
    tagThreads: deleting('body.ids'),
    scoreThreads: {
      with: () =>
        Object.fromEntries(
          Object.entries({ ...score, thread_id: 'a' }).map(([name, value]) => [
            `body.scores.*.${name}`,
            value,
          ]),
        ),
      ...theirs('body.scores.*.thread_id'),
    },
    unscoreThread: theirs('body.thread_id'),
    showThreadComment: {
      with: (world) => ({ 'params.threadId': ours(world).threadModelId }),
      ...theirs('params.threadId'),
    },
    deleteThreadComments: deleting('body.ids'),
    isAlive: { open: 'tells no more than whether the server works' },
    showServerVersion: { open: 'tells the version, as another page does' },
  },
};
