import type { DomainEvent } from '../events.js';

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

export interface EventStore {
  /** Adds an event to the outbox; within a transaction it stands and falls with it. Its number is the next of its subject. */
  append(event: NewEvent): Promise<void>;
  /** Subjects with undelivered events that nobody works on and whose next attempt is due at `now`, oldest first. */
  listDue(now: number, limit: number): Promise<readonly string[]>;
  /** Takes a subject for `ms` on the database's clock; one of several takers gets it. */
  claim(subject: string, holder: string, ms: number): Promise<boolean>;
  /** Gives a subject back, to be looked at again at `dueAt`; `undefined` when everything of it is delivered. */
  release(subject: string, holder: string, dueAt: number | undefined): Promise<void>;
  /** Events of a subject after a number, in order. */
  listAfter(subject: string, number: number, limit: number): Promise<readonly DomainEvent[]>;
  readCursor(receiver: string, subject: string): Promise<Cursor>;
  writeCursor(receiver: string, subject: string, cursor: Cursor): Promise<void>;
  /** Removes events of a subject up to and with a number, and the cursors when none is left. */
  removeThrough(subject: string, number: number): Promise<void>;
  /** Lets parked deliveries of a receiver be tried again. Answers how many. */
  resumeParked(receiver: string): Promise<number>;
  counts(): Promise<{ readonly events: number; readonly parked: number }>;
}
