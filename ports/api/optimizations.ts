// Searches for better prompts, whose trials are evaluations.
import { optimization, optimizationStatuses } from '../model/optimizations.js';
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
  number,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';
import { errorInfo } from './traced.js';

const sent = object({
  id: optional(text()),
  name: optional(text()),
  dataset_name: text({ min: 1, pattern: String.raw`\S` }),
  project_id: optional(text()),
  project_name: optional(text()),
  objective_name: text({ min: 1 }),
  status: word(...optimizationStatuses),
  metadata: optional(anything()),
  studio_config: optional(anything()),
  error_info: optional(errorInfo),
  last_updated_at: optional(text()),
});
const score = object({ name: text(), value: number() });
const shown = shape('Optimization', 'A search for a better prompt, with what its trials came to.', {
  id: text(),
  name: optional(text()),
  dataset_name: text(),
  dataset_id: optional(text()),
  project_id: optional(text()),
  objective_name: text(),
  status: text(),
  metadata: optional(anything()),
  studio_config: optional(anything()),
  error_info: optional(anything()),
  num_trials: integer(),
  feedback_scores: list(score),
  experiment_scores: list(score),
  baseline_objective_score: optional(number()),
  best_objective_score: optional(number()),
  baseline_duration: optional(number()),
  best_duration: optional(number()),
  baseline_cost: optional(number()),
  best_cost: optional(number()),
  total_optimization_cost: optional(number()),
  ...authorship,
});

const path = everywhere('/v1/private/optimizations');
const byId = {
  path: everywhere('/v1/private/optimizations/{id}'),
  params: object({ id: text() }),
} as const;
const about = one(optimization, 'header.comet-workspace/params.id');
const listing = {
  ...paged,
  dataset_id: optional(text()),
  name: optional(text()),
  dataset_name: optional(text()),
  dataset_deleted: optional(flag()),
  filters: optional(text()),
} as const;
const listed = pageOf('OptimizationPage', shown);
const putting = {
  path,
  access: {
    needs: 'write',
    about: maybe(projectTarget, 'body.project_id', 'header.comet-workspace/body.project_name'),
  },
  body: sent,
  replies: { 201: detailed(null) },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
} as const;

export const optimizationOperations = operations({
  createOptimization: {
    ...putting,
    method: 'POST',
    summary: 'Store an optimization, in place of the one of its id',
  },
  putOptimization: {
    ...putting,
    method: 'PUT',
    summary: 'Store an optimization, in place of the one of its id; the same as by POST',
  },
  listOptimizations: {
    method: 'GET',
    path,
    access: { needs: 'read', about: maybe(projectScope, 'query.project_id') },
    summary: 'The optimizations of a workspace or project, the newest first',
    query: object({ ...listing, project_id: optional(text()) }),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  listProjectOptimizations: {
    ...belowProject,
    method: 'GET',
    path: everywhere('/v1/private/projects/{projectId}/optimizations'),
    summary: 'The optimizations of a project, the newest first',
    query: object(listing),
    replies: { 200: listed },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  showOptimization: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'An optimization',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateOptimization: {
    ...byId,
    method: 'PUT',
    access: { needs: 'write', about },
    summary:
      'Change the name, the status or the metadata of an optimization, or tell why it failed',
    body: object({
      name: optional(text()),
      status: optional(word(...optimizationStatuses)),
      metadata: optional(anything()),
      error_info: optional(errorInfo),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  cancelStudioOptimization: {
    method: 'GET',
    path: everywhere('/v1/private/optimizations/studio/{id}/cancel'),
    params: object({ id: text() }),
    access: { needs: 'write', about },
    summary: 'Not there: no optimization runs on this server',
    replies: { 501: object({ code: integer(), message: text(), errors: texts() }) },
    fails: ['absent', 'forbidden'],
  },
  showStudioLog: {
    method: 'GET',
    path: everywhere('/v1/private/optimizations/studio/{id}/logs'),
    params: object({ id: text() }),
    access: { needs: 'read', about },
    summary: 'Where the log of an optimization is; of those that run elsewhere there is none',
    replies: {
      200: shape(
        'OptimizationLog',
        'Where a log is read, for a while; without an address there is none.',
        {
          url: optional(text()),
          last_modified: optional(text()),
          expires_at: optional(text()),
        },
      ),
    },
    fails: ['absent', 'forbidden'],
  },
  deleteOptimizations: {
    method: 'POST',
    path: everywhere('/v1/private/optimizations/delete'),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary: 'Delete optimizations; their trials stay, and ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
});
