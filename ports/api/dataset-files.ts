// Files that become items of datasets, and files of the items of a dataset.
import { datasetExport } from '../model/dataset-exports.js';
import { dataset } from '../model/datasets.js';
import { bytes, multipart, one, operations } from './operation.js';
import { authorship, everywhere, reachedOfHeader } from './private-wire.js';
import { list, object, optional, shape, text } from './schema.js';

const root = '/v1/private/datasets';
const shown = shape('DatasetExportJob', 'A file of a dataset that can be fetched for a while.', {
  id: text(),
  dataset_id: text(),
  dataset_name: text(),
  status: text(),
  expires_at: text(),
  viewed_at: optional(text()),
  ...authorship,
});
const ofJob = {
  params: object({ jobId: text() }),
  fails: ['absent', 'forbidden'],
} as const;
const about = one(datasetExport, 'header.comet-workspace/params.jobId');
const uploading = {
  method: 'POST',
  access: { needs: 'write', about: reachedOfHeader },
  body: multipart({ dataset_id: 'the id of the dataset', file: 'the file, in UTF-8' }),
  replies: { 202: null },
  fails: ['invalid', 'unprocessable', 'absent', 'conflict', 'tooLarge'],
} as const;

export const datasetFileOperations = operations({
  addItemsFromCsv: {
    ...uploading,
    path: everywhere(`${root}/items/from-csv`),
    summary:
      'Make items of the rows of a CSV file, all or none; its first row names the members of their data',
  },
  addItemsFromJson: {
    ...uploading,
    path: everywhere(`${root}/items/from-json`),
    summary:
      'Make items of the objects of a JSON file, all or none: of a list, or one object after the other; an id that the dataset has changes that item',
  },
  exportDataset: {
    method: 'POST',
    path: everywhere(`${root}/{id}/export`),
    params: object({ id: text() }),
    access: { needs: 'write', about: one(dataset, 'header.comet-workspace/params.id') },
    summary: 'Make the newest version of a dataset a CSV file that can be fetched for a day',
    replies: { 202: shown },
    fails: ['absent', 'forbidden'],
  },
  listDatasetExports: {
    method: 'GET',
    path: everywhere(`${root}/export-jobs`),
    access: { needs: 'read', about: reachedOfHeader },
    summary: 'Files of datasets that can be fetched, the newest first',
    replies: { 200: list(shown) },
  },
  showDatasetExport: {
    ...ofJob,
    method: 'GET',
    path: everywhere(`${root}/export-jobs/{jobId}`),
    access: { needs: 'read', about },
    summary: 'A file of a dataset that can be fetched',
    replies: { 200: shown },
  },
  downloadDatasetExport: {
    ...ofJob,
    method: 'GET',
    path: everywhere(`${root}/export-jobs/{jobId}/download`),
    access: { needs: 'read', about },
    summary: 'The items of a dataset as CSV, a column for each member of their data',
    replies: { 200: bytes('text/csv') },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  viewDatasetExport: {
    ...ofJob,
    method: 'PUT',
    path: everywhere(`${root}/export-jobs/{jobId}/mark-viewed`),
    access: { needs: 'write', about },
    summary: 'Note that somebody has looked at the file of a dataset',
    replies: { 204: null },
  },
});
