// Traces that come along with something else, whole with their spans and scores, and what was said about them. Pure.
import type { Score, Span, Trace, TraceComment, TraceEntry } from '#ports/model/traces';
import { toScore, type SentScore } from './feedback.js';
import { mergeCreated } from './merging.js';
import { pricesFrom } from './prices.js';
import { readSpan, readTrace, type Writing } from './reading.js';
import { showComment, showScores } from './showing.js';

export type WholeWriting = Writing;
export type SentTrace = Parameters<typeof readTrace>[0];
export type SentSpan = Parameters<typeof readSpan>[0];

/** A trace as it is sent with everything that it has. */
export interface SentWhole {
  readonly trace: SentTrace;
  readonly spans: readonly SentSpan[];
  readonly scores: readonly SentScore[];
}
export interface WholeTrace {
  readonly trace: Trace;
  readonly spans: readonly Span[];
  readonly scores: readonly Score[];
}

/** Reads a trace of a project with its spans and scores. Rejects as the rows about traces do. */
export const readWhole = (
  { trace: sent, spans, scores }: SentWhole,
  projectId: string,
  writing: Writing,
): WholeTrace => {
  const trace = readTrace(sent, projectId, writing);
  const about = { projectId, kind: 'trace', entityId: trace.id } as const;
  return {
    trace,
    spans: spans.map((span) => readSpan({ ...span, trace_id: trace.id }, projectId, writing)),
    scores: scores.map((score) => toScore(score, { ...about, by: writing.by, at: writing.now })),
  };
};

/** What becomes of a stored entry when one comes that was read like that. */
export const mergeWhole = <T extends TraceEntry>(stored: T | undefined, fresh: T): T =>
  mergeCreated(stored, fresh);

/** What traces are read with, by the prices that a setting has. */
export const writingWith = (prices: string): ((given: Omit<Writing, 'prices'>) => Writing) => {
  const list = pricesFrom(prices);
  return (given) => ({ ...given, prices: list });
};

/** Models whose prices are known, by provider. */
export { pricedModels } from './prices.js';

/** Scores and comments about one trace as they are shown. */
export const showFeedback = (scores: readonly Score[], comments: readonly TraceComment[]) => ({
  scores: showScores(scores) ?? [],
  comments: comments.map(showComment),
});
