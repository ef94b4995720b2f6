// Datasets of LLM observability and their versions.
import { dataset, datasetTypes, visibilities } from '../model/datasets.js';
import { projectScope, projectTarget } from '../model/projects.js';
import { detailed, maybe, one, operations } from './operation.js';
import {
  authorship,
  belowProject,
  everywhere,
  manyIds,
  pageOf,
  paged,
  reachedOfHeader,
} from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  map,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

const name = text({ min: 1, pattern: String.raw`\S` });
const described = {
  visibility: optional(word(...visibilities)),
  tags: optional(texts()),
  description: optional(text({ max: 255 })),
} as const;

/** How a version says by which models and code its items are judged, and how often they are run. */
export const judging = {
  evaluators: optional(list(anything())),
  execution_policy: optional(map(anything())),
} as const;

const evaluator = shape('ItemEvaluator', 'A model or code that judges what came of an item.', {
  name: text({ min: 1 }),
  type: word('llm_judge', 'code_metric'),
  config: anything(),
});
/** The same as it is sent. */
export const judgingSent = {
  evaluators: optional(list(evaluator)),
  execution_policy: optional(
    object({
      runs_per_item: optional(integer({ minimum: 1 })),
      pass_threshold: optional(integer({ minimum: 1 })),
    }),
  ),
} as const;

const versionSummary = shape('DatasetVersionSummary', 'What tells a version from others.', {
  id: text(),
  version_hash: text(),
  version_name: text(),
  change_description: optional(text()),
  tags: texts(),
});
export const shownVersion = shape(
  'DatasetVersion',
  'A state of a dataset that does not change any more once another is made.',
  {
    id: text(),
    dataset_id: text(),
    version_hash: text(),
    version_name: text(),
    tags: texts(),
    is_latest: flag(),
    items_total: integer(),
    items_added: integer(),
    items_modified: integer(),
    items_deleted: integer(),
    change_description: optional(text()),
    metadata: optional(anything()),
    ...judging,
    ...authorship,
  },
);
const shown = shape('Dataset', 'A dataset, with what has been done with it.', {
  id: text(),
  name: text(),
  project_id: optional(text()),
  type: text(),
  visibility: text(),
  tags: optional(texts()),
  description: optional(text()),
  dataset_items_count: integer(),
  experiment_count: integer(),
  optimization_count: integer(),
  most_recent_experiment_at: optional(text()),
  last_created_experiment_at: optional(text()),
  most_recent_optimization_at: optional(text()),
  last_created_optimization_at: optional(text()),
  status: word('completed'),
  latest_version: optional(versionSummary),
  ...authorship,
});
const versionPage = shape(
  'DatasetVersionPage',
  'Versions, the newest first; `size` is what was asked for.',
  {
    page: integer(),
    size: integer(),
    total: integer(),
    content: list(shownVersion),
  },
);

const path = everywhere('/v1/private/datasets');
const about = one(dataset, 'header.comet-workspace/params.id');
const ofDataset = { params: object({ id: text() }) } as const;
const ofVersion = { params: object({ id: text(), versionHash: text() }) } as const;
const named = object({ dataset_name: text({ min: 1 }), project_name: optional(text()) });
const inNamedProject = maybe(projectScope, 'header.comet-workspace/body.project_name');

const listing = {
  ...paged,
  with_experiments_only: optional(flag()),
  with_optimizations_only: optional(flag()),
  name: optional(text()),
  sorting: optional(text()),
  filters: optional(text()),
} as const;
const listed = pageOf('DatasetPage', shown);

