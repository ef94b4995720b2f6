import { environment } from '#ports/model/environments';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { environments } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['environments'],
  kinds: [
    kindIn(environment, environments, {
      name: ({ environmentId }) => environmentId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createEnvironment: {
      with: () => ({ 'body.name': freshName('environment') }),
      ownNames: ['body.name'],
    },
    updateEnvironment: { ownNames: ['body.name'] },
    deleteEnvironments: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(environments).environmentId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
  },
};
