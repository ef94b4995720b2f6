import { datasetExport } from '#ports/model/dataset-exports';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { datasetExports } from './things.js';

const uploading = (content: string) => ({
  parts: (world: World) => [
    { name: 'dataset_id', content: world.of(datasetExports).datasetId },
    { name: 'file', fileName: 'items', content },
  ],
});

export const fixtures: AreaFixtures = {
  areas: ['dataset-files'],
  things: [datasetExports],
  kinds: [
    kindIn(datasetExport, datasetExports, {
      name: ({ exportId }) => exportId,
      unknown: () => unknownId,
    }),
  ],
  rows: {
    addItemsFromCsv: uploading('city\r\nRome\r\n'),
    addItemsFromJson: uploading('[{"city":"Rome"}]'),
  },
};
