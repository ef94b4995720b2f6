import { v7 } from 'uuid';
import { evaluation, evaluationItem } from '#ports/model/evaluations';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { evaluations } from './things.js';

const inWorkspace = 'are looked for in the workspace of the header alone';
const narrows = 'only narrows the list';
const own = (world: World) => ({ 'body.ids': [world.of(evaluations).evaluationId] });
const many = { with: own, notOurs: { 'body.ids': inWorkspace } };
const unnamed = () => ({ 'body.project_name': undefined });

export const fixtures: AreaFixtures = {
  areas: ['evaluations'],
  kinds: [
    kindIn(evaluation, evaluations, {
      name: ({ evaluationId }) => evaluationId,
      unknown: () => unknownId,
    }),
    kindIn(evaluationItem, evaluations, {
      name: ({ evaluationItemId }) => evaluationItemId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createEvaluation: {
      with: () => ({
        'body.dataset_name': freshName('dataset'),
        'body.prompt_version': undefined,
        'body.prompt_versions': undefined,
      }),
      ownNames: ['body.dataset_name', 'body.name'],
      notOurs: {
        'body.dataset_version_id': 'is kept as it was sent',
        'body.optimization_id': 'need not be there',
        'body.prompt_version.id': inWorkspace,
        'body.prompt_versions.*.id': inWorkspace,
      },
    },
    listEvaluations: {
      own: () => ({
        'query.datasetId': undefined,
        'query.optimization_id': undefined,
        'query.prompt_id': undefined,
        'query.experiment_ids': undefined,
      }),
      ownNames: ['query.name'],
      notOurs: {
        'query.datasetId': narrows,
        'query.optimization_id': narrows,
        'query.prompt_id': narrows,
        'query.experiment_ids': narrows,
      },
    },
    listProjectEvaluations: {
      own: () => ({
        'query.datasetId': undefined,
        'query.optimization_id': undefined,
        'query.experiment_ids': undefined,
      }),
      ownNames: ['query.name'],
      notOurs: {
        'query.datasetId': narrows,
        'query.optimization_id': narrows,
        'query.experiment_ids': narrows,
      },
    },
    streamEvaluations: {
      with: (world) => ({ 'body.name': world.of(evaluations).evaluationName }),
      own: unnamed,
      ownNames: ['body.name'],
      notOurs: { 'body.last_retrieved_id': 'is only compared with' },
    },
    updateEvaluation: {
      consumes: true,
      ownNames: ['body.name'],
      with: () => ({ 'body.prompt_version': undefined, 'body.prompt_versions': undefined }),
      notOurs: {
        'body.prompt_version.id': inWorkspace,
        'body.prompt_versions.*.id': inWorkspace,
      },
    },
    updateEvaluations: {
      consumes: true,
      with: (world) => ({ ...own(world), 'body.update': { name: 'new' } }),
      ownNames: ['body.update.name'],
      notOurs: {
        'body.ids': inWorkspace,
        'body.update.prompt_version.id': inWorkspace,
        'body.update.prompt_versions.*.id': inWorkspace,
      },
    },
    finishEvaluations: many,
    cancelEvaluations: many,
    deleteEvaluations: { ...many, consumes: true },
    listEvaluationScoreNames: {
      own: () => ({ 'query.experiment_ids': undefined }),
      notOurs: { 'query.experiment_ids': narrows },
    },
    groupEvaluations: {
      with: () => ({ 'query.groups': '[{"field":"tags"}]' }),
      own: () => ({ 'query.name': undefined }),
      ownNames: ['query.name'],
    },
    sumEvaluationGroups: {
      with: () => ({ 'query.groups': '[{"field":"tags"}]' }),
      own: () => ({ 'query.name': undefined }),
      ownNames: ['query.name'],
    },
    addEvaluationItems: {
      with: (world) => ({
        'body.experiment_items.*.id': v7(),
        'body.experiment_items.*.experiment_id': world.of(evaluations).evaluationId,
        'body.experiment_items.*.dataset_item_id': v7(),
        'body.experiment_items.*.trace_id': v7(),
      }),
      notOurs: {
        'body.experiment_items.*.experiment_id': 'need not be there',
        'body.experiment_items.*.dataset_item_id': 'need not be there',
        'body.experiment_items.*.trace_id': 'need not be there',
      },
    },
    streamEvaluationItems: {
      with: (world) => ({ 'body.experiment_name': world.of(evaluations).evaluationName }),
      own: unnamed,
      ownNames: ['body.experiment_name'],
      notOurs: { 'body.last_retrieved_id': 'is only compared with' },
    },
    uploadEvaluation: {
      with: () => ({
        'body.experiment_name': freshName('evaluation'),
        'body.dataset_name': freshName('dataset'),
        'body.experiment_id': undefined,
        'body.items': [{ dataset_item_id: v7(), evaluate_task_result: { answer: 1 } }],
      }),
      ownNames: ['body.experiment_name', 'body.dataset_name'],
      notOurs: Object.fromEntries(
        [
          'body.experiment_id',
          'body.items.*.dataset_item_id',
          'body.items.*.trace.id',
          'body.items.*.trace.project_id',
          'body.items.*.trace.thread_id',
          'body.items.*.spans.*.id',
          'body.items.*.spans.*.project_id',
          'body.items.*.spans.*.parent_span_id',
        ].map((place) => [place, 'is made by clients, and stands in the project that is named']),
      ),
    },
    deleteEvaluationItems: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(evaluations).evaluationItemId] }),
      notOurs: { 'body.ids': inWorkspace },
    },
    summarizeComparedItems: {
      with: (world) => ({
        'query.experiment_ids': JSON.stringify([world.of(evaluations).evaluationId]),
      }),
      notOurs: { 'query.experiment_ids': narrows },
    },
    listOutputColumns: {
      own: () => ({ 'query.experiment_ids': undefined }),
      notOurs: { 'query.experiment_ids': narrows },
    },
    compareEvaluations: {
      with: (world) => ({
        'query.experiment_ids': JSON.stringify([world.of(evaluations).evaluationId]),
      }),
      notOurs: { 'query.experiment_ids': narrows },
    },
  },
};
