import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Thread } from '../model/traces.js';
import type { Page, PageRequest } from '../page.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Which threads of a project are meant. */
export interface ThreadSelection {
  readonly projectId: string;
  readonly filters: readonly FieldFilter[];
  /** A part of the id, the first or the last message, or a tag, in any case. */
  readonly search?: string | undefined;
  readonly fromId?: string | undefined;
  readonly toId?: string | undefined;
  /** Threads without a trace since then count as inactive; microseconds. */
  readonly activeSince: number;
}
export interface ThreadListing extends ThreadSelection {
  readonly beforeId?: string | undefined;
  readonly limit: number;
}
export interface ThreadPageRequest extends ThreadSelection, PageRequest {
  readonly orders: readonly FieldOrder[];
}

/** Who changes threads, and when, in microseconds. */
export interface ThreadChange {
  readonly at: number;
  readonly by: string;
}

/** Threads: all traces of a project with one thread id, and what is known of them together. */
export interface ThreadStore {
  /** Makes what is missing of these threads and answers the ids that the server knows them by, by the client's own. */
  require(
    projectId: string,
    threadIds: readonly string[],
    change: ThreadChange,
  ): Promise<ReadonlyMap<string, string>>;
  /** Those of a project that are there, by the client's ids. */
  find(projectId: string, threadIds: readonly string[]): Promise<readonly Thread[]>;
  /** The project of a workspace in which each of these stands. */
  findPlaces(
    workspaceId: string,
    ids: readonly string[],
  ): Promise<readonly { readonly id: string; readonly projectId: string }[]>;
  list(listing: ThreadListing): Promise<readonly Thread[]>;
  page(request: ThreadPageRequest): Promise<Page<Thread>>;
  /** Closes or reopens threads. */
  setClosed(ids: readonly string[], closed: boolean, change: ThreadChange): Promise<void>;
  /** Decides about the tags of each; nobody changes them in between. */
  changeTags(
    ids: readonly string[],
    decide: (tags: readonly string[]) => readonly string[],
    change: ThreadChange,
  ): Promise<void>;
  /** Removes threads of a project, by the client's ids, with all their traces and what is about those. */
  remove(projectId: string, threadIds: readonly string[]): Promise<void>;
}

export const threadMethods: Methods<ThreadStore> = {
  require: sets,
  find: reads,
  findPlaces: reads,
  list: reads,
  page: reads,
  setClosed: sets,
  changeTags: once,
  remove: sets,
};
