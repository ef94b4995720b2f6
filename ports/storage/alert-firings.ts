import type { AlertEvent, AlertFiring, AlertFiringState } from '../model/alerts.js';
import type { AlertEventType } from '../model/alerts.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Events of one type that wait to be told of by one alert. */
export interface AlertBucket {
  readonly workspaceId: string;
  readonly alertId: string;
  readonly eventType: AlertEventType;
}

/** Keeps a trigger from firing twice within a period. */
export interface FiringPeriod {
  /** Counts periods: one trigger fires once in each. */
  readonly number: number;
  /** Neither does it where it has fired after this, in ms since the epoch. */
  readonly since: number;
}

/** What came of an attempt to deliver. */
export interface FiringOutcome {
  readonly state: AlertFiringState;
  /** When to try again; `undefined` once nothing more is sent, from when on the notice is forgotten. */
  readonly retryAt: number | undefined;
  readonly attempts: number;
  /** What was answered last. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** What alerts have to tell, and what became of it. Times are ms since the epoch. */
export interface AlertFiringStore {
  /** Notes events for alerts; within a transaction they stand and fall with it. */
  record(events: readonly AlertEvent[]): Promise<void>;
  /** Buckets of which the first event is ripe, as many as are asked for. */
  listRipe(now: number, limit: number): Promise<readonly AlertBucket[]>;
  /** Takes the oldest events of a bucket and stores what is made of them; of several takers one gets each event. Says how many were taken. */
  take(
    bucket: AlertBucket,
    limit: number,
    make: (events: readonly AlertEvent[]) => AlertFiring | undefined,
  ): Promise<number>;
  /** Stores a firing, unless its trigger has fired in the period. Says whether it did. */
  insert(firing: AlertFiring, period: FiringPeriod): Promise<boolean>;
  /** Workspaces that have something to send, those first that wait longest. */
  listDueWorkspaces(now: number, limit: number): Promise<readonly string[]>;
  /** What a workspace has to send, the oldest first. */
  listDue(workspaceId: string, now: number, limit: number): Promise<readonly AlertFiring[]>;
  /** Puts the next attempt off, so that nobody else sends it meanwhile; one of several takers succeeds. */
  claim(firing: AlertFiring, until: number): Promise<boolean>;
  settle(
    firing: Pick<AlertFiring, 'workspaceId' | 'alertId' | 'id'>,
    outcome: FiringOutcome,
  ): Promise<void>;
  /** Firings of an alert, the newest first. */
  list(
    alert: { readonly workspaceId: string; readonly id: string },
    part: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly content: readonly AlertFiring[] }>;
  /** Removes firings from before a moment, as many as are asked for. Answers how many. */
  forget(before: number, limit: number): Promise<number>;
}

export const alertFiringMethods: Methods<AlertFiringStore> = {
  record: once,
  listRipe: reads,
  take: once,
  insert: once,
  listDueWorkspaces: reads,
  listDue: reads,
  claim: once,
  settle: sets,
  list: reads,
  forget: once,
};
