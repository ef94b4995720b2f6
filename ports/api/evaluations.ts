// Evaluations of LLM applications over datasets, which this wire calls experiments.
import { dataset } from '../model/datasets.js';
import { evaluation, evaluationItem, evaluationTypes } from '../model/evaluations.js';
import { projectScope, projectTarget } from '../model/projects.js';
import { column } from './dataset-items.js';
import { changeable, created, ofSpan, ofTrace, statistics } from './traced.js';
import { bytes, detailed, eachOf, maybe, one, operations } from './operation.js';
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
  missable,
  number,
  object,
  optional,
  shape,
  text,
  texts,
  withExample,
  word,
} from './schema.js';

const name = text({ min: 1, pattern: String.raw`\S` });
const score = object({ name: text(), value: number() });
/** One without a value came as NaN: it is left out, and what it came with is kept. */
const sentScore = object({ name: text(), value: optional(number()) });
const promptLink = object({ id: text() });
const status = optional(word('running', 'completed', 'cancelled', 'failed'));
const changing = {
  name: optional(text()),
  metadata: optional(anything()),
  tags: optional(texts()),
  type: optional(word(...evaluationTypes)),
  status,
  experiment_scores: optional(list(sentScore)),
  prompt_version: optional(promptLink),
  prompt_versions: optional(list(promptLink)),
} as const;
const update = shape('EvaluationUpdate', 'What changes of an evaluation; what is left out stays.', {
  ...changing,
  tags_to_add: optional(texts()),
  tags_to_remove: optional(texts()),
});

const percentiles = object({ p50: number(), p90: number(), p99: number() });
const shownLink = object({
  id: text(),
  prompt_version_id: text(),
  prompt_id: optional(text()),
  prompt_name: optional(text()),
  commit: optional(text()),
});
const shown = shape(
  'Evaluation',
  'An evaluation with what its traces, scores and assertions add up to.',
  {
    id: text(),
    name: text(),
    dataset_id: optional(text()),
    dataset_name: optional(text()),
    project_id: optional(text()),
    project_name: optional(text()),
    metadata: optional(anything()),
    tags: optional(texts()),
    type: text(),
    evaluation_method: text(),
    optimization_id: optional(text()),
    status: optional(text()),
    finished_at: optional(text()),
    trace_count: integer(),
    dataset_item_count: integer(),
    duration: optional(percentiles),
    total_estimated_cost: optional(number()),
    total_estimated_cost_avg: optional(number()),
    usage: optional(map(number())),
    feedback_scores: list(score),
    experiment_scores: optional(list(score)),
    pass_rate: optional(number()),
    passed_count: optional(integer()),
    total_count: optional(integer()),
    assertion_scores: optional(list(score)),
    prompt_version: optional(shownLink),
    prompt_versions: optional(list(shownLink)),
    dataset_version_id: optional(text()),
    dataset_version_summary: optional(anything()),
    ...authorship,
  },
);

const policy = optional(map(anything()));
const plainItem = {
  id: text(),
  experiment_id: text(),
  dataset_item_id: text(),
  trace_id: text(),
  project_id: optional(text()),
  execution_policy: policy,
  ...authorship,
} as const;
const shownItem = shape('EvaluationItem', 'An item of an evaluation.', plainItem);
const comparedItem = object({
  ...plainItem,
  project_name: optional(text()),
  input: optional(anything()),
  output: optional(anything()),
  trace_metadata: optional(anything()),
  duration: optional(number()),
  total_estimated_cost: optional(number()),
  usage: optional(map(number())),
  feedback_scores: optional(list(anything())),
  comments: optional(list(anything())),
  assertion_results: optional(list(anything())),
  status: optional(text()),
  description: optional(text()),
  trace_visibility_mode: optional(text()),
});

const path = everywhere('/v1/private/experiments');
const about = one(evaluation, 'header.comet-workspace/params.id');
const ofEvaluation = { params: object({ id: text() }) } as const;
const inScope = maybe(projectScope, 'query.project_id');
const inNamedProject = maybe(projectScope, 'header.comet-workspace/body.project_name');
const ofWorkspace = {
  access: { needs: 'write', about: reachedOfHeader, unbounded: false },
} as const;
const targetOfBody = maybe(
  projectTarget,
  'body.project_id',
  'header.comet-workspace/body.project_name',
);
const selection = {
  types: optional(text()),
  name: optional(text()),
  project_id: optional(text()),
  project_deleted: optional(flag()),
  filters: optional(text()),
} as const;

