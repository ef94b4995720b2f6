import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { workspaceMetricOperations } from '#ports/api/workspace-metrics';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { ProjectScope } from '#ports/model/projects';
import { storageOf } from '#ports/storage/storage';
import type { ScoreSum } from '#ports/storage/trace-figures';
import type { Buckets } from '#ports/storage/trace-series';
import { roleOf } from '../permissions.js';
import { readFilters } from '../private-wire/filters.js';
import { readAnyId } from '../private-wire/ids.js';
import { readInstant, showInstant } from '../private-wire/instants.js';
import { beginnings, metricOf, readBuckets, readGrouping, toSeries } from './metric-buckets.js';
import { showUsageNames } from './project-metrics.js';
import { projectsWithin } from './project-scope.js';
import { spanFilters } from './selecting.js';

/** Projects of one request for series of spans, each of which is read by itself. */
const mostProjects = 1000;
const mostIds = 1000;
/** Points of one reply. */
const mostPoints = 200_000;

interface Period {
  readonly interval_start: string;
  readonly interval_end: string;
}

/** When a period begins and ends. Rejects with `unprocessable` where it ends before it begins. */
const readPeriod = ({ interval_start, interval_end }: Period): readonly [number, number] => {
  const from = readInstant(interval_start, 'interval_start');
  const to = readInstant(interval_end, 'interval_end');
  if (from >= to) throw new Failure('unprocessable', 'interval_start must be before interval_end');
  return [from, to];
};

/** One bucket that holds a whole period, and the one before it that lasts as long. */
const readPeriods = (period: Period): readonly [Buckets, Buckets] => {
  const [from, to] = readPeriod(period);
  const width = to - from;
  return [
    { width, offset: from, from, to },
    { width, offset: from - width, from: from - width, to: from },
  ];
};

const meansOf = (sums: readonly ScoreSum[]): ReadonlyMap<string, number> => {
  const all = new Map<string, { readonly sum: number; readonly count: number }>();
  for (const { name, sum, count } of sums) {
    const before = all.get(name) ?? { sum: 0, count: 0 };
    all.set(name, { sum: before.sum + sum, count: before.count + count });
  }
  return new Map([...all].map(([name, { sum, count }]) => [name, sum / count]));
};

interface Point {
  readonly projectId: string;
  readonly name: string;
  readonly at: number;
  readonly value: number;
}

/** A series of each project and name, with every bucket in it. */
const seriesOf = (points: readonly Point[], buckets: Buckets) => {
  const series = new Map<string, { readonly first: Point; readonly values: Map<number, number> }>();
  for (const point of points) {
    const key = `${point.projectId} ${point.name}`;
    const of = series.get(key) ?? { first: point, values: new Map<number, number>() };
    of.values.set(point.at, point.value);
    series.set(key, of);
  }
  const times = beginnings(buckets);
  requirePoints(series.size * times.length);
  return [...series.values()].map(({ first: { projectId, name }, values }) => ({
    project_id: projectId,
    name,
    data: times.map((at) => ({ time: showInstant(at), value: values.get(at) ?? null })),
  }));
};
const requirePoints = (points: number): void => {
  if (points > mostPoints)
    throw new Failure(
      'invalid',
      `the reply would have more than ${mostPoints} points: ask for fewer projects or less time`,
    );
};

