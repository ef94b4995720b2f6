// Answers to what is asked of alerts.
import type { Handlers } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import type { TargetState, Told } from './alert-judging.js';
import type { alertRows } from './alert-rows.js';
import { backTest, evaluate, placeOfModel } from './alert-running.js';
import { pauseMs, type AskedRule, type Rule } from './alert-rules.js';
import {
  alertsOf,
  changeAlert,
  createAlert,
  lockAlert,
  removeAlert,
  rowOf,
  type Alert,
  type PlacedAlert,
} from './alerts.js';
import { tryMetric } from './engine-statements.js';
import { announcementOf, firingsOf, firingOf, storeFiring, type Firing } from './firings.js';
import { fieldsOf, type MonitoredModel } from './models.js';
import { dayMs, type MonitoringNeeds } from './needs.js';
import { bucketsOf } from './series.js';

/** The worst first. */
const order = ['FIRING', 'ACKNOWLEDGED', 'MUTED', 'ERROR', 'PENDING', 'NO_DATA', 'OK'] as const;

const standingOf = (
  { standing, acknowledged }: TargetState,
  isMuted: boolean,
): (typeof order)[number] =>
  standing !== 'FIRING' ? standing : isMuted ? 'MUTED' : acknowledged ? 'ACKNOWLEDGED' : 'FIRING';

const shown = (alert: Alert, now: number) => {
  const { rule, states, alertId, modelId, evaluatedTo, owner, createdAt, updatedAt } = alert;
  const isMuted = (rule.muteUntil ?? 0) > now;
  const targets = Object.entries(states).map(([name, state]) => {
    const [feature, version, segmentId] = JSON.parse(name) as readonly (string | null)[]; // written by targetName
    const { level, startedAt } = state;
    return {
      feature: feature ?? null,
      version: version ?? null,
      segmentId: segmentId ?? null,
      state: standingOf(state, isMuted),
      level,
      startedAt,
    };
  });
  return {
    alertId,
    modelId,
    ...rule,
    state: order.find((one) => targets.some(({ state }) => state === one)) ?? ('OK' as const),
    targets,
    evaluatedTo,
    owner,
    createdAt,
    updatedAt,
  };
};

const findingOf = (told: Told, firing: Firing) => {
  const { type, level, state, startedAt, endedAt, value, threshold, noiseFloor } = firing;
  const { sampleCount, feature, segment, version, windowFrom, windowTo } = firing;
  return {
    event: told,
    ...{ type, level, state, startedAt, endedAt, value, threshold, noiseFloor },
    ...{ sampleCount, feature, segment, version, windowFrom, windowTo },
  };
};

/** Refuses to judge a metric that nothing runs here, which would look as if it found nothing. */
const requireRunnable = async (
  needs: MonitoringNeeds,
  { model, rule }: Pick<PlacedAlert, 'model' | 'rule'>,
): Promise<void> => {
  if (rule.type === 'CUSTOM_METRIC')
    await tryMetric(needs, rule.metric ?? '', model, await fieldsOf(needs.tables, model.id));
};

const mostTested = 1000;

const preview = async (
  needs: MonitoringNeeds,
  { model, ...alert }: PlacedAlert,
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  signal: AbortSignal,
) => {
  const now = needs.clock.now();
  const usual = new Date(now - 7 * dayMs).toISOString();
  const { from, to } = bucketsOf({ ...asked, from: asked.from ?? usual }, now);
  if ((to - from) / pauseMs(alert.rule) > mostTested)
    throw new Failure(
      'invalid',
      `a preview judges at most ${mostTested} windows; choose a shorter span`,
    );
  const rule = { ...alert.rule, muteUntil: null };
  await requireRunnable(needs, { model, rule });
  const span = { from, to: Math.min(to, now) };
  const { windows, told } = await backTest(needs, { ...alert, rule }, model, span, signal);
  return {
    windows,
    firings: told.filter((one) => one.told === 'FIRING').length,
    told: told.map((one) => findingOf(one.told, one.firing)),
  };
};

/** A sample of what the channels of an alert are told. */
const sampleOf = (needs: MonitoringNeeds, { model, ...alert }: PlacedAlert): Firing => {
  const now = needs.clock.now();
  const state: TargetState = {
    standing: 'FIRING',
    level: 'critical',
    windowTo: now,
    beyond: 1,
    within: 0,
    startedAt: now,
    toldAt: now,
    firedAt: now,
    acknowledged: false,
  };
  const reading = {
    value: 1,
    sampleCount: 1000,
    noiseFloor: null,
    significant: null,
    warning: alert.rule.warning,
    critical: alert.rule.critical,
  };
  const target = { column: null, version: null, segment: null };
  const told = { name: `test ${needs.ids.next()}`, target, reading, before: state, state };
  return firingOf(needs, alert, model, { ...told, told: 'FIRING' }, now);
};

