import { expect } from 'chai';
import type { ChartDashboard } from '#ports/model/dashboards';
import type { DashboardListing } from '#ports/storage/dashboards';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection } from './builders.js';
import { byAnn, byBob } from './environments.js';

export const aDashboard = (given: Partial<ChartDashboard> = {}): ChartDashboard => ({
  workspaceId: freshId(),
  id: freshId(),
  projectId: undefined,
  scope: 'workspace',
  name: freshName('Dashboard'),
  slug: freshName('dashboard'),
  type: 'multi_project',
  description: undefined,
  config: '{}',
  ...byAnn,
  ...given,
});

/** What every store of dashboards keeps to. */
export const dashboardContract = (storage: () => Storage): void => {
  const dashboards = () => storage().stores.dashboards;
  const add = (given: Partial<ChartDashboard> = {}): Promise<ChartDashboard> =>
    dashboards().insert(aDashboard(given));

  it('returns what was stored, in its workspace and scope alone', async () => {
    const sent = aDashboard({
      projectId: freshId(),
      name: ' näme \u{1f600} ',
      description: 'd',
      config: '{"z":1.50,"a":[12345678901234567890]}',
      type: 'experiments',
    });
    const made = await dashboards().insert(sent);
    const { workspaceId, id } = made;

    expect(made).to.deep.equal(sent);
    expect(await dashboards().find(workspaceId, 'workspace', id)).to.deep.equal(sent);
    expect(await dashboards().find(workspaceId, 'insights', id)).to.equal(undefined);
    expect(await dashboards().find(freshId(), 'workspace', id)).to.equal(undefined);
    expect(await dashboards().find(workspaceId, 'workspace', 'no-such-id')).to.equal(undefined);
  });

  it('refuses a name that its project, or the workspace, has in that scope, and a taken id', async () => {
    const made = await add();
    const { workspaceId, id, name } = made;
    const projectId = freshId();
    const other = await add({ workspaceId });

    for (const taken of [{ name }, { id }])
      expect(await rejection(add({ workspaceId, ...taken }))).to.include({ kind: 'conflict' });
    expect(
      await rejection(dashboards().update(workspaceId, 'workspace', other.id, { name, ...byBob })),
    ).to.include({ kind: 'conflict' });
    await add({ workspaceId, name, projectId });
    await add({ workspaceId, name, scope: 'insights' });
    await add({ name });
    await add({ workspaceId, name: name.toUpperCase() });
    expect(await rejection(add({ workspaceId, name, projectId }))).to.include({ kind: 'conflict' });
  });

  it('numbers slugs that come to the same, also when many are made at once', async () => {
    const workspaceId = freshId();
    const slug = (given: Partial<ChartDashboard>) =>
      add({ workspaceId, ...given }).then((made) => made.slug);

    expect(await slug({ slug: 'a-2' })).to.equal('a-2');
    expect(await slug({ slug: 'a' })).to.equal('a');
    expect(await slug({ slug: 'a' })).to.equal('a-3');
    const many = await Promise.all(Array.from({ length: 5 }, () => slug({ slug: 'b' })));
    expect(many.sort()).to.deep.equal(['b', 'b-2', 'b-3', 'b-4', 'b-5']);
    expect((await add({ slug: 'a' })).slug).to.equal('a');
    const name = freshName();
    const results = await Promise.allSettled([slug({ name }), slug({ name }), slug({ name })]);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });

  it('lists those of a scope that are asked for, page by page', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const [a, b, c] = [
      await add({ workspaceId, name: 'Alpha' }),
      await add({ workspaceId, name: 'beta', projectId, type: 'experiments' }),
      await add({ workspaceId, name: 'Gamma', createdBy: 'bob', createdAt: byAnn.createdAt + 5 }),
    ];
    await add({ workspaceId, scope: 'insights' });
    await add();
    const list = async (listing: Partial<DashboardListing> = {}) => {
      const { total, content } = await dashboards().list({
        ...{ workspaceId, scope: 'workspace', filters: [], orders: [], offset: 0, limit: 10 },
        ...listing,
      });
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await list()).to.deep.equal([3, c.id, b.id, a.id]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, b.id]);
    expect(await list({ offset: 5 })).to.deep.equal([3]);
    expect(await list({ projectId })).to.deep.equal([1, b.id]);
    expect(await list({ name: 'A' })).to.deep.equal([3, c.id, b.id, a.id]);
    expect(await list({ name: 'LPH' })).to.deep.equal([1, a.id]);
    expect(await list({ orders: [{ field: 'type', descending: false }] })).to.deep.equal([
      3,
      b.id,
      c.id,
      a.id,
    ]);
    expect(
      await list({
        filters: [{ field: 'type', is: 'words', operator: 'in', value: ['experiments'] }],
      }),
    ).to.deep.equal([1, b.id]);
    expect(
      await list({
        filters: [
          { field: 'created_by', is: 'text', operator: 'equals', value: 'BOB' },
          { field: 'created_at', is: 'instant', operator: 'above', value: byAnn.createdAt },
          { field: 'scope', is: 'words', operator: 'in', value: ['workspace'] },
        ],
      }),
    ).to.deep.equal([1, c.id]);
    expect(
      (
        await dashboards().list({
          ...{ workspaceId, scope: 'workspace', filters: [], orders: [], offset: 2, limit: 1 },
        })
      ).content,
    ).to.deep.equal([a]);
  });

  it('changes what is given alone; another name has another slug', async () => {
    const made = await add({ description: 'first' });
    const { workspaceId, id } = made;
    const slug = freshName('new');
    const change = { config: '{"sections":[]}', type: 'experiments' as const, ...byBob };

    expect(await dashboards().update(workspaceId, 'workspace', id, change)).to.deep.equal({
      ...made,
      ...change,
    });
    const renamed = { name: 'New', slug, ...byBob };
    expect(await dashboards().update(workspaceId, 'workspace', id, renamed)).to.deep.equal({
      ...made,
      ...change,
      ...renamed,
    });
    expect(await dashboards().update(workspaceId, 'workspace', id, renamed)).to.deep.include({
      slug,
    });
    expect(await dashboards().find(workspaceId, 'workspace', id)).to.deep.include(renamed);
    for (const [where, scope, what] of [
      [freshId(), 'workspace', id],
      [workspaceId, 'insights', id],
      [workspaceId, 'workspace', freshId()],
      [workspaceId, 'workspace', 'no-such-id'],
    ] as const)
      expect(await dashboards().update(where, scope, what, change)).to.equal(undefined);
    await add({ workspaceId, name: made.name });
  });

  it('removes those that are there, of one workspace and scope alone', async () => {
    const made = await add();
    const { workspaceId, id } = made;
    const [other, kept, view] = [
      await add({ id }),
      await add({ workspaceId }),
      await add({ workspaceId, scope: 'insights' }),
    ];

    await dashboards().remove(workspaceId, 'workspace', [id, view.id, freshId(), 'no-such-id']);

    expect(await dashboards().find(workspaceId, 'workspace', id)).to.equal(undefined);
    for (const one of [other, kept, view])
      expect(await dashboards().find(one.workspaceId, one.scope, one.id)).to.deep.equal(one);
  });
};
