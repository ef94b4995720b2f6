/** Something that happened, told after it was stored. */
export interface DomainEvent {
  /** Stable over repeated deliveries. */
  readonly id: string;
  /** What it happened to, area first: `experiment:<id>`. */
  readonly subject: string;
  /** Place among the events of its subject, from 1 on, without gaps. */
  readonly number: number;
  /** Area and past tense: `experiment.created`. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * What to do about events, by name; `*` is every event. Called at least once for each, in the order of their numbers for one subject, never
 * within the request that caused them. One that rejects is called again with growing pauses and parked in the end; it holds back only its
 * own later events of that subject.
 */
export type Subscribers = Readonly<Record<string, (event: DomainEvent) => Promise<void>>>;
