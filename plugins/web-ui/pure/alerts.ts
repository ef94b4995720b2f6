// Alerts as they are written in a form, and as they are sent; and what their thresholds say of figures. Pure.

export const eventWords = {
  'trace:errors': 'traces that failed',
  'trace:feedback_score': 'a score of traces, on average',
  'trace_thread:feedback_score': 'a score of threads, on average',
  'trace:cost': 'cost of traces, in $',
  'trace:latency': 'duration of traces, on average, in seconds',
  'trace:guardrails_triggered': 'a guardrail failed',
  'prompt:created': 'a prompt was made',
  'prompt:committed': 'a prompt has a new version',
  'prompt:deleted': 'a prompt was deleted',
  'experiment:finished': 'an experiment finished',
} as const;
export type EventType = keyof typeof eventWords;
export const eventTypes = Object.keys(eventWords).filter((name): name is EventType =>
  Object.hasOwn(eventWords, name),
);
export const isEventType = (name: string): name is EventType => Object.hasOwn(eventWords, name);

/** The config that holds a threshold of an event; events without one are told of as they happen. */
const thresholds = {
  'trace:errors': 'threshold:errors',
  'trace:feedback_score': 'threshold:feedback_score',
  'trace_thread:feedback_score': 'threshold:feedback_score',
  'trace:cost': 'threshold:cost',
  'trace:latency': 'threshold:latency',
} as const;
export const isMetric = (event: EventType): event is keyof typeof thresholds =>
  Object.hasOwn(thresholds, event);
export const isOfScores = (event: EventType): boolean => event.endsWith('feedback_score');

export const channels = {
  general: 'webhook',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
} as const;
export type Channel = keyof typeof channels;
export const isChannel = (name: string): name is Channel => Object.hasOwn(channels, name);
export const addressHints: Readonly<Record<Channel, string>> = {
  general: 'https://example.org/hook',
  slack: 'https://hooks.slack.com/services/…',
  teams: 'https://….logic.azure.com/workflows/…',
  pagerduty: 'https://events.pagerduty.com/v2/enqueue',
};

/** What the server tells Teams in its form: an alert to a workflow or connector of it. */
const teamsHosts = [
  'logic.azure.com',
  'api.powerautomate.com',
  'api.powerplatform.com',
  'webhook.office.com',
];
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');
const isOfTeams = (url: string): boolean =>
  teamsHosts.some((host) => hostOf(url) === host || hostOf(url).endsWith(`.${host}`));

export const windows: Readonly<Record<string, string>> = {
  300: '5 minutes',
  900: '15 minutes',
  3600: 'hour',
  21600: '6 hours',
  86400: 'day',
  604800: '7 days',
};
export const windowWord = (seconds: string): string => windows[seconds] ?? `${seconds} seconds`;

export interface ConditionDraft {
  /** Whether it must hold together with the one above it; else either will do. */
  readonly joins: boolean;
  /** Of a score. */
  readonly name: string;
  readonly operator: '>' | '<';
  readonly threshold: string;
  /** Seconds, as text. */
  readonly window: string;
}
export interface TriggerDraft {
  readonly event: EventType;
  /** Projects that it is about, where the alert is the workspace's; all where there are none. */
  readonly projectIds: readonly string[];
  readonly conditions: readonly ConditionDraft[];
  /** Names of guardrails with commas between them; all where there are none. */
  readonly guardrails: string;
}
export interface AlertDraft {
  /** Of one that is stored: masked secrets are its own. */
  readonly id: string | undefined;
  readonly name: string;
  readonly enabled: boolean;
  readonly channel: Channel;
  readonly url: string;
  readonly token: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly routingKey: string;
  /** Members that the form has no field for. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly projectId: string | undefined;
  readonly triggers: readonly TriggerDraft[];
}

export const usualCondition = (event: EventType): ConditionDraft => ({
  ...{ joins: false, name: '', window: '3600' },
  operator: isOfScores(event) ? '<' : '>',
  threshold: isOfScores(event) ? '0.5' : event === 'trace:errors' ? '10' : '5',
});
export const usualTrigger = (event: EventType): TriggerDraft => ({
  ...{ event, projectIds: [], guardrails: '' },
  conditions: isMetric(event) ? [usualCondition(event)] : [],
});
export const usualAlert = (projectId: string | undefined): AlertDraft => ({
  ...{ id: undefined, name: '', enabled: true, channel: 'general', url: '', token: '' },
  ...{ headers: [], routingKey: '', metadata: {}, projectId },
  triggers: [usualTrigger('trace:errors')],
});

interface ShownConfig {
  readonly type: string;
  readonly config_value: Readonly<Record<string, string>>;
  readonly group_index?: number | undefined;
}
/** An alert as the server shows it. */
export interface ShownAlert {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly alert_type: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly webhook: {
    readonly url: string;
    readonly secret_token?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
  };
  readonly triggers: readonly {
    readonly event_type: string;
    readonly trigger_configs: readonly ShownConfig[];
  }[];
  readonly project_id?: string | undefined;
}

const listIn = (text: string): readonly string[] => {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.map(String) : [];
  } catch {
    return []; // the server keeps no other than lists
  }
};