const listing = {
  ...paged,
  types: optional(text()),
  name: optional(text()),
  filters: optional(text()),
  datasetId: optional(text()),
  optimization_id: optional(text()),
  dataset_deleted: optional(flag()),
  experiment_ids: optional(text()),
  sorting: optional(text()),
  force_sorting: optional(flag()),
} as const;
const listed = pageOf('EvaluationPage', shown);

export const evaluationOperations = operations({
  createEvaluation: {
    method: 'POST',
    path,
    access: { needs: 'write', about: targetOfBody },
    summary:
      'Make an evaluation of a dataset, which is made where it is missing; sent again it changes nothing',
    body: object({
      id: optional(text()),
      dataset_name: optional(text()),
      dataset_version_id: optional(text()),
      project_id: optional(text()),
      project_name: optional(text()),
      optimization_id: optional(text()),
      evaluation_method: optional(word('dataset', 'evaluation_suite', 'test_suite')),
      ...changing,
    }),
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  listEvaluations: {
    method: 'GET',
    path,
    access: { needs: 'read', about: inScope },
    summary: 'The evaluations of a workspace or project, the newest first; `name` is a part of it',
    query: object({
      ...listing,
      project_id: optional(text()),
      project_deleted: optional(flag()),
      prompt_id: optional(text()),
    }),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listProjectEvaluations: {
    ...belowProject,
    method: 'GET',
    path: everywhere('/v1/private/projects/{projectId}/experiments'),
    summary: 'The evaluations of a project, the newest first; `name` is a part of it',
    query: object(listing),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  streamEvaluations: {
    method: 'POST',
    path: everywhere('/v1/private/experiments/stream'),
    access: { needs: 'read', about: inNamedProject },
    summary:
      'The evaluations of a name as lines of JSON, or those whose names hold it, the newest first',
    body: object({
      name: text({ min: 1 }),
      limit: optional(integer()),
      last_retrieved_id: optional(text()),
      project_name: optional(text()),
    }),
    replies: { 200: bytes('application/octet-stream') },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  showEvaluation: {
    ...ofEvaluation,
    method: 'GET',
    path: everywhere('/v1/private/experiments/{id}'),
    access: { needs: 'read', about },
    summary: 'An evaluation',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateEvaluation: {
    ...ofEvaluation,
    method: 'PATCH',
    path: everywhere('/v1/private/experiments/{id}'),
    access: { needs: 'write', about },
    summary: 'Change an evaluation; what is left out stays',
    body: update,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  updateEvaluations: {
    ...ofWorkspace,
    method: 'PATCH',
    path: everywhere('/v1/private/experiments/batch'),
    summary: 'Change evaluations alike; ids that are not there are skipped',
    body: object({ ids: texts(), update, merge_tags: optional(flag()) }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
  finishEvaluations: {
    ...ofWorkspace,
    method: 'POST',
    path: everywhere('/v1/private/experiments/finish'),
    summary: 'Say that evaluations are done',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  cancelEvaluations: {
    ...ofWorkspace,
    method: 'PUT',
    path: everywhere('/v1/private/experiments/cancel'),
    summary: 'Say that evaluations were broken off',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  deleteEvaluations: {
    ...ofWorkspace,
    method: 'POST',
    path: everywhere('/v1/private/experiments/delete'),
    audit: true,
    summary: 'Delete evaluations with their items; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  listEvaluationScoreNames: {
    method: 'GET',
    path: everywhere('/v1/private/experiments/feedback-scores/names'),
    access: { needs: 'read', about: inScope },
    summary: 'Names of scores that traces of evaluations have',
    query: object({ experiment_ids: optional(text()), project_id: optional(text()) }),
    replies: { 200: object({ scores: list(object({ name: text(), type: optional(text()) })) }) },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  groupEvaluations: {
    method: 'GET',
    path: everywhere('/v1/private/experiments/groups'),
    access: { needs: 'read', about: inScope },
    summary: 'The newest evaluations grouped by dataset, project, tags or metadata, level by level',
    query: object({ ...selection, groups: optional(text()) }),
    replies: {
      200: object({
        content: map(anything()),
        details: object({ groups_details: list(object({ group_sorting: texts() })) }),
      }),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  sumEvaluationGroups: {
    method: 'GET',
    path: everywhere('/v1/private/experiments/groups/aggregations'),
    access: { needs: 'read', about: inScope },
    summary: 'The same groups with what their evaluations add up to',
    query: object({ ...selection, groups: optional(text()) }),
    replies: { 200: object({ content: map(anything()) }) },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  addEvaluationItems: {
    method: 'POST',
    path: everywhere('/v1/private/experiments/items'),
    access: {
      needs: 'write',
      about: eachOf(projectTarget, 'body.experiment_items.*', 'project_id', 'project_name'),
    },
    metered: { events: { listed: 'experiment_items' } },
    summary:
      'Store items of evaluations, before or after what they name; sent again they change nothing',
    body: object({
      experiment_items: list(
        object({
          id: optional(text()),
          experiment_id: text(),
          dataset_item_id: text(),
          trace_id: text(),
          project_id: optional(text()),
          project_name: optional(text()),
          execution_policy: policy,
        }),
      ),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  streamEvaluationItems: {
    method: 'POST',
    path: everywhere('/v1/private/experiments/items/stream'),
    access: { needs: 'read', about: inNamedProject },
    summary:
      'The items of the evaluations of a name as lines of JSON, the newest first, behind a cursor',
    body: object({
      experiment_name: text({ min: 1 }),
      limit: optional(integer()),
      last_retrieved_id: optional(text()),
      truncate: optional(flag()),
      project_name: optional(text()),
    }),
    replies: { 200: bytes('application/octet-stream') },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  uploadEvaluation: {
    method: 'PUT',
    path: everywhere('/v1/private/experiments/items/bulk'),
    access: {
      needs: 'write',
      about: maybe(projectTarget, 'header.comet-workspace/body.project_name'),
    },
    metered: { events: { listed: 'items' } },
    summary:
      'Store items of an evaluation with their traces, spans and scores; dataset and evaluation are made where they are missing',
    body: withExample(
      object({
        experiment_name: name,
        dataset_name: name,
        experiment_id: optional(text()),
        project_name: optional(text()),
        items: list(
          object({
            dataset_item_id: text(),
            evaluate_task_result: missable(anything()),
            trace: missable(object({ ...created, ...changeable, ...ofTrace })),
            spans: optional(list(object({ ...created, ...changeable, ...ofSpan }))),
            feedback_scores: optional(
              list(
                object({
                  name: text({ min: 1 }),
                  value: optional(number()),
                  reason: optional(text()),
                  category_name: optional(text()),
                  source: optional(word('ui', 'sdk', 'online_scoring')),
                }),
              ),
            ),
          }),
          { maxItems: 1000 },
        ),
      }),
      { experiment_name: 'first', dataset_name: 'questions', items: [] },
    ),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  showEvaluationItem: {
    method: 'GET',
    path: everywhere('/v1/private/experiments/items/{id}'),
    access: { needs: 'read', about: one(evaluationItem, 'header.comet-workspace/params.id') },
    params: object({ id: text() }),
    summary: 'An item of an evaluation',
    replies: { 200: shownItem },
    fails: ['absent', 'forbidden'],
  },
  deleteEvaluationItems: {
    ...ofWorkspace,
    method: 'POST',
    path: everywhere('/v1/private/experiments/items/delete'),
    audit: true,
    summary: 'Delete items of evaluations; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  summarizeComparedItems: {
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/items/experiments/items/stats'),
    access: { needs: 'read', about: one(dataset, 'header.comet-workspace/params.id') },
    params: object({ id: text() }),
    summary: 'Counts, means and percentiles over what evaluations made of items of a dataset',
    query: object({ experiment_ids: optional(text()), filters: optional(text()) }),
    replies: { 200: statistics },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listOutputColumns: {
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/items/experiments/items/output/columns'),
    access: { needs: 'read', about: one(dataset, 'header.comet-workspace/params.id') },
    params: object({ id: text() }),
    summary: 'Members of the outputs of the newest runs of evaluations of a dataset',
    query: object({ experiment_ids: optional(text()) }),
    replies: {
      200: shape(
        'OutputColumns',
        'Members of outputs; `searched_newest` is there where not every run was looked at, or not every output whole.',
        { columns: list(column), searched_newest: optional(integer()) },
      ),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  compareEvaluations: {
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/items/experiments/items'),
    access: { needs: 'read', about: one(dataset, 'header.comet-workspace/params.id') },
    params: object({ id: text() }),
    summary: 'Items of a dataset with what evaluations made of them, the newest first',
    query: object({
      ...paged,
      experiment_ids: optional(text()),
      filters: optional(text()),
      sorting: optional(text()),
      search: optional(text()),
      truncate: optional(flag()),
    }),
    replies: {
      200: shape('ComparedItemPage', 'Items of a dataset, each with its runs.', {
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(
          object({
            id: text(),
            experiment_items: list(comparedItem),
            run_summaries_by_experiment: optional(
              map(object({ passed_runs: integer(), total_runs: integer(), status: text() })),
            ),
            data: anything(),
            source: text(),
          }),
        ),
        columns: list(column),
        sortableBy: texts(),
        sortable_by: texts(),
      }),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
});
