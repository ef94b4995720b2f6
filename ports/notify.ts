import type { OutgoingReply } from './outgoing.js';
import { port } from './port.js';

/** Something that people or machines are told. */
export interface Message {
  /** The same however often it is sent. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly title: string;
  readonly text?: string;
  /** In the order in which they are shown. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly links: readonly { readonly label: string; readonly address: string }[];
  readonly level?: 'info' | 'warning' | 'critical';
  readonly workspace?: string;
  readonly model?: string;
  /** What it belongs to, and which of its messages it is, from 1 on: later ones are answers to the first. `isOver` stands in the last one. */
  readonly incident?: { readonly id: string; readonly place: number; readonly isOver?: boolean };
  /** What machines get: JSON text. */
  readonly record: string;
}

/** Where to, with all that the receiver asks for. */
export interface NotifyTarget {
  /** An address of the web, or of a mailbox. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that `headers` may replace. */
  readonly formHeaders?: Readonly<Record<string, string>>;
  readonly secret?: string;
  /** What the secret is for: to sign what is sent, or to be sent as `Authorization`. */
  readonly secretAs?: 'signature' | 'authorization';
}

/** Tells one kind of receiver. */
export interface Notifier {
  readonly kind: string;
  /** Refuses with `invalid`, in a sentence, a target that it can never reach. */
  check(target: Pick<NotifyTarget, 'address'>): void;
  /** Tells it once. Does not reject: what went wrong is in the reply, with whether another attempt may go better. */
  send(message: Message, target: NotifyTarget, signal: AbortSignal): Promise<OutgoingReply>;
}

/** Every notifier there is, by its kind. */
export interface Notifiers {
  find(kind: string): Notifier | undefined;
  kinds(): readonly string[];
}
export const Notifiers = port<Notifiers>('notifiers');
