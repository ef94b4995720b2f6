import { expect } from 'chai';
import { systemLog } from '#adapters/system/log';
import { deliverFirings, gatherRipe, outcomeOf, type FiringNeeds } from '#core/alerts/firing';
import { judgeAlerts } from '#core/alerts/measuring';
import { alertListeners, forgetListening } from '#core/alerts/offers';
import type { Alert, AlertEventType, AlertTrigger, TriggerConfig } from '#ports/model/alerts';
import type { Message, Notifier, NotifyTarget } from '#ports/notify';
import type { OutgoingReply } from '#ports/outgoing';
import { anAlert } from '#test/contract/storage/alerts';
import { addProject, freshId, freshIdAt, freshKey, start } from '#test/contract/storage/builders';
import { aScore } from '#test/contract/storage/feedback';
import { aSpan, aTrace } from '#test/contract/storage/traces';
import { embedded } from '../opened.js';

const goes = new AbortController().signal;
const periodMs = 300_000;
const ok: OutgoingReply = { status: 204, durationMs: 1, text: '', retry: false };
const down: OutgoingReply = { durationMs: 1, text: '', retry: true, error: 'nobody answers' };

describe('alerts that fire', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;

  /** A world with a clock that is moved, and a receiver that keeps what it is sent. */
  const world = async () => {
    const { workspaceId, id: projectId, name } = await addProject(opened().storage);
    let now = Date.now() + 1000; // what is made in a moment lies before it
    let reply = ok;
    const sent: {
      readonly kind: string;
      readonly message: Message;
      readonly target: NotifyTarget;
    }[] = [];
    const notifierFor = (kind: string): Notifier => ({
      kind,
      check: () => undefined,
      async send(message, target) {
        sent.push({ kind, message, target });
        return reply;
      },
    });
    const needs: FiringNeeds = {
      storage: opened().storage,
      clock: { now: () => now },
      ids: { next: freshId, key: freshKey, digest: () => freshKey() },
      log: systemLog('silent'),
      notifiers: { find: notifierFor, kinds: () => ['http', 'teams'] },
      sealer: { seal: (text) => text, open: (text) => text },
      baseUrl: 'https://ui.example',
    };
    const ofUs = () =>
      sent
        .map(({ message }) => JSON.parse(message.record) as Readonly<Record<string, unknown>>)
        .filter((one) => one['workspaceId'] === workspaceId);
    return {
      ...{ needs, workspaceId, projectId, projectName: name, sent, ofUs },
      now: () => now,
      pass(ms: number) {
        now += ms;
      },
      answer(given: OutgoingReply) {
        reply = given;
      },
      async add(given: Partial<Alert>): Promise<Alert> {
        const made = anAlert({ workspaceId, ...given });
        await stores().alerts.insert(made);
        return made;
      },
      firingsOf: async ({ id }: Alert) =>
        (await stores().alertFirings.list({ workspaceId, id }, { offset: 0, limit: 50 })).content,
      async log(traces: readonly Parameters<typeof aTrace>[0][]) {
        const made = new Map(traces.map((one) => [one.id ?? '', aTrace(one)]));
        await stores().traces.changeTraces(projectId, [...made.keys()], (id) => made.get(id));
      },
    };
  };
  const trigger = (
    eventType: AlertEventType,
    ...configs: readonly Partial<TriggerConfig>[]
  ): AlertTrigger => ({
    ...{ id: freshId(), eventType },
    configs: configs.map((config) => ({
      ...{ id: freshId(), type: 'threshold:errors', value: {} },
      ...config,
    })),
  });
  const above = (threshold: string, group?: number): Partial<TriggerConfig> => ({
    value: { threshold, window: '3600' },
    ...(group === undefined ? {} : { group }),
  });

  it('fire once in a period when a threshold is passed, whoever judges them', async () => {
    const { needs, projectId, projectName, add, log, ofUs, pass, firingsOf } = await world();
    await log([
      { projectId, id: freshId(), errorInfo: '{}' },
      { projectId, id: freshId(), errorInfo: '{}' },
      { projectId, id: freshId() },
    ]);
    const scope: Partial<TriggerConfig> = {
      type: 'scope:project',
      value: { project_ids: JSON.stringify([projectId]) },
    };
    const fires = await add({
      webhook: { ...anAlert().webhook, sealedToken: 'token', sealedHeaders: { 'X-A': 'b' } },
      triggers: [trigger('trace:errors', above('1'), scope)],
    });
    const silent = [
      await add({ triggers: [trigger('trace:errors', above('2'))] }),
      await add({ triggers: [trigger('trace:errors', above('1'))], enabled: false }),
      await add({ triggers: [trigger('trace:errors')] }),
      await add({
        triggers: [
          trigger('trace:errors', above('0'), {
            type: 'scope:project',
            value: { project_ids: JSON.stringify([freshId()]) },
          }),
        ],
      }),
    ];

    await Promise.all([judgeAlerts(needs, periodMs, goes), judgeAlerts(needs, periodMs, goes)]);
    await Promise.all([deliverFirings(needs, goes), deliverFirings(needs, goes)]);

    expect(ofUs()).to.have.length(1);
    expect(ofUs()[0]).to.deep.include({ eventType: 'trace:errors', alertId: fires.id });
    expect(ofUs()[0]?.['payload']).to.deep.include({
      userNames: ['system'],
      eventCount: 1,
      metadata: [
        {
          event_type: 'TRACE_ERRORS',
          metric_name: 'trace:errors',
          metric_value: '2',
          threshold: '1',
          window_seconds: '3600',
          project_ids: projectId,
          project_names: projectName,
        },
      ],
    });
    for (const alert of silent) expect(await firingsOf(alert)).to.deep.equal([]);
    await judgeAlerts(needs, periodMs, goes);
    expect(await firingsOf(fires)).to.have.length(1);
    pass(periodMs + 1);
    await judgeAlerts(needs, periodMs, goes);
    await deliverFirings(needs, goes);
    expect(ofUs()).to.have.length(2);
    expect((await firingsOf(fires)).map(({ state, status }) => [state, status])).to.deep.equal([
      ['delivered', 204],
      ['delivered', 204],
    ]);
    pass(3_700_000);
    await judgeAlerts(needs, periodMs, goes);
    expect(await firingsOf(fires)).to.have.length(2);
  });

  it('compare costs, durations and scores, and every threshold of a group', async () => {
    const { needs, projectId, add, log, firingsOf } = await world();
    const [one, other] = [freshId(), freshId()];
    const at = Date.now() * 1000;
    await log([
      { projectId, id: one, startTime: at, endTime: at + 4_000_000 },
      { projectId, id: other, startTime: at, endTime: at + 8_000_000 },
    ]);
    const span = aSpan({ projectId, traceId: one, cost: 2.5 });
    await stores().traces.changeSpans(projectId, [span.id], () => span);
    await stores().feedback.putScores([
      aScore({ projectId, entityId: one, name: 'q', value: 0.25 }),
    ]);
    const threshold = (
      type: TriggerConfig['type'],
      value: Readonly<Record<string, string>>,
      group?: number,
    ): Partial<TriggerConfig> => ({
      type,
      value: { window: '3600', ...value },
      ...(group === undefined ? {} : { group }),
    });
    const score = (operator: string, than: string, group?: number) =>
      threshold('threshold:feedback_score', { name: 'q', operator, threshold: than }, group);
    const valueOf = async (eventType: AlertEventType, ...configs: Partial<TriggerConfig>[]) => {
      const alert = await add({ triggers: [trigger(eventType, ...configs)] });
      await judgeAlerts(needs, periodMs, goes);
      return (await firingsOf(alert))[0]?.value;
    };

    const cost = (than: string) => threshold('threshold:cost', { threshold: than });
    expect(await valueOf('trace:cost', cost('2'))).to.equal('2.5');
    expect(await valueOf('trace:cost', cost('2.5'))).to.equal(undefined);
    const latency = (than: string) => threshold('threshold:latency', { threshold: than });
    expect(await valueOf('trace:latency', latency('5.9'))).to.equal('6000');
    expect(await valueOf('trace:latency', latency('6'))).to.equal(undefined);
    expect(await valueOf('trace:feedback_score', score('<', '0.5'))).to.equal('0.25');
    expect(await valueOf('trace:feedback_score', score('>', '0.5'))).to.equal(undefined);
    expect(await valueOf('trace_thread:feedback_score', score('<', '0.5'))).to.equal(undefined);
    const both = [score('<', '0.5', 1), score('>', '0.5', 1)];
    expect(await valueOf('trace:feedback_score', ...both)).to.equal(undefined);
    expect(await valueOf('trace:feedback_score', ...both, score('>', '0.2', 2))).to.equal('0.25');
  });

  it('compare what is in their own window, whatever others ask for', async () => {
    const { needs, projectId, add, log, firingsOf, now } = await world();
    const ages = [30, 59.999, 60, 60.001, 200, 299, 2000, 4000]; // seconds
    await log(
      ages.map((age) => ({
        ...{ projectId, id: freshIdAt((now() - age * 1000) * 1000), errorInfo: '{}' },
        ...{ startTime: start * 1000, endTime: start * 1000 + age * 1_000_000 },
      })),
    );
    const windows = [3600, 60, 300];
    const made = async (eventType: AlertEventType, type: TriggerConfig['type']) =>
      Promise.all(
        windows.map((window) =>
          add({
            triggers: [
              trigger(eventType, { type, value: { threshold: '0', window: `${window}` } }),
            ],
          }),
        ),
      );
    const errors = await made('trace:errors', 'threshold:errors');
    const latencies = await made('trace:latency', 'threshold:latency');

    await judgeAlerts(needs, periodMs, goes);

    const valuesOf = (alerts: readonly Alert[]) =>
      Promise.all(alerts.map(async (alert) => Number((await firingsOf(alert))[0]?.value)));
    const within = windows.map((window) => ages.filter((age) => age <= window));
    expect(await valuesOf(errors)).to.deep.equal(within.map(({ length }) => length));
    const means = within.map(
      (some) => (some.reduce((sum, age) => sum + age, 0) / some.length) * 1000,
    );
    for (const [at, value] of (await valuesOf(latencies)).entries())
      expect(value).to.be.closeTo(means[at] ?? NaN, 0.001);
  });

  it('ask for a figure once, however many of them compare it', async () => {
    const { needs, projectId, add, log } = await world();
    await log([{ projectId, id: freshId() }]);
    for (let n = 0; n < 20; n++)
      await add({
        triggers: [trigger('trace:errors', above('5')), trigger('trace:latency', above('5'))],
      });
    let asked = 0;
    const { storage } = needs;
    const counting = {
      ...storage,
      stores: {
        ...storage.stores,
        traceFigures: {
          ...storage.stores.traceFigures,
          sumTraces(...given: Parameters<typeof storage.stores.traceFigures.sumTraces>) {
            if (given[0].includes(projectId)) asked += 1;
            return storage.stores.traceFigures.sumTraces(...given);
          },
        },
      },
    };

    await judgeAlerts({ ...needs, storage: counting }, periodMs, goes);

    expect(asked).to.equal(1);
  });

  it('gather events from the first one on, and tell of them as one', async () => {
    const { needs, workspaceId, projectId, add, ofUs, pass, now } = await world();
    const { alerts } = stores();
    const { clock, ids } = needs;
    const all = await add({ triggers: [trigger('prompt:created')] });
    await add({
      triggers: [
        trigger('prompt:created', {
          type: 'scope:project',
          value: { project_ids: JSON.stringify([projectId]) },
        }),
      ],
    });
    forgetListening(alerts, workspaceId);
    const settings = { ORRERY_ALERT_WINDOW_SECONDS: 60 } as never; // the only one that is read
    const listeners = await alertListeners({ alerts, clock, ids, settings })(workspaceId);
    const tell = (id: string, of?: string) =>
      stores().alertFirings.record(
        listeners.eventsOf({
          ...{ eventType: 'prompt:created', userName: `user of ${id}`, together: false },
          happened: [{ projectId: of, record: { id } }],
        }),
      );

    expect([listeners.waits('prompt:created'), listeners.waits('prompt:deleted')]).to.deep.equal([
      true,
      false,
    ]);
    await tell('a');
    pass(59_000);
    await tell('b', freshId());
    await gatherRipe(needs, goes);
    await deliverFirings(needs, goes);
    expect(ofUs()).to.deep.equal([]);
    pass(1000);
    await Promise.all([gatherRipe(needs, goes), gatherRipe(needs, goes)]);
    await deliverFirings(needs, goes);

    expect(ofUs()).to.have.length(1);
    expect(ofUs()[0]).to.include({ alertId: all.id });
    expect(ofUs()[0]?.['payload']).to.deep.include({
      eventCount: 2,
      userNames: ['user of a', 'user of b'],
      metadata: [{ id: 'a' }, { id: 'b' }],
    });
    await tell('c', projectId);
    pass(60_000);
    await gatherRipe(needs, goes);
    await deliverFirings(needs, goes);
    expect(ofUs()).to.have.length(3);
    expect(now()).to.be.greaterThan(0);
  });

  it('are told as a card where their address is one of Teams, and as they are anywhere else', async () => {
    const { needs, projectId, workspaceId, projectName, add, log, sent } = await world();
    await log([{ projectId, id: freshId(), errorInfo: '{}' }]);
    const scope: Partial<TriggerConfig> = {
      type: 'scope:project',
      value: { project_ids: JSON.stringify([projectId]) },
    };
    const at = (url: string, given: Partial<Alert> = {}) =>
      add({
        ...{ name: url, webhook: { ...anAlert().webhook, url } },
        ...{ triggers: [trigger('trace:errors', above('0'), scope)] },
        ...given,
      });
    const teams = 'https://prod-1.westeurope.logic.azure.com:443/workflows/a?sig=b';
    await at(teams);
    await at('https://x.webhook.office.com/hook', { type: 'slack' });
    await at('https://webhook.office.com.example/hook');

    await judgeAlerts(needs, periodMs, goes);
    await deliverFirings(needs, goes);

    const ours = sent.filter(({ message }) =>
      ['https://prod-1', 'https://x.webhook', 'https://webhook.office.com.example'].some((start) =>
        message.title.startsWith(start),
      ),
    );
    expect(ours.map(({ kind, target }) => `${kind} ${target.address}`).sort()).to.deep.equal([
      'http https://webhook.office.com.example/hook',
      'http https://x.webhook.office.com/hook',
      `teams ${teams}`,
    ]);
    const card = ours.find(({ kind }) => kind === 'teams')?.message;
    expect(card).to.deep.include({ level: 'critical', title: teams });
    expect(card?.text).to.match(/^1 /);
    expect(card?.facts).to.deep.equal([
      { name: '1', value: `1 against a threshold of 0 in 3600 s, projects: ${projectName}` },
    ]);
    expect(card?.links.map(({ label }) => label)).to.deep.equal(['View', 'View all']);
    expect(card?.links[0]?.address).to.match(/^https:\/\/ui\.example\/.*projects\//);
    expect(JSON.parse(card?.record ?? '')).to.include({ workspaceId });
  });

  it('are tried again while a receiver is down, and given up after the fourth attempt', async () => {
    const { needs, add, pass, answer, sent, log, projectId, firingsOf } = await world();
    await log([{ projectId, id: freshId(), errorInfo: '{}' }]);
    const webhook = {
      ...anAlert().webhook,
      sealedToken: 'a token',
      sealedHeaders: { 'X-Team': 'ours', 'User-Agent': 'mine' },
    };
    const alert = await add({ webhook, triggers: [trigger('trace:errors', above('0'))] });
    const own = () => sent.filter(({ message }) => message.title === alert.name);
    answer(down);
    await judgeAlerts(needs, periodMs, goes);

    const attempts: number[] = [];
    for (let n = 0; n < 6; n++) {
      await deliverFirings(needs, goes);
      await deliverFirings(needs, goes);
      attempts.push(own().length);
      pass(40_000);
    }

    expect(attempts).to.deep.equal([1, 2, 3, 4, 4, 4]);
    expect(new Set(own().map(({ message }) => message.id)).size).to.equal(1);
    expect(own()[0]?.target).to.deep.include({
      ...{ secret: 'Bearer a token', secretAs: 'authorization', headers: { 'X-Team': 'ours' } },
    });
    expect((await firingsOf(alert))[0]).to.include({
      ...{ state: 'failed', attempts: 4, error: 'nobody answers', retryAt: undefined },
    });
  });

  it('are dropped when they were disabled before they are sent', async () => {
    const { needs, add, log, projectId, sent, firingsOf, workspaceId } = await world();
    await log([{ projectId, id: freshId(), errorInfo: '{}' }]);
    const alert = await add({ triggers: [trigger('trace:errors', above('0'))] });
    await judgeAlerts(needs, periodMs, goes);
    await stores().alerts.replace(workspaceId, alert.id, (one) => ({ ...one, enabled: false }));

    await deliverFirings(needs, goes);

    expect(sent.filter(({ message }) => message.title === alert.name)).to.deep.equal([]);
    expect((await firingsOf(alert))[0]).to.include({ state: 'dropped', attempts: 0 });
  });

  it('wait longer from attempt to attempt, and as long as a receiver asks', () => {
    const of = (attempts: number, reply: Partial<OutgoingReply> = {}) =>
      outcomeOf({ id: `${freshId().slice(0, -2)}00`, attempts }, { ...down, ...reply }, 0);

    expect([0, 1, 2, 3].map((attempts) => of(attempts).retryAt)).to.deep.equal([
      1000,
      5000,
      30_000,
      undefined,
    ]);
    expect(of(0, { retryAfter: 120 }).retryAt).to.equal(120_000);
    expect(of(0, { retry: false })).to.include({ state: 'failed', retryAt: undefined });
    expect(outcomeOf({ id: freshId(), attempts: 0 }, ok, 0)).to.include({ state: 'delivered' });
  });
});
