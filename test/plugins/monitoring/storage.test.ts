import { expect } from 'chai';
import { columnsOf, packFrame, unpackFrame } from '#plugins/monitoring/frames';
import { batchOf, readItems } from '#plugins/monitoring/items';
import { packProfiles, unpackProfiles, type Profile } from '#plugins/monitoring/profile-packing';
import { joinProfiles } from '#plugins/monitoring/profiles';
import { bandsOf, curveOf } from '#plugins/monitoring/scoring';
import { bucketsOf } from '#plugins/monitoring/series';
import { sketchOf } from '#plugins/monitoring/sketches';
import { plainSketch } from './plain.js';

const plain = (profiles: readonly Profile[]) =>
  profiles.map(({ sketch, ...profile }) => ({ ...profile, sketch: plainSketch(sketch) }));

const now = Date.parse('2026-11-25T08:00:00Z');
const item = {
  workspaceName: 'w',
  modelName: 'm',
  modelVersion: '1',
  predictionId: 'p',
  timestamp: now,
};
const read = (given: unknown, onlyLabels = false) => readItems([given], { onlyLabels, now });

describe('frames of events', () => {
  it('give back numbers, texts and what is missing, exactly', async () => {
    const events = [
      { at: now, modelVersion: '1', predictionId: 'ä', values: new Map([['feature_a', 0.1]]) },
      {
        at: now + 1,
        modelVersion: '2',
        predictionId: 'b',
        values: new Map<string, string | number>([
          ['feature_a', 'text'],
          ['feature_b', ''],
          ['label_x', -0],
        ]),
      },
      { at: now - 5, modelVersion: '1', predictionId: 'c', values: new Map() },
    ];

    const packed = await packFrame(events, await columnsOf(events));
    const frame = unpackFrame(packed.head, packed.columns.values(), packed.ids);

    expect(frame.names).to.deep.equal(['feature_a', 'feature_b', 'label_x']);
    const rows = events.map((_, row) => [
      frame.at(row),
      frame.version(row),
      frame.predictionId(row),
      ...['feature_a', 'feature_b', 'label_x', 'none'].map((name) => frame.column(name)(row)),
    ]);
    expect(rows).to.deep.equal([
      [now, '1', 'ä', 0.1, undefined, undefined, undefined],
      [now + 1, '2', 'b', 'text', '', -0, undefined],
      [now - 5, '1', 'c', undefined, undefined, undefined, undefined],
    ]);
  });

  it('keep sums of hours and versions, and join those of the same', () => {
    const one = { hour: 5, version: '1', sketch: sketchOf([1, 2]) };
    const other = { hour: 6, version: '1', sketch: sketchOf(['x'], 3) };

    expect(plain(unpackProfiles(packProfiles([one, other])))).to.deep.equal(plain([one, other]));
    for (const values of [
      [],
      [-0, 1],
      [0.1, 0.1, 2 ** 40, -1e300],
      [2 ** 31, 5],
      ['ä', '__proto__', 3, 3],
      Array.from({ length: 3000 }, (_, at) => Math.sqrt(at)),
    ]) {
      const profile = { hour: 495_000, version: 'ü', sketch: sketchOf(values, 2 ** 40) };
      const offset = Buffer.concat([Buffer.from('x'), packProfiles([profile, one])]).subarray(1);
      expect(plain(unpackProfiles(offset))).to.deep.equal(plain([profile, one]));
    }
    expect(
      joinProfiles([one, other, one]).map(({ hour, sketch }) => [hour, sketch.sum]),
    ).to.deep.equal([
      [5, 6],
      [6, 0],
    ]);
  });
});

