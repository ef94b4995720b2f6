// What the registry tells others: each change in the transaction that makes it, in order, with all that a webhook sends.
import { expect } from 'chai';
import { systemIds } from '#adapters/system/ids';
import {
  approve,
  fileRequest,
  reject,
  requestStatus,
  type ApprovingNeeds,
} from '#core/registry/approving';
import { deleteModel, deleteVersion, editModel, editVersion } from '#core/registry/changing';
import { register, type Registration } from '#core/registry/registering';
import type { Experiment } from '#ports/model/experiments';
import type { Caller, Role } from '#ports/model/identity';
import type { RegisteredVersion } from '#ports/model/registry';
import type { Storage } from '#ports/storage/storage';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { addUser, rejection } from '#test/contract/storage/builders';
import { addSource } from '#test/contract/storage/registry-builders';
import { aCaller } from '../identity/callers.js';

const settings = {
  baseUrl: 'http://orrery.test',
  ORRERY_REGISTRY_APPROVALS: 1,
  ORRERY_REGISTRY_SELF_APPROVAL: false,
  ORRERY_REGISTRY_REQUEST_DAYS: 0,
};

describe('what the registry tells', () => {
  let opened: OpenedStorage | undefined;
  let source: Experiment;
  before('open the embedded storage', async () => {
    const result = await storageAdapters[0]?.open();
    if (result === undefined || 'missing' in result)
      throw new Error('the embedded storage does not open');
    opened = result;
    source = await addSource(result.storage);
  });
  after(async () => {
    await opened?.stop();
  });

  const storage = (): Storage => {
    if (opened === undefined) throw new Error('it is not open');
    return opened.storage;
  };
  const needs = (given: Partial<typeof settings> = {}): ApprovingNeeds =>
    ({
      clock: { now: () => 1_700_000_000_000 },
      ids: systemIds,
      settings: { ...settings, ...given },
      toggles: { isOn: () => true },
    }) as unknown as ApprovingNeeds; // the members that are read
  const person = async (role: Role): Promise<Caller> => {
    const { id, name } = await addUser(storage());
    return aCaller({ userId: id, userName: name, roles: new Map([[source.workspaceId, role]]) });
  };
  const registered = async (given: Partial<Registration> = {}): Promise<RegisteredVersion> => {
    const caller = given.caller ?? (await person('admin'));
    const { registryModelId, registryModelItemId } = await storage().transaction((stores) =>
      register(stores, needs(), {
        experiment: source,
        experimentModelId: 'x',
        experimentModelName: 'net',
        registryModelName: `Model ${systemIds.key()}`,
        as: 'either',
        version: undefined,
        comment: undefined,
        tags: [],
        ...given,
        caller,
      }),
    );
    return latest({ id: registryModelItemId, modelId: registryModelId });
  };
  const latest = async ({
    id,
    modelId,
  }: {
    readonly id: string;
    readonly modelId: string;
  }): Promise<RegisteredVersion> => {
    const [version, model] = [
      await storage().stores.modelVersions.findVersion(id),
      await storage().stores.registry.findModel(modelId),
    ];
    if (version === undefined || model === undefined) throw new Error('it was not stored');
    return { ...version, model };
  };
  const told = async (modelId: string) =>
    storage().stores.events.listAfter(`registry-model:${modelId}`, 0, 100);

  it('holds everything that is sent of a new version', async () => {
    const caller = await person('member');
    const version = await registered({ caller, tags: ['b', 'a'], comment: 'c', version: '1.2.3' });

    const [event, ...others] = await told(version.modelId);
    const { model } = version;
    const query = new URLSearchParams({
      workspaceName: model.workspaceName,
      modelName: model.name,
      version: '1.2.3',
    }).toString();
    expect(others).to.deep.equal([]);
    expect([event?.name, event?.at]).to.deep.equal(['registry.version-created', 1_700_000_000_000]);
    expect(event?.detail).to.deep.equal({
      triggers: ['MODEL_VERSION_CREATED'],
      workspaceId: model.workspaceId,
      workspaceName: model.workspaceName,
      registryModelId: model.id,
      registryModelName: model.name,
      userName: caller.userName,
      comment: 'c',
      registryModelItemId: version.id,
      version: '1.2.3',
      stages: ['b', 'a'],
      tags: ['b', 'a'],
      status: 'None',
      experimentKey: source.key,
      assets: 1,
      addedStages: ['b', 'a'],
      removedStages: [],
      experimentUrl: `http://orrery.test/api/experiment/redirect?experimentKey=${source.key}`,
      modelUrl: `http://orrery.test/${model.workspaceName}/model-registry/${encodeURIComponent(model.name)}/1.2.3`,
      restApiUrl: `http://orrery.test/api/rest/v2/registry-model/item/details?${query}`,
      downloadUrl: `http://orrery.test/api/rest/v2/registry-model/item/download?${query}`,
    });
  });

  it('tells of every change of a model in its order', async () => {
    const caller = await person('admin');
    const version = await registered({ caller, status: 'QA' });
    const change = (work: Parameters<Storage['transaction']>[0]) => storage().transaction(work);

    await change((stores) => editVersion(stores, needs(), { version, caller, tags: () => ['x'] }));
    await change((stores) =>
      editVersion(stores, needs(), { version, caller, tags: () => ['x'], comment: 'only this' }),
    );
    await change((stores) =>
      requestStatus(stores, needs(), { version, status: 'Staging', caller, comment: 'go' }),
    );
    await change((stores) =>
      requestStatus(stores, needs(), { version, status: 'Staging', caller, comment: 'again' }),
    );
    await change((stores) =>
      editModel(stores, needs(), version.model, caller, { description: 'd' }),
    );
    await change((stores) => deleteVersion(stores, needs(), version, caller));
    await change((stores) => deleteModel(stores, needs(), version.model, caller));

    const events = await told(version.modelId);
    expect(events.map(({ name }) => name)).to.deep.equal([
      'registry.version-created',
      'registry.status-changed',
      'registry.stage-changed',
      'registry.status-changed',
      'registry.model-updated',
      'registry.version-deleted',
      'registry.model-deleted',
    ]);
    expect([
      events[2]?.detail['addedStages'],
      events[2]?.detail['stages'],
      events[2]?.detail['triggers'],
    ]).to.deep.equal([['x'], ['x'], ['MODEL_VERSION_TAG_CHANGED', 'MODEL_VERSION_STAGE_CHANGED']]);
    expect([
      events[3]?.detail['previousStatus'],
      events[3]?.detail['status'],
      events[3]?.detail['comment'],
    ]).to.deep.equal(['QA', 'Staging', 'go']);
  });

  it('tells nothing of what was not stored', async () => {
    const version = await registered({ version: '1.0.0' });

    await rejection(registered({ registryModelName: version.model.name, version: '1.0.0' }));

    expect((await told(version.modelId)).map(({ name }) => name)).to.deep.equal([
      'registry.version-created',
    ]);
    expect(
      (await storage().stores.modelVersions.listHistory(version.modelId, version.id, 10)).map(
        ({ action }) => action,
      ),
    ).to.deep.equal(['MODEL_VERSION_CREATED']);
  });

  it('tells of a request, of its approval, and of the version that loses an exclusive status', async () => {
    const [admin, member] = [await person('admin'), await person('member')];
    const former = await registered({ caller: admin, status: 'Production', version: '1.0.0' });
    const version = await registered({
      caller: member,
      registryModelName: former.model.name,
      version: '2.0.0',
    });
    await storage().transaction((stores) =>
      requestStatus(stores, needs(), {
        version,
        status: 'Production',
        caller: member,
        comment: 'please',
      }),
    );
    const [request] = await storage().stores.approvals.listPending([version.id]);
    if (request === undefined) throw new Error('no request was filed');

    await storage().transaction((stores) =>
      approve(stores, needs(), { request, caller: admin, comment: 'well' }),
    );

    const events = await told(version.modelId);
    expect(
      events
        .slice(-4)
        .map(({ name, detail }) => [
          name,
          detail['version'],
          detail['previousStatus'],
          detail['status'],
          detail['userName'],
        ]),
    ).to.deep.equal([
      ['registry.status-requested', '2.0.0', 'None', 'None', member.userName],
      ['registry.status-changed', '1.0.0', 'Production', 'Archived', member.userName],
      ['registry.status-changed', '2.0.0', 'None', 'Production', member.userName],
      ['registry.status-approved', '2.0.0', 'None', 'Production', admin.userName],
    ]);
    const [approved, changed, asked] = await storage().stores.modelVersions.listHistory(
      version.modelId,
      version.id,
      3,
    );
    expect(
      [approved, changed, asked].map((entry) => [
        entry?.action,
        entry?.previous,
        entry?.next,
        entry?.userName,
      ]),
    ).to.deep.equal([
      [
        'MODEL_VERSION_STATUS_REQUEST_APPROVED',
        { registryModelStatus: 'None', changedBy: member.userName },
        { registryModelStatus: 'Production', changedBy: admin.userName },
        member.userName,
      ],
      [
        'MODEL_VERSION_STATUS_CHANGED',
        { registryModelStatus: 'None', changedBy: member.userName },
        { registryModelStatus: 'Production', changedBy: member.userName },
        member.userName,
      ],
      [
        'MODEL_VERSION_STATUS_REQUEST_CHANGE',
        { registryModelStatus: 'None' },
        { registryModelStatus: 'Production' },
        member.userName,
      ],
    ]);
  });

  it('waits for two administrators where two must approve, and lets nobody approve twice', async () => {
    const [first, second, member] = [
      await person('admin'),
      await person('admin'),
      await person('member'),
    ];
    const version = await registered({ caller: member });
    await storage().transaction((stores) =>
      fileRequest(stores, needs(), { version, status: 'QA', caller: member, comment: undefined }),
    );
    const [request] = await storage().stores.approvals.listPending([version.id]);
    if (request === undefined) throw new Error('no request was filed');
    const two = needs({ ORRERY_REGISTRY_APPROVALS: 2 });
    const say = (caller: Caller) =>
      storage().transaction((stores) =>
        approve(stores, two, { request, caller, comment: undefined }),
      );

    expect(await say(first)).to.equal('PENDING');
    expect(await rejection(say(first))).to.have.property('kind', 'conflict');
    expect((await latest(version)).status).to.equal('None');
    expect(await say(second)).to.equal('APPROVED');

    expect([
      (await latest(version)).status,
      (await storage().stores.approvals.findRequest(request.id))?.approvedBy,
    ]).to.deep.equal(['QA', [first.userName, second.userName]]);
  });

  it('decides nothing about a request that has run out', async () => {
    const [admin, member] = [await person('admin'), await person('member')];
    const version = await registered({ caller: member });
    await storage().transaction((stores) =>
      fileRequest(stores, needs(), { version, status: 'QA', caller: member, comment: undefined }),
    );
    const [request] = await storage().stores.approvals.listPending([version.id]);
    if (request === undefined) throw new Error('no request was filed');
    const later = {
      ...needs({ ORRERY_REGISTRY_REQUEST_DAYS: 30 }),
      clock: { now: () => request.createdAt + 31 * 86_400_000 },
    };

    expect(
      await rejection(
        storage().transaction((stores) =>
          approve(stores, later, { request, caller: admin, comment: undefined }),
        ),
      ),
    ).to.have.property('kind', 'conflict');
    expect(
      await rejection(
        storage().transaction((stores) =>
          reject(stores, later, { request, caller: admin, comment: 'no' }),
        ),
      ),
    ).to.have.property('kind', 'conflict');
    expect(
      await storage().transaction((stores) =>
        reject(stores, needs(), { request, caller: admin, comment: 'no' }),
      ),
    ).to.equal('REJECTED');
    expect((await told(version.modelId)).at(-1)?.name).to.equal('registry.status-rejected');
  });
});
