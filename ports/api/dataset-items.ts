// Items of datasets of LLM observability.
import { copiedDataset, dataset, datasetItem } from '../model/datasets.js';
import { projectScope, projectTarget } from '../model/projects.js';
import { judging, judgingSent, shownVersion } from './datasets.js';
import { bytes, detailed, eachAccessible, maybe, one, operations } from './operation.js';
import {
  authorship,
  everywhere,
  headerWorkspace,
  paged,
  refusedWorkspace,
} from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  map,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

const labelled = {
  description: optional(text()),
  tags: optional(texts()),
} as const;
const described = { ...labelled, ...judgingSent } as const;
const source = word('manual', 'trace', 'span', 'sdk');
const written = shape(
  'DatasetItemWrite',
  'An item; an id that the dataset has changes that item.',
  {
    id: optional(text()),
    trace_id: optional(text()),
    span_id: optional(text()),
    source: optional(source),
    data: anything(),
    ...described,
  },
);
const edited = {
  trace_id: optional(text()),
  span_id: optional(text()),
  source: optional(source),
  data: optional(anything()),
  ...described,
} as const;
const update = object({
  ...edited,
  input: optional(text()),
  expected_output: optional(text()),
  metadata: optional(anything()),
  tags_to_add: optional(texts()),
  tags_to_remove: optional(texts()),
  clear_execution_policy: optional(flag()),
});

export const shownItem = shape('DatasetItem', 'An item of a dataset.', {
  id: text(),
  dataset_item_id: text(),
  dataset_id: text(),
  trace_id: optional(text()),
  span_id: optional(text()),
  source: text(),
  data: anything(),
  ...labelled,
  ...judging,
  ...authorship,
});
export const column = shape(
  'DatasetColumn',
  'A member that the data of items has, and its types.',
  {
    name: text(),
    types: texts(),
    filter_field_prefix: optional(text()),
    filterField: optional(text()),
  },
);
const page = shape(
  'DatasetItemPage',
  'Items, the newest first, and the members that their data has.',
  {
    page: integer(),
    size: integer(),
    total: integer(),
    content: list(shownItem),
    columns: list(column),
    sortableBy: texts(),
    sortable_by: texts(),
  },
);

const path = everywhere('/v1/private/datasets/items');
const ofDataset = { params: object({ id: text() }) } as const;
const about = one(dataset, 'header.comet-workspace/params.id');
const aboutCopied = one(dataset, 'header.comet-workspace/params.dataset_id');
const enrichment = object({
  includeSpans: optional(flag()),
  includeTags: optional(flag()),
  includeFeedbackScores: optional(flag()),
  includeComments: optional(flag()),
  includeUsage: optional(flag()),
  includeMetadata: optional(flag()),
});
const copied = {
  enrichment_options: optional(enrichment),
  /** Names of an item's fields with paths into what it is made of. */
  field_mappings: optional(map(text())),
  ...judgingSent,
} as const;
const aboutItem = one(datasetItem, 'header.comet-workspace/params.itemId');
const ofItem = { params: object({ itemId: text() }) } as const;
const filters = optional(list(map(anything())));

