import { v7 } from 'uuid';
import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';

/** A dataset with an item in one version, which has a tag. */
export const datasets = thing(async ({ ask }) => {
  const [datasetId, itemId] = [v7(), v7()];
  const datasetName = freshName('dataset');
  await ask('/v1/private/datasets', { id: datasetId, name: datasetName });
  const version = await ask(`/v1/private/datasets/${datasetId}/items/changes?override=true`, {
    added_items: [{ id: itemId, source: 'sdk', data: { city: 'Rome' } }],
    tags: ['made'],
  });
  return {
    ...{ datasetId, datasetName, itemId },
    ...{ versionHash: version['version_hash'] ?? '', versionId: version['id'] ?? '' },
  };
});
