import { expect } from 'chai';
import type { Alert } from '#ports/model/alerts';
import { mostAlerts, type AlertListing } from '#ports/storage/alerts';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, freshName, rejection, start } from './builders.js';
import { byAnn, byBob } from './environments.js';

export const anAlert = (given: Partial<Alert> = {}): Alert => ({
  workspaceId: freshId(),
  id: freshId(),
  projectId: undefined,
  name: freshName('Alert'),
  enabled: true,
  type: 'general',
  metadata: undefined,
  webhook: {
    id: freshId(),
    url: 'https://hooks.example/alert',
    sealedToken: undefined,
    maskedToken: undefined,
    sealedHeaders: undefined,
  },
  triggers: [],
  ...byAnn,
  ...given,
});

/** What every store of alerts keeps to. */
export const alertContract = (storage: () => Storage): void => {
  const alerts = () => storage().stores.alerts;
  const add = async (given: Partial<Alert> = {}): Promise<Alert> => {
    const made = anAlert(given);
    await alerts().insert(made);
    return made;
  };

  it('returns what was stored, in its workspace alone', async () => {
    const made = await add({
      projectId: freshId(),
      name: ' näme \u{1f600} ',
      enabled: false,
      type: 'slack',
      metadata: { base_url: 'https://ui.example' },
      webhook: {
        id: freshId(),
        url: 'https://hooks.example/1',
        sealedToken: 'sealed',
        maskedToken: '…cret',
        sealedHeaders: { 'X-A': 'sealed too' },
      },
      triggers: [
        {
          id: freshId(),
          eventType: 'trace:cost',
          configs: [
            {
              id: freshId(),
              type: 'threshold:cost',
              value: { threshold: '1.5', window: '60' },
              group: 2,
            },
          ],
        },
      ],
    });
    const other = await add({ id: made.id });

    expect(await alerts().find(made.workspaceId, made.id)).to.deep.equal(made);
    expect(await alerts().find(other.workspaceId, made.id)).to.deep.equal(other);
    expect(await alerts().find(freshId(), made.id)).to.equal(undefined);
    expect(await alerts().find(made.workspaceId, 'no-such-id')).to.equal(undefined);
    const second = await add({ workspaceId: made.workspaceId });
    expect(
      await alerts().findMany(made.workspaceId, [second.id, freshId(), 'no-such-id', made.id]),
    ).to.deep.equal([made, second]);
    expect(await alerts().findMany(made.workspaceId, [])).to.deep.equal([]);
  });

  it('refuses a taken id, also when it is taken at once, and more than a workspace may have', async function () {
    this.timeout(60_000); // so many are made one after the other
    const { workspaceId, id } = await add();

    expect(await rejection(add({ workspaceId, id }))).to.include({ kind: 'conflict' });
    const again = { workspaceId, id: freshId() };
    const results = await Promise.allSettled([add(again), add(again), add(again)]);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const { workspaceId: full } = await addProject(storage());
    const addMany = (length: number) => Array.from({ length }, () => add({ workspaceId: full }));
    for (let at = 0; at < mostAlerts - 10; at += 10) await Promise.all(addMany(10));
    await Promise.all(addMany(7));
    const last = await Promise.allSettled(addMany(8));
    expect(last.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
    expect(await rejection(add({ workspaceId: full }))).to.include({ kind: 'conflict' });
  });

  it('lists those that are asked for, page by page', async () => {
    const [workspaceId, projectId] = [freshId(), freshId()];
    const at = (url: string) => ({ ...anAlert().webhook, url });
    const [a, b, c] = [
      await add({ workspaceId, name: 'Alpha', webhook: at('https://c.example') }),
      await add({
        workspaceId,
        name: 'beta',
        projectId,
        type: 'slack',
        webhook: at('https://a.example'),
      }),
      await add({
        workspaceId,
        name: 'Gamma',
        createdBy: 'bob',
        createdAt: byAnn.createdAt + 5,
        webhook: at('https://b.example'),
      }),
    ];
    await add();
    const list = async (listing: Partial<AlertListing> = {}) => {
      const { total, content } = await alerts().list({
        ...{ workspaceId, filters: [], orders: [], offset: 0, limit: 10 },
        ...listing,
      });
      return [total, ...content.map(({ id }) => id)];
    };

    expect(await list()).to.deep.equal([3, c.id, b.id, a.id]);
    expect(await list({ offset: 1, limit: 1 })).to.deep.equal([3, b.id]);
    expect(await list({ offset: 5 })).to.deep.equal([3]);
    expect(await list({ projectId })).to.deep.equal([1, b.id]);
    expect(await list({ orders: [{ field: 'webhook_url', descending: false }] })).to.deep.equal([
      3,
      b.id,
      c.id,
      a.id,
    ]);
    expect(await list({ orders: [{ field: 'created_by', descending: false }] })).to.deep.equal([
      3,
      b.id,
      a.id,
      c.id,
    ]);
    expect(
      await list({
        filters: [{ field: 'alert_type', is: 'words', operator: 'in', value: ['slack'] }],
      }),
    ).to.deep.equal([1, b.id]);
    expect(
      await list({
        filters: [
          { field: 'created_by', is: 'text', operator: 'equals', value: 'BOB' },
          { field: 'created_at', is: 'instant', operator: 'above', value: byAnn.createdAt },
          { field: 'webhook_url', is: 'text', operator: 'contains', value: 'B.EX' },
        ],
      }),
    ).to.deep.equal([1, c.id]);
    const { content } = await alerts().list({
      ...{ workspaceId, filters: [], orders: [], offset: 2, limit: 1 },
    });
    expect(content).to.deep.equal([a]);
  });

  it('replaces all but who made it and when, each replacement seeing the one before', async () => {
    const made = await add({ metadata: { n: '0' }, projectId: freshId() });
    const { workspaceId, id, createdAt, createdBy } = made;
    const next = anAlert({ ...byBob, createdBy: 'bob', createdAt: 5, name: 'New' });

    expect(
      await alerts().replace(workspaceId, id, (stored) => {
        expect(stored).to.deep.equal(made);
        return next;
      }),
    ).to.equal(true);
    expect(await alerts().find(workspaceId, id)).to.deep.equal({
      ...{ ...next, workspaceId, id, createdAt, createdBy },
    });
    await Promise.all(
      Array.from({ length: 5 }, () =>
        alerts().replace(workspaceId, id, (stored) => ({
          ...stored,
          metadata: { n: String(Number(stored.metadata?.['n'] ?? 0) + 1) },
        })),
      ),
    );
    expect((await alerts().find(workspaceId, id))?.metadata).to.deep.equal({ n: '5' });
    for (const [where, what] of [
      [freshId(), id],
      [workspaceId, freshId()],
      [workspaceId, 'no-such-id'],
    ] as const)
      expect(await alerts().replace(where, what, () => next)).to.equal(false);
  });

  it('finds none of a deleted project', async () => {
    const project = await addProject(storage());
    const { workspaceId } = project;
    const [made, kept] = [
      await add({ workspaceId, projectId: project.id }),
      await add({ workspaceId }),
    ];
    const list = () =>
      alerts().list({ ...{ workspaceId, filters: [], orders: [] }, offset: 0, limit: 10 });
    expect((await list()).total).to.equal(2);

    await storage().stores.projects.markDeleted(project.id, start);

    expect(await alerts().find(workspaceId, made.id)).to.equal(undefined);
    expect(await alerts().findMany(workspaceId, [made.id, kept.id])).to.deep.equal([kept]);
    expect(await list()).to.deep.equal({ total: 1, content: [kept] });
  });

  it('lists those that are enabled, and the workspaces that have some', async () => {
    const made = await add();
    const { workspaceId } = made;
    await add({ workspaceId, enabled: false });
    const second = await add({ workspaceId });
    const { workspaceId: silent } = await add({ enabled: false });

    const both = await alerts().listEnabled(workspaceId);
    expect(both).to.have.length(2);
    expect(both).to.deep.include.members([made, second]);
    expect(await alerts().listEnabled(silent)).to.deep.equal([]);
    const all = await alerts().listWorkspaces(undefined, 1_000_000);
    expect(all.filter((id) => id === workspaceId || id === silent)).to.deep.equal([workspaceId]);
    const [next] = await alerts().listWorkspaces(all[0], 1);
    expect(next).to.equal(all[1]);
  });

  it('removes those that are there, of one workspace alone', async () => {
    const made = await add();
    const { workspaceId, id } = made;
    const [other, kept] = [await add({ id }), await add({ workspaceId })];

    await alerts().remove(workspaceId, [id, freshId(), 'no-such-id']);
    await alerts().remove(workspaceId, []);

    expect(await alerts().find(workspaceId, id)).to.equal(undefined);
    for (const one of [other, kept])
      expect(await alerts().find(one.workspaceId, one.id)).to.deep.equal(one);
  });
};
