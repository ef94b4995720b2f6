// What is read beside the rows of traces and spans for a reply: sums of spans, scores and comments, for a whole page at once.
import type { Blob } from '#ports/blob';
import type { Span, Trace } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import { groupBy } from './entries.js';
import { putBack } from './putting-back.js';
import { showSpan, showTrace, type Showing } from './showing.js';

interface SpanNeeds {
  readonly storage: StorageOf<'attachments' | 'feedback'>;
  readonly blob: Blob;
}
interface TraceNeeds {
  readonly storage: StorageOf<
    'annotationQueues' | 'attachments' | 'evaluationItems' | 'feedback' | 'guardrails' | 'traces'
  >;
  readonly blob: Blob;
}

/** Whether files stay out: what is truncated would lose them again. */
const isCut = ({ truncate, stripped }: Showing): boolean => truncate || stripped === true;

/** Traces of one project as they are shown. */
export const showTraces = async (
  { storage, blob }: TraceNeeds,
  page: readonly Trace[],
  showing: Showing,
) => {
  const [first] = page;
  if (first === undefined) return [];
  const { projectId } = first;
  const ids = page.map(({ id }) => id);
  const { annotationQueues, evaluationItems, feedback, guardrails, traces } = storage.stores;
  const [sums, scores, spanScores, comments, found, evaluations, queues] = await Promise.all([
    traces.sumSpans(projectId, ids),
    feedback.listScores(projectId, 'trace', ids),
    feedback.listSpanScores(projectId, ids),
    feedback.listComments(projectId, 'trace', ids),
    guardrails.list(projectId, ids),
    evaluationItems.listOfTraces(projectId, ids),
    annotationQueues.listQueuesOf(projectId, ids),
  ]);
  const guardrailsOf = groupBy(found, ({ traceId }) => traceId);
  const scoresOf = groupBy(scores, ({ entityId }) => entityId);
  const spanScoresOf = groupBy(spanScores, ({ traceId }) => traceId);
  const commentsOf = groupBy(comments, ({ entityId }) => entityId);
  const shown = isCut(showing) ? page : await putBack({ storage, blob }, 'trace', page);
  return shown.map((one) =>
    showTrace(
      one,
      {
        sums: sums.get(one.id),
        scores: scoresOf.get(one.id) ?? [],
        spanScores: spanScoresOf.get(one.id) ?? [],
        comments: commentsOf.get(one.id) ?? [],
        guardrails: guardrailsOf.get(one.id) ?? [],
        evaluation: evaluations.get(one.id),
        queues: queues.get(one.id) ?? [],
      },
      showing,
    ),
  );
};

/** Spans of one project as they are shown. */
export const showSpans = async (
  { storage, blob }: SpanNeeds,
  page: readonly Span[],
  showing: Showing,
) => {
  const [first] = page;
  if (first === undefined) return [];
  const { projectId } = first;
  const ids = page.map(({ id }) => id);
  const { feedback } = storage.stores;
  const [scores, comments] = await Promise.all([
    feedback.listScores(projectId, 'span', ids),
    feedback.listComments(projectId, 'span', ids),
  ]);
  const scoresOf = groupBy(scores, ({ entityId }) => entityId);
  const commentsOf = groupBy(comments, ({ entityId }) => entityId);
  const shown = isCut(showing) ? page : await putBack({ storage, blob }, 'span', page);
  return shown.map((one) =>
    showSpan(
      one,
      { scores: scoresOf.get(one.id) ?? [], comments: commentsOf.get(one.id) ?? [] },
      showing,
    ),
  );
};
