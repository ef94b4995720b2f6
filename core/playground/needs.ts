// What prompts that run stand on.
import type { ChatModels } from '#ports/chat-model';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Log } from '#ports/log';
import type { Sealer } from '#ports/sealer';
import type { StorageOf } from '#ports/storage/storage';
import type { AlertSettings } from '../alerts/settings.js';

export interface PlaygroundNeeds {
  readonly storage: StorageOf<
    | 'alertFirings'
    | 'alerts'
    | 'automationRuns'
    | 'datasetItems'
    | 'evaluationItems'
    | 'evaluations'
    | 'feedback'
    | 'projects'
    | 'promptRuns'
    | 'providerKeys'
    | 'traces'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly models: ChatModels;
  readonly sealer: Sealer;
  /** The setting with prices of models. */
  readonly prices: string;
  readonly alerts: AlertSettings;
  /** Who claims. */
  readonly holder: string;
}
