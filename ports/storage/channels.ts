import type { Channel, ChannelUse } from '../model/channels.js';
import { once, reads, sets, type Methods } from './methods.js';

/** A channel with its place: no two channels have the same. */
export interface NewChannel extends Channel {
  /** Any text; what makes a channel the same as another, its address among it. Only its hash is kept. */
  readonly place: string;
}

export interface ChannelChange {
  readonly place?: string;
  readonly name?: string | undefined;
  readonly triggers?: readonly string[] | undefined;
  readonly form?: string | undefined;
  readonly formOptions?: string | undefined;
  readonly sealed?: string;
  readonly enabled?: boolean;
  readonly failures?: number;
  readonly fault?: string | undefined;
  readonly updatedAt: number;
}

export interface ChannelStore {
  /** Rejects with `conflict` when the place is taken. */
  insert(channel: NewChannel): Promise<void>;
  /** Changes what is named, `undefined` clearing it. Says whether there is such a channel; rejects with `conflict` when the place is taken. */
  update(id: string, change: ChannelChange): Promise<boolean>;
  find(id: string): Promise<Channel | undefined>;
  /** Inside a transaction: the same, keeping everybody else from changing it until it ends. */
  lock(id: string): Promise<Channel | undefined>;
  /** Those of these that there are, in any order. */
  findAll(ids: readonly string[]): Promise<readonly Channel[]>;
  findByPlace(place: string): Promise<Channel | undefined>;
  /** Channels of a workspace made for one use, in the order they were made; of one model with `modelId`, of every model with null. */
  list(of: {
    readonly workspaceId: string;
    readonly use: ChannelUse;
    readonly modelId?: string | null;
  }): Promise<readonly Channel[]>;
  /** Webhooks and channels of a workspace that are switched on and are told of any of these models, in the order they were made. */
  listRecipients(workspaceId: string, modelIds: readonly string[]): Promise<readonly Channel[]>;
  /** Notes a delivery that was given up. Answers how many were, one after the other. */
  noteFailure(id: string): Promise<number>;
  /** Channels of a model that is gone: they are listed no more, and go once nothing waits for them. */
  endModel(modelId: string): Promise<void>;
  /** Takes a channel away, and with it what waits and the log of it; says whether there was one. */
  remove(id: string): Promise<boolean>;
}

export const channelMethods: Methods<ChannelStore> = {
  insert: once,
  update: once,
  find: reads,
  lock: once,
  findAll: reads,
  findByPlace: reads,
  list: reads,
  listRecipients: reads,
  noteFailure: once,
  endModel: sets,
  remove: once,
};
