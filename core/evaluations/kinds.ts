import { defineKind } from '#ports/api/kind-definition';
import { evaluation, evaluationItem } from '#ports/model/evaluations';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { recordRules } from '../private-wire/records.js';

export const evaluationKind = defineKind(evaluation, {
  needs: { storage: storageOf('evaluations', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'experiment', stores.evaluations.find),
});

/** An item lies where its evaluation does; one of an evaluation that is not there, in its own project. */
export const evaluationItemKind = defineKind(evaluationItem, {
  needs: {
    storage: storageOf('evaluationItems', 'evaluations', 'projects', 'workspaces'),
    places: PlaceFinder,
  },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'experiment item', async (workspaceId, id) => {
      const found = await stores.evaluationItems.find(workspaceId, id);
      const of = found && (await stores.evaluations.find(workspaceId, found.evaluationId));
      return found && { ...found, projectId: of === undefined ? found.projectId : of.projectId };
    }),
});
