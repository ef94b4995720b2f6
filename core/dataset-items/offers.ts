// What other areas do with items of datasets.
import type { DatasetItem } from '#ports/model/datasets';

export { columnsOf, readItem, type SentItem } from './reading.js';

/** Items as they were read, but that who made one that is there stays. */
export const keepMakers = (
  items: readonly DatasetItem[],
  datasetId: string,
  stored: ReadonlyMap<string, DatasetItem>,
): readonly DatasetItem[] =>
  items.map((item) => {
    const { createdAt, createdBy } = stored.get(item.id) ?? item;
    return { ...item, datasetId, createdAt, createdBy };
  });
