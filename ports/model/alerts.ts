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

/** Something that happened, which one alert is to tell of. */
export interface AlertEvent {
  readonly workspaceId: string;
  readonly alertId: string;
  readonly eventType: AlertEventType;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** When it is told of, unless an earlier one of the same alert and type is told of before. */
  readonly ripeAt: number;
  readonly userName: string;
  /** What it is about, as JSON text: one record, or several. */
  readonly record: string;
}

/** `dropped`: its alert was disabled or deleted before anything was sent. */
export const alertFiringStates = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type AlertFiringState = (typeof alertFiringStates)[number];

/** An alert that had something to tell, and what became of it. */
export interface AlertFiring {
  readonly workspaceId: string;
  readonly alertId: string;
  /** The same in every attempt. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly eventType: AlertEventType;
  readonly eventCount: number;
  /** What was measured and against what, for a metric. */
  readonly value: string | undefined;
  readonly threshold: string | undefined;
  /** What is told, as JSON text; `undefined` once nothing more is sent. */
  readonly notice: string | undefined;
  readonly state: AlertFiringState;
  readonly attempts: number;
  /** When it is sent; `undefined` once nothing more is. */
  readonly retryAt: number | undefined;
  /** What was answered last. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}
