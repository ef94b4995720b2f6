import { reads, type Methods } from './methods.js';

/** What is counted by when it was made, as its id tells. */
export const countedKinds = ['dataset', 'evaluation', 'span', 'trace'] as const;
export type CountedKind = (typeof countedKinds)[number];

/** How much a user made in a workspace. */
export interface CreationCount {
  readonly workspaceId: string;
  readonly userName: string;
  readonly count: number;
}
/** How many spans a user made in a project. */
export interface SpanCount extends CreationCount {
  readonly projectId: string;
  /** `undefined` for one that was deleted. */
  readonly projectName: string | undefined;
}
export interface FoundProject {
  readonly workspaceId: string;
  readonly id: string;
  readonly name: string;
}
export interface ProjectSearch {
  readonly workspaceIds: readonly string[];
  /** Only these. */
  readonly projectIds?: readonly string[];
  /** A part of the name, in any case. */
  readonly name?: string;
  readonly limit: number;
}

/** Figures over every workspace of the installation. Ended after a while with `unavailable`. */
export interface CreationCountStore {
  /** What was made from one moment on and before another (microseconds), by workspace and user, in their order. What was removed since does not count. */
  count(kind: CountedKind, from: number, before: number): Promise<readonly CreationCount[]>;
  /** The same of spans, by workspace, project and user. */
  countSpans(from: number, before: number): Promise<readonly SpanCount[]>;
  /** Projects that are not deleted, by name and id. */
  findProjects(search: ProjectSearch): Promise<readonly FoundProject[]>;
}

export const creationCountMethods: Methods<CreationCountStore> = {
  count: reads,
  countSpans: reads,
  findProjects: reads,
};
