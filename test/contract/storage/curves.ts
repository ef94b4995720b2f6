import { expect } from 'chai';
import type { Curve, CurveGrid, CurvesQuery } from '#ports/storage/curves';
import type { MetricPoint, StoredPoint } from '#ports/storage/metrics';
import type { Storage } from '#ports/storage/storage';
import { isFailure } from '#ports/failure';
import { addExperiment, freshId, gatherPoints, point, rejection, start } from './builders.js';

/** Where a point stands on an axis. */
export const placeOf = (
  { step, epoch, timestamp }: Pick<StoredPoint, 'step' | 'epoch' | 'timestamp'>,
  axis: CurvesQuery['axis'],
  originAt = 0,
): number | undefined =>
  axis === 'step'
    ? step
    : axis === 'epoch'
      ? epoch
      : axis === 'wall'
        ? timestamp
        : timestamp - originAt;

export interface TrueBucket {
  readonly values: number[];
  x: number;
}

/** The points of a range by their buckets, found in the plainest way. */
export const bucketsOf = (
  points: readonly StoredPoint[],
  { from, to, buckets, scale }: CurveGrid,
  place: (point: StoredPoint) => number | undefined,
): ReadonlyMap<number, TrueBucket> => {
  const found = new Map<number, TrueBucket>();
  for (const one of points) {
    const [x, value] = [place(one), Number(one.text)];
    if (x === undefined || x < from || x > to || !Number.isFinite(value)) continue;
    const part =
      scale === 'linear' ? (x - from) / (to - from) : Math.log(x / from) / Math.log(to / from);
    const bucket = to > from ? Math.min(buckets - 1, Math.floor(part * buckets)) : 0;
    const there = found.get(bucket) ?? { values: [], x };
    there.values.push(value);
    there.x = x;
    found.set(bucket, there);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
};

const rounded = (value: number) => Number(value.toPrecision(10));

/** A curve and the truth in one form; sums of floats differ in their last digits by the order of adding. */
export const rowsOf = ({ columns }: Pick<Curve, 'columns'>) =>
  Array.from(columns.bucket, (bucket, at) => ({
    bucket,
    x: columns.x[at],
    last: columns.last[at],
    min: columns.min[at],
    max: columns.max[at],
    mean: rounded(columns.mean[at] ?? NaN),
    count: columns.count[at],
  }));
export const trueRows = (found: ReadonlyMap<number, TrueBucket>) =>
  [...found].map(([bucket, { values, x }]) => ({
    bucket,
    x,
    last: values.at(-1),
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
    mean: rounded(values.reduce((a, b) => a + b, 0) / values.length),
    count: values.length,
  }));

/** A curve that can be told at a glance. */
const wave = (count: number, from = 0): readonly MetricPoint[] =>
  Array.from({ length: count }, (_, i) =>
    point({
      text: String(Math.sin((from + i) / 50) + ((from + i) % 7) / 10),
      step: from + i,
      timestamp: start + 1000 * (from + i),
      ...((from + i) % 3 === 0 ? { epoch: Math.floor((from + i) / 100) } : {}),
    }),
  );

/** What every store of curves keeps to. */
export const curveContract = (storage: () => Storage): void => {
  const metrics = () => storage().stores.metrics;
  const curves = () => storage().stores.curves;
  const append = (experimentId: string, points: readonly MetricPoint[]) =>
    metrics().append({ experimentId, points, receivedAt: start });
  const ask = (experimentId: string, given: Partial<CurvesQuery> = {}) =>
    curves().read({
      series: [{ experimentId, name: 'loss' }],
      axis: 'step',
      buckets: 40,
      scale: 'linear',
      ...given,
    });
  /** The one curve of a call, and what it should be. */
  const both = async (experimentId: string, given: Partial<CurvesQuery> = {}) => {
    const { grid, curves: some } = await ask(experimentId, given);
    const [curve] = some;
    if (curve === undefined || grid === undefined) throw new Error('a curve was expected');
    const all = await gatherPoints(metrics().readPoints(experimentId, 'loss'));
    const truth = bucketsOf(all, grid, (one) =>
      placeOf(one, given.axis ?? 'step', given.series?.[0]?.originAt),
    );
    return { grid, curve, rows: rowsOf(curve), truth: trueRows(truth) };
  };
  const refusal = async (given: Partial<CurvesQuery>) => {
    const thrown = await rejection(ask(freshId(), given));
    return isFailure(thrown) ? [thrown.kind, thrown.message] : thrown;
  };

  it('gives the last, smallest, largest and mean value of every bucket that is not empty', async () => {
    const { id } = await addExperiment(storage());
    await append(id, wave(1500));

    const { grid, curve, rows, truth } = await both(id);

    expect(grid).to.deep.equal({ from: 0, to: 1499, buckets: 40, scale: 'linear' });
    expect(rows).to.deep.equal(truth);
    expect([rows.length, curve.points, curve.total, curve.spansCut]).to.deep.equal([
      40, 1500, 1500, 0,
    ]);
  });

  for (const axis of ['step', 'epoch', 'relative', 'wall'] as const)
    for (const scale of ['linear', 'logarithmic'] as const)
      it(`cuts any range evenly over the axis ${axis}, ${scale}`, async () => {
        const { id } = await addExperiment(storage());
        await append(id, wave(1200, 1));
        const [low, high] = {
          step: [200, 900],
          epoch: [2, 9],
          relative: [5e4, 8e5],
          wall: [start + 5e4, start + 8e5],
        }[axis] as [number, number]; // two each

        const series = [{ experimentId: id, name: 'loss', originAt: start }];
        const whole = await both(id, { axis, scale, series });
        const part = await both(id, { axis, scale, series, from: low, to: high, buckets: 7 });

        expect(whole.rows).to.deep.equal(whole.truth);
        expect(part.rows).to.deep.equal(part.truth);
        expect([part.grid.from, part.grid.to]).to.deep.equal([low, high]);
        expect(whole.curve.unplaced).to.equal(axis === 'epoch' ? 800 : 0);
      });

  it('puts the points of a resumed run where they stand, whatever the order in which they came', async () => {
    const { id } = await addExperiment(storage());
    await append(id, wave(900));
    await append(id, wave(700, 500));
    await append(id, [...wave(300, 100)].reverse());

    const { rows, truth } = await both(id, { buckets: 33 });
    const part = await both(id, { from: 333, to: 777, buckets: 9 });

    expect(rows).to.deep.equal(truth);
    expect(part.rows).to.deep.equal(part.truth);
  });

  it('counts what is no finite number, and what has no place on the axis, and draws neither', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [
      ...wave(20),
      point({ text: 'NaN', step: 20 }),
      point({ text: 'Infinity', step: 5 }),
      point({ text: '-Infinity', step: 6 }),
      point({ text: 'on', step: 99 }),
      point({ text: '7' }),
      point({ text: '1000' }),
    ]);

    const { curve, rows, truth } = await both(id, { to: 50 });

    expect(rows).to.deep.equal(truth);
    expect([curve.points, curve.skipped, curve.unplaced, curve.total]).to.deep.equal([
      20, 3, 2, 26,
    ]);
  });

  it('begins a logarithmic axis at the first place above 0', async () => {
    const { id } = await addExperiment(storage());
    await append(id, wave(500, -20));

    const { grid, curve, rows, truth } = await both(id, { scale: 'logarithmic' });

    expect([grid.from, grid.to]).to.deep.equal([1, 479]);
    expect(rows).to.deep.equal(truth);
    expect(curve.points).to.equal(479);
  });

  it('shares one grid among all curves of a call, in the order in which they were asked for', async () => {
    const [one, other] = [await addExperiment(storage()), await addExperiment(storage())];
    await append(one.id, wave(300));
    await append(other.id, [
      ...wave(100, 1000),
      ...wave(50, 400).map((some) => ({ ...some, name: 'train_loss', context: 'train' })),
    ]);
    const of = (experimentId: string, name = 'loss') => ({ experimentId, name });

    const { grid, curves: found } = await curves().read({
      series: [
        of(other.id, 'train_loss'),
        of(one.id),
        of(one.id, 'absent'),
        of(other.id),
        of(one.id),
      ],
      axis: 'step',
      buckets: 11,
      scale: 'linear',
    });

    if (grid === undefined) throw new Error('a grid was expected');
    expect([grid.from, grid.to]).to.deep.equal([0, 1099]);
    const truth = async (experimentId: string, name: string) =>
      trueRows(
        bucketsOf(
          await gatherPoints(metrics().readPoints(experimentId, name)),
          grid,
          ({ step }) => step,
        ),
      );
    expect(found.map(rowsOf)).to.deep.equal([
      await truth(other.id, 'train_loss'),
      await truth(one.id, 'loss'),
      [],
      await truth(other.id, 'loss'),
      await truth(one.id, 'loss'),
    ]);
    expect(found[2]).to.include({ points: 0, total: 0, lastAt: undefined });
  });

  it('shows a point in the next call after its acknowledgement, and marks that it came', async () => {
    const { id } = await addExperiment(storage());
    const series = [{ experimentId: id, name: 'loss' }];
    const marks = [await curves().mark(series)];
    for (const i of [1, 2, 3]) {
      await append(id, [point({ text: String(i), step: i, timestamp: start + i })]);
      const { curve } = await both(id);
      marks.push(await curves().mark(series));

      expect([curve.points, curve.columns.last.at(-1), curve.lastAt]).to.deep.equal([
        i,
        i,
        start + i,
      ]);
    }

    expect(new Set(marks).size).to.equal(4);
    expect(await curves().mark(series)).to.equal(marks.at(-1));
    expect(await curves().mark(series, ['beside'])).not.to.equal(marks.at(-1));
  });

  it('has no grid where there is no point and no range', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [point({ text: '1' }), point({ text: '2' })]);

    const { grid, curves: found } = await ask(id);
    const ranged = await ask(id, { from: 3, to: 4 });

    expect(grid).to.equal(undefined);
    expect([found[0]?.points, found[0]?.unplaced]).to.deep.equal([0, 2]);
    expect(ranged.grid).to.include({ from: 3, to: 4 });
  });

  it('draws one point, and points at one place, in one bucket', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [point({ text: '4', step: 7 }), point({ text: '2', step: 7 })]);

    const { grid, rows } = await both(id);

    expect(grid).to.include({ from: 7, to: 7, buckets: 1 });
    expect(rows).to.deep.equal([{ bucket: 0, x: 7, last: 2, min: 2, max: 4, mean: 3, count: 2 }]);
  });

  it('smooths over every point, so that the number of buckets changes nothing', async () => {
    const { id } = await addExperiment(storage());
    await append(id, wave(1000));
    let [sum, left] = [0, 1];
    for (const { text } of wave(1000)) {
      sum = sum * 0.9 + Number(text) * 0.1;
      left *= 0.9;
    }

    const ends = await Promise.all(
      [3, 40, 800].map(async (buckets) => {
        const { curve } = await both(id, { buckets, smoothing: 0.9 });
        return rounded(curve.columns.smooth?.at(-1) ?? NaN);
      }),
    );

    expect(ends).to.deep.equal(Array(3).fill(rounded(sum / (1 - left))));
  });

  it('loses a curve with its metric, and begins anew with the next point', async () => {
    const { id } = await addExperiment(storage());
    await append(id, wave(100));
    await metrics().remove(id, 'loss');

    const gone = await ask(id);
    await append(id, wave(3, 5000));
    const { rows, truth } = await both(id);

    expect([gone.grid, gone.curves[0]?.total]).to.deep.equal([undefined, 0]);
    expect(rows).to.deep.equal(truth);
    expect(rows).to.have.length(3);
  });

  it('refuses in a sentence what cannot be drawn or is more than one reply holds', async () => {
    expect(await refusal({ from: 5, to: 4 })).to.deep.equal([
      'invalid',
      'the range ends before it begins: from 5 to 4',
    ]);
    expect(await refusal({ to: Infinity })).to.deep.equal([
      'invalid',
      'to must be a finite number',
    ]);
    expect(await refusal({ from: 0, scale: 'logarithmic' })).to.deep.equal([
      'invalid',
      'from must be above 0 on a logarithmic scale',
    ]);
    expect(await refusal({ to: -1, scale: 'logarithmic' })).to.deep.equal([
      'invalid',
      'to must be above 0 on a logarithmic scale',
    ]);
    expect(await refusal({ buckets: 600_001 })).to.deep.equal([
      'invalid',
      'series times buckets must be at most 600000; ask for fewer of either',
    ]);
    const series = Array.from({ length: 2001 }, () => ({ experimentId: freshId(), name: 'loss' }));
    expect(await refusal({ series, buckets: 1 })).to.deep.equal([
      'invalid',
      'the series of one call must be at most 2000, and are 2001',
    ]);
  });
};
