import { once, reads, notifies, type Methods } from './methods.js';

/** What keeps its smallest, largest and newest value; `environment` holds the system details that are searched, `noted` other facts that are. */
export type LoggedKind = 'parameter' | 'other' | 'environment' | 'noted';

/** One logged value. `text` is what was logged, exactly. */
export interface LoggedValue {
  /** The full name, with the context as its prefix. */
  readonly name: string;
  readonly context: string | undefined;
  readonly text: string;
  readonly step: number | undefined;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

export interface ValueBatch {
  readonly experimentId: string;
  readonly kind: LoggedKind;
  readonly values: readonly LoggedValue[];
  /** SHA-256 in hex of the request that brought it; a batch of the same experiment with the same digest is stored once. */
  readonly digest?: string;
  readonly receivedAt: number;
}

/** A value with where and when it was logged. */
export type ValueMoment = Omit<LoggedValue, 'name' | 'context'>;

export interface StoredValue {
  readonly name: string;
  /** The context it was last logged with. */
  readonly context: string | undefined;
  /** Smallest and largest finite number; the newest value while there is none. */
  readonly min: ValueMoment;
  readonly max: ValueMoment;
  /** The value that was received last. */
  readonly last: ValueMoment;
}

/** Parameters, others and tags of experiments. Every write rejects with `absent` when the experiment is gone. */
export interface ValueStore {
  /** Stores a batch whole or not at all; of values of one name the last is current. `duplicate` when this digest was stored within the hour: nothing is stored then. */
  write(batch: ValueBatch): Promise<'stored' | 'duplicate'>;
  /** In the order of their names; of those `names` only, when given. */
  list(
    experimentId: string,
    kind: LoggedKind,
    names?: readonly string[],
  ): Promise<readonly StoredValue[]>;
  /** Says whether there was one. */
  remove(experimentId: string, kind: LoggedKind, names: readonly string[]): Promise<boolean>;
  /** Adds those that are missing behind those that are there. */
  addTags(experimentId: string, tags: readonly string[], at: number): Promise<void>;
  /** Says whether there was one. */
  removeTags(experimentId: string, tags: readonly string[]): Promise<boolean>;
  /** In the order they were added. */
  listTags(experimentId: string): Promise<readonly string[]>;
}

export const valueMethods: Methods<ValueStore> = {
  write: notifies('values', once),
  list: reads,
  remove: notifies('values', once),
  addTags: notifies('values', once),
  removeTags: notifies('values', once),
  listTags: reads,
};
