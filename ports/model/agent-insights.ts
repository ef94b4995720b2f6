import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';
import type { Project } from './projects.js';
import type { Workspace } from './workspaces.js';

/** A project with what was found in its traces, which is for members of its workspace alone. */
export interface InsightsProject {
  readonly workspace: Workspace;
  readonly project: Project;
}
export const insightsProject = kind<InsightsProject>()('insightsProject');

export const insightsJobStatuses = ['enabled', 'disabled'] as const;
export type InsightsJobStatus = (typeof insightsJobStatuses)[number];

/** Why a run came to nothing: it could not begin · it was not done in time · the provider of the model wants to be paid · anything else. */
export const insightsFailureReasons = [
  'did_not_start',
  'timed_out',
  'out_of_credits',
  'failed',
] as const;
export type InsightsFailureReason = (typeof insightsFailureReasons)[number];

/** A run that came to nothing. */
export interface InsightsFailure {
  readonly reason: InsightsFailureReason;
  /** One sentence. */
  readonly detail: string;
  /** Microseconds, as all times here. */
  readonly at: number;
}

/** That the traces of a project are looked through. A project has one at most. */
export interface InsightsJob extends Authorship {
  readonly id: string;
  readonly projectId: string;
  /** Whether it runs every day. */
  readonly status: InsightsJobStatus;
  /** Whether it is to run once by itself. */
  readonly enrolled: boolean;
  /** When that one run was claimed. */
  readonly firstRunAt: number | undefined;
  /** When the last report was stored. */
  readonly scannedAt: number | undefined;
  /** The last one, also when a report came after it. */
  readonly failure: InsightsFailure | undefined;
  /** What people tell every run. */
  readonly guidance: string | undefined;
  readonly guidanceBy: string | undefined;
  readonly guidanceAt: number | undefined;
  /** Counts the changes of its text; 0 before the first. */
  readonly guidanceVersion: number;
  /** That of the guidance by which the last report was made. */
  readonly resultsVersion: number | undefined;
}

/** What asked for a run: the schedule · somebody · the enrolment of the project. */
export const insightsRunKinds = ['scheduled', 'triggered', 'first'] as const;
export type InsightsRunKind = (typeof insightsRunKinds)[number];

/** A look through the traces of a project that waits or goes on. A project has one of each kind at most. */
export interface InsightsRun {
  readonly projectId: string;
  readonly kind: InsightsRunKind;
  readonly id: string;
  /** The period that it is about, in microseconds; its end is no part of it. */
  readonly from: number;
  readonly to: number;
  /** As it was when the run was asked for. */
  readonly guidance: string | undefined;
  readonly guidanceVersion: number;
  /** How often it was claimed. */
  readonly tries: number;
  /** When it is due, or its claim runs out, in ms. */
  readonly dueAt: number;
}

export const insightsSeverities = ['critical', 'high', 'medium', 'low'] as const;
export type InsightsSeverity = (typeof insightsSeverities)[number];
export const insightsIssueStatuses = ['open', 'resolved', 'closed'] as const;
export type InsightsIssueStatus = (typeof insightsIssueStatuses)[number];

/** What a report says of an issue besides its counts. */
export interface InsightsIssueText {
  readonly name: string;
  readonly description: string | undefined;
  readonly cause: string | undefined;
  readonly suggestedFix: string | undefined;
  readonly severity: InsightsSeverity | undefined;
  readonly tracesQuery: string | undefined;
}

/** Something that goes wrong in a project, as one report after the other finds it. */
export interface InsightsIssue extends InsightsIssueText, Authorship {
  readonly id: string;
  readonly projectId: string;
  readonly status: InsightsIssueStatus;
  /** Why it was closed; only while it is. */
  readonly closeNote: string | undefined;
  readonly statusChangedBy: string | undefined;
  readonly statusChangedAt: number | undefined;
}

/** How often an issue was found on a day. */
export interface InsightsCounts {
  /** Traces with the issue, and all that were looked at. */
  readonly count: number;
  readonly total: number;
  /** Users who met it, and all users. */
  readonly usersImpacted: number;
  readonly totalUsers: number;
  /** JSON text. */
  readonly metadata: string | undefined;
}
export interface InsightsDay extends InsightsCounts {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
}

/** An issue with what its days in a window add up to. */
export interface InsightsIssueSums extends InsightsIssue {
  readonly occurrences: number;
  /** On the last of these days. */
  readonly latestCount: number;
  readonly total: number;
  readonly usersImpacted: number;
  readonly totalUsers: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: number;
}

/** An issue as a report has it. */
export interface ReportedIssue extends InsightsIssueText, InsightsCounts {
  readonly id: string;
}
