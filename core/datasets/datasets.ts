import { area } from '#ports/api/area';
import type { Call } from '#ports/api/operation';
import { datasetOperations } from '#ports/api/datasets';
import { privateFamily } from '#ports/api/families/private';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Dataset, DatasetVersion } from '#ports/model/datasets';
import { storageOf } from '#ports/storage/storage';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readId, readIds } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { fallenBack, findNamed, reachedIds } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { datasetKinds } from './kinds.js';
import { findVersionByRef } from './offers.js';
import {
  datasetFields,
  datasetOrders,
  numberIn,
  readTags,
  readType,
  readVersionTags,
  showDataset,
  showVersion,
} from './rules.js';

const absentDataset = () => new Failure('absent', 'Dataset not found');
const absentVersion = (name: string) =>
  new Failure('absent', `dataset version ${name.slice(0, 100)} not found`);

export const datasetsArea = area({
  name: 'datasets',
  summary: 'Datasets of LLM observability, with versions.',
  family: privateFamily,
  table: datasetOperations,
  kinds: datasetKinds,
  needs: {
    storage: storageOf('datasetItems', 'datasets', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, clock, ids }) => {
    const { datasets, datasetItems } = storage.stores;

    const showMany = async (workspaceId: string, found: readonly Dataset[]) => {
      const wanted = found.map(({ id }) => id);
      const figures = await datasets.figures(workspaceId, wanted);
      const versions = await datasetItems.findNewest(workspaceId, wanted);
      return found.map((one) => showDataset(one, figures.get(one.id), versions.get(one.id)));
    };
    const showOne = async (dataset: Dataset) => {
      const [shown] = await showMany(dataset.workspaceId, [dataset]);
      if (shown === undefined) throw absentDataset();
      return shown;
    };
    const requireVersion = async (dataset: Dataset, ref: string): Promise<DatasetVersion> => {
      const found = await findVersionByRef(storage.stores, dataset, ref);
      if (found === undefined) throw absentVersion(ref);
      return found;
    };
    /** What a version is compared with where nothing is named, as clients do; the first one with itself. */
    const versionBefore = async (
      { workspaceId, id }: Dataset,
      version: DatasetVersion,
    ): Promise<DatasetVersion> =>
      (await datasetItems.findVersion(workspaceId, id, { number: version.number - 1 })) ?? version;
    const byHash = async ({ workspaceId, id }: Dataset, hash: string): Promise<DatasetVersion> => {
      const found = await datasetItems.findVersion(workspaceId, id, { hash });
      if (found === undefined) throw absentVersion(hash);
      return found;
    };

    /** The version, where it has none of these tags. Rejects with `conflict` for one that it has. */
    const untagged = async (
      dataset: Dataset,
      hash: string,
      tags: readonly string[],
    ): Promise<DatasetVersion> => {
      const found = await byHash(dataset, hash);
      const taken = tags.find((tag) => found.tags.includes(tag));
      if (taken !== undefined) throw new Failure('conflict', `Tag already exists: '${taken}'`);
      return found;
    };

    const listDatasets = async ({
      query,
      projectScope: { workspace, project },
    }: Pick<Call<typeof datasetOperations.listDatasets>, 'query' | 'projectScope'>) => {
      const page = readPage(query);
      const { total, content } = await datasets.list({
        workspaceId: workspace.id,
        ...given({
          projectId: project?.id,
          name: query.name,
          withEvaluations: query.with_experiments_only,
          withOptimizations: query.with_optimizations_only,
          promptId:
            query.prompt_id === undefined ? undefined : readAnyId(query.prompt_id, 'prompt_id'),
        }),
        filters: readFilters(query.filters, datasetFields),
        orders: readSorting(query.sorting, datasetOrders),
        offset: (page.page - 1) * page.size,
        limit: page.size,
      });
      return showPage(
        page,
        { total, content: await showMany(workspace.id, content) },
        datasetOrders,
      );
    };

    return {
      async createDataset({ body, projectTarget, caller }) {
        const id = body.id === undefined ? ids.next() : readId(body.id, 'dataset');
        const ofProject = isOfProject(body, caller);
        const project = ofProject
          ? await requireTarget(storage, { clock, ids }, projectTarget, caller)
          : undefined;
        await datasets.insert({
          workspaceId: projectTarget.workspace.id,
          id,
          projectId: project?.id,
          name: body.name,
          type: readType(body.type),
          visibility: body.visibility ?? 'private',
          tags: body.tags && readTags(body.tags),
          description: body.description,
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/datasets/${id}` };
      },
      async retrieveDataset({ body, projectScope, caller }) {
        const found = await findNamed(
          storage.stores,
          datasets,
          projectScope,
          body.dataset_name,
          caller,
        );
        if (found === undefined) throw absentDataset();
        return { body: await showOne(found), ...fallenBack(projectScope, found, 'dataset') };
      },
      listDatasets,
      listProjectDatasets: listDatasets,
      showDataset: ({ dataset }) => showOne(dataset),
      async updateDataset({ body, dataset: { workspaceId, id }, caller }) {
        const { name, description, visibility, tags } = body;
        const change = {
          ...given({ name, description, visibility, tags: tags && readTags(tags) }),
          ...touchedBy(clock, caller),
        };
        if (!(await datasets.update(workspaceId, id, change))) throw absentDataset();
        return undefined;
      },
      async deleteDataset({ params, reach }) {
        const wanted = await reachedIds(reach, readIds([params.id]), datasets.findMany);
        await datasets.remove(reach.workspace.id, wanted, clock.now());
        return undefined;
      },
      async deleteDatasetByName({ body, projectScope, caller }) {
        const found = await findNamed(
          storage.stores,
          datasets,
          projectScope,
          body.dataset_name,
          caller,
        );
        if (found !== undefined) await datasets.remove(found.workspaceId, [found.id], clock.now());
        return undefined;
      },
      async deleteDatasets({ body, reach }) {
        const wanted = await reachedIds(reach, readIds(body.ids), datasets.findMany);
        await datasets.remove(reach.workspace.id, wanted, clock.now());
        return undefined;
      },
      async listDatasetVersions({ query, dataset: { workspaceId, id } }) {
        const page = readPage(query);
        const { total, content } = await datasetItems.listVersions(workspaceId, id, page);
        return { ...page, total, content: content.map(showVersion) };
      },
      async retrieveDatasetVersion({ body, dataset: { workspaceId, id } }) {
        const number = numberIn(body.version_name);
        if (number === undefined)
          throw new Failure('unprocessable', 'version_name must be a v and a number, as v3');
        const found = await datasetItems.findVersion(workspaceId, id, { number });
        if (found === undefined) throw absentVersion(body.version_name);
        return showVersion(found);
      },
      showDatasetVersion: async ({ params, dataset }) =>
        showVersion(await byHash(dataset, params.versionHash)),
      async restoreDatasetVersion({ body, dataset, caller }) {
        const { workspaceId, id } = dataset;
        const { number } = await requireVersion(dataset, body.version_ref);
        const restored = await datasetItems.restore({
          workspaceId,
          datasetId: id,
          number,
          versionId: ids.next(),
          changeDescription: `Restored from version: ${body.version_ref}`,
          touch: touchedBy(clock, caller),
        });
        if (restored === undefined) throw absentVersion(body.version_ref);
        return showVersion(restored);
      },
      async compareDatasetVersions({ query, dataset }) {
        const { workspaceId, id } = dataset;
        const to = await requireVersion(dataset, query.to ?? 'latest');
        const from =
          query.from === undefined
            ? await versionBefore(dataset, to)
            : await requireVersion(dataset, query.from);
        const found = await datasetItems.compare(workspaceId, id, from.number, to.number);
        return {
          from_version: from.hash,
          to_version: to.hash,
          statistics: {
            itemsAdded: found.added,
            itemsModified: found.modified,
            itemsDeleted: found.deleted,
            itemsUnchanged: found.unchanged,
          },
        };
      },
      async updateDatasetVersion({ params, body, dataset, caller }) {
        const { workspaceId, id } = dataset;
        const tags = readVersionTags(body.tags_to_add ?? []);
        const { number } = await untagged(dataset, params.versionHash, tags);
        await storage.transaction(async (stores) => {
          await stores.datasetItems.tagVersion(workspaceId, id, number, tags);
          await stores.datasetItems.describeVersion(workspaceId, id, number, {
            ...given({ changeDescription: body.change_description }),
            ...touchedBy(clock, caller),
          });
        });
        return showVersion(await byHash(dataset, params.versionHash));
      },
      async tagDatasetVersion({ params, body, dataset }) {
        const tags = readVersionTags([body.tag]);
        const { number } = await untagged(dataset, params.versionHash, tags);
        await datasetItems.tagVersion(dataset.workspaceId, dataset.id, number, tags);
        return undefined;
      },
      async untagDatasetVersion({ params, dataset }) {
        readVersionTags([params.tag]);
        const { number } = await byHash(dataset, params.versionHash);
        await datasetItems.untagVersion(dataset.workspaceId, dataset.id, number, params.tag);
        return undefined;
      },
    };
  },
});
