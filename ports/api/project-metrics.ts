// Figures of a project's traces: over time, and side by side with other projects.
import { project } from '../model/projects.js';
import { one, operations } from './operation.js';
import { everywhere, headerWorkspace, paged, pageOf, refusedWorkspace } from './private-wire.js';
import {
  anything,
  integer,
  list,
  map,
  number,
  nullable,
  object,
  optional,
  shape,
  text,
  word,
} from './schema.js';

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
  'TRACE_AVERAGE_DURATION',
  'TRACE_ERROR_RATE',
  'SPAN_AVERAGE_DURATION',
  'SPAN_COST',
  'SPAN_ERROR_RATE',
  'THREAD_AVERAGE_DURATION',
  'THREAD_COST',
] as const;

const average = object({ name: text(), value: number() });
const percentiles = object({ p50: number(), p90: number(), p99: number() });
const shownProject = shape('ProjectStatistics', 'What the traces of a project come to.', {
  project_id: text(),
  feedback_scores: optional(list(average)),
  duration: optional(percentiles),
  total_estimated_cost: optional(number()),
  total_estimated_cost_sum: optional(number()),
  usage: optional(map(number())),
  trace_count: integer(),
  thread_count: integer(),
  guardrails_failed_count: integer(),
  error_count: object({
    count: integer(),
    deviation: integer(),
    deviation_percentage: optional(number()),
  }),
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
      interval: word('HOURLY', 'DAILY', 'WEEKLY', 'TOTAL'),
      interval_start: text(),
      interval_end: optional(text()),
      span_filters: optional(list(anything())),
      trace_filters: optional(list(anything())),
      thread_filters: optional(list(anything())),
      breakdown: optional(
        object({
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
        }),
      ),
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
    fails: ['invalid', 'absent'],
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
      sorting: optional(text()),
    }),
    replies: { 200: pageOf('ProjectStatisticsPage', shownProject) },
    fails: ['invalid'],
  },
});
