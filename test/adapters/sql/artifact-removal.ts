import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Experiment } from '#ports/model/experiments';
import {
  addArtifact,
  addExperiment,
  addVersion,
  freshId,
  freshKey,
  start,
} from '#test/contract/storage/builders';

/** What becomes of deleted artifacts and versions, in every table there is. */
export const artifactRemovalContract = (storage: () => SqlStorage): void => {
  const remove = (signal = new AbortController().signal) =>
    storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(signal);
  const rowsOf = async (table: string, where: Readonly<Record<string, string>>): Promise<number> =>
    Number((await storage().connection.db(table).where(where).count({ n: '*' }))[0]?.n);
  const counts = ({ id }: ArtifactVersion) =>
    Promise.all([
      rowsOf('assets', { artifact_version_id: id }),
      rowsOf('artifact_uses', { version_id: id }),
      rowsOf('artifact_aliases', { version_id: id }),
      rowsOf('artifact_versions', { id }),
    ]);

  /** Gives a version some of everything. */
  const fill = async (
    made: Experiment,
    { id, artifact }: ArtifactVersion,
    files = 2,
  ): Promise<void> => {
    const { stores } = storage();
    const remote = Array.from({ length: files }, () => ({
      id: freshKey(),
      rowId: freshId(),
      experimentId: made.id,
      workspaceId: artifact.workspaceId,
      fileName: 'a',
      type: 'asset',
      fileSize: 0,
      runContext: undefined,
      step: undefined,
      epoch: undefined,
      metadata: undefined,
      remoteLink: 's3://b',
      blobKey: undefined,
      sha256: undefined,
      groupingName: undefined,
      artifactVersionId: id,
      extension: undefined,
      tags: [],
      width: undefined,
      height: undefined,
      partOf: undefined,
      createdAt: start,
    }));
    expect(await stores.assets.insertRemote(made.id, remote)).to.equal('kept');
    await stores.artifactUses.noteUse((await addExperiment(storage())).id, id, start);
    await stores.artifactVersions.setAliases(id, [`a${id}`, `b${id}`]);
  };
  const begin = async () => {
    const made = await addExperiment(storage());
    const artifact = await addArtifact(storage(), made);
    const [gone, stays] = [
      await addVersion(storage(), made, artifact),
      await addVersion(storage(), made, artifact, { version: '2.0.0' }),
    ];
    for (const one of [gone, stays]) await fill(made, one);
    return { made, artifact, gone, stays };
  };

  it('removes every row of a deleted version and none of another', async () => {
    const { gone, stays } = await begin();
    expect([await counts(gone), await counts(stays)]).to.deep.equal([
      [2, 1, 2, 1],
      [2, 1, 2, 1],
    ]);

    await storage().stores.artifactVersions.markVersionDeleted(gone.id, start);
    await remove();

    expect([await counts(gone), await counts(stays)]).to.deep.equal([
      [0, 0, 0, 0],
      [2, 1, 2, 1],
    ]);
  });

  it('removes every row of a deleted artifact but the numbers that its versions had', async () => {
    const { made, artifact, gone, stays } = await begin();
    await storage().stores.artifacts.markDeleted(artifact.id, start);
    await remove();

    expect([
      await counts(gone),
      await counts(stays),
      await rowsOf('artifacts', { id: artifact.id }),
    ]).to.deep.equal([[0, 0, 0, 0], [0, 0, 0, 0], 0]);
    const again = await addArtifact(storage(), made, { name: artifact.name });
    expect(
      await storage().stores.artifactVersions.insertVersion({
        id: freshId(),
        artifact: again,
        version: '2.0.0',
        order: '2',
        experimentId: made.id,
        experimentKey: made.key,
        ownerId: made.userId,
        metadata: undefined,
        note: undefined,
        tags: [],
        createdAt: start,
      }),
    ).to.equal('used');
  });

  it('waits for requests that began before, and stops when it is told to', async () => {
    const { gone, stays } = await begin();
    const { stores, connection } = storage();
    await stores.artifactVersions.markVersionDeleted(gone.id, connection.clock.now());
    await remove();
    expect(await counts(gone)).to.deep.equal([2, 1, 2, 1]);

    await stores.artifactVersions.markVersionDeleted(stays.id, start);
    const stopped = new AbortController();
    stopped.abort();
    await remove(stopped.signal);
    expect((await counts(stays)).at(-1)).to.equal(1);
    await remove();
    expect(await counts(stays)).to.deep.equal([0, 0, 0, 0]);
  });

  it('takes at most a thousand rows in one transaction', async function () {
    this.timeout(60_000);
    const made = await addExperiment(storage());
    const version = await addVersion(storage(), made, await addArtifact(storage(), made));
    await fill(made, version, 2300);
    await storage().stores.artifactVersions.markVersionDeleted(version.id, start);
    const { db } = storage().connection;
    let [most, deleted] = [0, 0];
    const inTransactions = new Map<string, number>();
    const note = (query: { readonly sql: string; readonly __knexTxId?: string }) => {
      if (!/^delete from .assets./.test(query.sql)) return;
      const transaction = query.__knexTxId ?? '';
      inTransactions.set(transaction, (inTransactions.get(transaction) ?? 0) + 1);
      most = Math.max(most, inTransactions.get(transaction) ?? 0);
      deleted++;
    };
    db.on('query', note);

    await remove();
    db.off('query', note);

    expect([deleted, inTransactions.has(''), most > 0 && most <= 1000]).to.deep.equal([
      2300,
      false,
      true,
    ]);
    expect(await counts(version)).to.deep.equal([0, 0, 0, 0]);
  });
};
