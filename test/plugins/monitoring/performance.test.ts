// How good predictions were: the measures against values worked out by hand, and over events whose labels come late.
import { expect } from 'chai';
import { createBaseline, markBaseline, removeBaseline } from '#plugins/monitoring/baseline-making';
import {
  baselineSketch,
  baselinesOf,
  defaultBaseline,
  findBaseline,
} from '#plugins/monitoring/baselines';
import { readItems } from '#plugins/monitoring/items';
import {
  removeModel,
  removeModelsOf,
  retentionOf,
  settleModel,
  settleWorkspace,
} from '#plugins/monitoring/model-settling';
import { ensureModel, findModel } from '#plugins/monitoring/models';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { performance } from '#plugins/monitoring/performance';
import {
  classification,
  confusionOf,
  guessTask,
  regression,
  type Pair,
} from '#plugins/monitoring/performance-measures';
import { metricSeries } from '#plugins/monitoring/queries';
import { createSegment, segmentsOf, withSegments } from '#plugins/monitoring/segments';
import { answerStatement } from '#plugins/monitoring/statements';
import { storeItems } from '#plugins/monitoring/storing';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginTables } from '#ports/plugin-tables';
import { freshName } from '#test/contract/storage/builders';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
const day = (at: number) => new Date(at).toISOString().slice(0, 10);

describe('measures of performance', () => {
  const pairs: readonly Pair[] = [
    { prediction: 'yes', label: 'yes', probability: 0.9 },
    { prediction: 'yes', label: 'no', probability: 0.6 },
    { prediction: 'no', label: 'no', probability: 0.2 },
    { prediction: 'no', label: 'yes', probability: 0.4 },
    { prediction: 'yes', label: 'yes', probability: 0.8 },
  ];

  it('of two classes are about the positive one', () => {
    const found = classification(pairs, undefined);

    expect(found['accuracy']).to.equal(0.6);
    expect(found['precision']).to.be.closeTo(2 / 3, 1e-12);
    expect(found['recall']).to.be.closeTo(2 / 3, 1e-12);
    expect(found['f1']).to.be.closeTo(2 / 3, 1e-12);
    expect(found['specificity']).to.equal(0.5);
    expect(found['auc']).to.be.closeTo(5 / 6, 1e-12);
    expect(found['brier']).to.be.closeTo((0.01 + 0.36 + 0.04 + 0.36 + 0.04) / 5, 1e-12);
    expect(found['logLoss']).to.be.closeTo(0.476846, 1e-6);
    expect(found['calibrationError']).to.be.closeTo((0.1 + 0.6 + 0.2 + 0.6 + 0.2) / 5, 1e-12);
    expect(classification(pairs, 'no')['recall']).to.equal(0.5);
  });

  it('of several classes are means over them, and there are none without labels', () => {
    const several = ['a', 'b', 'c'].map((label) => ({ prediction: 'a', label }));

    expect(classification(several, undefined)['recall']).to.be.closeTo(1 / 3, 1e-12);
    expect(classification(several, undefined)['auc']).to.equal(null);
    expect(classification([], undefined)['accuracy']).to.equal(null);
    expect(confusionOf(several)).to.deep.equal({
      classes: ['a', 'b', 'c'],
      counts: [
        [1, 0, 0],
        [1, 0, 0],
        [1, 0, 0],
      ],
    });
  });

  it('of numbers are about their errors', () => {
    const found = regression([
      { prediction: 3, label: 2 },
      { prediction: 4, label: 4 },
      { prediction: 4, label: 6 },
      { prediction: 'x', label: 6 },
    ]);

    expect(found).to.deep.include({ mae: 1, medianError: 1, bias: -1 / 3 });
    expect(found['rmse']).to.be.closeTo(Math.sqrt(5 / 3), 1e-12);
    expect(found['mape']).to.be.closeTo((0.5 + 0 + 1 / 3) / 3, 1e-12);
    expect(found['r2']).to.be.closeTo(1 - 5 / 8, 1e-12);
  });

  it('are of numbers where labels have fractions or many values', () => {
    expect(guessTask(['a'])).to.equal('classification');
    expect(guessTask([0, 1, 1])).to.equal('classification');
    expect(guessTask([0.5, 1])).to.equal('regression');
    expect(guessTask(Array.from({ length: 30 }, (_, at) => at))).to.equal('regression');
  });
});

