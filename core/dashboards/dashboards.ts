import { Analytics } from '#ports/analytics';
import { area } from '#ports/api/area';
import { dashboardOperations } from '#ports/api/dashboards';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import type { Call } from '#ports/api/operation';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import {
  chartDashboard,
  insightsView,
  type ChartDashboard,
  type DashboardScope,
} from '#ports/model/dashboards';
import type { Caller } from '#ports/model/identity';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Toggles } from '#ports/toggles';
import { analyticsOff, chartsAreOn, runStatement, tablesFor } from '../analytics/offers.js';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readIds } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { oneByOne, reachedIds, reachesRecord, recordRules } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { isUuid } from '../uuid.js';
import { queryOf, readInterval, withInterval } from './charts.js';
import { dashboardFields, dashboardOrders, readConfig, showDashboard, slugOf } from './rules.js';
import { createTurns } from './turns.js';

const needs = {
  storage: storageOf('dashboards', 'projects', 'workspaces'),
  places: PlaceFinder,
} as const;
const dashboardKind = defineKind(chartDashboard, {
  needs,
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'dashboard', (workspaceId, id) =>
      stores.dashboards.find(workspaceId, 'workspace', id),
    ),
});
const insightsViewKind = defineKind(insightsView, {
  needs,
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'insights view', (workspaceId, id) =>
      stores.dashboards.find(workspaceId, 'insights', id),
    ),
});

/** Charts of a workspace that are asked for at once in a process, one fewer than its statements may be, and those that wait. */
const [mostCharts, mostWaiting] = [4, 200];

type Rows = typeof dashboardOperations;

