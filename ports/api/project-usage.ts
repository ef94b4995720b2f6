import { project } from '../model/projects.js';
import { one, operations } from './operation.js';
import { integer, millis, nullable, object, shape, text } from './schema.js';

export const projectUsageOperations = operations({
  getProjectUsage: {
    method: 'GET',
    path: '/v1/private/ui/projects/{project}/usage',
    access: { needs: 'read', about: one(project, 'params.project') },
    summary:
      'What the runs at home in a project hold, and how much of what its workspace may hold is taken; as of some seconds ago',
    params: object({ project: text() }),
    replies: {
      200: shape('ProjectUsage', 'What a project holds. Bytes are as they were logged.', {
        runs: integer(),
        archivedRuns: integer(),
        points: integer(),
        series: integer(),
        assets: integer(),
        assetBytes: integer(),
        textBytes: integer(),
        workspaceBytes: integer(),
        workspaceBytesLimit: nullable(integer()),
        runsLimit: nullable(integer()),
        asOf: millis(),
      }),
    },
    fails: ['absent'],
  },
});
