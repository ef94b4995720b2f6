// Registering a model of an experiment: as a new model, or as a version of one. Over stores handed in.
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { RegistryModel } from '#ports/model/registry';
import type { Stores } from '#ports/storage/storage';
import { requestStatus, type ApprovingNeeds } from './approving.js';
import { absentModel, checkTags, noStatus, requireName } from './rules.js';
import { appendEvent } from './events.js';
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
  { registry, workspaces }: Pick<Stores, 'registry' | 'workspaces'>,
  { clock, ids }: ApprovingNeeds,
  {
    experiment: { workspaceId },
    registryModelName: name,
    as,
    description,
    public: open,
    caller,
  }: Registration,
): Promise<RegistryModel> => {
  const normalName = requireName(name);
  // Where there is none, the workspace is locked, so that of many who miss it one makes it.
  const found =
    (await registry.findModelByName(workspaceId, normalName)) ??
    ((await workspaces.lock(workspaceId)) === undefined
      ? undefined
      : await registry.findModelByName(workspaceId, normalName));
  if (found === undefined && as === 'version') throw absentModel(name);
  if (found !== undefined && as === 'model')
    throw new Failure(
      'conflict',
      `registered model ${found.name.slice(0, 100)} exists already: add a version to it`,
    );
  const id = found?.id ?? ids.next();
  if (found === undefined)
    await registry.insertModel({
      id,
      workspaceId,
      name,
      normalName,
      description,
      public: open ?? false,
      userId: caller.userId,
      createdAt: clock.now(),
    });
  // One that was just made is this transaction's own.
  const there = found === undefined || (await registry.lockModel(id));
  const model = await registry.findModel(id);
  if (!there || model === undefined) throw absentModel(name);
  return model;
};

/**
 * Registers a version with the files that the experiment's model has now. Rejects with `invalid` for a version that is not semantic, a name or
 * tag that is not acceptable or a status that is not allowed, with `conflict` when version or model exist, with `absent` when the model is not there.
 */
export const register = async (
  stores: Pick<Stores, 'approvals' | 'events' | 'modelVersions' | 'registry' | 'workspaces'>,
  needs: ApprovingNeeds,
  request: Registration,
): Promise<{ readonly registryModelId: string; readonly registryModelItemId: string }> => {
  const { experiment, experimentModelId, experimentModelName, comment, caller } = request;
  if (request.version !== undefined) checkVersion(request.version);
  const tags = checkTags(request.tags);
  const model = await requireModel(stores, needs, request);
  const { registry, modelVersions } = stores;
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
  const files = await modelVersions.insertVersion({ ...planned, userId: caller.userId });
  if (files === 0)
    throw new Failure(
      'absent',
      `experiment ${experiment.key} has no model ${experimentModelName.slice(0, 100)}`,
    );
  const latestId =
    latest !== undefined && compareVersions(latest.version, version) > 0 ? latest.id : id;
  await modelVersions.countVersions(model.id, 1, latestId);
  const change = {
    updatedAt: now,
    ...(request.description === undefined ? {} : { description: request.description }),
    ...(request.public === undefined ? {} : { public: request.public }),
  };
  await registry.updateModel(model.id, change);
  await modelVersions.appendHistory({
    id: needs.ids.next(),
    modelId: model.id,
    versionId: id,
    action: 'MODEL_VERSION_CREATED',
    comment: undefined,
    previous: {},
    next: {},
    userName: caller.userName,
    at: now,
  });
  // Held since it was found, so that it is what has just been written.
  const changed = { ...model, ...change, versions: model.versions + 1, latestId };
  const made = { ...planned, files, userName: caller.userName, updatedAt: now };
  await appendEvent(stores, needs, 'registry.version-created', {
    model: changed,
    version: made,
    userName: caller.userName,
    comment,
    more: { addedStages: tags, removedStages: [] },
  });
  if (request.status !== undefined)
    await requestStatus(stores, needs, {
      version: { ...made, model: changed },
      status: request.status,
      caller,
      comment: undefined,
    });
  return { registryModelId: model.id, registryModelItemId: id };
};
