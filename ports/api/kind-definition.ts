// What the gate must know of a kind: how one is found, whose it is, and what is answered when it is missing. An area brings it along.
import type { Failure } from '../failure.js';
import type { Caller } from '../model/identity.js';
import type { Resolved, Needs } from '../port.js';
import type { Named } from './gate.js';
import type { Kind } from './kind.js';
import type { Operation } from './operation.js';

/** How a request names a thing. */
export interface Name {
  /** The row's path that the request used. */
  readonly path: string;
  /** The text there; several where a thing is named by its workspace's name and its own. */
  readonly texts: readonly (string | undefined)[];
  /** The last of them: the thing's own id or name. */
  readonly text: string;
}

/** The request that a thing is looked up for. */
export interface Asking {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly named: Named;
  /** The record of this kind that the row named before; `undefined` where the request names none. */
  found<Record>(kind: Kind<string, Record>): Record | undefined;
}

/** Where a thing lies that belongs to a workspace. */
export interface WorkspacePlace {
  readonly workspaceId: string;
  /** The one project that it lies in; a key of another project does not reach it. */
  readonly projectId?: string;
  /** Whether any authenticated caller may read it. */
  readonly public?: boolean;
  /** The user who passes rows that ask for the `owner`, beside administrators of the workspace. */
  readonly ownerId?: string;
  /** Other places through which it may be read. Asked only for callers without a role in its workspace. */
  readableThrough?(): Promise<readonly WorkspacePlace[]>;
  /** What is answered to a caller who may read it through another place only, and asks to change it; the answer for a missing one when left out. */
  readOnly?(): Failure;
}

/**
 * Whose a thing is: a workspace's · one person's own · `parent`: part of a thing that the row named before it, where access was checked ·
 * `installation`: nobody's but the installation's, so that only rows for its administrators may be about it.
 */
export type Place = WorkspacePlace | { readonly userId: string } | 'parent' | 'installation';

/** A kind that a row may name before this one. */
export interface Parent<Record = unknown> {
  readonly kind: Kind;
  /** Whether the found thing goes with the parent; where it does not, it is answered as a missing one. */
  holds(record: Record, parent: unknown, asking: Asking): boolean;
}

/** Says that a thing may be part of one of this kind, and when it is. */
export const parent = <Of, Record>(
  kind: Kind<string, Of>,
  holds: (record: Record, parent: Of, asking: Asking) => boolean,
): Parent<Record> => ({ kind, holds: holds as Parent<Record>['holds'] }); // the gate passes the record that it found for this kind

/** The rules of one kind; what is left out is as it says here. */
export interface KindRules<Record = unknown> {
  /** Finds the one that a request names. Whether the caller may reach it is not its business. */
  find(name: Name, asking: Asking): Promise<Record | undefined>;
  /** Finds several by one text each, in one question, by that text. Left out, they are found one by one. */
  findMany?(texts: readonly string[], asking: Asking): Promise<ReadonlyMap<string, Record>>;
  /** Finds what a request means that names none; for kinds that have a default. */
  findDefault?(asking: Asking): Promise<Record | undefined>;
  /** Whether a text stands for none at all, as if it had been left out. */
  isNone?(name: Name, asking: Asking): boolean | Promise<boolean>;
  /** By what two names of one thing are known as the same; names are taken for different things when left out. */
  idOf?(record: Record): string;
  placeOf(record: Record, asking: Asking): Place | Promise<Place>;
  /** What is answered for one that is not there or out of reach: `<kind> <text> not found` when left out. */
  absent?(text: string, asking: Asking): Failure;
  /** What is answered when a request names none: `<member> is required` when left out. */
  missing?(paths: readonly string[]): Failure;
  /**
   * Whether a key of one project reaches it: never, when left out; with `true` where it lies in that project; or where this answers so, for
   * what is wider than a project.
   */
  readonly forProjectKeys?: true | ((asking: Asking, record: Record) => Promise<boolean>);
  /** What a restricted service account is told that was not admitted to its workspace, in place of the answer for a missing one. */
  notAdmitted?(): Failure;
  /** Rejects where the thing takes in nothing more, although the caller may write to it. */
  checkRoom?(record: Record, asking: Asking): Promise<void>;
  /** What is read in place of one that is gone or out of reach, where the row says so. Only what this caller may read. */
  findCopy?(asking: Asking): Promise<Record | undefined>;
}

/** A kind as an area brings it. */
export interface KindDefinition {
  readonly kind: Kind;
  /** What it may be part of, or must go with. A row may say `within` only for these. */
  readonly parents: readonly Parent[];
  readonly needs: Needs;
  readonly rules: (needs: never) => KindRules;
}

/** A kind whose needs are met: what the gate asks. */
export interface ResolvedKind {
  readonly parents: readonly Parent[];
  readonly rules: KindRules;
}

/** Holds the rules of a kind against its record and needs: a rule of another record or an unmet need does not compile. */
export const defineKind = <Record, N extends Needs>(
  kind: Kind<string, Record>,
  parts: {
    readonly parents?: readonly Parent<Record>[];
    readonly needs: N;
    readonly rules: (needs: Resolved<N>) => KindRules<Record>;
  },
): KindDefinition => ({ kind, parents: [], ...parts }) as unknown as KindDefinition; // the generic signature above has checked what the erased type cannot say
