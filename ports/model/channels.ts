import { kind } from '../api/kind.js';

/** What a channel was made for: a webhook of the registry, a room or mailbox that a workspace named, or the mailbox of one person. */
export const channelUses = ['webhook', 'channel', 'person'] as const;
export type ChannelUse = (typeof channelUses)[number];

/** Where what happens in a workspace is told. */
export interface Channel {
  readonly id: string;
  readonly workspaceId: string;
  /** The registered model whose changes it is told; `undefined` is every model of the workspace. */
  readonly modelId: string | undefined;
  readonly use: ChannelUse;
  /** The notifier that delivers: `http`, `email`, `slack`, `teams`, `pagerduty`, or one that a plugin brings. */
  readonly kind: string;
  /** Whose mailbox it is, where it was made for a person; their address is read when it is written to. */
  readonly userId: string | undefined;
  readonly name: string | undefined;
  /** What it is told of; `undefined` is the usual. */
  readonly triggers: readonly string[] | undefined;
  /** Name of the form that a plugin gives to what is sent; kept also where there is no such form. */
  readonly form: string | undefined;
  /** What the form is told, as JSON. */
  readonly formOptions: string | undefined;
  /** Address, headers and secret, sealed. */
  readonly sealed: string;
  readonly enabled: boolean;
  /** Deliveries given up since the last one that arrived. */
  readonly failures: number;
  /** Why it was switched off, in a sentence. */
  readonly fault: string | undefined;
  /** Id of the user who made it. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
/** A channel that a workspace named; not a webhook. */
export const channel = kind<Channel>()('channel');

export const deliveryStates = ['WAITING', 'DELIVERED', 'FAILED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Something told to one channel, and how that went. */
export interface Delivery {
  readonly id: string;
  readonly channelId: string;
  readonly workspaceId: string;
  /** The model, or the workspace, within which deliveries keep their order. */
  readonly subjectId: string;
  /** Place in the order of its channel and subject. */
  readonly number: number;
  readonly eventId: string;
  readonly trigger: string;
  /** What is told, as JSON. */
  readonly content: string;
  readonly createdAt: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When the last attempt began. */
  readonly triedAt: number | undefined;
  /** When a waiting one is tried again. */
  readonly retryAt: number | undefined;
  readonly status: number | undefined;
  readonly durationMs: number | undefined;
  /** The beginning of the receiver's reply, at most 2 KiB. */
  readonly reply: string | undefined;
  readonly error: string | undefined;
  /** The delivery that this one repeats. */
  readonly repeats: string | undefined;
}
export const delivery = kind<Delivery>()('delivery');
