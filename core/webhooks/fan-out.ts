// Semaphore an event of the registry into deliveries: one for each webhook and channel that asks for it, and mail to the people whom it waits for.
import type { DomainEvent } from '#ports/events';
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Channel } from '#ports/model/channels';
import type { Notifiers } from '#ports/notify';
import type { Sealer } from '#ports/sealer';
import type { StorageOf, Stores } from '#ports/storage/storage';
import type { Toggles } from '#ports/toggles';
import { sealTarget } from './calling.js';
import { mentionOf, payloadOf, type Content } from './payload.js';
import { chooseTrigger } from './rules.js';

export interface FanningNeeds {
  readonly storage: StorageOf<
    'approvals' | 'channels' | 'deliveries' | 'members' | 'users' | 'workspaces'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly notifiers: Notifiers;
  readonly toggles: Pick<Toggles, 'isOn'>;
  /** How the outside reaches the server, for links in what people are told. */
  readonly baseUrl: string;
}

interface Recipient {
  readonly channel: Channel;
  readonly content: Content;
  readonly subjectId: string;
}

const enqueue = (
  { deliveries }: Pick<Stores, 'deliveries'>,
  { ids, clock }: FanningNeeds,
  recipients: readonly Recipient[],
): Promise<number> =>
  deliveries.enqueue(
    recipients.map(({ channel, content, subjectId }) => ({
      id: ids.next(),
      channelId: channel.id,
      workspaceId: channel.workspaceId,
      subjectId,
      eventId: content.eventId,
      trigger: content.eventType,
      content: JSON.stringify(content),
      createdAt: clock.now(),
    })),
  );

/** The mailbox of a person in a workspace, made when it is first written to. It is not in a transaction, since another process may make it meanwhile. */
const mailboxOf = async (
  needs: FanningNeeds,
  workspaceId: string,
  userId: string,
): Promise<Channel | undefined> => {
  const {
    stores: { channels },
  } = needs.storage;
  const place = `person ${workspaceId} ${userId}`;
  const found = await channels.findByPlace(place);
  if (found !== undefined) return found;
  const [id, now] = [needs.ids.next(), needs.clock.now()];
  try {
    await channels.insert({
      id,
      workspaceId,
      modelId: undefined,
      use: 'person',
      kind: 'email',
      userId,
      place,
      name: undefined,
      triggers: undefined,
      form: undefined,
      formOptions: undefined,
      sealed: sealTarget(needs, id, { address: '', headers: {} }),
      enabled: true,
      failures: 0,
      fault: undefined,
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    });
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'conflict') throw thrown;
  }
  return channels.findByPlace(place);
};

/** Mailboxes of those who have one. */
const mailboxes = async (
  needs: FanningNeeds,
  workspaceId: string,
  userIds: readonly string[],
): Promise<readonly Channel[]> => {
  const found: Channel[] = [];
  if (needs.notifiers.find('email') === undefined) return found;
  for (const userId of new Set(userIds)) {
    if ((await needs.storage.stores.users.findUser({ id: userId }))?.email === undefined) continue;
    const mailbox = await mailboxOf(needs, workspaceId, userId);
    if (mailbox?.enabled === true) found.push(mailbox);
  }
  return found;
};

const administratorsOf = async (
  { storage }: FanningNeeds,
  workspaceId: string,
): Promise<readonly string[]> =>
  (await storage.stores.members.listMembers(workspaceId))
    .filter(({ role }) => role === 'admin')
    .map(({ userId }) => userId);

/** Who waits for this: those who decide, of a request; who filed it, of a decision. */
const waitingFor = async (
  needs: FanningNeeds,
  { name, detail }: DomainEvent,
  workspaceId: string,
): Promise<readonly string[]> => {
  if (
    !['registry.status-requested', 'registry.status-approved', 'registry.status-rejected'].includes(
      name,
    )
  )
    return [];
  const request = await needs.storage.stores.approvals.findRequest(String(detail['requestId']));
  if (name !== 'registry.status-requested') return request === undefined ? [] : [request.userId];
  return (await administratorsOf(needs, workspaceId)).filter(
    (userId) => userId !== request?.userId,
  );
};

/** An event of a model, with what `core/registry/telling` says in each. */
interface Happened {
  readonly event: DomainEvent;
  readonly workspaceId: string;
  readonly modelId: string;
  readonly triggers: readonly string[];
}
const happenedIn = (event: DomainEvent): Happened => ({
  event,
  workspaceId: String(event.detail['workspaceId']),
  modelId: String(event.detail['registryModelId']),
  triggers: event.detail['triggers'] as readonly string[],
});

