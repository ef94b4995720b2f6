// Finds what goes wrong in the traces of a project. Whatever finds it, it is stored by the same report.
import type { InsightsFailureReason, ReportedIssue } from './model/agent-insights.js';
import { port } from './port.js';

/** What is to be looked through. */
export interface InsightTask {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Microseconds since 1970; the end is no part of the period. */
  readonly from: number;
  readonly to: number;
  /** What people want to be heeded. */
  readonly guidance: string | undefined;
}

export type InsightFindings =
  | { readonly issues: readonly ReportedIssue[] }
  | {
      readonly failure: {
        readonly reason: InsightsFailureReason;
        /** One sentence, without secrets. */
        readonly detail: string;
        /** Whether another attempt may go better. */
        readonly retry: boolean;
      };
    };

export interface InsightAnalyser {
  /**
   * What goes wrong in a period, by the traces that were made in it. The same thing has the same id in every period, so that its days join. Changes
   * nothing and may be repeated; ends soon after the signal aborts. Rejects only where storage does.
   */
  analyse(task: InsightTask, signal: AbortSignal): Promise<InsightFindings>;
}
export const InsightAnalyser = port<InsightAnalyser>('insightAnalyser');
