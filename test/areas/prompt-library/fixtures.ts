import { libraryPrompt, libraryPromptVersion } from '#ports/model/library-prompts';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { libraryPrompts } from './things.js';

const inWorkspace = 'are looked for in the workspace of the header alone';
const ours = (world: World) => world.of(libraryPrompts);
const unnamed = () => ({ 'body.project_name': undefined });
const version = { template: 'Hello {{name}}' };

export const fixtures: AreaFixtures = {
  areas: ['prompt-library'],
  kinds: [
    kindIn(libraryPrompt, libraryPrompts, {
      name: ({ promptId }) => promptId,
      unknown: () => unknownId,
    }),
    kindIn(libraryPromptVersion, libraryPrompts, {
      name: ({ promptVersionId }) => promptVersionId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createLibraryPrompt: {
      with: () => ({ 'body.name': freshName('prompt') }),
      ownNames: ['body.name'],
    },
    listLibraryPrompts: { ownNames: ['query.name'] },
    listProjectPrompts: { ownNames: ['query.name'] },
    updateLibraryPrompt: {
      consumes: true,
      with: () => ({ 'body.name': freshName('prompt') }),
      ownNames: ['body.name'],
    },
    deleteLibraryPrompt: {
      consumes: true,
      with: (world) => ({ 'params.id': ours(world).promptId }),
      notOurs: { 'params.id': inWorkspace },
    },
    deleteLibraryPrompts: {
      consumes: true,
      with: (world) => ({ 'body.ids': [ours(world).promptId] }),
      notOurs: { 'body.ids': inWorkspace },
    },
    showPromptByCommit: { with: (world) => ({ 'params.commit': ours(world).commit }) },
    retrievePromptCommits: { with: (world) => ({ 'body.commits': [ours(world).commit] }) },
    createPromptVersion: {
      with: () => ({ 'body.name': freshName('prompt'), 'body.version': version }),
      ownNames: ['body.name'],
    },
    tagPromptVersions: {
      with: (world) => ({
        'body.ids': [ours(world).promptVersionId],
        'body.update': { tags: ['a'] },
      }),
      notOurs: { 'body.ids': inWorkspace },
    },
    retrievePromptVersion: {
      with: (world) => ({
        'body.name': ours(world).promptName,
        'body.commit': undefined,
        'body.version_number': undefined,
        'body.environment': undefined,
      }),
      own: unnamed,
      ownNames: ['body.name'],
    },
    retrievePromptVersions: {
      with: (world) => ({ 'body.ids': [ours(world).promptVersionId] }),
      notOurs: { 'body.ids': inWorkspace },
    },
    setPromptEnvironments: { with: () => ({ 'body.environments': [] }) },
    showPromptVersionByNumber: { with: () => ({ 'params.number': 'v1' }) },
  },
};
