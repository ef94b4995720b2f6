import { defineKind } from '#ports/api/kind-definition';
import { optimizer } from '#ports/model/optimizer';
import { storageOf } from '#ports/storage/storage';

export const optimizerKind = defineKind(optimizer, {
  needs: { storage: storageOf('optimizers') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.optimizers.find(text),
    placeOf: ({ workspaceId }) => ({ workspaceId }),
  }),
});