const sendSample = async (needs: MonitoringNeeds, alert: PlacedAlert) => {
  const { channels } = alert.rule;
  const place = await placeOfModel(needs, alert.model);
  const made = announcementOf(needs, alert.rule, sampleOf(needs, alert), 'FIRING', place);
  const record = JSON.stringify({ ...(JSON.parse(made.record) as object), test: true }); // written right before
  await needs.announcements.announce(
    { ...made, title: `[test] ${alert.rule.name}`, record },
    channels,
  );
  return { channels };
};

/** Marks everything that fires as known. */
const acknowledge = (needs: MonitoringNeeds, { alertId, model }: PlacedAlert): Promise<Alert> =>
  needs.tables.transaction(async (inside) => {
    const there = await lockAlert(inside, alertId);
    if (there === undefined) throw new Failure('absent', `alert ${alertId} not found`);
    const states = Object.fromEntries(
      Object.entries(there.states).map(([name, state]) => [
        name,
        state.standing === 'FIRING' ? { ...state, acknowledged: true } : state,
      ]),
    );
    for (const firing of await firingsOf(inside, model.id))
      if (firing.alertId === alertId && firing.endedAt === null)
        await storeFiring(inside, { ...firing, state: 'ACKNOWLEDGED' });
    const after = { ...there, states };
    await inside.upsert('alerts', rowOf(after));
    return after;
  });

const usualPage = 25;
const mostDeliveries = 1000;

const notifications = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  {
    page = 1,
    pageSize = usualPage,
    state,
    alertId,
  }: {
    readonly page?: number | undefined;
    readonly pageSize?: number | undefined;
    readonly state?: string | undefined;
    readonly alertId?: string | undefined;
  },
) => {
  const all = (await firingsOf(needs.tables, model.id)).filter(
    (firing) =>
      (state === undefined || firing.state === state) &&
      (alertId === undefined || firing.alertId === alertId),
  );
  const found = all.slice((page - 1) * pageSize, page * pageSize);
  const { workspaceId, workspaceName, url } = await placeOfModel(needs, model);
  const deliveries = new Map<string, Awaited<ReturnType<typeof needs.announcements.deliveries>>>();
  for (const { alertId: id } of found)
    if (!deliveries.has(id))
      deliveries.set(id, await needs.announcements.deliveries(workspaceId, id, mostDeliveries));
  return {
    notifications: found.map((firing) => ({
      ...firing,
      workspaceName,
      url,
      deliveries: (deliveries.get(firing.alertId) ?? [])
        .filter(({ incident }) => incident === firing.notificationId)
        .map(({ channelId, state: status, attempts, error = null }) => ({
          channel: channelId,
          status,
          attempts,
          lastError: error,
        })),
    })),
    total: all.length,
    page,
    pageSize,
  };
};

export const alertHandlers = (needs: MonitoringNeeds): Handlers<typeof alertRows> => {
  const show = (alert: Alert) => shown(alert, needs.clock.now());
  const change = async (alert: PlacedAlert, asked: (before: Rule) => AskedRule) =>
    show(await changeAlert(needs, alert, asked));
  return {
    listMonitoringAlerts: async ({ monitoredModel }) => ({
      alerts: (await alertsOf(needs.tables, monitoredModel.id)).map(show),
    }),
    createMonitoringAlert: async ({ monitoredModel, body: { modelId: _, ...asked }, caller }) =>
      show(await createAlert(needs, monitoredModel, caller.userName, asked)),
    getMonitoringAlert: ({ monitoredAlert }) => Promise.resolve(show(monitoredAlert)),
    updateMonitoringAlert: ({ monitoredAlert, body }) => change(monitoredAlert, () => body),
    changeMonitoringAlert: ({ monitoredAlert, body }) => {
      const given = Object.fromEntries(
        Object.entries(body).filter(([, value]) => value !== undefined),
      );
      return change(monitoredAlert, (before) => ({ ...before, ...given }));
    },
    deleteMonitoringAlert: async ({ monitoredAlert }) => {
      await removeAlert(needs, monitoredAlert);
      return { alertId: monitoredAlert.alertId };
    },
    testMonitoringAlert: ({ monitoredAlert }) => sendSample(needs, monitoredAlert),
    previewMonitoringAlert: ({ monitoredAlert, body, signal }) =>
      preview(needs, monitoredAlert, body, signal),
    async evaluateMonitoringAlert({ monitoredAlert, signal }) {
      const { model, ...alert } = monitoredAlert;
      await requireRunnable(needs, monitoredAlert);
      const told = await evaluate(needs, alert, model, signal, true);
      const [after] = (await alertsOf(needs.tables, model.id)).filter(
        ({ alertId }) => alertId === alert.alertId,
      );
      return {
        alert: show(after ?? alert),
        told: told.map(({ told: event, firing }) => findingOf(event, firing)),
      };
    },
    acknowledgeMonitoringAlert: async ({ monitoredAlert }) =>
      show(await acknowledge(needs, monitoredAlert)),
    muteMonitoringAlert: ({ monitoredAlert, body: { until = null } }) =>
      change(monitoredAlert, (before) => ({ ...before, muteUntil: until })),
    listMonitorNotifications: ({ monitoredModel, query }) =>
      notifications(needs, monitoredModel, query),
  };
};