export const datasetItemOperations = operations({
  putDatasetItems: {
    method: 'PUT',
    path,
    access: {
      needs: 'write',
      about: [
        maybe(projectTarget, 'body.project_id', 'header.comet-workspace/body.project_name'),
        maybe(dataset, 'header.comet-workspace/body.dataset_id'),
      ],
    },
    metered: { events: { listed: 'items' } },
    summary:
      'Store items of a dataset, which is made where none has its name; requests of one group make one version',
    body: object({
      dataset_id: optional(text()),
      dataset_name: optional(text()),
      project_id: optional(text()),
      project_name: optional(text()),
      batch_group_id: optional(text()),
      items: list(written, { maxItems: 1000 }),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  streamDatasetItems: {
    method: 'POST',
    path: everywhere('/v1/private/datasets/items/stream'),
    access: {
      needs: 'read',
      about: maybe(projectScope, 'header.comet-workspace/body.project_name'),
    },
    summary: 'The items of a dataset as lines of JSON, the newest first, behind a cursor',
    body: object({
      dataset_name: text({ min: 1 }),
      project_name: optional(text()),
      last_retrieved_id: optional(text()),
      steam_limit: optional(integer()),
      dataset_version: optional(text()),
      filters: optional(text()),
    }),
    replies: { 200: bytes('application/octet-stream') },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  deleteDatasetItems: {
    method: 'POST',
    path: everywhere('/v1/private/datasets/items/delete'),
    access: {
      needs: 'write',
      about: [
        headerWorkspace,
        maybe(dataset, 'header.comet-workspace/body.dataset_id'),
        eachAccessible(datasetItem, 'body.item_ids'),
      ],
      unbounded: false,
    },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Delete items by their ids, or those of a dataset that filters choose',
    body: object({
      item_ids: optional(texts()),
      dataset_id: optional(text()),
      filters,
      batch_group_id: optional(text()),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  showDatasetItem: {
    ...ofItem,
    method: 'GET',
    path: everywhere('/v1/private/datasets/items/{itemId}'),
    access: { needs: 'read', about: aboutItem },
    summary: 'An item as the newest version of its dataset has it',
    replies: { 200: shownItem },
    fails: ['absent', 'forbidden'],
  },
  updateDatasetItem: {
    ...ofItem,
    method: 'PATCH',
    path: everywhere('/v1/private/datasets/items/{itemId}'),
    access: { needs: 'write', about: aboutItem },
    summary: 'Change an item in the newest version; what is left out stays',
    body: object(edited),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  updateDatasetItems: {
    method: 'PATCH',
    path: everywhere('/v1/private/datasets/items/batch'),
    access: {
      needs: 'write',
      about: [
        headerWorkspace,
        maybe(dataset, 'header.comet-workspace/body.dataset_id'),
        eachAccessible(datasetItem, 'body.ids'),
      ],
      unbounded: false,
    },
    wire: refusedWorkspace,
    summary: 'Change items by their ids, or those of a dataset that filters choose',
    body: object({
      ids: optional(texts()),
      dataset_id: optional(text()),
      filters,
      update,
      merge_tags: optional(flag()),
    }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  listDatasetItems: {
    ...ofDataset,
    method: 'GET',
    path: everywhere('/v1/private/datasets/{id}/items'),
    access: { needs: 'read', about },
    summary: 'A page of the items of a version, which a hash or a tag names, else of the newest',
    query: object({
      ...paged,
      version: optional(text()),
      filters: optional(text()),
      truncate: optional(flag()),
    }),
    replies: { 200: page },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  copyTracesIntoDataset: {
    params: object({ dataset_id: text() }),
    method: 'POST',
    path: everywhere('/v1/private/datasets/{dataset_id}/items/from-traces'),
    access: { needs: 'write', about: aboutCopied },
    summary: 'Make items of traces: what went in and came out, and what else is asked for',
    body: object({ trace_ids: texts(), ...copied }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  copySpansIntoDataset: {
    params: object({ dataset_id: text() }),
    method: 'POST',
    path: everywhere('/v1/private/datasets/{dataset_id}/items/from-spans'),
    access: { needs: 'write', about: aboutCopied },
    summary: 'Make items of spans: what went in and came out, and what else is asked for',
    body: object({ span_ids: texts(), ...copied }),
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
  },
  applyDatasetChanges: {
    ...ofDataset,
    method: 'POST',
    path: everywhere('/v1/private/datasets/{id}/items/changes'),
    access: {
      needs: 'write',
      about: [about, maybe(copiedDataset, 'header.comet-workspace/body.copy_from_dataset_id')],
    },
    summary:
      'Add, change and delete items in a new version, made of the newest one or of a version of another dataset',
    query: object({ override: optional(flag()) }),
    body: object({
      added_items: optional(list(written)),
      edited_items: optional(list(object({ id: text(), ...edited }))),
      deleted_ids: optional(texts()),
      base_version: optional(text()),
      tags: optional(texts()),
      change_description: optional(text()),
      metadata: optional(anything()),
      clear_execution_policy: optional(flag()),
      batch_group_id: optional(text()),
      copy_from_dataset_id: optional(text()),
      copy_from_version_id: optional(text()),
      ...judgingSent,
    }),
    replies: { 201: detailed(shownVersion) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
});
