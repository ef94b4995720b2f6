import { area } from '#ports/api/area';
import { datasetItemOperations } from '#ports/api/dataset-items';
import { privateFamily } from '#ports/api/families/private';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { FieldFilter } from '#ports/field-query';
import { Ids } from '#ports/ids';
import type { Touch } from '#ports/model/authorship';
import type { Caller } from '#ports/model/identity';
import type { Dataset, DatasetItem, DatasetVersion } from '#ports/model/datasets';
import type { ItemChange, VersionTarget } from '#ports/storage/dataset-items';
import { storageOf, type Stores } from '#ports/storage/storage';
import { findVersionByRef, requireDataset } from '../datasets/offers.js';
import { readVersionTags, showVersion } from '../datasets/rules.js';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readIds, requireSome } from '../private-wire/ids.js';
import { emptyStream, lineStream, readLimit } from '../private-wire/line-stream.js';
import { readPage } from '../private-wire/pages.js';
import { findNamed } from '../private-wire/records.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import {
  copySpans,
  copyTraces,
  readFieldPaths,
  type Copied,
  type Copying,
  type Enrichment,
} from './copying.js';
import { datasetItemKind } from './kinds.js';
import { keepMakers } from './offers.js';
import { changeItem, columnsOf, readItem, type SentItem, type SentUpdate } from './reading.js';
import { readItemFilters, showColumns, showItem } from './rules.js';

/** Items that are changed at once where filters choose any number. */
const itemsAtOnce = 1000;

/** Bytes of the data of a page, and of items of a stream that are read at once: SDKs read pages of 2,000 items, several at a time. */
const [mostPageBytes, mostStreamedBytes] = [128 * 1024 * 1024, 16 * 1024 * 1024];

interface SentCopying {
  readonly enrichment_options?: Enrichment | undefined;
  readonly field_mappings?: Readonly<Record<string, string>> | undefined;
}

const absentVersion = (ref: string) =>
  new Failure('absent', `dataset version ${ref.slice(0, 100)} not found`);
const absentDataset = (id: string) => new Failure('absent', `dataset ${id} not found`);

const targetOf = (groupId: string | undefined): VersionTarget =>
  groupId === undefined ? { into: 'newest' } : { into: 'group', groupId };

/** The group of requests that make one version. Rejects with `invalid` for what is no id. */
const groupOf = (sent: string | undefined): string | undefined =>
  sent === undefined ? undefined : readAnyId(sent, 'batch_group_id');

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

/** The dataset that items are in; `undefined` where there are none. Rejects with `invalid` for those of several. */
const datasetOf = (items: readonly { readonly dataset: Dataset }[]): Dataset | undefined => {
  const [first] = items;
  if (items.some(({ dataset }) => dataset.id !== first?.dataset.id))
    throw new Failure('invalid', 'items of several datasets cannot be changed in one request');
  return first?.dataset;
};

