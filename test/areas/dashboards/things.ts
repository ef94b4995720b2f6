import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

export const dashboards = thing(async ({ ask }) => {
  const make = async (path: string): Promise<string> =>
    (await ask(`/v1/private/${path}`, { name: freshName('dashboard'), config: {} }))['id'] ?? '';
  return { dashboardId: await make('dashboards'), viewId: await make('insights-views') };
});
