import { Analytics, type AnalyticsLimits, type AnalyticTable } from '#ports/analytics';
import { analyticsOperations } from '#ports/api/analytics';
import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import type { Call } from '#ports/api/operation';
import { isFailure } from '#ports/failure';
import { Log } from '#ports/log';
import { Toggles } from '#ports/toggles';
import { roleOf } from '../permissions.js';
import { placedTables, projectTables, readResults } from './rules.js';

const limits: AnalyticsLimits = { rows: 10_000, timeMs: 30_000, bytes: 16 * 1024 * 1024 };

type Asked = Pick<
  Call<typeof analyticsOperations.runProjectQuery>,
  'body' | 'projectScope' | 'signal'
>;

const off = { status: 501, body: undefined } as const;

export const analyticsArea = area({
  name: 'analytics',
  summary: 'Queries over what was logged, bounded to a workspace or a project.',
  family: privateFamily,
  table: analyticsOperations,
  toggles: {
    'analytics-queries': { default: true, says: 'Analytic queries; without it they answer 501' },
    'custom-charts': {
      default: true,
      says: 'Analytic queries over a whole workspace, as charts ask for them; without it they answer 501',
    },
  },
  needs: { analytics: Analytics, toggles: Toggles, log: Log },
  handlers: ({ analytics, toggles, log }) => {
    const ask = async (
      { body, projectScope: { workspace, project }, signal }: Asked,
      tables?: readonly AnalyticTable[],
    ) => {
      const scope = {
        workspaceId: workspace.id,
        ...(project === undefined ? {} : { projectId: project.id }),
        ...(tables === undefined ? {} : { tables }),
      };
      try {
        const result = await analytics.query(body.query, scope, limits, signal);
        return { status: 200, body: { results: readResults(result) } } as const;
      } catch (thrown) {
        if (!isFailure(thrown) || thrown.kind !== 'unsupported') throw thrown;
        log.warn(thrown.message);
        return off;
      }
    };
    return {
      runProjectQuery: async (call) =>
        toggles.isOn('analytics-queries') ? ask(call, projectTables) : off,
      async runWorkspaceQuery(call) {
        if (!toggles.isOn('analytics-queries') || !toggles.isOn('custom-charts')) return off;
        const { caller, projectScope } = call;
        // Who reaches only a project sees nothing of the workspace around it.
        const reachesAll =
          caller.scope?.projectId === undefined &&
          roleOf(caller, projectScope.workspace.id) !== undefined;
        return ask(call, reachesAll ? undefined : placedTables);
      },
    };
  },
});
