// What those who run the installation ask over all of its workspaces, with a token of their own.
import { operations } from './operation.js';
import { everywhere } from './private-wire.js';
import { flag, integer, list, object, optional, shape, text, texts } from './schema.js';

const guarded = {
  access: { needs: 'public', token: 'internal' },
  fails: ['unauthenticated'],
} as const;
const reading = { ...guarded, method: 'GET' } as const;
const root = '/v1/internal/usage';

const made = shape('BiInformationResponse', 'What was made on the previous day in UTC.', {
  bi_information: list(object({ workspace_id: text(), user: text(), count: integer() })),
});

export const internalUsageOperations = operations({
  enrolInsightsProjects: {
    ...guarded,
    method: 'POST',
    path: everywhere('/v1/internal/agent-insights/enrollment'),
    summary:
      'Have agent insights look through projects once by itself, or end that; with the internal token',
    body: object({
      enrolled: flag(),
      project_ids: list(text(), { minItems: 1, maxItems: 500 }),
    }),
    replies: {
      200: shape('AgentInsightsEnrollment', 'What became of the projects.', {
        enrolled: integer(),
        cleared: integer(),
        unknown_project_ids: texts(),
        already_run_project_ids: texts(),
        reset_project_ids: texts(),
      }),
    },
    fails: ['unauthenticated', 'invalid', 'unprocessable'],
  },
  findUsageProjects: {
    ...guarded,
    method: 'POST',
    path: everywhere(`${root}/projects`),
    summary: 'Find projects of workspaces, by name; with the internal token',
    body: object({
      workspace_ids: list(text({ min: 1, pattern: String.raw`\S` }), {
        minItems: 1,
        maxItems: 1000,
      }),
      project_ids: optional(list(text(), { maxItems: 100 })),
      name: optional(text({ max: 150 })),
      limit: optional(integer({ minimum: 1, maximum: 1000 })),
    }),
    replies: {
      200: shape('UsageProjectsResponse', 'Projects, in the order of their names.', {
        projects: list(object({ workspace_id: text(), project_id: text(), name: text() })),
      }),
    },
    fails: ['unauthenticated', 'invalid', 'unprocessable'],
  },
  countMadeDatasets: {
    ...reading,
    path: everywhere(`${root}/bi-datasets`),
    summary: 'Datasets of the previous day in UTC by workspace and user; with the internal token',
    replies: { 200: made },
  },
  countMadeEvaluations: {
    ...reading,
    path: everywhere(`${root}/bi-experiments`),
    summary:
      'Experiments over datasets of the previous day in UTC by workspace and user; with the internal token',
    replies: { 200: made },
  },
  countMadeSpans: {
    ...reading,
    path: everywhere(`${root}/bi-spans`),
    summary: 'Spans of the previous day in UTC by workspace and user; with the internal token',
    replies: { 200: made },
  },
  countMadeTraces: {
    ...reading,
    path: everywhere(`${root}/bi-traces`),
    summary: 'Traces of the previous day in UTC by workspace and user; with the internal token',
    replies: { 200: made },
  },
  breakDownSpans: {
    ...reading,
    path: everywhere(`${root}/workspace-span-counts-breakdown`),
    summary:
      'Spans of the previous day in UTC by workspace, project and user; with the internal token',
    replies: {
      200: shape('UsageByWorkspaceProjectUserResponse', 'Spans of the previous day in UTC.', {
        breakdown: list(
          object({
            workspace_id: text(),
            project_id: text(),
            project_name: optional(text()),
            user: text(),
            count: integer(),
          }),
        ),
      }),
    },
  },
  countSpansOfWorkspaces: {
    ...reading,
    path: everywhere(`${root}/workspace-span-counts`),
    summary: 'Spans of the previous day in UTC by workspace; with the internal token',
    replies: {
      200: shape('SpansCountResponse', 'Spans of the previous day in UTC.', {
        workspaces_spans_count: list(object({ workspace: text(), span_count: integer() })),
      }),
    },
  },
  countTracesOfWorkspaces: {
    ...reading,
    path: everywhere(`${root}/workspace-trace-counts`),
    summary: 'Traces of the previous day in UTC by workspace; with the internal token',
    replies: {
      200: shape('TraceCountResponse', 'Traces of the previous day in UTC.', {
        workspaces_traces_count: list(object({ workspace: text(), trace_count: integer() })),
      }),
    },
  },
});
