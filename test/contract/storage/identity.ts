import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { isFailure } from '#ports/failure';
import type { Storage, Stores } from '#ports/storage/storage';
import { addDataset } from './datasets.js';
import {
  addArtifact,
  addExperiment,
  addProject,
  addUser,
  aUser,
  addWorkspace,
  countUnderLock,
  freshId,
  freshName,
  point,
  rejection,
  start,
} from './builders.js';
import { addModelFile } from './registry-builders.js';

/** A workspace that is gone without what it held, as no store leaves one. */
const loseWorkspace = (storage: Storage, id: string): Promise<unknown> =>
  (storage as Storage & { readonly connection: { readonly db: Knex } }).connection
    .db('workspaces')
    .where({ id })
    .delete()
    .then((count) => count); // every storage is over SQL, and has its connection

/** What every store of users, workspaces and keys keeps to. */
export const identityContract = (storage: () => Storage): void => {
  const stores = () => storage().stores;
  const addKey = async (userId: string) => {
    const key = {
      id: freshId(),
      userId,
      hash: `${freshName('hash')}`,
      name: 'k',
      prefix: 'abcd',
      scope: undefined,
      createdAt: start,
    };
    await stores().apiKeys.insertKey(key);
    return key;
  };

  it('finds a user by name, told apart by case, and by id', async () => {
    const user = await addUser(storage(), {
      name: `Ann-${freshName()}`,
      email: `Ann.${freshName()}@Example.org`,
      admin: true,
    });

    expect(await stores().users.findUser({ name: user.name })).to.deep.equal(user);
    expect(await stores().users.findUser({ id: user.id })).to.deep.equal(user);
    expect(
      await stores().users.findUser({ email: (user.email ?? '').toLowerCase() }),
    ).to.deep.equal(user);
    expect(await stores().users.findUser({ email: 'nobody@example.org' })).to.equal(undefined);
    expect(await stores().users.findUser({ name: user.name.toLowerCase() })).to.equal(undefined);
  });

  it('refuses a taken user name with a conflict', async () => {
    const { name } = await addUser(storage());

    const refusal = await rejection(addUser(storage(), { name }));

    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('refuses a taken e-mail with a conflict, whatever its case', async () => {
    const email = `${freshName('ann')}@example.org`;
    await addUser(storage(), { email });

    for (const taken of [email, email.toUpperCase()]) {
      const refusal = await rejection(addUser(storage(), { email: taken }));
      expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
    }
  });

  it('changes only what is given of a user, and refuses a taken name', async () => {
    const user = await addUser(storage(), { email: `${freshName('ann')}@example.org` });
    const change = {
      name: freshName('renamed'),
      admin: true,
      viewOnly: true,
      restricted: true,
      suspendedAt: start,
      kind: 'service',
    } as const;

    expect(await stores().users.updateUser(user.id, change)).to.equal(true);
    expect(await stores().users.findUser({ name: change.name })).to.deep.equal({
      ...user,
      ...change,
    });
    expect(
      await stores().users.updateUser(user.id, { email: undefined, suspendedAt: undefined }),
    ).to.equal(true);
    expect(await stores().users.findUser({ id: user.id })).to.deep.equal({
      ...user,
      ...change,
      email: undefined,
      suspendedAt: undefined,
    });
    expect(await stores().users.updateUser(freshId(), { admin: true })).to.equal(false);
    const refusal = await rejection(
      stores().users.updateUser(user.id, { name: (await addUser(storage())).name }),
    );
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('counts users', async () => {
    const before = await stores().users.countUsers();
    await addUser(storage());

    expect(await stores().users.countUsers()).to.equal(before + 1);
  });

  it('tells who holds a key, with the roles of that user', async () => {
    const user = await addUser(storage());
    const workspace = await addWorkspace(storage());
    await stores().members.setRole(workspace.id, user.id, 'member', []);
    await stores().members.setRole(workspace.id, user.id, 'view-only', []);
    const key = await addKey(user.id);

    expect(await stores().apiKeys.findKeyHolder(key.hash)).to.deep.equal({
      keyId: key.id,
      scope: undefined,
      user,
      roles: new Map([[workspace.id, 'view-only']]),
      permissions: new Map(),
    });
    expect(await stores().apiKeys.findKeyHolder('unknown')).to.equal(undefined);
  });

  it('keeps the name and the scope of a key, and does not know one of a suspended user', async () => {
    const user = await addUser(storage());
    const key = {
      id: freshId(),
      userId: user.id,
      hash: freshName('hash'),
      name: 'CI 🚲',
      prefix: 'abcd',
      scope: { readOnly: true, workspaceId: freshId(), projectId: freshId() },
      createdAt: start,
    };
    await stores().apiKeys.insertKey(key);
    const { hash, ...shown } = key;

    expect(await stores().apiKeys.findKey(key.id)).to.deep.equal({
      ...shown,
      revokedAt: undefined,
      lastUsedAt: undefined,
    });
    expect((await stores().apiKeys.findKeyHolder(hash))?.scope).to.deep.equal(key.scope);
    expect(await stores().apiKeys.findKey(freshId())).to.equal(undefined);
    await stores().users.updateUser(user.id, { suspendedAt: start });
    expect(await stores().apiKeys.findKeyHolder(hash)).to.equal(undefined);
  });

  it('does not know a revoked key, and keeps the first time of revoking', async () => {
    const user = await addUser(storage());
    const key = await addKey(user.id);

    expect(await stores().apiKeys.revokeKey(key.id, start + 1)).to.equal(true);
    expect(await stores().apiKeys.revokeKey(key.id, start + 2)).to.equal(true);

    expect(await stores().apiKeys.findKeyHolder(key.hash)).to.equal(undefined);
    expect((await stores().apiKeys.listKeys(user.id)).map((one) => one.revokedAt)).to.deep.equal([
      start + 1,
    ]);
    expect(await stores().apiKeys.revokeKey(freshId(), start)).to.equal(false);
  });

  it('keeps the newest time at which a key was used', async () => {
    const user = await addUser(storage());
    const key = await addKey(user.id);
    const usedAt = async () =>
      (await stores().apiKeys.listKeys(user.id)).map((one) => one.lastUsedAt);

    expect(await usedAt()).to.deep.equal([undefined]);
    for (const at of [start + 5, start + 9, start + 7]) await stores().apiKeys.touchKey(key.id, at);

    expect(await usedAt()).to.deep.equal([start + 9]);
  });

  it('lists members by name and takes a role away', async () => {
    const workspace = await addWorkspace(storage());
    const [b, a] = [
      await addUser(storage(), { name: `b-${freshName()}` }),
      await addUser(storage(), { name: `a-${freshName()}` }),
    ];
    await stores().members.setRole(workspace.id, b.id, 'admin', []);
    await stores().members.setRole(workspace.id, a.id, 'member', ['invite']);

    expect(await stores().members.listMembers(workspace.id)).to.deep.equal([
      { userId: a.id, userName: a.name, email: a.email, role: 'member', permissions: ['invite'] },
      { userId: b.id, userName: b.name, email: b.email, role: 'admin', permissions: [] },
    ]);
    expect(await stores().members.findReach(a.id)).to.deep.equal({
      roles: new Map([[workspace.id, 'member']]),
      permissions: new Map([[workspace.id, ['invite']]]),
    });
    expect(await stores().members.removeRole(workspace.id, a.id)).to.equal(true);
    expect(await stores().members.removeRole(workspace.id, a.id)).to.equal(false);
    expect(
      (await stores().members.listMembers(workspace.id)).map((one) => one.userId),
    ).to.deep.equal([b.id]);
  });

  it('finds one member, pages through them by name, and tells one administrator from several', async () => {
    const workspace = await addWorkspace(storage());
    const [c, a, b] = [
      await addUser(storage(), { name: `c-${freshName()}` }),
      await addUser(storage(), { name: `a-${freshName()}` }),
      await addUser(storage(), { name: `B-${freshName()}` }),
    ];
    for (const [user, role] of [
      [c, 'admin'],
      [a, 'view-only'],
      [b, 'admin'],
    ] as const)
      await stores().members.setRole(
        workspace.id,
        user.id,
        role,
        role === 'admin' ? [] : ['publish'],
      );
    const names = async (after?: string) =>
      (
        await stores().members.pageMembers(workspace.id, {
          limit: 2,
          ...(after === undefined ? {} : { after }),
        })
      ).map((one) => one.userName);

    expect(await stores().members.findMember(workspace.id, a.id)).to.deep.equal({
      userId: a.id,
      userName: a.name,
      email: undefined,
      role: 'view-only',
      permissions: ['publish'],
    });
    expect(await stores().members.findMember(workspace.id, freshId())).to.equal(undefined);
    expect(await names()).to.deep.equal([b.name, a.name]);
    expect(await names(a.name)).to.deep.equal([c.name]);
    expect(await stores().members.countAdmins(workspace.id)).to.equal(2);
    await stores().members.removeRole(workspace.id, b.id);
    expect(await stores().members.countAdmins(workspace.id)).to.equal(1);
  });

  it('pages through users by name, and finds them by a part of name or e-mail in any case', async () => {
    const mark = freshName('page');
    const one = await addUser(storage(), { name: `1-${mark}`, kind: 'service' });
    const two = await addUser(storage(), {
      name: `2-${freshName()}`,
      email: `Ann_${mark}@example.org`,
    });
    await addUser(storage(), { name: `3-${mark.replace('-', 'x')}` });

    expect(await stores().users.pageUsers({ search: mark.toUpperCase(), limit: 10 })).to.deep.equal(
      [one, two],
    );
    expect(
      await stores().users.pageUsers({ search: mark, kind: 'service', limit: 10 }),
    ).to.deep.equal([one]);
    expect(
      await stores().users.pageUsers({ search: mark, after: one.name, limit: 10 }),
    ).to.deep.equal([two]);
    expect(await stores().users.pageUsers({ search: mark, limit: 1 })).to.deep.equal([one]);
    expect(await stores().users.pageUsers({ search: `%${mark}`, limit: 10 })).to.deep.equal([]);
    expect(await stores().users.pageUsers({ search: `nn_${mark}`, limit: 10 })).to.deep.equal([
      two,
    ]);
  });

  it('knows the user whom a provider has linked to a subject, told apart by case and issuer', async () => {
    const [a, b] = [await addUser(storage()), await addUser(storage())];
    const [issuer, subject] = [`https://${freshName()}.example`, 'Sub-1'];

    await stores().credentials.link(a.id, issuer, subject, start);
    expect(await stores().credentials.findLinked(issuer, subject)).to.deep.equal(a);
    expect(await stores().credentials.findLinked(issuer, 'sub-1')).to.equal(undefined);
    expect(await stores().credentials.findLinked(`${issuer}/`, subject)).to.equal(undefined);
    await stores().credentials.link(b.id, issuer, subject, start + 1);
    expect(await stores().credentials.findLinked(issuer, subject)).to.deep.equal(b);
  });

  it('counts administrators of the installation who are not suspended', async () => {
    const [one] = [
      await addUser(storage(), { admin: true }),
      await addUser(storage(), { admin: true }),
    ];

    expect(await stores().users.countAdministrators()).to.equal(2);
    await stores().users.updateUser(one.id, { suspendedAt: start });
    expect(await stores().users.countAdministrators()).to.be.within(1, 2);
  });

  it('knows who was the first user', async () => {
    const first = await stores().users.firstUserId();
    const older = await addUser(storage(), { createdAt: 1 });

    expect(await stores().users.firstUserId()).to.not.equal(undefined);
    expect(await stores().users.firstUserId()).to.be.oneOf([older.id, first]);
  });

  it('renames a workspace, gives it to another, and pages through them with their members', async () => {
    const mark = freshName('space');
    const [a, b] = [
      await addWorkspace(storage(), { name: `a-${mark}` }),
      await addWorkspace(storage(), { name: `b-${mark}` }),
    ];
    const user = await addUser(storage());
    const { workspaces } = storage().stores;
    await stores().members.setRole(a.id, user.id, 'admin', []);

    expect(await workspaces.page({ search: mark.toUpperCase(), limit: 10 })).to.deep.equal([
      { ...a, members: 1 },
      { ...b, members: 0 },
    ]);
    expect(await workspaces.page({ search: mark, after: a.name, limit: 10 })).to.deep.equal([
      { ...b, members: 0 },
    ]);
    expect(await workspaces.update(b.id, { name: `c-${mark}`, ownerId: user.id })).to.equal(true);
    expect(await workspaces.findByName(`c-${mark}`)).to.deep.equal({
      ...b,
      name: `c-${mark}`,
      ownerId: user.id,
    });
    expect(await workspaces.update(freshId(), { ownerId: user.id })).to.equal(false);
    const refusal = await rejection(workspaces.update(b.id, { name: a.name }));
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('keeps the limits of a workspace, and sums up what it holds without what was deleted', async () => {
    const workspace = await addWorkspace(storage(), {
      experimentsLimit: 20,
      storageLimit: 5_000_000_000,
    });
    const [project, other, gone] = [
      await addProject(storage(), { workspaceId: workspace.id }),
      await addProject(storage(), { workspaceId: workspace.id }),
      await addProject(storage(), { workspaceId: workspace.id }),
    ];
    const { workspaces, experiments, projects } = storage().stores;
    const [a, b, c, d] = [
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage(), { projectId: other.id }),
      await addExperiment(storage(), { projectId: project.id }),
      await addExperiment(storage(), { projectId: gone.id }),
    ];
    for (const [one, fileSize] of [
      [a, 3_000_000_000],
      [a, 7],
      [b, 20],
      [c, 1000],
      [d, 1000],
    ] as const)
      await addModelFile(storage(), one.id, { fileSize });
    await experiments.markDeleted(c.id, start);
    await projects.markDeleted(gone.id, start);

    expect(await workspaces.findById(workspace.id)).to.deep.equal(workspace);
    expect(a.workspaceStorageLimit).to.equal(5_000_000_000);
    expect(await workspaces.figures(workspace.id)).to.deep.equal({
      experiments: 2,
      bytes: 3_000_000_027,
    });
    expect(await workspaces.figures((await addWorkspace(storage())).id)).to.deep.equal({
      experiments: 0,
      bytes: 0,
    });
    await workspaces.update(workspace.id, { experimentsLimit: undefined, storageLimit: 7 });
    expect(await workspaces.findById(workspace.id)).to.deep.equal({
      id: workspace.id,
      name: workspace.name,
      ownerId: workspace.ownerId,
      createdAt: workspace.createdAt,
      storageLimit: 7,
    });
  });

  it('counts what a workspace holds beside assets: parts of uploads, texts, values and points', async () => {
    const workspace = await addWorkspace(storage());
    const project = await addProject(storage(), { workspaceId: workspace.id });
    const { id } = await addExperiment(storage(), { projectId: project.id });
    const { workspaces, texts, values, metrics } = storage().stores;
    const bytes = async () => (await workspaces.figures(workspace.id)).bytes;
    expect(await bytes()).to.equal(0);

    await texts.replace({ experimentId: id, kind: 'html', content: 'x'.repeat(1000) });
    const withText = await bytes();
    await values.write({
      experimentId: id,
      kind: 'parameter',
      values: [
        {
          name: 'lr',
          text: 'y'.repeat(2000),
          context: undefined,
          step: undefined,
          timestamp: start,
        },
      ],
      receivedAt: start,
    });
    const withValue = await bytes();
    const uploadId = freshId();
    const { uploads } = storage().stores;
    await uploads.insertDirect({
      id: uploadId,
      experimentId: id,
      facts: { experimentId: id } as never,
      idGiven: false,
      replacing: false,
      parts: 1,
      bucket: undefined,
      expiresAt: start,
      keptAs: undefined,
    }); // its facts are not looked at
    await uploads.keepPart(uploadId, {
      number: 1,
      size: 2 ** 33,
      sha256: 'a'.repeat(64),
      blobKey: `w/${freshId()}`,
    });
    const withPart = await bytes();
    await metrics.append({
      experimentId: id,
      points: Array.from({ length: 100 }, (_, step) => point({ step })),
      receivedAt: start,
    });
    const withPoints = await bytes();

    expect([
      withText,
      withValue - withText >= 2000,
      withPart - withValue,
      withPoints - withPart >= 1000,
    ]).to.deep.equal([1000, true, 2 ** 33, true]);
  });

  it('lets one transaction after the other hold a workspace, and reports one that is gone', async () => {
    const workspace = await addWorkspace(storage(), { experimentsLimit: 1 });
    const { workspaces } = storage().stores;

    const counted = await countUnderLock(storage(), 12, {
      async next(stores) {
        const now = await stores.workspaces.lock(workspace.id);
        await stores.workspaces.update(workspace.id, {
          experimentsLimit: (now?.experimentsLimit ?? 0) + 1,
        });
      },
      read: async () => (await workspaces.findById(workspace.id))?.experimentsLimit,
    });

    expect(counted).to.equal(13);
    expect(await workspaces.lock(freshId())).to.equal(undefined);
  });

  it('removes no workspace that holds an artifact or a registered model', async () => {
    const { workspaces, projects, artifacts, registry } = storage().stores;
    const made = await addExperiment(storage());
    const artifact = await addArtifact(storage(), made);
    const model = {
      id: freshId(),
      workspaceId: made.workspaceId,
      name: 'Net',
      normalName: 'net',
      description: undefined,
      public: false,
      userId: made.userId,
      createdAt: start,
    };
    await registry.insertModel(model);
    await projects.markDeleted(made.projectId, start);

    expect(await workspaces.removeEmpty(made.workspaceId)).to.equal(false);
    await artifacts.markDeleted(artifact.id, start);
    expect(await workspaces.removeEmpty(made.workspaceId)).to.equal(false);
    await registry.markModelDeleted(model.id, start);
    expect(await workspaces.removeEmpty(made.workspaceId)).to.equal(true);
    const refusals = [
      await rejection(addArtifact(storage(), made)),
      await rejection(registry.insertModel({ ...model, id: freshId() })),
    ];
    expect(refusals.map((refusal) => isFailure(refusal) && refusal.kind)).to.deep.equal([
      'absent',
      'absent',
    ]);
  });

  it('removes no workspace that holds a dataset, and with one that does not what is of it alone', async () => {
    const { workspaces, datasets, workspaceConfigurations } = storage().stores;
    const { id } = await addWorkspace(storage());
    const dataset = await addDataset(storage(), { workspaceId: id });
    await workspaceConfigurations.put(id, {
      ...{ threadInactivitySeconds: 60, truncatesTables: undefined, colors: undefined },
    });

    expect(await workspaces.removeEmpty(id)).to.equal(false);
    await datasets.remove(id, [dataset.id], start);
    expect(await workspaces.removeEmpty(id)).to.equal(true);
    expect(await workspaceConfigurations.find(id)).to.equal(undefined);
  });

  it('marks everything in a workspace deleted, and nothing in another', async () => {
    const { workspaces, projects, artifacts, registry, experiments } = storage().stores;
    const [made, other] = [await addExperiment(storage()), await addExperiment(storage())];
    const [artifact, kept] = [
      await addArtifact(storage(), made),
      await addArtifact(storage(), other),
    ];
    const modelId = freshId();
    await registry.insertModel({
      id: modelId,
      workspaceId: made.workspaceId,
      name: 'Net',
      normalName: 'net',
      description: undefined,
      public: false,
      userId: made.userId,
      createdAt: start,
    });

    const [dataset, keptSet] = [
      await addDataset(storage(), { workspaceId: made.workspaceId }),
      await addDataset(storage(), { workspaceId: other.workspaceId }),
    ];

    await workspaces.markContentsDeleted(made.workspaceId, start);

    const { datasets } = storage().stores;
    expect(await datasets.find(dataset.workspaceId, dataset.id)).to.equal(undefined);
    expect(await datasets.find(keptSet.workspaceId, keptSet.id)).to.deep.equal(keptSet);
    expect([
      await projects.findById(made.projectId),
      await experiments.findByKey(made.key),
      await artifacts.find(artifact.id),
      await registry.findModel(modelId),
    ]).to.deep.equal([undefined, undefined, undefined, undefined]);
    expect((await experiments.findByKey(other.key))?.key).to.equal(other.key);
    expect((await artifacts.find(kept.id))?.id).to.equal(kept.id);
    expect(await workspaces.removeEmpty(made.workspaceId)).to.equal(true);
  });

  it('reports what belongs to a workspace that is gone, and nothing that was deleted', async () => {
    const { workspaces, projects, artifacts, registry } = storage().stores;
    const made = await addExperiment(storage());
    const [artifact, gone] = [
      await addArtifact(storage(), made),
      await addArtifact(storage(), made),
    ];
    const modelId = freshId();
    await registry.insertModel({
      id: modelId,
      workspaceId: made.workspaceId,
      name: 'Net',
      normalName: 'net',
      description: undefined,
      public: false,
      userId: made.userId,
      createdAt: start,
    });
    await artifacts.markDeleted(gone.id, start);
    const mine = async () =>
      (await workspaces.listOrphans(1000))
        .filter(({ ownerId }) => ownerId === made.workspaceId)
        .map(({ kind, id }) => [kind, id]);
    expect(await mine()).to.deep.equal([]);

    await loseWorkspace(storage(), made.workspaceId);

    expect(await mine()).to.deep.equal([
      ['project', made.projectId],
      ['artifact', artifact.id],
      ['registered model', modelId],
    ]);
    await projects.markDeleted(made.projectId, start);
    await artifacts.markDeleted(artifact.id, start);
    await registry.markModelDeleted(modelId, start);
    expect(await mine()).to.deep.equal([]);
  });

  it('removes a workspace with its members, unless it holds a project', async () => {
    const workspace = await addWorkspace(storage());
    const user = await addUser(storage());
    await stores().members.setRole(workspace.id, user.id, 'admin', []);
    const project = await addProject(storage(), { workspaceId: workspace.id });
    const { workspaces, projects } = storage().stores;

    expect(await workspaces.removeEmpty(workspace.id)).to.equal(false);
    expect((await stores().members.findReach(user.id)).roles.size).to.equal(1);
    await projects.markDeleted(project.id, start);
    expect(await workspaces.removeEmpty(workspace.id)).to.equal(true);
    expect(await workspaces.findById(workspace.id)).to.equal(undefined);
    expect((await stores().members.findReach(user.id)).roles.size).to.equal(0);
    expect(await workspaces.removeEmpty(workspace.id)).to.equal(false);
  });

  it('sets the default workspace and a password of a user', async () => {
    const user = await addUser(storage());
    const workspace = await addWorkspace(storage());

    expect(await stores().users.setDefaultWorkspace(user.id, workspace.id)).to.equal(true);
    expect(await stores().credentials.setPassword(user.id, 'hashed')).to.equal(true);
    expect(await stores().credentials.setPassword(freshId(), 'hashed')).to.equal(false);
    expect(await stores().credentials.findPassword(user.id)).to.equal('hashed');
    expect(await stores().credentials.findPassword(freshId())).to.equal(undefined);
    expect((await stores().users.findUser({ id: user.id }))?.defaultWorkspaceId).to.equal(
      workspace.id,
    );
  });

  it('finds a workspace by name, told apart by case, and lists workspaces by name', async () => {
    const made = await addWorkspace(storage());
    const upper = await addWorkspace(storage(), { name: made.name.toUpperCase() });

    expect(await storage().stores.workspaces.findByName(made.name)).to.deep.equal(made);
    expect(await storage().stores.workspaces.findById(upper.id)).to.deep.equal(upper);
    expect(
      (await storage().stores.workspaces.listByIds([made.id, upper.id]))
        .map((one) => one.id)
        .sort(),
    ).to.deep.equal([made.id, upper.id].sort());
    expect((await storage().stores.workspaces.listAll()).map((one) => one.id)).to.include.members([
      made.id,
      upper.id,
    ]);
    const refusal = await rejection(addWorkspace(storage(), { name: made.name }));
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
  });

  it('revokes a standing key for one of any number who try at once', async () => {
    const user = await addUser(storage());
    const [key, other] = [await addKey(user.id), await addKey(user.id)];

    const told = await Promise.all(
      Array.from({ length: 10 }, (_, i) => stores().apiKeys.retireKey(key.id, start + i)),
    );

    expect(told.filter((one) => one)).to.have.length(1);
    expect((await stores().apiKeys.findKey(key.id))?.revokedAt).to.be.a('number');
    expect((await stores().apiKeys.findKey(other.id))?.revokedAt).to.equal(undefined);
    expect(await stores().apiKeys.retireKey(freshId(), start)).to.equal(false);
  });

  it('revokes the standing keys of one user, and keeps the time of those revoked before', async () => {
    const [user, other] = [await addUser(storage()), await addUser(storage())];
    const [first, second, foreign] = [
      await addKey(user.id),
      await addKey(user.id),
      await addKey(other.id),
    ];
    await stores().apiKeys.revokeKey(first.id, start + 1);

    expect(await stores().apiKeys.retireKeysOf(user.id, start + 2)).to.equal(1);

    expect([
      (await stores().apiKeys.findKey(first.id))?.revokedAt,
      (await stores().apiKeys.findKey(second.id))?.revokedAt,
      (await stores().apiKeys.findKey(foreign.id))?.revokedAt,
    ]).to.deep.equal([start + 1, start + 2, undefined]);
  });

  it('keeps whether an e-mail was proved, and releases one that was not', async () => {
    const [email, other] = [`${freshName('eve')}@example.org`, `${freshName('ann')}@example.org`];
    const [typed, proved] = [
      await addUser(storage(), { email }),
      await addUser(storage(), { email: other, emailProved: true }),
    ];

    expect([
      (await stores().users.findUser({ id: typed.id }))?.emailProved,
      (await stores().users.findUser({ id: proved.id }))?.emailProved,
    ]).to.deep.equal([false, true]);
    expect([
      await stores().users.releaseEmail(email.toUpperCase()),
      await stores().users.releaseEmail(other),
      await stores().users.releaseEmail('nobody@example.org'),
    ]).to.deep.equal([true, false, false]);
    expect([
      await stores().users.findUser({ email }),
      (await stores().users.findUser({ id: typed.id }))?.email,
      (await stores().users.findUser({ email: other }))?.id,
    ]).to.deep.equal([undefined, undefined, proved.id]);
    await stores().users.updateUser(proved.id, { emailProved: false });
    expect((await stores().users.findUser({ id: proved.id }))?.emailProved).to.equal(false);
  });

  it("ends the keys, password, sessions, links and programs of one user, and nobody else's", async () => {
    const { sessions, tickets, oauth } = storage().stores;
    const [user, other] = [await addUser(storage()), await addUser(storage())];
    const prepare = async (userId: string) => {
      const [key, workspace, session, ticket, clientId, familyId] = [
        await addKey(userId),
        await addWorkspace(storage()),
        freshName('session'),
        freshName('ticket'),
        freshId(),
        freshId(),
      ];
      await stores().credentials.setPassword(userId, 'hashed');
      await sessions.insert({
        id: freshId(),
        hash: session,
        userId,
        way: 'password',
        address: '',
        agent: '',
        external: undefined,
        createdAt: start,
        lastUsedAt: start,
        expiresAt: start + 1000,
      });
      await tickets.insert({
        id: freshId(),
        kind: 'reset',
        hash: ticket,
        userId,
        email: undefined,
        mailed: false,
        workspaceId: undefined,
        role: undefined,
        permissions: [],
        madeBy: undefined,
        createdAt: start,
        expiresAt: start + 1000,
      });
      await oauth.insertClient({
        id: clientId,
        name: 'Editor',
        redirectUris: [],
        logoUri: undefined,
        clientUri: undefined,
        softwareId: undefined,
        softwareVersion: undefined,
        createdAt: start,
        disabledAt: undefined,
      });
      const code = {
        clientId,
        userId,
        workspaceId: workspace.id,
        workspaceName: 'w',
        challenge: 'c',
        redirectUri: 'x',
        resource: 'x',
        createdAt: start,
        expiresAt: start + 1000,
      };
      const [used, waiting] = [freshName('code'), freshName('code')];
      for (const hash of [used, waiting]) await oauth.insertCode({ ...code, id: freshId(), hash });
      await oauth.insertFamily(
        {
          id: familyId,
          clientId,
          userId,
          workspaceId: workspace.id,
          resource: 'x',
          createdAt: start,
          usedAt: start,
          expiresAt: start + 1000,
          codeHash: used,
          revokedAt: undefined,
          reason: undefined,
        },
        [
          {
            id: freshId(),
            familyId,
            kind: 'access',
            hash: used,
            rotatedFrom: undefined,
            pairs: 0,
            createdAt: start,
            expiresAt: start + 1000,
            revokedAt: undefined,
            reason: undefined,
          },
        ],
      );
      return async () =>
        [
          (await stores().apiKeys.findKeyHolder(key.hash))?.keyId,
          await stores().credentials.findPassword(userId),
          await sessions.findHolder(session, start),
          await tickets.findByHash('reset', ticket, start),
          await oauth.findCode(waiting),
          await oauth.findAccess(used, start),
        ].map((one) => one !== undefined);
    };
    const [held, foreign] = [await prepare(user.id), await prepare(other.id)];
    expect(await held()).to.deep.equal([true, true, true, true, true, true]);

    await stores().credentials.endCredentials(user.id, start + 1);

    expect(await held()).to.deep.equal([false, false, false, false, false, false]);
    expect(await foreign()).to.deep.equal([true, true, true, true, true, true]);
    await stores().users.updateUser(user.id, { suspendedAt: start });
    await stores().users.updateUser(user.id, { suspendedAt: undefined });
    expect(await held()).to.deep.equal([false, false, false, false, false, false]);
  });

  const locks: Readonly<
    Record<
      string,
      (
        stores: Stores,
        ids: { readonly userId: string; readonly workspaceId: string },
      ) => Promise<unknown>
    >
  > = {
    'a user': ({ users }, { userId }) => users.lockUser(userId),
    'the administrators of the installation': ({ users }) => users.lockAdministrators(),
    'the members of a workspace': ({ members }, { workspaceId }) =>
      members.lockMembers(workspaceId),
  };
  for (const [what, lock] of Object.entries(locks)) {
    it(`lets one transaction at a time hold ${what}, and the next one sees what it left`, async () => {
      const ids = {
        userId: (await addUser(storage())).id,
        workspaceId: (await addWorkspace(storage())).id,
      };
      const member = await addUser(storage());
      const steps: string[] = [];
      let next: Promise<unknown> = Promise.resolve();
      await storage().transaction(async (stores) => {
        await lock(stores, ids);
        next = storage().transaction(async (inside) => {
          await lock(inside, ids);
          steps.push(
            `second sees ${(await inside.members.findMember(ids.workspaceId, member.id))?.role ?? 'nobody'}`,
          );
        });
        await wait(150);
        steps.push('first writes');
        await stores.members.setRole(ids.workspaceId, member.id, 'admin', []);
      });
      await next;

      expect(steps).to.deep.equal(['first writes', 'second sees admin']);
    });
  }

  it('holds no user and no workspace that does not exist', async () => {
    expect(
      await storage().transaction(async ({ users, members }) => [
        await users.lockUser(freshId()),
        await members.lockMembers(freshId()),
      ]),
    ).to.deep.equal([false, false]);
    const ids = [(await addUser(storage())).id, (await addWorkspace(storage())).id] as const;
    expect(
      await storage().transaction(async ({ users, members }) => [
        await users.lockUser(ids[0]),
        await members.lockMembers(ids[1]),
      ]),
    ).to.deep.equal([true, true]);
  });

  it('undoes every write of a failed transaction', async () => {
    const name = freshName('user');

    await rejection(
      storage().transaction(async (stores) => {
        await stores.users.insertUser(aUser({ name }));
        throw new Error('undo');
      }),
    );

    expect(await stores().users.findUser({ name })).to.equal(undefined);
  });
};
