// What other areas do with evaluations: fill them with what was answered, and end them, which alerts may wait for.
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { EvaluationStatus } from '#ports/model/evaluations';
import type { Caller } from '#ports/model/identity';
import type { EvaluationStore } from '#ports/storage/evaluations';
import type { StorageOf } from '#ports/storage/storage';
import { alertListeners, mostTold, type Happened } from '../alerts/offers.js';
import type { AlertSettings } from '../alerts/settings.js';
import { parseJson } from '../json-text.js';
import { showAuthorship, touchedBy } from '../private-wire/authorship.js';

export interface FinishingNeeds {
  readonly storage: StorageOf<'alertFirings' | 'alerts' | 'evaluations'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: AlertSettings;
}

/** What alerts tell of evaluations that have finished. */
const finishedOf = async (
  evaluations: EvaluationStore,
  workspaceId: string,
  wanted: readonly string[],
): Promise<readonly Happened[]> => {
  const found = (await evaluations.findMany(workspaceId, wanted)).slice(0, mostTold);
  const figures = await evaluations.figures(
    workspaceId,
    found.map(({ id }) => id),
  );
  return found.map((one) => {
    const { created_at, created_by } = showAuthorship(one);
    return {
      projectId: one.projectId,
      record: {
        ...{ id: one.id, name: one.name, dataset_id: one.datasetId, type: one.type },
        metadata: one.metadata === undefined ? undefined : parseJson(one.metadata),
        ...{ created_at, created_by },
        feedback_scores: figures.get(one.id)?.scores,
      },
    };
  });
};

/** Gives evaluations of a workspace their last status, in the name of somebody; those that are not there are passed over. */
export const finisher = ({ storage, clock, ids, settings }: FinishingNeeds) => {
  const { alerts, evaluations } = storage.stores;
  const listenersOf = alertListeners({ alerts, clock, ids, settings });
  return async (
    workspaceId: string,
    wanted: readonly string[],
    status: Exclude<EvaluationStatus, 'running'>,
    { userName }: Pick<Caller, 'userName'>,
  ): Promise<void> => {
    const touch = touchedBy(clock, { userName });
    const finished = { ...touch, finishedAt: touch.lastUpdatedAt };
    const listeners = await listenersOf(workspaceId);
    if (status !== 'completed' || !listeners.waits('experiment:finished')) {
      await evaluations.setStatus(workspaceId, wanted, status, finished);
      return;
    }
    const events = listeners.eventsOf({
      ...{ eventType: 'experiment:finished', userName, together: true },
      happened: await finishedOf(evaluations, workspaceId, wanted),
    });
    await storage.transaction(async (inside) => {
      await inside.evaluations.setStatus(workspaceId, wanted, status, finished);
      await inside.alertFirings.record(events);
    });
  };
};

export { evaluatedPrompts } from './prompts.js';
export { derivedIds, readUpload, storeUpload, type SentRecord } from './uploading.js';
