// What goes wrong in the traces of a project: the jobs that look through them, and the issues that they report.
import {
  insightsIssueStatuses,
  insightsJobStatuses,
  insightsProject,
  insightsSeverities,
} from '../model/agent-insights.js';
import { detailed, maybe, one, operations } from './operation.js';
import { authorship, everywhere, paged } from './private-wire.js';
import { flag, integer, json, list, object, optional, shape, text, word } from './schema.js';

const toggle = 'agent-insights';
const hidden = { off: { status: 404 } } as const;

const job = shape('AgentInsightsJob', 'That the traces of a project are looked through.', {
  id: text(),
  project_id: text(),
  status: word(...insightsJobStatuses),
  auto_first_run_enrolled: flag(),
  auto_first_run_at: optional(text()),
  last_scan_at: optional(text()),
  last_failure_reason: optional(text()),
  last_failure_detail: optional(text()),
  last_failed_at: optional(text()),
  guidance: optional(text()),
  guidance_updated_by: optional(text()),
  guidance_updated_at: optional(text()),
  guidance_version: integer(),
  results_guidance_version: optional(integer()),
  ...authorship,
});

const issueMembers = {
  id: text(),
  name: text(),
  description: optional(text()),
  cause: optional(text()),
  suggested_fix: optional(text()),
  status: word(...insightsIssueStatuses),
  severity: optional(word(...insightsSeverities)),
  traces_query: optional(text()),
  close_note: optional(text()),
  status_changed_by: optional(text()),
  status_changed_at: optional(text()),
  ...authorship,
} as const;
const listed = shape('AgentInsightsIssue', 'An issue, with what its days in a window add up to.', {
  ...issueMembers,
  total_occurrences: integer(),
  latest_count: integer(),
  total: integer(),
  users_impacted: integer(),
  total_users: integer(),
  first_seen: text(),
  last_seen: text(),
  days_reported: integer(),
});
const withDays = shape('AgentInsightsIssueWithDetails', 'An issue, day by day in a window.', {
  ...issueMembers,
  details: list(
    shape('AgentInsightsIssueDetail', 'How often an issue was found on a day.', {
      report_day: text(),
      count: integer(),
      total_count: integer(),
      users_impacted: integer(),
      total_users: integer(),
      metadata: optional(json()),
    }),
  ),
});

const count = integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const longText = optional(text({ max: 20_000 }));
const reported = shape('AgentInsightsReportedIssue', 'An issue as a report has it.', {
  id: optional(text()),
  name: text({ min: 1, max: 255, pattern: String.raw`\S` }),
  description: longText,
  cause: longText,
  suggested_fix: longText,
  traces_query: longText,
  severity: optional(word(...insightsSeverities)),
  count,
  total_count: count,
  users_impacted: count,
  total_users: count,
  metadata: optional(json()),
});

const jobRoot = '/v1/private/agent-insights/jobs/{projectId}';
const ofProject = one(insightsProject, 'params.projectId');
const aboutJob = {
  params: object({ projectId: text() }),
  toggle,
  wire: { refusals: hidden },
} as const;
/** Whoever may look at what was logged may also have it looked through. */
const changesJob = { needs: 'read', changes: true, about: ofProject } as const;

const issueRoot = '/v1/private/agent-insights/issues';
const inQuery = one(insightsProject, 'query.project_id');
const inBody = one(insightsProject, 'body.project_id');
const window = {
  project_id: text(),
  from_date: optional(text()),
  to_date: optional(text()),
} as const;
/** The published description of these rows has one status for everything that is wrong with a request. */
const plainRefusals = { refusals: { ...hidden, unprocessable: { status: 400 } } } as const;

export const agentInsightsOperations = operations({
  showInsightsJob: {
    ...aboutJob,
    method: 'GET',
    path: everywhere(jobRoot),
    access: { needs: 'read', about: ofProject },
    summary: 'The job that looks through the traces of a project',
    replies: { 200: job },
    fails: ['absent', 'forbidden'],
  },
  createInsightsJob: {
    ...aboutJob,
    method: 'POST',
    path: everywhere(jobRoot),
    access: changesJob,
    summary: 'Make the job of a project, disabled: it runs every day once it is enabled',
    replies: { 201: detailed(job) },
    fails: ['absent', 'forbidden', 'conflict'],
  },
  updateInsightsJob: {
    ...aboutJob,
    method: 'PATCH',
    path: everywhere(jobRoot),
    access: changesJob,
    summary: 'Enable or disable the job of a project',
    body: object({ status: optional(word(...insightsJobStatuses)) }),
    replies: { 200: job },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  triggerInsightsJob: {
    ...aboutJob,
    method: 'POST',
    path: everywhere(`${jobRoot}/trigger`),
    access: changesJob,
    summary:
      'Look through the last 24 hours of a project now, also where its job is disabled; answers before it is done',
    replies: { 202: null },
    fails: ['absent', 'forbidden'],
  },
  setInsightsGuidance: {
    ...aboutJob,
    method: 'PUT',
    path: everywhere(`${jobRoot}/guidance`),
    access: { needs: 'workspace-admin', about: ofProject },
    summary:
      'Save what every run of a project is told, and make its job where it has none; a blank text clears it',
    body: object({ guidance: text({ max: 5000 }) }),
    replies: { 200: job },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  listInsightsIssues: {
    toggle,
    wire: plainRefusals,
    method: 'GET',
    path: everywhere(issueRoot),
    access: { needs: 'read', about: inQuery },
    summary: 'Issues of a project that were found in a window of days, those found last first',
    query: object({
      ...window,
      ...paged,
      status: optional(word(...insightsIssueStatuses)),
      severity: optional(word(...insightsSeverities)),
      sorting: optional(text()),
    }),
    replies: {
      200: shape('AgentInsightsIssuePage', 'A page of issues; `size` is how many were asked for.', {
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(listed),
      }),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  reportInsightsIssues: {
    toggle,
    wire: plainRefusals,
    method: 'POST',
    path: everywhere(issueRoot),
    access: { needs: 'write', about: inBody },
    summary:
      'Store what was found on a day, all or nothing; the status of an issue stays, and an issue of another project is left out',
    body: object({
      project_id: text(),
      report_day: text(),
      issues: list(reported, { maxItems: 1000 }),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  showInsightsIssue: {
    toggle,
    wire: plainRefusals,
    method: 'GET',
    path: everywhere(`${issueRoot}/{issue_id}`),
    params: object({ issue_id: text() }),
    access: { needs: 'read', about: inQuery },
    summary: 'An issue of a project, day by day in a window',
    query: object(window),
    replies: { 200: withDays },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  setInsightsIssueStatus: {
    toggle,
    wire: { refusals: hidden },
    method: 'PATCH',
    path: everywhere(`${issueRoot}/{issue_id}`),
    params: object({ issue_id: text() }),
    // Of one that is left out the shape of the body tells, with 422.
    access: { needs: 'workspace-admin', about: maybe(insightsProject, 'body.project_id') },
    summary: 'Open, resolve or close an issue; a note is kept with one that is closed',
    body: object({
      project_id: text(),
      status: word(...insightsIssueStatuses),
      close_note: optional(text({ max: 500 })),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
});