export const datasetOperations = operations({
  createDataset: {
    method: 'POST',
    path,
    access: {
      needs: 'write',
      about: maybe(projectTarget, 'body.project_id', 'header.comet-workspace/body.project_name'),
      permission: { of: 'publish', when: 'body.visibility' },
    },
    summary: 'Make a dataset, in a project or of the workspace alone',
    body: object({
      id: optional(text()),
      name,
      project_id: optional(text()),
      project_name: optional(text()),
      type: optional(word(...datasetTypes, 'test_suite')),
      ...described,
    }),
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  retrieveDataset: {
    method: 'POST',
    path: everywhere('/v1/private/datasets/retrieve'),
    access: { needs: 'read', about: inNamedProject },
    summary: 'A dataset by its name, in the project first and then in the workspace',
    body: named,
    replies: { 200: detailed(shown) },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listDatasets: {
    method: 'GET',
    path,
    access: { needs: 'read', about: maybe(projectScope, 'query.project_id') },
    summary: 'The datasets of a workspace or project, the newest first; `name` is a part of it',
    query: object({ ...listing, prompt_id: optional(text()), project_id: optional(text()) }),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listProjectDatasets: {
    ...belowProject,
    method: 'GET',
    path: everywhere('/v1/private/projects/{projectId}/datasets'),
    summary: 'The datasets of a project, the newest first; `name` is a part of it',
    query: object(listing),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  showDataset: {
    ...ofDataset,
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}'),
    access: { needs: 'read', about },
    summary: 'A dataset',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateDataset: {
    ...ofDataset,
    method: 'PUT',
    path: everywhere('/v1/private/datasets/{id}'),
    access: { needs: 'write', about, permission: { of: 'publish', when: 'body.visibility' } },
    summary: 'Change a dataset; what is left out stays',
    body: object({ name, ...described }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  deleteDataset: {
    ...ofDataset,
    method: 'DELETE',
    path: everywhere('/v1/private/datasets/{id}'),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary:
      'Delete a dataset with its items; evaluations of it stay, and one that is not there is no error',
    replies: { 204: null },
    fails: ['invalid'],
  },
  deleteDatasetByName: {
    method: 'POST',
    path: everywhere('/v1/private/datasets/delete'),
    access: { needs: 'write', about: inNamedProject, unbounded: false },
    audit: true,
    summary: 'Delete the dataset of a name; one that is not there is no fault',
    body: named,
    replies: { 204: null },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  deleteDatasets: {
    method: 'POST',
    path: everywhere('/v1/private/datasets/delete-batch'),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary: 'Delete datasets with their items; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  listDatasetVersions: {
    ...ofDataset,
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/versions'),
    access: { needs: 'read', about },
    summary: 'The versions of a dataset, the newest first',
    query: object(paged),
    replies: { 200: versionPage },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  retrieveDatasetVersion: {
    ...ofDataset,
    method: 'POST',
    path: everywhere('/v1/private/datasets/{id}/versions/retrieve'),
    access: { needs: 'read', about },
    summary: 'A version by its name, such as v3',
    body: object({ version_name: text({ min: 1 }) }),
    replies: { 200: shownVersion },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  showDatasetVersion: {
    ...ofVersion,
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/versions/hash/{versionHash}'),
    access: { needs: 'read', about },
    summary: 'A version by its hash',
    replies: { 200: shownVersion },
    fails: ['absent', 'forbidden'],
  },
  restoreDatasetVersion: {
    ...ofDataset,
    method: 'POST',
    path: everywhere('/v1/private/datasets/{id}/versions/restore'),
    access: { needs: 'write', about },
    summary: 'Make a new version with the items of an older one, which a hash or a tag names',
    body: object({ version_ref: text({ min: 1 }) }),
    replies: { 200: shownVersion },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  compareDatasetVersions: {
    ...ofDataset,
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/versions/diff'),
    access: { needs: 'read', about },
    summary:
      'How many items differ between two versions, which hashes or tags name; left out, the newest is compared with the one before',
    query: object({ from: optional(text()), to: optional(text()) }),
    replies: {
      200: shape('DatasetVersionDiff', 'How two versions differ.', {
        from_version: text(),
        to_version: text(),
        statistics: object({
          itemsAdded: integer(),
          itemsModified: integer(),
          itemsDeleted: integer(),
          itemsUnchanged: integer(),
        }),
      }),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  updateDatasetVersion: {
    ...ofVersion,
    method: 'PATCH',
    path: everywhere('/v1/private/datasets/{id}/versions/hash/{versionHash}'),
    access: { needs: 'write', about },
    summary: 'Say what changed in a version, and give it tags',
    body: object({ change_description: optional(text()), tags_to_add: optional(texts()) }),
    replies: { 200: shownVersion },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  tagDatasetVersion: {
    ...ofVersion,
    method: 'POST',
    path: everywhere('/v1/private/datasets/{id}/versions/hash/{versionHash}/tags'),
    access: { needs: 'write', about },
    summary: 'Give a version a tag that no other version of the dataset has',
    body: object({ tag: text({ min: 1, max: 100 }) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  untagDatasetVersion: {
    params: object({ id: text(), versionHash: text(), tag: text() }),
    method: 'DELETE',
    path: everywhere('/v1/private/datasets/{id}/versions/{versionHash}/tags/{tag}'),
    access: { needs: 'write', about, unbounded: false },
    audit: true,
    summary: 'Take a tag from a version',
    replies: { 204: null },
    fails: ['invalid', 'absent', 'forbidden'],
  },
});
