import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

/** In which form an alert's webhook is told. */
export const alertTypes = ['general', 'slack', 'pagerduty'] as const;
export type AlertType = (typeof alertTypes)[number];

export const alertEventTypes = [
  'trace:errors',
  'trace:feedback_score',
  'trace_thread:feedback_score',
  'trace:cost',
  'trace:latency',
  'trace:guardrails_triggered',
  'prompt:created',
  'prompt:committed',
  'prompt:deleted',
  'experiment:finished',
] as const;
export type AlertEventType = (typeof alertEventTypes)[number];

export const triggerConfigTypes = [
  'scope:project',
  'threshold:feedback_score',
  'threshold:cost',
  'threshold:latency',
  'threshold:errors',
  'filter:guardrail_type',
] as const;
export type TriggerConfigType = (typeof triggerConfigTypes)[number];

/** Narrows what a trigger is about. */
export interface TriggerConfig {
  readonly id: string;
  readonly type: TriggerConfigType;
  readonly value: Readonly<Record<string, string>>;
  /** All configs of a group must hold, and one of the groups; one without is a group of its own. */
  readonly group?: number;
}

/** What an alert is about. */
export interface AlertTrigger {
  readonly id: string;
  readonly eventType: AlertEventType;
  readonly configs: readonly TriggerConfig[];
}

/** Where an alert is sent to. */
export interface AlertWebhook {
  readonly id: string;
  readonly url: string;
  /** What is sent as a bearer token, sealed. */
  readonly sealedToken: string | undefined;
  /** What is shown in its place. */
  readonly maskedToken: string | undefined;
  /** Values by the names of headers, each sealed. */
  readonly sealedHeaders: Readonly<Record<string, string>> | undefined;
}

/** Tells a webhook of what happens in a workspace or in a project of it. */
export interface Alert extends Authorship {
  readonly workspaceId: string;
  /** May be made by the client; another workspace may have the same one. */
  readonly id: string;
  /** `undefined` for one that is the workspace's. */
  readonly projectId: string | undefined;
  readonly name: string;
  readonly enabled: boolean;
  readonly type: AlertType;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly webhook: AlertWebhook;
  /** At most one of an event type. */
  readonly triggers: readonly AlertTrigger[];
}
export const alert = kind<Alert>()('alert');
