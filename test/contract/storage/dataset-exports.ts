import { expect } from 'chai';
import type { DatasetExport } from '#ports/model/dataset-exports';
import type { Dataset } from '#ports/model/datasets';
import type { Storage } from '#ports/storage/storage';
import { freshId, start } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn } from './environments.js';

export const anExport = (
  { workspaceId, id: datasetId }: Pick<Dataset, 'workspaceId' | 'id'>,
  given: Partial<DatasetExport> = {},
): DatasetExport => ({
  workspaceId,
  id: freshId(),
  datasetId,
  version: 1,
  expiresAt: start + 1000,
  viewedAt: undefined,
  ...byAnn,
  ...given,
});

/** What every store of exports of datasets keeps to. */
export const datasetExportContract = (storage: () => Storage): void => {
  const exports = () => storage().stores.datasetExports;

  it('returns what was stored with its dataset, in its workspace alone, until that is deleted', async () => {
    const dataset = await addDataset(storage(), { projectId: freshId() });
    const made = anExport(dataset);
    await exports().insert(made);

    expect(await exports().find(made.workspaceId, made.id)).to.deep.equal({
      ...made,
      datasetName: dataset.name,
      projectId: dataset.projectId,
    });
    expect(await exports().find(freshId(), made.id)).to.equal(undefined);
    expect(await exports().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    await storage().stores.datasets.remove(made.workspaceId, [dataset.id], start);
    expect(await exports().find(made.workspaceId, made.id)).to.equal(undefined);
  });

  it('lists those that have not expired, the newest first, and forgets the others', async () => {
    const dataset = await addDataset(storage(), { projectId: freshId() });
    const { workspaceId, projectId } = dataset;
    const elsewhere = await addDataset(storage(), { workspaceId });
    const first = anExport(dataset);
    const second = anExport(elsewhere, { expiresAt: start + 2000 });
    for (const made of [first, second, anExport(await addDataset(storage()))])
      await exports().insert(made);
    const list = async (now: number, more = {}) =>
      (await exports().list({ workspaceId, now, limit: 10, ...more })).map(({ id }) => id);

    expect(await list(start)).to.deep.equal([second.id, first.id]);
    expect(await list(start, { limit: 1 })).to.deep.equal([second.id]);
    expect(await list(start, { projectId })).to.deep.equal([first.id]);
    expect(await list(start + 1000)).to.deep.equal([second.id]);
    await exports().insert(
      anExport(elsewhere, { createdAt: (start + 1500) * 1000, expiresAt: start + 9000 }),
    );
    expect(await exports().find(workspaceId, first.id)).to.equal(undefined);
    expect(await exports().find(workspaceId, second.id)).to.include({ id: second.id });
  });

  it('remembers when one was first looked at, and says whether it was there', async () => {
    const made = anExport(await addDataset(storage()));
    const { workspaceId, id } = made;
    await exports().insert(made);

    expect([
      await exports().markViewed(workspaceId, id, 7),
      await exports().markViewed(workspaceId, id, 8),
      await exports().markViewed(freshId(), id, 9),
      await exports().markViewed(workspaceId, 'no-such-id', 9),
    ]).to.deep.equal([true, true, false, false]);
    expect((await exports().find(workspaceId, id))?.viewedAt).to.equal(7);
  });
};
