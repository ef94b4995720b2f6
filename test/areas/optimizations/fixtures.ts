import { optimization } from '#ports/model/optimizations';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { optimizations } from './things.js';

const putting = {
  with: () => ({ 'body.dataset_name': freshName('dataset'), 'body.status': 'running' }),
  ownNames: ['body.dataset_name', 'body.name'],
} as const;

export const fixtures: AreaFixtures = {
  areas: ['optimizations'],
  kinds: [
    kindIn(optimization, optimizations, {
      name: ({ optimizationId }) => optimizationId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    createOptimization: putting,
    putOptimization: putting,
    listOptimizations: {
      own: () => ({ 'query.dataset_id': undefined }),
      ownNames: ['query.name', 'query.dataset_name'],
      notOurs: { 'query.dataset_id': 'only narrows the list' },
    },
    listProjectOptimizations: {
      own: () => ({ 'query.dataset_id': undefined }),
      ownNames: ['query.name', 'query.dataset_name'],
      notOurs: { 'query.dataset_id': 'only narrows the list' },
    },
    updateOptimization: { ownNames: ['body.name'] },
    deleteOptimizations: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(optimizations).optimizationId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
  },
};
