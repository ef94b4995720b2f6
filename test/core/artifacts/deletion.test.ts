// A deleted version loses its rows and then its bytes; what other versions and runs hold stays. Over a real database and a real folder.
import { expect } from 'chai';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { deleteVersion, setState } from '#core/artifacts/making';
import { sweepBlobs } from '#core/assets/offers';
import { asBlobStore } from '#ports/blob-store';
import type { ArtifactVersion } from '#ports/model/artifacts';
import {
  addArtifact,
  addExperiment,
  addVersion,
  freshKey,
  rejection,
  start,
} from '#test/contract/storage/builders';
import { embedded, folderOfBlobs, queueing } from '../opened.js';

describe('the deletion of artifact versions', () => {
  const opened = embedded();
  const blob = folderOfBlobs();

  const addFile = async ({ id, artifact, experimentId }: ArtifactVersion): Promise<string> => {
    const { assets, uploads } = opened().storage.stores;
    const rowId = systemIds.next();
    const blobKey = `${artifact.workspaceId}/${rowId}`;
    await uploads.noteUpload(blobKey, start);
    const { size, sha256 } = await blob().put(
      blobKey,
      (async function* () {
        yield Buffer.from('bytes');
      })(),
    );
    const kept = await assets.insert(
      {
        id: freshKey(),
        rowId,
        experimentId,
        workspaceId: artifact.workspaceId,
        fileName: 'a',
        type: 'asset',
        fileSize: size,
        runContext: undefined,
        step: undefined,
        epoch: undefined,
        metadata: undefined,
        remoteLink: undefined,
        blobKey,
        sha256,
        groupingName: undefined,
        artifactVersionId: id,
        extension: undefined,
        tags: [],
        width: undefined,
        height: undefined,
        partOf: undefined,
        createdAt: start,
      },
      { replacing: false, idGiven: true },
    );
    expect(kept.outcome).to.equal('kept');
    return blobKey;
  };
  const begin = async () => {
    const made = await addExperiment(opened().storage);
    const artifact = await addArtifact(opened().storage, made);
    return Promise.all(
      ['1.0.0', '2.0.0', '3.0.0'].map((version) =>
        addVersion(opened().storage, made, artifact, { version }),
      ),
    );
  };
  const remove = (version: ArtifactVersion) =>
    deleteVersion({ storage: opened().storage, clock: { now: () => start } }, version);
  const cleanUp = async () => {
    await opened()
      .storage.jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(new AbortController().signal);
    await sweepBlobs(
      {
        uploads: opened().storage.stores.uploads,
        blobRecords: opened().storage.stores.blobRecords,
        blob: blob(),
        store: asBlobStore(blob()),
        clock: systemClock,
        ...queueing(opened().storage),
      },
      1000,
      new AbortController().signal,
    );
  };
  const keysOf = async ({ artifact }: ArtifactVersion) =>
    (await blob().list({ prefix: `${artifact.workspaceId}/`, limit: 100 })).entries.map(
      ({ key }) => key,
    );

  it('removes its bytes, and none of another version', async () => {
    const [gone, stays] = await begin();
    const keys = [await addFile(gone!), await addFile(gone!), await addFile(stays!)];
    expect((await keysOf(gone!)).sort()).to.deep.equal([...keys].sort());

    await remove(gone!);
    expect(await opened().storage.stores.artifactVersions.findVersion(gone!.id)).to.equal(
      undefined,
    );
    await cleanUp();

    expect(await keysOf(gone!)).to.deep.equal([keys[2]]);
  });

  it('hands the latest alias to the highest closed version that is left', async () => {
    const versions = await begin();
    for (const version of versions)
      await setState(
        { storage: opened().storage },
        version,
        version.version === '2.0.0' ? 'ERROR' : 'CLOSED',
        undefined,
      );
    const latest = async () =>
      (
        await opened().storage.stores.artifactVersions.findVersionByAlias(
          versions[0]!.artifact.id,
          'latest',
        )
      )?.version;
    expect(await latest()).to.equal('3.0.0');

    await remove(versions[1]!);
    expect(await latest()).to.equal('3.0.0');
    await remove(versions[2]!);
    expect(await latest()).to.equal('1.0.0');
    await remove(versions[0]!);
    expect(await latest()).to.equal(undefined);
    expect(await rejection(remove(versions[0]!))).to.include({
      kind: 'absent',
      reason: 'artifactVersionAbsent',
    });
  });
});