export const datasetItemsArea = area({
  name: 'dataset-items',
  summary: 'Items of datasets, each change of which goes into a version.',
  family: privateFamily,
  table: datasetItemOperations,
  kinds: [datasetItemKind],
  needs: {
    storage: storageOf('datasetItems', 'datasets', 'feedback', 'projects', 'traces', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { datasets, datasetItems } = storage.stores;
    type Inside = Pick<Stores, 'datasetItems'>;

    const change = async (
      stores: Inside,
      { workspaceId, id }: Pick<Dataset, 'workspaceId' | 'id'>,
      more: Omit<ItemChange, 'workspaceId' | 'datasetId' | 'versionId'>,
    ): Promise<DatasetVersion | undefined> =>
      stores.datasetItems.change({
        workspaceId,
        datasetId: id,
        versionId: ids.next(),
        ...more,
      });

    /** Stores items as they were read; who made one that is there stays. */
    const put =
      (items: readonly DatasetItem[], datasetId: string, removed: readonly string[] = []) =>
      (stored: ReadonlyMap<string, DatasetItem>) => ({
        put: keepMakers(items, datasetId, stored),
        removed,
        columns: columnsOf(items),
      });

    /** Does something with all items that filters choose, some at a time, in one version. */
    const eachChosen = async (
      dataset: Dataset,
      filters: readonly FieldFilter[],
      work: (stores: Inside, chosen: readonly string[]) => Promise<unknown>,
    ): Promise<void> =>
      storage.transaction(async (stores) => {
        let beforeId: string | undefined;
        for (;;) {
          const page = await stores.datasetItems.list({
            workspaceId: dataset.workspaceId,
            datasetId: dataset.id,
            filters,
            limit: itemsAtOnce,
            mostBytes: mostStreamedBytes,
            ...given({ beforeId }),
          });
          if (page.length === 0) return;
          await work(
            stores,
            page.map(({ id }) => id),
          );
          beforeId = page.at(-1)?.id;
        }
      });

    /** Every item of a version of a dataset by its id, or of the newest one. */
    const allOf = async (
      { workspaceId, id }: Dataset,
      version?: number,
    ): Promise<ReadonlyMap<string, DatasetItem>> => {
      const all = new Map<string, DatasetItem>();
      let beforeId: string | undefined;
      for (;;) {
        const page = await datasetItems.list({
          ...{ workspaceId, datasetId: id, filters: [], limit: itemsAtOnce },
          ...given({ beforeId, version }),
        });
        for (const item of page) all.set(item.id, item);
        beforeId = page.at(-1)?.id;
        if (page.length < itemsAtOnce) return all;
      }
    };

    /** The items of a version that takes the place of what a dataset has; `undefined` where none is asked for. Rejects with `invalid` for half of its name. */
    const copied = async (
      versionId: string | undefined,
      from: Dataset | undefined,
    ): Promise<ReadonlyMap<string, DatasetItem> | undefined> => {
      if ((versionId === undefined) !== (from === undefined))
        throw new Failure(
          'invalid',
          'copy_from_dataset_id and copy_from_version_id must be given together',
        );
      if (versionId === undefined || from === undefined) return undefined;
      const id = readAnyId(versionId, 'copy_from_version_id');
      const version = await datasetItems.findVersion(from.workspaceId, from.id, { id });
      if (version === undefined) throw absentVersion(versionId);
      return allOf(from, version.newest ? undefined : version.number);
    };

    const updating =
      (sent: SentUpdate, touch: Touch, mergeTags: boolean) =>
      (stored: ReadonlyMap<string, DatasetItem>) => {
        const changed = [...stored.values()].map((item) =>
          changeItem(item, sent, touch, mergeTags),
        );
        return { put: changed, removed: [], columns: columnsOf(changed) };
      };

    const datasetToWrite = async (
      body: {
        readonly dataset_name?: string | undefined;
        readonly project_id?: string | undefined;
        readonly project_name?: string | undefined;
      },
      target: Parameters<typeof requireTarget>[2],
      caller: Parameters<typeof requireTarget>[3],
    ): Promise<Dataset> => {
      const { dataset_name: name = '' } = body;
      if (isBlank(name))
        throw new Failure('unprocessable', 'either dataset_name or dataset_id must be provided');
      const ofProject = isOfProject(body, caller);
      const found = await findNamed(
        storage.stores,
        datasets,
        { workspace: target.workspace, project: target.project, named: ofProject },
        name,
        caller,
      );
      if (found !== undefined) return found;
      const project = ofProject
        ? await requireTarget(storage, { clock, ids }, target, caller)
        : undefined;
      return requireDataset(
        storage.stores,
        { clock, ids },
        {
          workspaceId: target.workspace.id,
          projectId: project?.id,
          name,
          caller,
        },
      );
    };

    /** What is asked for of items; a test suite has fields of its own. */
    const copyingOf = (
      { type }: Dataset,
      { enrichment_options, field_mappings }: SentCopying,
    ): Copying => {
      const fields = readFieldPaths(field_mappings);
      return { enrichment: enrichment_options ?? {}, fields: type === 'dataset' ? fields : [] };
    };

    /** Adds items to the newest version that were made of traces or spans. */
    const addCopies = async (
      dataset: Dataset,
      { evaluators, execution_policy }: Pick<SentItem, 'evaluators' | 'execution_policy'>,
      caller: Caller,
      copies: readonly Copied[],
    ): Promise<void> => {
      const made = madeBy(clock, caller);
      const items = copies.map((copy) =>
        readItem({ ...copy, evaluators, execution_policy }, () => ids.next(), made),
      );
      const version = await change(storage.stores, dataset, {
        target: { into: 'newest' },
        ids: items.map(({ id }) => id),
        touch: touchedBy(clock, caller),
        decide: put(items, dataset.id),
      });
      if (version === undefined && items.length > 0) throw absentDataset(dataset.id);
    };

    return {
      async putDatasetItems({ body, projectTarget, dataset, caller }) {
        requireSome('items', body.items);
        const made = madeBy(clock, caller);
        const items = body.items.map((item) => readItem(item, () => ids.next(), made));
        const into = dataset ?? (await datasetToWrite(body, projectTarget, caller));
        const version = await change(storage.stores, into, {
          target: targetOf(groupOf(body.batch_group_id)),
          ids: items.map(({ id }) => id),
          touch: touchedBy(clock, caller),
          decide: put(items, into.id),
        });
        if (version === undefined) throw absentDataset(into.id);
        return undefined;
      },
      async streamDatasetItems({ body, projectScope, caller }) {
        readLimit(body.steam_limit);
        const filters = readItemFilters(body.filters);
        const found = await findNamed(
          storage.stores,
          datasets,
          projectScope,
          body.dataset_name,
          caller,
        );
        if (found === undefined) return emptyStream;
        const version =
          body.dataset_version === undefined
            ? undefined
            : await findVersionByRef(storage.stores, found, body.dataset_version);
        if (body.dataset_version !== undefined && version === undefined)
          throw absentVersion(body.dataset_version);
        return lineStream(
          { limit: body.steam_limit, after: body.last_retrieved_id },
          {
            list: (page) =>
              datasetItems.list({
                workspaceId: found.workspaceId,
                datasetId: found.id,
                filters,
                ...page,
                mostBytes: mostStreamedBytes,
                ...given({ version: version?.newest === true ? undefined : version?.number }),
              }),
            idOf: ({ id }) => id,
            show: async (rows) => rows.map(showItem),
          },
        );
      },
      async deleteDatasetItems({ body, dataset, datasetItems: chosen, caller }) {
        const touch = touchedBy(clock, caller);
        if ((body.item_ids === undefined) === (body.dataset_id === undefined))
          throw new Failure('invalid', 'either item_ids or dataset_id with filters is required');
        const remove = (stores: Inside, of: Dataset, wanted: readonly string[], groupId?: string) =>
          change(stores, of, {
            target: targetOf(groupId),
            ids: wanted,
            touch,
            decide: () => ({ put: [], removed: wanted, columns: [] }),
          });
        if (dataset !== undefined) {
          const groupId = groupOf(body.batch_group_id) ?? ids.next();
          await eachChosen(dataset, readItemFilters(body.filters), (stores, wanted) =>
            remove(stores, dataset, wanted, groupId),
          );
          return undefined;
        }
        readIds(body.item_ids ?? [], 'item_ids');
        const found = datasetOf(chosen);
        if (found !== undefined)
          await remove(
            storage.stores,
            found,
            chosen.map(({ id }) => id),
            groupOf(body.batch_group_id),
          );
        return undefined;
      },
      showDatasetItem: async ({ datasetItem }) => showItem(datasetItem),
      async updateDatasetItem({ body, datasetItem, caller }) {
        const touch = touchedBy(clock, caller);
        await change(storage.stores, datasetItem.dataset, {
          target: { into: 'group', groupId: ids.next() },
          ids: [datasetItem.id],
          touch,
          decide: updating(body, touch, false),
        });
        return undefined;
      },
      async updateDatasetItems({ body, dataset, datasetItems: chosen, caller }) {
        const touch = touchedBy(clock, caller);
        if ((body.ids === undefined) === (body.dataset_id === undefined))
          throw new Failure('invalid', 'either ids or dataset_id with filters is required');
        const groupId = ids.next(); // all of them make one version
        const update = (stores: Inside, of: Dataset, wanted: readonly string[]) =>
          change(stores, of, {
            target: { into: 'group', groupId },
            ids: wanted,
            touch,
            decide: updating(body.update, touch, body.merge_tags ?? false),
          });
        if (dataset !== undefined) {
          await eachChosen(dataset, readItemFilters(body.filters), (stores, wanted) =>
            update(stores, dataset, wanted),
          );
          return undefined;
        }
        readIds(body.ids ?? []);
        const found = datasetOf(chosen);
        if (found !== undefined)
          await update(
            storage.stores,
            found,
            chosen.map(({ id }) => id),
          );
        return undefined;
      },
      async listDatasetItems({ query, dataset }) {
        const { workspaceId, id: datasetId } = dataset;
        const page = readPage(query);
        const filters = readItemFilters(query.filters);
        const version =
          query.version === undefined
            ? await datasetItems.findVersion(workspaceId, datasetId, 'newest')
            : await findVersionByRef(storage.stores, dataset, query.version);
        if (version === undefined && query.version !== undefined)
          throw absentVersion(query.version);
        const listing = {
          workspaceId,
          datasetId,
          filters,
          ...given({ version: version?.newest === true ? undefined : version?.number }),
        };
        const content = await datasetItems.list({
          ...listing,
          offset: (page.page - 1) * page.size,
          limit: page.size,
          mostBytes: mostPageBytes,
        });
        return {
          page: page.page,
          size: content.length,
          total:
            filters.length === 0 ? (version?.itemsTotal ?? 0) : await datasetItems.count(listing),
          content: content.map(showItem),
          columns: showColumns(await datasetItems.listColumns(workspaceId, datasetId)),
          sortableBy: [],
          sortable_by: [],
        };
      },
      async copyTracesIntoDataset({ body, dataset, caller }) {
        const wanted = readIds(body.trace_ids, 'trace_ids');
        await addCopies(
          dataset,
          body,
          caller,
          await copyTraces(
            storage.stores,
            { workspaceId: dataset.workspaceId, projectId: caller.scope?.projectId },
            wanted,
            copyingOf(dataset, body),
          ),
        );
        return undefined;
      },
      async copySpansIntoDataset({ body, dataset, caller }) {
        const wanted = readIds(body.span_ids, 'span_ids');
        await addCopies(
          dataset,
          body,
          caller,
          await copySpans(
            storage.stores,
            { workspaceId: dataset.workspaceId, projectId: caller.scope?.projectId },
            wanted,
            copyingOf(dataset, body),
          ),
        );
        return undefined;
      },
      async applyDatasetChanges({ body, query, dataset, copiedDataset, caller }) {
        const made = madeBy(clock, caller);
        const touch = touchedBy(clock, caller);
        const added = (body.added_items ?? []).map((item: SentItem) =>
          readItem(item, () => ids.next(), made),
        );
        const edits = new Map(
          (body.edited_items ?? []).map((item) => [readAnyId(item.id, 'edited_items'), item]),
        );
        const removed = (body.deleted_ids ?? []).map((id) => readAnyId(id, 'deleted_ids'));
        const settings = {
          ...given({
            tags: body.tags && readVersionTags(body.tags),
            changeDescription: body.change_description,
            metadata: body.metadata === undefined ? undefined : JSON.stringify(body.metadata),
            evaluators: body.evaluators && JSON.stringify(body.evaluators),
          }),
          ...(body.clear_execution_policy === true
            ? { executionPolicy: null }
            : given({
                executionPolicy: body.execution_policy && JSON.stringify(body.execution_policy),
              })),
        };
        const copies = await copied(body.copy_from_version_id, copiedDataset);
        const isRemoved = new Set(removed);
        const replaced = copies === undefined ? [] : [...(await allOf(dataset)).keys()];
        const base =
          query.override === true
            ? {}
            : { base: { id: body.base_version && readAnyId(body.base_version, 'base_version') } };
        const version = await change(storage.stores, dataset, {
          target:
            body.batch_group_id === undefined
              ? { into: 'fresh', ...base }
              : targetOf(groupOf(body.batch_group_id)),
          ids: [
            ...replaced,
            ...(copies?.keys() ?? []),
            ...added.map(({ id }) => id),
            ...edits.keys(),
            ...removed,
          ],
          settings,
          touch,
          decide(stored) {
            const edited = [...edits].map(([id, sent]) => {
              const item = (copies ?? stored).get(id);
              if (item === undefined) throw new Failure('absent', `dataset item ${id} not found`);
              return changeItem(item, sent, touch);
            });
            const kept = [...(copies?.values() ?? [])].filter(({ id }) => !isRemoved.has(id));
            const gone = copies === undefined ? [] : replaced.filter((id) => !copies.has(id));
            return put([...kept, ...edited, ...added], dataset.id, [...gone, ...removed])(stored);
          },
        });
        if (version === undefined) throw absentDataset(dataset.id);
        return { body: showVersion(version) };
      },
    };
  },
});
