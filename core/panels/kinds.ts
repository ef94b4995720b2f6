import { defineKind } from '#ports/api/kind-definition';
import { panel } from '#ports/model/panels';
import { storageOf } from '#ports/storage/storage';

export const panelKind = defineKind(panel, {
  needs: { storage: storageOf('panels') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.panels.find(text),
    placeOf: ({ workspaceId }) => ({ workspaceId }),
  }),
});