describe('items of a batch', () => {
  for (const [title, given, reason] of [
    ['no object', 7, 'WRONG_TYPE'],
    ['no id', { ...item, predictionId: undefined }, 'MISSING_FIELD'],
    ['a long id', { ...item, predictionId: 'x'.repeat(257) }, 'NAME_TOO_LONG'],
    ['a list among its features', { ...item, features: { a: [1] } }, 'NESTED_VALUE'],
    ['features that are a list', { ...item, features: [1] }, 'WRONG_TYPE'],
    ['an infinite number', { ...item, features: { a: Infinity } }, 'NOT_FINITE'],
    ['a time of 2100', { ...item, timestamp: Date.parse('2100-01-01') }, 'TIMESTAMP_FUTURE'],
    ['a time of 1970', { ...item, timestamp: 0 }, 'TIMESTAMP_TOO_OLD'],
    ['no time at all', { ...item, timestamp: 'soon' }, 'WRONG_TYPE'],
    [
      'too many fields',
      {
        ...item,
        features: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, at])),
      },
      'TOO_MANY_FIELDS',
    ],
    ['a long name of a feature', { ...item, features: { ['n'.repeat(257)]: 1 } }, 'NAME_TOO_LONG'],
  ] as const)
    it(`are refused with ${title}`, () => {
      const { items, faults } = read(given);

      expect(items).to.deep.equal([]);
      expect(faults.map((fault) => [fault.index, fault.reason])).to.deep.equal([[0, reason]]);
    });

  it('take seconds and ISO texts as times, and say so of seconds', () => {
    const seconds = read({ ...item, timestamp: now / 1000 });

    expect([seconds.items[0]?.at, seconds.warnings.length]).to.deep.equal([now, 1]);
    expect(read({ ...item, timestamp: '2026-11-25T08:00:00Z' }).items[0]?.at).to.equal(now);
    expect(read({ ...item, timestamp: undefined }).items[0]?.at).to.equal(now);
  });

  it('are labels when they hold nothing else, and hold outputs under either name', () => {
    expect(read({ ...item, labels: { value: 1 } }).items[0]?.isLabel).to.equal(true);
    expect(read({ ...item, labels: { value: 1 }, features: {} }).items[0]?.isLabel).to.equal(false);
    expect([
      ...(read({ ...item, prediction: { a: 1, b: 2 }, predictions: { b: true } }).items[0]
        ?.values ?? []),
    ]).to.deep.equal([
      ['prediction_a', 1],
      ['prediction_b', 'true'],
    ]);
    expect([
      ...(read({ ...item, value: { label: 'x' } }, true).items[0]?.values ?? []),
    ]).to.deep.equal([['label_value', 'x']]);
  });

  it('cut long texts, and doubt probabilities beyond 1', () => {
    const { items, doubts, warnings } = read({
      ...item,
      features: { a: 'x'.repeat(9000) },
      predictions: { probability: 1.5 },
    });

    expect(String(items[0]?.values.get('feature_a')).length).to.equal(8192);
    expect([doubts[0]?.reason, warnings.length]).to.deep.equal(['PROBABILITY_RANGE', 1]);
  });

  it('stand in a list, in data, or alone where one may', () => {
    expect(batchOf([1], false)).to.deep.equal([1]);
    expect(batchOf({ data: [1] }, false)).to.deep.equal([1]);
    expect(batchOf({ a: 1 }, true)).to.deep.equal([{ a: 1 }]);
    expect([
      batchOf({ a: 1 }, false),
      batchOf({ data: 1 }, true),
      batchOf(null, true),
    ]).to.deep.equal([undefined, undefined, undefined]);
  });
});

describe('spans of time', () => {
  it('take a date as the end for all of that day, and a time for itself', () => {
    const starts = (to: string) =>
      bucketsOf({ from: '2026-11-24', to, intervalType: 'DAILY' }, now).starts.length;

    expect([
      starts('2026-11-25'),
      starts('2026-11-25T00:00:00Z'),
      starts('2026-11-25 10:00'),
    ]).to.deep.equal([2, 1, 2]);
  });

  it('are refused when they end before they begin, are no times or hold too many points', () => {
    for (const [from, to] of [
      ['2026-11-25', '2026-11-20'],
      ['soon', '2026-11-20'],
      ['1900-01-01', '2026-11-20'],
    ] as const)
      expect(() => bucketsOf({ from, to, intervalType: 'HOURLY' }, now)).to.throw(/./);
  });
});

describe('scores against labels', () => {
  const scored = [0.1, 0.4, 0.35, 0.8].map((score, at) => ({ score, positive: at > 1 }));

  it('give the area below the curve and the distance of the classes', () => {
    expect(curveOf(scored)).to.deep.equal({ auc: 0.75, ks: 0.5 });
    expect(curveOf(scored.map(({ positive }) => ({ score: 1, positive })))).to.deep.equal({
      auc: 0.5,
      ks: 0,
    });
    expect(curveOf(scored.slice(2))).to.equal(undefined);
  });

  it('give bands of equal size, the highest scores first', () => {
    const bands = bandsOf(scored, 2);

    expect(
      bands.map(({ count, positives, scoreTo, lift }) => [count, positives, scoreTo, lift]),
    ).to.deep.equal([
      [2, 1, 0.8, 1],
      [2, 1, 0.35, 1],
    ]);
    expect(bandsOf([], 10)).to.deep.equal([]);
  });
});
