// Which experiments of a project satisfy a condition, in the two forms in which clients ask, and what they may ask for.
import { project } from '../model/projects.js';
import { one, operations } from './operation.js';
import { anything, flag, integer, list, millis, object, optional, text, word } from './schema.js';
import { read } from './tracking.js';

const columnTypes = ['string', 'boolean', 'double', 'datetime', 'timenumber'] as const;

export const searchOperations = operations({
  queryExperiments: {
    method: 'POST',
    path: read('/project/query'),
    access: {
      needs: 'read',
      about: one(project, 'body.projectId', 'body.workspaceName/body.projectName'),
    },
    summary: 'Keys of the experiments that satisfy a list of predicates',
    body: object({
      workspaceName: optional(text()),
      projectName: optional(text()),
      projectId: optional(text()),
      predicates: optional(anything()),
      archived: optional(flag()),
    }),
    replies: { 200: object({ experimentKeys: list(text()) }) },
    fails: ['invalid', 'absent'],
  },
  searchExperiments: {
    method: 'POST',
    path: read('/experiments/search'),
    access: { needs: 'read', about: one(project, 'body.projectId') },
    summary: 'A page of the experiments that satisfy a tree of rules',
    body: object({
      projectId: text(),
      rulesTree: optional(anything()),
      limit: optional(integer({ minimum: 1 })),
      page: optional(integer({ minimum: 1 })),
      deleted: optional(flag()),
    }),
    replies: {
      200: object({
        experiments: list(object({ experimentKey: text(), server_timestamp: millis() })),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  listColumns: {
    method: 'GET',
    path: read('/project/column-names'),
    access: {
      needs: 'read',
      about: one(project, 'query.projectId', 'query.workspaceName/query.projectName'),
    },
    summary: 'What the experiments of a project may be searched by',
    query: object({
      projectId: optional(text()),
      workspaceName: optional(text()),
      projectName: optional(text()),
    }),
    replies: {
      200: object({
        columns: list(
          object({ id: text(), name: text(), source: text(), type: word(...columnTypes) }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
});
