import {
  linkedDataset,
  linkedEvaluation,
  linkedOptimization,
  linkedTrace,
} from '#ports/model/links';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { datasets } from '#test/areas/datasets/things';
import { evaluations } from '#test/areas/evaluations/things';
import { optimizations } from '#test/areas/optimizations/things';
import { traces } from '#test/areas/traces/things';

const unknown = () => unknownId;
const path = Buffer.from('http://127.0.0.1/api').toString('base64');
const ofDataset = { 'query.dataset_id': 'is told beside what is looked for' };

export const fixtures: AreaFixtures = {
  areas: ['redirects', 'printed-links'],
  kinds: [
    kindIn(linkedTrace, traces, { name: ({ traceId }) => traceId, unknown }),
    kindIn(linkedDataset, datasets, { name: ({ datasetId }) => datasetId, unknown }),
    kindIn(linkedEvaluation, evaluations, { name: ({ evaluationId }) => evaluationId, unknown }),
    kindIn(linkedOptimization, optimizations, {
      name: ({ optimizationId }) => optimizationId,
      unknown,
    }),
  ],
  rows: {
    redirectToTrace: { with: () => ({ 'query.path': path }) },
    redirectToDataset: { with: () => ({ 'query.path': path }) },
    redirectToEvaluation: { with: () => ({ 'query.path': path }), notOurs: ofDataset },
    openEvaluations: {
      with: (world) => ({
        'query.experiments': JSON.stringify([world.of(evaluations).evaluationId]),
      }),
    },
    openDataset: { notOurs: { 'params.projectId': 'is told beside what is looked for' } },
    redirectToOptimization: { with: () => ({ 'query.path': path }), notOurs: ofDataset },
  },
};
