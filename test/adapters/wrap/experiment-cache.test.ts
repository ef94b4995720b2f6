import { expect } from 'chai';
import { cacheExperiments } from '#adapters/storage/wrap/experiment-cache';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addProject, rejection } from '#test/contract/storage/builders';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';

describe('remembered experiments', () => {
  let opened: OpenedStorage;
  let now = 1000;
  const remember = () => cacheExperiments(opened.storage, { now: () => now });
  const behind = (): Storage => opened.storage;
  before(async function () {
    this.timeout(60_000);
    const first = await storageAdapters[0]!.open();
    if ('missing' in first) throw new Error(first.missing);
    opened = first;
  });
  after(async () => {
    await opened.stop();
  });

  it('are what they were for five seconds when another process changes them', async () => {
    const { finder } = remember();
    const { id, key } = await addExperiment(behind(), { name: 'before' });
    await finder.findByKey(key);
    await behind().stores.experiments.update(id, { name: 'after' });

    now += 4999;
    const held = await finder.findByKey(key);
    now += 1;
    const renewed = await finder.findByKey(key);

    expect([held?.name, renewed?.name]).to.deep.equal(['before', 'after']);
  });

  it('are forgotten at once by a change, a move and a deletion through the same storage', async () => {
    const { finder, storage } = remember();
    const { id, key } = await addExperiment(storage, { name: 'before' });
    await finder.findByKey(key);

    await storage.stores.experiments.update(id, { name: 'after' });
    const changed = await finder.findByKey(key);
    await storage.transaction(({ experiments }) => experiments.update(id, { name: 'again' }));
    const inTransaction = await finder.findByKey(key);
    await storage.stores.experiments.markDeleted(id, 5);

    expect([changed?.name, inTransaction?.name, await finder.findByKey(key)]).to.deep.equal([
      'after',
      'again',
      undefined,
    ]);
  });

  it('come with their places, which are what they were for five seconds when another process changes them', async () => {
    const { places } = remember();
    const project = await addProject(behind());
    const { workspaceId, workspaceName, name } = project;
    await places.findWorkspace(workspaceName);
    await places.findWorkspaceById(workspaceId);
    await places.findProject(workspaceId, name);
    await behind().stores.projects.markDeleted(project.id, 5);
    await behind().stores.workspaces.update(workspaceId, { experimentsLimit: 7 });
    const look = async () => [
      (await places.findProject(workspaceId, name))?.id,
      (await places.findWorkspace(workspaceName))?.experimentsLimit,
      (await places.findWorkspaceById(workspaceId))?.experimentsLimit,
    ];

    now += 4999;
    const held = await look();
    now += 1;

    expect([held, await look()]).to.deep.equal([
      [project.id, undefined, undefined],
      [undefined, 7, 7],
    ]);
  });

  it('forget a place at once that is deleted, renamed or limited through the same storage', async () => {
    const { places, storage } = remember();
    const [one, other] = [await addProject(storage), await addProject(storage)];
    for (const { workspaceId, workspaceName, name } of [one, other]) {
      await places.findWorkspace(workspaceName);
      await places.findWorkspaceById(workspaceId);
      await places.findProject(workspaceId, name);
    }

    await storage.stores.projects.markDeleted(one.id, 5);
    const deleted = await places.findProject(one.workspaceId, one.name);
    await storage.stores.projects.update(other.id, { name: `${other.name}-2`, updatedAt: 5 });
    const renamed = await places.findProject(other.workspaceId, other.name);
    await storage.stores.workspaces.update(one.workspaceId, { experimentsLimit: 7 });
    const limited = [
      (await places.findWorkspace(one.workspaceName))?.experimentsLimit,
      (await places.findWorkspaceById(one.workspaceId))?.experimentsLimit,
    ];

    expect([deleted, renamed, ...limited]).to.deep.equal([undefined, undefined, 7, 7]);
  });

  it('are forgotten with the name of their project', async () => {
    const { finder, storage } = remember();
    const { key, projectId } = await addExperiment(storage);
    await finder.findByKey(key);

    await storage.stores.projects.update(projectId, { name: `renamed ${key}`, updatedAt: 1 });

    expect((await finder.findByKey(key))?.projectName).to.equal(`renamed ${key}`);
  });

  it('are forgotten with the name and the limits of their workspace, and when all in it is deleted', async () => {
    const { finder, storage } = remember();
    const { key, workspaceId } = await addExperiment(storage);
    await finder.findByKey(key);

    await storage.stores.workspaces.update(workspaceId, { storageLimit: 5 });
    const limited = await finder.findByKey(key);
    await storage.stores.workspaces.markContentsDeleted(workspaceId, 5);

    expect([limited?.workspaceStorageLimit, await finder.findByKey(key)]).to.deep.equal([
      5,
      undefined,
    ]);
  });

  it('do not hold what was not there', async () => {
    const { finder, storage } = remember();
    const missed = await finder.findByKey('later');
    const { key } = await addExperiment(storage, { key: 'later' });

    expect([missed, (await finder.findByKey(key))?.key]).to.deep.equal([undefined, 'later']);
  });

  it('leave what a transaction undid as it was', async () => {
    const { finder, storage } = remember();
    const { id, key } = await addExperiment(storage, { name: 'before' });
    await finder.findByKey(key);

    await rejection(
      storage.transaction(async ({ experiments }) => {
        await experiments.update(id, { name: 'undone' });
        throw new Error('undo');
      }),
    );

    expect((await finder.findByKey(key))?.name).to.equal('before');
  });
});
