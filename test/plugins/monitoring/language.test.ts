import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { columnsAmong, compileFilter, groupFor, type Batch } from '#plugins/monitoring/evaluating';
import { parseFilter, parseMetric } from '#plugins/monitoring/language';
import type { Value } from '#plugins/monitoring/items';

const events: readonly Readonly<Record<string, Value>>[] = [
  {
    feature_age: 20,
    feature_region: 'eu',
    prediction_value: 'yes',
    label_value: 'yes',
    version: '1',
  },
  {
    feature_age: 30,
    feature_region: 'us-east',
    prediction_value: 'no',
    label_value: 'yes',
    version: '1',
  },
  { feature_age: 40, feature_region: 'us-east', prediction_value: 'no', version: '2' },
  { feature_region: 'ap', prediction_value: 'yes', label_value: 'no', version: '2' },
];
const batch: Batch = {
  addedAt: () => undefined,
  length: events.length,
  at: (row) => row,
  column: (name) => (row) => events[row]?.[name === 'model_version' ? 'version' : name],
};
const columns = columnsAmong(
  new Set(['feature_age', 'feature_region', 'prediction_value', 'label_value', 'feature_value']),
);

const metric = (sql: string): number | null => {
  const group = groupFor(parseMetric(sql), columns)();
  group.begin(batch);
  events.forEach((_, row) => {
    group.add(row);
  });
  return group.result();
};
const passing = (filter: string): readonly number[] => {
  const passes = compileFilter(parseFilter(filter), columns)(batch);
  return events.map((_, row) => row).filter((row) => passes(row));
};
const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'invalid') return thrown.message;
    throw thrown;
  }
  return 'nothing was refused';
};

describe('the language of metrics', () => {
  for (const [sql, says] of [
    ['SELECT count(*) FROM model', 4],
    ['select COUNT(*) from MODEL where feature_age >= 30;', 2],
    ['SELECT (count(label)) FROM "model"', 3],
    ['SELECT count(DISTINCT region) FROM model', 3],
    ['SELECT sum(feature_age) FROM model', 90],
    ['SELECT avg(age) + 1 FROM model', 31],
    ['SELECT min(age) FROM model', 20],
    ['SELECT max("feature_age") FROM model', 40],
    ['SELECT median(age) FROM model', 30],
    ['SELECT percentile(0.5, age) FROM model', 30],
    ['SELECT stddev(age) FROM model', 10],
    ['SELECT var(age) FROM model', 100],
    ['SELECT corr(age, age * 2) FROM model', 1],
    ['SELECT avg(prediction = label) FROM model WHERE label IS NOT NULL', 1 / 3],
    ["SELECT sum(CASE WHEN region = 'eu' THEN 1 ELSE 0 END) / count(*) FROM model", 0.25],
    ["SELECT count(*) FROM model WHERE substring(region, 1, 2) = 'us'", 2],
    ["SELECT count(*) FROM model WHERE region NOT IN ('eu', 'ap')", 2],
    ['SELECT count(*) FROM model WHERE age BETWEEN 20 AND 30', 2],
    ['SELECT sum(coalesce(age, 10)) FROM model', 100],
    ['SELECT abs(-2) * count(*) + ln(exp(pow(1, 2))) FROM model', 9],
    ['SELECT sum(age) / nullif(count(*), 4) FROM model', null],
    ['SELECT sum(age) / 0 FROM model', null],
    ['SELECT avg(age) FROM model WHERE NOT (age > 0)', null],
    ["SELECT count(*) FROM model WHERE version = '2' OR age = 20", 3],
    ['SELECT avg(prediction_never) FROM model', null],
  ] as const)
    it(`answers ${sql}`, () => {
      const found = metric(sql);
      if (says === null || found === null) expect(found).to.equal(says);
      else expect(found).to.be.closeTo(says, 1e-9);
    });

  for (const [sql, says] of [
    ['SELECT 1 FROM model', /aggregate .* is expected at position 8/],
    ['SELECT count(*) FROM users', /the only table is model at position 22/],
    ['SELECT count(*) FROM model, model', /, is out of place at position 27/],
    ['SELECT count(*) FROM model GROUP BY x', /GROUP is out of place/],
    ['SELECT count(*) FROM (SELECT 1)', /the only table is model/],
    ['SELECT sleep(9) FROM model', /no function sleep at position 8/],
    ['SELECT sum(avg(age)) FROM model', /an aggregate stands within another/],
    ['SELECT count(*) FROM model WHERE count(*) > 1', /a condition holds no aggregate/],
    ["SELECT count(*) FROM model WHERE region = 'eu", /a quote is not closed at position 43/],
    ['SELECT count(*), count(*) FROM model', /FROM is expected at position 16/],
    ['SELECT sum(age, age) FROM model', /sum does not take 2 arguments/],
    ['DELETE FROM model', /SELECT is expected at position 1/],
    ['SELECT count(*) FROM model; SELECT 1', /SELECT is out of place at position 29/],
    [`SELECT ${'('.repeat(500)}count(*)`, /nested too deeply/],
    [`SELECT count(*) FROM model WHERE ${'x'.repeat(32_000)}`, /more than 32000 characters/],
    ['SELECT count(height) FROM model', /no column height, at position 14/],
    [
      'SELECT count(value) FROM model',
      /value may be any of feature_value, prediction_value, label_value/,
    ],
    ['SELECT percentile(age, 0.5) FROM model', /percentile takes a number between 0 and 1/],
    ['SELECT count(constructor) FROM model', /no column constructor/],
    ['SELECT toString(age) FROM model', /no function tostring/],
  ] as const)
    it(`refuses ${sql.slice(0, 60)}`, () => {
      expect(messageOf(() => metric(sql))).to.match(says);
    });
});

describe('the language of filters', () => {
  for (const [filter, says] of [
    ['region=us-east', [1, 2]],
    ['region = us-east AND feature_age > 30', [2]],
    ["region = 'us-east' and age != 40", [1]],
    ["region in ('eu', 'ap')", [0, 3]],
    ['region contains us', [1, 2]],
    ["region in ('eu', 'a=b')", [0]],
    ["region = 'eu' OR region = 'ap'", [0, 3]],
    ['age is null', [3]],
    ['label is not null', [0, 1, 3]],
    ['version=2', [2, 3]],
    ['"feature_age" <= 30', [0, 1]],
    ['label_value_value = yes', [0, 1]],
    ['region = "ap"', [3]],
    ['("feature_age" <= 30 AND region=eu)', [0]],
    ['(region=eu or (region=us-east and age > 30))', [0, 2]],
    ['(version=2) AND (region=ap)', [3]],
  ] as const)
    it(`understands ${filter}`, () => {
      expect(passing(filter)).to.deep.equal([...says]);
    });

  for (const [filter, says] of [
    ['region ==', /the value of region must stand in quotes/],
    ['nothing=1', /no column nothing/],
    ['age > 1 AND', /the value of age must stand in quotes/],
    ['region = eu OR region = ap', /the value of region must stand in quotes/],
  ] as const)
    it(`refuses ${filter}`, () => {
      expect(messageOf(() => passing(filter))).to.match(says);
    });
});
