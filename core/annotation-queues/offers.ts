// What scoring means for annotation queues.
import type { Score } from '#ports/model/traces';
import type { Stores } from '#ports/storage/storage';
import { isWanted } from './rules.js';

/**
 * Ends the scorer's locks of what was scored, and adds it to queues whose automation wants it. The scores must be stored already; sent again they
 * change nothing.
 */
export const scored = async (
  { annotationQueues, feedback }: Pick<Stores, 'annotationQueues' | 'feedback'>,
  scores: readonly Score[],
  by: string,
): Promise<void> => {
  for (const scope of ['trace', 'thread'] as const) {
    const own = scores.filter(({ kind }) => kind === scope);
    for (const projectId of new Set(own.map((score) => score.projectId))) {
      const ids = [
        ...new Set(
          own.filter((score) => score.projectId === projectId).map(({ entityId }) => entityId),
        ),
      ];
      // Not before the scores, which are no work of a queue that something comes to because of them.
      const at = Math.max(...own.map(({ lastUpdatedAt }) => lastUpdatedAt));
      await annotationQueues.release(projectId, ids, by);
      const queues = await annotationQueues.listAutomated(projectId, scope);
      if (queues.length === 0) continue;
      const known = await feedback.listScores(projectId, scope, ids);
      for (const { id, automation } of queues) {
        const wanted = ids.filter(
          (itemId) =>
            automation !== undefined &&
            isWanted(
              automation,
              known.filter(({ entityId }) => entityId === itemId),
            ),
        );
        if (wanted.length > 0) await annotationQueues.addMatching({ projectId, id }, wanted, at);
      }
    }
  }
};
