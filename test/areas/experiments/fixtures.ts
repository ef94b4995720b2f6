import { experiment } from '#ports/model/experiments';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshKey } from '#test/api/fresh';
import { projects } from '#test/areas/workspaces/things';
import { experiments } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['experiments'],
  kinds: [
    kindIn(experiment, experiments, {
      name: ({ experimentKey }) => experimentKey,
      ownName: (_, world) => world.of(projects).projectName,
      unknown: freshKey,
      missingCode: 90998,
    }),
  ],
  rows: {
    createExperiment: { ownNames: ['body.projectName', 'body.experimentName'] },
    deleteExperiment: { consumes: true },
    moveExperiments: { consumes: true, ownNames: ['body.targetProjectName'] },
    linkExperiment: {
      with: (world) => ({ 'query.projectName': world.of(projects).otherProject }),
      ownNames: ['query.projectName'],
    },
  },
};
