// What is drawn together: colours that stay apart, ways of smoothing, tables for papers.
import { expect } from 'chai';
import fc from 'fast-check';
import { palettes, placesOf, strokeOf } from '#plugins/web-ui/pure/colours';
import { matcherOf } from '#plugins/web-ui/pure/curves';
import { shortened } from '#plugins/web-ui/pure/format';
import { latexOf, markdownOf } from '#plugins/web-ui/pure/paper';
import { firstCurves, wantedRuns } from '#plugins/web-ui/pure/run-page';
import { smoothed } from '#plugins/web-ui/pure/smoothing';

type Triple = readonly [number, number, number];

const channelsOf = (colour: string): Triple => {
  const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map((one) => {
    const part = Number(one) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
};
const luminance = ([r, g, b]: Triple) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (one: string, other: string) => {
  const [low = 0, high = 0] = [one, other]
    .map((colour) => luminance(channelsOf(colour)))
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
/** How people see who cannot tell greens, reds or blues (Machado, Oliveira and Fernandes, 2009), and those who can. */
const eyes: Readonly<Record<string, readonly Triple[]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'without greens': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'without reds': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'without blues': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** Where a colour lies in Oklab, in which equal distances look alike. */
const labOf = (colour: string, eye: readonly Triple[]): Triple => {
  const own = channelsOf(colour);
  const [r = 0, g = 0, b = 0] = eye.map((row) =>
    row.reduce((sum, part, at) => sum + part * (own[at] ?? 0), 0),
  );
  const root = (one: number) => Math.cbrt(Math.max(0, one));
  const l = root(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = root(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = root(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};

describe('what the web UI draws together', () => {
  for (const [scheme, paper] of [
    ['light', 'rgb(255 255 255)'],
    ['dark', 'rgb(16 17 20)'],
  ] as const)
    it(`has colours that are seen on ${scheme} paper and told apart by every kind of eye`, () => {
      const all = palettes[scheme];
      for (const colour of all) expect(contrast(colour, paper)).to.be.greaterThan(3);
      for (const [eye, matrix] of Object.entries(eyes))
        all.forEach((one, at) => {
          for (const other of all.slice(at + 1)) {
            const [a, b] = [labOf(one, matrix), labOf(other, matrix)];
            const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            expect(apart, `${one} and ${other} to ${eye}`).to.be.greaterThan(0.08);
          }
        });
    });

  it('gives no two the same colour and stroke, and keeps what each had', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 40 }),
        fc.uniqueArray(fc.string(), { maxLength: 40 }),
        (first, second) => {
          const before = placesOf(first);
          const after = placesOf(second, before);
          for (const [keys, places] of [
            [first, before],
            [second, after],
          ] as const) {
            expect([...places.keys()].sort()).to.deep.equal([...keys].sort());
            expect(new Set(places.values()).size).to.equal(keys.length);
            expect(Math.max(-1, ...places.values())).to.be.lessThan(
              12 * Math.ceil(keys.length / 12) || 1,
            );
          }
          const room = 12 * Math.ceil(second.length / 12);
          for (const key of second) {
            const held = before.get(key);
            if (held !== undefined && held < room) expect(after.get(key)).to.equal(held);
          }
        },
      ),
    );
    expect([strokeOf(11), strokeOf(12)]).to.deep.equal([undefined, [7, 3]]);
  });

  it('smooths by means of all points, each place by how many it is of', () => {
    const mean = Float32Array.from([0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const alike = mean.map(() => 1);
    expect([...smoothed('running', 0.67, { mean, count: alike })].slice(0, 5)).to.deep.equal([
      0, 3, 3, 3, 0,
    ]);
    const heavy = alike.map((one, at) => (at === 2 ? 8 : one));
    expect(smoothed('running', 0.67, { mean, count: heavy })[1]).to.be.closeTo(7.2, 1e-5);
    const bell = smoothed('gaussian', 0.67, { mean, count: alike });
    expect(bell[2])
      .to.be.greaterThan(bell[1] ?? 9)
      .and.lessThan(9);
    expect([...smoothed('gaussian', 0, { mean, count: alike })]).to.deep.equal([...mean]);
  });

  it('writes a table for a paper in which names stay what they are', () => {
    const table = { head: ['arch', 'val_acc'], rows: [['a|b_50%', '0.9 ± 0.01']] };
    expect(markdownOf(table)).to.equal(
      '| arch | val_acc |\n| --- | ---: |\n| a\\|b_50% | 0.9 ± 0.01 |',
    );
    expect(latexOf(table)).to.contain('arch & val\\_acc \\\\');
    expect(latexOf(table)).to.contain('a|b\\_50\\% & 0.9 $\\pm$ 0.01 \\\\');
  });

  it('finds names by a regular expression, and by what is none as a part of them', () => {
    const names = ['train/loss', 'val/loss', 'val/acc(1)'];
    expect(names.filter(matcherOf('^val/.*s'))).to.deep.equal(['val/loss']);
    expect(names.filter(matcherOf('acc('))).to.deep.equal(['val/acc(1)']);
    expect(names.filter(matcherOf(''))).to.deep.equal(names);
    // What would never end is a part of a name, and no expression.
    const began = performance.now();
    expect(['a'.repeat(1000)].filter(matcherOf('(a+)+$'))).to.deep.equal([]);
    expect(['a'.repeat(1000)].filter(matcherOf('a*a*b'))).to.deep.equal([]);
    expect(performance.now() - began).to.be.lessThan(500);
  });

  it('shortens a text in its middle', () => {
    expect(shortened('resnet50-seed-0001', 9)).to.equal('resn…0001');
    expect(shortened('short', 9)).to.equal('short');
  });

  it('asks for the rows of an address: its query, order, groups and colours', () => {
    const search = new URLSearchParams(
      'q=vit&sort=-metric:acc:max&group=parameter:arch&colour=parameter:lr&cols=metric%3Aacc',
    );
    expect(wantedRuns('p', search, [])).to.deep.include({
      archived: false,
      sort: { column: { kind: 'metric', name: 'acc', value: 'max' }, descending: true },
      columns: [
        { kind: 'metadata', name: 'name' },
        { kind: 'metric', name: 'acc' },
        { kind: 'parameter', name: 'arch' },
        { kind: 'parameter', name: 'lr' },
      ],
    });
    expect(wantedRuns('p', new URLSearchParams('q=Metric('), [])).to.equal(undefined);
  });

  it('asks for the curves of the first two charts of an address that shows curves of runs', () => {
    const keys = Array.from({ length: 12 }, (_, at) => `run${at}`);
    const known = ['val/loss', 'sys.cpu', 'train/loss', 'acc'].map((name) => ({
      ...{ kind: 'metric' as const, name },
    }));
    const asked = (address: string) => firstCurves(new URLSearchParams(address), keys, known);
    expect(asked('band=1&smooth=0.5&x=epoch')).to.deep.equal({
      ...{ runs: keys.slice(0, 10), metrics: ['acc', 'train/loss'], x: 'epoch', buckets: 400 },
      ...{ columns: ['last', 'min', 'max', 'smooth'], smoothing: 0.5 },
    });
    for (const other of ['plot=bars', 'group=parameter%3Alr', 'latest=1', 'charts=loss'])
      expect([other, asked(other)]).to.deep.equal([other, undefined]);
    expect(firstCurves(new URLSearchParams(), keys, known.slice(1, 2))).to.equal(undefined);
    expect(firstCurves(new URLSearchParams(), [], known)).to.equal(undefined);
  });
});
