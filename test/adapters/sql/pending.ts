import { expect } from 'chai';
import { openSqlStorage, type SqlStorage } from '#adapters/storage/sql/storage';
import type { MetricPoint } from '#ports/storage/metrics';
import {
  addExperiment,
  gatherPoints,
  point,
  rejection,
  start,
} from '#test/contract/storage/builders';

/** Small batches that wait for others before they are put into their series: nobody who reads can tell. */
export const pendingContract = (storage: () => SqlStorage): void => {
  /** Another process on the same database, which remembers other things. */
  const another = () => {
    const { connection } = storage();
    return openSqlStorage(
      { db: connection.db, flushing: connection.db },
      connection.dialect,
      connection,
    );
  };
  const append = (over: SqlStorage, experimentId: string, points: readonly MetricPoint[]) =>
    over.stores.metrics.append({ experimentId, points, receivedAt: start });
  const waiting = async (experiment_id: string) =>
    (await storage().connection.db('pending_points').where({ experiment_id })).length;
  const textsOf = async (over: SqlStorage, experimentId: string, name = 'loss') =>
    (await gatherPoints(over.stores.metrics.readPoints(experimentId, name))).map(
      ({ text }) => text,
    );
  /** Series of a run that hold another number of points than their chunks. */
  const broken = async (experimentId: string): Promise<readonly unknown[]> => {
    const { db } = storage().connection;
    return (await db('series as s')
      .where('s.experiment_id', experimentId)
      .leftJoin('chunks as c', (on) => {
        on.on('c.experiment_id', 's.experiment_id').andOn('c.series_id', 's.series_id');
      })
      .groupBy('s.series_id', 's.n')
      .havingRaw('coalesce(sum(c.n), 0) <> s.n')
      .select('s.series_id')) as readonly unknown[]; // the column named
  };
  const lets = () => storage().connection.dialect.pipelined !== undefined;
  const applyJob = () =>
    storage()
      .jobs.find(({ name }) => name === 'apply-points')
      ?.run(new AbortController().signal);
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => String(i));

  it('keeps a batch of many metrics as one row until somebody reads, and then shows every point in its order', async () => {
    const { id } = await addExperiment(storage());
    for (let i = 0; i < 20; i++)
      await append(
        storage(),
        id,
        ['loss', 'acc', 'lr'].map((name) =>
          point({ name, text: String(i), step: i, epoch: i % 2 === 0 ? i : undefined }),
        ),
      );
    expect(await waiting(id)).to.equal(lets() ? 19 : 0);

    const [loss] = await storage().stores.metrics.listSeries(id, { names: ['loss'] });

    expect([loss?.count, loss?.min.text, loss?.max.step, loss?.last.text]).to.deep.equal([
      20,
      '0',
      19,
      '19',
    ]);
    expect(await waiting(id)).to.equal(0);
    for (const name of ['loss', 'acc', 'lr'])
      expect(await textsOf(storage(), id, name)).to.deep.equal(upTo(20));
    expect(await broken(id)).to.deep.equal([]);
  });

  it('keeps the order of what several processes write in turn, in small and in large batches', async () => {
    const { id } = await addExperiment(storage());
    const processes = [storage(), another(), another()];
    let next = 0;
    for (let turn = 0; turn < 30; turn++) {
      const count = turn % 7 === 6 ? 100 : 1;
      const points = Array.from({ length: count }, () => point({ text: String(next++) }));
      await append(processes[turn % 3] ?? storage(), id, points);
      if (turn % 10 === 9)
        expect(await textsOf(processes[(turn + 1) % 3] ?? storage(), id)).to.deep.equal(upTo(next));
    }

    expect(await textsOf(storage(), id)).to.deep.equal(upTo(next));
    expect(await broken(id)).to.deep.equal([]);
  });

  it('loses and repeats nothing while two processes write and three read at once', async function () {
    this.timeout(60_000);
    const { id } = await addExperiment(storage());
    const [one, two] = [storage(), another()];
    let writing = true;
    const write = async (over: SqlStorage, name: string) => {
      for (let i = 0; i < 150; i++) await append(over, id, [point({ name, text: String(i) })]);
    };
    const faults: string[] = [];
    const read = async (over: SqlStorage, name: string) => {
      for (let before = 0; writing;) {
        const texts = await textsOf(over, id, name);
        if (texts.length < before || texts.some((text, i) => text !== String(i)))
          faults.push(`${before} points, then ${texts.slice(0, 20).join(' ')}`);
        before = texts.length;
      }
    };
    const readers = [read(one, 'a'), read(two, 'a'), read(another(), 'b')];

    await Promise.all([write(one, 'a'), write(two, 'b')]);
    writing = false;
    await Promise.all(readers);

    expect(faults).to.deep.equal([]);
    for (const name of ['a', 'b'])
      expect(await textsOf(storage(), id, name)).to.deep.equal(upTo(150));
    expect(await broken(id)).to.deep.equal([]);
  });

  it('stores what is logged to a series that another process has removed', async () => {
    const { id } = await addExperiment(storage());
    for (const text of ['1', '2', '3']) await append(storage(), id, [point({ text })]);

    expect(await another().stores.metrics.remove(id, 'loss')).to.equal(true);
    expect(await textsOf(storage(), id)).to.deep.equal([]);
    await append(storage(), id, [point({ text: '4' })]);

    expect(await textsOf(another(), id)).to.deep.equal(['4']);
  });

  it('stores a batch that comes twice once, wherever the first one is', async () => {
    const { id } = await addExperiment(storage());
    const digest = 'd'.repeat(64);
    const send = (over: SqlStorage, sent: string) =>
      over.stores.metrics.append({
        experimentId: id,
        points: [point({ text: sent })],
        receivedAt: start,
        digest,
      });
    await append(storage(), id, [point({ text: '0' })]);

    const outcomes = [];
    for (const over of [storage(), storage(), another()])
      outcomes.push((await send(over, '1')).outcome);

    expect(outcomes).to.deep.equal(['stored', 'duplicate', 'duplicate']);
    expect(await textsOf(storage(), id)).to.deep.equal(['0', '1']);
  });

  it('applies by a job what a process that is gone has left', async () => {
    const { id, projectId } = await addExperiment(storage());
    const gone = another();
    for (const text of ['1', '2.50', 'on']) await append(gone, id, [point({ text })]);

    await applyJob();

    expect(await waiting(id)).to.equal(0);
    expect(
      (
        await storage()
          .connection.db('series')
          .where({ experiment_id: id })
          .select('n', 'last_text')
      ).map((row: { readonly n: unknown; readonly last_text: string }) => [
        Number(row.n),
        row.last_text,
      ]),
    ).to.deep.equal([[3, 'on']]);
    expect(
      (await storage().stores.search.columns(projectId)).map(({ name }) => name),
    ).to.deep.equal(['loss']);
  });

  it('finds by a search what was acknowledged before it', async () => {
    const { id, projectId } = await addExperiment(storage());
    for (const text of ['1', '7']) await append(storage(), id, [point({ text })]);

    const usage = await storage().stores.usage.ofProject(projectId);
    const rows = await storage().connection.db('series').where({ experiment_id: id });

    expect([usage.points, rows.length]).to.deep.equal([2, 1]);
  });

  it('refuses points of an experiment that was deleted, and removes those that waited with it', async () => {
    const { id } = await addExperiment(storage());
    for (const text of ['1', '2']) await append(storage(), id, [point({ text })]);
    await storage().stores.experiments.markDeleted(id, start);

    expect(await rejection(append(storage(), id, [point({ text: '3' })]))).to.include({
      kind: 'absent',
    });
    await applyJob();
    await storage()
      .jobs.find(({ name }) => name === 'remove-deleted')
      ?.run(new AbortController().signal);

    expect(await waiting(id)).to.equal(0);
    expect(await storage().connection.db('chunks').where({ experiment_id: id })).to.deep.equal([]);
  });

  it('says that waiting points are broken, and lets those of others in meanwhile', async () => {
    const [bad, good] = [await addExperiment(storage()), await addExperiment(storage())];
    for (const { id } of [bad, good])
      for (const text of ['1', '2']) await append(storage(), id, [point({ text })]);
    await storage()
      .connection.db('pending_points')
      .insert({ experiment_id: bad.id, seq: 1000, at: 1, points: Buffer.from([1, 0, 0, 0, 9]) });

    await applyJob();

    const faults = await storage().stores.queueFaults.list({
      queue: 'pending-points',
      offset: 0,
      limit: 10,
    });
    expect(faults.map(({ item }) => item)).to.deep.equal([bad.id]);
    expect(await textsOf(storage(), good.id)).to.deep.equal(['1', '2']);
    // Who searches the project of the broken one is answered all the same.
    expect(
      (await storage().stores.search.columns(bad.projectId)).map(({ name }) => name),
    ).to.deep.equal(['loss']);
    expect((await storage().stores.usage.ofProject(bad.projectId)).points).to.be.at.least(1);
    await storage()
      .connection.db('pending_points')
      .where({ experiment_id: bad.id, seq: 1000 })
      .delete();
    expect(await textsOf(storage(), bad.id)).to.deep.equal(['1', '2']);
    await storage().stores.queueFaults.clear('pending-points', [bad.id]);
  });
};
