import type {
  InsightsDay,
  InsightsFailure,
  InsightsIssue,
  InsightsIssueStatus,
  InsightsIssueSums,
  InsightsJob,
  InsightsJobStatus,
  InsightsRun,
  InsightsRunKind,
  InsightsSeverity,
  ReportedIssue,
} from '../model/agent-insights.js';
import type { Touch } from '../model/authorship.js';
import { once, reads, sets, type Methods } from './methods.js';

/** What became of projects that were to be enrolled, or no longer. */
export interface Enrolment {
  /** Those that are enrolled now, or are no longer. */
  readonly changed: readonly string[];
  /** Those whose run by themselves was had already: they are left as they were. */
  readonly alreadyRun: readonly string[];
  /** Those whose run by themselves never came to an end: it is forgotten, and a later enrolment runs again. */
  readonly reset: readonly string[];
}

/** A job for which a run may be due. */
export type DueJob = Pick<InsightsJob, 'projectId' | 'guidance' | 'guidanceVersion'>;

/** Looks through the traces of projects: which there are, and which of them wait to run. Those of a deleted project are not due. */
export interface InsightsJobStore {
  /** Rejects with `conflict` when the project has one. */
  insert(job: InsightsJob): Promise<void>;
  find(projectId: string): Promise<InsightsJob | undefined>;
  /** `undefined` where there is none. */
  setStatus(
    projectId: string,
    status: InsightsJobStatus,
    touch: Touch,
  ): Promise<InsightsJob | undefined>;
  /** Gives the job of a project this guidance, with the next version where its text is another one; where there is none, this one is made. */
  setGuidance(made: InsightsJob, guidance: string | undefined): Promise<InsightsJob>;
  /** Enrols the projects of these jobs, which are made where there are none. */
  enrol(jobs: readonly InsightsJob[]): Promise<Enrolment>;
  /** Ends the enrolment of projects; those without a job are passed over. */
  endEnrolment(projectIds: readonly string[], touch: Touch): Promise<Enrolment>;

  /** Jobs that are enabled and had no run for this day, as a number of days since 1970, or a later one. */
  listDue(day: number, limit: number): Promise<readonly DueJob[]>;
  /** Jobs that are enrolled and had no run by themselves. */
  listEnrolled(limit: number): Promise<readonly DueJob[]>;
  /** Asks for the run of a day, once for all who do. Says whether it was asked for. */
  addScheduled(day: number, run: InsightsRun): Promise<boolean>;
  /** Asks for the one run of an enrolled project by itself, and notes when (microseconds). Says whether it was asked for. */
  addFirst(run: InsightsRun, at: number): Promise<boolean>;
  /** Asks for a run, unless one of its kind waits already. Says whether it was asked for. */
  addRun(run: InsightsRun): Promise<boolean>;
  /** Runs that are due, those first that wait longest. */
  listRuns(now: number, limit: number): Promise<readonly InsightsRun[]>;
  /** Puts off when a run is due, so that nobody else takes it up meanwhile, and counts a try; one of several takers succeeds. */
  claim(run: InsightsRun, until: number): Promise<boolean>;
  /** Ends a run, with its claim. */
  removeRun(projectId: string, kind: InsightsRunKind, id: string): Promise<void>;

  /** Notes a report of a job (microseconds); nothing where the project has none. */
  noteReport(projectId: string, at: number, version: number | undefined): Promise<void>;
  /** Notes that the one run by itself came to its end. */
  noteFirstDone(projectId: string, at: number): Promise<void>;
  /** Notes a run that came to nothing; `disable` ends the daily runs. */
  noteFailure(projectId: string, failure: InsightsFailure, disable: boolean): Promise<void>;
}

export const insightsJobMethods: Methods<InsightsJobStore> = {
  insert: once,
  find: reads,
  setStatus: sets,
  setGuidance: once,
  enrol: once,
  endEnrolment: once,
  listDue: reads,
  listEnrolled: reads,
  addScheduled: once,
  addFirst: once,
  addRun: once,
  listRuns: reads,
  claim: once,
  removeRun: sets,
  noteReport: sets,
  noteFirstDone: sets,
  noteFailure: sets,
};

/** What issues are sorted by. */
export const insightsIssueOrders = ['last_seen', 'total_occurrences', 'severity'] as const;
export type InsightsIssueOrder = (typeof insightsIssueOrders)[number];

/** Days, both in the window, as `YYYY-MM-DD`. */
export interface InsightsWindow {
  readonly fromDay: string;
  readonly toDay: string;
}
export interface InsightsIssueListing extends InsightsWindow {
  readonly projectId: string;
  readonly status?: InsightsIssueStatus;
  readonly severity?: InsightsSeverity;
  /** The severest first where it ascends, those without severity last. Between equals, and without any, by last day, occurrences and id, the greatest first. */
  readonly orders: readonly { readonly field: InsightsIssueOrder; readonly descending: boolean }[];
  readonly offset: number;
  readonly limit: number;
}

/** What becomes of an issue when somebody decides about it. */
export interface InsightsVerdict {
  readonly status: InsightsIssueStatus;
  readonly closeNote: string | undefined;
}

/** A report of what was found on a day. */
export interface InsightsReport {
  readonly projectId: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Each id once. */
  readonly issues: readonly ReportedIssue[];
}

/** Issues that were found in the traces of projects, by days. */
export interface InsightsIssueStore {
  /**
   * Stores what a report says of its issues and of its day, in place of what was stored of both; new issues are open. Nothing touches the status of
   * one that is there, nor its note. An issue whose id is one of another project is left out.
   */
  report(report: InsightsReport, touch: Touch): Promise<void>;
  find(projectId: string, id: string): Promise<InsightsIssue | undefined>;
  /** The days of an issue in a window, in their order. Rejects with `invalid` where they are too much for one reply. */
  listDays(projectId: string, id: string, window: InsightsWindow): Promise<readonly InsightsDay[]>;
  /** Issues that were found in a window. */
  list(
    listing: InsightsIssueListing,
  ): Promise<{ readonly total: number; readonly content: readonly InsightsIssueSums[] }>;
  /** Decides about an issue; who did it, and when, is noted where its status is another one then. Says whether it was there. */
  decide(projectId: string, id: string, verdict: InsightsVerdict, touch: Touch): Promise<boolean>;
}

export const insightsIssueMethods: Methods<InsightsIssueStore> = {
  report: sets,
  find: reads,
  listDays: reads,
  list: reads,
  decide: sets,
};
