import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Touch } from '../model/authorship.js';
import type { ChartDashboard, DashboardScope } from '../model/dashboards.js';
import { once, reads, sets, type Methods } from './methods.js';

export type DashboardChange = Touch &
  Partial<Pick<ChartDashboard, 'name' | 'type' | 'description' | 'config' | 'slug'>>;

export interface DashboardListing {
  readonly workspaceId: string;
  readonly scope: DashboardScope;
  readonly projectId?: string;
  /** A part of its name, in any case. */
  readonly name?: string;
  /** By `id`, `name`, `created_by`, `last_updated_by` (texts), `type`, `scope` (words), `created_at`, `last_updated_at` (instants). */
  readonly filters: readonly FieldFilter[];
  /** By `id`, `name`, `type`, `created_at`, `last_updated_at`; the greatest id first where this does not decide. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

/** Most dashboards of a workspace; one more is refused with `conflict`. */
export const mostDashboards = 10_000;

/** Dashboards of workspaces. A name is unique in its project, or among those of the workspace alone, by scope. */
export interface DashboardStore {
  /** Answers it with its slug: the one that is given, with a number where that is taken. Rejects with `conflict` when the id or the name is taken. */
  insert(dashboard: ChartDashboard): Promise<ChartDashboard>;
  find(workspaceId: string, scope: DashboardScope, id: string): Promise<ChartDashboard | undefined>;
  /** Rejects with `invalid` where they are too much for one reply. */
  list(
    listing: DashboardListing,
  ): Promise<{ readonly total: number; readonly content: readonly ChartDashboard[] }>;
  /** Only what is given changes; a slug is made anew from the one that is given. `undefined` where it is not there. Rejects with `conflict` when the name is taken. */
  update(
    workspaceId: string,
    scope: DashboardScope,
    id: string,
    change: DashboardChange,
  ): Promise<ChartDashboard | undefined>;
  /** Those that are not there are passed over. */
  remove(workspaceId: string, scope: DashboardScope, ids: readonly string[]): Promise<void>;
}

export const dashboardMethods: Methods<DashboardStore> = {
  insert: once,
  find: reads,
  list: reads,
  update: sets,
  remove: sets,
};
