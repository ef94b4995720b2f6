import { expect } from 'chai';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Asset, DirectUpload } from '#ports/model/assets';
import type { Keeping } from '#ports/storage/assets';
import type { Storage } from '#ports/storage/storage';
import { addArtifact, addExperiment, addVersion, freshId, freshKey, start } from './builders.js';
import {
  addModel,
  addModelFile,
  addSource,
  addVersion as addRegistered,
} from './registry-builders.js';

/** What every asset store keeps to. */
export const assetContract = (storage: () => Storage): void => {
  const assets = () => storage().stores.assets;
  const uploads = () => storage().stores.uploads;
  const blobRecords = () => storage().stores.blobRecords;
  const links = () => storage().stores.links;
  const plain: Keeping = { replacing: false, idGiven: true };

  /** An asset of an experiment, in which only what matters is named; its bytes are under a key of its own. */
  const asset = (experimentId: string, given: Partial<Asset> = {}): Asset => {
    const rowId = given.rowId ?? freshId();
    return {
      id: freshKey(),
      rowId,
      experimentId,
      workspaceId: freshId(),
      fileName: 'a.txt',
      type: 'asset',
      fileSize: 3,
      runContext: undefined,
      step: undefined,
      epoch: undefined,
      metadata: undefined,
      remoteLink: undefined,
      blobKey: `w/${rowId}`,
      sha256: 'f'.repeat(64),
      groupingName: undefined,
      artifactVersionId: undefined,
      extension: undefined,
      tags: [],
      width: undefined,
      height: undefined,
      partOf: undefined,
      createdAt: start,
      ...given,
    };
  };
  const keep = async (one: Asset, keeping: Keeping = plain) => {
    if (one.blobKey !== undefined) await uploads().noteUpload(one.blobKey, start);
    return assets().insert(one, keeping);
  };
  const kept = async (experimentId: string, given: Partial<Asset> = {}): Promise<Asset> => {
    const one = asset(experimentId, given);
    expect(await keep(one)).to.deep.equal({ outcome: 'kept', id: one.id });
    return one;
  };
  const idsIn = async (
    experimentId: string,
    more: {
      readonly type?: string;
      readonly fileName?: string;
      readonly groupingName?: string;
      readonly afterRow?: string;
    } = {},
    limit = 100,
  ) => (await assets().list({ experimentId, limit, ...more })).map((one) => one.id);
  const waiting = async (key: string | undefined): Promise<boolean> =>
    (await blobRecords().listRemovals(10_000)).includes(key ?? '');

  it('returns what was stored, with every member', async () => {
    const { id } = await addExperiment(storage());
    const full = await kept(id, {
      fileName: '../../é🦄 \u202e.txt',
      type: 'model-element',
      fileSize: 2 ** 40,
      runContext: 'train',
      step: -4,
      epoch: 7,
      metadata: '{"a": 1.0}',
      groupingName: 'net ',
      artifactVersionId: undefined,
      extension: 'txt',
      tags: ['b', 'a'],
      width: 4,
      height: 3,
    });
    const bare = await kept(id, {
      blobKey: undefined,
      sha256: undefined,
      remoteLink: 's3://b/c',
      fileSize: 0,
    });

    expect(await assets().find(id, full.id)).to.deep.equal(full);
    expect(await assets().findByRow(full.rowId)).to.deep.equal(full);
    expect(await assets().find(id, bare.id)).to.deep.equal(bare);
  });

  it('finds an asset in its own experiment only, by its exact id', async () => {
    const [one, other] = [await addExperiment(storage()), await addExperiment(storage())];
    const { id } = await kept(one.id, { id: `Ab${freshKey()}` });
    const twin = await kept(other.id, { id, fileName: 'twin' });

    expect((await assets().find(one.id, id))?.fileName).to.equal('a.txt');
    expect([
      await assets().find(one.id, id.toLowerCase()),
      await assets().find(one.id, `${id} `),
    ]).to.deep.equal([undefined, undefined]);
    expect((await assets().listById(id, 10)).map((found) => found.rowId)).to.have.members([
      (await assets().find(one.id, id))?.rowId,
      twin.rowId,
    ]);
  });

  it('finds the file names that hold a phrase in any case, each once with its experiments, by code points', async () => {
    const [one, other, third] = [
      await addExperiment(storage()),
      await addExperiment(storage()),
      await addExperiment(storage()),
    ];
    for (const fileName of ['b/Weights.bin', 'a-weights', '100%_weights!', 'no match'])
      await kept(one.id, { fileName });
    await kept(one.id, { fileName: 'a-weights', type: 'image' });
    await kept(other.id, { fileName: 'a-weights' });
    await kept(other.id, { fileName: 'A-WEIGHTS' });
    await kept(third.id, { fileName: 'weights elsewhere' });
    const picture = await kept(one.id, { fileName: 'picture' });
    await kept(one.id, { fileName: 'weights of a part', partOf: picture.id });
    const search = (phrase: string, limit = 10) =>
      assets().listNames({ experimentIds: [one.id, other.id], phrase, limit });
    const both = [one.id, other.id].sort();

    expect(await search('WeIghts')).to.deep.equal([
      { fileName: '100%_weights!', experimentIds: [one.id] },
      { fileName: 'A-WEIGHTS', experimentIds: [other.id] },
      { fileName: 'a-weights', experimentIds: both },
      { fileName: 'b/Weights.bin', experimentIds: [one.id] },
    ]);
    await kept(other.id, { fileName: 'ÉTÉ.txt' });
    expect((await search('été')).map(({ fileName }) => fileName)).to.deep.equal(['ÉTÉ.txt']);
    expect((await search('%_w')).map(({ fileName }) => fileName)).to.deep.equal(['100%_weights!']);
    expect((await search('weights', 2)).map(({ fileName }) => fileName)).to.deep.equal([
      '100%_weights!',
      'A-WEIGHTS',
    ]);
    expect([
      await search('weights of'),
      await search('nowhere'),
      await assets().listNames({ experimentIds: [], phrase: 'weights', limit: 10 }),
    ]).to.deep.equal([[], [], []]);
  });

  it('reports a taken id, and keeps what is there', async () => {
    const { id } = await addExperiment(storage());
    const first = await kept(id);

    expect(await keep(asset(id, { id: first.id, fileName: 'second' }))).to.deep.equal({
      outcome: 'present',
    });
    expect(await assets().find(id, first.id)).to.deep.equal(first);
  });

  it('tells that an experiment is gone, unknown or deleted', async () => {
    const { id } = await addExperiment(storage());
    await storage().stores.experiments.markDeleted(id, start);

    expect([await keep(asset(id)), await keep(asset(freshId()))]).to.deep.equal([
      { outcome: 'gone' },
      { outcome: 'gone' },
    ]);
  });

  it('keeps no row whose bytes were given up meanwhile', async () => {
    const { id } = await addExperiment(storage());
    const one = asset(id);
    await uploads().noteUpload(one.blobKey ?? '', start);
    await uploads().expireUploads({ uploads: start + 1, direct: 0 }, start, 10_000);

    expect(await assets().insert(one, plain)).to.deep.equal({ outcome: 'gone' });
    expect([await assets().find(id, one.id), await waiting(one.blobKey)]).to.deep.equal([
      undefined,
      true,
    ]);
  });

  it('never exceeds a limit, also when many come at once', async () => {
    const { id } = await addExperiment(storage());
    const limit = { types: ['image', 'shap'], most: 3 };

    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        keep(asset(id, { type: i % 2 === 0 ? 'image' : 'shap' }), { ...plain, limit }),
      ),
    );

    expect(outcomes.filter(({ outcome }) => outcome === 'kept').length).to.equal(3);
    expect(outcomes.filter(({ outcome }) => outcome === 'full').length).to.equal(5);
    expect((await idsIn(id)).length).to.equal(3);
    expect((await keep(asset(id, { type: 'asset' }), plain)).outcome).to.equal('kept');
  });

  it('replaces within one name, type, grouping and version, passing the id on', async () => {
    const { id } = await addExperiment(storage());
    const first = await kept(id, { type: 'model-element', groupingName: 'a' });
    const others = [
      await kept(id, { type: 'model-element', groupingName: 'b' }),
      await kept(id),
      await kept(id, { type: 'model-element', groupingName: 'a', fileName: 'A.txt' }),
    ];
    const next = asset(id, { type: 'model-element', groupingName: 'a', fileSize: 9 });

    expect(await keep(next, { replacing: true, idGiven: false })).to.deep.equal({
      outcome: 'kept',
      id: first.id,
    });
    expect(await assets().find(id, first.id)).to.deep.equal({ ...next, id: first.id });
    expect((await idsIn(id)).length).to.equal(1 + others.length);
    expect([await waiting(first.blobKey), await waiting(next.blobKey)]).to.deep.equal([
      true,
      false,
    ]);
  });

  it('replaces one of the same id when told to', async () => {
    const { id } = await addExperiment(storage());
    const first = await kept(id);
    const next = asset(id, { id: first.id, fileName: 'other' });

    expect((await keep(next, { replacing: true, idGiven: true })).outcome).to.equal('kept');
    expect(await idsIn(id)).to.deep.equal([first.id]);
    expect((await assets().find(id, first.id))?.fileName).to.equal('other');
  });

  it('lists in the order of storing, page by page, by type, name and grouping', async () => {
    const { id } = await addExperiment(storage());
    const all: Asset[] = [];
    for (const given of [
      {},
      { type: 'image' },
      { fileName: 'b' },
      { type: 'model-element', groupingName: 'n' },
      { fileName: 'b', type: 'image' },
    ])
      all.push(await kept(id, given));
    const { version } = await openVersion();
    await kept(id, { artifactVersionId: version.id, workspaceId: version.artifact.workspaceId });
    await kept(id, { partOf: all[0]!.id });

    expect(await idsIn(id)).to.deep.equal(all.map((one) => one.id));
    expect(await idsIn(id, { afterRow: all[1]!.rowId }, 2)).to.deep.equal([all[2]!.id, all[3]!.id]);
    expect(await idsIn(id, { type: 'image' })).to.deep.equal([all[1]!.id, all[4]!.id]);
    expect(await idsIn(id, { fileName: 'b', type: 'image' })).to.deep.equal([all[4]!.id]);
    expect(await idsIn(id, { groupingName: 'n' })).to.deep.equal([all[3]!.id]);
    expect(await idsIn(id, { groupingName: 'N' })).to.deep.equal([]);
  });

  /** A version that takes files, with the run that made it. */
  const openVersion = async () => {
    const made = await addExperiment(storage());
    return { made, version: await addVersion(storage(), made, await addArtifact(storage(), made)) };
  };
  const ofVersion = ({ id, artifact }: ArtifactVersion): Partial<Asset> => ({
    artifactVersionId: id,
    workspaceId: artifact.workspaceId,
  });
  const sizeOf = async ({ id }: ArtifactVersion) =>
    (await storage().stores.artifactVersions.findVersion(id))?.sizeInBytes;
  const remote = (experimentId: string, given: Partial<Asset>) =>
    asset(experimentId, {
      blobKey: undefined,
      sha256: undefined,
      fileSize: 0,
      remoteLink: 's3://b/c',
      ...given,
    });

  it('finds and lists files of an artifact version through it', async () => {
    const {
      made: { id },
      version,
    } = await openVersion();
    const file = await kept(id, ofVersion(version));

    expect(await assets().findInVersion(version.id, file.id)).to.deep.equal(file);
    expect(await assets().findInVersion(freshId(), file.id)).to.equal(undefined);
    expect(
      (await assets().listOfVersion(version.id, undefined, 10)).map((one) => one.id),
    ).to.deep.equal([file.id]);
    expect(await assets().listOfVersion(version.id, file.rowId, 10)).to.deep.equal([]);
    expect(await assets().remove(id, file.id)).to.equal(false);
    expect([
      await blobRecords().purge(id, 100, start),
      await blobRecords().purgeVersion(version.id, 100, start),
    ]).to.deep.equal([0, 1]);
    expect(await waiting(file.blobKey)).to.equal(true);
  });

  it('adds up the bytes of an artifact version, also when a file of it is replaced', async () => {
    const {
      made: { id },
      version,
    } = await openVersion();
    await kept(id, { ...ofVersion(version), fileSize: 2 ** 40 });
    await kept(id, { ...ofVersion(version), fileName: 'b', fileSize: 5 });
    await Promise.all(
      Array.from({ length: 5 }, (_, at) =>
        kept(id, { ...ofVersion(version), fileName: `c${at}`, fileSize: 1 }),
      ),
    );
    await keep(asset(id, { ...ofVersion(version), fileName: 'b', fileSize: 7 }), {
      replacing: true,
      idGiven: false,
    });
    await assets().insertRemote(id, [remote(id, { ...ofVersion(version), fileName: 'd' })]);

    expect(await sizeOf(version)).to.equal(2 ** 40 + 12);
    expect((await assets().listOfVersion(version.id, undefined, 100)).length).to.equal(8);
  });

  it('lets no file join a version that is finished, deleted, of another workspace or unknown', async () => {
    const {
      made: { id },
      version,
    } = await openVersion();
    const elsewhere = await openVersion();
    const { artifacts, artifactVersions } = storage().stores;
    const join = async (given: Partial<Asset>) => [
      (await keep(asset(id, given))).outcome,
      await assets().insertRemote(id, [remote(id, given)]),
    ];

    expect(
      await join({ ...ofVersion(elsewhere.version), workspaceId: version.artifact.workspaceId }),
    ).to.deep.equal(['versionGone', 'versionGone']);
    expect(await join({ ...ofVersion(version), artifactVersionId: freshId() })).to.deep.equal([
      'versionGone',
      'versionGone',
    ]);
    await artifactVersions.finishVersion(version.id, 'CLOSED');
    expect(await join(ofVersion(version))).to.deep.equal(['closed', 'closed']);
    await artifactVersions.markVersionDeleted(version.id, start);
    expect(await join(ofVersion(version))).to.deep.equal(['versionGone', 'versionGone']);
    await artifacts.markDeleted(elsewhere.version.artifact.id, start);
    expect((await keep(asset(elsewhere.made.id, ofVersion(elsewhere.version)))).outcome).to.equal(
      'versionGone',
    );
    expect(await assets().listOfVersion(version.id, undefined, 10)).to.deep.equal([]);
  });

  it('never replaces a file of another artifact version', async () => {
    const { made, version } = await openVersion();
    const next = await addVersion(storage(), made, version.artifact, { version: '2.0.0' });
    const file = await kept(made.id, ofVersion(version));
    await storage().stores.artifactVersions.finishVersion(version.id, 'CLOSED');

    for (const given of [{}, ofVersion(next)])
      expect(
        await keep(asset(made.id, { ...given, id: file.id }), { replacing: true, idGiven: true }),
      ).to.deep.equal({ outcome: 'present' });
    expect(
      await assets().insertRemote(made.id, [remote(made.id, { ...ofVersion(next), id: file.id })]),
    ).to.equal('present');
    expect(await assets().findInVersion(version.id, file.id)).to.deep.equal(file);
  });

  it('stores remote files of several versions all or none, and recognises a batch that is sent again', async () => {
    const { made, version } = await openVersion();
    const closed = await addVersion(storage(), made, version.artifact, { version: '2.0.0' });
    const first = [remote(made.id, ofVersion(version)), remote(made.id, ofVersion(closed))];
    expect(await assets().insertRemote(made.id, first)).to.equal('kept');
    await storage().stores.artifactVersions.finishVersion(closed.id, 'CLOSED');

    expect(await assets().insertRemote(made.id, [...first, first[0]!])).to.equal('kept');
    expect(
      await assets().insertRemote(made.id, [
        remote(made.id, ofVersion(version)),
        remote(made.id, ofVersion(closed)),
      ]),
    ).to.equal('closed');
    for (const one of [version, closed])
      expect((await assets().listOfVersion(one.id, undefined, 10)).length).to.equal(1);
  });

  it('tells the models of an experiment, whose ids stay', async () => {
    const { id } = await addExperiment(storage());
    for (const groupingName of ['b', 'a', 'a', 'a ', 'A'])
      await kept(id, { type: 'model-element', groupingName });
    await kept(id, { groupingName: 'no model' });

    const models = await assets().listModels(id);
    expect(models.map((model) => model.name)).to.deep.equal(['A', 'a', 'a ', 'b']);
    expect(new Set(models.map((model) => model.id)).size).to.equal(4);
    expect(await assets().listModels(id)).to.deep.equal(models);
    expect(await Promise.all(models.map((model) => assets().findModel(model.id)))).to.deep.equal(
      models.map(({ name }) => ({ experimentId: id, name })),
    );
    expect([
      await assets().findModel('x'),
      await assets().findModel(`${freshId()}.${freshKey()}`),
      await assets().findModel(`${id}.${freshKey()}`),
    ]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('keeps remote assets in any number and leaves those of a known id', async () => {
    const { id } = await addExperiment(storage());
    const many = Array.from({ length: 450 }, (_, i) =>
      asset(id, { blobKey: undefined, sha256: undefined, remoteLink: `s3://b/${i}` }),
    );

    expect(await assets().insertRemote(id, many)).to.equal('kept');
    expect(
      await assets().insertRemote(
        id,
        many.map((one) => ({ ...one, rowId: freshId(), remoteLink: 'other' })),
      ),
    ).to.equal('kept');
    expect((await idsIn(id, {}, 1000)).length).to.equal(450);
    expect((await assets().find(id, many[7]!.id))?.remoteLink).to.equal('s3://b/7');
    expect(await assets().insertRemote(freshId(), [])).to.equal('gone');
  });

  it('hides a removed asset and its parts at once and queues their bytes', async () => {
    const { id } = await addExperiment(storage());
    const whole = await kept(id);
    const part = await kept(id, { partOf: whole.id });
    expect((await assets().listPartsOf(id, whole.id)).map((one) => one.id)).to.deep.equal([
      part.id,
    ]);

    expect(await assets().remove(id, whole.id)).to.equal(true);
    expect([
      await assets().find(id, whole.id),
      await assets().find(id, part.id),
      await assets().findByRow(whole.rowId),
    ]).to.deep.equal([undefined, undefined, undefined]);
    expect([
      await waiting(whole.blobKey),
      await waiting(part.blobKey),
      await assets().remove(id, whole.id),
    ]).to.deep.equal([true, true, false]);
    await blobRecords().forgetRemovals([whole.blobKey ?? '', part.blobKey ?? '']);
    expect(await waiting(whole.blobKey)).to.equal(false);
  });

  it('purges an experiment in bounded steps', async () => {
    const { id } = await addExperiment(storage());
    const all = [await kept(id), await kept(id), await kept(id)];

    expect([
      await blobRecords().purge(id, 2, start),
      await blobRecords().purge(id, 2, start),
      await blobRecords().purge(id, 2, start),
    ]).to.deep.equal([2, 1, 0]);
    for (const one of all) expect(await waiting(one.blobKey)).to.equal(true);
  });

  it('adds tags once, in order, and takes them away', async () => {
    const { id } = await addExperiment(storage());
    const one = await kept(id, { tags: ['x'] });
    await Promise.all(
      ['a', 'b', 'a'].map((tag) => assets().changeTags(id, one.id, { add: [tag], remove: [] })),
    );

    expect((await assets().find(id, one.id))?.tags).to.have.members(['x', 'a', 'b']);
    await assets().changeTags(id, one.id, { add: [], remove: ['x', 'b'] });
    expect((await assets().find(id, one.id))?.tags).to.deep.equal(['a']);
    expect(await assets().changeTags(id, freshKey(), { add: ['a'], remove: [] })).to.equal(false);
  });

  it('keeps an upload in parts until it is finished, replacing a part that is sent again', async () => {
    const { id } = await addExperiment(storage());
    const {
      fileSize: _,
      sha256: __,
      blobKey: ___,
      width: ____,
      height: _____,
      ...facts
    } = asset(id);
    const upload: DirectUpload = {
      id: freshId(),
      experimentId: id,
      facts: JSON.parse(JSON.stringify(facts)),
      idGiven: true,
      replacing: false,
      parts: 2,
      bucket: undefined,
      expiresAt: start + 5,
      keptAs: undefined,
    };
    await uploads().insertDirect(upload);
    const part = (number: number, blobKey: string) => ({
      number,
      size: 2 ** 33,
      sha256: 'a'.repeat(64),
      blobKey,
    });
    const [one, two, three] = [`w/${freshId()}`, `w/${freshId()}`, `w/${freshId()}`];

    expect(await uploads().findDirect(upload.id)).to.deep.equal(upload);
    expect([
      await uploads().keepPart(upload.id, part(2, one)),
      await uploads().keepPart(upload.id, part(1, two)),
      await uploads().keepPart(upload.id, part(2, three)),
    ]).to.deep.equal([true, true, true]);
    expect(await uploads().listParts(upload.id)).to.deep.equal([part(1, two), part(2, three)]);
    expect(await waiting(one)).to.equal(true);
    const finished = await Promise.all([
      uploads().finishDirect(upload.id, 'kept as', start),
      uploads().finishDirect(upload.id, 'kept as', start),
    ]);
    expect(finished.filter((one) => one)).to.have.length(1);
    expect(await uploads().finishDirect(upload.id, 'another', start)).to.equal(false);
    expect(await uploads().finishDirect(freshId(), 'another', start)).to.equal(false);
    expect((await uploads().findDirect(upload.id))?.keptAs).to.equal('kept as');
    expect([
      await waiting(two),
      await waiting(three),
      await uploads().keepPart(upload.id, part(1, one)),
    ]).to.deep.equal([true, true, false]);
    await uploads().expireUploads({ uploads: 0, direct: start + 6 }, start, 1000);
    expect(await uploads().findDirect(upload.id)).to.equal(undefined);
    expect(await uploads().removeDirect(upload.id, start)).to.equal(false);
  });

  it('asks for an upload of the bucket to be dropped when it is forgotten before it became an asset', async () => {
    const { id } = await addExperiment(storage());
    const {
      fileSize: _,
      sha256: __,
      blobKey: ___,
      width: ____,
      height: _____,
      ...facts
    } = asset(id);
    const sentPast = async (): Promise<DirectUpload> => {
      const upload: DirectUpload = {
        id: freshId(),
        experimentId: id,
        facts: JSON.parse(JSON.stringify(facts)),
        idGiven: true,
        replacing: false,
        parts: 1,
        bucket: { blobKey: `w/${freshId()}`, upload: '2~a+b/c=' },
        expiresAt: start,
        keptAs: undefined,
      };
      await uploads().noteUpload(upload.bucket?.blobKey ?? '', start);
      await uploads().insertDirect(upload);
      return upload;
    };
    const [forgotten, finished, stored] = [await sentPast(), await sentPast(), await sentPast()];
    await uploads().finishDirect(finished.id, 'kept as', start);
    await uploads().forgetUpload(stored.bucket?.blobKey ?? '');
    expect(await uploads().findDirect(forgotten.id)).to.deep.equal(forgotten);

    for (const { id: upload } of [forgotten, finished, stored])
      await uploads().removeDirect(upload, start);

    const keys = [forgotten, finished, stored].map(({ bucket }) => bucket?.blobKey ?? '');
    const asked = async () =>
      (await uploads().listAborts(10_000)).filter(({ blobKey }) => keys.includes(blobKey));
    expect(await asked()).to.have.deep.members([forgotten.bucket, stored.bucket]);
    expect(await Promise.all(keys.map(waiting))).to.deep.equal([true, false, false]);
    await uploads().forgetAborts(keys);
    expect(await asked()).to.deep.equal([]);
  });

  it("knows which keys are an asset's, an upload's, a part's or queued, and no others", async () => {
    const { id } = await addExperiment(storage());
    const one = await kept(id);
    const [noted, queued, part, unknown] = [
      `w/${freshId()}`,
      `w/${freshId()}`,
      `w/${freshId()}`,
      `w/${freshId()}`,
    ];
    await uploads().noteUpload(noted, start);
    await uploads().noteUpload(queued, 1);
    await uploads().expireUploads({ uploads: 2, direct: 0 }, start, 10_000);
    const {
      fileSize: _,
      sha256: __,
      blobKey: ___,
      width: ____,
      height: _____,
      ...facts
    } = asset(id);
    const upload: DirectUpload = {
      id: freshId(),
      experimentId: id,
      facts,
      idGiven: true,
      replacing: false,
      parts: 1,
      bucket: undefined,
      expiresAt: start * 2,
      keptAs: undefined,
    };
    await uploads().insertDirect(upload);
    await uploads().keepPart(upload.id, {
      number: 1,
      size: 1,
      sha256: 'a'.repeat(64),
      blobKey: part,
    });

    const known = await blobRecords().listKnown([unknown, one.blobKey ?? '', noted, queued, part]);

    expect(known).to.deep.equal([one.blobKey, noted, queued, part]);
    expect(await blobRecords().listKnown([])).to.deep.equal([]);
  });

  it('shows an audit the bytes that versions keep, each file once, also when its asset is gone', async () => {
    const source = await addSource(storage());
    const file = await addModelFile(storage(), source.id, { fileSize: 7 });
    const model = await addModel(storage());
    for (const version of ['1.0.0', '1.0.1'])
      await addRegistered(storage(), model, { source, version });
    await storage().stores.assets.remove(source.id, file.id);

    const listed = (await blobRecords().listRegistered(undefined, 10_000)).filter(
      (one) => one.experimentId === source.id,
    );
    const shown = {
      rowId: file.rowId,
      blobKey: file.blobKey,
      experimentId: source.id,
      assetId: file.id,
      size: 7,
    };
    expect(listed).to.have.length(2).and.to.deep.include(shown);
    expect(await blobRecords().listRegistered(listed[0]?.rowId, 1)).to.deep.equal([listed[1]]);
    expect(await blobRecords().listKnown([file.blobKey ?? '', 'w/unknown'])).to.deep.equal([
      file.blobKey,
    ]);
  });

  it('lists assets that have bytes in the order of storing, page by page', async () => {
    const { id } = await addExperiment(storage());
    const stored: Asset[] = [];
    for (let at = 0; at < 5; at++) stored.push(await kept(id, { fileSize: at }));
    await kept(id, { blobKey: undefined, sha256: undefined, remoteLink: 's3://b/c', fileSize: 0 });
    const shown = stored.map(({ rowId, blobKey, fileSize, id: assetId }) => ({
      rowId,
      blobKey,
      experimentId: id,
      assetId,
      size: fileSize,
    }));

    const [first, second] = [
      await blobRecords().listKept(stored[0]?.rowId, 2),
      await blobRecords().listKept(stored[2]?.rowId, 1000),
    ];

    expect(first).to.deep.equal(shown.slice(1, 3));
    expect(second.filter((one) => one.experimentId === id)).to.deep.equal(shown.slice(3));
  });

  it('keeps one secret for links, the first one that is offered', async () => {
    const [first, second] = await Promise.all([
      links().keepLinkSecret('offer one', start),
      links().keepLinkSecret('offer two', start),
    ]);

    expect(first).to.be.a('string').and.to.equal(second);
    expect(await links().keepLinkSecret('offer three', start)).to.equal(first);
  });

  it('keeps an upload that was noted until it is taken back or too old', async () => {
    const [given, late] = [`w/${freshId()}`, `w/${freshId()}`];
    for (const key of [given, late]) await uploads().noteUpload(key, start - 1000);
    await uploads().forgetUpload(given);

    await uploads().expireUploads({ uploads: start - 999, direct: 0 }, start, 1000);

    expect([await waiting(given), await waiting(late)]).to.deep.equal([false, true]);
  });
};
