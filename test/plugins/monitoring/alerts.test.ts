// Rules, what they make of windows, and that windows of the past are judged as they were when they came.
import { expect } from 'chai';
import {
  freshState,
  judge,
  type Reading,
  type TargetState,
  type Told,
} from '#plugins/monitoring/alert-judging';
import { automaticBounds, significantAmong } from '#plugins/monitoring/alert-reading';
import { alertJob, backTest, evaluate, tellDue } from '#plugins/monitoring/alert-running';
import { ruleOf, type AskedRule } from '#plugins/monitoring/alert-rules';
import { createBaseline } from '#plugins/monitoring/baseline-making';
import { alertsOf, changeAlert, createAlert } from '#plugins/monitoring/alerts';
import { firingsOf, loudAt } from '#plugins/monitoring/firings';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { settleModel } from '#plugins/monitoring/model-settling';
import { createSegment } from '#plugins/monitoring/segments';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
const volume: AskedRule = { name: 'many', type: 'VOLUME', window: '1h', critical: 10 };

describe('alert rules', () => {
  it('have every member, as usual for their type where nothing is said', () => {
    expect(ruleOf({ name: ' drift ', type: 'FEATURE_DRIFT', algorithm: 'psi' })).to.include({
      name: 'drift',
      algorithm: 'PSI',
      delayMinutes: 15,
      minSamples: 200,
      comparator: 'above',
    });
    expect(ruleOf({ name: 'a', type: 'FEATURE_DRIFT', algorithm: 'psi' })).to.deep.include({
      target: ['*'],
      warning: [0.1],
      critical: [0.25],
    });
    expect(ruleOf({ name: 'a', type: 'LABEL_COVERAGE', warning: 0.5 })).to.include({
      delayMinutes: 24 * 60,
      comparator: 'below',
    });
    expect(
      ruleOf({ name: 'a', type: 'VOLUME', window: 'DAILY', warning: 1 }).evaluateEvery,
    ).to.equal('24h');
  });

  for (const [title, asked, says] of [
    ['no threshold', { name: 'a', type: 'VOLUME' }, 'warning or critical is required'],
    ['an unknown measure', { name: 'a', type: 'METRIC', metric: 'luck' }, 'metric must be one of'],
    [
      'SQL that is none',
      { name: 'a', type: 'CUSTOM_METRIC', metric: 'drop', warning: 1 },
      'SELECT',
    ],
    ['a threshold of text', { ...volume, critical: 'ten' }, 'critical must be a number'],
    ['two bounds for one', { ...volume, critical: [1, 2] }, 'takes one number'],
    ['one bound for two', { ...volume, comparator: 'outside' }, 'a lower and an upper'],
    ['bounds turned round', { ...volume, comparator: 'outside', critical: [2, 1] }, 'not be above'],
    ['no window in a row', { ...volume, consecutive: 0 }, 'consecutive must be from 1'],
    ['quiet hours without any', { ...volume, quietHours: { from: 3, to: 3 } }, 'different hours'],
    [
      'an automatic threshold of a change',
      { name: 'a', type: 'VOLUME', thresholdKind: 'auto', comparator: 'change' },
      'does not go',
    ],
  ] as const satisfies readonly (readonly [string, AskedRule, string])[])
    it(`are refused with ${title}`, () => {
      expect(() => ruleOf(asked)).to.throw(says);
    });

  it('are quiet in hours that may lie over midnight', () => {
    const at = (hour: number) => start - 8 * hourMs + hour * hourMs;

    expect(loudAt({ from: 22, to: 6 }, at(23))).to.equal(at(30));
    expect(loudAt({ from: 22, to: 6 }, at(3))).to.equal(at(6));
    expect(loudAt({ from: 22, to: 6 }, at(12))).to.equal(at(12));
    expect(loudAt({ from: 1, to: 5 }, at(2.5))).to.equal(at(5));
    expect(loudAt(null, at(2))).to.equal(at(2));
  });
});

