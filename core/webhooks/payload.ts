// What webhooks and people are told of a change in the registry. Pure.
import type { DomainEvent } from '#ports/events';
import type { Message } from '#ports/notify';
import type { WebhookPayload } from '#ports/webhook-forms';

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The same members whatever happened. */
export const payloadOf = (
  { id, at, detail }: Pick<DomainEvent, 'id' | 'at' | 'detail'>,
  trigger: string,
  test = false,
): WebhookPayload => ({
  eventId: id,
  eventType: trigger,
  timestamp: at,
  test,
  workspaceName: textOf(detail['workspaceName']) ?? '',
  registryModelName: textOf(detail['registryModelName']),
  registryModelId: textOf(detail['registryModelId']),
  registryModelItemId: textOf(detail['registryModelItemId']),
  version: textOf(detail['version']),
  stages: textsOf(detail['stages']),
  addedStages: textsOf(detail['addedStages']),
  removedStages: textsOf(detail['removedStages']),
  tags: textsOf(detail['tags']),
  status: textOf(detail['status']),
  previousStatus: textOf(detail['previousStatus']),
  previousValue: detail['previousValue'] ?? null,
  newValue: detail['newValue'] ?? null,
  comment: textOf(detail['comment']),
  userName: textOf(detail['userName']),
  experimentKey: textOf(detail['experimentKey']),
  experimentUrl: textOf(detail['experimentUrl']),
  modelUrl: textOf(detail['modelUrl']),
  restApiUrl: textOf(detail['restApiUrl']),
  downloadUrl: textOf(detail['downloadUrl']),
  assets: typeof detail['assets'] === 'number' ? detail['assets'] : null,
});

/** What a delivery holds that is no change in the registry. */
export interface Notice {
  readonly eventId: string;
  readonly eventType: 'WEBHOOK_DISABLED';
  readonly timestamp: number;
  readonly workspaceName: string;
  /** Whom it is about, without what is secret in the address. */
  readonly target: string;
  readonly fault: string;
}
/** What somebody is told who was named in a comment. */
export interface MentionNotice {
  readonly eventId: string;
  readonly eventType: 'COMMENT_MENTION';
  readonly timestamp: number;
  readonly workspaceName: string;
  readonly userName: string;
  readonly text: string;
  /** Where the run is seen that it is about; null for a version of a model. */
  readonly url: string | null;
}
/** What a plugin tells the channels of a workspace. */
export interface AnnouncementNotice {
  readonly eventId: string;
  readonly eventType: 'ANNOUNCEMENT';
  readonly timestamp: number;
  readonly workspaceName: string;
  readonly message: Omit<Message, 'workspace'>;
}
export type Content = WebhookPayload | Notice | MentionNotice | AnnouncementNotice;
const isAnnouncement = (content: Content): content is AnnouncementNotice =>
  content.eventType === 'ANNOUNCEMENT';
const isNotice = (content: Content): content is Notice => content.eventType === 'WEBHOOK_DISABLED';
const isMention = (content: Content): content is MentionNotice =>
  content.eventType === 'COMMENT_MENTION';

/** What machines are sent of what is stored of a delivery: of an announcement its own record, else all of it. */
export const bodyOf = (content: string): string => {
  if (!content.includes('"ANNOUNCEMENT"')) return content;
  const parsed = JSON.parse(content) as Content; // written where it was enqueued
  return isAnnouncement(parsed) ? parsed.message.record : content;
};

/** What a person is told of a comment in which they were named. */
export const mentionOf = (
  { id, at, detail }: Pick<DomainEvent, 'id' | 'at' | 'detail'>,
  baseUrl: string,
): MentionNotice => {
  const run = textOf(detail['experimentKey']);
  return {
    eventId: id,
    eventType: 'COMMENT_MENTION',
    timestamp: at,
    workspaceName: textOf(detail['workspaceName']) ?? '',
    userName: textOf(detail['userName']) ?? '',
    text: textOf(detail['text']) ?? '',
    url:
      run === null
        ? null
        : `${baseUrl}/api/experiment/redirect?experimentKey=${encodeURIComponent(run)}`,
  };
};

