import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

/** The widget with a query that each dashboard has. */
export const widgetId = 'chart';

const widget = {
  ...{ id: widgetId, type: 'ollie_chart' },
  config: { query: { sql: "SELECT '{}' AS result" } },
};
/** Charts of a dashboard: one widget with a query. */
export const config = { sections: [{ id: 'section', widgets: [widget] }] };

export const dashboards = thing(async ({ ask }) => {
  const make = async (path: string): Promise<string> =>
    (await ask(`/v1/private/${path}`, { name: freshName('dashboard'), config }))['id'] ?? '';
  return { dashboardId: await make('dashboards'), viewId: await make('insights-views') };
});
