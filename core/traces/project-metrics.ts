import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { projectMetricOperations } from '#ports/api/project-metrics';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { projectFields } from '#ports/storage/projects';
import { storageOf } from '#ports/storage/storage';
import { readFilters } from '../private-wire/filters.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { readSorting } from '../private-wire/sorting.js';
import { metricOf, readBuckets, readGrouping, toSeries } from './metric-buckets.js';
import { spanFilters, threadFilters, traceFilters } from './selecting.js';

export const projectMetricsArea = area({
  name: 'project-metrics',
  summary: "Figures of projects' traces.",
  family: privateFamily,
  table: projectMetricOperations,
  needs: {
    storage: storageOf('projects', 'traceSeries', 'traceStatistics'),
    clock: Clock,
  },
  handlers: ({ storage, clock }) => {
    const { projects, traceSeries, traceStatistics } = storage.stores;
    return {
      async showProjectMetrics({ body, project }) {
        const metric = metricOf(body.metric_type);
        const buckets = readBuckets(body, clock.now() * 1000);
        const grouping = readGrouping(body.breakdown);
        if (
          grouping !== undefined &&
          (metric.of === 'thread' ||
            (metric.of === 'trace' && ['model', 'provider', 'type'].includes(grouping.by)))
        )
          throw new Failure(
            'invalid',
            `${body.metric_type} has no breakdown by ${body.breakdown?.field ?? ''}`,
          );
        const request = { measure: metric.measure, buckets, grouping };
        const select = (sent: readonly unknown[] | undefined, types: typeof traceFilters) => ({
          projectId: project.id,
          filters: readFilters(sent, types),
        });
        const points =
          metric.of === 'trace'
            ? await traceSeries.ofTraces(select(body.trace_filters, traceFilters), request)
            : metric.of === 'span'
              ? await traceSeries.ofSpans(select(body.span_filters, spanFilters), request)
              : await traceSeries.ofThreads(
                  { ...select(body.thread_filters, threadFilters), activeSince: 0 },
                  request,
                );
        const sub = body.breakdown?.sub_metric;
        const wanted =
          grouping === undefined || sub === undefined
            ? points
            : points.filter(
                ({ name }) => name === undefined || name === sub.replace(/^duration\./, ''),
              );
        return {
          project_id: project.id,
          metric_type: body.metric_type,
          interval: body.interval,
          results: toSeries(wanted, metric, buckets, grouping !== undefined),
        };
      },
      async listProjectStatistics({ query, workspace }) {
        const page = readPage(query);
        const found = await projects.page({
          ...page,
          workspaceId: workspace.id,
          name: query.name,
          orders: readSorting(query.sorting, projectFields),
        });
        const content = [];
        const now = clock.now();
        for (const { id } of found.content) {
          const selection = { projectId: id, filters: readFilters(query.filters, traceFilters) };
          const of = await traceStatistics.ofTraces(selection, now);
          const threads = await traceStatistics.ofThreads(
            { projectId: id, filters: [], activeSince: 0 },
            now,
          );
          const deviation = of.recentErrors - of.pastErrors;
          content.push({
            project_id: id,
            feedback_scores:
              of.scores.length === 0
                ? undefined
                : of.scores.map(({ name, mean }) => ({ name, value: mean })),
            duration: of.duration === undefined ? undefined : { ...of.duration },
            total_estimated_cost: of.cost?.mean,
            total_estimated_cost_sum: of.cost?.sum,
            usage:
              of.usage.length === 0
                ? undefined
                : Object.fromEntries(of.usage.map(({ name, mean }) => [name, mean])),
            trace_count: of.count,
            thread_count: threads.count,
            guardrails_failed_count: of.guardrailsFailed,
            error_count: {
              count: of.errors,
              deviation,
              deviation_percentage:
                of.pastErrors === 0 ? undefined : (100 * deviation) / of.pastErrors,
            },
          });
        }
        return showPage(page, { total: found.total, content }, projectFields);
      },
    };
  },
});
