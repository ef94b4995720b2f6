// What alerts may hold, and how they are shown. Pure.
import { Failure } from '#ports/failure';
import type {
  Alert,
  AlertEventType,
  AlertFiring,
  AlertTrigger,
  AlertType,
  AlertWebhook,
  TriggerConfig,
  TriggerConfigType,
} from '#ports/model/alerts';
import { parseJson } from '../json-text.js';
import { showAuthorship } from '../private-wire/authorship.js';
import { showInstant } from '../private-wire/instants.js';
import type { FilterTypes } from '../private-wire/filters.js';
import { readAnyId, readId } from '../private-wire/ids.js';
import { checkEntries, checkHeaders, mask } from '../provider-keys/rules.js';
import { mailboxOf } from './receivers.js';

export const alertFilters: FilterTypes = {
  id: 'text',
  name: 'text',
  alert_type: 'word',
  webhook_url: 'text',
  created_at: 'instant',
  last_updated_at: 'instant',
  created_by: 'text',
  last_updated_by: 'text',
};

type Entries = Readonly<Record<string, string>>;

export interface SentWebhook {
  readonly id?: string | undefined;
  readonly url: string;
  readonly secret_token?: string | undefined;
  readonly headers?: Entries | undefined;
}
interface SentConfig {
  readonly id?: string | undefined;
  readonly type: TriggerConfigType;
  readonly config_value?: Entries | undefined;
  readonly group_index?: number | undefined;
}
interface SentTrigger {
  readonly id?: string | undefined;
  readonly event_type: AlertEventType;
  readonly trigger_configs?: readonly SentConfig[] | undefined;
}
export interface SentAlert {
  readonly id?: string | undefined;
  readonly name: string;
  readonly enabled?: boolean | undefined;
  readonly alert_type?: AlertType | undefined;
  readonly metadata?: Entries | undefined;
  readonly webhook: SentWebhook;
  readonly triggers?: readonly SentTrigger[] | undefined;
  readonly project_id?: string | undefined;
}

const unfit = (sentence: string) => new Failure('unprocessable', sentence);

const checkUrl = (member: string, address: string): void => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw unfit(`${member} must begin with http:// or https://`);
  if (url.username !== '' || url.password !== '')
    throw unfit(`${member} must not hold a user name or a password`);
};

const sendable = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Refuses with `unprocessable` what cannot be sent. `masked` is what is shown of the stored token, which stands for it. */
export const checkWebhook = (
  { url, secret_token: token = '', headers }: SentWebhook,
  masked?: string,
): void => {
  if (mailboxOf(url.trim()) === undefined) checkUrl('webhook.url', url);
  else if (token !== '' || Object.keys(headers ?? {}).length > 0)
    throw unfit(
      'webhook.secret_token and webhook.headers must be absent where webhook.url is a mailbox',
    );
  checkHeaders(headers);
  for (const [name, value] of Object.entries(headers ?? {}))
    if (value.trim() === '') throw unfit(`the value of header ${name} must not be blank`);
  if (token !== masked && !sendable.test(token))
    throw unfit('webhook.secret_token holds a character that cannot be sent');
};

export const checkMetadata = (metadata: Entries | undefined): void => {
  checkEntries('metadata', metadata);
  const base = metadata?.['base_url'];
  if (base !== undefined && base !== '') checkUrl('metadata.base_url', base);
};

const mostSigns = 256 * 1024;
/** Refuses with `unprocessable` an alert that is longer than any that somebody writes. */
export const checkLength = ({ metadata, webhook, triggers }: SentAlert): void => {
  if (JSON.stringify([metadata, webhook, triggers]).length > mostSigns)
    throw unfit(`an alert must have at most ${mostSigns} characters`);
};

/** Refuses with `unprocessable` a form that a receiver cannot be told in. */
export const checkForm = ({ alert_type: type = 'general', webhook: { url } }: SentAlert): void => {
  if (type !== 'general' && mailboxOf(url.trim()) !== undefined)
    throw unfit('alert_type must be general where webhook.url is a mailbox');
};

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** Refuses with `unprocessable` to keep a secret for another host, since whoever names the host would learn it. */
export const checkKept = (before: AlertWebhook, sent: SentWebhook): void => {
  if (originOf(before.url) === originOf(sent.url)) return;
  if (before.maskedToken !== undefined && sent.secret_token === before.maskedToken)
    throw unfit('webhook.secret_token must be given again, because webhook.url changes host');
  if (Object.values(sent.headers ?? {}).includes(mask))
    throw unfit('webhook.headers must be given again, because webhook.url changes host');
};

const ofScores: readonly TriggerConfigType[] = ['scope:project', 'threshold:feedback_score'];
/** By what each type of event is narrowed. */
const fitting: Readonly<Record<AlertEventType, readonly TriggerConfigType[]>> = {
  'trace:errors': ['scope:project', 'threshold:errors'],
  'trace:feedback_score': ofScores,
  'trace_thread:feedback_score': ofScores,
  'trace:cost': ['scope:project', 'threshold:cost'],
  'trace:latency': ['scope:project', 'threshold:latency'],
  'trace:guardrails_triggered': ['scope:project', 'filter:guardrail_type'],
  'prompt:created': ['scope:project'],
  'prompt:committed': ['scope:project'],
  'prompt:deleted': ['scope:project'],
  'experiment:finished': ['scope:project'],
};

