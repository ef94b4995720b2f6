import { expect } from 'chai';
import type { Trial } from '#ports/model/optimizer';
import type { NewOptimizer } from '#ports/storage/optimizer';
import type { Storage } from '#ports/storage/storage';
import { addWorkspace, countUnderLock, freshId, start } from './builders.js';

const trial = (given: Partial<Trial> = {}): Trial => ({
  pid: 'p1',
  trial: 1,
  count: 1,
  parameters: '{"x":1}',
  status: 'assigned',
  score: undefined,
  epoch: undefined,
  tries: 1,
  retries: 0,
  startTime: start,
  endTime: undefined,
  updatedAt: start,
  metadata: undefined,
  ...given,
});

/** What every store of searches for parameters keeps to. */
export const optimizerContract = (storage: () => Storage): void => {
  const optimizers = () => storage().stores.optimizers;
  const addOptimizer = async (given: Partial<NewOptimizer> = {}): Promise<NewOptimizer> => {
    const workspace = await addWorkspace(storage());
    const optimizer: NewOptimizer = {
      id: freshId(),
      workspaceId: workspace.id,
      userId: workspace.ownerId,
      algorithm: 'random',
      name: undefined,
      parameters: '{ "x": 1.0 }',
      spec: '{}',
      trials: 1,
      seed: 'Seed ',
      createdAt: start,
      ...given,
    };
    await optimizers().insert(optimizer);
    return optimizer;
  };

  it('returns what was stored, character for character', async () => {
    const { userId: _, ...made } = await addOptimizer({ name: 'näme' });

    expect(await optimizers().find(made.id)).to.deep.equal({ ...made, assigned: 0 });
    expect([await optimizers().find('x'), await optimizers().find(freshId())]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('gives each place of a search to one of many who claim it at once', async () => {
    const { id } = await addOptimizer();

    const won = await Promise.all(
      Array.from({ length: 12 }, (_, at) => optimizers().claim(id, 0, trial({ pid: `p${at}` }))),
    );

    expect(won.filter((one) => one)).to.deep.equal([true]);
    expect((await optimizers().listTrials(id, { limit: 100 })).map((one) => one.pid)).to.deep.equal(
      [`p${won.indexOf(true)}`],
    );
    expect((await optimizers().find(id))?.assigned).to.equal(1);
  });

  it('keeps others from giving out trials of a search that is locked', async () => {
    const { id } = await addOptimizer();

    const counted = await countUnderLock(storage(), 12, {
      async next(stores) {
        const assigned = (await stores.optimizers.lock(id))?.assigned ?? -1;
        await stores.optimizers.claim(id, assigned, trial({ pid: `p${assigned}` }));
      },
      read: async () => (await optimizers().find(id))?.assigned,
    });

    expect(counted).to.equal(12);
    expect([await optimizers().lock('x'), await optimizers().lock(freshId())]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('assigns an aborted trial again to one of many workers, up to its limit of attempts', async () => {
    const { id } = await addOptimizer();
    await optimizers().claim(id, 0, trial());
    await optimizers().updateTrial(id, 'p1', 1, {
      status: 'aborted',
      score: 3,
      epoch: 2,
      endTime: start + 5,
      updatedAt: start + 5,
    });
    const limits = (aborted: number) => ({ aborted, silent: 0, silentSince: start + 100 });
    const aborted = await optimizers().findRepeatable(id, limits(1));

    const won = await Promise.all(
      Array.from({ length: 6 }, () => optimizers().claimAgain(id, aborted ?? trial(), start + 9)),
    );

    expect(won.filter((one) => one)).to.deep.equal([true]);
    const again = await optimizers().findTrial(id, 'p1', 1);
    expect([
      again?.status,
      again?.score,
      again?.tries,
      again?.retries,
      again?.startTime,
      again?.endTime,
    ]).to.deep.equal(['assigned', undefined, 2, 1, start + 9, undefined]);
    await optimizers().updateTrial(id, 'p1', 1, {
      status: 'aborted',
      score: undefined,
      epoch: undefined,
      endTime: start,
      updatedAt: start,
    });
    expect([
      await optimizers().findRepeatable(id, limits(1)),
      (await optimizers().findRepeatable(id, limits(2)))?.pid,
    ]).to.deep.equal([undefined, 'p1']);
  });

  it('assigns a trial again that was silent for long, up to its limit of attempts', async () => {
    const { id } = await addOptimizer();
    await optimizers().claim(id, 0, trial({ status: 'assigned', updatedAt: start }));
    const find = (silent: number, silentSince: number) =>
      optimizers().findRepeatable(id, { aborted: 20, silent, silentSince });

    expect([await find(0, start), await find(1, start - 1)]).to.deep.equal([undefined, undefined]);
    const silent = await find(1, start);
    expect(silent?.pid).to.equal('p1');
    expect([
      await optimizers().claimAgain(id, silent ?? trial(), start + 9),
      await optimizers().claimAgain(id, silent ?? trial(), start + 9),
    ]).to.deep.equal([true, false]);
    expect([await find(1, start + 9), (await find(2, start + 9))?.retries]).to.deep.equal([
      undefined,
      1,
    ]);
    await optimizers().updateTrial(id, 'p1', 1, {
      status: 'running',
      score: undefined,
      epoch: undefined,
      endTime: undefined,
      updatedAt: start + 10,
    });
    expect(await find(5, start + 50)).to.equal(undefined);
  });

  it('changes a trial, keeps its metadata unless it is named, and knows no other', async () => {
    const { id } = await addOptimizer();
    await optimizers().claim(id, 0, trial({ metadata: '{"a":1}' }));
    const change = {
      status: 'completed',
      score: -0.25,
      epoch: 7,
      endTime: start + 4,
      updatedAt: start + 4,
    };

    expect([
      await optimizers().updateTrial(id, 'p1', 1, change),
      await optimizers().updateTrial(id, 'p1', 1, change),
      await optimizers().updateTrial(id, 'p1', 2, change),
      await optimizers().updateTrial(id, 'P1', 1, change),
    ]).to.deep.equal([true, true, false, false]);
    expect(await optimizers().findTrial(id, 'p1', 1)).to.deep.equal(
      trial({ metadata: '{"a":1}', ...change }),
    );
  });

  it('replaces a trial by one with the same id', async () => {
    const { id } = await addOptimizer();
    await optimizers().putTrial(id, trial({ count: 4 }));
    await optimizers().putTrial(
      id,
      trial({ count: 5, status: 'completed', score: 1.5, parameters: '{"x":2}' }),
    );

    expect(await optimizers().listTrials(id, { limit: 10 })).to.deep.equal([
      trial({ count: 5, status: 'completed', score: 1.5, parameters: '{"x":2}' }),
    ]);
  });

  it('lists and counts trials by status, in the order they were given out', async () => {
    const { id } = await addOptimizer();
    for (const [at, status] of ['completed', 'aborted', 'completed', 'running'].entries())
      await optimizers().putTrial(id, trial({ pid: `p${9 - at}`, count: at + 1, status }));

    expect(
      (await optimizers().listTrials(id, { limit: 10, statuses: ['completed', 'running'] })).map(
        (one) => one.count,
      ),
    ).to.deep.equal([1, 3, 4]);
    expect(
      (await optimizers().listTrials(id, { limit: 2, offset: 1 })).map((one) => one.count),
    ).to.deep.equal([2, 3]);
    expect(await optimizers().listTrials(id, { limit: 10, statuses: [] })).to.deep.equal([]);
    expect([...(await optimizers().countByStatus(id))].sort()).to.deep.equal([
      ['aborted', 1],
      ['completed', 2],
      ['running', 1],
    ]);
  });

  it('knows when the first trial was assigned and when one was last heard of, and nothing before', async () => {
    const { id } = await addOptimizer();
    expect(await optimizers().findTimes(id)).to.equal(undefined);
    await optimizers().putTrial(
      id,
      trial({ pid: 'a', startTime: start + 5, updatedAt: start + 9 }),
    );
    await optimizers().putTrial(
      id,
      trial({ pid: 'b', startTime: start + 2, updatedAt: start + 7 }),
    );

    expect(await optimizers().findTimes(id)).to.deep.equal({
      startedAt: start + 2,
      updatedAt: start + 9,
    });
  });

  it('removes searches that nothing was heard of, the oldest first, with all of their trials', async () => {
    const long = 1_000_000; // before anything else here
    const addOld = async (at: number, heardAt: number, trials = 1) => {
      const { id } = await addOptimizer({ createdAt: at });
      for (let count = 1; count <= trials; count++)
        await optimizers().putTrial(
          id,
          trial({ pid: `p${count}`, count, startTime: at, updatedAt: count === 1 ? heardAt : at }),
        );
      return id;
    };
    const [second, first] = [
      await addOld(long - 10, long - 9, 30),
      await addOld(long - 20, long - 9),
    ];
    const [heardOf, young] = [await addOld(long - 15, long), await addOld(long, long)];
    const { id: empty } = await addOptimizer({ createdAt: long - 5 });
    const there = async (ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await optimizers().find(id)) !== undefined));

    expect(await optimizers().removeSilent(long, 1)).to.equal(1);
    expect(await there([first, second])).to.deep.equal([false, true]);
    expect(await optimizers().removeSilent(long, 10)).to.equal(2);

    expect(await there([first, second, empty, heardOf, young])).to.deep.equal([
      ...[false, false, false],
      ...[true, true],
    ]);
    expect(await optimizers().listTrials(second, { limit: 100 })).to.deep.equal([]);
    expect(await optimizers().listTrials(heardOf, { limit: 100 })).to.have.length(1);
    expect(await optimizers().removeSilent(long, 10)).to.equal(0);
  });
};
