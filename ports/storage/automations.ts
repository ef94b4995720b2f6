import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { AutomationLog, AutomationRule, AutomationRun } from '../model/automations.js';
import type { TracedKind } from '../model/traces.js';
import { once, reads, sets, type Methods } from './methods.js';

/** What rules are sorted by. */
export const ruleOrders = [
  'id',
  'name',
  'type',
  'enabled',
  'sampling_rate',
  'created_at',
  'last_updated_at',
  'created_by',
  'last_updated_by',
] as const;

export interface RuleListing {
  readonly workspaceId: string;
  /** Only those of this project. */
  readonly projectId?: string;
  /** Only those of this project and of no other. */
  readonly onlyProjectId?: string;
  /** A part of the id. */
  readonly id?: string;
  /** A part of the name, in any case. */
  readonly name?: string;
  /** By the fields of `ruleOrders`: texts, `type` and `enabled` words, `sampling_rate` a number, times instants. */
  readonly filters: readonly FieldFilter[];
  /** Between equals, and without any, the greatest id first. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

/** Most rules of a workspace; one more is refused with `conflict`. */
export const mostRules = 200;
/** How long other processes may believe that a project has no rule that is enabled, in ms. */
export const rulesHeardMs = 5000;

type WrittenRule = Omit<AutomationRule, 'projects'> & { readonly projectIds: readonly string[] };

/** Rules that score what is logged. One whose projects are all deleted is not found. */
export interface AutomationStore {
  /** Rejects with `conflict` when the id is taken, or the workspace has too many. */
  insert(rule: WrittenRule): Promise<void>;
  find(workspaceId: string, id: string): Promise<AutomationRule | undefined>;
  /** Those that are there, in the order of their ids. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly AutomationRule[]>;
  /** Rejects with `invalid` where they are too much for one reply. */
  list(
    listing: RuleListing,
  ): Promise<{ readonly total: number; readonly content: readonly AutomationRule[] }>;
  /** All of a project about one kind of thing, in the order of their ids. */
  listOfProject(projectId: string, kind: TracedKind): Promise<readonly AutomationRule[]>;
  /** Replaces all of it but its type, who made it and when. Says whether it was there. */
  replace(rule: WrittenRule): Promise<boolean>;
  /** With their logs. Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
}

/** Of a rule's log the newest lines are kept, about so many. */
export const mostLogs = 2000;

/** A rule that is enabled, as is known to whoever queues things for it. */
export type QueuedRule = Pick<AutomationRule, 'id' | 'name' | 'samplingRate'>;

/** Which things rules are to look at. */
export interface RuleSample {
  /** Whether this thing is in the sample of a rule; always the same answer. */
  holds(rule: QueuedRule, entityId: string): boolean;
  /** What is told of one that is not. */
  lineOf(rule: QueuedRule, entityId: string): Pick<AutomationLog, 'level' | 'message' | 'markers'>;
}

/** What waits to be scored, and what came of it. All times are those of the database's clock. Of each log the oldest lines make room, some time later. */
export interface AutomationRunStore {
  /**
   * Lets things of a project wait for so long (ms), and then be looked at by its rules. What waits already waits anew; whoever works on it does not
   * end it then. Costs next to nothing where no rule of the project is enabled for such things, which may have been so up to `rulesHeardMs` ago;
   * rules for threads are about traces too. Things that are in the `sample` of no rule do not wait, unless a rule is about their threads: of some of
   * them the logs of rules tell, at most once a second each.
   */
  enqueue(
    projectId: string,
    kind: TracedKind,
    entityIds: readonly string[],
    delayMs: number,
    sample?: RuleSample,
  ): Promise<void>;
  /**
   * Lets each of these rules score each of these things of a project at once, whatever its filters and its share say, and even where it is disabled. The
   * same thing for the same rule waits once, and anew when it is asked for again.
   */
  enqueueFor(
    projectId: string,
    kind: TracedKind,
    entityIds: readonly string[],
    ruleIds: readonly string[],
  ): Promise<void>;
  /** Claims what has waited longest and is due, for so long (ms): of any number of claimants one gets each. Without those of these projects. */
  claim(
    holder: string,
    limit: number,
    ms: number,
    notOf?: readonly string[],
  ): Promise<readonly AutomationRun[]>;
  /**
   * Puts a rule's run in the queue for each of these rules in place of what was claimed, and adds lines about it to logs: all or none. Says `false`, and
   * does nothing, where the holder lost it.
   */
  choose(
    holder: string,
    run: AutomationRun,
    ruleIds: readonly string[],
    lines?: readonly AutomationLog[],
  ): Promise<boolean>;
  /** Ends what was claimed, and adds lines about it to logs, both or neither; neither where the holder lost it. */
  finish(holder: string, id: string, lines?: readonly AutomationLog[]): Promise<void>;
  /**
   * Gives back what was claimed, to be claimed again after a while (ms), and adds lines about it to logs, both or neither; neither where the holder lost
   * it. `counts` says whether this was a try.
   */
  postpone(
    holder: string,
    id: string,
    delayMs: number,
    counts: boolean,
    lines?: readonly AutomationLog[],
  ): Promise<void>;
  /** The newest first. */
  listLogs(ruleId: string, limit: number): Promise<readonly AutomationLog[]>;
}

export const automationMethods: Methods<AutomationStore> = {
  insert: once,
  find: reads,
  findMany: reads,
  list: reads,
  listOfProject: reads,
  replace: sets,
  remove: sets,
};
export const automationRunMethods: Methods<AutomationRunStore> = {
  enqueue: sets,
  enqueueFor: sets,
  claim: once,
  choose: once,
  finish: sets,
  postpone: once,
  listLogs: reads,
};
