import { defineKind } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import { savedView } from '#ports/model/saved-views';
import { storageOf } from '#ports/storage/storage';

export const savedViewKind = defineKind(savedView, {
  needs: { storage: storageOf('savedViews') },
  rules: ({ storage: { stores } }) => ({
    /** Another's private view is not there, whatever the caller may do in the project. */
    async find({ text }, { caller }) {
      const found = await stores.savedViews.find(text);
      return found?.shared === true || found?.ownerId === caller.userId ? found : undefined;
    },
    placeOf: ({ workspaceId, projectId, projectPublic, ownerId }) => ({
      workspaceId,
      projectId,
      public: projectPublic,
      ownerId,
    }),
    absent: (text) => new Failure('absent', `view ${text.slice(0, 80)} not found`),
    forProjectKeys: true,
  }),
});
