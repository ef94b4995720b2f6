// Finding and making datasets by their name, for everything that names one.
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Dataset, DatasetVersion } from '#ports/model/datasets';
import type { Caller } from '#ports/model/identity';
import type { Stores } from '#ports/storage/storage';
import { madeBy } from '../private-wire/authorship.js';

/** The version that a hash or a tag names. */
export const findVersionByRef = async (
  { datasetItems }: Pick<Stores, 'datasetItems'>,
  { workspaceId, id }: Pick<Dataset, 'workspaceId' | 'id'>,
  ref: string,
): Promise<DatasetVersion | undefined> =>
  ref === 'latest'
    ? datasetItems.findVersion(workspaceId, id, 'newest')
    : ((await datasetItems.findVersion(workspaceId, id, { hash: ref })) ??
      datasetItems.findVersion(workspaceId, id, { tag: ref }));

/** The dataset of a name in a project or of the workspace, made where there is none. */
export const requireDataset = async (
  { datasets }: Pick<Stores, 'datasets'>,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  wanted: Pick<Dataset, 'workspaceId' | 'projectId' | 'name'> & { readonly caller: Caller },
): Promise<Dataset> => {
  const { workspaceId, projectId, name, caller } = wanted;
  const find = () => datasets.findByName(workspaceId, projectId, name);
  const found = await find();
  if (found !== undefined) return found;
  const made = {
    workspaceId,
    id: ids.next(),
    projectId,
    name,
    type: 'dataset' as const,
    visibility: 'private' as const,
    tags: undefined,
    description: undefined,
    ...madeBy(clock, caller),
  };
  try {
    await datasets.insert(made);
    return { ...made, newest: 0 };
  } catch (refusal) {
    // Another request made it a moment ago.
    const other = isFailure(refusal) && refusal.kind === 'conflict' ? await find() : undefined;
    if (other === undefined) throw refusal;
    return other;
  }
};
