import { experimentModel, modelVersion, registryModel, statusRequest } from '#ports/model/registry';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshKey, freshName, freshVersion, unknownId } from '#test/api/fresh';
import { models } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['registry', 'approvals'],
  kinds: [
    kindIn(experimentModel, models, {
      name: ({ experimentModelId }) => experimentModelId,
      unknown: freshKey,
    }),
    kindIn(registryModel, models, {
      name: ({ registryModelId }) => registryModelId,
      ownName: ({ registryModelName }) => registryModelName,
      unknown: () => unknownId,
    }),
    kindIn(modelVersion, models, {
      name: ({ modelVersionId }) => modelVersionId,
      unknown: () => unknownId,
    }),
    kindIn(statusRequest, models, {
      name: ({ statusRequestId }) => statusRequestId,
      unknown: () => unknownId,
    }),
  ],
  settings: { ORRERY_REGISTRY_SELF_APPROVAL: '1' },
  rows: {
    registerModel: {
      with: () => ({ 'body.registryModelName': freshName('model') }),
      ownNames: ['body.registryModelName'],
    },
    promoteModel: {
      with: (world) => ({
        'body.registryModelName': world.of(models).registryModelName,
        'body.version': freshVersion(),
      }),
      ownNames: ['body.registryModelName'],
    },
    registerByName: {
      with: (world) => ({
        'body.experimentModelName': 'net',
        'body.registryModelName': world.of(models).registryModelName,
        'body.version': freshVersion(),
      }),
      ownNames: ['body.registryModelName', 'body.experimentModelName'],
    },
    deleteModelVersion: { consumes: true },
    updateRegistryModel: { ownNames: ['body.registryModelName'] },
    deleteRegistryModel: { consumes: true },
    addStage: { with: () => ({ 'query.stage': freshName('stage') }) },
    deleteStage: { with: (world) => ({ 'query.stage': world.of(models).stage }), consumes: true },
    moveStage: { with: () => ({ 'body.stage': freshName('stage') }) },
    getModelVersion: { with: () => ({ 'query.version': '1.0.0' }) },
    listStatuses: { aboutCaller: 'is about the installation' },
    setStatuses: {
      aboutCaller: 'is about the installation',
      with: () => ({
        'body.statuses': ['None', 'Development', 'Staging', 'QA', 'Production', 'Archived'].map(
          (name) => ({ name, colour: '#888', requiresApproval: true, exclusive: false }),
        ),
      }),
    },
    setModelStatus: { with: () => ({ 'body.status': 'QA' }) },
    requestModelStatus: { with: () => ({ 'body.status': 'Staging' }) },
    updateStatusConfiguration: { with: () => ({ 'body.status': 'QA' }) },
    listStatusRequests: { ownNames: ['query.modelName'] },
    approveStatusRequest: { consumes: true },
    rejectStatusRequest: { with: () => ({ 'body.comment': 'not yet' }), consumes: true },
    cancelStatusRequest: { consumes: true },
  },
};
