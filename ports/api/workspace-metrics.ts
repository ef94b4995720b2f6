// Figures of the traces of a workspace, and what a caller may do in it.
import { headerWorkspace, everywhere, reachedOfHeader, refusedWorkspace } from './private-wire.js';
import { operations } from './operation.js';
import { breakdown, interval, metricTypes, usageNames } from './project-metrics.js';
import { anything, list, number, nullable, object, optional, shape, text, word } from './schema.js';

/** Of some projects, or of all of the workspace; of those that are not there nothing is told. */
const period = {
  project_ids: optional(list(text())),
  interval_start: text(),
  interval_end: text(),
} as const;
const compared = shape(
  'WorkspaceFigure',
  'A figure over a span of time and over the one before it that lasted as long; null where there is nothing to make it of.',
  { name: text(), current: nullable(number()), previous: nullable(number()) },
);
const series = shape('WorkspaceSeries', 'Series of projects over time.', {
  results: list(
    object({
      project_id: text(),
      name: text(),
      data: list(object({ time: text(), value: nullable(number()) })),
    }),
  ),
});
const shared = {
  method: 'POST',
  access: { needs: 'read', about: reachedOfHeader },
  wire: refusedWorkspace,
  fails: ['invalid', 'unprocessable'],
} as const;

export const workspaceMetricOperations = operations({
  summarizeWorkspaceScores: {
    ...shared,
    path: everywhere('/v1/private/workspaces/metrics/summaries'),
    summary: 'Means of scores of traces by their names, beside those of the time before',
    body: object(period),
    replies: { 200: object({ results: list(compared) }) },
  },
  showWorkspaceScores: {
    ...shared,
    path: everywhere('/v1/private/workspaces/metrics'),
    summary: 'Means of scores of traces day by day (UTC), for each project and name',
    body: object({ ...period, name: optional(text()) }),
    replies: { 200: series },
  },
  showWorkspaceSpans: {
    ...shared,
    path: everywhere('/v1/private/workspaces/metrics/spans'),
    summary: 'Figures of spans over time, for each project',
    body: object({
      ...period,
      interval_end: optional(text()),
      metric_type: optional(word(...metricTypes)),
      interval: optional(interval),
      breakdown: optional(breakdown),
      filters: optional(list(anything())),
    }),
    replies: { 200: series },
  },
  listWorkspaceUsageNames: {
    ...shared,
    path: everywhere('/v1/private/workspaces/token-usage/names'),
    summary: 'Names of counts in the usage of the newest spans of each project',
    body: object({ project_ids: period.project_ids }),
    replies: { 200: usageNames },
  },
  summarizeWorkspaceCosts: {
    ...shared,
    path: everywhere('/v1/private/workspaces/costs/summaries'),
    summary: 'What spans cost, beside the time before',
    body: object(period),
    replies: { 200: compared },
  },
  showWorkspaceCosts: {
    ...shared,
    path: everywhere('/v1/private/workspaces/costs'),
    summary: 'What spans cost day by day (UTC), for each project',
    body: object(period),
    replies: { 200: series },
  },
  showWorkspacePermissions: {
    method: 'GET',
    path: everywhere('/v1/private/workspace-permissions'),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary:
      'What the caller may do in a workspace with this credential; the command of the SDK reads the names with underscores',
    replies: {
      200: object({
        userName: text(),
        user_name: text(),
        workspaceName: text(),
        workspace_name: text(),
        permissions: list(
          object({
            permissionName: text(),
            permission_name: text(),
            permissionValue: text(),
            permission_value: text(),
          }),
        ),
      }),
    },
  },
});
