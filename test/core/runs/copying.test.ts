import { expect } from 'chai';
import { copyJobs, finishCopy, type CopyingNeeds } from '#core/runs/copying';
import { systemLog } from '#adapters/system/log';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, gatherPoints, point, start } from '#test/contract/storage/builders';
import { embedded } from '../opened.js';

const many = 12_000;

describe('copying a run', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;
  /** Of one name: a context is the beginning of a name, or none. */
  const contexts = ['train', undefined];
  const clock = { now: () => start };

  /** A run of two series of one name and one of another, and an empty one to copy it to. */
  const prepare = async (lastStep?: number) => {
    const [from, to] = [
      await addExperiment(opened().storage),
      await addExperiment(opened().storage),
    ];
    for (const context of contexts)
      await stores().metrics.append({
        experimentId: from.id,
        points: Array.from({ length: many }, (_, step) =>
          point({ name: 'train_loss', context, text: `${step}.0`, step }),
        ),
        receivedAt: start,
      });
    await stores().metrics.append({
      experimentId: from.id,
      points: [point({ name: 'acc', step: undefined })],
      receivedAt: start,
    });
    await stores().values.addTags(from.id, ['a'], start);
    await stores().runCopies.insert({ toId: to.id, fromId: from.id, lastStep, at: start });
    return { from, to };
  };
  const logged = async (id: string) =>
    Promise.all(
      ['acc', 'train_loss'].map((name) => gatherPoints(stores().metrics.readPoints(id, name))),
    );
  /** A storage that breaks down when some pieces are stored. */
  const breakingAfter = (pieces: number): Storage => {
    let stored = 0;
    const { storage } = opened();
    return {
      ...storage,
      transaction: (work) =>
        stored++ < pieces ? storage.transaction(work) : Promise.reject(new Error('broken')),
    };
  };
  const brokenOff = async (pieces: number, toId: string) => {
    const needs: CopyingNeeds = { storage: breakingAfter(pieces), clock };
    await finishCopy(needs, toId).then(
      () => expect.fail('it was to break off'),
      () => undefined,
    );
  };

  it('goes on where it broke off, and copies each point once and in its order', async () => {
    const { from, to } = await prepare();
    await brokenOff(2, to.id);
    const part = (await logged(to.id))[1]?.length ?? 0;

    await finishCopy({ storage: opened().storage, clock }, to.id);

    expect(part).to.be.within(1, 2 * many - 1);
    expect(await logged(to.id)).to.deep.equal(await logged(from.id));
    expect(await stores().values.listTags(to.id)).to.deep.equal(['a']);
    expect(await stores().runCopies.find(to.id)).to.equal(undefined);
  });

  it('copies each point once where two do it at the same time', async () => {
    const { from, to } = await prepare();
    const needs = { storage: opened().storage, clock };

    await Promise.all([finishCopy(needs, to.id), finishCopy(needs, to.id)]);

    expect(await logged(to.id)).to.deep.equal(await logged(from.id));
  });

  it('leaves out what was logged at later steps', async () => {
    const { to } = await prepare(9);

    await finishCopy({ storage: opened().storage, clock }, to.id);

    const [acc, loss] = await logged(to.id);
    expect([acc?.length, loss?.length]).to.deep.equal([1, 2 * 10]);
  });

  it('is finished by the job once nobody works on it', async () => {
    const { from, to } = await prepare();
    await brokenOff(1, to.id);
    const run = (now: number) =>
      copyJobs({
        storage: opened().storage,
        clock: { now: () => now },
        log: systemLog('silent'),
      })[0]?.run(new AbortController().signal);

    await run(start + 1000);
    const early = await stores().runCopies.find(to.id);
    await run(start + 60_000);

    expect(early?.pieces).to.equal(1);
    expect(await logged(to.id)).to.deep.equal(await logged(from.id));
  });

  it('ends where the run that it fills is gone', async () => {
    const { to } = await prepare();
    await stores().experiments.markDeleted(to.id, start);

    await finishCopy({ storage: opened().storage, clock }, to.id);

    expect(await stores().runCopies.find(to.id)).to.equal(undefined);
  });
});
