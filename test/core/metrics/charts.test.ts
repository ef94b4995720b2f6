import { expect } from 'chai';
import { writeCharts } from '#core/metrics/charts';
import { isFailure } from '#ports/failure';
import { addExperiment, freshKey, point, rejection, start } from '#test/contract/storage/builders';
import { embedded } from '../opened.js';

interface Chart {
  readonly experiments: Readonly<
    Record<
      string,
      {
        readonly metrics: readonly {
          readonly metricName: string;
          readonly values: readonly (number | null)[];
          readonly steps: readonly (number | null)[];
          readonly timestamps: readonly number[];
          readonly durations: readonly number[];
          readonly pointCount: number;
          readonly reduced: boolean;
        }[];
        readonly params: unknown;
      }
    >
  >;
  readonly empty: boolean;
}

describe('charts', () => {
  const opened = embedded();
  const stores = () => opened().storage.stores;
  const read = async (
    request: Parameters<typeof writeCharts>[1],
  ): Promise<{ readonly chart: Chart; readonly longest: number }> => {
    let [text, longest] = ['', 0];
    for await (const piece of (await writeCharts(stores(), request)).text) {
      text += piece;
      longest = Math.max(longest, piece.length);
    }
    return { chart: JSON.parse(text) as Chart, longest };
  };
  const append = (experimentId: string, texts: readonly string[], name = 'loss') =>
    stores().metrics.append({
      experimentId,
      points: texts.map((text, i) => point({ name, text, step: i, timestamp: start + 2 * i })),
      receivedAt: start,
    });

  it('hold every point of a long series, in pieces of which none is long', async () => {
    const experiment = await addExperiment(opened().storage);
    const texts = Array.from({ length: 60_000 }, (_, i) => String(i % 7));
    await append(experiment.id, texts);

    const { chart, longest } = await read({
      experiments: [experiment],
      names: ['loss'],
      params: [],
      full: true,
    });

    const [series] = chart.experiments[experiment.key]?.metrics ?? [];
    expect(series?.values).to.deep.equal(texts.map(Number));
    expect([
      series?.steps.length,
      series?.steps.at(-1),
      series?.durations.slice(0, 2),
      series?.durations.length,
      series?.timestamps.at(-1),
    ]).to.deep.equal([60_000, 59_999, [0, 2], 60_000, start + 119_998]);
    expect([series?.pointCount, series?.reduced]).to.deep.equal([60_000, false]);
    expect(longest).to.be.below(100_000);
  });

  it('say where they show some of the points, and of how many', async () => {
    const experiment = await addExperiment(opened().storage);
    await append(
      experiment.id,
      Array.from({ length: 6000 }, (_, i) => String(i)),
    );
    await append(experiment.id, ['1', '2'], 'short');

    const { chart } = await read({
      experiments: [experiment],
      names: ['loss', 'short'],
      params: [],
      full: false,
    });

    const told = chart.experiments[experiment.key]?.metrics.map((one) => [
      one.metricName,
      one.pointCount,
      one.reduced,
      one.values.length < one.pointCount,
    ]);
    expect(told).to.deep.equal([
      ['loss', 6000, true, true],
      ['short', 2, false, false],
    ]);
  });

  it('hold what each experiment has of what was asked, in the order it was asked in, and leave out those with none', async () => {
    const [one, other, bare] = [
      await addExperiment(opened().storage),
      await addExperiment(opened().storage),
      await addExperiment(opened().storage),
    ];
    await append(one.id, ['1', 'nan'], 'b');
    await append(one.id, ['2'], 'a');
    await append(other.id, ['3'], 'c');
    await stores().values.write({
      experimentId: other.id,
      kind: 'parameter',
      values: [{ name: 'lr', context: undefined, text: '0.10', step: undefined, timestamp: start }],
      receivedAt: start,
    });

    const { chart } = await read({
      experiments: [one, other, bare],
      names: ['b', 'a'],
      params: ['lr'],
      full: false,
    });

    expect(Object.keys(chart.experiments)).to.deep.equal([one.key, other.key]);
    expect(
      chart.experiments[one.key]?.metrics.map(({ metricName, values }) => [metricName, values]),
    ).to.deep.equal([
      ['b', [1, null]],
      ['a', [2]],
    ]);
    expect([
      chart.experiments[other.key]?.metrics,
      chart.experiments[other.key]?.params,
      chart.empty,
    ]).to.deep.equal([[], { lr: '0.10' }, false]);
    expect(
      (await read({ experiments: [], names: [], params: [], full: false })).chart,
    ).to.deep.equal({ experiments: {}, empty: true });
  });

  it('are refused when they would be of more series or points than one reply holds', async () => {
    const experiment = await addExperiment(opened().storage);
    const names = Array.from({ length: 1001 }, freshKey);
    const series = {
      name: 'loss',
      context: undefined,
      count: 15_000_000,
      min: undefined,
      max: undefined,
      last: undefined,
    };
    const long = {
      ...stores(),
      metrics: { ...stores().metrics, listSeries: async () => [series] as never },
    }; // only names and counts are looked at

    const wide = await rejection(
      writeCharts(stores(), {
        experiments: Array.from({ length: 100 }, () => experiment),
        names,
        params: [],
        full: false,
      }),
    );
    const deep = await rejection(
      writeCharts(long, {
        experiments: [experiment, experiment],
        names: ['loss'],
        params: [],
        full: true,
      }),
    );

    expect([wide, deep].map((thrown) => isFailure(thrown) && thrown.kind)).to.deep.equal([
      'invalid',
      'invalid',
    ]);
  });
});
