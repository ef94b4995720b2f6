import { expect } from 'chai';
import { queueNames, type QueueName } from '#ports/storage/queue-faults';
import type { Storage } from '#ports/storage/storage';
import { freshId, start } from './builders.js';

/** What every store of failing items keeps to. */
export const queueFaultContract = (storage: () => Storage): void => {
  const faults = () => storage().stores.queueFaults;
  const listed = async (queue: QueueName, item: string) =>
    (await faults().list({ queue, offset: 0, limit: 1000 })).find((one) => one.item === item);
  const noteOften = async (queue: QueueName, item: string, times: number) => {
    for (let i = 0; i < times; i++) await faults().note(queue, item, `fault ${i}`, start + i);
  };

  it('counts the attempts on an item and holds it back for longer each time', async () => {
    const item = freshId();

    const first = await faults().note('compaction', item, 'broken', start);
    const second = await faults().note('compaction', item, 'still broken', start + 20_000);

    expect(first).to.deep.equal({
      queue: 'compaction',
      item,
      attempts: 1,
      firstAt: start,
      retryAt: start + 10_000,
      parkedAt: undefined,
      reason: 'broken',
    });
    expect(second).to.deep.equal({
      queue: 'compaction',
      item,
      attempts: 2,
      firstAt: start,
      retryAt: start + 40_000,
      parkedAt: undefined,
      reason: 'still broken',
    });
    expect(await listed('compaction', item)).to.deep.equal(second);
  });

  it('parks an item after twelve attempts, until it is retried', async () => {
    const item = freshId();
    await noteOften('blob-removal', item, 12);
    expect([
      (await listed('blob-removal', item))?.parkedAt,
      (await faults().states()).find(({ queue }) => queue === 'blob-removal')?.parked,
    ]).to.deep.equal([start + 11, 1]);

    expect(await faults().retry('blob-removal', item, start + 500)).to.equal(1);

    const retried = await listed('blob-removal', item);
    expect([retried?.parkedAt, retried?.attempts, retried?.retryAt]).to.deep.equal([
      undefined,
      0,
      start + 500,
    ]);
    expect(await faults().retry('blob-removal', freshId(), start)).to.equal(0);
    await faults().clear('blob-removal', [item]);
  });

  it('retries every parked item of one queue, and no other', async () => {
    const [parked, waiting, other] = [freshId(), freshId(), freshId()];
    await noteOften('project-removal', parked, 12);
    await noteOften('artifact-removal', other, 12);
    await faults().note('project-removal', waiting, 'x', start);

    expect(await faults().retry('project-removal', undefined, start + 9)).to.equal(1);

    expect([
      (await listed('project-removal', waiting))?.attempts,
      (await listed('artifact-removal', other))?.parkedAt,
    ]).to.deep.equal([1, start + 11]);
  });

  it('lists parked items first, and page by page', async () => {
    const [early, late, parked] = [freshId(), freshId(), freshId()];
    await faults().note('registry-removal', late, 'x', start + 100);
    await faults().note('registry-removal', early, 'x', start + 50);
    await noteOften('registry-removal', parked, 12);

    expect(
      (await faults().list({ queue: 'registry-removal', offset: 0, limit: 10 })).map(
        ({ item }) => item,
      ),
    ).to.deep.equal([parked, early, late]);
    expect(
      (await faults().list({ queue: 'registry-removal', offset: 1, limit: 1 })).map(
        ({ item }) => item,
      ),
    ).to.deep.equal([early]);
  });

  it('says which of some items have failed, and forgets those that are done', async () => {
    const [failing, done, fresh] = [freshId(), freshId(), freshId()];
    for (const item of [failing, done]) await faults().note('experiment-removal', item, 'x', start);
    await faults().clear('experiment-removal', [done]);
    await faults().clear('compaction', [failing]);

    expect(await faults().listFailing('experiment-removal', [failing, done, fresh])).to.deep.equal([
      failing,
    ]);
    expect(await faults().listFailing('compaction', [failing])).to.deep.equal([]);
  });

  it('forgets what was due long ago and is not parked', async () => {
    const [gone, parked, due] = [freshId(), freshId(), freshId()];
    await faults().note('blob-abort', gone, 'x', start - 50_000);
    await noteOften('blob-abort', parked, 12);
    await faults().note('blob-abort', due, 'x', start + 50_000);

    expect(await faults().forget(start)).to.be.at.least(1);

    expect(await faults().listFailing('blob-abort', [gone, parked, due])).to.have.members([
      parked,
      due,
    ]);
  });

  it('reports for every queue what waits and since when', async () => {
    const states = await faults().states();

    expect(states.map(({ queue }) => queue)).to.deep.equal([...queueNames]);
    for (const { waiting, oldestAt } of states)
      expect(oldestAt === undefined).to.equal(waiting === 0);
  });
};
