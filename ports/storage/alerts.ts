import type { FieldFilter, FieldOrder } from '../field-query.js';
import type { Alert } from '../model/alerts.js';
import { once, reads, sets, type Methods } from './methods.js';

/** What alerts are sorted by. */
export const alertOrders = [
  'id',
  'name',
  'created_at',
  'last_updated_at',
  'created_by',
  'last_updated_by',
  'webhook_url',
] as const;

export interface AlertListing {
  readonly workspaceId: string;
  readonly projectId?: string;
  /** By the fields of `alertOrders` (texts; `created_at` and `last_updated_at` instants) and `alert_type` (words). */
  readonly filters: readonly FieldFilter[];
  /** By fields of `alertOrders`; between equals, and without any, the greatest id first. */
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

/** Most alerts of a workspace; one more is refused with `conflict`. */
export const mostAlerts = 1000;

/** Alerts of workspaces. What is secret in them comes sealed. Those of a deleted project are not found. */
export interface AlertStore {
  /** Rejects with `conflict` when the workspace has one of that id, or has too many. */
  insert(alert: Alert): Promise<void>;
  find(workspaceId: string, id: string): Promise<Alert | undefined>;
  /** Those that are there, in the order of their ids. */
  findMany(workspaceId: string, ids: readonly string[]): Promise<readonly Alert[]>;
  /** Rejects with `invalid` where they are too much for one reply. */
  list(
    listing: AlertListing,
  ): Promise<{ readonly total: number; readonly content: readonly Alert[] }>;
  /** Replaces all of it but who made it and when, by what is decided from how it is; nobody changes it in between. Says whether it was there. */
  replace(workspaceId: string, id: string, decide: (stored: Alert) => Alert): Promise<boolean>;
  /** Those of the workspace that are enabled, at most `mostAlerts`. */
  listEnabled(workspaceId: string): Promise<readonly Alert[]>;
  /** Workspaces that have an enabled alert, after one, in the order of their ids. */
  listWorkspaces(afterId: string | undefined, limit: number): Promise<readonly string[]>;
  /** With what they have told. Those that are not there are passed over. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const alertMethods: Methods<AlertStore> = {
  insert: once,
  find: reads,
  findMany: reads,
  list: reads,
  replace: sets,
  listEnabled: reads,
  listWorkspaces: reads,
  remove: sets,
};
