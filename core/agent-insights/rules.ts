// What is asked of agent insights, and how it is shown. Pure.
import { Failure } from '#ports/failure';
import type {
  InsightsDay,
  InsightsIssue,
  InsightsIssueSums,
  InsightsJob,
  ReportedIssue,
} from '#ports/model/agent-insights';
import { KeptJson } from '#ports/kept-json';
import type { InsightsWindow } from '#ports/storage/agent-insights';
import { showAuthorship } from '../private-wire/authorship.js';
import { readAnyId } from '../private-wire/ids.js';
import { showInstant } from '../private-wire/instants.js';

const form = /^\d{4}-\d{2}-\d{2}$/;

/** The UTC day of a moment in ms. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A day as it was sent. Rejects with `invalid`, naming the member, for what is none. */
export const readDay = (text: string, member: string): string => {
  const ms = form.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || dayOf(ms) !== text)
    throw new Failure('invalid', `${member} must be a day like 2024-05-01`);
  return text;
};

/** Every day up to today where nothing is said. Rejects with `invalid`. */
export const readWindow = (
  {
    from_date: from,
    to_date: to,
  }: { readonly from_date?: string | undefined; readonly to_date?: string | undefined },
  now: number,
): InsightsWindow => {
  const fromDay = from === undefined ? '1970-01-01' : readDay(from, 'from_date');
  const toDay = to === undefined ? dayOf(now) : readDay(to, 'to_date');
  if (fromDay > toDay) throw new Failure('invalid', 'from_date must not be after to_date');
  return { fromDay, toDay };
};

const instant = (micros: number | undefined): string | undefined =>
  micros === undefined ? undefined : showInstant(micros);

/** A failure is shown until a report comes after it. */
export const showJob = (job: InsightsJob) => {
  const { failure, scannedAt } = job;
  const failed = failure !== undefined && failure.at > (scannedAt ?? 0) ? failure : undefined;
  return {
    id: job.id,
    project_id: job.projectId,
    status: job.status,
    auto_first_run_enrolled: job.enrolled,
    auto_first_run_at: instant(job.firstRunAt),
    last_scan_at: instant(scannedAt),
    last_failure_reason: failed?.reason,
    last_failure_detail: failed?.detail,
    last_failed_at: instant(failed?.at),
    guidance: job.guidance,
    guidance_updated_by: job.guidanceBy,
    guidance_updated_at: instant(job.guidanceAt),
    guidance_version: job.guidanceVersion,
    results_guidance_version: job.resultsVersion,
    ...showAuthorship(job),
  };
};

const showIssue = (issue: InsightsIssue) => ({
  id: issue.id,
  name: issue.name,
  description: issue.description,
  cause: issue.cause,
  suggested_fix: issue.suggestedFix,
  status: issue.status,
  severity: issue.severity,
  traces_query: issue.tracesQuery,
  close_note: issue.closeNote,
  status_changed_by: issue.statusChangedBy,
  status_changed_at: instant(issue.statusChangedAt),
  ...showAuthorship(issue),
});
export const showSums = (issue: InsightsIssueSums) => ({
  ...showIssue(issue),
  total_occurrences: issue.occurrences,
  latest_count: issue.latestCount,
  total: issue.total,
  users_impacted: issue.usersImpacted,
  total_users: issue.totalUsers,
  first_seen: issue.firstDay,
  last_seen: issue.lastDay,
  days_reported: issue.days,
});
export const showDays = (issue: InsightsIssue, days: readonly InsightsDay[]) => ({
  ...showIssue(issue),
  details: days.map((one) => ({
    report_day: one.day,
    count: one.count,
    total_count: one.total,
    users_impacted: one.usersImpacted,
    total_users: one.totalUsers,
    metadata: one.metadata === undefined ? undefined : new KeptJson(one.metadata),
  })),
});

export interface SentIssue {
  readonly id?: string | undefined;
  readonly name: string;
  readonly description?: string | undefined;
  readonly cause?: string | undefined;
  readonly suggested_fix?: string | undefined;
  readonly traces_query?: string | undefined;
  readonly severity?: ReportedIssue['severity'];
  readonly count: number;
  readonly total_count: number;
  readonly users_impacted: number;
  readonly total_users: number;
  readonly metadata?: KeptJson | undefined;
}

const mostMetadataBytes = 65_535;
const readMetadata = (sent: KeptJson | undefined): string | undefined => {
  if (sent === undefined || sent.json === 'null') return undefined;
  if (new TextEncoder().encode(sent.json).length > mostMetadataBytes)
    throw new Failure(
      'unprocessable',
      `issues metadata must have at most ${mostMetadataBytes} bytes`,
    );
  return sent.json;
};

/** The issues of a report; one without an id gets a fresh one. Rejects with `invalid` for an id that is none or comes twice, and with `unprocessable` for metadata that is too long. */
export const readIssues = (
  sent: readonly SentIssue[],
  freshId: () => string,
): readonly ReportedIssue[] => {
  const issues = sent.map((one) => ({
    id: one.id === undefined ? freshId() : readAnyId(one.id, 'issues id'),
    name: one.name,
    description: one.description,
    cause: one.cause,
    suggestedFix: one.suggested_fix,
    severity: one.severity,
    tracesQuery: one.traces_query,
    count: one.count,
    total: one.total_count,
    usersImpacted: one.users_impacted,
    totalUsers: one.total_users,
    metadata: readMetadata(one.metadata),
  }));
  if (new Set(issues.map(({ id }) => id)).size < issues.length)
    throw new Failure('invalid', 'issues must not hold an id twice');
  return issues;
};

/** Guidance as it is kept: nothing where it is blank. */
export const readGuidance = (text: string): string | undefined =>
  text.trim() === '' ? undefined : text;

/** Why an issue was closed, which nothing but a closed one keeps. */
export const readNote = (status: InsightsIssue['status'], note = ''): string | undefined => {
  const trimmed = note.trim();
  return status === 'closed' && trimmed !== '' ? trimmed : undefined;
};
