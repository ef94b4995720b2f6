// Webhooks of the registry, the rooms and mailboxes that a workspace is told in, and the log of what was sent.
import { channel, delivery } from '../model/channels.js';
import { workspace } from '../model/workspaces.js';
import { each, maybe, one, operations } from './operation.js';
import {
  flag,
  integer,
  list,
  map,
  millis,
  nullable,
  object,
  optional,
  record,
  text,
  texts,
  word,
  shape,
} from './schema.js';
import { deliveryStates } from '../model/channels.js';
import { read, saved, write } from './tracking.js';

const toggle = 'registry-webhooks';
/** What a whole area that is switched off answers. */
const refusals = { off: { status: 404 } } as const;
const area = {
  toggle,
  wire: { refusals },
} as const;

const headers = map(text({ max: 8000 }));
const webhookFields = {
  url: text({ min: 1, max: 2000 }),
  header: optional(headers),
  name: optional(text({ max: 200 })),
  triggers: optional(texts()),
  secret: optional(text({ max: 1000 })),
  secretAsAuthorization: optional(flag()),
  githubActions: optional(flag()),
  githubOptions: optional(record()),
  webhookId: optional(text({ max: 36 })),
  enabled: optional(flag()),
};
const webhook = shape('Webhook', 'An address that is notified of changes.', webhookFields);
const shownWebhook = shape('ShownWebhook', 'A webhook, and why it was switched off.', {
  ...webhookFields,
  fault: nullable(text()),
});
const configs = object({
  webhookConfigs: list(
    object({
      workspaceName: optional(text()),
      modelName: optional(text()),
      webhookUrls: list(webhook, { maxItems: 100 }),
    }),
    { maxItems: 1000 },
  ),
});
const ofWorkspaces = each(workspace, 'body.webhookConfigs.*.workspaceName');
const ofWorkspace = maybe(workspace, 'query.workspaceName');
const named = object({ workspaceName: optional(text()), modelName: optional(text()) });

/** What was sent, secrets masked. */
const request = shape('SentRequest', 'A request that was sent, secrets masked.', {
  method: text(),
  url: text(),
  headers: map(text()),
  body: text(),
});
const tried = shape('DeliveryAttempt', 'What an attempt to deliver came to.', {
  status: nullable(integer()),
  durationMillis: integer(),
  responseBody: text(),
  error: nullable(text()),
  request,
});

const pageSize = {
  page: optional(integer({ minimum: 1 })),
  size: optional(integer({ minimum: 1, maximum: 100 })),
};
const deliveryRecord = shape('Delivery', 'One notification to one channel.', {
  deliveryId: text(),
  webhookId: text(),
  kind: text(),
  registryModelId: nullable(text()),
  eventId: text(),
  eventType: text(),
  state: word(...deliveryStates),
  attempts: integer(),
  createdAt: millis(),
  lastAttemptAt: nullable(millis()),
  nextAttemptAt: nullable(millis()),
  status: nullable(integer()),
  durationMillis: nullable(integer()),
  responseBody: nullable(text()),
  error: nullable(text()),
  repeats: nullable(text()),
  request,
});

