// Queries of people over what was logged, and those that are saved for charts.
import { projectScope } from '../model/projects.js';
import { maybe, one, operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { json, list, object, optional, shape, text } from './schema.js';

const query = text({ min: 1, pattern: String.raw`\S` });
const answer = shape(
  'AnalyticsQueryResponse',
  'What a query found: of each row the JSON value in its one column, `result`.',
  { results: list(json()) },
);
const asking = {
  method: 'POST',
  replies: { 200: answer, 501: null },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'throttled'],
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
});
