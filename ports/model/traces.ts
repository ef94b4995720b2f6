import { kind } from '../api/kind.js';
import type { Project } from './projects.js';

/**
 * What a trace and a span have in common. Times are microseconds since 1970 (UTC), `ttft` is milliseconds; `input`, `output`, `metadata` and
 * `errorInfo` hold JSON text.
 */
export interface TraceEntry {
  /** Made by the client, a UUID of version 7. Unique in its project; another project may have the same one. */
  readonly id: string;
  readonly projectId: string;
  readonly name: string | undefined;
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly metadata: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly errorInfo: string | undefined;
  readonly ttft: number | undefined;
  readonly source: string | undefined;
  readonly environment: string | undefined;
  readonly createdAt: number;
  /** Names of users. */
  readonly createdBy: string;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
  /** An update came before the entry itself, which will fill the gaps. */
  readonly partial: boolean;
}

export interface Trace extends TraceEntry {
  readonly threadId: string | undefined;
}

export interface Span extends TraceEntry {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  readonly type: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  /** JSON text: names and whole numbers. */
  readonly usage: string | undefined;
  /** US dollars, as the client told or as the list of prices has it. */
  readonly cost: number | undefined;
  /** The list of prices by which the cost was worked out; `undefined` for one that the client told. */
  readonly costVersion: string | undefined;
}

/** What scores and comments are about. */
export const tracedKinds = ['trace', 'span', 'thread'] as const;
export type TracedKind = (typeof tracedKinds)[number];

/** A trace, a span or a thread as the gate knows it: its id, and the project that it is in. */
export interface TracedRef {
  readonly id: string;
  readonly project: Project;
}
export const trace = kind<TracedRef>()('trace');
export const span = kind<TracedRef>()('span');
export const thread = kind<TracedRef>()('thread');

/** A comment as the gate knows it. */
export type CommentRef = TracedRef & { readonly comment: TraceComment };
export const traceComment = kind<CommentRef>()('traceComment');
export const spanComment = kind<CommentRef>()('spanComment');
export const threadComment = kind<CommentRef>()('threadComment');

/** All traces of a project with the same `threadId`. */
export interface Thread {
  /** Made by the server, a UUID of version 7. */
  readonly id: string;
  readonly projectId: string;
  /** The client's own text. */
  readonly threadId: string;
  readonly tags: readonly string[] | undefined;
  readonly environment: string | undefined;
  /** Closed by somebody, and no trace came since. */
  readonly closed: boolean;
  /** Microseconds, as all times here. */
  readonly lastActivityAt: number;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
  /** Of its traces: when the first began and the last ended, the input of the first and the output of the last, as JSON text. */
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  readonly firstMessage: string | undefined;
  readonly lastMessage: string | undefined;
  readonly traces: number;
  readonly cost: number | undefined;
  readonly usage: Readonly<Record<string, number>> | undefined;
}

/** What somebody thinks of a trace, a span or a thread, by a number under a name. One author has one score under a name. */
export interface Score {
  readonly projectId: string;
  readonly kind: TracedKind;
  readonly entityId: string;
  readonly name: string;
  /** The name of a user. */
  readonly author: string;
  /** Up to nine digits behind the point. */
  readonly value: number;
  readonly reason: string | undefined;
  readonly categoryName: string | undefined;
  readonly source: string;
  /** Microseconds. */
  readonly createdAt: number;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
}

/** What somebody says about a trace, a span or a thread. */
export interface TraceComment {
  readonly id: string;
  readonly projectId: string;
  readonly kind: TracedKind;
  readonly entityId: string;
  readonly text: string;
  /** Microseconds, and names of users. */
  readonly createdAt: number;
  readonly createdBy: string;
  readonly lastUpdatedAt: number;
  readonly lastUpdatedBy: string;
}
