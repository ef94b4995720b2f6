import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import type { evaluationOperations } from '#ports/api/evaluations';
import type { Handlers } from '#ports/api/operation';
import type { Resolved } from '#ports/port';
import { storageOf } from '#ports/storage/storage';
import { alertSettings } from '../alerts/settings.js';
import { traceSettings } from '../traces/settings.js';

export const evaluationNeeds = {
  storage: storageOf(
    'alertFirings',
    'alerts',
    'annotationQueues',
    'automationRuns',
    'datasetItems',
    'datasets',
    'evaluationItems',
    'evaluations',
    'feedback',
    'libraryPrompts',
    'projects',
    'traces',
    'workspaces',
  ),
  clock: Clock,
  ids: Ids,
  traceSettings: traceSettings.port,
  alertSettings: alertSettings.port,
};
export type EvaluationNeeds = Resolved<typeof evaluationNeeds>;

/** Use-cases of these rows. */
export type EvaluationHandlers<Ids extends keyof typeof evaluationOperations> = Pick<
  Handlers<typeof evaluationOperations>,
  Ids
>;
