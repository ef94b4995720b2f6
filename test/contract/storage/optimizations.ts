import { expect } from 'chai';
import type { Optimization } from '#ports/model/optimizations';
import type { OptimizationListing } from '#ports/storage/optimizations';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn, byBob } from './environments.js';

/** What every store of optimizations keeps to. */
export const optimizationContract = (storage: () => Storage): void => {
  const optimizations = () => storage().stores.optimizations;
  const put = async (given: Partial<Optimization> = {}): Promise<Optimization> => {
    const made: Optimization = {
      workspaceId: freshId(),
      id: freshId(),
      projectId: undefined,
      datasetId: freshId(),
      name: undefined,
      objectiveName: 'accuracy',
      status: 'running',
      metadata: undefined,
      studioConfig: undefined,
      errorInfo: undefined,
      ...byAnn,
      ...given,
    };
    await optimizations().put(made);
    return made;
  };

  it('returns what was stored last, in its workspace alone; who made it stays', async () => {
    const made = await put({
      projectId: freshId(),
      name: ' näme \u{1f600} ',
      metadata: '{"z":1}',
      studioConfig: '{}',
      errorInfo: '{"exception_type":"E","traceback":"t"}',
    });
    const other = await put({ id: made.id });
    expect(await optimizations().find(made.workspaceId, made.id)).to.deep.equal(made);
    const again = { ...made, name: 'new', status: 'error' as const, ...byBob };
    await put({ ...again, createdBy: 'bob', createdAt: 1 });

    expect(await optimizations().find(made.workspaceId, made.id)).to.deep.equal(again);
    expect(await optimizations().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await optimizations().find(freshId(), made.id)).to.equal(undefined);
    expect(await optimizations().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
  });

  it('lists those that are asked for, page by page', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const dataset = await addDataset(storage(), { workspaceId, name: freshName('Dataset') });
    const [a, b] = [
      await put({ workspaceId, datasetId: dataset.id, name: 'Alpha' }),
      await put({ workspaceId, projectId, status: 'completed', metadata: '{"k":"v"}' }),
    ];
    await put();
    const list = async (listing: Partial<OptimizationListing> = {}) => {
      const { total, content } = await optimizations().list({
        workspaceId,
        filters: [],
        offset: 0,
        limit: 10,
        ...listing,
      });
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await list()).to.deep.equal([2, b.id, a.id]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([2, a.id]);
    expect(await list({ projectId })).to.deep.equal([1, b.id]);
    expect(await list({ datasetId: dataset.id })).to.deep.equal([1, a.id]);
    expect(await list({ name: 'ALPH' })).to.deep.equal([1, a.id]);
    expect(await list({ datasetName: dataset.name.toLowerCase() })).to.deep.equal([1, a.id]);
    expect(await list({ datasetDeleted: true })).to.deep.equal([1, b.id]);
    expect(
      await list({
        filters: [{ field: 'status', is: 'words', operator: 'in', value: ['completed'] }],
      }),
    ).to.deep.equal([1, b.id]);
    expect(
      await list({
        filters: [{ field: 'metadata', path: ['k'], is: 'text', operator: 'equals', value: 'v' }],
      }),
    ).to.deep.equal([1, b.id]);
  });

  it('changes what is given alone, and removes those that are there', async () => {
    const made = await put();
    const other = await put({ id: made.id });
    const { workspaceId, id } = made;
    const change = {
      ...{ status: 'cancelled' as const, metadata: '{"k":2}', errorInfo: '{"e":1}' },
      ...byBob,
    };

    expect([
      await optimizations().update(workspaceId, id, change),
      await optimizations().update(workspaceId, id, change),
      await optimizations().update(freshId(), id, change),
      await optimizations().update(workspaceId, 'no-such-id', change),
    ]).to.deep.equal([true, true, false, false]);
    expect(await optimizations().find(workspaceId, id)).to.deep.equal({ ...made, ...change });
    await optimizations().remove(workspaceId, [id, freshId(), 'no-such-id']);
    expect(await optimizations().find(workspaceId, id)).to.equal(undefined);
    expect(await optimizations().find(other.workspaceId, id)).to.deep.equal(other);
  });
};
