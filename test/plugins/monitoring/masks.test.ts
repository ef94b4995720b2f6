// Conditions asked of all events of a batch at once say what they say of each event by itself.
import { expect } from 'chai';
import { columnsAmong, compileFilter, groupFor, type Batch } from '#plugins/monitoring/evaluating';
import { columnsOf, packFrame, unpackFrame } from '#plugins/monitoring/frames';
import type { Value } from '#plugins/monitoring/items';
import { parseMetric, type Node } from '#plugins/monitoring/language';
import { compileMask } from '#plugins/monitoring/masks';

const known = new Set(['feature_a', 'feature_b', 'feature_mixed', 'feature_none']);
const columns = columnsAmong(known);
const texts = ['eu', 'us', '', '12', 'true'];
const events = Array.from({ length: 300 }, (_, at) => ({
  at,
  modelVersion: at % 7 === 0 ? '2' : '1',
  predictionId: `p${at}`,
  values: new Map<string, Value>([
    ...(at % 5 === 0 ? [] : [['feature_a', (at % 23) - 11] as const]),
    ...(at % 3 === 0 ? [] : [['feature_b', texts[at % texts.length] ?? ''] as const]),
    ['feature_mixed', at % 2 === 0 ? at : `t${at % 4}`],
  ]),
}));

const batch = async (withVectors: boolean): Promise<Batch> => {
  const packed = await packFrame(events, await columnsOf(events));
  const frame = unpackFrame(packed.head, packed.columns.values(), packed.ids);
  return {
    length: frame.length,
    at: (row) => frame.at(row),
    column: (name) => (name === 'model_version' ? (row) => frame.version(row) : frame.column(name)),
    addedAt: () => undefined,
    ...(withVectors
      ? {
          vector: (name: string) =>
            name === 'model_version' ? frame.versions() : frame.vector(name),
        }
      : {}),
  };
};

const conditionOf = (text: string): Node => {
  const { where } = parseMetric(`SELECT count(*) FROM model WHERE ${text}`);
  if (where === undefined) throw new Error('there is no condition');
  return where;
};

const filters = [
  'a > 3',
  "a <= -2 AND b = 'us'",
  "a = 5 OR b != 'eu'",
  'NOT a > 0',
  "NOT (a > 0 OR b = 'eu')",
  'a IS NULL',
  'b is not null AND version = 1',
  "b in ('eu', 'us') AND a > 0",
  "mixed > 100 OR mixed = 't3'",
  'none = 1 OR a >= 0',
  "a = '5'",
  'b = 12',
  'a < mixed',
  'version = 2 AND (a < 0 OR a IS NULL)',
];

describe('conditions over many events', () => {
  for (const text of filters)
    it(`say the same of all at once: ${text}`, async () => {
      const node = conditionOf(text);
      for (const withVectors of [true, false]) {
        const given = await batch(withVectors);
        const mask = compileMask(node, columns)(given);
        const test = compileFilter(node, columns)(given);
        expect([...(mask ?? [])].map((truth) => truth === 1)).to.deep.equal(
          events.map((_, row) => test(row)),
        );
        expect(events.some((_, row) => test(row))).to.equal(true);
      }
    });

  for (const text of [
    'count(*)',
    'count(a)',
    'count(b)',
    'count(distinct b)',
    'avg(a)',
    'sum(mixed)',
    'stddev(a) / var(a)',
    'min(a) + max(a)',
    'median(a)',
    'corr(a, mixed)',
    'sum(none)',
    'avg(a * 2)',
  ])
    it(`have the same metric, all at once or one by one: ${text}`, async () => {
      const { select } = parseMetric(`SELECT ${text} FROM model`);
      const given = await batch(true);
      const mask = compileMask(conditionOf("a > -5 OR b = 'us'"), columns)(given);
      const [ranged, single] = [0, 1].map(groupFor({ select, where: undefined }, columns));
      if (ranged === undefined || single === undefined) throw new Error('there are no groups');
      for (const group of [ranged, single]) group.begin(given);
      for (let from = 0; from < events.length; from += 50) ranged.addRange(from, from + 50, mask);
      for (const [row, truth] of (mask ?? new Uint8Array()).entries())
        if (truth === 1) single.add(row);
      expect(ranged.result()).to.equal(single.result());
    });
});
