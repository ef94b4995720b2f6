import { defineKind, type Asking } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import { datasetItem, type PlacedItem } from '#ports/model/datasets';
import type { Project } from '#ports/model/projects';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { placeOfRecord } from '../private-wire/records.js';
import { checkReach, workspaceOfHeader } from '../private-wire/targets.js';
import { isUuid } from '../uuid.js';

/** An item lies where its dataset does. */
export const datasetItemKind = defineKind(datasetItem, {
  needs: {
    storage: storageOf('datasetItems', 'datasets', 'projects', 'workspaces'),
    places: PlaceFinder,
  },
  rules: ({ storage: { stores }, places }) => {
    /** Those of the workspace of the header, with where they lie: in as many questions for many as for one. */
    const findMany = async (
      texts: readonly string[],
      asking: Asking,
    ): Promise<ReadonlyMap<string, PlacedItem>> => {
      const workspace = await workspaceOfHeader({ stores, places }, asking);
      const wanted = new Map(texts.filter(isUuid).map((text) => [text.toLowerCase(), text]));
      const items = await stores.datasetItems.findMany(workspace.id, [...wanted.keys()]);
      const datasetIds = [...new Set(items.map(({ datasetId }) => datasetId))];
      const datasets = new Map(
        (await stores.datasets.findMany(workspace.id, datasetIds)).map((one) => [one.id, one]),
      );
      const projects = new Map<string, Project | undefined>();
      for (const { projectId } of datasets.values())
        if (projectId !== undefined && !projects.has(projectId))
          projects.set(projectId, await stores.projects.findById(projectId));
      const found = items.flatMap((item): PlacedItem[] => {
        const dataset = datasets.get(item.datasetId);
        return dataset === undefined
          ? []
          : [{ ...item, dataset, project: projects.get(dataset.projectId ?? '') }];
      });
      const isPublic = found.some((one) => placeOfRecord(one.dataset, one.project).public === true);
      checkReach(asking.caller, workspace, { public: isPublic });
      return new Map(found.map((one) => [wanted.get(one.id) ?? one.id, one]));
    };
    return {
      find: async ({ text }, asking) => (await findMany([text], asking)).get(text),
      findMany,
      placeOf: ({ dataset, project }) => placeOfRecord(dataset, project),
      absent: (text) => new Failure('absent', `dataset item ${text.slice(0, 100)} not found`),
      forProjectKeys: async (_, { dataset }) => dataset.projectId !== undefined,
    };
  },
});
