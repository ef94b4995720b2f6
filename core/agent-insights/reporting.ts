// Stores what was found: for those who report over the wire, and for the runs of this server.
import type { Touch } from '#ports/model/authorship';
import type { InsightsReport } from '#ports/storage/agent-insights';
import type { Stores } from '#ports/storage/storage';

/** A report, and by which version of the guidance it was made. */
export interface WrittenReport extends InsightsReport {
  /** `undefined` for one that knew no guidance. */
  readonly guidanceVersion: number | undefined;
}

/** Stores a report, and notes it with the job of its project. For use within a transaction. */
export const storeReport = async (
  { insightsIssues, insightsJobs }: Pick<Stores, 'insightsIssues' | 'insightsJobs'>,
  { guidanceVersion, ...report }: WrittenReport,
  touch: Touch,
): Promise<void> => {
  await insightsIssues.report(report, touch);
  await insightsJobs.noteReport(report.projectId, touch.lastUpdatedAt, guidanceVersion);
};

/** The version by which a report is marked: none before guidance was saved. */
export const markOf = (guidanceVersion: number): number | undefined =>
  guidanceVersion === 0 ? undefined : guidanceVersion;