export const workspaceMetricsArea = area({
  name: 'workspace-metrics',
  summary: 'Figures of the traces of workspaces.',
  family: privateFamily,
  table: workspaceMetricOperations,
  needs: { storage: storageOf('projects', 'traceFigures', 'traceSeries'), clock: Clock },
  handlers: ({ storage, clock }) => {
    const { traceFigures, traceSeries } = storage.stores;
    const projectsOf = (reach: ProjectScope, sent: readonly string[] | undefined) => {
      if (sent !== undefined && sent.length > mostIds)
        throw new Failure('unprocessable', `project_ids size must be at most ${mostIds}`);
      return projectsWithin(
        storage.stores,
        reach,
        sent?.map((id) => readAnyId(id, 'project_ids')),
      );
    };
    /** Buckets of a period; up to now, and endless, without an end. */
    const bucketsOf = (
      body: Pick<Period, 'interval_start'> & { readonly interval_end?: string | undefined },
      interval = 'DAILY',
    ): Buckets => {
      const now = clock.now();
      const { interval_start, interval_end = new Date(now).toISOString() } = body;
      readPeriod({ interval_start, interval_end });
      return readBuckets({ ...body, interval }, now * 1000);
    };

    return {
      async summarizeWorkspaceScores({ body, reach }) {
        const [now, before] = readPeriods(body);
        const projectIds = await projectsOf(reach, body.project_ids);
        const current = meansOf(await traceFigures.sumScores(projectIds, now));
        const previous = meansOf(await traceFigures.sumScores(projectIds, before));
        const names = [...new Set([...current.keys(), ...previous.keys()])].sort();
        return {
          results: names.map((name) => ({
            name,
            current: current.get(name) ?? null,
            previous: previous.get(name) ?? null,
          })),
        };
      },
      async showWorkspaceScores({ body, reach }) {
        const buckets = bucketsOf(body);
        const projectIds = await projectsOf(reach, body.project_ids);
        const sums = await traceFigures.sumScores(projectIds, buckets, body.name);
        const points = sums.map((one) => ({ ...one, value: one.sum / one.count }));
        return { results: seriesOf(points, buckets) };
      },
      async showWorkspaceSpans({ body, reach }) {
        const type = body.metric_type ?? 'SPAN_COUNT';
        const metric = metricOf(type);
        if (metric.of !== 'span')
          throw new Failure('invalid', `metric_type ${type} is not one of spans`);
        const buckets = bucketsOf(body, body.interval);
        const grouping = readGrouping(body.breakdown);
        const filters = readFilters(body.filters, spanFilters);
        const projectIds = await projectsOf(reach, body.project_ids);
        if (projectIds.length > mostProjects)
          throw new Failure(
            'invalid',
            `at most ${mostProjects} projects are looked at: name them by project_ids`,
          );
        const results = [];
        const sub = body.breakdown?.sub_metric?.replace(/^duration\./, '');
        for (const projectId of projectIds) {
          const points = await traceSeries.ofSpans(
            { projectId, filters },
            { measure: metric.measure, buckets, grouping },
          );
          const wanted =
            grouping === undefined || sub === undefined
              ? points
              : points.filter(({ name }) => name === undefined || name === sub);
          const series = toSeries(wanted, metric, buckets, grouping !== undefined);
          results.push(...series.map((one) => ({ project_id: projectId, ...one })));
          requirePoints(results.length * beginnings(buckets).length);
        }
        return { results };
      },
      listWorkspaceUsageNames: async ({ body, reach }) =>
        showUsageNames(
          await traceFigures.listUsageNames(await projectsOf(reach, body.project_ids)),
        ),
      async summarizeWorkspaceCosts({ body, reach }) {
        const projectIds = await projectsOf(reach, body.project_ids);
        const sumOf = async (buckets: Buckets): Promise<number> =>
          (await traceFigures.sumCosts(projectIds, buckets)).reduce(
            (sum, { cost }) => sum + cost,
            0,
          );
        const [now, before] = readPeriods(body);
        return { name: 'cost', current: await sumOf(now), previous: await sumOf(before) };
      },
      async showWorkspaceCosts({ body, reach }) {
        const buckets = bucketsOf(body);
        const projectIds = await projectsOf(reach, body.project_ids);
        const sums = await traceFigures.sumCosts(projectIds, buckets);
        const points = sums.map(({ projectId, at, cost }) => ({
          ...{ projectId, at, name: 'cost', value: cost },
        }));
        return { results: seriesOf(points, buckets) };
      },
      async showWorkspacePermissions({ workspace, caller }) {
        const role = roleOf(caller, workspace.id);
        const isAdmin = role === 'admin' && caller.scope === undefined;
        const writes =
          role !== undefined &&
          role !== 'view-only' &&
          !caller.viewOnly &&
          caller.scope?.readOnly !== true;
        const given = caller.scope === undefined ? caller.permissions.get(workspace.id) : undefined;
        const may = {
          project_data_view: true,
          trace_log: writes,
          trace_delete: writes,
          annotate: writes,
          dataset_delete: writes,
          optimization_run_delete: writes,
          workspace_settings: writes,
          invite_users_to_workspace: isAdmin || given?.includes('invite') === true,
          publish_projects: isAdmin || given?.includes('publish') === true,
        };
        return {
          userName: caller.userName,
          user_name: caller.userName,
          workspaceName: workspace.name,
          workspace_name: workspace.name,
          permissions: Object.entries(may).map(([name, value]) => ({
            permissionName: name,
            permission_name: name,
            permissionValue: String(value),
            permission_value: String(value),
          })),
        };
      },
    };
  },
});
