// Queries of people over what was logged, and those that are saved for charts.
import { projectScope } from '../model/projects.js';
import { savedQuery } from '../model/saved-queries.js';
import { detailed, maybe, one, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { json, list, object, optional, shape, text } from './schema.js';

const query = text({ min: 1, pattern: String.raw`\S` });
export const analyticsAnswer = shape(
  'AnalyticsQueryResponse',
  'What a query found: of each row the JSON value in its one column, `result`.',
  { results: list(json()) },
);
const saved = shape('DashboardSavedQuery', 'A query that a chart names by its id.', {
  id: text(),
  sql: text(),
  project_id: optional(text()),
  created_at: text(),
  created_by: text(),
});
const ofSaved = '/v1/internal/dashboard-saved-queries';
const asking = {
  method: 'POST',
  // Without a body while it is switched off, and with a sentence where no engine is installed.
  replies: { 200: analyticsAnswer, 501: null },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'throttled'],
  wire: { refusals: { notInstalled: { status: 501 } } },
} as const;

export const analyticsOperations = operations({
  runProjectQuery: {
    ...asking,
    path: everywhere('/v1/internal/analytics-queries/projects/{projectId}'),
    params: object({ projectId: text() }),
    access: { needs: 'read', about: one(projectScope, 'params.projectId') },
    summary:
      'Run one SELECT over the traces, spans and feedback scores of a project; its one column `result` holds JSON texts',
    body: object({ query }),
  },
  runWorkspaceQuery: {
    ...asking,
    path: everywhere('/v1/internal/analytics-queries'),
    access: { needs: 'read', about: maybe(projectScope, 'body.project_id') },
    summary:
      'Run one SELECT over what a workspace logged, traces and what belongs to them narrowed to a project where one is named; its one column `result` holds JSON texts',
    body: object({ query, project_id: optional(text()) }),
  },
  createSavedQuery: {
    method: 'POST',
    path: everywhere(ofSaved),
    access: { needs: 'write', about: maybe(projectScope, 'body.project_id') },
    summary: 'Save a query, so that charts name it by its id',
    body: object({
      sql: text({ min: 1, max: 65_536, pattern: String.raw`\S` }),
      project_id: optional(text()),
    }),
    replies: { 201: detailed(saved), 501: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  showSavedQuery: {
    method: 'GET',
    path: everywhere(`${ofSaved}/{queryId}`),
    params: object({ queryId: text() }),
    access: { needs: 'read', about: one(savedQuery, 'header.comet-workspace/params.queryId') },
    summary: 'A saved query',
    replies: { 200: saved, 501: null },
    fails: ['absent', 'forbidden'],
  },
});
