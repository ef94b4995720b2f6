// Deletes traces that are older than the rules of their projects keep them, some in each transaction.
import type { Clock } from '#ports/clock';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import type { IdRange } from '#ports/storage/retention';
import type { StorageOf } from '#ports/storage/storage';
import { expiredRange, ruleFor } from './rules.js';

export interface DeletingNeeds {
  readonly storage: StorageOf<'projects' | 'retention' | 'traces'>;
  readonly clock: Clock;
  readonly log: Log;
}

const [tracesAtOnce, spansAtOnce, workspacesAtOnce] = [100, 500, 100];
const everyMs = 15 * 60_000;

/** Deletes the expired traces of a project with their spans, then expired spans whose trace never came. May run twice at once. Answers how many traces. */
const deleteExpired = async (
  { storage: { stores } }: DeletingNeeds,
  workspaceId: string,
  projectId: string,
  range: IdRange,
  signal: AbortSignal,
): Promise<number> => {
  const { retention, traces } = stores;
  let deleted = 0;
  while (!signal.aborted) {
    const ids = await retention.listTraces(projectId, range, tracesAtOnce);
    if (ids.length === 0) break;
    // A trace may have any number of spans: they go first, so that no transaction is long.
    for (;;) {
      const spans = await retention.listSpans(projectId, ids, spansAtOnce);
      if (spans.length < spansAtOnce) break;
      if (signal.aborted) return deleted;
      await traces.removeSpans(projectId, spans);
    }
    await traces.removeTraces(workspaceId, ids, projectId);
    deleted += ids.length;
  }
  while (!signal.aborted) {
    const spans = await retention.listSpansWithoutTrace(projectId, range, spansAtOnce);
    if (spans.length === 0) break;
    await traces.removeSpans(projectId, spans);
  }
  return deleted;
};

const applyRulesOf = async (
  needs: DeletingNeeds,
  workspaceId: string,
  signal: AbortSignal,
): Promise<number> => {
  const { stores } = needs.storage;
  const rules = await stores.retention.listEnabled(workspaceId);
  let deleted = 0;
  for (const { id } of await stores.projects.listByWorkspace(workspaceId)) {
    const rule = ruleFor(rules, id);
    const range = rule && expiredRange(rule, needs.clock.now());
    if (range === undefined || signal.aborted) continue;
    try {
      deleted += await deleteExpired(needs, workspaceId, id, range, signal);
    } catch (fault) {
      // What fails in one project does not keep traces of the others; the next run takes it up again.
      needs.log.warn('traces that have expired could not be deleted', {
        project: id,
        fault: String(fault),
      });
    }
  }
  return deleted;
};

/** Deletes whatever has expired by now; answers how many traces. What it leaves is deleted by the next run. */
export const applyRetention = async (
  needs: DeletingNeeds,
  signal: AbortSignal,
): Promise<number> => {
  let deleted = 0;
  for (let after: string | undefined; ;) {
    const workspaces: readonly string[] = signal.aborted
      ? []
      : await needs.storage.stores.retention.listWorkspaces(after, workspacesAtOnce);
    for (const id of workspaces) deleted += await applyRulesOf(needs, id, signal);
    if (workspaces.length < workspacesAtOnce) return deleted;
    after = workspaces.at(-1);
  }
};

export const retentionJobs = (needs: DeletingNeeds): readonly Job[] => [
  {
    name: 'apply-retention',
    everyMs,
    run: async (signal) => {
      const deleted = await applyRetention(needs, signal);
      if (deleted > 0) needs.log.info('traces were deleted by retention rules', { deleted });
    },
  },
];
