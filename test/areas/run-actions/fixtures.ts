import { runAction } from '#ports/model/run-actions';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { runActions } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['run-actions'],
  kinds: [
    kindIn(runAction, runActions, { name: ({ actionId }) => actionId, unknown: () => unknownId }),
  ],
  rows: {
    applyToRuns: {
      ownNames: ['body.targetProjectName'],
      notOurs: {
        'body.targetWorkspaceName': 'the handler asks the gate for it where the action moves runs',
      },
    },
  },
};
