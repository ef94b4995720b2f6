import type { Experiment } from '../model/experiments.js';
import { port } from '../port.js';
import type { NewEvent } from './events.js';
import type { LoggedValue } from './values.js';
import {
  changesExperiment,
  changesExperiments,
  once,
  reads,
  sets,
  notifies,
  type Methods,
} from './methods.js';

export interface NewExperiment {
  readonly id: string;
  readonly key: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly beatMs: number;
  readonly alive: boolean;
  readonly offline: boolean;
  readonly reportsEnd: boolean;
}

/** A new experiment with what is stored with it. */
export interface Creation {
  readonly experiment: NewExperiment;
  /** The one other that a fresh one has. */
  readonly named: LoggedValue;
  readonly event: NewEvent;
  /** Experiments its project may hold; any number when left out. */
  readonly limit?: number;
}

export interface ExperimentChange {
  readonly name?: string;
  readonly optimizationId?: string;
  readonly filePath?: string;
  readonly fileName?: string;
  readonly startTimeMillis?: number;
  readonly endTimeMillis?: number;
  readonly startSet?: boolean;
  readonly endSet?: boolean;
  readonly lastSeenAt?: number;
  readonly beatMs?: number;
  readonly alive?: boolean;
  readonly reportsEnd?: boolean;
  readonly hasCrashed?: boolean;
  readonly archived?: boolean;
  readonly offline?: boolean;
  readonly processing?: boolean;
  /** How many GPUs it runs on. */
  readonly gpus?: number;
  readonly throttle?: boolean;
  readonly throttleMessage?: string | undefined;
  readonly throttleReasons?: readonly string[];
}

export interface ExperimentListing {
  readonly projectId: string;
  readonly archived: boolean;
  readonly sortBy: 'startTime' | 'endTime' | 'hasCrashed';
  readonly descending: boolean;
  /** Counted from 0; without it, everything. */
  readonly offset?: number;
  readonly limit?: number;
}

export interface ExperimentStore {
  /**
   * Puts it into its home project, which can neither be deleted nor moved meanwhile. Says `false`, and stores nothing, when the workspace has no
   * such project any more. Rejects with `conflict` when the key is taken, also by a deleted one that is not yet purged.
   */
  insert(experiment: NewExperiment): Promise<boolean>;
  /**
   * The same with all that a new experiment has, whole or not at all, in a project that holds fewer experiments than the limit; of many at once
   * no more are made than fit. Says `homeless` when there is no such project, and `full` when it holds as many as it may.
   */
  create(creation: Creation): Promise<'made' | 'homeless' | 'full'>;
  /** Inside a transaction: keeps everybody else from changing the experiment until it ends. Answers it as it is now. */
  lock(id: string): Promise<Experiment | undefined>;
  /** Deleted ones are not found. */
  findByKey(key: string): Promise<Experiment | undefined>;
  /** Those found, in no order. */
  listByKeys(keys: readonly string[]): Promise<readonly Experiment[]>;
  listByIds(ids: readonly string[]): Promise<readonly Experiment[]>;
  /** Experiments at home in the project and those linked into it; equal sort values by id. */
  list(listing: ExperimentListing): Promise<readonly Experiment[]>;
  /** Those at home there that are not deleted; archived ones count. */
  countInProject(projectId: string): Promise<number>;
  /** Only what is given changes; a member given as `undefined` is cleared. Says whether it was found. */
  update(id: string, change: ExperimentChange): Promise<boolean>;
  /** Sets the throttle flag with this sentence, and adds a reason to those there are. */
  flagThrottled(id: string, reason: string, message: string): Promise<void>;
  /** Moves last sign of life, and the end of an experiment whose end was never set, forward to `at`, never back. */
  touch(id: string, at: number): Promise<void>;
  /** From then on every read misses it; its rows and bytes are removed later. Says whether it was there. */
  markDeleted(id: string, at: number): Promise<boolean>;
  /** Ids of the experiments at home in a project, after `afterId`, in the order of ids. */
  listIdsAtHome(
    projectId: string,
    afterId: string | undefined,
    limit: number,
  ): Promise<readonly string[]>;
  /**
   * Changes the home of experiments, of all or of none; links that stood in the new home are replaced by it. Answers the ids of those that were
   * there, and says `homeless`, and changes nothing, when the workspace has no such project any more.
   */
  move(
    ids: readonly string[],
    to: { readonly workspaceId: string; readonly projectId: string },
  ): Promise<readonly string[] | 'homeless'>;
  /** Gives every experiment at home in a project another home in the same workspace; links into the project go. Lock the project before. */
  moveAll(fromProjectId: string, toProjectId: string): Promise<void>;
  /** Placing a link that is there already, or in its own home, changes nothing. */
  link(id: string, projectId: string): Promise<void>;
  unlink(id: string, projectId: string): Promise<boolean>;
  /** Projects into which it is linked, without its home. */
  listLinks(id: string): Promise<readonly string[]>;
  /** Ids of those said to be alive whose beats have lapsed before `now`, in their order; for the sweep. */
  listLapsed(now: number, limit: number): Promise<readonly string[]>;
  /** Marks those of them whose beats have lapsed before `now` as not alive, and as crashed where their client would have said that they end. */
  markLapsed(ids: readonly string[], now: number): Promise<void>;
}

export const experimentMethods: Methods<ExperimentStore> = {
  insert: notifies('run', once),
  create: notifies('run', once),
  lock: once,
  findByKey: reads,
  listByKeys: reads,
  listByIds: reads,
  list: reads,
  countInProject: reads,
  update: notifies('run', changesExperiment(sets), ['lastSeenAt', 'beatMs', 'endTimeMillis']),
  flagThrottled: notifies('run', changesExperiment(sets)),
  touch: sets,
  markDeleted: notifies('run', changesExperiment(once)),
  listIdsAtHome: reads,
  move: notifies('run', changesExperiment(once)),
  moveAll: changesExperiments(sets),
  link: notifies('run', sets),
  unlink: once,
  listLinks: reads,
  listLapsed: reads,
  markLapsed: notifies('run', changesExperiment(sets)),
};

/** Finds an experiment for requests that only add to it. What it tells may be some seconds old. */
export type ExperimentFinder = Pick<ExperimentStore, 'findByKey'>;
export const ExperimentFinder = port<ExperimentFinder>('experiment-finder');