describe('windows of an alert', () => {
  /** What is told of these values, one a window of an hour. */
  const tell = (asked: Partial<AskedRule>, values: readonly (number | null)[]) => {
    const rule = ruleOf({ ...volume, warning: 5, cooldownHours: 0, ...asked });
    let state: TargetState = freshState;
    const told: [number, Told, string | null][] = [];
    values.forEach((value, at) => {
      const reading: Reading = {
        ...{ value, sampleCount: 1000, noiseFloor: null, significant: null },
        ...{ warning: rule.warning, critical: rule.critical },
      };
      const judged = judge(rule, state, reading, (at + 1) * hourMs, false);
      state = judged.state;
      if (judged.told !== undefined) told.push([at, judged.told, state.level]);
    });
    return told;
  };

  it('tell when it begins, gets worse and is over, once each', () => {
    expect(tell({}, [1, 6, 7, 12, 12, 1, 1])).to.deep.equal([
      [1, 'FIRING', 'warning'],
      [3, 'LEVEL', 'critical'],
      [5, 'RESOLVED', null],
    ]);
  });

  it('wait for as many in a row as they are told to, on both sides', () => {
    expect(tell({ consecutive: 2, autoResolveAfter: 2 }, [6, 1, 6, 6, 1, 6, 1, 1])).to.deep.equal([
      [3, 'FIRING', 'warning'],
      [7, 'RESOLVED', null],
    ]);
  });

  it('begin no other alarm while the last one cools down', () => {
    expect(tell({ cooldownHours: 4 }, [6, 1, 6, 6, 6, 6])).to.deep.equal([
      [0, 'FIRING', 'warning'],
      [1, 'RESOLVED', null],
      [4, 'FIRING', 'warning'],
    ]);
  });

  it('are no end of an alarm where there is no data, and remind each day where that is asked', () => {
    const values = [6, ...Array<null>(5).fill(null), ...Array<number>(30).fill(6)];

    expect(tell({ remind: true }, values)).to.deep.equal([
      [0, 'FIRING', 'warning'],
      [24, 'REMINDER', 'warning'],
    ]);
  });

  it('count once where they are judged again', () => {
    const rule = ruleOf({ ...volume, consecutive: 2 });
    const reading: Reading = {
      ...{ value: 20, sampleCount: 1, noiseFloor: null, significant: null },
      ...{ warning: null, critical: [10] },
    };
    const once = judge(rule, freshState, reading, hourMs, false);
    const again = judge(rule, once.state, reading, hourMs, false);

    expect([once.told, again.told, again.state.standing]).to.deep.equal([
      undefined,
      undefined,
      'PENDING',
    ]);
    expect(judge(rule, again.state, reading, 2 * hourMs, false).told).to.equal('FIRING');
  });

  it('say nothing with too few samples, or where chance explains the value', () => {
    const rule = ruleOf({ name: 'a', type: 'FEATURE_DRIFT', algorithm: 'PSI' });
    const reading: Reading = {
      ...{ value: 1, sampleCount: 199, noiseFloor: 0.1, significant: true },
      ...{ warning: [0.1], critical: null },
    };
    const told = (more: Partial<Reading>) =>
      judge(rule, freshState, { ...reading, ...more }, hourMs, true).told;

    expect([told({}), told({ sampleCount: 200 })]).to.deep.equal([undefined, 'FIRING']);
    expect(told({ sampleCount: 200, significant: false })).to.equal(undefined);
  });

  it('have automatic thresholds of the mean and its deviations, once there is enough', () => {
    const rule = ruleOf({ name: 'a', type: 'VOLUME', thresholdKind: 'auto', deviations: 2 });

    expect(automaticBounds(rule, [1, 2, 3])).to.equal(null);
    expect(automaticBounds(rule, [2, 4, 4, 4, 5, 5, 7, 9])?.[0]).to.be.closeTo(
      5 + 2 * 2.13809,
      1e-4,
    );
    expect(automaticBounds({ ...rule, comparator: 'outside' }, [1, 1, 3, 3])).to.have.length(2);
  });

  it('call few of many features drifted by chance', () => {
    expect(significantAmong([0.001, 0.04, 0.2, 0.9])).to.deep.equal([true, false, false, false]);
    expect(significantAmong([0.001, 0.01, 0.012, 0.9])).to.deep.equal([true, true, true, false]);
    expect(significantAmong([])).to.deep.equal([]);
  });
});

