import { thing } from '#test/api/fixtures';
import { datasets } from '#test/areas/datasets/things';

/** A dataset of which a file was asked for. */
export const datasetExports = thing(async ({ ask, of }) => {
  const { datasetId } = await of(datasets);
  const made = await ask(`/v1/private/datasets/${datasetId}/export`, {});
  return { datasetId, exportId: made['id'] ?? '' };
});
