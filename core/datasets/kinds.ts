import { defineKind } from '#ports/api/kind-definition';
import { copiedDataset, dataset } from '#ports/model/datasets';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { recordRules } from '../private-wire/records.js';

const datasetKindOf = (kind: typeof dataset | typeof copiedDataset) =>
  defineKind(kind, {
    needs: { storage: storageOf('datasets', 'projects', 'workspaces'), places: PlaceFinder },
    rules: ({ storage: { stores }, places }) =>
      recordRules({ stores, places }, 'dataset', stores.datasets.find),
  });

export const datasetKinds = [datasetKindOf(dataset), datasetKindOf(copiedDataset)];
