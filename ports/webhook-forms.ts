// How a plugin gives what webhooks send another form, for receivers that take no other.
import { port } from './port.js';

/** What a webhook sends of a change in the registry: the same members whatever happened, null where one says nothing of it. */
export interface WebhookPayload {
  /** The same on every retry. */
  readonly eventId: string;
  readonly eventType: string;
  readonly timestamp: number;
  readonly test: boolean;
  readonly workspaceName: string;
  readonly registryModelName: string | null;
  readonly registryModelId: string | null;
  readonly registryModelItemId: string | null;
  readonly version: string | null;
  readonly stages: readonly string[];
  readonly addedStages: readonly string[];
  readonly removedStages: readonly string[];
  readonly tags: readonly string[];
  readonly status: string | null;
  readonly previousStatus: string | null;
  readonly previousValue: unknown;
  readonly newValue: unknown;
  readonly comment: string | null;
  readonly userName: string | null;
  readonly experimentKey: string | null;
  readonly experimentUrl: string | null;
  readonly modelUrl: string | null;
  readonly restApiUrl: string | null;
  readonly downloadUrl: string | null;
  /** How many files the version has. */
  readonly assets: number | null;
}

/** A webhook as a form sees it: nothing secret. */
export interface FormedWebhook {
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface WebhookForm {
  /** By which webhooks ask for it. */
  readonly name: string;
  /** Refuses with `invalid`, in a sentence, a webhook that the form does not fit: when it is saved, and before it is called. */
  check(webhook: FormedWebhook): void;
  /** What is sent in place of the payload; the webhook's own headers win over these. Rejects with `invalid` what the receiver would refuse. */
  write(
    payload: WebhookPayload,
    webhook: FormedWebhook,
  ): { readonly body: string; readonly headers: Readonly<Record<string, string>> };
  /** Whether a refusal with this status is worth another attempt, where the general rule says that it is not. */
  retries?(status: number, retryAfter: number | undefined): boolean;
}

/** The forms that plugins bring. */
export interface WebhookForms {
  find(name: string): WebhookForm | undefined;
}
export const WebhookForms = port<WebhookForms>('webhook-forms');
