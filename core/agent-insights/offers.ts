// What other areas do with agent insights: make the job of a project.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { InsightsJob } from '#ports/model/agent-insights';
import { madeBy } from '../private-wire/authorship.js';

/** A job as it is made: disabled, without guidance, and had no run yet. */
export const newJob = (
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  projectId: string,
  caller: { readonly userName: string },
): InsightsJob => ({
  id: ids.next(),
  projectId,
  status: 'disabled',
  enrolled: false,
  firstRunAt: undefined,
  scannedAt: undefined,
  failure: undefined,
  guidance: undefined,
  guidanceBy: undefined,
  guidanceAt: undefined,
  guidanceVersion: 0,
  resultsVersion: undefined,
  ...madeBy(clock, caller),
});
