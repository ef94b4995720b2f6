import { defineKind } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import { runAction } from '#ports/model/run-actions';
import { storageOf } from '#ports/storage/storage';

export const runActionKind = defineKind(runAction, {
  needs: { storage: storageOf('runActions') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.runActions.find(text),
    placeOf: ({ workspaceId, projectId, userId }) => ({ workspaceId, projectId, ownerId: userId }),
    absent: (text) => new Failure('absent', `action ${text.slice(0, 80)} not found`),
    forProjectKeys: true,
  }),
});
