import type { Score, TraceComment, TracedKind } from '../model/traces.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Scores and comments about traces, spans and threads, which need not be there. */
export interface FeedbackStore {
  /** Stores scores; one of the same author and name is replaced, and keeps when it was created. Of several in one call the last counts. */
  putScores(scores: readonly Score[]): Promise<void>;
  /** Removes the scores of these names, of one author or of all; names are compared exactly. */
  removeScores(
    projectId: string,
    about: { readonly kind: TracedKind; readonly entityId: string },
    names: readonly string[],
    author?: string,
  ): Promise<void>;
  /** In the order of entity, name and author. */
  listScores(
    projectId: string,
    kind: TracedKind,
    entityIds: readonly string[],
  ): Promise<readonly Score[]>;
  /** The scores of every span of these traces, with the trace that each is of. */
  listSpanScores(
    projectId: string,
    traceIds: readonly string[],
  ): Promise<
    readonly (Score & { readonly traceId: string; readonly spanType: string | undefined })[]
  >;
  /** Names that scores have, each once and in order: of these projects, or of a whole workspace; of spans, of one type only where it is given. */
  listScoreNames(
    among: {
      readonly workspaceId: string;
      readonly projectIds?: readonly string[] | undefined;
      readonly spanType?: string | undefined;
    },
    kind: TracedKind,
  ): Promise<readonly string[]>;
  insertComment(comment: TraceComment): Promise<void>;
  findComment(id: string): Promise<TraceComment | undefined>;
  /** Answers whether it was there. */
  changeComment(
    id: string,
    change: Pick<TraceComment, 'text' | 'lastUpdatedAt' | 'lastUpdatedBy'>,
  ): Promise<boolean>;
  /** Removes comments of a workspace about one kind of thing; of one project where that is given. */
  removeComments(
    workspaceId: string,
    kind: TracedKind,
    ids: readonly string[],
    projectId?: string,
  ): Promise<void>;
  /** The oldest first. */
  listComments(
    projectId: string,
    kind: TracedKind,
    entityIds: readonly string[],
  ): Promise<readonly TraceComment[]>;
}

export const feedbackMethods: Methods<FeedbackStore> = {
  putScores: sets,
  removeScores: sets,
  listScores: reads,
  listSpanScores: reads,
  listScoreNames: reads,
  insertComment: once,
  findComment: reads,
  changeComment: sets,
  removeComments: sets,
  listComments: reads,
};
