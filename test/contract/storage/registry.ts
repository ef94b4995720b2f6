import { expect } from 'chai';
import type { HistoryEntry } from '#ports/model/registry';
import { isFailure } from '#ports/failure';
import type { NewVersion } from '#ports/storage/model-versions';
import type { NewModel } from '#ports/storage/registry';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, addUser, addWorkspace, freshId, rejection, start } from './builders.js';
import {
  addModel,
  addModelFile,
  addSource,
  addVersion,
  modelFile,
  versionOf,
} from './registry-builders.js';

const kindOf = (thrown: unknown): unknown => (isFailure(thrown) ? thrown.kind : thrown);

/** What every store of registered models keeps to. */
export const registryContract = (storage: () => Storage): void => {
  const registry = () => storage().stores.registry;
  const modelVersions = () => storage().stores.modelVersions;
  const versionsIn = async (modelId: string) =>
    (await modelVersions().listVersions(modelId)).map(({ version }) => version);
  const queued = async (key: string | undefined) =>
    (await storage().stores.blobRecords.listRemovals(10_000)).includes(key ?? '');
  const entry = (
    modelId: string,
    versionId: string,
    given: Partial<HistoryEntry> = {},
  ): HistoryEntry => ({
    id: freshId(),
    modelId,
    versionId,
    action: 'MODEL_VERSION_CREATED',
    comment: undefined,
    previous: {},
    next: {},
    userName: 'ann',
    at: start,
    ...given,
  });

  it('returns a model as it was stored, by its id and by its normal name', async () => {
    const [workspace, user] = [await addWorkspace(storage()), await addUser(storage())];
    const made = await addModel(storage(), {
      workspaceId: workspace.id,
      userId: user.id,
      name: 'Ein Modell é',
      normalName: 'ein-modell-é',
      description: 'says',
      public: true,
    });
    const expected = {
      id: made.id,
      workspaceId: workspace.id,
      workspaceName: workspace.name,
      name: 'Ein Modell é',
      description: 'says',
      public: true,
      userName: user.name,
      versions: 0,
      latestId: undefined,
      createdAt: start,
      updatedAt: start,
    };

    expect(await registry().findModel(made.id)).to.deep.equal(expected);
    expect(await registry().findModelByName(workspace.id, 'ein-modell-é')).to.deep.equal(expected);
    expect([
      await registry().findModelByName(freshId(), 'ein-modell-é'),
      await registry().findModelByName(workspace.id, 'Ein-modell-é'),
      await registry().findModel('x'),
      await registry().findModel(freshId()),
    ]).to.deep.equal([undefined, undefined, undefined, undefined]);
  });

  it('refuses a second model of a normal name in one workspace with a conflict', async () => {
    const made = await addModel(storage(), { name: 'twin' });

    expect(
      kindOf(await rejection(addModel(storage(), { workspaceId: made.workspaceId, name: 'twin' }))),
    ).to.equal('conflict');
    await addModel(storage(), { name: 'twin' });
  });

  it('changes only what is given, and refuses the name of another with a conflict', async () => {
    const made = await addModel(storage(), { name: 'first', description: 'says' });
    const other = await addModel(storage(), { name: 'second', workspaceId: made.workspaceId });

    expect(await registry().updateModel(made.id, { public: true, updatedAt: start + 1 })).to.equal(
      true,
    );
    const changed = await registry().findModel(made.id);
    expect([
      changed?.name,
      changed?.description,
      changed?.public,
      changed?.updatedAt,
    ]).to.deep.equal(['first', 'says', true, start + 1]);
    await registry().updateModel(made.id, {
      naming: { name: 'Third', normalName: 'third' },
      description: 'more',
      updatedAt: start + 2,
    });
    expect((await registry().findModelByName(made.workspaceId, 'third'))?.description).to.equal(
      'more',
    );
    expect(await registry().findModelByName(made.workspaceId, 'first')).to.equal(undefined);
    expect(
      kindOf(
        await rejection(
          registry().updateModel(other.id, {
            naming: { name: 'Third', normalName: 'third' },
            updatedAt: start,
          }),
        ),
      ),
    ).to.equal('conflict');
    expect(await registry().updateModel(freshId(), { updatedAt: start })).to.equal(false);
  });

  it('gives a model to another workspace under another name, with its versions', async () => {
    const [model, there] = [await addModel(storage()), await addModel(storage())];
    const version = await addVersion(storage(), model);
    const to = {
      workspaceId: there.workspaceId,
      name: 'Other',
      normalName: 'other',
      at: start + 9,
    };

    const refusal = await rejection(
      registry().moveToWorkspace(model.id, {
        ...to,
        name: there.name,
        normalName: there.normalName,
      }),
    );
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
    expect([
      await registry().moveToWorkspace(model.id, to),
      await registry().moveToWorkspace(freshId(), to),
    ]).to.deep.equal([true, false]);

    const found = await registry().findModelByName(there.workspaceId, 'other');
    expect([found?.id, found?.name, found?.updatedAt]).to.deep.equal([
      model.id,
      'Other',
      start + 9,
    ]);
    expect([
      await registry().findModelByName(model.workspaceId, model.normalName),
      (await modelVersions().findVersion(version.id))?.modelId,
    ]).to.deep.equal([undefined, model.id]);
  });

  it('runs changes of one model one after the other', async () => {
    const made = await addModel(storage());
    const seen: string[] = [];
    let waits: Promise<unknown> = Promise.resolve();
    await storage().transaction(async (stores) => {
      expect(await stores.registry.lockModel(made.id)).to.equal(true);
      waits = storage().transaction(async (inside) => {
        await inside.registry.lockModel(made.id);
        seen.push((await inside.registry.findModel(made.id))?.description ?? 'nothing');
      });
      await stores.registry.updateModel(made.id, { description: 'first', updatedAt: start });
      seen.push('first is done');
    });
    await waits;

    expect(seen).to.deep.equal(['first is done', 'first']);
    expect(await registry().lockModel(freshId())).to.equal(false);
  });

  it('lists the models of one workspace in the order they were made, each with its latest version', async () => {
    const first = await addModel(storage());
    const second = await addModel(storage(), {
      workspaceId: first.workspaceId,
      userId: first.userId,
    });
    await addModel(storage());
    await addVersion(storage(), second, { version: '1.0.0' });
    const latest = await addVersion(storage(), second, {
      version: '2.0.0',
      tags: ['a'],
      comment: 'c',
    });
    await modelVersions().updateVersion(latest.id, { metadata: '[1]', updatedAt: start });

    const listed = await registry().listModels(first.workspaceId, undefined, 10);
    expect(
      listed.map(({ model, latest: one }) => [
        model.id,
        model.versions,
        one?.version,
        one?.tags,
        one?.comment,
        one?.metadata,
      ]),
    ).to.deep.equal([
      [first.id, 0, undefined, undefined, undefined, undefined],
      [second.id, 2, '2.0.0', '["a"]', 'c', '[1]'],
    ]);
    expect(listed[1]?.latest?.userName).to.equal(listed[1]?.model.userName);
    expect(
      (await registry().listModels(first.workspaceId, first.id, 10)).map(({ model }) => model.id),
    ).to.deep.equal([second.id]);
    expect(
      (await registry().listModels(first.workspaceId, undefined, 1)).map(({ model }) => model.id),
    ).to.deep.equal([first.id]);
    expect([
      await registry().countModels(first.workspaceId),
      await registry().countModels(freshId()),
    ]).to.deep.equal([2, 0]);
  });

  it('counts versions up and down, and says which is the latest', async () => {
    const made = await addModel(storage());
    const version = await addVersion(storage(), made);
    const found = await registry().findModel(made.id);
    expect([found?.versions, found?.latestId]).to.deep.equal([1, version.id]);

    await modelVersions().countVersions(made.id, -1, undefined);

    const after = await registry().findModel(made.id);
    expect([after?.versions, after?.latestId]).to.deep.equal([0, undefined]);
  });

  it('keeps notes, which are empty before', async () => {
    const { id } = await addModel(storage());
    expect(await registry().readNotes(id)).to.equal('');

    const long = `# é\n${'x'.repeat(500_000)}`;
    await registry().writeNotes(id, long);

    expect((await registry().readNotes(id)) === long).to.equal(true);
  });

  it('hides a deleted model and its versions at once, and frees its name', async () => {
    const made = await addModel(storage(), { name: 'gone' });
    const source = await addSource(storage());
    const version = await addVersion(storage(), made, { source });
    await modelVersions().appendHistory(entry(made.id, version.id));

    expect([
      await registry().markModelDeleted(made.id, start),
      await registry().markModelDeleted(made.id, start),
    ]).to.deep.equal([true, false]);

    expect([
      await registry().findModel(made.id),
      await registry().findModelByName(made.workspaceId, 'gone'),
      await modelVersions().findVersion(version.id),
    ]).to.deep.equal([undefined, undefined, undefined]);
    expect([
      await modelVersions().listVersions(made.id),
      await registry().listModels(made.workspaceId, undefined, 10),
      await modelVersions().listRecords(source.id),
      await registry().countModels(made.workspaceId),
    ]).to.deep.equal([[], [], [], 0]);
    const [asset] = await storage().stores.assets.list({ experimentId: source.id, limit: 1 });
    expect(await modelVersions().findKept(source.key, asset?.id ?? '')).to.deep.equal([]);
    await addModel(storage(), { workspaceId: made.workspaceId, name: 'gone' });
  });

  it('returns a version as it was stored, with the number of its files', async () => {
    const [made, source] = [await addModel(storage()), await addSource(storage())];
    await addModelFile(storage(), source.id, { fileName: 'second' });
    const version = await versionOf(storage(), made, {
      source,
      version: '1.2.3-rc.1+b',
      comment: 'é',
      tags: ['b', 'a'],
      status: 'QA',
    });

    expect(await modelVersions().insertVersion(version)).to.equal(2);

    const { userId: _, ...kept } = version;
    const found = await modelVersions().findVersion(version.id);
    expect(found).to.deep.equal({
      ...kept,
      files: 2,
      userName: (await registry().findModel(made.id))?.userName,
      updatedAt: start,
    });
    expect(await modelVersions().listVersions(made.id)).to.deep.equal([found]);
    expect([
      await modelVersions().findVersion('x'),
      await modelVersions().findVersion(freshId()),
    ]).to.deep.equal([undefined, undefined]);
  });

  it('counts a version that is registered, changes its model, and keeps history and event', async () => {
    const [made, source] = [await addModel(storage()), await addSource(storage())];
    const register = async (given: { readonly version: string; readonly description?: string }) => {
      const version = await versionOf(storage(), made, {
        source,
        version: given.version,
        createdAt: start + 5,
      });
      const { description } = given;
      const files = await modelVersions().insertVersion(version, {
        latestId: version.id,
        ...(description === undefined ? {} : { description, public: true }),
        history: entry(made.id, version.id),
        event: (kept) => ({
          id: freshId(),
          subject: `registry-model:${made.id}`,
          name: 'registry.version-created',
          at: start,
          detail: { version: version.version, kept },
        }),
      });
      return { id: version.id, files };
    };

    const first = await register({ version: '1.0.0', description: 'as told' });
    const second = await register({ version: '2.0.0' });

    expect([first.files, second.files]).to.deep.equal([1, 1]);
    expect(await registry().findModel(made.id)).to.include({
      versions: 2,
      latestId: second.id,
      description: 'as told',
      public: true,
      updatedAt: start + 5,
    });
    expect((await modelVersions().listHistory(made.id, second.id, 10)).length).to.equal(1);
    expect(
      (await modelVersions().listFiles({ modelId: made.id, versionIds: [first.id], limit: 10 }))
        .length,
    ).to.equal(1);
    const told = await storage().stores.events.listAfter(`registry-model:${made.id}`, 0, 10);
    expect(told.map(({ number, detail }) => [number, detail])).to.deep.equal([
      [1, { version: '1.0.0', kept: 1 }],
      [2, { version: '2.0.0', kept: 1 }],
    ]);
  });

  it('opens the model of a name, and makes one for all that ask for a new name at once', async () => {
    const there = await addModel(storage(), { name: 'there' });
    const named = { workspaceId: there.workspaceId, normalName: 'there' };
    const fresh = (name: string) => ({ ...there, id: freshId(), name, normalName: name });
    expect([
      (await registry().openModel(named, undefined))?.id,
      (await registry().openModel(named, fresh('there')))?.id,
      await registry().openModel({ ...named, normalName: 'not-there' }, undefined),
    ]).to.deep.equal([there.id, there.id, undefined]);

    const opened = await Promise.all(
      Array.from({ length: 5 }, () =>
        registry().openModel({ ...named, normalName: 'new' }, fresh('new')),
      ),
    );

    expect(new Set(opened.map((one) => one?.id)).size).to.equal(1);
    expect(await registry().findModelByName(there.workspaceId, 'new')).to.deep.equal(opened[0]);
    const nowhere = { ...fresh('new'), workspaceId: freshId() };
    expect(kindOf(await rejection(registry().openModel(nowhere, nowhere)))).to.equal('absent');
  });

  it('refuses a version that the model has with a conflict, and keeps nothing of it', async () => {
    const made = await addModel(storage());
    const first = await addVersion(storage(), made, { version: '1.0.0' });
    const twin = await versionOf(storage(), made, { version: '1.0.0' });

    expect(kindOf(await rejection(modelVersions().insertVersion(twin)))).to.equal('conflict');

    expect((await modelVersions().listVersions(made.id)).map(({ id }) => id)).to.deep.equal([
      first.id,
    ]);
    expect(
      await modelVersions().listFiles({ modelId: made.id, versionIds: [twin.id], limit: 10 }),
    ).to.deep.equal([]);
    await addVersion(storage(), await addModel(storage()), { version: '1.0.0' });
  });

  it('stores no version of a model without files', async () => {
    const [made, source] = [await addModel(storage()), await addExperiment(storage())];
    await addModelFile(storage(), source.id, { groupingName: 'other' });
    await addModelFile(storage(), source.id, { type: 'asset' });
    await addModelFile(storage(), source.id, { artifactVersionId: freshId() });

    expect(
      await modelVersions().insertVersion(await versionOf(storage(), made, { source })),
    ).to.equal(0);
    expect(await modelVersions().listVersions(made.id)).to.deep.equal([]);
  });

  const filesOf = async (modelId: string, versionId: string): Promise<readonly string[]> =>
    (await modelVersions().listFiles({ modelId, versionIds: [versionId], limit: 100 })).map(
      ({ asset }) => asset.fileName,
    );

  it('takes in files that were on their way when it was registered, by names that are new to their model', async () => {
    const [made, other] = [await addModel(storage()), await addModel(storage())];
    const [source, elsewhere] = [await addSource(storage()), await addSource(storage())];
    const early = await addVersion(storage(), made, {
      ...{ source, version: '0.9.0', createdAt: start - 1 },
    });
    const version = await addVersion(storage(), made, { source, createdAt: start + 1 });
    const twin = await addVersion(storage(), other, { source });
    const [first] = await filesOf(made.id, version.id);
    const late = { createdAt: start };

    const file = await addModelFile(storage(), source.id, { ...late, fileName: 'late é' });
    await addModelFile(storage(), source.id, { ...late, fileName: first ?? '' });
    await addModelFile(storage(), source.id, { ...late, fileName: 'b', groupingName: 'another' });
    await addModelFile(storage(), source.id, { ...late, fileName: 'c', type: 'asset' });
    await addModelFile(storage(), source.id, { fileName: 'd', createdAt: start + 2 });
    await addModelFile(storage(), elsewhere.id, { ...late, fileName: 'e' });

    for (const [model, { id }] of [
      [made, version],
      [other, twin],
    ] as const) {
      expect(await filesOf(model.id, id)).to.deep.equal([first, 'late é']);
      expect((await modelVersions().findVersion(id))?.files).to.equal(2);
    }
    expect(await filesOf(made.id, early.id)).to.deep.equal([first]);
    const kept = await modelVersions().findKept(source.key, file.id);
    expect(kept.map(({ asset }) => asset.blobKey)).to.deep.equal([file.blobKey, file.blobKey]);
    await storage().stores.assets.remove(source.id, file.id);
    expect(await filesOf(made.id, version.id)).to.deep.equal([first, 'late é']);
  });

  it('takes in late files that may take the place of others, those that are elsewhere, and none into what is deleted', async () => {
    const [made, gone] = [await addModel(storage()), await addModel(storage())];
    const source = await addSource(storage());
    const version = await addVersion(storage(), made, { source });
    const deleted = await addVersion(storage(), gone, { source });
    await registry().markModelDeleted(gone.id, start);
    const [first] = await filesOf(made.id, version.id);
    const { assets, uploads } = storage().stores;
    const put = async (fileName: string) => {
      const file = modelFile(source.id, { fileName });
      await uploads.noteUpload(file.blobKey ?? '', start);
      await assets.insert(file, { replacing: true, idGiven: false });
    };
    for (const fileName of ['fresh', 'fresh', first ?? '']) await put(fileName);
    await assets.insertRemote(
      source.id,
      ['x', 'y'].map((fileName) =>
        modelFile(source.id, {
          ...{ fileName, blobKey: undefined },
          remoteLink: `s3://bucket/${fileName}`,
        }),
      ),
    );

    expect(await filesOf(made.id, version.id)).to.deep.equal([first, 'fresh', 'x', 'y']);
    expect((await modelVersions().findVersion(version.id))?.files).to.equal(4);
    expect(await filesOf(gone.id, deleted.id)).to.have.length(1);
  });

  it('has every file that came while it was registered', async () => {
    /** As a client registers: the model is opened first, together with the experiment. */
    const registered = (made: NewModel, version: NewVersion) =>
      storage().transaction(async ({ registry: models, modelVersions: all }) => {
        await models.openModel(made, turnsNew(made), version.experimentId);
        return all.insertVersion(version, {
          latestId: version.id,
          history: entry(made.id, version.id),
          event: () => ({
            ...{ id: freshId(), subject: `registry-model:${made.id}`, at: start },
            ...{ name: 'registry.version-created', detail: {} },
          }),
        });
      });
    // With one to make, and without.
    let opens = 0;
    const turnsNew = (made: NewModel) =>
      opens++ % 2 === 0 ? { ...made, id: freshId() } : undefined;
    for (let turn = 0; turn < 8; turn++) {
      const [made, source] = [await addModel(storage()), await addSource(storage())];
      const version = await versionOf(storage(), made, { source });
      const names = Array.from({ length: 12 }, (_, at) => `part ${at}`);

      await Promise.all([
        ...names.slice(0, 6).map((fileName) => addModelFile(storage(), source.id, { fileName })),
        turn % 2 === 0 ? modelVersions().insertVersion(version) : registered(made, version),
        ...names.slice(6).map((fileName) => addModelFile(storage(), source.id, { fileName })),
      ]);

      const files = await filesOf(made.id, version.id);
      expect(files).to.include.members(names);
      expect(files).to.have.length(13);
      expect((await modelVersions().findVersion(version.id))?.files).to.equal(13);
    }
  });

  it('changes only what is given of a version', async () => {
    const made = await addModel(storage());
    const version = await addVersion(storage(), made, { comment: 'c', tags: ['a'], status: 'QA' });
    expect(await modelVersions().readSettings(version.id)).to.deep.equal({
      metadata: undefined,
      statusConfiguration: undefined,
    });

    expect(
      await modelVersions().updateVersion(version.id, { tags: ['b', 'a'], updatedAt: start + 1 }),
    ).to.equal(true);
    expect(
      await modelVersions().updateVersion(version.id, {
        metadata: '[{"é":1}]',
        updatedAt: start + 1,
      }),
    ).to.equal(true);
    expect(
      await modelVersions().updateVersion(version.id, {
        statusConfiguration: '{}',
        updatedAt: start + 1,
      }),
    ).to.equal(true);

    const found = await modelVersions().findVersion(version.id);
    expect([found?.comment, found?.tags, found?.status, found?.updatedAt]).to.deep.equal([
      'c',
      ['b', 'a'],
      'QA',
      start + 1,
    ]);
    expect(await modelVersions().readSettings(version.id)).to.deep.equal({
      metadata: '[{"é":1}]',
      statusConfiguration: '{}',
    });
    expect(
      await modelVersions().updateVersion(freshId(), { comment: '', updatedAt: start }),
    ).to.equal(false);
  });

  it('hides a deleted version at once, and frees its number', async () => {
    const made = await addModel(storage());
    const [first, second] = [
      await addVersion(storage(), made, { version: '1.0.0' }),
      await addVersion(storage(), made, { version: '2.0.0' }),
    ];

    expect([
      await modelVersions().markVersionDeleted(first.id, start),
      await modelVersions().markVersionDeleted(first.id, start),
    ]).to.deep.equal([true, false]);

    expect([
      await modelVersions().findVersion(first.id),
      await versionsIn(made.id),
      await modelVersions().listRecords(first.experimentId),
    ]).to.deep.equal([undefined, ['2.0.0'], []]);
    await addVersion(storage(), made, { version: '1.0.0' });
    expect(await versionsIn(made.id)).to.deep.equal([second.version, '1.0.0']);
  });

  it('lists files of several versions by version and order of storing, some at a time', async () => {
    const [made, source] = [await addModel(storage()), await addSource(storage())];
    for (const fileName of ['b', 'a', 'c']) await addModelFile(storage(), source.id, { fileName });
    const [first, second] = [
      await addVersion(storage(), made, { source, version: '1.0.0' }),
      await addVersion(storage(), made, { source, version: '2.0.0' }),
    ];
    const names = ['weights.bin', 'b', 'a', 'c'];
    const list = async (versionIds: readonly string[], limit: number, afterRow?: string) =>
      (
        await modelVersions().listFiles({
          modelId: made.id,
          versionIds,
          limit,
          ...(afterRow === undefined ? {} : { afterRow }),
        })
      ).map(({ versionId, asset }) => [versionId, asset.fileName]);

    expect(await list([first.id, second.id], 100)).to.deep.equal(
      [first.id, second.id].flatMap((id) => names.map((name) => [id, name])),
    );
    expect(await list([second.id], 3)).to.deep.equal(
      names.slice(0, 3).map((name) => [second.id, name]),
    );
    const [, after] = await modelVersions().listFiles({
      modelId: made.id,
      versionIds: [first.id],
      limit: 2,
    });
    expect(await list([first.id], 100, after?.asset.rowId)).to.deep.equal(
      names.slice(2).map((name) => [first.id, name]),
    );
    expect(await list([], 100)).to.deep.equal([]);
  });

  it("keeps a file as it was when it is replaced or removed, and tells that it is no longer the experiment's", async () => {
    const [made, source] = [await addModel(storage()), await addExperiment(storage())];
    const asset = await addModelFile(storage(), source.id, {
      fileName: '../é',
      metadata: '{"a":1}',
      step: 4,
      fileSize: 2 ** 40,
      tags: ['t'],
    });
    const version = await addVersion(storage(), made, { source });
    const files = () =>
      modelVersions().listFiles({ modelId: made.id, versionIds: [version.id], limit: 10 });
    const [before] = await files();
    expect([before?.current, before?.asset.rowId]).to.deep.equal([true, asset.rowId]);

    const replacing = { ...asset, rowId: freshId(), fileSize: 5 };
    await storage().stores.uploads.noteUpload(`w/${replacing.rowId}`, start);
    await storage().stores.assets.insert(
      { ...replacing, blobKey: `w/${replacing.rowId}` },
      { replacing: true, idGiven: true },
    );
    const [after] = await files();

    expect(after?.current).to.equal(false);
    expect({ ...after?.asset }).to.deep.equal(
      Object.fromEntries(Object.entries(asset).filter(([, value]) => value !== undefined)),
    );
    await storage().stores.assets.remove(source.id, asset.id);
    expect((await files()).map(({ current, asset: one }) => [current, one.rowId])).to.deep.equal([
      [false, asset.rowId],
    ]);
  });

  it('holds bytes that a version keeps until the version is gone', async () => {
    const [made, source] = [await addModel(storage()), await addExperiment(storage())];
    const [kept, loose] = [
      await addModelFile(storage(), source.id),
      await addModelFile(storage(), source.id, { groupingName: 'other' }),
    ];
    await addVersion(storage(), made, { source });

    for (const { id } of [kept, loose]) await storage().stores.assets.remove(source.id, id);

    expect([await queued(kept.blobKey), await queued(loose.blobKey)]).to.deep.equal([false, true]);
  });

  it('finds what is kept of an asset by the names of its link and by its row, the newest first', async () => {
    const workspace = await addWorkspace(storage());
    const made = await addModel(storage(), { workspaceId: workspace.id, public: true });
    const source = await addExperiment(storage());
    const asset = await addModelFile(storage(), source.id);
    await addVersion(storage(), made, { source });
    const again = { ...asset, rowId: freshId(), blobKey: undefined, remoteLink: 's3://b/c' };
    await storage().stores.assets.insert(again, { replacing: true, idGiven: true });
    await addVersion(storage(), made, { source, version: '2.0.0' });
    const find = async (key: string, name: string) =>
      (await modelVersions().findKept(key, name)).map((one) => [
        one.asset.rowId,
        one.workspaceId,
        one.public,
      ]);

    expect(await find(source.key, asset.id)).to.deep.equal([
      [again.rowId, workspace.id, true],
      [asset.rowId, workspace.id, true],
    ]);
    expect(await find(source.key, asset.rowId)).to.deep.equal([[asset.rowId, workspace.id, true]]);
    expect([await find('other', asset.id), await find(source.key, 'x')]).to.deep.equal([[], []]);
  });

  it('tells where the models of an experiment are registered', async () => {
    const [one, other, source] = [
      await addModel(storage()),
      await addModel(storage()),
      await addSource(storage()),
    ];
    const [first, second] = [
      await addVersion(storage(), one, { source, version: '1.0.0' }),
      await addVersion(storage(), other, { source, version: '3.0.0' }),
    ];
    await addVersion(storage(), one, { version: '2.0.0' });

    expect(await modelVersions().listRecords(source.id)).to.deep.equal([
      {
        experimentModelName: 'net',
        modelId: one.id,
        modelName: one.name,
        versionId: first.id,
        version: '1.0.0',
        createdAt: start,
      },
      {
        experimentModelName: 'net',
        modelId: other.id,
        modelName: other.name,
        versionId: second.id,
        version: '3.0.0',
        createdAt: start,
      },
    ]);
  });

  it('keeps a history, the newest first', async () => {
    const [modelId, versionId] = [freshId(), freshId()];
    const first = entry(modelId, versionId);
    const second = entry(modelId, versionId, {
      action: 'MODEL_VERSION_STATUS_CHANGED',
      comment: '',
      previous: { registryModelStatus: 'None' },
      next: { registryModelStatus: 'é', changedBy: 'bob' },
      userName: 'bob',
      at: start + 1,
    });
    for (const one of [first, second, entry(modelId, freshId())])
      await modelVersions().appendHistory(one);

    expect(await modelVersions().listHistory(modelId, versionId, 10)).to.deep.equal([
      second,
      first,
    ]);
    expect(await modelVersions().listHistory(modelId, versionId, 1)).to.deep.equal([second]);
  });

  it('lets a user download once in a window, and says how long to wait', async () => {
    const [user, other] = [freshId(), freshId()];

    expect([
      await registry().takeDownload(user, 60_000),
      await registry().takeDownload(other, 60_000),
    ]).to.deep.equal([0, 0]);
    expect(await registry().takeDownload(user, 60_000)).to.be.within(50_000, 60_000);
    const short = freshId();
    const taken = await Promise.all(
      Array.from({ length: 5 }, () => registry().takeDownload(short, 60_000)),
    );
    expect(taken.filter((waitMs) => waitMs === 0)).to.have.length(1);
    const passed = freshId();
    expect([
      await registry().takeDownload(passed, 0),
      await registry().takeDownload(passed, 0),
    ]).to.deep.equal([0, 0]);
  });
};
