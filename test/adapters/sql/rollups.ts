import { expect } from 'chai';
import type { CurvesQuery } from '#ports/storage/curves';
import type { MetricPoint, StoredPoint } from '#ports/storage/metrics';
import { encodePacked } from '#adapters/storage/sql/metrics/codec';
import { insertChunks } from '#adapters/storage/sql/metrics/chunks';
import { extendRollups, measureChunk } from '#adapters/storage/sql/metrics/rollups';
import { findEnds } from '#adapters/storage/sql/metrics/runs';
import { seriesIdOf } from '#adapters/storage/sql/metrics/series-ids';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addExperiment, gatherPoints, point, start } from '#test/contract/storage/builders';
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
    await metrics().queueCompaction([experimentId]);
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
    const points: readonly StoredPoint[] = await gatherPoints(
      metrics().readPoints(experimentId, 'loss'),
    );
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

  /** A long series as compaction leaves it, whose value tells where it stands; spikes are rare. */
  const fillLong = async (experimentId: string, chunks: number): Promise<Float64Array> => {
    const { db, dialect } = storage().connection;
    const seriesId = seriesIdOf('loss', undefined);
    const values = Float64Array.from(
      { length: chunks * full },
      (_, at) => Math.sin(at / 9000) + (at % 77_777 === 5 ? 9 : at % 55_555 === 3 ? -9 : 0),
    );
    await append(experimentId, [point({ text: '0', step: 0 })]);
    await db('chunks').where({ experiment_id: experimentId }).delete();
    await db('series')
      .where({ experiment_id: experimentId })
      .update({ n: values.length, loose: 0 });
    for (let page = 0; page < chunks; page += 100) {
      const rows = Array.from({ length: Math.min(100, chunks - page) }, (_, i) => {
        const firstIndex = (page + i) * full;
        const steps = Float64Array.from({ length: full }, (__, at) => firstIndex + at);
        const columns = {
          values: values.subarray(firstIndex, firstIndex + full),
          timestamps: steps.map((step) => start + step),
          steps,
          epochs: new Float64Array(full).fill(NaN),
          texts: new Map<number, string>(),
        };
        const slices = [{ columns, from: 0, to: full }];
        const bytes = encodePacked(slices);
        return {
          chunk: {
            experimentId,
            seriesId,
            firstIndex,
            n: full,
            ends: findEnds(slices),
            bytes,
            packed: true,
          },
          measured: measureChunk(firstIndex, bytes, slices),
        };
      });
      await insertChunks(
        db,
        dialect,
        rows.map(({ chunk }) => chunk),
      );
      await extendRollups(
        db,
        dialect,
        { experimentId, seriesId },
        rows.map(({ measured }) => measured),
      );
    }
    return values;
  };

  it('puts every extreme of a long series into its own bucket, and tells how many spans were cut', async function () {
    this.timeout(60_000);
    const { id } = await addExperiment(storage());
    const chunks = 1030;
    const values = await fillLong(id, chunks);
    await append(id, [point({ text: '77', step: values.length })]);
    const many = values.length + 1;
    const valueAt = (step: number) => (step === values.length ? 77 : (values[step] ?? NaN));
    const query = {
      series: [{ experimentId: id, name: 'loss' }],
      axis: 'step',
      scale: 'linear',
    } as const;

    for (const [from, to, buckets] of [
      [0, many - 1, 600],
      [0, many - 1, 100],
      [500, many - 700, 300],
    ] as const) {
      const { grid, curves } = await storage().stores.curves.read({ ...query, from, to, buckets });
      const [curve] = curves;
      if (grid === undefined || curve === undefined) throw new Error('a curve was expected');
      const truth = new Map<number, { min: number; max: number; count: number }>();
      for (let step = from; step <= to; step++) {
        const bucket = Math.min(
          grid.buckets - 1,
          Math.floor(((step - from) / (to - from)) * grid.buckets),
        );
        const there = truth.get(bucket) ?? { min: Infinity, max: -Infinity, count: 0 };
        const value = valueAt(step);
        truth.set(bucket, {
          min: Math.min(there.min, value),
          max: Math.max(there.max, value),
          count: there.count + 1,
        });
      }
      const { columns } = curve;
      const spikes = (pick: (bucket: number) => number | undefined) =>
        [...truth.keys()].filter((bucket) => Math.abs(pick(bucket) ?? 0) > 5);

      // Fewer buckets than were asked for only where they would hold less than two spans.
      expect(grid.buckets).to.be.within(Math.min(buckets, 500), buckets);
      expect(Array.from(columns.bucket)).to.deep.equal([...truth.keys()]);
      expect(spikes((bucket) => columns.max[bucket])).to.deep.equal(
        spikes((bucket) => truth.get(bucket)?.max),
      );
      expect(spikes((bucket) => columns.min[bucket])).to.deep.equal(
        spikes((bucket) => truth.get(bucket)?.min),
      );
      for (const [bucket, { min, max, count }] of truth) {
        expect(columns.min[bucket]).to.be.within(min, min + 0.5);
        expect(columns.max[bucket]).to.be.within(max - 0.5, max);
        expect(columns.count[bucket]).to.be.within(count - 2 * full, count + 2 * full);
      }
      expect(columns.count.reduce((sum, count) => sum + count, 0)).to.equal(to - from + 1);
      expect(curve.points).to.equal(to - from + 1);
      expect(curve.spansCut).to.be.within(1, grid.buckets);
    }
  });

  it('reads anew what was logged in the place of a metric that was removed', async () => {
    const { id } = await addExperiment(storage());
    for (const from of [0, 1]) {
      await append(id, noisy(2 * full, from));
      await merge(id);
      const { rows, truth } = await read(id);
      expect(rows).to.deep.equal(truth);
      expect((await read(id)).rows).to.deep.equal(truth);
      await metrics().remove(id, 'loss');
    }
  });
};
