import { pointsIn } from '#ports/storage/metrics';
import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { MetricPoint } from '#ports/storage/metrics';
import { createSearchable } from '#adapters/storage/sql/metrics/searchable';
import { openSqlStorage, type SqlStorage } from '#adapters/storage/sql/storage';
import type { Stores } from '#ports/storage/storage';
import {
  addExperiment,
  addProject,
  freshId,
  gatherPoints,
  point,
  rejection,
  start,
} from '#test/contract/storage/builders';

/** More where everything is tried out. */
const many = process.env['ORRERY_TEST_LONG'] === '1' ? 1_000_000 : 50_000;

interface ChunkRow {
  readonly first_index: unknown;
  readonly n: unknown;
  readonly packed: unknown;
  readonly points: Buffer;
}

/** How points are kept: small chunks as they come, merged into full ones, of which no point is lost on the way. */
export const chunkContract = (storage: () => SqlStorage): void => {
  const refresh = () =>
    storage()
      .jobs.find(({ name }) => name === 'refresh-values')
      ?.run(new AbortController().signal);
  const copyOf = async (experiment_id: string) =>
    (await storage()
      .connection.db('experiment_values')
      .select('text', 'points', 'project_id')
      .where({ experiment_id })) as readonly {
      readonly text: string;
      readonly points: unknown;
      readonly project_id: string;
    }[]; // the columns named
  const metrics = () => storage().stores.metrics;
  const append = (experimentId: string, points: readonly MetricPoint[]) =>
    metrics().append({ experimentId, points, receivedAt: start });
  /** Puts points into their series at once, as what comes in a transaction is: elsewhere small batches wait for others. */
  const appendAtOnce = (experimentId: string, points: readonly MetricPoint[]) =>
    storage().transaction((stores) =>
      stores.metrics.append({ experimentId, points, receivedAt: start }),
    );
  /** A series of two points of which one is copied, with a note that says so. */
  const addStale = async () => {
    const made = await addExperiment(storage());
    for (const text of ['1', '2']) await append(made.id, [point({ text })]);
    await metrics().listSeries(made.id); // what waited is in its series now
    return made;
  };
  /** Begins a refresh that has read what is there before a transaction and writes when the transaction has ended. */
  const refreshAcross = async (work: (stores: Stores) => Promise<unknown>): Promise<void> => {
    let refreshing: Promise<unknown> = Promise.resolve();
    await storage().transaction(async (stores) => {
      await work(stores);
      refreshing = Promise.resolve(refresh());
      for (let i = 0; i < 40; i++) await stores.projects.findById(freshId());
    });
    await refreshing;
  };

  it('never lets an older copy of a series replace a newer one in what is searched', async () => {
    const { id } = await addStale();

    await refreshAcross((stores) =>
      stores.metrics.append({
        experimentId: id,
        points: [point({ text: '3' })],
        receivedAt: start,
      }),
    );

    expect((await copyOf(id)).map(({ text, points }) => [text, Number(points)])).to.deep.equal([
      ['3', 3],
    ]);
  });

  it('notes anew what may be copied while its experiment moves', async () => {
    const [{ id }, to] = [await addStale(), await addProject(storage())];
    await storage().connection.db('stale_values').where({ experiment_id: id }).update({ at: 1 });

    await refreshAcross((stores) =>
      stores.experiments.move([id], { workspaceId: to.workspaceId, projectId: to.id }),
    );
    const notes = await storage()
      .connection.db('stale_values')
      .where({ experiment_id: id, project_id: to.id })
      .where('at', '>', 1);
    await storage().connection.db('stale_values').where({ experiment_id: id }).update({ at: 1 });
    await refresh();

    expect([
      notes.length,
      (await copyOf(id)).map(({ text, project_id }) => [text, project_id]),
    ]).to.deep.equal([1, [['2', to.id]]]);
  });

  it('copies the series of many experiments in one statement, and none that is copied already', async () => {
    const project = await addProject(storage());
    const made = [];
    for (let i = 0; i < 20; i++)
      made.push(await addExperiment(storage(), { projectId: project.id }));
    for (const text of ['1', '2']) for (const { id } of made) await append(id, [point({ text })]);
    for (const { id } of made) await metrics().listSeries(id);
    const { connection } = storage();
    let copies = 0;
    const counting = {
      ...connection,
      dialect: {
        ...connection.dialect,
        run: (...[db, sql, bindings]: Parameters<typeof connection.dialect.run>) => {
          if (sql.includes('insert into experiment_values')) copies++;
          return connection.dialect.run(db, sql, bindings);
        },
      },
    };
    const searchable = createSearchable();

    await searchable.catchUp(counting, project.id);
    const first = copies;
    await searchable.catchUp(counting, project.id);

    expect([first, copies]).to.deep.equal([1, 1]);
    for (const { id } of made)
      expect((await copyOf(id)).map(({ text }) => text)).to.deep.equal(['2']);
  });

  it('keeps room for newer versions of what a point changes, where an engine keeps versions on the page', async () => {
    const { db, dialect } = storage().connection;
    if (dialect.keepRoom === undefined) return;

    const [row] = (await db('pg_class')
      .whereRaw("oid = 'series'::regclass")
      .select('reloptions')) as readonly { readonly reloptions: readonly string[] }[]; // the column named

    expect(row?.reloptions).to.include('fillfactor=50');
  });

  it('removes the copy of a series that was removed while it was copied', async () => {
    const { id } = await addStale();

    await refreshAcross((stores) => stores.metrics.remove(id, 'loss'));
    await storage().connection.db('stale_values').where({ experiment_id: id }).update({ at: 1 });
    await refresh();

    expect(await copyOf(id)).to.deep.equal([]);
    expect(
      await storage().connection.db('stale_values').where({ experiment_id: id }),
    ).to.deep.equal([]);
  });

  const merge = async () => {
    for (const job of storage().jobs)
      if (job.name === 'merge-chunks') await job.run(new AbortController().signal);
  };
  const textsOf = async (experimentId: string) =>
    (await gatherPoints(metrics().readPoints(experimentId, 'loss'))).map((one) => one.text);
  const chunksOf = async (experimentId: string) =>
    (await storage()
      .connection.db('chunks')
      .where({ experiment_id: experimentId })
      .orderBy('first_index')) as readonly ChunkRow[]; // every column of the table
  const run = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) =>
      point({ text: String((from + i) / 4), step: from + i, timestamp: start + 1000 * (from + i) }),
    );
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => String(i / 4));

  it('merges small chunks into full ones, in the same order and with the same text of every value', async () => {
    const { id } = await addExperiment(storage());
    const texts = ['1.0', 'NaN', '-Infinity', 'on', '1e-05', '-0', ''];
    for (let i = 0; i < 20; i++) await append(id, run(120, i * 120));
    await append(
      id,
      texts.map((text) => point({ text, step: undefined, epoch: 7 })),
    );
    const before = await gatherPoints(metrics().readPoints(id, 'loss'));
    await metrics().queueCompaction([id]);

    await merge();

    const chunks = await chunksOf(id);
    expect(chunks.map((chunk) => [Number(chunk.first_index), Number(chunk.n)])).to.deep.equal([
      [0, 1024],
      [1024, 1024],
      [2048, 2407 - 2048],
    ]);
    expect(await gatherPoints(metrics().readPoints(id, 'loss'))).to.deep.equal(before);
    expect(before.slice(-texts.length).map(({ text, epoch }) => [text, epoch])).to.deep.equal(
      texts.map((text) => [text, 7]),
    );
    expect(await storage().countBrokenSeries()).to.equal(0);
  });

  it('takes what is no number of a metric that had numbers before, at any time, and is found by it then', async () => {
    const { id, projectId } = await addExperiment(storage());
    const { connection } = storage();
    let now = start;
    const over = openSqlStorage(
      { db: connection.db, flushing: connection.db },
      connection.dialect,
      { ...connection, clock: { now: () => now } },
    ).stores;
    const numeric = async () =>
      (await over.search.columns(projectId))
        .filter(({ kind }) => kind === 'metric')
        .map((one) => [one.name, one.numeric]);
    for (const text of ['1', '2']) {
      await over.metrics.append({ experimentId: id, points: [point({ text })], receivedAt: now });
      now += 60_000;
    }
    expect(await numeric()).to.deep.equal([['loss', true]]);

    await over.metrics.append({
      experimentId: id,
      points: [point({ text: 'on' })],
      receivedAt: now,
    });

    expect(await textsOf(id)).to.deep.equal(['1', '2', 'on']);
    expect(await numeric()).to.deep.equal([['loss', false]]);
  });

  it('merges a series by itself once it has many small chunks', async () => {
    const { id } = await addExperiment(storage());
    for (let i = 0; i < 70; i++) await appendAtOnce(id, run(1, i));
    expect(await chunksOf(id)).to.have.length(70);

    await merge();

    expect((await chunksOf(id)).length).to.be.at.most(35);
    expect(await textsOf(id)).to.deep.equal(upTo(70));
  });

  it('takes at most 9 bytes a point once merged', async () => {
    const { id } = await addExperiment(storage());
    let seed = 1;
    const noise = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    const points = Array.from({ length: 10_240 }, (_, step) =>
      point({
        text: String(Math.fround(Math.exp(-step / 5000) + noise() / 100)),
        step,
        timestamp: start + step * 100 + Math.floor(noise() * 3),
      }),
    );
    for (let at = 0; at < points.length; at += 64) await append(id, points.slice(at, at + 64));
    const bytesOf = async () =>
      (await chunksOf(id)).reduce((sum, chunk) => sum + chunk.points.length, 0) / points.length;
    const raw = await bytesOf();
    await metrics().queueCompaction([id]);

    await merge();

    const merged = await bytesOf();
    expect(merged).to.be.below(raw);
    expect(merged).to.be.at.most(9);
    expect(await textsOf(id)).to.deep.equal(points.map(({ text }) => text));
  });

  it('loses, repeats and reorders nothing while chunks are merged between writers and readers', async function () {
    this.timeout(60_000);
    const { id } = await addExperiment(storage());
    let writing = true;
    const write = async () => {
      for (let i = 0; i < 150; i++) await append(id, run(5, i * 5));
      writing = false;
    };
    const mergeOn = async () => {
      while (writing) {
        await metrics().queueCompaction([id]);
        await merge();
      }
    };
    const faults: string[] = [];
    let reads = 0;
    const read = async () => {
      for (let before = 0; writing; reads++) {
        const texts = await textsOf(id);
        if (texts.length < before) faults.push(`${String(before - texts.length)} points were gone`);
        if (texts.some((text, i) => text !== String(i / 4)))
          faults.push('points were out of order');
        before = texts.length;
      }
    };

    await Promise.all([write(), mergeOn(), mergeOn(), read(), read()]);

    expect(faults).to.deep.equal([]);
    expect(reads).to.be.above(2);
    expect(await textsOf(id)).to.deep.equal(upTo(750));
    expect(await storage().countBrokenSeries()).to.equal(0);
  });

  it('counts in each series what its chunks hold, and says so when they do not', async () => {
    const { id } = await addExperiment(storage());
    await append(id, run(10));
    expect(await storage().countBrokenSeries()).to.equal(0);
    const { db } = storage().connection;

    await db('series').where({ experiment_id: id }).update({ n: 11 });
    expect(await storage().countBrokenSeries()).to.equal(1);
    await db('series').where({ experiment_id: id }).update({ n: 10 });

    expect(await storage().countBrokenSeries()).to.equal(0);
  });

  it(`takes ${String(many)} points of one series and gives them back in order, merged or not`, async function () {
    this.timeout(600_000);
    const { id } = await addExperiment(storage());
    for (let at = 0; at < many; at += 10_000) await append(id, run(10_000, at));
    const isWhole = async (): Promise<boolean> => {
      let seen = 0;
      for await (const some of metrics().readPoints(id, 'loss'))
        for (const one of pointsIn(some))
          if (
            one.text !== String(seen / 4) ||
            one.step !== seen ||
            one.timestamp !== start + 1000 * seen++
          )
            return false;
      return seen === many;
    };

    expect(await isWhole()).to.equal(true);
    await metrics().queueCompaction([id]);
    await merge();

    expect(await isWhole()).to.equal(true);
    expect((await metrics().listSeries(id))[0]?.count).to.equal(many);
  });

  it('refuses only the request of a shared flush whose value does not fit', async () => {
    const { id } = await addExperiment(storage());
    const writes = Array.from({ length: 20 }, (_, i) =>
      metrics()
        .append({
          experimentId: id,
          // The largest of its series, so that where it stands is stored as a number.
          points: [point(i === 7 ? { text: '700', step: 2 ** 70 } : { text: String(i) })],
          receivedAt: start,
        })
        .then(
          () => 'stored',
          (thrown: unknown) => (isFailure(thrown) ? thrown.kind : 'defect'),
        ),
    );

    const outcomes = await Promise.all(writes);

    expect(outcomes[7]).to.equal('invalid');
    expect(outcomes.filter((outcome) => outcome === 'stored')).to.have.length(19);
    expect((await textsOf(id)).map(Number).sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => i).filter((i) => i !== 7),
    );
    expect(await storage().countBrokenSeries()).to.equal(0);
  });

  it('refuses what would make the queue too long, and takes it later', async () => {
    const { id } = await addExperiment(storage());
    const outcomes = await Promise.all(
      Array.from({ length: 2300 }, (_, i) =>
        append(id, [point({ text: String(i) })]).then(
          () => 'stored' as const,
          (thrown: unknown) =>
            isFailure(thrown) && thrown.kind === 'unavailable' && thrown.retryAfter !== undefined
              ? ('later' as const)
              : thrown,
        ),
      ),
    );
    const stored = outcomes.flatMap((outcome, i) => (outcome === 'stored' ? [String(i)] : []));

    expect(outcomes.filter((outcome) => outcome !== 'stored' && outcome !== 'later')).to.deep.equal(
      [],
    );
    expect(stored.length).to.be.within(2000, 2299);
    expect(await textsOf(id)).to.deep.equal(stored);
    expect((await append(id, [point()])).outcome).to.equal('stored');
  });

  it('stores a batch once that two processes bring at the same time', async () => {
    const { id } = await addExperiment(storage());
    const bring = () =>
      metrics().append({
        experimentId: id,
        points: [point()],
        receivedAt: start,
        digest: 'c'.repeat(64),
      });
    const inside = () =>
      storage().transaction((stores) =>
        stores.metrics.append({
          experimentId: id,
          points: [point()],
          receivedAt: start,
          digest: 'c'.repeat(64),
        }),
      );

    const outcomes = await Promise.all([bring(), inside(), inside(), bring()]);

    expect(outcomes.filter(({ outcome }) => outcome === 'stored')).to.have.length(1);
    expect(await textsOf(id)).to.have.length(1);
  });

  it('undoes points with the transaction they came in, whatever was merged', async () => {
    const { id } = await addExperiment(storage());
    await append(id, run(3));
    await rejection(
      storage().transaction(async (stores) => {
        await stores.metrics.append({ experimentId: id, points: run(3, 3), receivedAt: start });
        throw new Error('undo');
      }),
    );
    await append(id, run(2, 3));
    await metrics().queueCompaction([id]);
    await merge();

    expect(await textsOf(id)).to.deep.equal(upTo(5));
    expect(await storage().countBrokenSeries()).to.equal(0);
  });
};
