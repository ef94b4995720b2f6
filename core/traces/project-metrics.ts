import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { projectMetricOperations } from '#ports/api/project-metrics';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { projectFields } from '#ports/storage/projects';
import { storageOf } from '#ports/storage/storage';
import { mostSpansNamed, type TraceTotals } from '#ports/storage/trace-figures';
import { idsBetween } from '#ports/id-time';
import { parseJson } from '../json-text.js';
import { readFilters } from '../private-wire/filters.js';
import { readAnyId } from '../private-wire/ids.js';
import { readInstant, showInstant } from '../private-wire/instants.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { readSorting } from '../private-wire/sorting.js';
import { metricOf, readBuckets, readGrouping, toSeries } from './metric-buckets.js';
import { figuresOfProject } from './offers.js';
import { projectsWithin } from './project-scope.js';
import { readTimes, spanFilters, threadFilters, traceFilters } from './selecting.js';

/** Names as they are told, with how far was looked where that is not all. */
export const showUsageNames = ({
  names,
  cut,
}: {
  readonly names: readonly string[];
  readonly cut: boolean;
}) => ({ names: [...names], searched_newest: cut ? mostSpansNamed : undefined });

const readProjectIds = (sent: string | undefined): readonly string[] | undefined => {
  if (sent === undefined || sent.trim() === '') return undefined;
  const ids = parseJson(sent);
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string') || ids.length > mostIds)
    throw new Failure('invalid', `project_ids must be a JSON array of at most ${mostIds} ids`);
  return ids.map((id: string) => readAnyId(id, 'project_ids'));
};
const mostIds = 1000;

const filtersOf = { traces: traceFilters, spans: spanFilters, threads: threadFilters } as const;

/** The cards of what was made now and before; threads fail never. */
const showCards = (entity: 'traces' | 'spans' | 'threads', of: readonly TraceTotals[]) => {
  const card = (type: string, read: (totals: TraceTotals) => number | undefined) => {
    const [current, previous] = of.map((totals) => read(totals) ?? null);
    return { type, current_value: current ?? null, previous_value: previous ?? null };
  };
  const rate = ({ count, errors }: TraceTotals) => (count === 0 ? 0 : (100 * errors) / count);
  return [
    card('count', ({ count }) => count),
    ...(entity === 'threads' ? [] : [card('errors', rate)]),
    card('avg_duration', ({ meanDuration }) => meanDuration),
    card('total_cost', ({ cost }) => cost ?? 0),
  ];
};

export const projectMetricsArea = area({
  name: 'project-metrics',
  summary: "Figures of projects' traces.",
  family: privateFamily,
  table: projectMetricOperations,
  needs: {
    storage: storageOf(
      'activities',
      'feedback',
      'projects',
      'traceFigures',
      'traceSeries',
      'traceStatistics',
    ),
    clock: Clock,
  },
  handlers: ({ storage, clock }) => {
    const { activities, feedback, projects, traceFigures, traceSeries } = storage.stores;
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
            'unprocessable',
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
      async showProjectCards({ body, project }) {
        const from = readInstant(body.interval_start, 'interval_start');
        const to =
          body.interval_end === undefined
            ? clock.now() * 1000
            : readInstant(body.interval_end, 'interval_end');
        if (from >= to)
          throw new Failure('unprocessable', 'interval_start must be before interval_end');
        const entity = body.entity_type;
        const filters = readFilters(body.filters, filtersOf[entity]);
        const total = (bounds: ReturnType<typeof idsBetween>): Promise<TraceTotals> => {
          const selection = { projectId: project.id, filters, ...bounds };
          switch (entity) {
            case 'traces':
              return traceFigures.totalTraces(selection);
            case 'spans':
              return traceFigures.totalSpans(selection);
            case 'threads':
              return traceFigures.totalThreads({ ...selection, activeSince: 0 });
          }
        };
        // Without an end also what a clock that is ahead has made, as lists have it.
        const current = await total(
          idsBetween(from, body.interval_end === undefined ? Infinity : to),
        );
        const previous = await total(idsBetween(from - (to - from), from));
        return { stats: showCards(entity, [current, previous]) };
      },
      listProjectUsageNames: async ({ project }) =>
        showUsageNames(await traceFigures.listUsageNames([project.id])),
      async listProjectScoreNames({ query, reach }) {
        const named = readProjectIds(query.project_ids);
        const among = {
          workspaceId: reach.workspace.id,
          projectIds:
            named === undefined && reach.project === undefined
              ? undefined
              : await projectsWithin(storage.stores, reach, named),
        };
        const names = new Set<string>();
        for (const kind of ['trace', 'span', 'thread'] as const)
          for (const name of await feedback.listScoreNames(among, kind)) names.add(name);
        return { scores: [...names].sort().map((name) => ({ name })) };
      },
      async listProjectActivities({ query, projectScope: { workspace, project } }) {
        const page = readPage(query);
        if (project === undefined) return showPage(page, { total: 0, content: [] });
        const { total, content } = await activities.list({
          workspaceId: workspace.id,
          projectId: project.id,
          offset: (page.page - 1) * page.size,
          limit: page.size,
        });
        return showPage(page, {
          total,
          content: content.map(({ type, id, name, datasetId, createdAt, createdBy }) => ({
            ...{ type, id, name, resource_id: datasetId, created_by: createdBy },
            created_at: showInstant(createdAt),
          })),
        });
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
        const [filters, times] = [readFilters(query.filters, traceFilters), readTimes(query)];
        for (const { id } of found.content) {
          const selection = { projectId: id, filters, ...times };
          content.push({
            project_id: id,
            ...(await figuresOfProject(storage.stores, selection, now)),
          });
        }
        return showPage(page, { total: found.total, content }, projectFields);
      },
    };
  },
});
