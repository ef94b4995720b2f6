import { copiedDataset, dataset, datasetItem } from '#ports/model/datasets';
import { kindIn, type AreaFixtures, type World } from '#test/api/fixtures';
import { freshName, unknownId } from '#test/api/fresh';
import { datasets } from './things.js';

const hash = (world: World) => ({ 'params.versionHash': world.of(datasets).versionHash });
const elsewhere = 'names a trace that need not be there';
const item = { source: 'sdk', data: { city: 'Oslo' } };

export const fixtures: AreaFixtures = {
  areas: ['datasets', 'dataset-items'],
  kinds: [
    kindIn(dataset, datasets, {
      name: ({ datasetId }) => datasetId,
      unknown: () => unknownId,
    }),
    kindIn(copiedDataset, datasets, {
      name: ({ datasetId }) => datasetId,
      unknown: () => unknownId,
    }),
    kindIn(datasetItem, datasets, { name: ({ itemId }) => itemId, unknown: () => unknownId }),
  ],
  rows: {
    createDataset: {
      with: () => ({ 'body.name': freshName('dataset') }),
      ownNames: ['body.name'],
    },
    retrieveDataset: {
      with: (world) => ({ 'body.dataset_name': world.of(datasets).datasetName }),
      own: () => ({ 'body.project_name': undefined }),
      ownNames: ['body.dataset_name'],
    },
    listDatasets: {
      notOurs: { 'query.prompt_id': 'only narrows the list' },
      own: () => ({ 'query.prompt_id': undefined, 'query.name': undefined }),
      ownNames: ['query.name'],
    },
    listProjectDatasets: {
      own: () => ({ 'query.name': undefined }),
      ownNames: ['query.name'],
    },
    updateDataset: {
      consumes: true,
      with: () => ({ 'body.name': freshName('dataset') }),
      ownNames: ['body.name'],
    },
    deleteDataset: {
      consumes: true,
      with: (world) => ({ 'params.id': world.of(datasets).datasetId }),
      notOurs: { 'params.id': 'is looked for in the workspace of the header alone' },
    },
    deleteDatasetByName: { consumes: true, ownNames: ['body.dataset_name'] },
    deleteDatasets: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(datasets).datasetId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
    retrieveDatasetVersion: { with: () => ({ 'body.version_name': 'v1' }) },
    showDatasetVersion: { with: hash },
    restoreDatasetVersion: { with: () => ({ 'body.version_ref': 'latest' }) },
    compareDatasetVersions: { with: () => ({ 'query.from': 'latest', 'query.to': 'latest' }) },
    updateDatasetVersion: {
      with: (world) => ({ ...hash(world), 'body.tags_to_add': [freshName('tag')] }),
    },
    tagDatasetVersion: { with: (world) => ({ ...hash(world), 'body.tag': freshName('tag') }) },
    untagDatasetVersion: {
      consumes: true,
      with: (world) => ({ ...hash(world), 'params.tag': 'made' }),
    },
    putDatasetItems: {
      with: () => ({ 'body.items': [item], 'body.dataset_name': freshName('dataset') }),
      ownNames: ['body.dataset_name'],
      notOurs: {
        'body.items.*.trace_id': elsewhere,
        'body.items.*.span_id': elsewhere,
        'body.batch_group_id': 'is made up by the client',
      },
    },
    streamDatasetItems: {
      with: (world) => ({ 'body.dataset_name': world.of(datasets).datasetName }),
      own: () => ({ 'body.project_name': undefined, 'body.dataset_version': undefined }),
      ownNames: ['body.dataset_name'],
      notOurs: { 'body.last_retrieved_id': 'is only compared with' },
    },
    deleteDatasetItems: {
      consumes: true,
      with: () => ({ 'body.dataset_id': undefined }),
      notOurs: { 'body.batch_group_id': 'is made up by the client' },
    },
    updateDatasetItem: {
      notOurs: { 'body.trace_id': elsewhere, 'body.span_id': elsewhere },
    },
    updateDatasetItems: {
      with: () => ({ 'body.dataset_id': undefined, 'body.update': { description: 'new' } }),
      notOurs: { 'body.update.trace_id': elsewhere, 'body.update.span_id': elsewhere },
    },
    listDatasetItems: { own: () => ({ 'query.version': undefined }) },
    copyTracesIntoDataset: {
      with: () => ({ 'body.trace_ids': [unknownId] }),
      notOurs: { 'body.trace_ids': 'are looked for in what the caller reaches alone' },
    },
    copySpansIntoDataset: {
      with: () => ({ 'body.span_ids': [unknownId] }),
      notOurs: { 'body.span_ids': 'are looked for in what the caller reaches alone' },
    },
    applyDatasetChanges: {
      with: (world) => ({
        ...{ 'query.override': true, 'body.added_items': [item], 'body.edited_items': [] },
        'body.copy_from_version_id': world.of(datasets).versionId,
      }),
      notOurs: {
        'body.added_items.*.trace_id': elsewhere,
        'body.added_items.*.span_id': elsewhere,
        'body.edited_items.*.trace_id': elsewhere,
        'body.edited_items.*.span_id': elsewhere,
        'body.deleted_ids': 'are looked for in the dataset alone',
        'body.copy_from_version_id': 'is looked for in the dataset alone',
        'body.batch_group_id': 'is made up by the client',
      },
    },
  },
};
