// What is read beside the rows of traces and spans for a reply: sums of spans, scores and comments, for a whole page at once.
import type { Blob } from '#ports/blob';
import type { Span, Trace } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import { groupBy } from './entries.js';
import { putBack } from './putting-back.js';
import { leftOut, spanForm, traceForm, type Showing } from './showing.js';

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

/** How many rows are told: single ones as objects, the many of a page or a stream as their text. */
export type Way = 'show' | 'write';

/** Traces of one project as they are shown. */
export const showTraces = async (
  { storage, blob }: TraceNeeds,
  page: readonly Trace[],
  showing: Showing,
  way: Way = 'show',
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
  const form = traceForm.without(leftOut(showing));
  return shown.map((entry) => {
    const beside = {
      sums: sums.get(entry.id),
      scores: scoresOf.get(entry.id) ?? [],
      spanScores: spanScoresOf.get(entry.id) ?? [],
      comments: commentsOf.get(entry.id) ?? [],
      guardrails: guardrailsOf.get(entry.id) ?? [],
      evaluation: evaluations.get(entry.id),
      queues: queues.get(entry.id) ?? [],
    };
    return form[way]({ entry, beside, truncate: showing.truncate });
  });
};

const nothingBeside = { scores: [], comments: [] } as const;

/** Spans of one project as they are shown. */
export const showSpans = async (
  { storage, blob }: SpanNeeds,
  page: readonly Span[],
  showing: Showing,
  way: Way = 'show',
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
  const form = spanForm.without(leftOut(showing));
  return shown.map((entry) => {
    const beside =
      scores.length === 0 && comments.length === 0
        ? nothingBeside
        : { scores: scoresOf.get(entry.id) ?? [], comments: commentsOf.get(entry.id) ?? [] };
    return form[way]({ entry, beside, truncate: showing.truncate });
  });
};