describe('a monitored model', function () {
  this.timeout(120_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const event = (at: number, place: number) => ({
    at,
    version: place < 3 ? '1' : '2',
    features: { age: place, region: place % 2 === 0 ? 'eu' : 'us' },
    predictions: { value: 'yes' },
  });

  it('counts a late label in the hour of its event, with coverage and delay beside the measures', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    await send([0, 1, 2, 3].map((place) => event(start - 2 * hourMs + place, place)));
    const label = async (predictionId: string, value: string, at: number) => {
      const ids = { workspaceName: 'w', modelName: 'm', predictionId, timestamp: at };
      const { items } = readItems([{ ...ids, labels: { value } }], { onlyLabels: true, now: at });
      await storeItems(needs, model, items, [], 7);
    };
    time.now = start + dayMs;
    await label('p0', 'yes', start);
    await label('p1', 'no', start + hourMs);
    const asked = { from: day(start), to: day(start), intervalType: 'HOURLY' as const };
    const read = () => performance(needs, { model, signal: never }, asked);

    const early = await read();
    const at = early.points.findIndex(({ events }) => events > 0);
    expect(early.points[at]).to.deep.include({
      x: new Date(start - 2 * hourMs).toISOString(),
      events: 4,
      labelled: 2,
      labelCoverage: 0.5,
      final: false,
    });
    expect(early.points[at]?.measures['accuracy']).to.equal(0.5);
    expect(early.points[at]?.labelDelayP50).to.be.within(2 * hourMs - 10, 3 * hourMs);
    expect([early.task, early.predictionName, early.labelName]).to.deep.equal([
      'classification',
      'value',
      'value',
    ]);
    time.now = start + 9 * dayMs;
    expect((await read()).points[at]?.final).to.equal(true);
    expect(
      (await performance(needs, { model, signal: never }, { ...asked, filter: 'region=us' })).whole,
    ).to.deep.include({ events: 2, labelled: 1 });
  });

  it('has segments of different names, which series can be asked for', async () => {
    const { needs, model, send } = await beginModel(tables);
    await send([0, 1, 2, 3].map((place) => event(start - hourMs + place, place)));
    const made = await createSegment(needs, model, { name: ' Europe ', filter: 'region=eu' });
    const again = await createSegment(needs, model, { name: 'Europe', filter: 'age=1' }).then(
      () => 'made',
      (thrown: unknown) => (thrown as Error).message, // failures are errors
    );
    expect([made.name, again]).to.deep.equal(['Europe', 'the model has a segment Europe already']);
    expect(await segmentsOf(tables, model.id)).to.deep.equal([made]);

    const asked = await withSegments(needs, model.id, {
      predicates: [{ key: 'one', segmentId: made.segmentId }, { key: 'region=us' }],
      cometSql: 'SELECT sum(age) FROM model',
      from: day(start),
      to: day(start),
    });
    const { data } = await metricSeries(needs, { model, signal: never }, asked);
    expect(data.map(({ predicateKey, data: [point] }) => [predicateKey, point?.y])).to.deep.equal([
      ['one', 2],
      ['region=us', 4],
    ]);
  });

  it('has baselines of the past, which do not change any more, and ones that move', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    await send([0, 1, 2, 3].map((place) => event(start - 3 * dayMs + place, place)));
    const span = { from: day(start - 3 * dayMs), to: day(start - 3 * dayMs) };
    const make = (asked: Parameters<typeof createBaseline>[2]) =>
      createBaseline(needs, model, asked, 'ada', never);
    const whole = await make({ kind: 'window', ...span, name: 'week' });
    const version = await make({ kind: 'version', version: '2', ...span });
    const filtered = await make({ kind: 'window', ...span, filter: 'region=eu' });
    const moving = await make({ kind: 'moving', movingDays: 2, gapDays: 1, isDefault: true });
    time.now = start + hourMs;
    await send([event(start - 3 * dayMs + 50, 9)]);

    const numbers = async (baseline: typeof whole, at: number) =>
      (await baselineSketch(needs, baseline, 'feature_age', at)).numbers;
    expect([
      await numbers(whole, 0),
      await numbers(version, 0),
      await numbers(filtered, 0),
      await numbers(moving, start),
      await numbers(moving, start + 5 * dayMs),
    ]).to.deep.equal([4, 1, 2, 5, 0]);
    expect([whole.sampleCount, whole.createdBy, whole.datasetName]).to.deep.equal([
      4,
      'ada',
      'week',
    ]);
    expect((await defaultBaseline(needs, model, undefined))?.baselineId).to.equal(
      moving.baselineId,
    );
    await markBaseline(needs, whole, true);
    expect(
      (await baselinesOf(tables, model.id))
        .filter(({ isDefault }) => isDefault)
        .map((one) => one.baselineId),
    ).to.deep.equal([whole.baselineId]);
    await removeBaseline(needs, whole);
    expect(await numbers(whole, 0)).to.equal(0);
    expect(
      await findBaseline(needs, model, whole.baselineId, undefined).catch(() => 'gone'),
    ).to.equal('gone');
    expect(
      await make({ kind: 'window', from: '2020-01-01', to: '2020-01-02' }).catch(
        (thrown: unknown) => (thrown as Error).message,
      ),
    ).to.equal('there are no events in that span');
  });

  it('keeps nothing but sums where that is settled, and counts labels that come late', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    await send([event(start - hourMs, 1)]);
    const own = await settleModel(tables, model, { profileOnly: true });
    expect(own.profileOnly).to.equal(true);
    await send([event(start - hourMs, 2)]);
    await upkeepJob(needs).run(never);

    const rows = async (table: string) =>
      (await tables.list(table, 'key', { model_id: model.id }, { limit: 100 })).length;
    expect([await rows('frames'), await rows('additions')]).to.deep.equal([0, 0]);
    const label = async (value: string) => {
      const ids = { workspaceName: 'w', modelName: 'm', predictionId: 'p1', timestamp: time.now };
      const { items } = readItems([{ ...ids, labels: { value } }], {
        onlyLabels: true,
        now: time.now,
      });
      return storeItems(needs, model, items, [], 7);
    };
    expect(await label('secret')).to.include({ accepted: 1 });
    expect(await label('other')).to.include({ accepted: 0, duplicates: 1 });
    expect([await rows('frames'), await rows('additions')]).to.deep.equal([0, 0]);
    const kept = await tables.list('events', 'by_day', { model_id: model.id }, { limit: 10 });
    expect(JSON.stringify(kept)).not.to.include('secret');
    const counted = await metricSeries(
      needs,
      { model, signal: never },
      { cometSql: 'SELECT count(*) FROM model', from: day(start), to: day(start) },
    );
    expect(counted.data[0]?.data[0]?.y).to.equal(2);
  });

  it('keeps raw events as long as is settled, within bounds', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    await send([event(start - hourMs, 1)]);
    await settleModel(tables, model, { rawDays: 5 });
    expect(
      await settleModel(tables, model, { rawDays: 0 }).catch(
        (thrown: unknown) => (thrown as Error).message,
      ),
    ).to.equal('rawDays must be from 1 to 395');
    const frames = async () =>
      (await tables.list('frames', 'key', { model_id: model.id }, { limit: 10 })).length;

    time.now = start + 3 * dayMs;
    await upkeepJob(needs).run(never);
    expect(await frames()).to.equal(1);
    time.now = start + 8 * dayMs;
    await upkeepJob(needs).run(never);
    expect(await frames()).to.equal(0);
  });

  it('keeps what it has as long as its workspace says, where it says nothing itself', async () => {
    const { needs, model, time, send } = await beginModel(tables);
    await send([event(start - hourMs, 1)]);
    const daysOf = async ({ id }: { readonly id: string }) => {
      const found = await findModel(tables, id);
      return [found?.rawDays, found?.sumDays];
    };
    const settle = (asked: { readonly rawDays?: number; readonly sumDays?: number }) =>
      settleWorkspace(tables, model.workspaceId, asked);
    expect(await daysOf(model)).to.deep.equal([395, 1825]);
    expect(await settle({ rawDays: 3 })).to.deep.equal({ rawDays: 3, sumDays: 1825 });
    expect(await daysOf(model)).to.deep.equal([3, 1825]);
    await settleModel(tables, model, { labelPolicy: 'latest' });
    const second = await ensureModel(needs, model.workspaceId, 'second');
    const foreign = await ensureModel(needs, freshName(), 'foreign');
    expect(second.rawDays).to.equal(3);
    await settle({ rawDays: 4, sumDays: 9 });
    await settleModel(tables, second, { rawDays: 20 });
    await settle({ rawDays: 5 });
    expect([await daysOf(model), await daysOf(second), await daysOf(foreign)]).to.deep.equal([
      [5, 9],
      [20, 9],
      [395, 1825],
    ]);
    for (const asked of [{ rawDays: 0 }, { rawDays: 396 }, { sumDays: 1826 }])
      expect(await settle(asked).catch((thrown: unknown) => (thrown as Error).message)).to.match(
        /^(raw|sum)Days must be from 1 to (395|1825)$/,
      );
    // One that was made while that changed is told by the job.
    await tables.upsert('models', { model_id: model.id, workspace_raw_days: null });
    time.now = start + 7 * dayMs;
    await upkeepJob(needs).run(never);
    expect(await daysOf(model)).to.deep.equal([5, 9]);
    expect(await tables.list('frames', 'key', { model_id: model.id }, { limit: 9 })).to.have.length(
      0,
    );
    await removeModelsOf(tables, model.workspaceId);
    expect(await retentionOf(tables, model.workspaceId)).to.deep.equal({
      rawDays: 395,
      sumDays: 1825,
    });
  });

  it('is removed with everything that is kept of it, and of its workspace; what comes then makes it anew', async () => {
    const { needs, model, send } = await beginModel(tables);
    await send([event(start - hourMs, 1)]);
    await createSegment(needs, model, { name: 'a', filter: 'region=eu' });
    await createBaseline(
      needs,
      model,
      { kind: 'window', from: day(start), to: day(start) },
      'ada',
      never,
    );
    const left = async () => {
      let n = 0;
      for (const table of [
        'models',
        'fields',
        'frames',
        'profiles',
        'additions',
        'faults',
        'baselines',
        'segments',
        'firings',
      ])
        n += (await tables.list(table, 'key', { model_id: model.id }, { limit: 100 })).length;
      return (
        n + (await tables.list('events', 'by_day', { model_id: model.id }, { limit: 9 })).length
      );
    };
    expect(await left()).to.be.above(5);

    await removeModelsOf(tables, model.workspaceId);

    expect([await left(), await findModel(tables, model.id)]).to.deep.equal([0, undefined]);
    await send([event(start - hourMs, 2)]);
    expect((await findModel(tables, model.id))?.name).to.equal('m');
    await removeModel(tables, model.id);
    expect(await left()).to.equal(0);
  });

  it('answers statements of rows and of groups, sorted and cut', async () => {
    const { needs, model, send } = await beginModel(tables);
    await send([0, 1, 2, 3].map((place) => event(start - hourMs + place, place)));
    const ask = (sql: string, most = 100) =>
      answerStatement(needs, { model, signal: never }, sql, most);

    expect(
      await ask('SELECT age, region AS r FROM MODEL WHERE age > 0 ORDER BY age DESC LIMIT 2'),
    ).to.deep.equal({
      columns: ['age', 'r'],
      rows: [
        [3, 'us'],
        [2, 'eu'],
      ],
      truncated: false,
    });
    expect(
      await ask('SELECT region, count(*), sum(age) FROM model GROUP BY region ORDER BY 1'),
    ).to.deep.equal({
      columns: ['region', 'count(*)', 'sum(age)'],
      rows: [
        ['eu', 2, 2],
        ['us', 2, 4],
      ],
      truncated: false,
    });
    expect((await ask('SELECT count(*) FROM model WHERE age > 100')).rows).to.deep.equal([[0]]);
    expect((await ask('SELECT * FROM model', 3)).truncated).to.equal(true);
    expect((await ask('SELECT * FROM model', 1)).columns).to.deep.equal([
      ...['__time', 'predictionId', 'modelVersion'],
      ...['feature_age', 'feature_region', 'prediction_value'],
    ]);
    for (const sql of [
      'DELETE FROM model',
      'SELECT 1 FROM users',
      'SELECT age FROM model LIMIT x',
      'SELECT age FROM model GROUP BY count(*)',
    ])
      expect(await ask(sql).catch(() => 'refused'), sql).to.equal('refused');
  });
});
