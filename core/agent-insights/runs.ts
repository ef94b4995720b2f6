// Which runs there are, and what they are about. Pure.
import type { InsightsRun, InsightsRunKind } from '#ports/model/agent-insights';
import type { DueJob } from '#ports/storage/agent-insights';
import { dayOf } from './rules.js';

export const dayMs = 86_400_000;

/** The day, counted from 1970, whose runs are due at a moment (ms): it begins some hours after midnight. */
export const runDay = (now: number, hour: number): number =>
  Math.floor((now - hour * 3_600_000) / dayMs);

const newRun = (
  { projectId, guidance, guidanceVersion }: DueJob,
  kind: InsightsRunKind,
  id: string,
  now: number,
): Omit<InsightsRun, 'from' | 'to'> => ({
  ...{ projectId, kind, id, guidance, guidanceVersion },
  tries: 0,
  dueAt: now,
});

/** The run of a day, which is about the whole day before. */
export const dailyRun = (job: DueJob, id: string, day: number, now: number): InsightsRun => ({
  ...newRun(job, 'scheduled', id, now),
  from: (day - 1) * dayMs * 1000,
  to: day * dayMs * 1000,
});

/** A run about the last 24 hours. */
export const recentRun = (
  job: DueJob,
  kind: 'triggered' | 'first',
  id: string,
  now: number,
): InsightsRun => ({
  ...newRun(job, kind, id, now),
  from: (now - dayMs) * 1000,
  to: now * 1000,
});

/** The day that a run reports: the last one that its period touches. */
export const reportDayOf = ({ to }: Pick<InsightsRun, 'to'>): string =>
  dayOf(Math.floor((to - 1) / 1000));
