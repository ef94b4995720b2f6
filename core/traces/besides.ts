// What is read beside the rows of traces and spans for a reply: sums of spans, scores and comments, for a whole page at once.
import type { Span, Trace } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import { groupBy } from './entries.js';
import { showSpan, showTrace, type Showing } from './showing.js';

type Needs = StorageOf<'feedback' | 'traces'>;

/** Traces of one project as they are shown. */
export const showTraces = async (
  { stores: { feedback, traces } }: Needs,
  page: readonly Trace[],
  showing: Showing,
) => {
  const [first] = page;
  if (first === undefined) return [];
  const { projectId } = first;
  const ids = page.map(({ id }) => id);
  const [sums, scores, spanScores, comments] = await Promise.all([
    traces.sumSpans(projectId, ids),
    feedback.listScores(projectId, 'trace', ids),
    feedback.listSpanScores(projectId, ids),
    feedback.listComments(projectId, 'trace', ids),
  ]);
  const scoresOf = groupBy(scores, ({ entityId }) => entityId);
  const spanScoresOf = groupBy(spanScores, ({ traceId }) => traceId);
  const commentsOf = groupBy(comments, ({ entityId }) => entityId);
  return page.map((one) =>
    showTrace(
      one,
      {
        sums: sums.get(one.id),
        scores: scoresOf.get(one.id) ?? [],
        spanScores: spanScoresOf.get(one.id) ?? [],
        comments: commentsOf.get(one.id) ?? [],
      },
      showing,
    ),
  );
};

/** Spans of one project as they are shown. */
export const showSpans = async (
  { stores: { feedback } }: StorageOf<'feedback'>,
  page: readonly Span[],
  showing: Showing,
) => {
  const [first] = page;
  if (first === undefined) return [];
  const { projectId } = first;
  const ids = page.map(({ id }) => id);
  const [scores, comments] = await Promise.all([
    feedback.listScores(projectId, 'span', ids),
    feedback.listComments(projectId, 'span', ids),
  ]);
  const scoresOf = groupBy(scores, ({ entityId }) => entityId);
  const commentsOf = groupBy(comments, ({ entityId }) => entityId);
  return page.map((one) =>
    showSpan(
      one,
      { scores: scoresOf.get(one.id) ?? [], comments: commentsOf.get(one.id) ?? [] },
      showing,
    ),
  );
};
