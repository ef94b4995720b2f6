import { defineKind } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import { runAction } from '#ports/model/run-actions';
import { storageOf } from '#ports/storage/storage';

export const runActionKind = defineKind(runAction, {
  needs: { storage: storageOf('runActions') },
  rules: ({ storage: { stores } }) => ({
    /** Another's is not there, whatever the caller may do in the project. */
    async find({ text }, { caller }) {
      const found = await stores.runActions.find(text);
      return found?.userId === caller.userId ? found : undefined;
    },
    placeOf: ({ workspaceId, projectId, userId }) => ({ workspaceId, projectId, ownerId: userId }),
    absent: (text) => new Failure('absent', `action ${text.slice(0, 80)} not found`),
    forProjectKeys: true,
  }),
});
