// What logging does so that rules score what is logged.
import type { TracedKind } from '#ports/model/traces';
import type { Stores } from '#ports/storage/storage';
import { sampleOf } from './sampling.js';

/** So that it is stored before it is looked at. */
const settleMs = 1000;

/**
 * Puts things in the queue of what rules look at. They are stored only once this is done: then a process that dies between the two has stored nothing that is not
 * in the queue, without a transaction around both or a scan for what is new, which ids that clients make do not allow, since they may be as old as they
 * like. What never comes to be is dropped by whoever looks for it. Of a thing that is in the sample of no rule nothing waits, so that a small sample costs little
 * however much is logged. Where no rule is enabled for a project it costs no statement, and one statement a batch
 * where there is.
 */
export const awaitRules = (
  { automationRuns }: Pick<Stores, 'automationRuns'>,
  projectId: string,
  kind: TracedKind,
  ids: readonly string[],
): Promise<void> => {
  if (ids.length === 0) return Promise.resolve();
  const queued = automationRuns.enqueue(projectId, kind, ids, settleMs, sampleOf(kind));
  // Whoever is given it waits for it, unless they fail before: then nobody does, and what failed here must not end the process.
  queued.catch(() => undefined);
  return queued;
};
export { requireRules } from './scoring.js';