/** Webhooks and channels that may be told of these, read once for each workspace. */
const readRecipients = async (
  { storage }: FanningNeeds,
  happened: readonly Happened[],
): Promise<readonly Channel[]> => {
  const models = new Map<string, Set<string>>();
  for (const { workspaceId, modelId } of happened)
    models.set(workspaceId, (models.get(workspaceId) ?? new Set()).add(modelId));
  const recipients: Channel[] = [];
  for (const [workspaceId, modelIds] of models)
    recipients.push(...(await storage.stores.channels.listRecipients(workspaceId, [...modelIds])));
  return recipients;
};

/** Whom an event is told. */
const recipientsOf = async (
  needs: FanningNeeds,
  channels: readonly Channel[],
  { event, workspaceId, modelId, triggers }: Happened,
): Promise<readonly Recipient[]> => {
  const asked = channels.flatMap((channel): readonly Recipient[] => {
    if (
      channel.workspaceId !== workspaceId ||
      (channel.modelId !== undefined && channel.modelId !== modelId)
    )
      return [];
    // What happened before a channel was made does not concern it, however late it is looked at.
    const silent =
      channel.createdAt > event.at ||
      (channel.use === 'webhook' && !needs.toggles.isOn('registry-webhooks'));
    const trigger = silent ? undefined : chooseTrigger(channel.triggers, triggers);
    return trigger === undefined
      ? []
      : [{ channel, content: payloadOf(event, trigger), subjectId: modelId }];
  });
  const people = await mailboxes(needs, workspaceId, await waitingFor(needs, event, workspaceId));
  return [
    ...asked,
    ...people.map((channel): Recipient => ({
      channel,
      content: payloadOf(event, triggers[0] ?? event.name),
      subjectId: modelId,
    })),
  ];
};

/** Mailboxes of those who were named in a comment. */
const mentionedIn = async (
  needs: FanningNeeds,
  event: DomainEvent,
): Promise<readonly Recipient[]> => {
  const workspaceId = String(event.detail['workspaceId']);
  const ids = event.detail['mentionedIds'];
  const people = await mailboxes(needs, workspaceId, Array.isArray(ids) ? ids.map(String) : []);
  const content = mentionOf(event, needs.baseUrl);
  return people.map((channel) => ({ channel, content, subjectId: workspaceId }));
};

/** Makes the deliveries of events, all of them or none; may be repeated for the same events. */
export const fanOut =
  (needs: FanningNeeds) =>
  async (events: readonly DomainEvent[]): Promise<void> => {
    const happened = events.filter(({ name }) => name.startsWith('registry.')).map(happenedIn);
    const channels = await readRecipients(needs, happened);
    const recipients: Recipient[] = [];
    for (const one of happened) recipients.push(...(await recipientsOf(needs, channels, one)));
    for (const event of events)
      if (event.name === 'comments.mentioned')
        recipients.push(...(await mentionedIn(needs, event)));
    const ended = happened.filter(({ event }) => event.name === 'registry.model-deleted');
    if (recipients.length === 0 && ended.length === 0) return;
    await needs.storage.transaction(async (stores) => {
      await enqueue(stores, needs, recipients);
      for (const { modelId } of ended) await stores.channels.endModel(modelId);
    });
  };

/** Tells who made a webhook, or else who administers the workspace, that it was switched off. */
export const tellSwitchedOff = async (
  needs: FanningNeeds,
  channel: Channel,
  target: string,
  fault: string,
): Promise<void> => {
  const maker = await mailboxes(needs, channel.workspaceId, [channel.createdBy]);
  const people =
    maker.length > 0
      ? maker
      : await mailboxes(
          needs,
          channel.workspaceId,
          await administratorsOf(needs, channel.workspaceId),
        );
  const workspace = await needs.storage.stores.workspaces.findById(channel.workspaceId);
  const content: Content = {
    eventId: needs.ids.next(),
    eventType: 'WEBHOOK_DISABLED',
    timestamp: needs.clock.now(),
    workspaceName: workspace?.name ?? '',
    target,
    fault,
  };
  await needs.storage.transaction((stores) =>
    enqueue(
      stores,
      needs,
      people.map((mailbox) => ({ channel: mailbox, content, subjectId: channel.workspaceId })),
    ),
  );
};
