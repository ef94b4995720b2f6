// Verdicts over seeds and ranks of trials, without a browser.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  chanceOfT,
  configurationsOf,
  corrected,
  differingPlaces,
  isSeed,
  seedsMore,
  usualT,
  verdictsOf,
  verdictText,
  welch,
  type SeedRun,
} from '#plugins/web-ui/pure/seeds';
import {
  gainText,
  objectiveOf,
  promptOf,
  promptText,
  rankedTrials,
  type Trial,
} from '#plugins/web-ui/pure/trials';

const names = ['lr', 'seed', 'arch'];
const seeds = new Set(['seed']);
const run = (key: string, parameters: readonly unknown[], value?: number): SeedRun => ({
  ...{ key, name: key, parameters, value },
});
const runs = [
  run('a1', [0.1, 1, 'vit'], 0.8),
  run('b1', [0.2, 1, 'vit'], 0.9),
  run('a2', [0.1, 2, 'vit'], 0.82),
  run('b2', [0.2, 2, 'vit'], 0.91),
  run('a3', [0.1, 3, 'vit'], 0.81),
  run('b3', [0.2, 3, 'vit'], 0.92),
  run('c1', [0.3, 1, 'vit'], 0.7),
  run('d1', [0.4, 1, 'vit']),
];

describe('runs that differ by their seed only', () => {
  it('are known by the names of seeds', () => {
    for (const name of [
      'seed',
      'random_seed',
      'train.seed',
      'hparams/seed',
      'Seed',
      'random_state',
      'rng_seed',
      'np-seed',
    ])
      expect([name, isSeed(name)]).to.deep.equal([name, true]);
    for (const name of ['seeded', 'lr', 'proceeds', 'seed_count', 'linseed'])
      expect([name, isSeed(name)]).to.deep.equal([name, false]);
  });

  it('are one configuration, with mean and deviation', () => {
    const all = configurationsOf(names, seeds, runs);
    expect(all.map((one) => one.runs.map(({ key }) => key))).to.deep.equal([
      ['a1', 'a2', 'a3'],
      ['b1', 'b2', 'b3'],
      ['c1'],
      ['d1'],
    ]);
    expect(all[0]?.mean).to.be.closeTo(0.81, 1e-12);
    expect(all[0]?.deviation).to.be.closeTo(0.01, 1e-12);
    expect([all[2]?.deviation, all[3]?.mean]).to.deep.equal([undefined, undefined]);
    expect(differingPlaces(names, seeds, all)).to.deep.equal([0]);
    // Without a seed each run stands alone.
    expect(configurationsOf(names, new Set(), runs)).to.have.length(8);
  });

  it('differ by more than chance as the tables of the t distribution say', () => {
    for (const [t, freedom, chance] of [
      [12.7062, 1, 0.05],
      [1, 1, 0.5],
      [2.22814, 10, 0.05],
      [4.58689, 10, 0.001],
      [1.98397, 100, 0.05],
    ] as const)
      expect(chanceOfT(t, freedom)).to.be.closeTo(chance, 1e-5);
    expect(usualT(4)).to.be.closeTo(2.77645, 1e-4);
    // The example of Welch's test with equal numbers: t = 3, of 8 degrees of freedom.
    const test = welch([1, 2, 3, 4, 5], [4, 5, 6, 7, 8]);
    expect(test?.difference).to.equal(3);
    expect(test?.chance).to.be.closeTo(0.01707, 1e-4);
    expect(test?.half).to.be.closeTo(2.306, 1e-3);
    expect(welch([1], [1, 2])).to.equal(undefined);
    expect(welch([1, 1], [1, 1])).to.deep.equal({ difference: 0, half: 0, chance: 1 });
    expect(welch([1, 1], [2, 2])?.chance).to.equal(0);
  });

  it('are judged with as many tests in mind as there are', () => {
    expect(corrected([0.01, 0.04, 0.03])).to.deep.equal([0.03, 0.06, 0.06]);
    expect(corrected([])).to.deep.equal([]);
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (chances) => {
        corrected(chances).forEach((one, at) => {
          expect(one).to.be.within(chances[at] ?? 0, 1);
        });
      }),
    );
  });

  it('are better, worse, or not yet told apart, in words', () => {
    const all = configurationsOf(names, seeds, runs);
    const [a, b] = all;
    if (a === undefined || b === undefined) throw new Error('there are four configurations');
    const words = (less: boolean) =>
      verdictsOf(all, a, less).map((one, at) => verdictText(one, [3, all[at]?.values.length ?? 0]));
    const [baseline, better, single, none] = words(false);
    expect(baseline).to.equal('baseline');
    expect(better).to.match(/^better: \+0\.1 ± 0\.0227, p < 0\.001, n = 3\/3$/);
    expect(single).to.equal('one seed tells nothing of the spread');
    expect(none).to.equal('no value to compare');
    expect(words(true)[1]).to.match(/^worse: \+0\.1/);
    const near = configurationsOf(names, seeds, [
      run('a1', [1, 1, ''], 1),
      run('a2', [1, 2, ''], 2),
      run('b1', [2, 1, ''], 2),
      run('b2', [2, 2, ''], 3),
    ]);
    const [, open] = near[0] === undefined ? [] : verdictsOf(near, near[0], false);
    expect(open === undefined ? '' : verdictText(open, [2, 2])).to.match(
      /^not yet: \+1 ± .*, n = 2\/2; about 6 more seeds each would tell$/,
    );
    expect(seedsMore([1, 2], [1.5, 1.5])).to.equal(undefined);
  });
});

const trial = (id: string, at: number, value?: number, more: Partial<Trial> = {}): Trial => ({
  ...{ id, name: id, type: 'trial', created_at: new Date(at).toISOString() },
  feedback_scores: value === undefined ? [] : [{ name: 'accuracy', value }],
  ...more,
});

describe('trials of an optimization', () => {
  it('stand in their order, each with the best up to it', () => {
    const ranked = rankedTrials(
      [trial('d', 4, 0.7), trial('a', 1, 0.5), trial('c', 3), trial('b', 2, 0.8)],
      'accuracy',
      10,
    );
    expect(
      ranked.map(({ trial: { id }, number, value, best, leads }) => [
        id,
        number,
        value,
        best,
        leads,
      ]),
    ).to.deep.equal([
      ['a', 11, 0.5, 0.5, true],
      ['b', 12, 0.8, 0.8, true],
      ['c', 13, undefined, 0.8, false],
      ['d', 14, 0.7, 0.8, false],
    ]);
  });

  it('are known by their own score before the mean over items', () => {
    const both = trial('a', 1, 0.5, { experiment_scores: [{ name: 'accuracy', value: 0.25 }] });
    expect(objectiveOf(both, 'accuracy')).to.equal(0.25);
    expect(objectiveOf(both, 'other')).to.equal(undefined);
  });

  it('tell how much was gained, and which prompt was tried', () => {
    expect([
      gainText(0.5, 0.6),
      gainText(0.5, 0.49),
      gainText(0, 1),
      gainText(undefined, 1),
    ]).to.deep.equal(['+20 %', '−2.0 %', '', '']);
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: ['x'] },
    ];
    expect(
      promptText(promptOf(trial('a', 1, 1, { metadata: { configuration: { prompt: messages } } }))),
    ).to.equal('system: Be brief.\nuser: ["x"]');
    expect(promptText(promptOf(trial('a', 1, 1, { metadata: { prompt: 'Answer.' } })))).to.equal(
      'Answer.',
    );
    expect(promptOf(trial('a', 1, 1, { metadata: 'text' }))).to.equal(undefined);
  });
});
