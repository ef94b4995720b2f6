// Metrics that people write as programs. An adapter runs them where they reach nothing but what they are handed, and never in the server's process.
import { port } from './port.js';

export interface MetricCall {
  /** A program that defines a metric: a subclass of `BaseMetric`, made without arguments, whose `score` is called. */
  readonly source: string;
  /** JSON values by the names of the parameters of `score`. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** A JSON value for the first parameter, whatever its name; `undefined` where all come by their names. */
  readonly first?: unknown;
}

export interface MetricLimits {
  /** How long a run may take from its start on, in ms; the wait for its turn is not counted. */
  readonly timeMs: number;
  /** What the whole process of the run may take. */
  readonly memoryBytes: number;
  /** What the answer may have. */
  readonly outputBytes: number;
}

export interface MetricScore {
  readonly name: string;
  /** Finite; true is 1 and false is 0. */
  readonly value: number;
  readonly reason: string | undefined;
}

/** Why there is no answer. */
export interface MetricFault {
  /** What follows "the metric", in one sentence without an end: `took more than 10 s`. */
  readonly message: string;
  /** Whether another attempt may go better. */
  readonly retry: boolean;
}

export type MetricAnswer =
  | {
      /** In the order in which the metric gave them. */
      readonly scores: readonly MetricScore[];
      /** Names of scores of which the metric says that it could not give them. */
      readonly failed: readonly string[];
    }
  | { readonly fault: MetricFault };

export interface MetricRunner {
  /** Whether metrics are run at all; where they are not, every run is a fault. Never changes. */
  readonly isOn: boolean;
  /**
   * Runs a metric in a process of its own, which has no network, no files, no environment, no children, and ends with the run whatever the program
   * does. Never rejects. Ends when the signal aborts. May be repeated: a run leaves nothing behind.
   */
  run(call: MetricCall, limits: MetricLimits, signal: AbortSignal): Promise<MetricAnswer>;
}
export const MetricRunner = port<MetricRunner>('metricRunner');
