import { chartDashboard, insightsView } from '#ports/model/dashboards';
import { kindIn, type AreaFixtures, type RowFixture, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { config, dashboards, widgetId } from './things.js';

const inWorkspace = 'is looked for in the workspace of the header alone';
const ours = (world: World) => world.of(dashboards);

const listing: RowFixture = { ownNames: ['query.name'] };
const creating: RowFixture = {
  with: () => ({ 'body.name': freshName('dashboard'), 'body.config': {} }),
  ownNames: ['body.name'],
};
const updating: RowFixture = {
  with: () => ({ 'body.name': freshName('dashboard'), 'body.config': config }),
  ownNames: ['body.name'],
};
const charting: RowFixture = {
  with: () => ({ 'params.widgetId': widgetId }),
  notOurs: { 'params.widgetId': 'is looked for in the dashboard alone' },
};
const deleting = (idIn: (world: World) => string): RowFixture => ({
  consumes: true,
  with: (world) => ({ 'params.dashboardId': idIn(world) }),
  notOurs: { 'params.dashboardId': inWorkspace },
});
const deletingMany = (idIn: (world: World) => string): RowFixture => ({
  consumes: true,
  with: (world) => ({ 'body.ids': [idIn(world)] }),
  notOurs: { 'body.ids': inWorkspace },
});

export const fixtures: AreaFixtures = {
  areas: ['dashboards'],
  kinds: [
    kindIn(chartDashboard, dashboards, {
      name: ({ dashboardId }) => dashboardId,
      unknown: () => unknownId,
    }),
    kindIn(insightsView, dashboards, { name: ({ viewId }) => viewId, unknown: () => unknownId }),
  ],
  rows: {
    listChartDashboards: listing,
    listProjectDashboards: listing,
    createChartDashboard: creating,
    updateChartDashboard: updating,
    deleteChartDashboard: deleting((world) => ours(world).dashboardId),
    deleteChartDashboards: deletingMany((world) => ours(world).dashboardId),
    queryChartWidget: charting,
    queryInsightsWidget: charting,
    listInsightsViews: listing,
    createInsightsView: creating,
    updateInsightsView: updating,
    deleteInsightsView: deleting((world) => ours(world).viewId),
    deleteInsightsViews: deletingMany((world) => ours(world).viewId),
  },
};