export const webhookOperations = operations({
  updateWebhooks: {
    method: 'POST',
    path: read('/webhooks/config'),
    access: { needs: 'workspace-admin', about: ofWorkspaces },
    audit: true,
    summary:
      'Add webhooks to workspaces and models; one of an address that is there is changed, and what is left out of it stays',
    ...area,
    body: configs,
    replies: { 204: null },
    fails: ['invalid', 'absent', 'conflict'],
  },
  overrideWebhooks: {
    method: 'PUT',
    path: read('/webhooks/config'),
    access: { needs: 'workspace-admin', about: ofWorkspaces },
    audit: true,
    summary: 'Replace all webhooks of each workspace and model that is named',
    ...area,
    body: configs,
    replies: { 204: null },
    fails: ['invalid', 'absent', 'conflict'],
  },
  listWebhooks: {
    method: 'GET',
    path: read('/webhooks/config'),
    access: { needs: 'workspace-admin', about: ofWorkspace },
    summary: 'Webhooks of a workspace, or of one model, secrets masked',
    ...area,
    query: named,
    replies: {
      200: object({
        webhookConfigs: list(
          object({
            workspaceName: text(),
            modelName: optional(text()),
            webhookUrls: list(shownWebhook),
          }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  deleteWebhooks: {
    method: 'DELETE',
    path: read('/webhooks/config'),
    access: { needs: 'workspace-admin', about: ofWorkspace },
    audit: true,
    summary:
      'Delete the webhooks of a model, or those of a workspace that are told of every model, with their log',
    ...area,
    query: named,
    replies: { 204: null },
    fails: ['invalid', 'absent'],
  },
  testWebhook: {
    method: 'POST',
    path: read('/webhooks/test'),
    access: { needs: 'workspace-admin', about: maybe(workspace, 'body.workspaceName') },
    summary: 'Send a sample to a webhook, saved or not, and tell what came of it',
    ...area,
    body: object({
      workspaceName: optional(text()),
      modelName: optional(text()),
      webhook,
      trigger: optional(text()),
    }),
    replies: { 200: tried },
    fails: ['invalid', 'absent', 'throttled'],
  },
  listDeliveries: {
    method: 'GET',
    path: read('/webhooks/deliveries'),
    access: { needs: 'workspace-admin', about: ofWorkspace },
    summary:
      'What was told to the webhooks and channels of a workspace in the last 30 days and how that went, newest first, secrets masked. At most the newest 5,000 are counted and paged; choose a model, webhook or state for older ones',
    ...area,
    query: object({
      workspaceName: optional(text()),
      modelName: optional(text()),
      webhookId: optional(text()),
      state: optional(word(...deliveryStates)),
      ...pageSize,
    }),
    replies: {
      200: object({
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(deliveryRecord),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  redeliver: {
    method: 'POST',
    path: read('/webhooks/deliveries/{deliveryId}/redeliver'),
    access: { needs: 'workspace-admin', about: one(delivery, 'params.deliveryId') },
    summary: 'Send a delivery again, after what waits already',
    ...area,
    params: object({ deliveryId: text() }),
    replies: { 200: saved({ deliveryId: text() }) },
    fails: ['invalid', 'absent'],
  },
});

const channelFields = {
  name: text({ min: 1, max: 200 }),
  target: text({ min: 1, max: 2000 }),
  headers: optional(headers),
  secret: optional(text({ max: 1000 })),
  triggers: optional(texts()),
  enabled: optional(flag()),
};
const channelRecord = shape('Channel', 'Where a workspace is notified.', {
  channelId: text(),
  workspaceName: text(),
  modelName: nullable(text()),
  kind: text(),
  name: text(),
  target: text(),
  headers: map(text()),
  secret: nullable(text()),
  triggers: list(text()),
  enabled: flag(),
  lastStatus: nullable(integer()),
  lastError: nullable(text()),
  fault: nullable(text()),
  createdBy: text(),
  createdAt: millis(),
});
const ofChannel = one(channel, 'params.channelId');
const inPath = object({ channelId: text() });

export const channelOperations = operations({
  listChannels: {
    method: 'GET',
    path: read('/channels'),
    access: { needs: 'workspace-admin', about: ofWorkspace },
    summary: 'Rooms, mailboxes and addresses that a workspace is told in, secrets masked',
    query: object({ workspaceName: optional(text()) }),
    replies: { 200: object({ channels: list(channelRecord) }) },
    fails: ['invalid', 'absent'],
  },
  createChannel: {
    method: 'POST',
    path: write('/channels'),
    access: { needs: 'workspace-admin', about: maybe(workspace, 'body.workspaceName') },
    audit: true,
    summary: 'Add a room, a mailbox or an address that is told of changes in the registry',
    body: object({
      workspaceName: optional(text()),
      modelName: optional(text()),
      kind: text({ min: 1, max: 60 }),
      ...channelFields,
    }),
    replies: { 200: saved({ channelId: text() }) },
    fails: ['invalid', 'absent'],
  },
  updateChannel: {
    method: 'PUT',
    path: write('/channels/{channelId}'),
    access: { needs: 'workspace-admin', about: ofChannel },
    audit: true,
    summary: 'Change a channel; what is left out stays',
    params: inPath,
    body: object({
      ...channelFields,
      name: optional(channelFields.name),
      target: optional(channelFields.target),
    }),
    replies: { 200: saved({ channelId: text() }) },
    fails: ['invalid', 'absent'],
  },
  deleteChannel: {
    method: 'DELETE',
    path: write('/channels/{channelId}'),
    access: { needs: 'workspace-admin', about: ofChannel },
    audit: true,
    summary: 'Delete a channel with its log',
    params: inPath,
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
  testChannel: {
    method: 'POST',
    path: write('/channels/{channelId}/test'),
    access: { needs: 'workspace-admin', about: ofChannel },
    summary: 'Send a sample to a channel and tell what came of it',
    params: inPath,
    replies: { 200: tried },
    fails: ['invalid', 'absent', 'throttled'],
  },
});
