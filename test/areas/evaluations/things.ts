import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';
import { datasets } from '#test/areas/datasets/things';

/** An evaluation with one item. */
export const evaluations = thing(async ({ ask, of }) => {
  const { datasetName, itemId } = await of(datasets);
  const [evaluationId, evaluationItemId] = [v7(), v7()];
  const evaluationName = freshName('evaluation');
  await ask('/v1/private/experiments', {
    id: evaluationId,
    name: evaluationName,
    dataset_name: datasetName,
  });
  await ask('/v1/private/experiments/items', {
    experiment_items: [
      {
        id: evaluationItemId,
        experiment_id: evaluationId,
        dataset_item_id: itemId,
        trace_id: v7(),
      },
    ],
  });
  return { evaluationId, evaluationItemId, evaluationName };
});
