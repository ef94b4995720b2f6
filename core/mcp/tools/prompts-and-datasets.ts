import { aFlag, aText, pages, required, workspaceByHeader, type Tool } from '../tool.js';

const listing = {
  name: aText('query.name', 'A part of the name.'),
  project_id: aText('query.project_id', 'Only those of this project.'),
  ...pages,
  workspace: workspaceByHeader,
} as const;
const id = (noun: string) => required(aText('params.id', `Id of the ${noun}.`));

export const promptTools: readonly Tool[] = [
  {
    name: 'list_prompts',
    title: 'List prompts',
    description: 'The prompts of a workspace or project, the newest first.',
    operation: 'listLibraryPrompts',
    takes: listing,
  },
  {
    name: 'get_prompt',
    title: 'Get a prompt',
    description: 'A prompt with the template of its newest version.',
    operation: 'showLibraryPrompt',
    takes: { id: id('prompt'), workspace: workspaceByHeader },
  },
  {
    name: 'list_prompt_versions',
    title: 'List versions of a prompt',
    description: 'The versions of a prompt, the newest first, with their templates and commits.',
    operation: 'listPromptVersions',
    takes: { id: id('prompt'), ...pages, workspace: workspaceByHeader },
  },
  {
    name: 'get_prompt_version',
    title: 'Get a version of a prompt',
    description:
      'A version of a prompt by its commit, or the one of an environment; left out both, the newest.',
    operation: 'retrievePromptVersion',
    takes: {
      name: required(aText('body.name', 'Name of the prompt.')),
      commit: aText('body.commit', 'Commit of the version.'),
      environment: aText('body.environment', 'Name of an environment, such as production.'),
      project_name: aText('body.project_name', 'Name of the project that the prompt is in.'),
      workspace: workspaceByHeader,
    },
  },
];

export const datasetTools: readonly Tool[] = [
  {
    name: 'list_datasets',
    title: 'List datasets',
    description: 'The datasets of a workspace or project, the newest first.',
    operation: 'listDatasets',
    takes: listing,
  },
  {
    name: 'list_dataset_items',
    title: 'List the items of a dataset',
    description: 'A page of the items of a dataset, in its newest version or in one that is named.',
    operation: 'listDatasetItems',
    takes: {
      id: id('dataset'),
      version: aText('query.version', 'Hash or tag of a version; the newest if left out.'),
      truncate: aFlag('query.truncate', 'Cut long values.'),
      ...pages,
      workspace: workspaceByHeader,
    },
  },
];
