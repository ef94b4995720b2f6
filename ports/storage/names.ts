// Things of any kind, found by part of their name.
import { reads, type Methods } from './methods.js';

/** What is found by its name. A kind more is a word here and a line in the store. */
export const namedKinds = ['project', 'run', 'model', 'artifact'] as const;
export type NamedKind = (typeof namedKinds)[number];

/** Where names are looked for. Everything else is not there. */
export interface NameReach {
  /** The workspaces whose things are found. */
  readonly workspaceIds: readonly string[] | 'all';
  /** Whether public things of other workspaces are found too. */
  readonly public: boolean;
  /** Only this project and its runs. */
  readonly projectId?: string | undefined;
  /** Only things of this workspace. */
  readonly within?: string | undefined;
}

export interface NameQuery {
  /** What the name holds, in any case; a run is also found by the beginning of its key. */
  readonly text: string;
  readonly reach: NameReach;
  /** Most things of each kind. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

export interface NamedThing {
  readonly kind: NamedKind;
  readonly id: string;
  readonly name: string;
  /** Of a run only. */
  readonly key: string | undefined;
  readonly workspaceName: string;
  /** Of a run, the project that it is at home in. */
  readonly projectId: string | undefined;
  readonly projectName: string | undefined;
}

export interface NamedThings {
  /** By kind; names that begin with the text first, and the newest first among equal ones. */
  readonly things: readonly NamedThing[];
  /** Kinds of which more was found than the limit. */
  readonly more: readonly NamedKind[];
}

/** Things of each kind whose names are looked at, the newest ones. Of runs, so many are shared by the 100 newest projects. */
export const mostNamesLookedAt = 20_000;

export interface NameStore {
  /** Deleted things and archived runs are not found. */
  find(query: NameQuery): Promise<NamedThings>;
}

export const nameMethods: Methods<NameStore> = {
  find: reads,
};