export const dashboardsArea = area({
  name: 'dashboards',
  summary: 'Dashboards of LLM observability: charts of a project or of a workspace.',
  family: privateFamily,
  table: dashboardOperations,
  kinds: [dashboardKind, insightsViewKind],
  needs: {
    storage: storageOf('dashboards', 'projects', 'savedQueries', 'workspaces'),
    analytics: Analytics,
    toggles: Toggles,
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, analytics, toggles, clock, ids }) => {
    const { dashboards, projects, savedQueries } = storage.stores;
    const turns = createTurns(mostCharts, mostWaiting);

    /**
     * What a widget asks, and about which project. Charts of a project's dashboard are about that project, and those of the workspace's about what
     * their query names, if the caller reads it. Rejects with `absent`.
     */
    const findQuery = async (
      { workspaceId, id, projectId: own, config }: ChartDashboard,
      widgetId: string,
      caller: Caller,
    ) => {
      const query = queryOf({ config }, widgetId);
      const found =
        query !== undefined && 'savedQueryId' in query
          ? await savedQueries.find(workspaceId, query.savedQueryId)
          : query;
      const projectId = found?.projectId?.toLowerCase() ?? own;
      const isReached =
        projectId === undefined ||
        projectId === own ||
        (own === undefined && (await isIn(workspaceId, projectId, caller)));
      if (found === undefined || !isReached)
        throw new Failure(
          'absent',
          `a query of the widget ${widgetId.slice(0, 100)} of dashboard ${id} was not found`,
        );
      return { sql: found.sql, projectId };
    };
    const isIn = async (workspaceId: string, projectId: string, caller: Caller) => {
      const project = await projects.findById(projectId);
      return (
        project?.workspaceId === workspaceId &&
        (await reachesRecord({ projects }, caller, { workspaceId, projectId }))
      );
    };

    /** The same operations for each scope. */
    const ofScope = (scope: DashboardScope, path: string) => {
      const remove = async (
        { reach }: Pick<Call<Rows['deleteChartDashboard']>, 'reach'>,
        wanted: readonly string[],
      ): Promise<undefined> => {
        const find = (workspaceId: string, id: string) => dashboards.find(workspaceId, scope, id);
        const reached = await reachedIds(reach, wanted, oneByOne(find));
        await dashboards.remove(reach.workspace.id, scope, reached);
        return undefined;
      };
      return {
        async list({
          query,
          projectScope: { workspace, project },
        }: Pick<Call<Rows['listProjectDashboards']>, 'query' | 'projectScope'>) {
          const page = readPage(query);
          const { total, content } = await dashboards.list({
            workspaceId: workspace.id,
            scope,
            ...given({ projectId: project?.id, name: query.name }),
            filters: readFilters(query.filters, dashboardFields),
            orders: readSorting(query.sorting, dashboardOrders),
            offset: (page.page - 1) * page.size,
            limit: page.size,
          });
          return showPage(page, { total, content: content.map(showDashboard) }, dashboardOrders);
        },
        async create({
          body,
          projectTarget,
          caller,
        }: Pick<Call<Rows['createChartDashboard']>, 'body' | 'projectTarget' | 'caller'>) {
          const config = readConfig(body.config);
          if (body.project_id !== undefined) readAnyId(body.project_id, 'project_id');
          const project = isOfProject(body, caller)
            ? await requireTarget(storage, { clock, ids }, projectTarget, caller)
            : undefined;
          const made = await dashboards.insert({
            workspaceId: projectTarget.workspace.id,
            id: ids.next(),
            projectId: project?.id,
            scope,
            name: body.name,
            slug: slugOf(body.name),
            type: body.type ?? 'multi_project',
            description: body.description,
            config,
            ...madeBy(clock, caller),
          });
          return { body: showDashboard(made), madeAt: `/v1/private/${path}/${made.id}` };
        },
        async update(
          { workspaceId, id }: ChartDashboard,
          { body, caller }: Pick<Call<Rows['updateChartDashboard']>, 'body' | 'caller'>,
        ) {
          const { name, type, description } = body;
          const changed = await dashboards.update(workspaceId, scope, id, {
            ...given({
              ...{ name, type, description },
              slug: name && slugOf(name),
              config: body.config && readConfig(body.config),
            }),
            ...touchedBy(clock, caller),
          });
          if (changed === undefined) throw new Failure('absent', `dashboard ${id} not found`);
          return showDashboard(changed);
        },
        async query(
          dashboard: ChartDashboard,
          {
            body,
            params: { widgetId },
            caller,
            signal,
          }: Pick<Call<Rows['queryChartWidget']>, 'body' | 'params' | 'caller' | 'signal'>,
        ) {
          if (!chartsAreOn(toggles)) return analyticsOff;
          const interval = readInterval(body ?? {}, clock.now());
          const { workspaceId } = dashboard;
          const query = await findQuery(dashboard, widgetId, caller);
          const tables = tablesFor(caller, workspaceId);
          const statement = withInterval(query.sql, interval);
          const scope = { workspaceId, ...given({ projectId: query.projectId, tables }) };
          return turns.take(workspaceId, () => runStatement(analytics, statement, scope, signal));
        },
        remove: (call: Pick<Call<Rows['deleteChartDashboard']>, 'reach' | 'params'>) => {
          const { dashboardId: id } = call.params;
          if (!isUuid(id)) throw new Failure('absent', `dashboard ${id.slice(0, 100)} not found`);
          return remove(call, [id.toLowerCase()]);
        },
        removeMany: (call: Pick<Call<Rows['deleteChartDashboards']>, 'reach' | 'body'>) =>
          remove(call, readIds(call.body.ids)),
      };
    };

    const ofWorkspace = ofScope('workspace', 'dashboards');
    const ofInsights = ofScope('insights', 'insights-views');
    return {
      listChartDashboards: ofWorkspace.list,
      listProjectDashboards: ofWorkspace.list,
      createChartDashboard: ofWorkspace.create,
      showChartDashboard: async (call) => showDashboard(call.chartDashboard),
      updateChartDashboard: (call) => ofWorkspace.update(call.chartDashboard, call),
      queryChartWidget: (call) => ofWorkspace.query(call.chartDashboard, call),
      deleteChartDashboard: async (call) => ofWorkspace.remove(call),
      deleteChartDashboards: async (call) => ofWorkspace.removeMany(call),
      listInsightsViews: ofInsights.list,
      createInsightsView: ofInsights.create,
      showInsightsView: async (call) => showDashboard(call.insightsView),
      updateInsightsView: (call) => ofInsights.update(call.insightsView, call),
      queryInsightsWidget: (call) => ofInsights.query(call.insightsView, call),
      deleteInsightsView: async (call) => ofInsights.remove(call),
      deleteInsightsViews: async (call) => ofInsights.removeMany(call),
    };
  },
});
