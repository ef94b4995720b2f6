// Scores and comments about traces, spans and threads: the same for each of them.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope } from '#ports/model/projects';
import type { CommentRef, Score, TracedKind, TracedRef } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import { scored } from '../annotation-queues/offers.js';
import { readIds } from '../private-wire/ids.js';
import { showComment } from './showing.js';

const mostValue = 1e9;
const scale = 1e9;

export interface SentScore {
  readonly name: string;
  readonly value?: number | undefined;
  readonly reason?: string | undefined;
  readonly category_name?: string | undefined;
  readonly source: string;
}
/** Whom a score is of, and about what. */
interface Scoring {
  readonly projectId: string;
  readonly kind: TracedKind;
  readonly entityId: string;
  readonly by: string;
  /** Microseconds. */
  readonly at: number;
}

/** A score with up to nine digits behind the point. Rejects with `unprocessable` beyond what a score may be. */
export const toScore = (
  { name, value, reason, category_name: categoryName, source }: SentScore,
  { by, at, ...about }: Scoring,
): Score => {
  if (value === undefined) throw new Failure('unprocessable', 'value must not be null');
  if (!(Math.abs(value) < mostValue))
    throw new Failure(
      'unprocessable',
      'value must be between -999999999.999999999 and 999999999.999999999',
    );
  return {
    ...about,
    name,
    author: by,
    value: Math.round(value * scale) / scale,
    reason,
    categoryName,
    source,
    createdAt: at,
    lastUpdatedAt: at,
    lastUpdatedBy: by,
  };
};

interface FeedbackNeeds {
  readonly storage: StorageOf<'annotationQueues' | 'feedback' | 'projects'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What rows about scores and comments do that name one kind of thing. */
export const feedbackOf = ({ storage, clock, ids }: FeedbackNeeds, kind: TracedKind) => {
  const { feedback } = storage.stores;
  const now = (): number => clock.now() * 1000;
  return {
    async scoreOne(body: SentScore, { id, project }: TracedRef, { userName }: Caller) {
      const scoring = { projectId: project.id, kind, entityId: id, by: userName, at: now() };
      const score = toScore(body, scoring);
      await feedback.putScores([score]);
      await scored(storage.stores, [score], userName);
      return undefined;
    },
    async scoreNames(
      { type }: { readonly type?: string | undefined },
      { workspace, project }: ProjectScope,
    ) {
      const names = await feedback.listScoreNames(
        {
          workspaceId: workspace.id,
          projectIds: project === undefined ? undefined : [project.id],
          spanType: kind === 'span' ? type : undefined,
        },
        kind,
      );
      return { scores: names.map((name) => ({ name })) };
    },
    async comment(
      root: string,
      { text }: { readonly text: string },
      { id: entityId, project }: TracedRef,
      { userName }: Caller,
    ) {
      const [id, at] = [ids.next(), now()];
      await feedback.insertComment({
        id,
        projectId: project.id,
        kind,
        entityId,
        text,
        createdAt: at,
        createdBy: userName,
        lastUpdatedAt: at,
        lastUpdatedBy: userName,
      });
      return { body: { id }, madeAt: `${root}/${entityId}/comments/${id}` };
    },
    /** The comment, where it is about the thing that the address names beside it. */
    showComment({ comment }: CommentRef, entityId: string | undefined) {
      if (entityId?.toLowerCase() !== comment.entityId)
        throw new Failure('absent', `comment ${comment.id} not found`);
      return showComment(comment);
    },
    async changeComment(
      { text }: { readonly text: string },
      { id }: CommentRef,
      { userName }: Caller,
    ) {
      await feedback.changeComment(id, { text, lastUpdatedAt: now(), lastUpdatedBy: userName });
      return undefined;
    },
    async deleteComments(ids: readonly string[], { workspace, project }: ProjectScope) {
      await feedback.removeComments(workspace.id, kind, readIds(ids), project?.id);
      return undefined;
    },
  };
};
