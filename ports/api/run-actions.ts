// What is done to many runs at once, as a job: the call that begins it tells how many runs there are, and progress is asked for by its id.
import { experiment } from '../model/experiments.js';
import { project } from '../model/projects.js';
import { runAction, runActionNames, runActionStates } from '../model/run-actions.js';
import { each, one, operations } from './operation.js';
import {
  anything,
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

/** Most runs that one action is about by a query, and by name; most actions of a project that are under way; most tags, and characters of each. */
export const runActionBounds = {
  runs: 50_000,
  named: 1000,
  underWay: 20,
  tags: 100,
  tag: 1000,
} as const;

const path = '/v1/private/ui/actions';
const params = object({ action: text() });
const named = one(runAction, 'params.action');

const progress = shape(
  'RunActionProgress',
  'Something that is done to many runs: how many there are, how many it is through with, and to how many of those it was not done. The first hundred of those say why.',
  {
    id: text(),
    project: text(),
    action: word(...runActionNames),
    state: word(...runActionStates),
    runs: integer(),
    done: integer(),
    failed: integer(),
    failures: list(object({ run: text(), message: text() })),
    reason: nullable(text()),
    createdAt: millis(),
    endedAt: nullable(millis()),
  },
);

export const runActionOperations = operations({
  applyToRuns: {
    method: 'POST',
    path,
    access: {
      needs: 'write',
      about: [one(project, 'body.project'), each(experiment, 'body.runs')],
      unbounded: false,
    },
    audit: true,
    summary:
      'Archive, restore, tag, move or delete the runs that are named or that satisfy a query, or only count them',
    body: object({
      project: text(),
      query: optional(anything()),
      archived: optional(flag()),
      runs: optional(texts()),
      action: word(...runActionNames),
      tags: optional(
        list(text({ min: 1, max: runActionBounds.tag }), { maxItems: runActionBounds.tags }),
      ),
      targetWorkspaceName: optional(text({ min: 1 })),
      targetProjectName: optional(text({ min: 1 })),
      dryRun: optional(flag()),
    }),
    replies: { 200: object({ runs: integer(), begun: nullable(progress) }) },
    wire: { mostBytes: 256 * 1024 },
    fails: ['invalid', 'absent', 'conflict'],
  },
  getRunAction: {
    method: 'GET',
    path: `${path}/{action}`,
    access: { needs: 'read', about: named },
    summary: 'How far an action on runs has come',
    params,
    replies: { 200: progress },
    fails: ['absent'],
  },
  listRunActionRuns: {
    method: 'GET',
    path: `${path}/{action}/runs`,
    access: { needs: 'read', about: named },
    summary:
      'The runs to which an action was done so far, a thousand at a time in the order in which they were taken: what takes it back, given to another one. Those to which it was not done are left out as far as it says which they are',
    params,
    query: object({ after: optional(integer({ minimum: 0 })) }),
    replies: { 200: object({ runs: texts(), next: nullable(integer()) }) },
    fails: ['absent', 'invalid'],
  },
  cancelRunAction: {
    method: 'POST',
    path: `${path}/{action}/cancel`,
    access: { needs: 'owner', about: named },
    summary: 'End an action on runs before it is through; what was done stays done',
    params,
    replies: { 200: progress },
    fails: ['absent'],
  },
});
