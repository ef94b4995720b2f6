// How a plugin tells people and machines of something, through the channels that a workspace has: with their order, their attempts and their log.
import type { DeliveryState } from './model/channels.js';
import type { Message } from './notify.js';
import { port } from './port.js';

/** A channel as a plugin sees it: nothing of where it leads to. */
export interface AnnouncedChannel {
  readonly id: string;
  /** The notifier that delivers: `http`, `email`, `slack`, `teams`, `pagerduty`, or one that a plugin brings. */
  readonly kind: string;
  readonly name: string;
  /** Nothing is delivered to one that is switched off until it is switched on again. */
  readonly enabled: boolean;
}

/** Something to tell. `id` is the same however often it is announced, and `record` is what machines get: JSON text. */
export interface Announcement extends Omit<Message, 'workspace'> {
  readonly workspaceId: string;
  /** What it is about: of one subject, a channel is told in the order in which it was announced. A text of at most 36 characters. */
  readonly subject: string;
}

/** What became of an announcement in one channel. */
export interface AnnouncedDelivery {
  /** Of the announcement. */
  readonly id: string;
  /** The incident that it belonged to, where it did to one. */
  readonly incident: string | undefined;
  readonly channelId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly error: string | undefined;
}

export interface Announcements {
  /** What a workspace is called now; `undefined` for one that is gone. */
  workspaceName(workspaceId: string): Promise<string | undefined>;
  /** The channels that a workspace named, in the order in which they were made. */
  channels(workspaceId: string): Promise<readonly AnnouncedChannel[]>;
  /**
   * Has these channels told, each once for one id however often it is called, also at once. Channels that are gone, or are of another workspace, are
   * left out. Resolves when it is stored; delivering goes on from there, and outlives a restart.
   */
  announce(announcement: Announcement, channelIds: readonly string[]): Promise<void>;
  /** The newest deliveries about a subject, at most `limit`, the newest first; they are kept for 30 days. */
  deliveries(
    workspaceId: string,
    subject: string,
    limit: number,
  ): Promise<readonly AnnouncedDelivery[]>;
}
export const Announcements = port<Announcements>('announcements');
