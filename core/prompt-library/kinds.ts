import { defineKind, parent } from '#ports/api/kind-definition';
import { libraryPrompt, libraryPromptVersion } from '#ports/model/library-prompts';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { recordRules } from '../private-wire/records.js';

const needs = {
  storage: storageOf('libraryPrompts', 'projects', 'workspaces'),
  places: PlaceFinder,
} as const;

export const libraryPromptKind = defineKind(libraryPrompt, {
  needs,
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'prompt', stores.libraryPrompts.find),
});

/** A version lies where its prompt does. */
export const libraryPromptVersionKind = defineKind(libraryPromptVersion, {
  parents: [parent(libraryPrompt, ({ promptId }, { id }) => promptId === id)],
  needs,
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'prompt version', async (workspaceId, id) => {
      const [found] = await stores.libraryPrompts.findVersions(workspaceId, [id]);
      const prompt = found && (await stores.libraryPrompts.find(workspaceId, found.promptId));
      return found && prompt && { ...found, prompt, projectId: prompt.projectId };
    }),
});
