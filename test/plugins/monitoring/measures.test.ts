// The measures of drift, held against vectors that were computed elsewhere.
import { expect } from 'chai';
import {
  binsOf,
  chiSquare,
  countIn,
  driftOf,
  earthMover,
  hellinger,
  js,
  kl,
  kolmogorovSmirnov,
  kolmogorovTail,
  psi,
  sharesOf,
  totalVariation,
  type Algorithm,
} from '#plugins/monitoring/measures';
import {
  deviationOf,
  mergeSketches,
  quantileOf,
  sketchOf,
  emptySketch,
  type Sketch,
} from '#plugins/monitoring/sketches';

const vectors = [
  {
    baseline: [500, 300, 150, 50],
    current: [400, 300, 200, 100],
    says: [0.071356, 0.070899, 0.037594, 0.037333, 0.012729, 0.112821, 0.1, 0.094184, 34.920635],
  },
  {
    baseline: [500, 300, 200, 0],
    current: [400, 300, 200, 100],
    says: [0.712388, 0.551517, 0.601618, 0.442828, 0.054016, 0.232413, 0.1, 0.229753, 111.111111],
  },
  {
    baseline: Array<number>(10).fill(100),
    current: [80, 90, 95, 100, 105, 110, 110, 105, 100, 105],
    says: [0.008411, 0.008325, 0.00413, 0.004089, 0.001515, 0.038922, 0.035, 0.032415, 4.194978],
  },
  { baseline: [7, 7, 7], current: [7, 7, 7], says: Array<number>(9).fill(0) },
] as const;

