// What came of what: runs, the versions of artifacts that they made and used, and the versions of models that were registered from them; evaluations, the
// datasets that they ran over and the versions of prompts that they ran.
import { artifactVersion } from '../model/artifacts.js';
import { dataset } from '../model/datasets.js';
import { evaluation } from '../model/evaluations.js';
import { experiment } from '../model/experiments.js';
import { libraryPromptVersion } from '../model/library-prompts.js';
import { modelVersion } from '../model/registry.js';
import { maybe, operations } from './operation.js';
import { flag, integer, list, nullable, object, optional, shape, text, word } from './schema.js';

/** Most steps away from what is asked about, nodes of each step, and neighbours of a node that are looked at. */
export const lineageBounds = { depth: 10, usualDepth: 3, nodes: 100, neighbours: 500 } as const;

export const lineageTypes = [
  'run',
  'artifactVersion',
  'modelVersion',
  'dataset',
  'promptVersion',
  'evaluation',
] as const;

export const lineageNode = shape(
  'LineageNode',
  'A run, by its key, or by its id a version of an artifact, model or prompt, a dataset, or an evaluation. `level` is how many steps it lies away: upstream of what is asked about if negative.',
  {
    type: word(...lineageTypes),
    id: text(),
    name: text(),
    /** Of a prompt its commit. */
    version: nullable(text()),
    /** The id of the prompt that a version is of. */
    prompt: optional(text()),
    /** The name of the workspace that it lies in. */
    workspace: text(),
    level: integer(),
  },
);
export const lineageEdge = shape(
  'LineageEdge',
  'What came of what, by the places of both among the nodes: a run made a version, a version was used by a run, a dataset or version of a prompt by an evaluation, or a version of a model was registered from a run.',
  { from: integer(), to: integer(), kind: word('made', 'used', 'registered') },
);
const folded = shape(
  'LineageFold',
  'How many neighbours of a node are left out because its step has enough nodes; at least so many where `more` says so.',
  { node: integer(), direction: word('up', 'down'), count: integer(), more: flag() },
);

export const lineageOperations = operations({
  readLineage: {
    method: 'GET',
    path: '/v1/private/ui/lineage',
    access: {
      needs: 'read',
      about: [
        maybe(experiment, 'query.run'),
        maybe(artifactVersion, 'query.artifactVersion'),
        maybe(modelVersion, 'query.modelVersion'),
        maybe(dataset, 'header.comet-workspace/query.dataset'),
        maybe(libraryPromptVersion, 'header.comet-workspace/query.promptVersion'),
        maybe(evaluation, 'header.comet-workspace/query.evaluation'),
      ],
    },
    summary:
      'What a run, version, dataset or evaluation came of, and what came of it, step by step, as far as the caller may see it',
    query: object({
      run: optional(text()),
      artifactVersion: optional(text()),
      modelVersion: optional(text()),
      dataset: optional(text()),
      promptVersion: optional(text()),
      evaluation: optional(text()),
      depth: optional(integer({ minimum: 1, maximum: lineageBounds.depth })),
      direction: optional(word('up', 'down', 'both')),
    }),
    replies: {
      200: object({ nodes: list(lineageNode), edges: list(lineageEdge), folded: list(folded) }),
    },
    fails: ['invalid', 'absent'],
  },
});
