import type { Touch } from '../model/authorship.js';
import type { RetentionRule } from '../model/retention.js';
import type { Page, PageRequest } from '../page.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Ids from `fromId` on and before `beforeId`: ids tell when something was made. */
export interface IdRange {
  readonly fromId: string | undefined;
  readonly beforeId: string;
}

/** Rules by which traces are deleted, and what they apply to. */
export interface RetentionStore {
  /** Disables the enabled rule of the same project, or of the same workspace. Rejects with `conflict` when the workspace has a rule of that id. */
  insert(rule: RetentionRule): Promise<void>;
  find(workspaceId: string, id: string): Promise<RetentionRule | undefined>;
  /** Rules of a workspace, or of one of its projects, by id, the greatest first; only enabled ones unless `disabledToo`. */
  page(
    of: {
      readonly workspaceId: string;
      readonly projectId: string | undefined;
      readonly disabledToo: boolean;
    },
    page: PageRequest,
  ): Promise<Page<RetentionRule>>;
  /** Says whether there is such a rule. */
  disable(workspaceId: string, id: string, touch: Touch): Promise<boolean>;
  /** Workspaces with an enabled rule, by id, after one of them. */
  listWorkspaces(afterId: string | undefined, limit: number): Promise<readonly string[]>;
  /** All enabled rules of a workspace. */
  listEnabled(workspaceId: string): Promise<readonly RetentionRule[]>;
  /** Ids of traces of a project in a range, the smallest first. */
  listTraces(projectId: string, range: IdRange, limit: number): Promise<readonly string[]>;
  /** Ids of spans of these traces. */
  listSpans(
    projectId: string,
    traceIds: readonly string[],
    limit: number,
  ): Promise<readonly string[]>;
  /** Ids of spans of a project in a range whose trace is not there. */
  listSpansWithoutTrace(
    projectId: string,
    range: IdRange,
    limit: number,
  ): Promise<readonly string[]>;
}

export const retentionMethods: Methods<RetentionStore> = {
  insert: once,
  find: reads,
  page: reads,
  disable: sets,
  listWorkspaces: reads,
  listEnabled: reads,
  listTraces: reads,
  listSpans: reads,
  listSpansWithoutTrace: reads,
};
