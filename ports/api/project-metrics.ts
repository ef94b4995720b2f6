// Figures of a project's traces: over time, and side by side with other projects.
import { project } from '../model/projects.js';
import { one, operations } from './operation.js';
import { projectFigures } from './project-figures.js';
import {
  belowProject,
  everywhere,
  headerWorkspace,
  paged,
  pageMembers,
  pageOf,
  reachedOfHeader,
  refusedWorkspace,
} from './private-wire.js';
import {
  anything,
  integer,
  list,
  number,
  nullable,
  object,
  optional,
  shape,
  text,
  word,
} from './schema.js';
import { scoreNames } from './traced.js';

export const metricTypes = [
  'FEEDBACK_SCORES',
  'TRACE_COUNT',
  'TOKEN_USAGE',
  'DURATION',
  'COST',
  'GUARDRAILS_FAILED_COUNT',
  'THREAD_COUNT',
  'THREAD_DURATION',
  'THREAD_FEEDBACK_SCORES',
  'SPAN_FEEDBACK_SCORES',
  'SPAN_COUNT',
  'SPAN_DURATION',
  'SPAN_TOKEN_USAGE',
  'TRACE_P95_DURATION',
  'TRACE_AVERAGE_DURATION',
  'TRACE_ERROR_RATE',
  'SPAN_AVERAGE_DURATION',
  'SPAN_COST',
  'SPAN_ERROR_RATE',
  'THREAD_AVERAGE_DURATION',
  'THREAD_COST',
] as const;

/** `searched_newest` is there where spans that are older than so many of a project were not looked at. */
export const usageNames = shape(
  'TokenUsageNames',
  'Names of counts in the usage of spans, each once and in order.',
  {
    names: list(text()),
    searched_newest: optional(integer()),
  },
);
export const interval = word('HOURLY', 'DAILY', 'WEEKLY', 'TOTAL');
export const breakdown = object({
  field: optional(
    word(
      'none',
      'tags',
      'metadata',
      'name',
      'error_info',
      'error_type',
      'model',
      'provider',
      'type',
    ),
  ),
  metadata_key: optional(text()),
  sub_metric: optional(text()),
});
const activity = shape(
  'Activity',
  'Something that was made in a project; `resource_id` is the dataset that it is about.',
  {
    type: text(),
    id: text(),
    name: optional(text()),
    resource_id: optional(text()),
    created_at: text(),
    created_by: text(),
  },
);

const shownProject = shape('ProjectStatistics', 'What the traces of a project come to.', {
  project_id: text(),
  ...projectFigures,
});

export const projectMetricOperations = operations({
  showProjectMetrics: {
    method: 'POST',
    path: everywhere('/v1/private/projects/{id}/metrics'),
    access: { needs: 'read', about: one(project, 'params.id') },
    summary: 'Figures of a project over time, in buckets of UTC hours, days or weeks',
    params: object({ id: text() }),
    body: object({
      metric_type: word(...metricTypes),
      interval,
      interval_start: text(),
      interval_end: optional(text()),
      span_filters: optional(list(anything())),
      trace_filters: optional(list(anything())),
      thread_filters: optional(list(anything())),
      breakdown: optional(breakdown),
    }),
    replies: {
      200: object({
        project_id: text(),
        metric_type: text(),
        interval: text(),
        results: list(
          object({
            name: text(),
            data: list(object({ time: text(), value: nullable(number()) })),
          }),
        ),
      }),
    },
    fails: ['invalid', 'unprocessable', 'absent'],
  },
  showProjectCards: {
    method: 'POST',
    path: everywhere('/v1/private/projects/{id}/kpi-cards'),
    access: { needs: 'read', about: one(project, 'params.id') },
    summary:
      'What was made of traces, spans or threads in a span of time, and in the one before it that lasted as long: how many, how many of a hundred failed, how long they took in ms, what they cost',
    params: object({ id: text() }),
    body: object({
      entity_type: word('traces', 'spans', 'threads'),
      filters: optional(text()),
      interval_start: text(),
      interval_end: optional(text()),
    }),
    replies: {
      200: object({
        stats: list(
          object({
            type: text(),
            current_value: nullable(number()),
            previous_value: nullable(number()),
          }),
        ),
      }),
    },
    fails: ['invalid', 'unprocessable', 'absent'],
  },
  listProjectUsageNames: {
    method: 'GET',
    path: everywhere('/v1/private/projects/{id}/token-usage/names'),
    access: { needs: 'read', about: one(project, 'params.id') },
    summary: 'Names of counts in the usage of the newest spans of a project',
    params: object({ id: text() }),
    replies: { 200: usageNames },
    fails: ['absent'],
  },
  listProjectScoreNames: {
    method: 'GET',
    path: everywhere('/v1/private/projects/feedback-scores/names'),
    access: { needs: 'read', about: reachedOfHeader },
    wire: refusedWorkspace,
    summary:
      'Names of scores of traces, spans and threads of a workspace, or of some of its projects',
    query: object({ project_ids: optional(text()) }),
    replies: { 200: scoreNames },
    fails: ['invalid'],
  },
  listProjectActivities: {
    ...belowProject,
    method: 'GET',
    path: everywhere('/v1/private/projects/{projectId}/activities'),
    summary:
      'What was made in a project, the newest first: experiments, versions of datasets and optimizations',
    query: object(paged),
    replies: {
      200: shape(
        'ActivityPage',
        'A page of a list; `size` is how many it holds.',
        pageMembers(activity),
      ),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listProjectStatistics: {
    method: 'GET',
    path: everywhere('/v1/private/projects/stats'),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'What the traces of each project of a page come to',
    query: object({
      ...paged,
      name: optional(text()),
      filters: optional(text()),
      from_time: optional(text()),
      to_time: optional(text()),
      sorting: optional(text()),
    }),
    replies: { 200: pageOf('ProjectStatisticsPage', shownProject) },
    fails: ['invalid'],
  },
});
