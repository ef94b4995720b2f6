import { expect } from 'chai';
import fc from 'fast-check';
import {
  countGrid,
  proposeAtRandom,
  proposeByResults,
  proposeOnGrid,
  type Observation,
} from '#core/optimizer/propose';
import { checkGrid, countSets, isOver, observe } from '#core/optimizer/rules';
import { readSpec } from '#core/optimizer/spec';
import { readSpace } from '#core/optimizer/space';
import type { Trial } from '#ports/model/optimizer';

const parameters = {
  whole: { type: 'integer', min: -5, max: 5 },
  rate: { type: 'float', min: 0.001, max: 0.1, scalingType: 'loguniform' },
  bell: { type: 'double', min: -1, max: 4, scalingType: 'normal', mu: 1, sigma: 2 },
  kind: { type: 'categorical', values: ['adam', 'sgd'] },
  size: { type: 'discrete', values: [16, 32, 64] },
};
const space = readSpace(parameters);
const isInside = (set: Readonly<Record<string, unknown>>): boolean => {
  const { whole, rate, bell, kind, size } = set as {
    whole: number;
    rate: number;
    bell: number;
    kind: string;
    size: number;
  }; // the parameters above
  return (
    Number.isInteger(whole) &&
    Math.abs(whole) <= 5 &&
    rate >= 0.001 &&
    rate <= 0.1 &&
    bell >= -1 &&
    bell <= 4 &&
    ['adam', 'sgd'].includes(kind) &&
    [16, 32, 64].includes(size)
  );
};

describe('the space of a search', () => {
  it('gives values within their bounds from every place', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (place) =>
        isInside(
          Object.fromEntries(space.map((dimension) => [dimension.name, dimension.valueAt(place)])),
        ),
      ),
    );
  });

  it('leads from a value to a place that gives it again', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), (place) => {
        for (const dimension of space) {
          const value = dimension.valueAt(place);
          const again = dimension.valueAt(dimension.placeOf(value));
          if (typeof value === 'number' && typeof again === 'number')
            expect(again).to.be.closeTo(value, Math.abs(value) * 1e-3 + 1e-3);
          else expect(again).to.equal(value);
        }
      }),
    );
  });

  it('gives both ends of whole numbers as often as those between', () => {
    const [whole] = space;
    const counts = new Map<unknown, number>();
    for (let at = 0; at < 1100; at++)
      counts.set(
        whole?.valueAt((at + 0.5) / 1100),
        (counts.get(whole?.valueAt((at + 0.5) / 1100)) ?? 0) + 1,
      );

    expect([...counts.values()]).to.deep.equal(Array.from({ length: 11 }, () => 100));
  });

  for (const [title, broken] of Object.entries({
    'no parameter': {},
    'no list': [],
    'an unknown type': { x: { type: 'colour' } },
    'no bounds': { x: { type: 'float', min: 1 } },
    'bounds the wrong way round': { x: { type: 'integer', min: 2, max: 1 } },
    'no values': { x: { type: 'discrete', values: [] } },
    'a logarithm below 0': { x: { type: 'float', min: 0, max: 1, scalingType: 'loguniform' } },
    'an unknown scaling': { x: { type: 'float', min: 0, max: 1, scalingType: 'cubic' } },
  }))
    it(`is refused with ${title}`, () => {
      expect(() => readSpace(broken)).to.throw(/parameter/);
    });
});

