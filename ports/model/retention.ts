import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

/** How long traces are kept, in days; `unlimited` exempts a project from the rule of its workspace. */
export const retentionDays = {
  short_14d: 14,
  base_60d: 60,
  extended_400d: 400,
  unlimited: undefined,
} as const;
export type Retention = keyof typeof retentionDays;
export const retentions = Object.keys(retentionDays) as readonly Retention[]; // the keys named above

/** After which age traces of a project, or of all projects of a workspace, are deleted. */
export interface RetentionRule extends Authorship {
  readonly workspaceId: string;
  readonly id: string;
  /** `undefined` is every project of the workspace that has no rule of its own. */
  readonly projectId: string | undefined;
  readonly retention: Retention;
  /** Whether traces from before the rule was made are deleted too. */
  readonly appliesToPast: boolean;
  /** At most one rule of a project, and one of a workspace, is. */
  readonly enabled: boolean;
}
export const retentionRule = kind<RetentionRule>()('retentionRule');
