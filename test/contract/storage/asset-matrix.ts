import { expect } from 'chai';
import type { Asset } from '#ports/model/assets';
import { mostMetadata, type AssetSelection } from '#ports/storage/asset-matrix';
import type { Storage } from '#ports/storage/storage';
import { addArtifact, addExperiment, addVersion, freshId, freshKey, start } from './builders.js';

/** What every store that shows assets of many runs side by side keeps to. */
export const assetMatrixContract = (storage: () => Storage): void => {
  const matrix = () => storage().stores.assetMatrix;
  const keep = async (experimentId: string, given: Partial<Asset> = {}): Promise<Asset> => {
    const rowId = freshId();
    const one: Asset = {
      id: freshKey(),
      rowId,
      experimentId,
      workspaceId: freshId(),
      fileName: 'sample.png',
      type: 'image',
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
    await storage().stores.uploads.noteUpload(one.blobKey ?? '', start);
    const kept = await storage().stores.assets.insert(one, { replacing: false, idGiven: true });
    expect(kept).to.deep.equal({ outcome: 'kept', id: one.id });
    return one;
  };
  const idsOf = (assets: readonly Asset[]) => assets.map(({ id }) => id);
  const images = (
    experimentIds: readonly string[],
    of: AssetSelection['of'] = { fileNames: ['sample.png'] },
  ): AssetSelection => ({ experimentIds, type: 'image', of });
  /** Two runs with an image at each of some steps, the second with one that has no step. */
  const twoRuns = async () => {
    const [one, other] = [await addExperiment(storage()), await addExperiment(storage())];
    const made: Record<string, Asset> = {};
    for (const step of [20, 10, -5]) made[`one ${step}`] = await keep(one.id, { step });
    for (const step of [15, 30]) made[`other ${step}`] = await keep(other.id, { step });
    made['other'] = await keep(other.id);
    return { ids: [one.id, other.id].sort(), one, other, made };
  };

  it('lists what each experiment has under a name, with the first and the last step', async () => {
    const { ids, one, other } = await twoRuns();
    await keep(one.id, { fileName: 'Sample.png' });
    await keep(one.id, { type: 'audio', step: 3 });

    const all = await matrix().listNames({ experimentIds: ids, perExperiment: 100 });
    const typed = await matrix().listNames({
      experimentIds: ids,
      type: 'audio',
      perExperiment: 100,
    });

    const audio = {
      experimentId: one.id,
      type: 'audio',
      fileName: 'sample.png',
      count: 1,
      firstStep: 3,
      lastStep: 3,
    };
    expect(all).to.have.deep.members([
      {
        experimentId: one.id,
        type: 'image',
        fileName: 'sample.png',
        count: 3,
        firstStep: -5,
        lastStep: 20,
      },
      {
        experimentId: one.id,
        type: 'image',
        fileName: 'Sample.png',
        count: 1,
        firstStep: undefined,
        lastStep: undefined,
      },
      audio,
      {
        experimentId: other.id,
        type: 'image',
        fileName: 'sample.png',
        count: 3,
        firstStep: 15,
        lastStep: 30,
      },
    ]);
    expect(typed).to.deep.equal([audio]);
    expect(await matrix().listNames({ experimentIds: [], perExperiment: 100 })).to.deep.equal([]);
  });

  it('looks at no more than the oldest assets of an experiment for their names', async () => {
    const { ids } = await twoRuns();

    const names = await matrix().listNames({ experimentIds: ids, type: 'image', perExperiment: 2 });

    expect(names.map(({ count, firstStep }) => [count, firstStep])).to.have.deep.members([
      [2, 10],
      [2, 15],
    ]);
  });

  it('lists every step at which any of the experiments has one, up to the limit', async () => {
    const { ids } = await twoRuns();

    expect(await matrix().listSteps(images(ids), 10)).to.deep.equal([-5, 10, 15, 20, 30]);
    expect(await matrix().listSteps(images(ids), 2)).to.deep.equal([-5, 10]);
    expect(await matrix().listSteps(images([]), 2)).to.deep.equal([]);
    expect(await matrix().listSteps(images(ids, { fileNames: [] }), 2)).to.deep.equal([]);
  });

  it('shows of each experiment and name the greatest step up to one, or what has no step', async () => {
    const { ids, one, other, made } = await twoRuns();
    const at = async (step: number) => idsOf(await matrix().listAt(images(ids), step, 10));
    const inOrder = (ofOne: string, ofOther: string) =>
      one.id < other.id
        ? [made[ofOne]?.id, made[ofOther]?.id]
        : [made[ofOther]?.id, made[ofOne]?.id];

    expect(await at(19)).to.deep.equal(inOrder('one 10', 'other 15'));
    expect(await at(20)).to.deep.equal(inOrder('one 20', 'other 15'));
    expect(await at(14)).to.deep.equal(inOrder('one 10', 'other'));
    expect(await at(-6)).to.deep.equal([made['other']?.id]);
    expect(await matrix().listAt(images(ids), 20, 1)).to.have.length(1);
    expect(await matrix().listAt(images([]), 20, 1)).to.deep.equal([]);
  });

  it('shows all files of a folder at the greatest step up to one, and none of folders within it', async () => {
    const { id } = await addExperiment(storage());
    await keep(id, { fileName: 'a_%/1.png', step: 1 });
    const [second, third] = [
      await keep(id, { fileName: 'a_%/2.png', step: 2 }),
      await keep(id, { fileName: 'a_%/2b.png', step: 2 }),
    ];
    await keep(id, { fileName: 'a_%/within/3.png', step: 3 });
    await keep(id, { fileName: 'abc/3.png', step: 3 });
    await keep(id, { fileName: 'A_%/3.png', step: 3 });

    const folder = images([id], { folder: 'a_%' });
    expect(idsOf(await matrix().listAt(folder, 9, 10))).to.deep.equal([second.id, third.id]);
    expect(await matrix().listSteps(folder, 10)).to.deep.equal([1, 2]);
  });

  it('lists all of them by step and storing, from any place on, those without a step first', async () => {
    const { ids, made } = await twoRuns();
    const order = ['other', 'one -5', 'one 10', 'other 15', 'one 20', 'other 30'].map(
      (name) => made[name]?.id,
    );
    const seen: string[] = [];
    let after: Asset | undefined;
    for (let page = 0; page < order.length; page++) {
      const [next] = await matrix().listFrom(images(ids), after, 1);
      if (next === undefined) break;
      seen.push(next.id);
      after = next;
    }

    expect(seen).to.deep.equal(order);
    expect(idsOf(await matrix().listFrom(images(ids), undefined, 10))).to.deep.equal(order);
    expect(await matrix().listFrom(images(ids), after, 10)).to.deep.equal([]);
  });

  it('hands out metadata as it was stored, up to a length', async () => {
    const { id } = await addExperiment(storage());
    const long = (length: number) => JSON.stringify({ a: 'é'.repeat(length - 8) });
    await keep(id, { step: 1, metadata: '{"a": 1}' });
    await keep(id, { step: 2, metadata: long(mostMetadata) });
    await keep(id, { step: 3, metadata: long(mostMetadata + 1) });
    await keep(id, { step: 4 });
    const told = (assets: readonly Asset[]) => assets.map(({ metadata }) => metadata?.length);

    expect(told(await matrix().listFrom(images([id]), undefined, 10))).to.deep.equal([
      8,
      mostMetadata,
      undefined,
      undefined,
    ]);
    expect(told(await matrix().listAt(images([id]), 2, 10))).to.deep.equal([mostMetadata]);
    expect(told(await matrix().listAt(images([id]), 3, 10))).to.deep.equal([undefined]);
  });

  it('leaves out files of artifact versions and parts of other assets', async () => {
    const run = await addExperiment(storage());
    const version = await addVersion(storage(), run, await addArtifact(storage(), run));
    const whole = await keep(run.id, { step: 1 });
    await keep(run.id, { step: 1, partOf: whole.id });
    await keep(run.id, {
      step: 2,
      artifactVersionId: version.id,
      workspaceId: run.workspaceId,
    });

    expect(idsOf(await matrix().listAt(images([run.id]), 9, 10))).to.deep.equal([whole.id]);
    expect(idsOf(await matrix().listFrom(images([run.id]), undefined, 10))).to.deep.equal([
      whole.id,
    ]);
    expect(await matrix().listSteps(images([run.id]), 10)).to.deep.equal([1]);
    expect(
      (await matrix().listNames({ experimentIds: [run.id], perExperiment: 9 })).map(
        ({ count }) => count,
      ),
    ).to.deep.equal([1]);
  });
};
