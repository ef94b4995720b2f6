import { aText, required, workspaceInQuery, type Tool } from '../tool.js';

const versionInQuery = required(
  aText('query.modelItemId', 'Id of the version: registryModelItemId in get_model.'),
);

export const modelTools: readonly Tool[] = [
  {
    name: 'list_models',
    title: 'List registered models',
    description: 'Registered models of a workspace, each with its highest version.',
    operation: 'listRegistryModels',
    takes: { workspace: workspaceInQuery },
  },
  {
    name: 'get_model',
    title: 'Get a registered model',
    description:
      'A registered model with all its versions, the highest first: their status, tags, files and the run that each came from.',
    operation: 'getRegistryModel',
    takes: {
      model: required(aText('query.modelName', 'Name of the model.')),
      workspace: workspaceInQuery,
    },
  },
  {
    name: 'comment_on_model_version',
    title: 'Comment on a version of a model',
    description:
      'Comment on a version of a registered model. Members of the workspace who are named as @name are notified.',
    operation: 'commentOnVersion',
    takes: {
      version: required(
        aText('params.version', 'Id of the version: registryModelItemId in get_model.'),
      ),
      text: required(aText('body.text', 'What to say, in plain text.')),
    },
  },
  {
    name: 'tag_model_version',
    title: 'Tag a version of a model',
    description: 'Add a tag, which is also called stage, to a version of a registered model.',
    operation: 'addStage',
    takes: { version: versionInQuery, tag: required(aText('query.stage', 'The tag.')) },
  },
];
