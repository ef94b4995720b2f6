// What rules at work stand on.
import type { ChatModels } from '#ports/chat-model';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Log } from '#ports/log';
import type { MetricRunner } from '#ports/metric-runner';
import type { Sealer } from '#ports/sealer';
import type { StorageOf } from '#ports/storage/storage';

/** What it takes to read what a rule looks at. */
export interface SubjectNeeds {
  readonly storage: StorageOf<'threads' | 'traces'>;
}
/** What it takes to have a model or a program look at it. */
export interface AskingNeeds {
  readonly storage: StorageOf<'providerKeys' | 'threads' | 'traces'>;
  readonly models: ChatModels;
  readonly metrics: MetricRunner;
  readonly sealer: Sealer;
  /** The setting with prices of models. */
  readonly prices: string;
}

export interface RunningNeeds extends AskingNeeds {
  readonly storage: StorageOf<
    | 'annotationQueues'
    | 'automationRuns'
    | 'automations'
    | 'feedback'
    | 'projects'
    | 'providerKeys'
    | 'threads'
    | 'traces'
    | 'workspaceConfigurations'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Who claims. */
  readonly holder: string;
  /** How long to wait after a first try that failed. */
  readonly retryMs: number;
  /** Resolves after so long. */
  readonly pause: (ms: number) => Promise<void>;
}

/** How often a thing is tried, and how often it is claimed by processes that die of it. */
export const mostTries = 3;
