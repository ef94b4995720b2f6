import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import {
  addExperiment,
  freshId,
  gatherPoints,
  point,
  start,
} from '#test/contract/storage/builders';

/** One bad item never keeps the others of its queue waiting. */
export const queueJobContract = (storage: () => SqlStorage): void => {
  const run = (name: string) =>
    storage()
      .jobs.find((job) => job.name === name)
      ?.run(new AbortController().signal);
  const faultOf = async (item: string) =>
    (await storage().stores.queueFaults.list({ offset: 0, limit: 1000 })).find((one) =>
      one.item.startsWith(item),
    );
  const db = () => storage().connection.db;
  /** An experiment with small chunks of one series that wait to be merged. */
  const addLoose = async (at: number) => {
    const { id } = await addExperiment(storage());
    for (let i = 0; i < 3; i++)
      // In a transaction nothing is let wait for others.
      await storage().transaction((stores) =>
        stores.metrics.append({
          experimentId: id,
          points: [point({ text: String(i) })],
          receivedAt: start,
        }),
      );
    await storage().stores.metrics.queueCompaction([id]);
    await db()('compactions').where({ experiment_id: id }).update({ at });
    return id;
  };
  const chunksOf = async (experiment_id: string) =>
    (await db()('chunks').where({ experiment_id })).length;

  it('merges the chunks of every other series when those of the oldest are broken, and of that one once they are whole', async () => {
    const bad = await addLoose(1);
    const others = [await addLoose(2), await addLoose(3)];
    const [whole] = (await db()('chunks')
      .where({ experiment_id: bad, first_index: 1 })
      .select('points')) as readonly { readonly points: Buffer }[]; // the column named
    await db()('chunks')
      .where({ experiment_id: bad, first_index: 1 })
      .update({ points: Buffer.from([99, 1, 2]) });

    await run('merge-chunks');

    expect(await Promise.all(others.map(chunksOf))).to.deep.equal([1, 1]);
    const fault = await faultOf(bad);
    expect([fault?.queue, fault?.attempts, (fault?.reason ?? '') !== '']).to.deep.equal([
      'compaction',
      1,
      true,
    ]);
    expect(await chunksOf(bad)).to.equal(3);

    await run('merge-chunks');
    expect((await faultOf(bad))?.attempts).to.equal(1, 'it is held back for a while');
    await db()('chunks')
      .where({ experiment_id: bad, first_index: 1 })
      .update({ points: whole?.points });
    await storage().stores.queueFaults.retry('compaction', fault?.item, 0);
    await run('merge-chunks');

    expect([await chunksOf(bad), await faultOf(bad)]).to.deep.equal([1, undefined]);
    expect(await gatherPoints(storage().stores.metrics.readPoints(bad, 'loss'))).to.have.length(3);
  });

  it('removes every other experiment when one cannot be removed', async () => {
    const made = [
      await addExperiment(storage()),
      await addExperiment(storage()),
      await addExperiment(storage()),
    ]
      .map(({ id }) => id)
      .sort();
    const [bad = '', ...others] = made;
    await db()('direct_uploads').insert({
      id: freshId(),
      experiment_id: bad,
      content: 'no JSON',
      expires_at: start * 2,
    });
    for (const id of made) await storage().stores.experiments.markDeleted(id, start);

    await run('remove-deleted');

    const left = (await db()('experiments').whereIn('id', made).select('id')) as readonly {
      readonly id: string;
    }[]; // the column named
    expect([left.map(({ id }) => id), others.length]).to.deep.equal([[bad], 2]);
    expect((await faultOf(bad))?.queue).to.equal('experiment-removal');
    await db()('direct_uploads').where({ experiment_id: bad }).delete();
    await storage().stores.queueFaults.retry('experiment-removal', bad, 0);
    await run('remove-deleted');
    expect(await db()('experiments').where({ id: bad })).to.deep.equal([]);
  });
};