/** Numbers from 0 to 1 that only look like chance, the same in every run. */
const chance = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 4_294_967_296;
};
/** Of the normal distribution (Box and Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const draw = (n: number, one: () => number | string): Sketch =>
  sketchOf(Array.from({ length: n }, one));

describe('measures of drift', () => {
  for (const { baseline, current, says } of vectors)
    it(`give the golden vectors of ${current.join(' ')} to six digits`, () => {
      const of = (smoothing: 'floor' | 'half' | 'none') =>
        [sharesOf(baseline, smoothing), sharesOf(current, smoothing)] as const;

      const found = [
        psi(...of('floor')),
        psi(...of('half')),
        kl(...of('floor')),
        kl(...of('half')),
        js(...of('none')),
        Math.sqrt(js(...of('none'))),
        totalVariation(...of('none')),
        hellinger(...of('none')),
        chiSquare(baseline, current),
      ];

      expect(found.map((value) => Number(value.toFixed(6)))).to.deep.equal([...says]);
    });

  it('give the golden vector of numbers', () => {
    const [one, other] = [sketchOf([1, 2, 3, 4, 5]), sketchOf([2, 3, 4, 5, 8])];

    expect(earthMover(one, other)).to.be.closeTo(1.4, 1e-9);
    expect(earthMover(one, other) / deviationOf(one)).to.be.closeTo(0.989949, 1e-6);
    expect(kolmogorovSmirnov(one, other)).to.be.closeTo(0.2, 1e-9);
  });

  it('count numbers in tenths of the baseline, and few different numbers one by one', () => {
    const many = sketchOf(Array.from({ length: 1000 }, (_, at) => at));
    const few = sketchOf([1, 1, 2, 3]);

    expect(countIn(binsOf(many), many).every((n) => Math.abs(n - 100) <= 1)).to.equal(true);
    expect(countIn(binsOf(few), sketchOf([1, 3, 3, 9]))).to.deep.equal([1, 0, 2, 1]);
    expect(countIn(binsOf(sketchOf(['a', 'a', 'b'])), sketchOf(['b', 'c', 'c']))).to.deep.equal([
      0, 1, 2,
    ]);
  });

  it('count numbers in ranges of one width, by the rule of Freedman and Diaconis, or between edges that somebody gives', () => {
    const many = sketchOf(Array.from({ length: 1000 }, (_, at) => at ** 2));
    const edgesBy = (by: 'QUANTILE' | 'WIDTH' | 'FREEDMAN_DIACONIS'): readonly number[] => {
      const bins = binsOf(many, { by });
      return bins.of === 'ranges' ? bins.edges : [];
    };

    expect(edgesBy('WIDTH').map((edge) => Math.round((edge / 998_001) * 100))).to.deep.equal([
      10, 20, 30, 40, 50, 60, 70, 80, 90,
    ]);
    // Twice the half in the middle (499,000), over the cube root of 1,000: ranges of 99,800.
    expect(edgesBy('FREEDMAN_DIACONIS')).to.have.length(9);
    expect(edgesBy('QUANTILE')[0]).to.be.closeTo(100 ** 2, 500);
    const [bins, one] = [binsOf(many, { by: 'EDGES', edges: [3, 9] }), sketchOf([-1, 3, 4, 9, 10])];
    expect(countIn(bins, one)).to.deep.equal([2, 2, 1]);
    // All values alike have no width.
    expect(countIn(binsOf(sketchOf([7, 7]), { by: 'WIDTH' }), one)).to.deep.equal([0, 5]);
    const spread = sketchOf(Array.from({ length: 10_000 }, (_, at) => (at % 100 === 0 ? at : 5)));
    expect(countIn(binsOf(spread, { by: 'FREEDMAN_DIACONIS' }), spread)).to.have.length(20);
  });

  it('tell texts that are new from those that are rare, where the baseline has more than a hundred', () => {
    const texts = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        [`t${at}`, `t${at}`, `t${at}`].slice(at >= 100 ? 2 : 0),
      );
    const current = sketchOf(['t0', 't100', 't101', 't5000', 'new']);

    const some = countIn(binsOf(sketchOf(texts(110).flat())), current);
    expect([some.length, some.slice(-2)]).to.deep.equal([102, [2, 2]]);
    // Of more than a thousand, nobody can tell.
    const very = countIn(binsOf(sketchOf(texts(1200).flat())), current);
    expect([very.length, very.slice(-2)]).to.deep.equal([102, [4, 0]]);
    const few = countIn(binsOf(sketchOf(texts(100).flat())), current);
    expect([few.length, few.at(-1)]).to.deep.equal([101, 4]);
  });

  it('take missing values for a bin, and raise empty ones, where that is asked for', () => {
    const count = (text: string, n: number) => Array<string>(n).fill(text);
    const baseline = sketchOf([...count('a', 500), ...count('b', 300), ...count('c', 200)], 1000);
    const current = sketchOf(
      [...count('a', 400), ...count('b', 300), ...count('c', 200), ...count('d', 100)],
      1000,
    );
    const value = (how: object) => driftOf('PSI', baseline, current, how)?.value.toFixed(6);
    expect(value({ smoothing: 'floor' })).to.equal('0.712388');
    expect([value({}), value({ smoothing: 'half' })]).to.deep.equal(['0.551517', '0.551517']);

    const half = sketchOf(count('a', 500), 1000);
    const whole = sketchOf(count('a', 1000), 1000);
    expect(driftOf('PSI', whole, half)?.value).to.equal(0);
    const missed = driftOf('LINF', whole, half, { withMissing: true });
    expect(missed).to.deep.include({ value: 0.5, sampleCount: 1000, significant: true });
  });

  it('tell how likely the largest difference of two functions is by chance', () => {
    // Critical values of tables: 1.36, 1.63 and 1.95 over the root of a half of as many.
    for (const [far, p] of [
      [1.36, 0.05],
      [1.63, 0.01],
      [1.95, 0.001],
    ] as const)
      expect(kolmogorovTail(far / Math.sqrt(5_000_000), 1e7, 1e7), String(far)).to.be.closeTo(
        p,
        p / 20,
      );
    expect([kolmogorovTail(0, 100, 100), kolmogorovTail(1, 100, 100)]).to.satisfy(
      ([none, all]: readonly [number, number]) => none === 1 && all < 1e-30,
    );
  });

  for (const m of [50, 200, 1000])
    for (const [algorithm, kind] of [
      ['PSI', 'numbers'],
      ['PSI', 'texts'],
      ['KL', 'numbers'],
      ['JS', 'numbers'],
      ['HELLINGER', 'numbers'],
      ['CHI2', 'texts'],
      ['KS', 'numbers'],
      ['EMD', 'numbers'],
      ['EMD', 'texts'],
      ['LINF', 'texts'],
    ] as const satisfies readonly (readonly [Algorithm, string])[])
      it(`call no more than 5% of ${m} ${kind} without drift significant by ${algorithm}`, () => {
        const random = chance(m);
        const one = () =>
          kind === 'numbers'
            ? normal(random)
            : (['a', 'b', 'b', 'c', 'd'][Math.floor(random() * 5)] ?? '');
        const trials = 400;

        let alarms = 0;
        for (let trial = 0; trial < trials / 20; trial++) {
          const baseline = draw(5000, one);
          for (let again = 0; again < 20; again++)
            if (driftOf(algorithm, baseline, draw(m, one))?.significant === true) alarms++;
        }

        // 5%, and twice the deviation of a count of so many trials.
        expect(alarms / trials).to.be.at.most(0.05 + 2 * Math.sqrt((0.05 * 0.95) / trials));
      });

  it('call a shift significant, and say how large it is', () => {
    const random = chance(7);
    const baseline = draw(5000, () => normal(random));
    const shifted = draw(500, () => normal(random) + 0.5);

    for (const algorithm of ['EMD', 'PSI', 'KL', 'JS', 'HELLINGER', 'KS', 'CHI2', 'LINF'] as const)
      expect(driftOf(algorithm, baseline, shifted)?.significant, algorithm).to.equal(true);
    expect(driftOf('EMD', baseline, shifted)?.value).to.be.closeTo(0.5, 0.1);
  });

  it('give nothing where there is no value to compare', () => {
    expect(driftOf('PSI', emptySketch, sketchOf([1]))).to.equal(undefined);
    expect(driftOf('PSI', sketchOf([1]), emptySketch)).to.equal(undefined);
  });
});

describe('sketches of a field', () => {
  it('keep quantiles of many merged pieces within half a percent of rank', () => {
    const random = chance(3);
    const values = Array.from({ length: 20_000 }, () => Math.exp(normal(random)));
    let merged = emptySketch;
    for (let from = 0; from < values.length; from += 500)
      merged = mergeSketches(merged, sketchOf(values.slice(from, from + 500)));

    const sorted = values.sort((a, b) => a - b);
    for (const share of [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]) {
      const found = quantileOf(merged, share) ?? NaN;
      const rank = sorted.filter((value) => value <= found).length / sorted.length;
      expect(rank, String(share)).to.be.closeTo(share, 0.005);
    }
    expect([merged.numbers, merged.min, merged.max]).to.deep.equal([
      20_000,
      sorted[0],
      sorted.at(-1),
    ]);
    expect(merged.means.length).to.be.below(400);
  });

  it('keep few different numbers exactly, and count what is missing', () => {
    const sketch = mergeSketches(sketchOf([1, 2, 2], 4), sketchOf([0, -1, 'x'], 3));

    expect(sketch).to.include({
      events: 7,
      missing: 1,
      numbers: 5,
      zeros: 1,
      negatives: 1,
      exact: true,
      sum: 4,
    });
    expect(sketch.texts).to.deep.equal({ x: 1 });
    expect(quantileOf(sketch, 0.5)).to.equal(1);
  });

  it('keep the thousand most frequent texts and the sum of the others', () => {
    const texts = Array.from({ length: 1500 }, (_, at) => [
      `t${at}`,
      ...(at < 10 ? [`t${at}`] : []),
    ]);
    const sketch = sketchOf(texts.flat());

    expect(Object.keys(sketch.texts).length).to.equal(1000);
    expect(sketch.texts['t9']).to.equal(2);
    expect(sketch.otherTexts).to.equal(500);
  });
});