describe('sets of parameters', () => {
  it('at random follow from the seed and the place, and differ between places', () => {
    const sets = Array.from({ length: 50 }, (_, place) =>
      JSON.stringify(proposeAtRandom(space, 'seed', place)),
    );

    expect(sets).to.deep.equal(
      Array.from({ length: 50 }, (_, place) =>
        JSON.stringify(proposeAtRandom(space, 'seed', place)),
      ),
    );
    expect(new Set(sets).size).to.equal(50);
    expect(JSON.stringify(proposeAtRandom(space, 'other', 0))).to.not.equal(sets[0]);
  });

  it('on a grid are all combinations, each once, also in a random order', () => {
    const grid = readSpace({
      a: { type: 'integer', min: 1, max: 3 },
      b: { type: 'categorical', values: ['x', 'y'] },
      c: { type: 'float', min: 0, max: 1 },
    });
    const total = countGrid(grid, 3);
    const inOrder = Array.from({ length: total }, (_, place) =>
      JSON.stringify(proposeOnGrid(grid, 3, place)),
    );
    const mixed = Array.from({ length: total }, (_, place) =>
      JSON.stringify(proposeOnGrid(grid, 3, place, 'seed')),
    );

    expect([total, inOrder[0], inOrder[1]]).to.deep.equal([
      18,
      '{"a":1,"b":"x","c":0}',
      '{"a":1,"b":"x","c":0.5}',
    ]);
    expect(new Set(inOrder).size).to.equal(18);
    expect([...mixed].sort()).to.deep.equal([...inOrder].sort());
    expect(mixed).to.not.deep.equal(inOrder);
  });

  for (const [title, spec, ranges] of [
    ['more values of a range than anybody tries', { gridSize: 10_001 }, 1],
    ['more values than are listed for each set', { gridSize: 10_000 }, 11],
    ['more sets than can be counted', { gridSize: 1000, randomize: true }, 6],
    ['a size beyond all numbers', { gridSize: 1e300 }, 1],
  ] as const)
    it(`on a grid are refused with ${title}`, () => {
      const wide = Object.fromEntries(
        Array.from({ length: ranges }, (_, at) => [`p${at}`, { type: 'float', min: 0, max: 1 }]),
      );
      expect(() => checkGrid(spec, readSpace(wide))).to.throw(/gridSize/);
    });

  it('on a grid are given out at once, however many there are', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`p${at}`, { type: 'float', min: 0, max: 1 }]),
    );
    const given = readSpace(wide);
    // As a search that was made before is read.
    const { gridSize } = readSpec({ gridSize: 1e9 });
    expect(gridSize).to.equal(10_000);
    expect(Object.values(proposeOnGrid(given, gridSize, 7, 'seed'))).to.have.length(12);
    const five = readSpace(Object.fromEntries(Object.entries(wide).slice(0, 5)));
    checkGrid({ gridSize: 1000 }, five);
    const sets = [0, 1, 2].map((place) => JSON.stringify(proposeOnGrid(five, 1000, place, 'seed')));
    expect(new Set(sets).size).to.equal(3);
  });

  it('by results come close to the best one, closer than at random', () => {
    const loss = (set: Readonly<Record<string, unknown>>) =>
      (set['whole'] as number) ** 2 +
      10 * Math.abs(Math.log10(set['rate'] as number) + 2) +
      (set['kind'] === 'adam' ? 0 : 5); // the parameters above
    const better = Array.from({ length: 10 }, (_, seed) => {
      const observations: Observation[] = [];
      for (let place = 0; place < 40; place++) {
        const set = proposeByResults(space, String(seed), place, observations, 8);
        observations.push({ parameters: set, score: loss(set) });
      }
      const learnt = observations.slice(20).reduce((sum, one) => sum + (one.score ?? 0), 0);
      const blind = Array.from({ length: 20 }, (_, place) =>
        loss(proposeAtRandom(space, String(seed), place + 20)),
      ).reduce((sum, one) => sum + one, 0);
      return learnt < blind;
    });

    expect(better.filter((one) => !one)).to.deep.equal([]);
  });

  it('by results follow from what is known, also from sets whose results are awaited', () => {
    const observations: Observation[] = Array.from({ length: 12 }, (_, place) => ({
      parameters: proposeAtRandom(space, 's', place),
      score: place < 10 ? place : undefined,
    }));

    expect(proposeByResults(space, 's', 12, observations, 8)).to.deep.equal(
      proposeByResults(space, 's', 12, [...observations], 8),
    );
    expect(isInside(proposeByResults(space, 's', 12, observations, 8))).to.equal(true);
  });

  it('by results survive sets that were brought with other parameters', () => {
    const odd: Observation[] = Array.from({ length: 9 }, (_, at) => ({
      parameters: at % 2 === 0 ? {} : { whole: 'text', kind: 'none', rate: -1 },
      score: at,
    }));

    expect(isInside(proposeByResults(space, 's', 0, odd, 8))).to.equal(true);
  });
});

describe('a search', () => {
  const trial = (given: Partial<Trial>): Trial => ({
    pid: 'p',
    trial: 1,
    count: 1,
    parameters: '{}',
    status: 'completed',
    score: 1,
    epoch: undefined,
    tries: 1,
    retries: 0,
    startTime: 0,
    endTime: 0,
    updatedAt: 0,
    metadata: undefined,
    ...given,
  });

  it('tries as many sets as asked for, never more than a grid has', () => {
    const two = readSpace({ b: { type: 'categorical', values: ['x', 'y'] } });

    expect(countSets({ algorithm: 'random' }, readSpec({ maxCombo: 7 }), two)).to.equal(7);
    expect(countSets({ algorithm: 'bayes' }, readSpec({}), two)).to.equal(10);
    expect(countSets({ algorithm: 'grid' }, readSpec({ maxCombo: 7 }), two)).to.equal(2);
    expect(countSets({ algorithm: 'grid' }, readSpec({ maxCombo: 1 }), two)).to.equal(1);
  });

  it("learns the mean of a set's trials, turned so that smaller is better", () => {
    const trials = [
      trial({ score: 1 }),
      trial({ trial: 2, score: 3 }),
      trial({ pid: 'q', score: undefined }),
    ];

    expect(observe(trials, true).map((one) => one.score)).to.deep.equal([2, undefined]);
    expect(observe(trials, false).map((one) => one.score)).to.deep.equal([-2, undefined]);
  });

  it('is over when every set was assigned and no result is awaited', () => {
    expect(
      isOver(
        2,
        2,
        new Map([
          ['completed', 1],
          ['aborted', 1],
        ]),
      ),
    ).to.equal(true);
    expect(
      isOver(
        2,
        2,
        new Map([
          ['completed', 1],
          ['assigned', 1],
        ]),
      ),
    ).to.equal(false);
    expect(isOver(1, 2, new Map([['completed', 1]]))).to.equal(false);
  });
});
