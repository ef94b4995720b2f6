import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

export const dashboardTypes = ['multi_project', 'experiments'] as const;
export type DashboardType = (typeof dashboardTypes)[number];
/** `insights` are views over what was found in traces; each scope is listed by itself. */
export const dashboardScopes = ['workspace', 'insights'] as const;
export type DashboardScope = (typeof dashboardScopes)[number];

/** Charts of LLM observability, of a project or of a whole workspace. */
export interface ChartDashboard extends Authorship {
  readonly workspaceId: string;
  readonly id: string;
  /** `undefined` for one that is the workspace's. */
  readonly projectId: string | undefined;
  readonly scope: DashboardScope;
  readonly name: string;
  /** Made from the name, unique in the workspace. */
  readonly slug: string;
  readonly type: DashboardType;
  readonly description: string | undefined;
  /** JSON text of an object, as the client wrote it. */
  readonly config: string;
}
export const chartDashboard = kind<ChartDashboard>()('chartDashboard');
/** A dashboard of the scope `insights`. */
export const insightsView = kind<ChartDashboard>()('insightsView');
