import { expect } from 'chai';
import type { ModelStatus } from '#ports/model/registry';
import type { NewRequest } from '#ports/storage/approvals';
import type { Storage } from '#ports/storage/storage';
import { addUser, freshId, start } from './builders.js';
import { addModel, addVersion } from './registry-builders.js';

/** What every store of statuses and requests keeps to. */
export const approvalContract = (storage: () => Storage): void => {
  const approvals = () => storage().stores.approvals;
  const status = (name: string, given: Partial<ModelStatus> = {}): ModelStatus => ({
    name,
    colour: '#000',
    requiresApproval: false,
    exclusive: false,
    ...given,
  });
  const addRequest = async (given: Partial<NewRequest> = {}) => {
    const model = given.modelId === undefined ? await addModel(storage()) : undefined;
    const version = model === undefined ? undefined : await addVersion(storage(), model);
    const request: NewRequest = {
      id: freshId(),
      workspaceId: model?.workspaceId ?? '',
      modelId: model?.id ?? '',
      versionId: version?.id ?? '',
      status: 'Production',
      from: 'None',
      comment: undefined,
      userId: given.userId ?? (await addUser(storage())).id,
      createdAt: start,
      ...given,
    };
    await approvals().insertRequest(request);
    return request;
  };

  it('keeps the statuses in their order, and replaces them as a whole', async () => {
    const first = [
      status('b', { requiresApproval: true }),
      status('a', { exclusive: true, colour: 'é' }),
      status('A'),
    ];
    await approvals().replaceStatuses(first);
    expect(await approvals().listStatuses()).to.deep.equal(first);

    await approvals().replaceStatuses([status('a')]);
    expect(await approvals().listStatuses()).to.deep.equal([status('a')]);
    await approvals().replaceStatuses([]);
    expect(await approvals().listStatuses()).to.deep.equal([]);
  });

  it('gives back a request as it was filed, with the names of what it is about', async () => {
    const user = await addUser(storage());
    const model = await addModel(storage(), { name: 'M' });
    const version = await addVersion(storage(), model, { version: '3.2.1' });
    const made = await addRequest({
      workspaceId: model.workspaceId,
      modelId: model.id,
      versionId: version.id,
      userId: user.id,
      comment: 'é',
    });

    expect(await approvals().findRequest(made.id)).to.deep.equal({
      ...made,
      modelName: 'M',
      version: '3.2.1',
      state: 'PENDING',
      userName: user.name,
      approvedBy: [],
      decidedBy: undefined,
      decidedAt: undefined,
      decision: undefined,
    });
    expect([
      await approvals().findRequest('x'),
      await approvals().findRequest(freshId()),
    ]).to.deep.equal([undefined, undefined]);
  });

  it('lets one of several who decide a request do so', async () => {
    const { id } = await addRequest();
    expect(await approvals().decide(id, { state: 'PENDING', approvedBy: ['ann'] })).to.equal(true);

    const done = await Promise.all([
      approvals().decide(id, {
        state: 'APPROVED',
        decidedBy: 'bob',
        decidedAt: start + 1,
        decision: 'c',
      }),
      approvals().decide(id, {
        state: 'APPROVED',
        decidedBy: 'bob',
        decidedAt: start + 1,
        decision: 'c',
      }),
    ]);

    expect(done.filter(Boolean)).to.have.length(1);
    const found = await approvals().findRequest(id);
    expect([
      found?.state,
      found?.approvedBy,
      found?.decidedBy,
      found?.decidedAt,
      found?.decision,
    ]).to.deep.equal(['APPROVED', ['ann'], 'bob', start + 1, 'c']);
  });

  it('lists the pending requests of versions in the order they were filed', async () => {
    const first = await addRequest();
    const second = await addRequest({
      workspaceId: first.workspaceId,
      modelId: first.modelId,
      versionId: first.versionId,
    });
    const [closed, elsewhere] = [
      await addRequest({
        workspaceId: first.workspaceId,
        modelId: first.modelId,
        versionId: first.versionId,
      }),
      await addRequest(),
    ];
    await approvals().decide(closed.id, { state: 'CANCELLED' });

    expect((await approvals().listPending([first.versionId])).map(({ id }) => id)).to.deep.equal([
      first.id,
      second.id,
    ]);
    expect(
      (await approvals().listPending([first.versionId, elsewhere.versionId])).map(({ id }) => id),
    ).to.deep.equal([first.id, second.id, elsewhere.id]);
    expect(await approvals().listPending([])).to.deep.equal([]);
  });

  it('pages the requests of a workspace, newest first, of one model and one state', async () => {
    const first = await addRequest({ createdAt: start + 1 });
    const inSame = {
      workspaceId: first.workspaceId,
      modelId: first.modelId,
      versionId: first.versionId,
    };
    const [older, newer] = [
      await addRequest({ ...inSame, createdAt: start }),
      await addRequest({ ...inSame, createdAt: start + 2 }),
    ];
    const other = await addModel(storage(), { workspaceId: first.workspaceId });
    const elsewhere = await addRequest({
      workspaceId: first.workspaceId,
      modelId: other.id,
      versionId: (await addVersion(storage(), other)).id,
      createdAt: start - 1,
    });
    await addRequest();
    await approvals().decide(newer.id, { state: 'REJECTED' });
    const list = async (
      more: { readonly modelId?: string; readonly state?: 'PENDING' | 'REJECTED' },
      offset = 0,
      limit = 10,
    ) => {
      const { total, requests } = await approvals().listRequests({
        workspaceId: first.workspaceId,
        offset,
        limit,
        ...more,
      });
      return [total, ...requests.map(({ id }) => id)];
    };

    expect(await list({})).to.deep.equal([4, newer.id, first.id, older.id, elsewhere.id]);
    expect(await list({}, 1, 2)).to.deep.equal([4, first.id, older.id]);
    expect(await list({ modelId: other.id })).to.deep.equal([1, elsewhere.id]);
    expect(await list({ state: 'REJECTED' })).to.deep.equal([1, newer.id]);
  });

  it('hides requests about what was deleted', async () => {
    const [first, second] = [await addRequest(), await addRequest()];

    await storage().stores.modelVersions.markVersionDeleted(first.versionId, start);
    await storage().stores.registry.markModelDeleted(second.modelId, start);

    for (const { id, versionId, workspaceId } of [first, second]) {
      expect([
        await approvals().findRequest(id),
        await approvals().listPending([versionId]),
        (await approvals().listRequests({ workspaceId, offset: 0, limit: 10 })).total,
      ]).to.deep.equal([undefined, [], 0]);
    }
  });

  it('lets pending requests expire that were filed before a time', async () => {
    const [old, decided, young] = [
      await addRequest({ createdAt: 10 }),
      await addRequest({ createdAt: 10 }),
      await addRequest({ createdAt: 30 }),
    ];
    await approvals().decide(decided.id, { state: 'REJECTED' });

    expect(await approvals().expire(20, start)).to.equal(1);

    expect(
      await Promise.all(
        [old, decided, young].map(async ({ id }) => (await approvals().findRequest(id))?.state),
      ),
    ).to.deep.equal(['EXPIRED', 'REJECTED', 'PENDING']);
    expect([
      (await approvals().findRequest(old.id))?.decidedAt,
      await approvals().expire(20, start),
    ]).to.deep.equal([start, 0]);
    await approvals().decide(young.id, { state: 'CANCELLED' });
  });
};