const conditionsOf = (configs: readonly ShownConfig[]): readonly ConditionDraft[] => {
  const found = configs.filter(({ type }) => type.startsWith('threshold:'));
  const grouped = [
    ...found.filter(({ group_index: group }) => group === undefined),
    ...found
      .filter(({ group_index: group }) => group !== undefined)
      .sort((a, b) => (a.group_index ?? 0) - (b.group_index ?? 0)),
  ];
  return grouped.map(({ config_value: value, group_index: group }, at) => ({
    joins: group !== undefined && grouped[at - 1]?.group_index === group,
    name: value['name'] ?? '',
    operator: value['operator'] === '<' ? '<' : '>',
    threshold: value['threshold'] ?? '',
    window: value['window'] ?? '3600',
  }));
};
const triggerOf = (
  event: EventType,
  configs: readonly ShownConfig[],
  isOfProject: boolean,
): TriggerDraft => {
  const valueOf = (type: string) => configs.find((one) => one.type === type)?.config_value ?? {};
  return {
    event,
    projectIds: isOfProject ? [] : listIn(valueOf('scope:project')['project_ids'] ?? '[]'),
    conditions: conditionsOf(configs),
    guardrails: valueOf('filter:guardrail_type')['guardrail_types'] ?? '',
  };
};

const channelOf = ({ alert_type: type, webhook: { url } }: ShownAlert): Channel => {
  if (type === 'general') return isOfTeams(url) ? 'teams' : 'general';
  return isChannel(type) ? type : 'general';
};

/** An alert in the form in which it is changed. */
export const draftOf = (alert: ShownAlert): AlertDraft => {
  const { routing_key: routingKey = '', ...metadata } = alert.metadata ?? {};
  return {
    ...{ id: alert.id, name: alert.name, enabled: alert.enabled, channel: channelOf(alert) },
    ...{ url: alert.webhook.url, token: alert.webhook.secret_token ?? '' },
    headers: Object.entries(alert.webhook.headers ?? {}),
    ...{ routingKey, metadata, projectId: alert.project_id },
    triggers: alert.triggers.flatMap(({ event_type: event, trigger_configs: configs }) =>
      isEventType(event) ? [triggerOf(event, configs, alert.project_id !== undefined)] : [],
    ),
  };
};

const sentConditions = ({ event, conditions }: TriggerDraft) => {
  if (!isMetric(event)) return [];
  const type = thresholds[event];
  let group = -1;
  return conditions.map(({ joins, name, operator, threshold, window }, at) => {
    if (!joins || at === 0) group++;
    if (!Number.isFinite(Number(threshold)) || threshold.trim() === '')
      throw new Error(`the threshold for “${eventWords[event]}” is a number`);
    if (isOfScores(event) && name.trim() === '') throw new Error('name the score');
    return {
      type,
      group_index: group,
      config_value: {
        ...{ threshold: threshold.trim(), window },
        ...(isOfScores(event) ? { name: name.trim(), operator } : {}),
      },
    };
  });
};

const sentTrigger = (trigger: TriggerDraft, isOfProject: boolean) => {
  const { event, projectIds, guardrails } = trigger;
  return {
    event_type: event,
    trigger_configs: [
      ...(isOfProject || projectIds.length === 0
        ? []
        : [
            {
              type: 'scope:project' as const,
              config_value: { project_ids: JSON.stringify(projectIds) },
            },
          ]),
      ...sentConditions(trigger),
      ...(event === 'trace:guardrails_triggered' && guardrails.trim() !== ''
        ? [
            {
              type: 'filter:guardrail_type' as const,
              config_value: { guardrail_types: guardrails.trim() },
            },
          ]
        : []),
    ],
  };
};

/** The whole alert, as it is sent. Throws, in a sentence, for what cannot be. */
export const sentAlert = (draft: AlertDraft) => {
  if (draft.name.trim() === '') throw new Error('give the alert a name');
  if (draft.url.trim() === '') throw new Error('write the address that is told');
  if (draft.channel === 'teams' && !isOfTeams(draft.url))
    throw new Error('this is no address of a workflow or connector of Teams');
  if (draft.channel === 'pagerduty' && draft.routingKey.trim() === '')
    throw new Error('PagerDuty needs a routing key');
  if (draft.triggers.length === 0) throw new Error('say what is to be told of');
  const headers = draft.headers.filter(([name]) => name.trim() !== '');
  const metadata = {
    ...draft.metadata,
    ...(draft.channel === 'pagerduty' ? { routing_key: draft.routingKey.trim() } : {}),
  };
  return {
    ...{ name: draft.name.trim(), enabled: draft.enabled, metadata },
    alert_type: draft.channel === 'teams' ? ('general' as const) : draft.channel,
    webhook: {
      url: draft.url.trim(),
      ...(draft.token === '' ? {} : { secret_token: draft.token }),
      ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    },
    triggers: draft.triggers.map((one) => sentTrigger(one, draft.projectId !== undefined)),
    ...(draft.projectId === undefined ? {} : { project_id: draft.projectId }),
  };
};

/** What a condition waits for, in words. */
export const showCondition = (
  event: EventType,
  { name, operator, threshold, window }: ConditionDraft,
): string =>
  `${isOfScores(event) ? `${name} of ` : ''}${eventWords[event]} ${operator === '<' ? 'below' : 'above'} ${threshold} in the last ${windowWord(window)}`;

/** What a trigger waits for, in words. */
export const showTrigger = ({ event, conditions }: TriggerDraft): string =>
  isMetric(event)
    ? conditions
        .map(
          (one, at) =>
            `${at === 0 ? '' : one.joins ? ' and ' : ' or '}${showCondition(event, one)}`,
        )
        .join('')
    : eventWords[event];

/** Whether a condition holds of a figure; of none nothing does. */
export const holdsOf = (
  { operator, threshold }: ConditionDraft,
  figure: number | undefined,
): boolean =>
  figure !== undefined &&
  (operator === '<' ? figure < Number(threshold) : figure > Number(threshold));