describe('alerts of a monitored model', function () {
  this.timeout(120_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const many = (n: number, at: number, features: (place: number) => object = () => ({})) =>
    Array.from({ length: n }, (_, place) => ({ at: at + place, features: features(place) }));

  it('fire once for a window, whoever looks, and tell their channels of it', async () => {
    const { needs, model, send, time, told } = await beginModel(tables);
    time.now = start + 30 * 60_000;
    await send(many(12, start));
    const made = await createAlert(needs, model, 'ada', {
      ...volume,
      description: 'Too much.',
      channels: ['room'],
    });
    expect(await evaluate(needs, made, model, never)).to.deep.equal([]);

    time.now = start + hourMs + 20 * 60_000;
    const [due] = await alertsOf(tables, model.id);
    if (due === undefined) throw new Error('the alert is gone');
    const both = await Promise.all([
      evaluate(needs, due, model, never),
      evaluate(needs, due, model, never),
    ]);
    expect(both.flat().map(({ told: event, firing }) => [event, firing.value])).to.deep.equal([
      ['FIRING', 12],
    ]);
    await tellDue(needs, never);
    await alertJob(needs).run(never);

    expect(
      told.map(({ announcement, channels }) => [announcement.title, announcement.text, channels]),
    ).to.deep.equal([['[CRITICAL] m: the number of events 12 above 10', 'Too much.', ['room']]]);
    time.now = start + 2 * hourMs + 20 * 60_000;
    await alertJob(needs).run(never);
    const [firing] = await firingsOf(tables, model.id);
    expect([firing?.state, firing?.startedAt, firing?.endedAt]).to.deep.equal([
      'RESOLVED',
      start + hourMs,
      start + 2 * hourMs,
    ]);
    expect(told.at(-1)?.announcement).to.include({ title: '[RESOLVED] m: many', level: 'info' });
    expect(told.map(({ announcement }) => announcement.incident?.id)).to.deep.equal([
      firing?.notificationId,
      firing?.notificationId,
    ]);
  });

  it('judge every window that passed while nobody looked', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    const made = await createAlert(needs, model, 'ada', { ...volume, cooldownHours: 0 });
    await evaluate(needs, made, model, never);
    time.now = start + 10 * hourMs;
    await send([...many(12, start + hourMs), ...many(12, start + 4 * hourMs)]);

    await alertJob(needs).run(never);

    const firings = await firingsOf(tables, model.id);
    expect(firings.map(({ startedAt, endedAt }) => [startedAt, endedAt])).to.deep.equal([
      [start + 5 * hourMs, start + 6 * hourMs],
      [start + 2 * hourMs, start + 3 * hourMs],
    ]);
  });

  it('tell nobody while they are muted, and later where hours are quiet', async () => {
    const { needs, model, send, time, told } = await beginModel(tables);
    await send(many(12, start - hourMs));
    const muted = { ...volume, channels: ['room'], muteUntil: start + hourMs, delayMinutes: 0 };
    const quiet = {
      ...volume,
      name: 'q',
      channels: ['room'],
      quietHours: { from: 6, to: 10 },
      delayMinutes: 0,
    };
    await createAlert(needs, model, 'ada', muted);
    await createAlert(needs, model, 'ada', quiet);

    await alertJob(needs).run(never);

    expect((await firingsOf(tables, model.id)).map(({ state }) => state)).to.have.members([
      'MUTED',
      'FIRING',
    ]);
    expect(told).to.deep.equal([]);
    time.now = start + 2 * hourMs;
    await tellDue(needs, never);
    expect(told.map(({ announcement }) => announcement.facts[0]?.value)).to.deep.equal(['q']);
  });

  it('begin anew when they look at something else, and go on when only their manner changes', async () => {
    const { needs, model, send } = await beginModel(tables);
    await send(many(12, start - hourMs));
    await createAlert(needs, model, 'ada', { ...volume, delayMinutes: 0 });
    await alertJob(needs).run(never);
    const placed = async () => {
      const [alert] = await alertsOf(tables, model.id);
      if (alert === undefined) throw new Error('the alert is gone');
      return { ...alert, model };
    };
    expect(Object.keys((await placed()).states)).to.have.length(1);

    const renamed = await changeAlert(needs, await placed(), (rule) => ({ ...rule, name: 'x' }));
    expect(Object.keys(renamed.states)).to.have.length(1);
    const other = await changeAlert(needs, await placed(), (rule) => ({ ...rule, critical: 20 }));
    expect(other.states).to.deep.equal({});
  });

  it('are refused about channels, fields and segments that are not there', async () => {
    const { needs, model, send } = await beginModel(tables);
    await send(many(1, start - hourMs, () => ({ age: 1 })));
    const refusal = async (asked: AskedRule): Promise<string> =>
      createAlert(needs, model, 'ada', asked).then(
        () => 'it was made',
        (thrown: unknown) => (thrown as Error).message, // failures are errors
      );

    expect(await refusal({ ...volume, channels: ['none'] })).to.include('no channel none');
    expect(await refusal({ ...volume, segments: ['none'] })).to.include('no segment none');
    expect(await refusal({ name: 'a', type: 'FEATURE_DRIFT', target: ['size'] })).to.include(
      'no field feature_size',
    );
    expect(await refusal({ name: 'a', type: 'FEATURE_DRIFT', baselineId: 'none' })).to.include(
      'no baseline none',
    );
    expect(await refusal({ name: 'a', type: 'FEATURE_DRIFT', target: ['age'] })).to.equal(
      'it was made',
    );
  });

  /** Numbers that are always the same, and look like chance. */
  const chance = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };

  it('would have told of the past what they told as it came, for every type of rule', async () => {
    const { needs, model, send, time, told } = await beginModel(tables);
    const random = chance(11);
    const hours = 60;
    const eventsOf = (hour: number) => {
      const shift = hour >= 30 && hour < 40 ? 2 : 0;
      const n = hour >= 50 && hour < 53 ? 0 : hour === 20 ? 90 : 30;
      return Array.from({ length: n }, (_, place) => {
        const age = random() + shift;
        const yes = random() < 0.5;
        const right = random() < (hour >= 42 && hour < 46 ? 0.3 : 0.9);
        return {
          at: start + hour * hourMs + place,
          version: place % 2 === 0 ? '1' : '2',
          features: {
            age,
            region: ['eu', 'us'][Math.floor(random() * 2)],
            ...(hour >= 25 && hour < 28 ? {} : { size: random() }),
          },
          predictions: { value: yes ? 'yes' : 'no' },
          labels: { value: yes === right ? 'yes' : 'no' },
        };
      });
    };
    time.now = start + hourMs;
    await send(eventsOf(0));
    await send(
      Array.from({ length: 300 }, (_, place) => ({
        at: start - dayMs + place * 1000,
        features: { age: random(), size: random(), region: place % 2 === 0 ? 'eu' : 'us' },
      })),
    );
    const day = new Date(start - dayMs).toISOString().slice(0, 10);
    const baseline = await createBaseline(
      needs,
      model,
      { kind: 'window', from: day, to: day },
      'ada',
      never,
    );
    const { baselineId } = baseline;
    const settled = await settleModel(tables, model, { importances: { age: 3, size: 1 } });
    const eu = await createSegment(needs, model, { name: 'Europe', filter: 'region=eu' });
    const common = { delayMinutes: 0, minSamples: 20, channels: ['room'], cooldownHours: 3 };
    const rules: readonly AskedRule[] = [
      {
        ...common,
        name: 'drift',
        type: 'FEATURE_DRIFT',
        algorithm: 'PSI',
        window: '6h',
        baselineId,
      },
      { ...common, name: 'model', type: 'MODEL_DRIFT', window: '6h', warning: 0.3, baselineId },
      {
        ...common,
        name: 'weighted',
        type: 'MODEL_DRIFT',
        metric: 'weightedDrift',
        algorithm: 'PSI',
        window: '6h',
        baselineId,
      },
      {
        ...common,
        name: 'volume',
        type: 'VOLUME',
        window: '1h',
        warning: 50,
        versions: ['1', '2'],
      },
      { ...common, name: 'all', type: 'VOLUME', window: '1h', warning: 50, critical: 80 },
      {
        ...common,
        name: 'change',
        type: 'VOLUME',
        window: '1h',
        comparator: 'change',
        warning: 90,
      },
      { ...common, name: 'silence', type: 'SILENCE', window: '1h', consecutive: 2, remind: true },
      {
        ...common,
        name: 'accuracy',
        type: 'METRIC',
        metric: 'accuracy',
        window: '6h',
        comparator: 'below',
        warning: 0.7,
        critical: 0.5,
      },
      {
        ...common,
        name: 'sql',
        type: 'CUSTOM_METRIC',
        metric: 'SELECT avg(age) FROM model',
        window: '1h',
        comparator: 'outside',
        warning: [0.2, 1],
      },
      {
        ...common,
        name: 'sql of the engine',
        type: 'CUSTOM_METRIC',
        metric: 'WITH m AS (SELECT age FROM model) SELECT avg(age) FROM m',
        window: '6h',
        evaluateEvery: '6h',
        comparator: 'outside',
        warning: [0.2, 1],
      },
      {
        ...common,
        name: 'different',
        type: 'DATA_QUALITY',
        metric: 'distinct',
        comparator: 'below',
        warning: 3,
        target: ['region'],
        window: '1h',
      },
      {
        ...common,
        name: 'missing',
        type: 'DATA_QUALITY',
        metric: 'missingRate',
        target: ['size'],
        window: '1h',
        warning: 0.5,
      },
      {
        ...common,
        name: 'europe',
        type: 'VOLUME',
        window: '1h',
        warning: 25,
        segments: [eu.segmentId],
      },
      {
        ...common,
        name: 'auto',
        type: 'VOLUME',
        window: '1h',
        thresholdKind: 'auto',
        autoResolveAfter: 2,
      },
      { ...common, name: 'coverage', type: 'LABEL_COVERAGE', window: '6h', warning: 0.99 },
    ];
    const [first] = rules;
    if (first === undefined) throw new Error('there are no rules');
    for (const asked of rules) await createAlert(needs, model, 'ada', asked);
    const job = alertJob(needs);
    await job.run(never);

    for (let hour = 1; hour <= hours; hour++) {
      time.now = start + (hour + 1) * hourMs;
      await send(eventsOf(hour));
      // A process that is stopped in the middle, and hours in which nobody looks.
      if (hour % 7 === 0) await job.run(AbortSignal.abort());
      else if (hour % 5 !== 0) await job.run(never);
    }
    await job.run(never);

    const alerts = await alertsOf(tables, model.id);
    expect(alerts).to.have.length(rules.length);
    for (const alert of alerts) {
      const past = await backTest(
        needs,
        alert,
        settled,
        { from: alert.createdAt, to: time.now },
        never,
      );
      const live = told
        .filter(({ announcement }) => announcement.subject === alert.alertId)
        .map(({ announcement }) => JSON.parse(announcement.record) as Record<string, unknown>)
        .map(({ event, feature, version, segment, windowTo, value, threshold, level }) => ({
          ...{ event, feature, version, segment, windowTo, value, threshold, level },
        }));
      expect(live.map((one) => JSON.stringify(one)).sort(), alert.rule.name).to.deep.equal(
        past.told
          .map(({ told: event, firing }) => {
            const { feature, version, segment, windowTo, value, threshold, level } = firing;
            return { event, feature, version, segment, windowTo, value, threshold, level };
          })
          .map((one) => JSON.stringify(one))
          .sort(),
      );
    }
    const fired = new Set(
      alerts
        .filter(({ alertId }) => told.some(({ announcement }) => announcement.subject === alertId))
        .map(({ rule }) => rule.name),
    );
    expect([...fired].sort()).to.include.members([
      'accuracy',
      'all',
      'change',
      'different',
      'drift',
      'europe',
      'missing',
      'model',
      'silence',
      'sql',
      'weighted',
    ]);
  });

  it('need four windows of earlier weeks or days for an automatic threshold', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    time.now = start + hourMs;
    for (let back = 1; back <= 5; back++) await send(many(3 + (back % 2), start - back * dayMs));
    await send(many(40, start));
    const asked = {
      name: 'auto',
      type: 'VOLUME',
      window: '1h',
      thresholdKind: 'auto',
      delayMinutes: 0,
    } as const;
    const made = await createAlert(needs, model, 'ada', asked);

    const found = await evaluate(needs, made, model, never);

    expect(found.map(({ firing }) => firing.value)).to.deep.equal([40]);
    expect(found[0]?.firing.threshold).to.be.closeTo(3.6 + 3 * 0.5477, 0.01);
  });
});
