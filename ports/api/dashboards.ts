// Dashboards of LLM observability, and the same by another path for the views of insights.
import { chartDashboard, dashboardTypes, insightsView } from '../model/dashboards.js';
import { projectScope, projectTarget } from '../model/projects.js';
import { analyticsAnswer } from './analytics.js';
import { detailed, maybe, one, operations } from './operation.js';
import {
  authorship,
  belowProject,
  everywhere,
  manyIds,
  pageMembers,
  paged,
  reachedOfHeader,
} from './private-wire.js';
import { json, object, optional, shape, text, word } from './schema.js';

const name = text({ min: 1, max: 120, pattern: String.raw`\S` });
const described = {
  type: optional(word(...dashboardTypes)),
  description: optional(text({ max: 1000 })),
} as const;
const shown = shape('ChartDashboard', 'Charts of a project or of a workspace.', {
  id: text(),
  workspace_id: text(),
  project_id: optional(text()),
  name: text(),
  slug: text(),
  type: text(),
  scope: text(),
  description: optional(text()),
  config: json(),
  ...authorship,
});
const page = shape(
  'ChartDashboardPage',
  'A page of a list; `size` is how many it holds.',
  pageMembers(shown),
);

const listing = {
  method: 'GET',
  access: { needs: 'read', about: maybe(projectScope, 'query.project_id') },
  query: object({
    ...paged,
    name: optional(text()),
    project_id: optional(text()),
    sorting: optional(text()),
    filters: optional(text()),
  }),
  replies: { 200: page },
  fails: ['invalid', 'absent', 'forbidden'],
} as const;
const listingBelowProject = {
  ...belowProject,
  method: 'GET',
  query: object({
    ...paged,
    name: optional(text()),
    sorting: optional(text()),
    filters: optional(text()),
  }),
  replies: { 200: page },
  fails: ['invalid', 'absent', 'forbidden'],
} as const;
const creating = {
  method: 'POST',
  access: {
    needs: 'write',
    about: maybe(projectTarget, 'body.project_id', 'header.comet-workspace/body.project_name'),
  },
  body: object({
    project_id: optional(text()),
    project_name: optional(text()),
    name,
    ...described,
    config: json(),
  }),
  replies: { 201: detailed(shown) },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
} as const;
const showing = {
  method: 'GET',
  params: object({ dashboardId: text() }),
  replies: { 200: shown },
  fails: ['absent', 'forbidden'],
} as const;
const updating = {
  method: 'PATCH',
  params: object({ dashboardId: text() }),
  body: object({ name: optional(name), ...described, config: optional(json()) }),
  replies: { 200: shown },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
} as const;
/** Asks what a chart shows. */
const charting = {
  method: 'POST',
  params: object({ dashboardId: text(), widgetId: text() }),
  summary:
    'What the query of a widget finds, for a time that its text may name as {{window_start}} and {{window_end}}',
  body: optional(object({ interval_start: optional(text()), interval_end: optional(text()) })),
  // Without a body while it is switched off, and with a sentence where no engine is installed.
  replies: { 200: analyticsAnswer, 501: null },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'throttled'],
  wire: { refusals: { notInstalled: { status: 501 } } },
} as const;
const deleting = {
  method: 'DELETE',
  params: object({ dashboardId: text() }),
  access: { needs: 'write', about: reachedOfHeader, unbounded: false },
  audit: true,
  replies: { 204: null },
} as const;
const deletingMany = {
  method: 'POST',
  access: { needs: 'write', about: reachedOfHeader, unbounded: false },
  audit: true,
  body: manyIds,
  replies: { 204: null },
  fails: ['invalid', 'unprocessable'],
} as const;

const of = '/v1/private/dashboards';
const aboutDashboard = one(chartDashboard, 'header.comet-workspace/params.dashboardId');
const ofViews = '/v1/private/insights-views';
const aboutView = one(insightsView, 'header.comet-workspace/params.dashboardId');

export const dashboardOperations = operations({
  listChartDashboards: {
    ...listing,
    path: everywhere(of),
    summary: 'The dashboards of a workspace or project, the newest first',
  },
  listProjectDashboards: {
    ...listingBelowProject,
    path: everywhere('/v1/private/projects/{projectId}/dashboards'),
    summary: 'The dashboards of a project, the newest first',
  },
  createChartDashboard: {
    ...creating,
    path: everywhere(of),
    summary: 'Make a dashboard of a project or of the whole workspace',
  },
  deleteChartDashboards: {
    ...deletingMany,
    path: everywhere(`${of}/delete-batch`),
    summary: 'Delete dashboards; ids that are not there are skipped',
  },
  showChartDashboard: {
    ...showing,
    path: everywhere(`${of}/{dashboardId}`),
    access: { needs: 'read', about: aboutDashboard },
    summary: 'A dashboard',
  },
  updateChartDashboard: {
    ...updating,
    path: everywhere(`${of}/{dashboardId}`),
    access: { needs: 'write', about: aboutDashboard },
    summary: 'Change a dashboard; what is left out stays',
  },
  queryChartWidget: {
    ...charting,
    path: everywhere(`${of}/{dashboardId}/widgets/{widgetId}/query`),
    access: { needs: 'read', about: aboutDashboard },
  },
  deleteChartDashboard: {
    ...deleting,
    path: everywhere(`${of}/{dashboardId}`),
    summary: 'Delete a dashboard; one that is not there is passed over',
  },
  listInsightsViews: {
    ...listing,
    path: everywhere(ofViews),
    summary: 'The views of insights of a workspace or project, the newest first',
  },
  createInsightsView: {
    ...creating,
    path: everywhere(ofViews),
    summary: 'Make a view of insights of a project or of the whole workspace',
  },
  deleteInsightsViews: {
    ...deletingMany,
    path: everywhere(`${ofViews}/delete-batch`),
    summary: 'Delete views of insights; ids that are not there are skipped',
  },
  showInsightsView: {
    ...showing,
    path: everywhere(`${ofViews}/{dashboardId}`),
    access: { needs: 'read', about: aboutView },
    summary: 'A view of insights',
  },
  updateInsightsView: {
    ...updating,
    path: everywhere(`${ofViews}/{dashboardId}`),
    access: { needs: 'write', about: aboutView },
    summary: 'Change a view of insights; what is left out stays',
  },
  queryInsightsWidget: {
    ...charting,
    path: everywhere(`${ofViews}/{dashboardId}/widgets/{widgetId}/query`),
    access: { needs: 'read', about: aboutView },
  },
  deleteInsightsView: {
    ...deleting,
    path: everywhere(`${ofViews}/{dashboardId}`),
    summary: 'Delete a view of insights; one that is not there is passed over',
  },
});
