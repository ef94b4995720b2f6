import { defineKind } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import {
  experimentModel,
  modelVersion,
  registryModel,
  statusRequest,
  type RegistryModel,
} from '#ports/model/registry';
import type { WorkspacePlace } from '#ports/api/kind-definition';
import { storageOf } from '#ports/storage/storage';
import { workspaceOf } from '../workspaces/offers.js';
import { experimentOf, experimentPlace } from '../experiments/offers.js';
import { absentModel, absentVersion, normalName } from './rules.js';

/** A registered model is its workspace's; a public one may be read by anybody with a key. */
const modelPlace = ({ workspaceId, public: isPublic }: RegistryModel): WorkspacePlace => ({
  workspaceId,
  public: isPublic,
});

export const registryModelKind = defineKind(registryModel, {
  needs: { storage: storageOf('registry', 'workspaces') },
  rules: ({ storage: { stores } }) => ({
    async find(name, { caller }) {
      if (name.texts.length === 1) return stores.registry.findModel(name.text);
      const home = await workspaceOf(stores, name, caller.defaultWorkspaceId);
      return home === undefined
        ? undefined
        : stores.registry.findModelByName(home, normalName(name.text));
    },
    placeOf: modelPlace,
    absent: absentModel,
  }),
});

export const modelVersionKind = defineKind(modelVersion, {
  needs: { storage: storageOf('modelVersions', 'registry') },
  rules: ({ storage: { stores } }) => ({
    async find({ text }) {
      const found = await stores.modelVersions.findVersion(text);
      if (found === undefined) return undefined;
      const model = await stores.registry.findModel(found.modelId);
      return model === undefined ? undefined : { ...found, model };
    },
    placeOf: ({ model }) => modelPlace(model),
    absent: absentVersion,
  }),
});

/** A model of an experiment lies where its experiment does. */
export const experimentModelKind = defineKind(experimentModel, {
  needs: { storage: storageOf('assets', 'experiments', 'projects') },
  rules: ({ storage: { stores } }) => ({
    async find({ text }) {
      const found = await stores.assets.findModel(text);
      if (found === undefined) return undefined;
      const experiment = await experimentOf(stores, found.experimentId);
      return experiment === undefined ? undefined : { id: text, name: found.name, experiment };
    },
    placeOf: ({ experiment }) => experimentPlace(stores, experiment),
    absent: (text) => new Failure('absent', `experiment model ${text.slice(0, 80)} not found`),
    forProjectKeys: true,
  }),
});

export const statusRequestKind = defineKind(statusRequest, {
  needs: { storage: storageOf('approvals') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.approvals.findRequest(text),
    placeOf: ({ workspaceId }) => ({ workspaceId }),
  }),
});
