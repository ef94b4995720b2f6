// The rows about alerts of monitored models, and what they found.
import { one, operations } from '#ports/api/operation';
import {
  anything,
  flag,
  integer,
  list,
  millis,
  nullable,
  number,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from '#ports/api/schema';
import { deliveryStates } from '#ports/model/channels';
import { alertTypes, alertWindows, comparators, evaluationPauses } from './alert-rules.js';
import { levels } from './alert-judging.js';
import { monitoredAlert } from './alerts.js';
import { firingStates } from './firings.js';
import { algorithms } from './measures.js';
import { monitoredModel } from './models.js';
import { ofEngine } from './rows.js';

/** The toggle of everything about alerts. */
export const alertToggle = 'mpm-alerts';
const toggle = alertToggle;
const quietHours = shape(
  'MonitoringQuietHours',
  'Hours of the day, in UTC, in which nobody is told.',
  {
    from: integer({ minimum: 0, maximum: 23 }),
    to: integer({ minimum: 0, maximum: 23 }),
  },
);
const asked = {
  description: optional(text({ max: 2000 })),
  enabled: optional(flag()),
  target: optional(texts()),
  metric: optional(text({ max: 4000 })),
  algorithm: optional(text({ max: 40 })),
  baselineId: optional(text({ max: 100 })),
  versions: optional(texts()),
  segments: optional(texts()),
  window: optional(word(...alertWindows)),
  evaluateEvery: optional(word(...evaluationPauses)),
  delayMinutes: optional(integer()),
  comparator: optional(word(...comparators)),
  thresholdKind: optional(word('static', 'auto')),
  deviations: optional(number()),
  warning: optional(anything()),
  critical: optional(anything()),
  minSamples: optional(integer()),
  consecutive: optional(integer()),
  cooldownHours: optional(number()),
  autoResolveAfter: optional(integer()),
  remind: optional(flag()),
  channels: optional(texts()),
  muteUntil: optional(millis()),
  quietHours: optional(quietHours),
};
const name = text({ min: 1, max: 100 });
const type = word(...alertTypes);

const standing = shape(
  'MonitoringAlertTarget',
  'How one target of an alert stands, where it is not well.',
  {
    feature: nullable(text()),
    version: nullable(text()),
    segmentId: nullable(text()),
    state: word('OK', 'PENDING', 'FIRING', 'ACKNOWLEDGED', 'MUTED', 'NO_DATA', 'ERROR'),
    level: nullable(word(...levels)),
    startedAt: nullable(millis()),
  },
);
const bounds = nullable(list(number()));
const alert = shape('MonitoringAlert', 'A rule that watches a monitored model.', {
  alertId: text(),
  modelId: text(),
  name: text(),
  description: text(),
  enabled: flag(),
  type,
  target: list(text()),
  metric: nullable(text()),
  algorithm: word(...algorithms),
  baselineId: nullable(text()),
  versions: list(text()),
  segments: list(text()),
  window: word(...alertWindows),
  evaluateEvery: word(...evaluationPauses),
  delayMinutes: integer(),
  comparator: word(...comparators),
  thresholdKind: word('static', 'auto'),
  deviations: number(),
  warning: bounds,
  critical: bounds,
  minSamples: integer(),
  consecutive: integer(),
  cooldownHours: number(),
  autoResolveAfter: integer(),
  remind: flag(),
  channels: list(text()),
  muteUntil: nullable(millis()),
  quietHours: nullable(quietHours),
  state: word('OK', 'PENDING', 'FIRING', 'ACKNOWLEDGED', 'MUTED', 'NO_DATA', 'ERROR'),
  targets: list(standing),
  evaluatedTo: millis(),
  owner: text(),
  createdAt: millis(),
  updatedAt: millis(),
});
const finding = {
  type,
  level: word(...levels),
  state: word(...firingStates),
  startedAt: millis(),
  endedAt: nullable(millis()),
  value: nullable(number()),
  threshold: nullable(number()),
  noiseFloor: nullable(number()),
  sampleCount: integer(),
  feature: nullable(text()),
  segment: nullable(text()),
  version: nullable(text()),
  windowFrom: millis(),
  windowTo: millis(),
};
const found = shape('MonitoringFinding', 'What a window of an alert would have told.', {
  event: word('FIRING', 'LEVEL', 'RESOLVED', 'REMINDER'),
  ...finding,
});
const notification = shape('MonitorNotification', 'An alarm of an alert, and who was told of it.', {
  notificationId: text(),
  alertId: text(),
  alertName: text(),
  modelId: text(),
  modelName: text(),
  workspaceName: text(),
  ...finding,
  description: text(),
  url: text(),
  deliveries: list(
    object({
      channel: text(),
      status: word(...deliveryStates),
      attempts: integer(),
      lastError: nullable(text()),
    }),
  ),
});

const byId = {
  toggle,
  params: object({ alertId: text() }),
} as const;
const ofAlert = one(monitoredAlert, 'params.alertId');
const changes = { ...byId, access: { needs: 'write', about: ofAlert }, audit: true } as const;
const path = '/api/mpm/v2/alerts';

export const alertRows = operations({
  listMonitoringAlerts: {
    method: 'GET',
    path,
    toggle,
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary: 'The alerts of a monitored model with how they stand',
    query: object({ modelId: text() }),
    replies: { 200: object({ alerts: list(alert) }) },
    fails: ['absent'],
  },
  createMonitoringAlert: {
    method: 'POST',
    path,
    toggle,
    access: { needs: 'write', about: one(monitoredModel, 'body.modelId') },
    audit: true,
    summary: 'Have a monitored model watched; what is left out is as usual for the type',
    body: object({ modelId: text(), name, type, ...asked }),
    replies: { 200: alert },
    ...ofEngine,
  },
  getMonitoringAlert: {
    ...byId,
    method: 'GET',
    path: `${path}/{alertId}`,
    access: { needs: 'read', about: ofAlert },
    summary: 'An alert with how it stands',
    replies: { 200: alert },
    fails: ['absent'],
  },
  updateMonitoringAlert: {
    ...changes,
    method: 'PUT',
    path: `${path}/{alertId}`,
    summary: 'Replace an alert; what is left out is as usual for the type',
    body: object({ name, type, ...asked }),
    replies: { 200: alert },
    ...ofEngine,
  },
  changeMonitoringAlert: {
    ...changes,
    method: 'PATCH',
    path: `${path}/{alertId}`,
    summary: 'Change an alert; what is left out stays',
    body: object({ name: optional(name), type: optional(type), ...asked }),
    replies: { 200: alert },
    ...ofEngine,
  },
  deleteMonitoringAlert: {
    ...changes,
    method: 'DELETE',
    path: `${path}/{alertId}`,
    summary: 'Delete an alert; what it found stays in the history',
    replies: { 200: object({ alertId: text() }) },
    fails: ['absent'],
  },
  testMonitoringAlert: {
    ...changes,
    method: 'POST',
    path: `${path}/{alertId}/test`,
    summary: 'Send a marked sample to the channels of an alert',
    replies: { 200: object({ channels: list(text()) }) },
    fails: ['invalid', 'absent'],
  },
  previewMonitoringAlert: {
    ...byId,
    method: 'POST',
    path: `${path}/{alertId}/preview`,
    access: { needs: 'read', about: ofAlert, changes: false },
    summary: 'What an alert would have told in a span of the past, by default the last seven days',
    body: object({ from: optional(text()), to: optional(text()) }),
    replies: {
      200: object({ windows: integer(), firings: integer(), told: list(found) }),
    },
    ...ofEngine,
  },
  evaluateMonitoringAlert: {
    ...changes,
    method: 'POST',
    path: `${path}/{alertId}/evaluate`,
    summary: 'Judge an alert now, with the window that is not complete yet as it stands',
    replies: { 200: object({ alert, told: list(found) }) },
    ...ofEngine,
  },
  acknowledgeMonitoringAlert: {
    ...changes,
    method: 'POST',
    path: `${path}/{alertId}/ack`,
    summary: 'Take note of what an alert found, so that nobody is reminded of it',
    replies: { 200: alert },
    fails: ['absent'],
  },
  muteMonitoringAlert: {
    ...changes,
    method: 'POST',
    path: `${path}/{alertId}/mute`,
    summary: 'Have nobody told of what an alert finds until a time; without one it is told again',
    body: object({ until: optional(millis()) }),
    replies: { 200: alert },
    fails: ['invalid', 'absent'],
  },
  listMonitorNotifications: {
    method: 'GET',
    path: '/api/mpm/v2/monitor-notification',
    toggle,
    access: { needs: 'read', about: one(monitoredModel, 'query.modelId') },
    summary: 'What the alerts of a monitored model found, the newest first, at most the last 1,000',
    query: object({
      modelId: text(),
      page: optional(integer({ minimum: 1 })),
      pageSize: optional(integer({ minimum: 1, maximum: 1000 })),
      state: optional(word(...firingStates)),
      alertId: optional(text()),
    }),
    replies: {
      200: object({
        notifications: list(notification),
        total: integer(),
        page: integer(),
        pageSize: integer(),
      }),
    },
    fails: ['absent'],
  },
});
