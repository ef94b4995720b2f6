import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Storage } from '#ports/storage/storage';
import {
  addArtifact,
  addExperiment,
  addVersion,
  freshId,
  freshName,
  rejection,
  start,
} from './builders.js';

/** What every store of artifacts keeps to. */
export const artifactContract = (storage: () => Storage): void => {
  const artifacts = () => storage().stores.artifacts;
  const artifactVersions = () => storage().stores.artifactVersions;
  const artifactUses = () => storage().stores.artifactUses;
  /** A run with an artifact of its own. */
  const begin = async () => {
    const made = await addExperiment(storage());
    return { made, artifact: await addArtifact(storage(), made) };
  };
  const numbers = (versions: readonly ArtifactVersion[]) => versions.map(({ version }) => version);
  const aliasesOf = async (id: string) => (await artifactVersions().findVersion(id))?.aliases;

  it('returns an artifact as it was stored, with the names of owner, project and workspace', async () => {
    const made = await addExperiment(storage());
    const artifact = await addArtifact(storage(), made, {
      name: '../../é🦄 \u202e ',
      type: 'data set',
      public: true,
    });
    await artifacts().update(artifact.id, {
      description: 'd',
      metadata: '{"a": 1.0}',
      emoji: '🦄',
      tags: ['b', 'a'],
    });

    const found = await artifacts().find(artifact.id);
    expect(found).to.deep.equal({
      id: artifact.id,
      workspaceId: made.workspaceId,
      workspaceName: made.workspaceName,
      name: '../../é🦄 \u202e ',
      type: 'data set',
      description: 'd',
      metadata: '{"a": 1.0}',
      public: true,
      emoji: '🦄',
      tags: ['b', 'a'],
      projectId: made.projectId,
      projectName: made.projectName,
      experimentKey: made.key,
      ownerName: made.userName,
      createdAt: start,
    });
    expect(await artifacts().findByName(made.workspaceId, artifact.name)).to.deep.equal(found);
  });

  it('opens one artifact for a name, also when several callers do at once, and tells names and workspaces apart', async () => {
    const made = await addExperiment(storage());
    const name = freshName('Artifact');

    const opened = await Promise.all(
      Array.from({ length: 6 }, () => addArtifact(storage(), made, { name })),
    );
    const others = [
      await addArtifact(storage(), made, { name: name.toLowerCase() }),
      await addArtifact(storage(), made, { name: `${name} ` }),
      await addArtifact(storage(), await addExperiment(storage()), { name }),
    ];

    expect(new Set(opened.map(({ id }) => id)).size).to.equal(1);
    expect(new Set([...opened, ...others].map(({ id }) => id)).size).to.equal(4);
    expect((await artifacts().findByName(made.workspaceId, name))?.id).to.equal(opened[0]?.id);
  });

  it('changes only what is given, clears metadata, and says whether there is such an artifact', async () => {
    const { artifact } = await begin();
    await artifacts().update(artifact.id, { type: 't', metadata: '{}', tags: ['a'], public: true });
    expect(await artifacts().update(artifact.id, { metadata: null, tags: [] })).to.equal(true);
    expect(await artifacts().update(artifact.id, {})).to.equal(true);

    const found = await artifacts().find(artifact.id);
    expect([found?.type, found?.metadata, found?.tags, found?.public]).to.deep.equal([
      't',
      undefined,
      [],
      true,
    ]);
    expect([
      await artifacts().update(freshId(), { type: 'x' }),
      await artifacts().update('x', { type: 'x' }),
    ]).to.deep.equal([false, false]);
  });

  it('lists artifacts of a workspace in the order they were made, page by page and by type', async () => {
    const made = await addExperiment(storage());
    const all = [
      await addArtifact(storage(), made),
      await addArtifact(storage(), made, { type: 'Data' }),
      await addArtifact(storage(), made),
    ];
    await begin();
    const idsOf = async (
      more: { readonly type?: string; readonly afterId?: string } = {},
      limit = 10,
    ) =>
      (await artifacts().list({ workspaceId: made.workspaceId, limit, ...more })).map(
        ({ id }) => id,
      );

    expect(await idsOf()).to.deep.equal(all.map(({ id }) => id));
    expect(await idsOf({ afterId: all[0]!.id }, 1)).to.deep.equal([all[1]!.id]);
    expect(await idsOf({ type: 'data' })).to.deep.equal([all[0]!.id, all[2]!.id]);
  });

  it('counts the versions of artifacts', async () => {
    const { made, artifact } = await begin();
    const none = await addArtifact(storage(), made);
    const [gone] = [
      await addVersion(storage(), made, artifact),
      await addVersion(storage(), made, artifact, { version: '2.0.0' }),
      await addVersion(storage(), made, artifact, { version: '3.0.0' }),
    ];
    await artifactVersions().markVersionDeleted(gone.id, start);

    expect([...(await artifacts().figures([artifact.id, none.id]))]).to.deep.equal([
      [artifact.id, { versions: 2, sizeInBytes: 0 }],
    ]);
  });

  it('returns a version as it was stored', async () => {
    const { made, artifact } = await begin();
    const version = await addVersion(storage(), made, artifact, {
      version: '1.2.3-rc.1+b',
      metadata: '{"é": NaN}',
      note: 'n',
      tags: ['y', 'x'],
    });

    expect(version).to.deep.equal({
      id: version.id,
      artifact,
      version: '1.2.3-rc.1+b',
      state: 'OPEN',
      experimentId: made.id,
      experimentKey: made.key,
      ownerName: made.userName,
      metadata: '{"é": NaN}',
      note: 'n',
      tags: ['y', 'x'],
      aliases: [],
      sizeInBytes: 0,
      createdAt: start,
    });
    expect(await artifactVersions().findVersionByNumber(artifact.id, '1.2.3-rc.1+b')).to.deep.equal(
      version,
    );
    for (const other of ['1.2.3-RC.1+b', '1.2.3-rc.1', '1.2.3-rc.1+b ', '9'.repeat(300)])
      expect(await artifactVersions().findVersionByNumber(artifact.id, other)).to.equal(undefined);
  });

  it('gives each number of an artifact once, also when several ask at once', async () => {
    const { made, artifact } = await begin();
    const insert = () =>
      artifactVersions().insertVersion({
        id: freshId(),
        artifact,
        version: '1.0.0',
        order: 'a',
        experimentId: made.id,
        experimentKey: made.key,
        ownerId: made.userId,
        metadata: undefined,
        note: undefined,
        tags: [],
        createdAt: start,
      });

    const outcomes = await Promise.all([insert(), insert(), insert(), insert()]);
    expect([...outcomes].sort()).to.deep.equal(['made', 'taken', 'taken', 'taken']);
    expect(
      numbers(await artifactVersions().listVersions(artifact.id, undefined, 10)),
    ).to.deep.equal(['1.0.0']);
  });

  it('tells the highest number that is there from the highest that ever was', async () => {
    const { made, artifact } = await begin();
    const highest = () => artifactVersions().findHighest(artifact);
    expect(await highest()).to.deep.equal({ present: undefined, ever: undefined });
    await addVersion(storage(), made, artifact, { version: '1.0.0', order: 'a' });
    const second = await addVersion(storage(), made, artifact, { version: '2.0.0', order: 'b' });
    expect(await highest()).to.deep.equal({ present: '2.0.0', ever: '2.0.0' });

    await artifactVersions().markVersionDeleted(second.id, start);

    expect(await highest()).to.deep.equal({ present: '1.0.0', ever: '2.0.0' });
  });

  it('opens one artifact for all that ask for a new name at once', async () => {
    const { made } = await begin();
    const name = freshName();

    const opened = await Promise.all(
      Array.from({ length: 5 }, () => addArtifact(storage(), made, { name })),
    );

    expect(new Set(opened.map(({ id }) => id)).size).to.equal(1);
    expect(await artifacts().findByName(made.workspaceId, name)).to.deep.equal(opened[0]);
  });

  it('never gives the number of a deleted version again, nor that of a deleted artifact of the name', async () => {
    const { made, artifact } = await begin();
    const again = (of = artifact) =>
      artifactVersions().insertVersion({
        id: freshId(),
        artifact: of,
        version: '2.0.0',
        order: 'b',
        experimentId: made.id,
        experimentKey: made.key,
        ownerId: made.userId,
        metadata: undefined,
        note: undefined,
        tags: [],
        createdAt: start,
      });
    const version = await addVersion(storage(), made, artifact, { version: '2.0.0', order: 'b' });
    await addVersion(storage(), made, artifact, { version: '1.0.0', order: 'a' });
    expect(await artifactVersions().markVersionDeleted(version.id, start)).to.equal(true);

    expect([
      await again(),
      await artifactVersions().findHighestNumber(made.workspaceId, artifact.name),
    ]).to.deep.equal(['used', '2.0.0']);
    await artifacts().markDeleted(artifact.id, start);
    const next = await addArtifact(storage(), made, { name: artifact.name });
    expect([
      await again(next),
      await artifactVersions().findHighestNumber(made.workspaceId, artifact.name),
      await artifactVersions().findHighestNumber(made.workspaceId, freshName()),
    ]).to.deep.equal(['used', '2.0.0', undefined]);
    expect(next.id).to.not.equal(artifact.id);
  });

  it('lists versions in the given order, page by page, and finds the highest, of a state too', async () => {
    const { made, artifact } = await begin();
    const [ten, nine, two] = [
      await addVersion(storage(), made, artifact, { version: '10.0.0', order: '~c' }),
      await addVersion(storage(), made, artifact, { version: '9.0.0', order: '!b' }),
      await addVersion(storage(), made, artifact, { version: '2.0.0', order: '!B' }),
    ];
    await artifactVersions().finishVersion(two.id, 'CLOSED');

    expect(
      numbers(await artifactVersions().listVersions(artifact.id, undefined, 10)),
    ).to.deep.equal(['2.0.0', '9.0.0', '10.0.0']);
    expect(numbers(await artifactVersions().listVersions(artifact.id, two.id, 1))).to.deep.equal([
      '9.0.0',
    ]);
    expect(await artifactVersions().listVersions(artifact.id, ten.id, 10)).to.deep.equal([]);
    expect((await artifactVersions().findHighestVersion(artifact.id))?.id).to.equal(ten.id);
    expect([
      (await artifactVersions().findHighestVersion(artifact.id, 'CLOSED'))?.id,
      await artifactVersions().findHighestVersion(artifact.id, 'ERROR'),
    ]).to.deep.equal([two.id, undefined]);
    expect(
      (await artifactVersions().listVersionsByIds([nine.id, freshId(), 'x', ten.id])).map(
        ({ id }) => id,
      ),
    ).to.have.members([nine.id, ten.id]);
    expect(await artifactVersions().listVersionsByIds([])).to.deep.equal([]);
  });

  it('finishes a version once', async () => {
    const { made, artifact } = await begin();
    const { id } = await addVersion(storage(), made, artifact);

    const ends = await Promise.all([
      artifactVersions().finishVersion(id, 'CLOSED'),
      artifactVersions().finishVersion(id, 'CLOSED'),
    ]);
    expect([
      ...ends,
      await artifactVersions().finishVersion(id, 'ERROR'),
      (await artifactVersions().findVersion(id))?.state,
    ]).to.deep.equal(['CLOSED', 'CLOSED', 'CLOSED', 'CLOSED']);
    expect(await artifactVersions().finishVersion(freshId(), 'ERROR')).to.equal(undefined);
  });

  it('changes metadata and tags of a version, only those that are given', async () => {
    const { made, artifact } = await begin();
    const { id } = await addVersion(storage(), made, artifact, {
      metadata: '{"a":1}',
      tags: ['a'],
    });
    const read = async () => {
      const found = await artifactVersions().findVersion(id);
      return [found?.metadata, found?.tags];
    };

    expect([
      await artifactVersions().updateVersion(id, { tags: ['c', 'b'] }),
      await read(),
    ]).to.deep.equal([true, ['{"a":1}', ['c', 'b']]]);
    expect([
      await artifactVersions().updateVersion(id, { metadata: null }),
      await artifactVersions().updateVersion(id, {}),
      await read(),
    ]).to.deep.equal([true, true, [undefined, ['c', 'b']]]);
    expect(await artifactVersions().updateVersion(freshId(), { tags: [] })).to.equal(false);
  });

  it('keeps aliases in their order, replaces them as a whole, and moves each off the version that held it', async () => {
    const { made, artifact } = await begin();
    const [one, two] = [
      await addVersion(storage(), made, artifact),
      await addVersion(storage(), made, artifact, { version: '2.0.0' }),
    ];
    const elsewhere = await addVersion(storage(), made, await addArtifact(storage(), made));
    await artifactVersions().setAliases(elsewhere.id, ['prod']);
    await artifactVersions().setAliases(one.id, ['prod', 'é ', 'a', 'é']);
    expect(await aliasesOf(one.id)).to.deep.equal(['prod', 'é ', 'a', 'é']);

    expect(await artifactVersions().setAliases(two.id, ['PROD', 'b'])).to.equal(true);
    expect([
      await aliasesOf(one.id),
      await aliasesOf(two.id),
      await aliasesOf(elsewhere.id),
    ]).to.deep.equal([['é ', 'a', 'é'], ['PROD', 'b'], ['prod']]);
    expect([
      await artifactVersions().addAlias(one.id, 'b'),
      await artifactVersions().addAlias(one.id, 'A'),
    ]).to.deep.equal([true, true]);
    expect([await aliasesOf(one.id), await aliasesOf(two.id)]).to.deep.equal([
      ['é ', 'é', 'b', 'A'],
      ['PROD'],
    ]);
    await artifactVersions().setAliases(two.id, []);
    expect([
      await aliasesOf(two.id),
      await artifactVersions().findVersionByAlias(artifact.id, 'prod'),
    ]).to.deep.equal([[], undefined]);
    expect([
      await artifactVersions().setAliases(freshId(), ['x']),
      await artifactVersions().addAlias(freshId(), 'x'),
    ]).to.deep.equal([false, false]);
  });

  it('finds a version by an alias in any case', async () => {
    const { made, artifact } = await begin();
    const { id } = await addVersion(storage(), made, artifact);
    await artifactVersions().addAlias(id, 'Latest');

    for (const alias of ['latest', 'LATEST', 'Latest'])
      expect((await artifactVersions().findVersionByAlias(artifact.id, alias))?.id).to.equal(id);
    expect(await artifactVersions().findVersionByAlias(artifact.id, 'latest ')).to.equal(undefined);
  });

  it('lets an alias be held by one version, whoever asks at once', async () => {
    const { made, artifact } = await begin();
    const all: ArtifactVersion[] = [];
    for (let n = 1; n <= 5; n++)
      all.push(await addVersion(storage(), made, artifact, { version: `${n}.0.0` }));

    await Promise.all(all.map(({ id }) => artifactVersions().addAlias(id, 'Latest')));

    expect((await Promise.all(all.map(({ id }) => aliasesOf(id)))).flat()).to.deep.equal([
      'Latest',
    ]);
  });

  it('hides a deleted version at once from every read', async () => {
    const { made, artifact } = await begin();
    const { id } = await addVersion(storage(), made, artifact);
    const reader = await addExperiment(storage());
    await artifactVersions().setAliases(id, ['a']);
    await artifactUses().noteUse(reader.id, id, start);

    expect([
      await artifactVersions().markVersionDeleted(id, start),
      await artifactVersions().markVersionDeleted(id, start),
      await artifactVersions().markVersionDeleted(freshId(), start),
    ]).to.deep.equal([true, false, false]);

    expect([
      await artifactVersions().findVersion(id),
      await artifactVersions().findVersionByNumber(artifact.id, '1.0.0'),
      await artifactVersions().findVersionByAlias(artifact.id, 'a'),
      await artifactVersions().findHighestVersion(artifact.id),
    ]).to.deep.equal([undefined, undefined, undefined, undefined]);
    expect([
      await artifactVersions().listVersions(artifact.id, undefined, 10),
      await artifactVersions().listVersionsByIds([id]),
      await artifactUses().listMade(made.id, 10),
      await artifactUses().listUsed(reader.id, 10),
    ]).to.deep.equal([[], [], [], []]);
    expect([
      await artifactVersions().finishVersion(id, 'CLOSED'),
      await artifactVersions().updateVersion(id, { tags: ['x'] }),
      await artifactVersions().setAliases(id, ['b']),
      await artifactVersions().addAlias(id, 'b'),
    ]).to.deep.equal([undefined, false, false, false]);
    const next = await addVersion(storage(), made, artifact, { version: '2.0.0' });
    await artifactVersions().setAliases(next.id, ['a']);
    expect((await artifactVersions().findVersionByAlias(artifact.id, 'a'))?.id).to.equal(next.id);
  });

  it('gives an artifact to another workspace under another name, with its versions and used numbers', async () => {
    const { made, artifact } = await begin();
    const [version, used] = [
      await addVersion(storage(), made, artifact),
      await addVersion(storage(), made, artifact, { version: '2.0.0' }),
    ];
    await artifactVersions().markVersionDeleted(used.id, start);
    const there = await addArtifact(storage(), await addExperiment(storage()), {
      name: artifact.name,
    });
    const name = `${artifact.name}-2`;

    const refusal = await rejection(
      artifacts().moveToWorkspace(artifact.id, {
        workspaceId: there.workspaceId,
        name: artifact.name,
      }),
    );
    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
    expect(
      await artifacts().moveToWorkspace(artifact.id, { workspaceId: there.workspaceId, name }),
    ).to.equal(true);
    expect(
      await artifacts().moveToWorkspace(freshId(), { workspaceId: there.workspaceId, name }),
    ).to.equal(false);

    expect((await artifacts().findByName(there.workspaceId, name))?.id).to.equal(artifact.id);
    expect([
      await artifacts().findByName(made.workspaceId, artifact.name),
      (await artifactVersions().findVersion(version.id))?.artifact.workspaceId,
    ]).to.deep.equal([undefined, there.workspaceId]);
    expect([
      await artifactVersions().findHighestNumber(there.workspaceId, name),
      await artifactVersions().findHighestNumber(made.workspaceId, artifact.name),
    ]).to.deep.equal(['2.0.0', undefined]);
  });

  it('hides a deleted artifact and its versions at once, and frees its name', async () => {
    const { made, artifact } = await begin();
    const { id } = await addVersion(storage(), made, artifact);

    expect([
      await artifacts().markDeleted(artifact.id, start),
      await artifacts().markDeleted(artifact.id, start),
      await artifacts().markDeleted('x', start),
    ]).to.deep.equal([true, false, false]);

    expect([
      await artifacts().find(artifact.id),
      await artifacts().findByName(made.workspaceId, artifact.name),
      await artifactVersions().findVersion(id),
      await artifactVersions().findVersionByNumber(artifact.id, '1.0.0'),
    ]).to.deep.equal([undefined, undefined, undefined, undefined]);
    expect([
      await artifacts().list({ workspaceId: made.workspaceId, limit: 10 }),
      await artifactVersions().listVersions(artifact.id, undefined, 10),
      await artifactUses().listMade(made.id, 10),
    ]).to.deep.equal([[], [], []]);
    expect([
      await artifacts().update(artifact.id, { type: 'x' }),
      await artifactVersions().finishVersion(id, 'CLOSED'),
      await artifactVersions().markVersionDeleted(id, start),
    ]).to.deep.equal([false, undefined, false]);
    expect((await addArtifact(storage(), made, { name: artifact.name })).id).to.not.equal(
      artifact.id,
    );
  });

  it('tells which versions a run made and used, and which runs used a version, in order', async () => {
    const { made, artifact } = await begin();
    const [second, first] = [
      await addVersion(storage(), made, artifact, { version: '2.0.0', createdAt: start + 1 }),
      await addVersion(storage(), made, artifact),
    ];
    const [one, other] = [await addExperiment(storage()), await addExperiment(storage())];
    await artifactUses().noteUse(one.id, second.id, start + 5);
    await artifactUses().noteUse(one.id, first.id, start + 6);
    await artifactUses().noteUse(one.id, second.id, start + 9);
    await artifactUses().noteUse(other.id, first.id, start + 2);

    expect(numbers(await artifactUses().listMade(made.id, 10))).to.deep.equal(['1.0.0', '2.0.0']);
    expect([
      numbers(await artifactUses().listUsed(one.id, 10)),
      numbers(await artifactUses().listUsed(one.id, 1)),
      await artifactUses().listMade(one.id, 10),
    ]).to.deep.equal([['2.0.0', '1.0.0'], ['2.0.0'], []]);
    expect(await artifactUses().listUses(first.id, 10)).to.deep.equal([
      { experimentId: other.id, usedAt: start + 2 },
      { experimentId: one.id, usedAt: start + 6 },
    ]);
    expect(
      (await artifactUses().listUses(second.id, 10)).map(({ usedAt }) => usedAt),
    ).to.deep.equal([start + 5]);
  });

  it('outlives the run and the project that made it', async () => {
    const { made, artifact } = await begin();
    const { id } = await addVersion(storage(), made, artifact);
    await storage().stores.experiments.markDeleted(made.id, start);
    await storage().stores.projects.markDeleted(made.projectId, start);

    const found = await artifactVersions().findVersion(id);
    expect([
      found?.experimentKey,
      found?.artifact.projectId,
      found?.artifact.projectName,
    ]).to.deep.equal([made.key, undefined, undefined]);
  });
};