export const mostProjects = 100;
/** The ids of a scope. Rejects with `invalid` for what is no list of them. */
export const projectIdsOf = ({ project_ids: text = '' }: Entries): readonly string[] => {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed) || parsed.length === 0 || parsed.length > mostProjects)
    throw new Failure(
      'invalid',
      `project_ids of scope:project must be the text of a JSON array of 1 to ${mostProjects} UUIDs`,
    );
  return [...new Set(parsed.map((one: unknown) => readAnyId(String(one), 'project_ids')))];
};

const longestWindow = 31 * 24 * 3600;
const decimal = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/;

const checkThreshold = (type: TriggerConfigType, value: Entries): void => {
  const threshold = value['threshold']?.trim() ?? '';
  if (!decimal.test(threshold)) throw unfit(`threshold of ${type} must be a number`);
  const window = value['window']?.trim() ?? '';
  if (!/^\d{1,9}$/.test(window) || Number(window) < 1 || Number(window) > longestWindow)
    throw unfit(`window of ${type} must be between 1 and ${longestWindow} seconds`);
  if (type !== 'threshold:feedback_score') return;
  if ((value['name'] ?? '').trim() === '') throw unfit(`name of ${type} must not be blank`);
  if (!['>', '<'].includes(value['operator'] ?? ''))
    throw unfit(`operator of ${type} must be > or <`);
};

/** A value as it is kept: the old name of the window is the new one. */
const valueOf = ({ type, config_value: sent = {} }: SentConfig): Entries => {
  checkEntries('config_value', sent);
  const { window_seconds: old, ...value } = sent;
  const kept: Entries = old === undefined ? sent : { window: old, ...value };
  if (type.startsWith('threshold:')) checkThreshold(type, kept);
  if (type === 'scope:project') return { ...kept, project_ids: JSON.stringify(projectIdsOf(kept)) };
  return kept;
};

type NewId = () => string;
const idOf = (sent: string | undefined, what: string, newId: NewId): string =>
  sent === undefined ? newId() : readId(sent, what);

const readConfig = (eventType: AlertEventType, sent: SentConfig, newId: NewId): TriggerConfig => {
  const { type, group_index: group } = sent;
  if (!fitting[eventType].includes(type))
    throw new Failure('invalid', `a trigger of ${eventType} takes no config of the type ${type}`);
  if (group !== undefined && (group < 0 || group > 1000))
    throw unfit('group_index must be between 0 and 1000');
  return {
    id: idOf(sent.id, 'trigger config', newId),
    type,
    value: valueOf(sent),
    ...(group === undefined || type === 'scope:project' ? {} : { group }),
  };
};

/** The triggers of an alert; `projectId` is the project that narrows all of them. Rejects with `invalid` and `unprocessable`. */
export const readTriggers = (
  sent: readonly SentTrigger[] = [],
  projectId: string | undefined,
  newId: NewId,
): readonly AlertTrigger[] => {
  const read = sent.map(({ id, event_type: eventType, trigger_configs: configs = [] }) => {
    const own = configs.map((config) => readConfig(eventType, config, newId));
    if (
      own.filter(({ type }) => type === 'scope:project').length > (projectId === undefined ? 1 : 0)
    )
      throw new Failure(
        'invalid',
        'a scope:project config may be given once for a trigger, and not together with project_id',
      );
    const scope: readonly TriggerConfig[] =
      projectId === undefined
        ? []
        : [
            {
              id: newId(),
              type: 'scope:project',
              value: { project_ids: JSON.stringify([projectId]) },
            },
          ];
    return { id: idOf(id, 'trigger', newId), eventType, configs: [...own, ...scope] };
  });
  if (new Set(read.map(({ eventType }) => eventType)).size < read.length)
    throw new Failure('invalid', 'an alert has at most one trigger of an event type');
  const ids = read.flatMap(({ id, configs }) => [id, ...configs.map((config) => config.id)]);
  if (new Set(ids).size < ids.length)
    throw new Failure('invalid', 'ids of triggers and trigger configs must differ');
  return read;
};

/** An alert with its secrets masked. Webhook and triggers are as old as the last change, which replaced them. */
export const showAlert = (one: Alert) => {
  const { id, webhook } = one;
  const authorship = showAuthorship(one);
  const { last_updated_at, last_updated_by } = authorship;
  const replaced = { created_at: last_updated_at, created_by: last_updated_by };
  return {
    id,
    name: one.name,
    enabled: one.enabled,
    alert_type: one.type,
    metadata: one.metadata && { ...one.metadata },
    webhook: {
      id: webhook.id,
      name: one.name,
      url: webhook.url,
      secret_token: webhook.maskedToken,
      headers:
        webhook.sealedHeaders &&
        Object.fromEntries(Object.keys(webhook.sealedHeaders).map((name) => [name, mask])),
      ...replaced,
      last_updated_at,
      last_updated_by,
    },
    triggers: one.triggers.map((trigger) => ({
      id: trigger.id,
      alert_id: id,
      event_type: trigger.eventType,
      trigger_configs: trigger.configs.map((config) => ({
        id: config.id,
        alert_trigger_id: trigger.id,
        type: config.type,
        config_value: { ...config.value },
        group_index: config.group,
        ...replaced,
        last_updated_at,
        last_updated_by,
      })),
      ...replaced,
    })),
    project_id: one.projectId,
    ...authorship,
  };
};

export const showFiring = (one: AlertFiring) => ({
  id: one.id,
  alert_id: one.alertId,
  event_type: one.eventType,
  fired_at: showInstant(one.at * 1000),
  event_count: one.eventCount,
  metric_value: one.value,
  threshold: one.threshold,
  state: one.state,
  attempts: one.attempts,
  next_attempt_at: one.retryAt === undefined ? undefined : showInstant(one.retryAt * 1000),
  status_code: one.status,
  error_message: one.error,
});
