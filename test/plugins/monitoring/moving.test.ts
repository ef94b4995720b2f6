// Series against a baseline that moves along: what each window finds, and what a long series costs.
import { expect } from 'chai';
import { createBaseline } from '#plugins/monitoring/baseline-making';
import { baselineSketch, findBaseline } from '#plugins/monitoring/baselines';
import { driftOf } from '#plugins/monitoring/measures';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { driftSeries, metricSeries } from '#plugins/monitoring/queries';
import { emptySketch, mergeSketches, sketchOf } from '#plugins/monitoring/sketches';
import { SlidingSum } from '#plugins/monitoring/sliding';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;

describe('sums of windows that move', () => {
  it('hold what lies in the window, whatever its width and steps', () => {
    const hours = Array.from({ length: 300 }, (_, hour) => hour).filter((hour) => hour % 7 !== 3);
    for (const [width, step] of [
      [1, 1],
      [24, 1],
      [5, 24],
      [170, 3],
    ] as const) {
      const sum = new SlidingSum();
      let next = 0;
      for (let end = 0; end < 320; end += step) {
        for (; (hours[next] ?? Infinity) < end; next++)
          sum.push({ hour: hours[next] ?? 0, sketch: sketchOf([hours[next] ?? 0]) });
        sum.dropUpTo((end - width) * hourMs);
        const wanted = hours.filter((hour) => hour >= end - width && hour < end);
        const { min, max, numbers } = wanted
          .map((hour) => sketchOf([hour]))
          .reduce(mergeSketches, emptySketch);
        expect(sum.sum(), `${width} by ${step} at ${end}`).to.include({ min, max, numbers });
      }
    }
  });
});

describe('drift against a baseline that moves', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const begin = async () => {
    const world = await beginModel(tables);
    const events = Array.from({ length: 40 * 24 }, (_, hour) => ({
      at: start - 40 * dayMs + hour * hourMs,
      features: { age: hour % 50 },
    }));
    world.time.now = start;
    await world.send(events);
    await createBaseline(
      world.needs,
      world.model,
      { kind: 'moving', movingDays: 7, gapDays: 1, isDefault: true },
      'somebody',
      never,
    );
    return world;
  };

  it('compares each window with the days before it', async () => {
    const { needs, model } = await begin();
    const asked = {
      name: 'age',
      intervalType: 'HOURLY',
      from: '2026-11-20',
      to: '2026-11-21',
    } as const;
    const { data, baseline } = await driftSeries(needs, { model, signal: never }, asked, true);
    const used = await findBaseline(needs, model, undefined, undefined);
    expect(baseline?.kind).to.equal('moving');
    if (used === undefined) throw new Error('there is no baseline');
    const points = data[0]?.data ?? [];
    expect(points).to.have.length(48);
    for (const [at, point] of points.entries()) {
      const from = Date.parse('2026-11-20T00:00:00Z') + at * hourMs;
      const before = await baselineSketch(needs, used, 'feature_age', from);
      expect(before.numbers).to.equal(7 * 24);
      const current = sketchOf([Math.round((from - (start - 40 * dayMs)) / hourMs) % 50]);
      expect(point.y).to.be.closeTo(driftOf('EMD', before, current)?.value ?? NaN, 1e-9);
    }
  });

  it('reads the sums once for a series of ten thousand points', async () => {
    const { needs, model } = await begin();
    let asked = 0;
    const counting: PluginTables = {
      ...tables,
      list: (...args: Parameters<PluginTables['list']>) => {
        asked++;
        return tables.list(...args);
      },
    };
    const { data } = await driftSeries(
      { ...needs, tables: counting },
      { model, signal: never },
      { name: 'age', from: '2000-01-01', intervalType: 'DAILY' },
      true,
    );
    expect(data[0]?.data).to.have.length.above(9800);
    expect(asked).to.be.below(20);
  });

  it('refuses series of more points than a reply holds', async () => {
    const { needs, model } = await begin();
    const predicates = Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, query: '' }));
    const failed = await metricSeries(
      needs,
      { model, signal: never },
      { cometSql: 'SELECT count(*) FROM model', from: '2000-01-01', predicates },
    ).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(failed).to.contain('at most 200000 points');
  });
});
