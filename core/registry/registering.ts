// Registering a model of an experiment: as a new model, or as a version of one. Over stores handed in.
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { RegistryModel } from '#ports/model/registry';
import type { Stores } from '#ports/storage/storage';
import { requestStatus, type ApprovingNeeds } from './approving.js';
import { absentModel, checkTags, noStatus, requireName } from './rules.js';
import { toEvent } from './events.js';
import { checkVersion, compareVersions, nextVersion } from '../versions.js';

export interface Registration {
  readonly experiment: Experiment;
  readonly experimentModelId: string;
  readonly experimentModelName: string;
  readonly registryModelName: string;
  /** Whether the registered model must be new, must be there, or may be either. */
  readonly as: 'model' | 'version' | 'either';
  /** The next after the highest when it is not given. */
  readonly version: string | undefined;
  readonly comment: string | undefined;
  readonly tags: readonly string[];
  readonly description?: string | undefined;
  readonly public?: boolean | undefined;
  readonly status?: string | undefined;
  readonly caller: Caller;
}

/** The model that a version goes to, locked; made where it may be. */
const requireModel = async (
  { registry }: Pick<Stores, 'registry'>,
  { clock, ids }: ApprovingNeeds,
  {
    experiment: { id: experimentId, workspaceId },
    registryModelName: name,
    as,
    description,
    public: open,
    caller,
  }: Registration,
): Promise<RegistryModel> => {
  const normalName = requireName(name);
  const id = ids.next();
  const model = await registry.openModel(
    { workspaceId, normalName },
    as === 'version'
      ? undefined
      : {
          id,
          workspaceId,
          name,
          normalName,
          description,
          public: open ?? false,
          userId: caller.userId,
          createdAt: clock.now(),
        },
    experimentId,
  );
  if (model === undefined) throw absentModel(name);
  if (model.id !== id && as === 'model')
    throw new Failure(
      'conflict',
      `registered model ${model.name.slice(0, 100)} exists already: add a version to it`,
    );
  return model;
};

/**
 * Registers a version with the files that the experiment's model has now. Rejects with `invalid` for a version that is not semantic, a name or
 * tag that is not acceptable or a status that is not allowed, with `conflict` when version or model exist, with `absent` when the model is not there.
 */
export const register = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry'>,
  needs: ApprovingNeeds,
  request: Registration,
): Promise<{ readonly registryModelId: string; readonly registryModelItemId: string }> => {
  const { experiment, experimentModelId, experimentModelName, comment, caller } = request;
  if (request.version !== undefined) checkVersion(request.version);
  const tags = checkTags(request.tags);
  const model = await requireModel(stores, needs, request);
  const { modelVersions } = stores;
  const latest =
    model.latestId === undefined ? undefined : await modelVersions.findVersion(model.latestId);
  const version = request.version ?? nextVersion(latest?.version);
  const [id, now] = [needs.ids.next(), needs.clock.now()];
  const planned = {
    id,
    modelId: model.id,
    experimentId: experiment.id,
    experimentKey: experiment.key,
    experimentModelId,
    experimentModelName,
    version,
    comment,
    tags,
    status: noStatus,
    createdAt: now,
  };
  const latestId =
    latest !== undefined && compareVersions(latest.version, version) > 0 ? latest.id : id;
  const change = {
    ...(request.description === undefined ? {} : { description: request.description }),
    ...(request.public === undefined ? {} : { public: request.public }),
  };
  // Held since it was found, so that this is what it will be.
  const changed = { ...model, ...change, updatedAt: now, versions: model.versions + 1, latestId };
  const madeOf = (files: number) => ({
    ...planned,
    files,
    userName: caller.userName,
    updatedAt: now,
  });
  const files = await modelVersions.insertVersion(
    { ...planned, userId: caller.userId },
    {
      latestId,
      ...change,
      history: {
        id: needs.ids.next(),
        modelId: model.id,
        versionId: id,
        action: 'MODEL_VERSION_CREATED',
        comment: undefined,
        previous: {},
        next: {},
        userName: caller.userName,
        at: now,
      },
      event: (kept) =>
        toEvent(needs, 'registry.version-created', {
          model: changed,
          version: madeOf(kept),
          userName: caller.userName,
          comment,
          more: { addedStages: tags, removedStages: [] },
        }),
    },
  );
  if (files === 0)
    throw new Failure(
      'absent',
      `experiment ${experiment.key} has no model ${experimentModelName.slice(0, 100)}`,
    );
  if (request.status !== undefined)
    await requestStatus(stores, needs, {
      version: { ...madeOf(files), model: changed },
      status: request.status,
      caller,
      comment: undefined,
    });
  return { registryModelId: model.id, registryModelItemId: id };
};
