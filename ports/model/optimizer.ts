import { kind } from '../api/kind.js';

export const optimizerAlgorithms = ['random', 'grid', 'bayes'] as const;
export type OptimizerAlgorithm = (typeof optimizerAlgorithms)[number];

/** A search for parameters that several processes share. */
export interface Optimizer {
  readonly id: string;
  readonly workspaceId: string;
  readonly algorithm: OptimizerAlgorithm;
  readonly name: string | undefined;
  /** JSON text of an object, as sent. */
  readonly parameters: string;
  /** JSON text of an object, as sent. */
  readonly spec: string;
  /** How often each set of parameters is tried. */
  readonly trials: number;
  /** All randomness of the search comes from it. */
  readonly seed: string;
  /** Trials given out so far. */
  readonly assigned: number;
  readonly createdAt: number;
}
export const optimizer = kind<Optimizer>()('optimizer');

/** One attempt at one set of parameters. */
export interface Trial {
  /** The set of parameters. */
  readonly pid: string;
  /** Counted from 1 within its set. */
  readonly trial: number;
  /** Place in the search, counted from 1. */
  readonly count: number;
  /** JSON text of an object: a value a name. */
  readonly parameters: string;
  /** `assigned` when given out; then what the client says: running, completed, aborted, processing, processed. */
  readonly status: string;
  /** Finite; `undefined` while there is none. */
  readonly score: number | undefined;
  readonly epoch: number | undefined;
  readonly tries: number;
  /** How often it was given out again. */
  readonly retries: number;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  readonly updatedAt: number;
  /** JSON text, as sent. */
  readonly metadata: string | undefined;
}
