// What the pages of annotation queues, evaluators and alerts ask: rows that SDKs of LLM observability ask too.
import type { alertOperations } from '#ports/api/alerts';
import type { annotationQueueOperations } from '#ports/api/annotation-queues';
import type { automationOperations } from '#ports/api/automations';
import type { feedbackDefinitionOperations } from '#ports/api/feedback-definitions';
import type { projectMetricOperations } from '#ports/api/project-metrics';
import type { spanOperations } from '#ports/api/spans';
import type { threadOperations } from '#ports/api/threads';
import type { traceOperations } from '#ports/api/traces';
import type { workspaceConfigurationOperations } from '#ports/api/workspace-configuration';
import { row } from './request.js';

type Queues = typeof annotationQueueOperations;
type Alerts = typeof alertOperations;
type Rules = typeof automationOperations;
type Definitions = typeof feedbackDefinitionOperations;
const queues = '/v1/private/annotation-queues';
const ofQueue = `${queues}/{id}` as const;
const ofLock = `${queues}/{queueId}/items/{itemId}/lock` as const;
const definitions = '/v1/private/feedback-definitions';

export const queuesServer = {
  list: row<Queues['listAnnotationQueues']>('GET', queues),
  show: row<Queues['showAnnotationQueue']>('GET', ofQueue),
  create: row<Queues['createAnnotationQueue']>('POST', queues),
  update: row<Queues['updateAnnotationQueue']>('PATCH', ofQueue),
  remove: row<Queues['deleteAnnotationQueues']>('POST', `${queues}/delete`),
  addItems: row<Queues['addQueueItems']>('POST', `${ofQueue}/items/add`),
  removeItems: row<Queues['removeQueueItems']>('POST', `${ofQueue}/items/delete`),
  locks: row<Queues['listQueueLocks']>('GET', `${queues}/{queueId}/locks`),
  lock: row<Queues['lockQueueItem']>('PUT', ofLock),
  release: row<Queues['releaseQueueItem']>('DELETE', ofLock),
  /** Scores of traces of a queue, all or none. */
  score: row<(typeof traceOperations)['scoreTraces']>('PUT', '/v1/private/traces/feedback-scores'),
} as const;

export const definitionsServer = {
  list: row<Definitions['listFeedbackDefinitions']>('GET', definitions),
  create: row<Definitions['createFeedbackDefinition']>('POST', definitions),
  remove: row<Definitions['deleteFeedbackDefinitions']>('POST', `${definitions}/delete`),
} as const;

const rules = '/v1/private/automations/evaluators';
const manual = '/v1/private/manual-evaluation';
export const rulesServer = {
  list: row<Rules['listAutomationRules']>('GET', rules),
  show: row<Rules['showAutomationRule']>('GET', `${rules}/{id}`),
  create: row<Rules['createAutomationRule']>('POST', rules),
  update: row<Rules['updateAutomationRule']>('PATCH', `${rules}/{id}`),
  remove: row<Rules['deleteAutomationRules']>('POST', `${rules}/delete`),
  logs: row<Rules['listAutomationRuleLogs']>('GET', `${rules}/{id}/logs`),
  preview: row<Rules['previewAutomationRule']>('POST', `${rules}/preview`),
  evaluate: {
    trace: row<Rules['evaluateTraces']>('POST', `${manual}/traces`),
    span: row<Rules['evaluateSpans']>('POST', `${manual}/spans`),
    thread: row<Rules['evaluateThreads']>('POST', `${manual}/threads`),
  },
  spans: row<(typeof spanOperations)['pageSpans']>('GET', '/v1/private/spans'),
  toggles: row<(typeof workspaceConfigurationOperations)['showServiceToggles']>(
    'GET',
    '/v1/private/toggles',
  ),
} as const;

const alerts = '/v1/private/alerts';
export const alertsServer = {
  list: row<Alerts['listAlerts']>('GET', alerts),
  listOfProject: row<Alerts['listProjectAlerts']>('GET', '/v1/private/projects/{projectId}/alerts'),
  show: row<Alerts['showAlert']>('GET', `${alerts}/{id}`),
  create: row<Alerts['createAlert']>('POST', alerts),
  update: row<Alerts['updateAlert']>('PUT', `${alerts}/{id}`),
  remove: row<Alerts['deleteAlerts']>('POST', `${alerts}/delete`),
  examples: row<Alerts['listAlertExamples']>('GET', `${alerts}/webhooks/examples`),
  test: row<Alerts['testAlert']>('POST', `${alerts}/webhooks/tests`),
  firings: row<Alerts['listAlertFirings']>('GET', `${alerts}/{id}/firings`),
  /** What was made of traces in a span of time, and in the one before it. */
  cards: row<(typeof projectMetricOperations)['showProjectCards']>(
    'POST',
    '/v1/private/projects/{id}/kpi-cards',
  ),
  threadStatistics: row<(typeof threadOperations)['threadStatistics']>(
    'GET',
    '/v1/private/traces/threads/stats',
  ),
} as const;

export type ShownAlert = Awaited<ReturnType<typeof alertsServer.show>>;
export type Rule = Awaited<ReturnType<typeof rulesServer.show>>;
export type RulePreview = Awaited<ReturnType<typeof rulesServer.preview>>;
export type Queue = Awaited<ReturnType<typeof queuesServer.show>>;
export type ShownDefinition = Awaited<ReturnType<typeof definitionsServer.list>>['content'][number];
