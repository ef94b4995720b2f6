// Alerts: what webhooks are told of what happens to traces, prompts and experiments.
import {
  alert,
  alertEventTypes,
  alertFiringStates,
  alertTypes,
  triggerConfigTypes,
} from '../model/alerts.js';
import { projectTarget } from '../model/projects.js';
import { detailed, maybe, one, operations } from './operation.js';
import {
  authorship,
  belowProject,
  everywhere,
  manyIds,
  pageMembers,
  paged,
  reachedOfHeader,
} from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  map,
  object,
  optional,
  shape,
  text,
  word,
} from './schema.js';

const notBlank = String.raw`\S`;

const webhookWritten = shape('AlertWebhookWrite', 'Where an alert is sent to.', {
  id: optional(text()),
  name: optional(text()),
  url: text({ min: 1, max: 2000, pattern: notBlank }),
  secret_token: optional(text({ max: 250 })),
  headers: optional(map(text())),
});
const configWritten = shape('AlertTriggerConfigWrite', 'Narrows what a trigger is about.', {
  id: optional(text()),
  type: word(...triggerConfigTypes),
  config_value: optional(map(text())),
  group_index: optional(integer()),
});
const triggerWritten = shape('AlertTriggerWrite', 'What an alert is about.', {
  id: optional(text()),
  event_type: word(...alertEventTypes),
  trigger_configs: optional(list(configWritten, { maxItems: 50 })),
});
const written = {
  id: optional(text()),
  enabled: optional(flag()),
  alert_type: optional(word(...alertTypes)),
  metadata: optional(map(text())),
  webhook: webhookWritten,
  triggers: optional(list(triggerWritten, { maxItems: 50 })),
  project_id: optional(text()),
} as const;
const longestName = 255;
const alertWritten = shape('AlertWrite', 'An alert as a client makes it.', {
  name: text({ min: 1, max: longestName, pattern: notBlank }),
  ...written,
});

const made = { created_at: text(), created_by: text() } as const;
const shown = shape('Alert', 'An alert; its secrets are masked.', {
  id: text(),
  name: text(),
  enabled: flag(),
  alert_type: text(),
  metadata: optional(map(text())),
  webhook: shape('AlertWebhook', 'Where an alert is sent to, masked.', {
    id: text(),
    name: text(),
    url: text(),
    secret_token: optional(text()),
    headers: optional(map(text())),
    ...authorship,
  }),
  triggers: list(
    shape('AlertTrigger', 'What an alert is about.', {
      id: text(),
      alert_id: text(),
      event_type: text(),
      trigger_configs: list(
        shape('AlertTriggerConfig', 'Narrows what a trigger is about.', {
          id: text(),
          alert_trigger_id: text(),
          type: text(),
          config_value: map(text()),
          group_index: optional(integer()),
          ...authorship,
        }),
      ),
      ...made,
    }),
  ),
  project_id: optional(text()),
  ...authorship,
});

const firing = shape('AlertFiring', 'What an alert had to tell, and what became of it.', {
  id: text(),
  alert_id: text(),
  event_type: text(),
  fired_at: text(),
  event_count: integer(),
  metric_value: optional(text()),
  threshold: optional(text()),
  state: word(...alertFiringStates),
  attempts: integer(),
  next_attempt_at: optional(text()),
  status_code: optional(integer()),
  error_message: optional(text()),
});

const root = '/v1/private/alerts';
const byId = { path: everywhere(`${root}/{id}`), params: object({ id: text() }) } as const;
const about = one(alert, 'header.comet-workspace/params.id');
const ofProject = maybe(projectTarget, 'body.project_id');
const listing = {
  method: 'GET',
  query: object({ ...paged, sorting: optional(text()), filters: optional(text()) }),
  replies: {
    200: shape('AlertPage', 'A page of alerts; `size` is how many it holds.', pageMembers(shown)),
  },
} as const;

export const alertOperations = operations({
  listAlerts: {
    ...listing,
    path: everywhere(root),
    access: { needs: 'read', about: reachedOfHeader },
    summary: 'Alerts, the newest first; their secrets are masked',
    fails: ['invalid'],
  },
  listProjectAlerts: {
    ...listing,
    ...belowProject,
    path: everywhere('/v1/private/projects/{projectId}/alerts'),
    summary: 'The alerts of a project, the newest first, for members of its workspace',
    fails: ['invalid', 'absent', 'forbidden'],
  },
  createAlert: {
    method: 'POST',
    path: everywhere(root),
    access: { needs: 'write', about: ofProject, unbounded: false },
    audit: true,
    summary:
      'Make an alert of a project or of the whole workspace; secrets are stored sealed and never given back',
    body: alertWritten,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  deleteAlerts: {
    method: 'POST',
    path: everywhere(`${root}/delete`),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary: 'Delete alerts; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  listAlertExamples: {
    method: 'GET',
    path: everywhere(`${root}/webhooks/examples`),
    access: { needs: 'read', about: reachedOfHeader },
    summary: 'What a webhook is sent for each type of event, by the type of alert',
    query: object({ alert_type: optional(word(...alertTypes)) }),
    replies: {
      200: shape('AlertExamples', 'What is sent, by the type of event.', {
        response_examples: map(anything()),
      }),
    },
    fails: ['invalid'],
  },
  testAlert: {
    method: 'POST',
    path: everywhere(`${root}/webhooks/tests`),
    access: { needs: 'write', about: reachedOfHeader },
    summary:
      'Send a sample to the webhook of an alert, saved or not, and tell what came of it; ten a minute in a workspace',
    body: object({ name: optional(text({ max: longestName })), ...written }),
    replies: {
      200: shape('AlertTestResult', 'What came of a test; `status_code` is 0 without an answer.', {
        status: word('success', 'failure'),
        status_code: integer(),
        request_body: text(),
        error_message: optional(text()),
      }),
    },
    fails: ['invalid', 'unprocessable', 'throttled'],
  },
  showAlert: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'An alert; its secrets are masked',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  listAlertFirings: {
    path: everywhere(`${root}/{id}/firings`),
    params: object({ id: text() }),
    method: 'GET',
    access: { needs: 'read', about },
    summary:
      'What an alert has told within two weeks, the newest first, and whether it was delivered (own)',
    query: object({ ...paged }),
    replies: {
      200: shape(
        'AlertFiringPage',
        'A page of firings; `size` is how many it holds.',
        pageMembers(firing),
      ),
    },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  updateAlert: {
    ...byId,
    method: 'PUT',
    access: { needs: 'write', about: [about, ofProject], unbounded: false },
    audit: true,
    summary:
      'Replace an alert. A secret that is masked stays, except that it must be given again for another host',
    body: alertWritten,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
});
