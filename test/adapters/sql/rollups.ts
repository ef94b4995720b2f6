import { expect } from 'chai';
import type { CurvesQuery } from '#ports/storage/curves';
import type { MetricPoint, StoredPoint } from '#ports/storage/metrics';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addExperiment, gather, point, start } from '#test/contract/storage/builders';
import { bucketsOf, placeOf, rowsOf, trueRows } from '#test/contract/storage/curves';

const full = 1024;

/** A noisy curve with rare spikes, whose steps may jump back. */
const noisy = (count: number, from = 0): readonly MetricPoint[] =>
  Array.from({ length: count }, (_, i) => {
    const at = from + i;
    const noise = ((at * 48271) % 2147483647) / 2147483647;
    return point({
      text:
        at % 997 === 0
          ? 'NaN'
          : String(noise + (at % 4999 === 13 ? 50 : 0) - (at % 3001 === 7 ? 40 : 0)),
      step: at,
      timestamp: start + at * 50,
      ...(at % 5 === 0 ? { epoch: Math.floor(at / 1000) } : {}),
    });
  });

/** Rollups: what is read through them is what all points say. */
export const rollupContract = (storage: () => SqlStorage): void => {
  const metrics = () => storage().stores.metrics;
  const db = () => storage().connection.db;
  const append = (experimentId: string, points: readonly MetricPoint[]) =>
    metrics().append({ experimentId, points, receivedAt: start });
  const merge = async (experimentId: string) => {
    await metrics().queueCompaction(experimentId);
    for (const job of storage().jobs)
      if (job.name === 'merge-chunks') await job.run(new AbortController().signal);
  };
  const read = async (experimentId: string, given: Partial<CurvesQuery> = {}) => {
    const query: CurvesQuery = {
      series: [{ experimentId, name: 'loss', originAt: start }],
      axis: 'step',
      buckets: 30,
      scale: 'linear',
      ...given,
    };
    const { grid, curves } = await storage().stores.curves.read(query);
    const [curve] = curves;
    if (grid === undefined || curve === undefined) throw new Error('a curve was expected');
    const points: readonly StoredPoint[] = await gather(metrics().readPoints(experimentId, 'loss'));
    const truth = bucketsOf(points, grid, (one) => placeOf(one, query.axis, start));
    return { grid, curve, rows: rowsOf(curve), truth: trueRows(truth) };
  };
  const pagesOf = async (experimentId: string) =>
    (
      (await db()('rollups')
        .select('first_index', 'spans')
        .where({ experiment_id: experimentId })
        .orderBy('first_index')) as readonly { first_index: unknown; spans: unknown }[]
    ).map((row) => [Number(row.first_index), Number(row.spans)]); // the columns named

  it('tells of every full chunk in the transaction that fills it', async () => {
    const { id } = await addExperiment(storage());
    await append(id, noisy(3 * full + 10));
    expect(await pagesOf(id)).to.deep.equal([]);

    await merge(id);
    const first = await pagesOf(id);
    await append(id, noisy(full, 3 * full + 10));
    await merge(id);

    expect([first, await pagesOf(id)]).to.deep.equal([[[0, 3]], [[0, 4]]]);
  });

  for (const axis of ['step', 'epoch', 'relative', 'wall'] as const)
    it(`draws the same curve before, half-way through and after merging, over the axis ${axis}`, async () => {
      const { id } = await addExperiment(storage());
      const part = {
        step: [700, 4321],
        epoch: [1, 4],
        relative: [7000, 150_000],
        wall: [start + 7000, start + 150_000],
      }[axis] as [number, number]; // two each
      const compare = async () => {
        for (const scale of ['linear', 'logarithmic'] as const)
          for (const range of [{}, { from: part[0], to: part[1] }]) {
            const { curve, rows, truth } = await read(id, { axis, scale, ...range });
            expect(rows).to.deep.equal(truth);
            expect(curve.spansCut).to.equal(0);
          }
      };

      await append(id, noisy(4 * full));
      await compare();
      await merge(id);
      await append(id, noisy(2 * full + 100, 4 * full));
      await compare();
      await merge(id);
      await append(id, noisy(1000, 2 * full));
      await compare();
    });

  it('shows one point after a merge in the next call', async () => {
    const { id } = await addExperiment(storage());
    await append(id, noisy(2 * full));
    await merge(id);

    await append(id, [point({ text: '123', step: 999_999 })]);

    const { curve } = await read(id);
    expect([curve.points, curve.columns.last.at(-1)]).to.deep.equal([2 * full - 3 + 1, 123]);
  });

  it('loses the pages of a series with it', async () => {
    const { id } = await addExperiment(storage());
    await append(id, noisy(2 * full));
    await merge(id);

    await metrics().remove(id, 'loss');
    await append(id, noisy(5, 70));

    expect(await pagesOf(id)).to.deep.equal([]);
    const { rows, truth } = await read(id);
    expect(rows).to.deep.equal(truth);
  });

  it('fills in what was merged before there were pages, and reads it meanwhile', async () => {
    const { id } = await addExperiment(storage());
    await append(id, noisy(5 * full + 3));
    await merge(id);
    await db()('rollups').where({ experiment_id: id }).delete();

    const before = await read(id);
    const [series] = (await db()('series')
      .select('series_id')
      .where({ experiment_id: id })) as readonly { series_id: string }[]; // the column named
    await db()('compactions').insert({
      experiment_id: id,
      series_id: series?.series_id,
      at: start,
    });
    await merge(id);
    const after = await read(id);

    expect(before.rows).to.deep.equal(before.truth);
    expect(await pagesOf(id)).to.deep.equal([[0, 5]]);
    expect(after.rows).to.deep.equal(after.truth);
    expect(await db()('compactions').where({ experiment_id: id })).to.deep.equal([]);
  });
};
