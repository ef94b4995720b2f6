import type { AreaFixtures } from '#test/api/fixtures';

export const fixtures: AreaFixtures = {
  areas: ['prompts'],
  rows: {
    logPrompts: {
      answersItems: true,
      ownNames: [
        'body.*.createExperimentRequest.projectName',
        'body.*.createExperimentRequest.experimentName',
      ],
    },
  },
};
