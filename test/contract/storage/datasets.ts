import { expect } from 'chai';
import type { Dataset } from '#ports/model/datasets';
import type { DatasetListing } from '#ports/storage/datasets';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection, start } from './builders.js';
import { byAnn, byBob } from './environments.js';

export const aDataset = (given: Partial<Dataset> = {}): Dataset => ({
  workspaceId: freshId(),
  id: freshId(),
  projectId: undefined,
  name: freshName('dataset'),
  type: 'dataset',
  visibility: 'private',
  tags: undefined,
  description: undefined,
  newest: 0,
  ...byAnn,
  ...given,
});
export const addDataset = async (
  storage: Storage,
  given: Partial<Dataset> = {},
): Promise<Dataset> => {
  const made = aDataset(given);
  await storage.stores.datasets.insert(made);
  return made;
};

/** What every store of datasets keeps to. */
export const datasetContract = (storage: () => Storage): void => {
  const datasets = () => storage().stores.datasets;
  const add = (given: Partial<Dataset> = {}) => addDataset(storage(), given);
  const list = async (listing: Partial<DatasetListing> & Pick<DatasetListing, 'workspaceId'>) => {
    const { total, content } = await datasets().list({
      filters: [],
      orders: [],
      offset: 0,
      limit: 100,
      ...listing,
    });
    return { total, ids: content.map(({ id }) => id) };
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({
      projectId: freshId(),
      name: ' näme \u{1f600} ',
      type: 'evaluation_suite',
      visibility: 'public',
      tags: ['b', 'a"[,'],
      description: '',
    });
    const other = await add({ id: made.id });

    expect(await datasets().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await datasets().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await datasets().find(freshId(), made.id)).to.equal(undefined);
    expect(await datasets().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    expect(
      await datasets().findMany(made.workspaceId, [made.id, freshId(), 'no-such-id']),
    ).to.deep.equal([made]);
  });

  it('keeps names apart by project, and finds those of the workspace first', async () => {
    const [workspaceId, projectId, name] = [freshId(), freshId(), freshName('name')];
    const ofProject = await add({ workspaceId, projectId, name });
    expect(await datasets().findAnywhere(workspaceId, name)).to.deep.equal(ofProject);
    const ofWorkspace = await add({ workspaceId, name });

    expect(await datasets().findByName(workspaceId, projectId, name)).to.deep.equal(ofProject);
    expect(await datasets().findByName(workspaceId, undefined, name)).to.deep.equal(ofWorkspace);
    expect(await datasets().findAnywhere(workspaceId, name)).to.deep.equal(ofWorkspace);
    expect(await datasets().findByName(workspaceId, freshId(), name)).to.equal(undefined);
    expect(await datasets().findByName(workspaceId, undefined, `${name} `)).to.equal(undefined);
    for (const taken of [{ name }, { name, projectId }, { id: ofProject.id }])
      expect(await rejection(add({ workspaceId, ...taken }))).to.include({ kind: 'conflict' });
  });

  it('changes what is given alone, and says whether it was there', async () => {
    const made = await add({ description: 'first', tags: ['a'] });
    const { workspaceId, id } = made;
    const other = await add({ workspaceId });

    expect([
      await datasets().update(workspaceId, id, { name: 'new', tags: [], ...byBob }),
      await datasets().update(workspaceId, id, { name: 'new', tags: [], ...byBob }),
      await datasets().update(freshId(), id, { name: 'none', ...byBob }),
      await datasets().update(workspaceId, 'no-such-id', byBob),
    ]).to.deep.equal([true, true, false, false]);
    const changed = { ...made, name: 'new', tags: [], ...byBob };
    expect(await datasets().find(workspaceId, id)).to.deep.equal(changed);
    expect(await datasets().findByName(workspaceId, undefined, 'new')).to.deep.equal(changed);
    expect(await datasets().findByName(workspaceId, undefined, made.name)).to.equal(undefined);
    expect(
      await rejection(datasets().update(workspaceId, id, { name: other.name, ...byBob })),
    ).to.include({ kind: 'conflict' });
  });

  it('lists those of a workspace or project, by filters, in an order, page by page', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const [a, b, c] = [
      await add({ workspaceId, projectId, name: 'Alpha %_', tags: ['x', 'yy'] }),
      await add({ workspaceId, name: 'beta', createdAt: 5_000_000, description: 'B' }),
      await add({ workspaceId, name: 'alphabet', tags: ['y'] }),
    ];
    await add();
    const by = { workspaceId };

    expect(await list(by)).to.deep.equal({ total: 3, ids: [c.id, b.id, a.id] });
    expect(await list({ ...by, offset: 1, limit: 1 })).to.deep.equal({ total: 3, ids: [b.id] });
    expect(await list({ ...by, projectId })).to.deep.equal({ total: 1, ids: [a.id] });
    expect((await list({ ...by, name: 'ALPHA' })).ids).to.deep.equal([c.id, a.id]);
    expect((await list({ ...by, name: '%_' })).ids).to.deep.equal([a.id]);
    expect((await list({ ...by, orders: [{ field: 'name', descending: true }] })).ids[0]).to.equal(
      b.id,
    );
    expect(
      (await list({ ...by, orders: [{ field: 'created_at', descending: false }] })).ids,
    ).to.deep.equal([b.id, c.id, a.id]);
    const filtered = async (filter: DatasetListing['filters'][number]) =>
      (await list({ ...by, filters: [filter] })).ids;
    expect(
      await filtered({ field: 'tags', is: 'list', operator: 'equals', value: 'y' }),
    ).to.deep.equal([c.id]);
    expect(
      await filtered({ field: 'description', is: 'text', operator: 'equals', value: 'b' }),
    ).to.deep.equal([b.id]);
    expect(
      await filtered({ field: 'created_at', is: 'instant', operator: 'below', value: 6_000_000 }),
    ).to.deep.equal([b.id]);
    expect(
      await filtered({ field: 'id', is: 'text', operator: 'equals', value: a.id }),
    ).to.deep.equal([a.id]);
  });

  it('finds names whose letters are new in Unicode as they are written, and tells them apart', async () => {
    const workspaceId = freshId();
    const [a, b] = [
      await add({ workspaceId, name: 'ᎣᏏᏲ Ꟁ' }),
      await add({ workspaceId, name: 'ᎣᏏᏲ Ꟃ' }),
    ];

    expect((await list({ workspaceId, name: 'ᏏᏲ' })).ids).to.deep.equal([b.id, a.id]);
    for (const one of [a, b]) {
      expect((await list({ workspaceId, name: one.name })).ids).to.deep.equal([one.id]);
      expect((await datasets().findAnywhere(workspaceId, one.name))?.id).to.equal(one.id);
    }
  });

  it('removes those that are there, of one workspace alone, and frees their names', async () => {
    const made = await add();
    const { workspaceId, id, name } = made;
    const other = await add({ id });
    const kept = await add({ workspaceId });

    await datasets().remove(workspaceId, [id, freshId(), 'no-such-id', id], start);
    await datasets().remove(workspaceId, [id], start);

    expect(await datasets().find(workspaceId, id)).to.equal(undefined);
    expect(await datasets().find(workspaceId, kept.id)).to.deep.equal(kept);
    expect(await datasets().find(other.workspaceId, id)).to.deep.equal(other);
    await add({ workspaceId, name });
    expect(await rejection(add({ workspaceId, id }))).to.include({ kind: 'conflict' });
  });

  it('counts items, and nothing of what is not there', async () => {
    const { workspaceId, id } = await add();
    await storage().stores.datasetItems.change({
      workspaceId,
      datasetId: id,
      target: { into: 'newest' },
      ids: [],
      versionId: freshId(),
      touch: byBob,
      decide: () => ({
        put: [1, 2].map((n) => ({
          datasetId: id,
          id: freshId(),
          traceId: undefined,
          spanId: undefined,
          source: 'sdk',
          data: `{"n":${n}}`,
          description: undefined,
          tags: undefined,
          evaluators: undefined,
          executionPolicy: undefined,
          ...byAnn,
        })),
        removed: [],
        columns: [],
      }),
    });

    expect([
      ...(await datasets().figures(workspaceId, [id, freshId(), 'no-such-id'])),
    ]).to.deep.equal([
      [
        id,
        {
          items: 2,
          evaluations: 0,
          lastEvaluationAt: undefined,
          lastRegularEvaluationAt: undefined,
          optimizations: 0,
          lastOptimizationAt: undefined,
        },
      ],
    ]);
    expect((await datasets().figures(freshId(), [id])).size).to.equal(0);
  });
};
