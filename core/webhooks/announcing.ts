// What plugins announce becomes deliveries to channels of a workspace, in the same queues as changes in the registry.
import type { Announcements } from '#ports/announcements';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { StorageOf } from '#ports/storage/storage';
import type { AnnouncementNotice } from './payload.js';

export interface AnnouncingNeeds {
  readonly storage: StorageOf<'channels' | 'deliveries' | 'workspaces'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export const createAnnouncements = ({ storage, clock, ids }: AnnouncingNeeds): Announcements => {
  const { channels, deliveries, workspaces } = storage.stores;
  return {
    workspaceName: async (id) => (await workspaces.findById(id))?.name,
    async channels(workspaceId) {
      return (await channels.list({ workspaceId, use: 'channel' })).map(
        ({ id, kind, name = '', enabled }) => ({ id, kind, name, enabled }),
      );
    },
    async announce({ workspaceId, subject, ...message }, channelIds) {
      const named = (await channels.list({ workspaceId, use: 'channel' })).filter(({ id }) =>
        channelIds.includes(id),
      );
      const workspace = await workspaces.findById(workspaceId);
      if (named.length === 0 || workspace === undefined) return;
      const content: AnnouncementNotice = {
        eventId: message.id,
        eventType: 'ANNOUNCEMENT',
        timestamp: message.at,
        workspaceName: workspace.name,
        message,
      };
      const enqueue = () =>
        deliveries.enqueue(
          named.map((channel) => ({
            id: ids.next(),
            channelId: channel.id,
            workspaceId,
            subjectId: subject,
            eventId: message.id,
            trigger: content.eventType,
            content: JSON.stringify(content),
            createdAt: clock.now(),
          })),
        );
      // Where two announce the same at once, one of them is refused; it then finds what the other has stored.
      await enqueue().catch(enqueue);
    },
    async deliveries(workspaceId, subject, limit) {
      const found = await deliveries.search({ workspaceId, subjectId: subject, offset: 0, limit });
      return found.deliveries
        .filter(({ trigger }) => trigger === 'ANNOUNCEMENT')
        .map(({ eventId, channelId, state, attempts, error, content }) => {
          const { message } = JSON.parse(content) as AnnouncementNotice; // written by `announce`
          return { id: eventId, incident: message.incident?.id, channelId, state, attempts, error };
        });
    },
  };
};
