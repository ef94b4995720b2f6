// Metrics and statements that the language does not read, over the engine for analytic queries.
import { expect } from 'chai';
import { alertsOf, changeAlert, createAlert } from '#plugins/monitoring/alerts';
import { backTest, evaluate } from '#plugins/monitoring/alert-running';
import { isForEngine, readMetric } from '#plugins/monitoring/engine-statements';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { metricSeries } from '#plugins/monitoring/queries';
import { answerStatement } from '#plugins/monitoring/statements';
import { createSegment } from '#plugins/monitoring/segments';
import type { GivenAnalytics } from '#ports/analytics';
import { Failure, isFailure } from '#ports/failure';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
const [from, to] = ['2026-11-23', '2026-11-25'];
const monday = Date.parse(from);

describe('statements that the language of metrics does not read', function () {
  this.timeout(120_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  /** Three events on Monday, two on Tuesday, and none on Wednesday. */
  const someEvents = async () => {
    const world = await beginModel(tables);
    world.time.now = start + 4 * hourMs;
    const event = (at: number, size: number, region: string, version = '1') => ({
      ...{ at, version, features: { size, region } },
      ...{ predictions: { value: size > 2 ? 'yes' : 'no' } },
    });
    await world.send([
      event(monday + hourMs, 1, 'eu'),
      event(monday + 2 * hourMs, 3, 'us', '2'),
      event(monday + 3 * hourMs, 8, 'eu'),
      event(monday + dayMs, 2, 'us'),
      event(monday + dayMs + hourMs, 6, 'us', '2'),
    ]);
    const question = { model: world.model, signal: never };
    const asked = { from, to, intervalType: 'DAILY' as const };
    const series = async (cometSql: string, more: object = {}) =>
      (await metricSeries(world.needs, question, { ...asked, cometSql, ...more })).data.map(
        ({ predicateKey, data }) => [predicateKey, ...data.map(({ y }) => y)],
      );
    const refusal = (cometSql: string, more: object = {}): Promise<string> =>
      series(cometSql, more).then(
        (found) => JSON.stringify(found),
        (thrown: unknown) => {
          if (!isFailure(thrown)) throw thrown;
          return `${thrown.kind}: ${thrown.message}`;
        },
      );
    return { ...world, question, series, refusal };
  };

  it('are answered for each day from its own events: WITH, windows, subqueries, CASE and further functions', async () => {
    const { series } = await someEvents();

    expect(
      await series('WITH m AS (SELECT size FROM MODEL) SELECT avg(size) FROM m'),
    ).to.deep.equal([['all', 4, 4, null]]);
    expect(
      await series(
        'SELECT max(gap) FROM (SELECT feature_size - lag(feature_size) OVER (ORDER BY timestamp) AS gap FROM model)',
      ),
    ).to.deep.equal([['all', 5, 4, null]]);
    expect(
      await series('SELECT count(*) FROM model WHERE size > (SELECT avg(size) FROM model)'),
    ).to.deep.equal([['all', 1, 1, 0]]);
    expect(
      await series(
        `SELECT sum(CASE region WHEN 'eu' THEN size END) FILTER (WHERE "prediction" = 'yes') FROM model`,
      ),
    ).to.deep.equal([['all', 8, null, null]]);
    expect(
      await series(`SELECT count(DISTINCT date_trunc('hour', __time)) FROM model`),
    ).to.deep.equal([['all', 3, 2, 0]]);
    expect(await series('SELECT bool_or(size > 7) FROM model')).to.deep.equal([
      ['all', 1, 0, null],
    ]);
  });

  it('come to the same as the language does where both read a metric', async () => {
    const { series } = await someEvents();
    for (const metric of [
      'count(*)',
      'count(DISTINCT feature_region)',
      'avg(feature_size)',
      'stddev(feature_size)',
      'corr(feature_size, feature_size * feature_size)',
      "sum(CASE WHEN feature_region IN ('eu') THEN 1 ELSE 0 END)",
    ]) {
      const plain = `SELECT ${metric} FROM model`;
      const nested = `WITH m AS (SELECT * FROM model) SELECT ${metric} FROM m`;

      expect([isForEngine(readMetric(plain)), isForEngine(readMetric(nested))]).to.deep.equal([
        false,
        true,
      ]);
      const [[, ...one] = [], [, ...other] = []] = [
        ...(await series(plain)),
        ...(await series(nested)),
      ];
      expect(other.length, metric).to.equal(3);
      other.forEach((value, at) => {
        if (value === null || one[at] === null) expect(value, metric).to.equal(one[at]);
        else expect(Number(value), metric).to.be.closeTo(Number(one[at]), 1e-9);
      });
    }
  });

  it('are asked of a version, and of filters and segments, each by itself', async () => {
    const { needs, model, series } = await someEvents();
    const { segmentId } = await createSegment(needs, model, { name: 'eu', filter: 'region=eu' });
    const sql = 'WITH m AS (SELECT size FROM model) SELECT sum(size) FROM m';

    expect(await series(sql, { version: '2' })).to.deep.equal([['all', 3, 6, null]]);
    expect(
      await series(sql, {
        predicates: [
          { key: 'us', query: 'region=us' },
          { key: 'eu', query: 'region=eu', segmentId },
          { key: 'none', query: 'size > 100' },
        ],
      }),
    ).to.deep.equal([
      ['us', 3, 8, null],
      ['eu', 9, null, null],
      ['none', null, null, null],
    ]);
  });

  it('see labels that came later, and of numbers no texts', async () => {
    const { needs, send, question } = await someEvents();
    await send([
      { at: monday + 5 * hourMs, features: { size: 'huge' }, labels: { value: 'yes' } },
      { at: monday + 6 * hourMs, features: { size: 5 }, labels: { value: 'no' } },
    ]);
    const { rows, columns } = await answerStatement(
      needs,
      question,
      `SELECT label_value, label, label_value_value AS third, size FROM model QUALIFY row_number() OVER (PARTITION BY label ORDER BY timestamp) = 1 ORDER BY label NULLS LAST`,
      10,
    );

    expect(columns).to.deep.equal(['label_value', 'label', 'third', 'size']);
    expect(rows).to.deep.equal([
      ['no', 'no', 'no', 5],
      ['yes', 'yes', 'yes', null],
      [null, null, null, 1],
    ]);
  });

  it('are refused in a sentence that says what both made of it', async () => {
    const { refusal } = await someEvents();

    expect(await refusal('SELECT cuont(*) FROM model')).to.equal(
      'invalid: access denied: function cuont is not granted; as a metric of one aggregate: there is no function cuont at position 8',
    );
    expect(await refusal('WITH m AS (SELECT sizes FROM model) SELECT avg(sizes) FROM m')).to.match(
      /^invalid: the query failed \(the model has no column sizes\); as a metric/,
    );
    expect(await refusal('SELECT count(*) FROM traces')).to.match(
      /^invalid: access denied: table traces is not granted/,
    );
    expect(await refusal('SELECT size FROM model')).to.match(/result has more than 1 rows/);
    expect(await refusal('SELECT 1, count(*) FROM model')).to.match(/^invalid: .*one value/);
    expect(await refusal('SELECT string_agg(region) FROM model')).to.match(
      /^invalid: a metric is a number, and not eu/,
    );
    expect(await refusal('DROP TABLE model')).to.match(
      /^invalid: SELECT is expected at position 1/,
    );
    expect(
      await refusal('WITH m AS (SELECT size FROM model) SELECT avg(size) FROM m', {
        ...{ from: '2026-08-01', intervalType: 'HOURLY' },
      }),
    ).to.match(/^invalid: a metric of this kind has at most 2000 points/);
  });

  it('are unsupported where no engine is installed, while the language answers', async () => {
    const { needs, question } = await someEvents();
    const without: GivenAnalytics = {
      queryGiven: async () => {
        throw new Failure('unsupported', 'this server has no engine');
      },
    };
    const ask = (cometSql: string) =>
      metricSeries({ ...needs, analytics: without }, question, { from, to, cometSql });
    const told = await ask('WITH m AS (SELECT 1 FROM model) SELECT count(*) FROM m').catch(
      (thrown: unknown) => thrown,
    );

    expect(told).to.include({ kind: 'unsupported', reason: 'notInstalled' });
    expect((told as Error).message).to.equal(
      'SELECT is expected at position 1: the language of metrics does not read this, and this server has no engine',
    );
    expect((await ask('SELECT count(*) FROM model')).data[0]?.data[0]?.y).to.equal(3);
  });

  it('are watched by alerts, which previews judge alike, and are tried when a rule is made', async () => {
    const { needs, model, time, question } = await someEvents();
    const metric = 'SELECT max(n) FROM (SELECT count(*) AS n FROM model GROUP BY region)';
    const asked = {
      ...{ name: 'crowd', type: 'CUSTOM_METRIC' as const, metric, window: 'DAILY' as const },
      ...{ critical: 1, minSamples: 1, delayMinutes: 0, cooldownHours: 0 },
    };
    time.now = monday;
    await createAlert(needs, model, 'ada', asked);
    const [made] = await alertsOf(tables, model.id);
    if (made === undefined) throw new Error('the alert is gone');
    const without: GivenAnalytics = {
      queryGiven: async () => {
        throw new Failure('unsupported', 'this server has no engine');
      },
    };
    const muted = await changeAlert(
      { ...needs, analytics: without },
      { ...made, model },
      (rule) => ({ ...rule, muteUntil: monday + 1 }),
    );
    const blind = await backTest(
      { ...needs, analytics: without },
      made,
      model,
      { from: monday, to: monday + 2 * dayMs },
      never,
    );
    expect([blind.windows, blind.told]).to.deep.equal([3, []]);
    time.now = monday + 2 * dayMs;
    const found = await evaluate(needs, muted, model, never);
    const past = await backTest(
      needs,
      made,
      model,
      { from: monday, to: time.now },
      question.signal,
    );

    const shown = (some: typeof found) =>
      some.map(({ told, firing }) => [told, firing.value, firing.sampleCount, firing.windowTo]);
    expect(shown(found)).to.deep.equal([['FIRING', 2, 3, monday + dayMs]]);
    expect(shown(past.told)).to.deep.equal(shown(found));
    const refused = await createAlert(needs, model, 'ada', {
      ...asked,
      metric: 'SELECT max(n) FROM (SELECT count(*) AS n FROM users)',
    }).catch((thrown: unknown) => (isFailure(thrown) ? thrown.message : thrown));
    expect(refused).to.match(/^access denied: table users is not granted/);
  });
});