/** The status that was asked for, from what a request says of it. */
const wishedStatus = ({ newValue, status }: WebhookPayload): string =>
  textOf((newValue as { registryModelStatus?: unknown } | null)?.registryModelStatus) ??
  status ??
  '';

const titleOf = (payload: WebhookPayload): string => {
  const model = payload.registryModelName ?? '';
  const version = payload.version === null ? model : `${model} ${payload.version}`;
  const titles: Readonly<Record<string, string>> = {
    MODEL_VERSION_CREATED: `${version} was registered`,
    MODEL_VERSION_DELETED: `${version} was deleted`,
    MODEL_VERSION_TAG_CHANGED: `Tags of ${version} changed`,
    MODEL_VERSION_STAGE_CHANGED: `Stages of ${version} changed`,
    MODEL_VERSION_STATUS_CHANGED: `Status of ${version} changed to ${payload.status ?? ''}`,
    MODEL_VERSION_STATUS_REQUEST_CHANGE: `Status change to ${wishedStatus(payload)} asked for model ${version}`,
    MODEL_VERSION_STATUS_REQUEST_APPROVED: `Status change to ${wishedStatus(payload)} approved for model ${version}`,
    MODEL_VERSION_STATUS_REQUEST_REJECTED: `Status change to ${wishedStatus(payload)} refused for model ${version}`,
    MODEL_UPDATED: `${model} was changed`,
    MODEL_DELETED: `${model} was deleted`,
  };
  return `${payload.test ? '[test] ' : ''}${titles[payload.eventType] ?? `${payload.eventType} of ${version}`}`;
};

const fact = (name: string, value: string | null) =>
  value === null || value === '' ? [] : [{ name, value }];
const isRequest = ({ eventType }: WebhookPayload): boolean =>
  eventType.startsWith('MODEL_VERSION_STATUS_REQUEST_');

/** What people are told. `record` is what machines get in its place. */
export const messageOf = (content: Content, record: string): Message => {
  if (isAnnouncement(content)) return { ...content.message, workspace: content.workspaceName };
  if (isNotice(content))
    return {
      id: content.eventId,
      at: content.timestamp,
      title: `A webhook of ${content.workspaceName} was switched off`,
      text: content.fault,
      facts: fact('Target', content.target),
      links: [],
      level: 'warning',
      workspace: content.workspaceName,
      record,
    };
  if (isMention(content))
    return {
      id: content.eventId,
      at: content.timestamp,
      title: `${content.userName} named you in a comment in ${content.workspaceName}`,
      text: content.text,
      facts: [],
      links: content.url === null ? [] : [{ label: 'Open the run', address: content.url }],
      level: 'info',
      workspace: content.workspaceName,
      record,
    };
  const from = content.previousStatus;
  return {
    id: content.eventId,
    at: content.timestamp,
    title: titleOf(content),
    ...(content.comment === null || content.comment === '' ? {} : { text: content.comment }),
    facts: [
      ...fact(content.eventType.endsWith('REQUEST_CHANGE') ? 'Asked by' : 'By', content.userName),
      ...fact(
        'Status',
        isRequest(content)
          ? `${from ?? ''} → ${wishedStatus(content)}`
          : from === null
            ? content.status
            : `${from} → ${content.status ?? ''}`,
      ),
      ...fact('Added', content.addedStages.join(', ')),
      ...fact('Removed', content.removedStages.join(', ')),
      ...fact('Tags', content.tags.join(', ')),
    ],
    links:
      content.modelUrl === null ? [] : [{ label: 'Open the model', address: content.modelUrl }],
    level: 'info',
    workspace: content.workspaceName,
    ...(content.registryModelName === null ? {} : { model: content.registryModelName }),
    record,
  };
};

/** Several messages to one mailbox as one. */
export const digestOf = (messages: readonly Message[], first: Message): Message => ({
  ...first,
  title: `${messages.length} messages about ${first.workspace ?? 'your work'}`,
  text: messages
    .map(({ title, text }) => (text === undefined ? title : `${title}: ${text}`))
    .join('\n'),
  facts: [],
  links: first.links,
});
