import type { DomainEvent } from '../events.js';
import { once, reads, type Methods } from './methods.js';

export interface NewEvent {
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly at: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** How far a receiver has come with a subject. */
export interface Cursor {
  /** Number of the last event that was delivered; 0 before the first. */
  readonly delivered: number;
  readonly attempts: number;
  /** When to try again; `undefined` when it may be tried now. */
  readonly retryAt: number | undefined;
  readonly parked: boolean;
}

/** Whose cursor it is, and of what. */
export interface StandingCursor extends Cursor {
  readonly receiver: string;
  readonly subject: string;
}

/** What came of a subject while it was held. */
export interface Settled {
  readonly subject: string;
  /** How far receivers have come, by name; of one that is left out nothing changed. */
  readonly cursors: ReadonlyMap<string, Cursor>;
  /** The number up to and with which every receiver has its events; 0 for none. */
  readonly through: number;
  /** When to look at it again; `undefined` when everything of it is delivered. */
  readonly dueAt: number | undefined;
}

export interface EventStore {
  /** Adds an event to the outbox; within a transaction it stands and falls with it. Its number is the next of its subject. */
  append(event: NewEvent): Promise<void>;
  /** Subjects with undelivered events that nobody works on and whose next attempt is due at `now`, oldest first. */
  listDue(now: number, limit: number): Promise<readonly string[]>;
  /** Takes subjects for `ms` on the database's clock, and answers which; one of several takers gets each. */
  claim(subjects: readonly string[], holder: string, ms: number): Promise<readonly string[]>;
  /** Notes how far receivers have come, removes the events that all of them have, and the cursors with the last one, and gives the subjects back; all of it or nothing. What the holder has lost meanwhile is left alone. */
  recordAttempts(holder: string, settled: readonly Settled[]): Promise<void>;
  /** Events of a subject after a number, in order. */
  listAfter(subject: string, number: number, limit: number): Promise<readonly DomainEvent[]>;
  /** The first events of each of some subjects, up to a limit for each, in the order of each. */
  listFirst(subjects: readonly string[], each: number): Promise<readonly DomainEvent[]>;
  /** How far receivers have come with these subjects; those that stand before the first event may be left out. */
  listCursors(subjects: readonly string[]): Promise<readonly StandingCursor[]>;
  /** Lets parked deliveries of a receiver be tried again. Answers how many. */
  resumeParked(receiver: string): Promise<number>;
  counts(): Promise<{ readonly events: number; readonly parked: number }>;
}

export const eventMethods: Methods<EventStore> = {
  append: once,
  listDue: reads,
  claim: once,
  recordAttempts: once,
  listAfter: reads,
  listFirst: reads,
  listCursors: reads,
  resumeParked: once,
  counts: reads,
};
