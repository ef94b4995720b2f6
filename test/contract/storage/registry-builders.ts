// Registered models and their versions as test data, in which only what matters is named.
import type { Asset } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import type { NewVersion } from '#ports/storage/model-versions';
import type { NewModel } from '#ports/storage/registry';
import type { Storage } from '#ports/storage/storage';
import {
  addExperiment,
  addUser,
  addWorkspace,
  freshId,
  freshKey,
  freshName,
  start,
} from './builders.js';

/** A file of an experiment's model `net`, with bytes under a key of its own; not stored. */
export const modelFile = (experimentId: string, given: Partial<Asset> = {}): Asset => {
  const rowId = given.rowId ?? freshId();
  return {
    id: freshKey(),
    rowId,
    experimentId,
    workspaceId: freshId(),
    fileName: 'weights.bin',
    type: 'model-element',
    fileSize: 3,
    runContext: undefined,
    step: undefined,
    epoch: undefined,
    metadata: undefined,
    remoteLink: undefined,
    blobKey: `w/${rowId}`,
    sha256: 'f'.repeat(64),
    groupingName: 'net',
    artifactVersionId: undefined,
    extension: undefined,
    tags: [],
    width: undefined,
    height: undefined,
    partOf: undefined,
    createdAt: start,
    ...given,
  };
};

/** Stores such a file. */
export const addModelFile = async (
  storage: Storage,
  experimentId: string,
  given: Partial<Asset> = {},
): Promise<Asset> => {
  const asset = modelFile(experimentId, given);
  if (asset.blobKey !== undefined) await storage.stores.uploads.noteUpload(asset.blobKey, start);
  await storage.stores.assets.insert(asset, { replacing: false, idGiven: true });
  return asset;
};

export const addModel = async (
  storage: Storage,
  given: Partial<NewModel> = {},
): Promise<NewModel> => {
  const name = given.name ?? freshName('Model');
  const model: NewModel = {
    id: freshId(),
    workspaceId: given.workspaceId ?? (await addWorkspace(storage)).id,
    name,
    normalName: name.toLowerCase(),
    description: undefined,
    public: false,
    userId: given.userId ?? (await addUser(storage)).id,
    createdAt: start,
    ...given,
  };
  await storage.stores.registry.insertModel(model);
  return model;
};

/** An experiment whose model `net` has one file. */
export const addSource = async (storage: Storage): Promise<Experiment> => {
  const experiment = await addExperiment(storage);
  await addModelFile(storage, experiment.id);
  return experiment;
};

export const versionOf = async (
  storage: Storage,
  { id: modelId, userId }: Pick<NewModel, 'id' | 'userId'>,
  given: Partial<NewVersion> & { readonly source?: Experiment } = {},
): Promise<NewVersion> => {
  const { source = await addSource(storage), ...more } = given;
  return {
    id: freshId(),
    modelId,
    experimentId: source.id,
    experimentKey: source.key,
    experimentModelId: 'model-id',
    experimentModelName: 'net',
    version: '1.0.0',
    comment: undefined,
    tags: [],
    status: 'None',
    userId,
    createdAt: start,
    ...more,
  };
};

/** Stores a version, which is the latest of its model then. */
export const addVersion = async (
  storage: Storage,
  model: Pick<NewModel, 'id' | 'userId'>,
  given: Parameters<typeof versionOf>[2] = {},
): Promise<NewVersion> => {
  const version = await versionOf(storage, model, given);
  await storage.stores.modelVersions.insertVersion(version);
  await storage.stores.modelVersions.countVersions(model.id, 1, version.id);
  return version;
};
