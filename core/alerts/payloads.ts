// What an alert's webhook is sent, in each of its forms. Pure.
import type { Message } from '#ports/notify';
import type { AlertEventType, AlertType } from '#ports/model/alerts';
import { showInstant } from '../private-wire/instants.js';

/** A record in which an event is told. */
export type Told = Readonly<Record<string, unknown>>;

/** Events of one type that are sent as one. */
export interface AlertNotice {
  /** The same on every retry. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly eventType: AlertEventType;
  readonly alertId: string;
  readonly alertName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly eventIds: readonly string[];
  readonly userNames: readonly string[];
  /** What each event is about: one record, or several. */
  readonly metadata: readonly (Told | readonly Told[])[];
}

/** How many of them, in words. */
const words: Readonly<Record<AlertEventType, readonly [one: string, many: string]>> = {
  'trace:errors': ['trace errors threshold', 'trace errors thresholds'],
  'trace:feedback_score': ['trace score threshold', 'trace score thresholds'],
  'trace_thread:feedback_score': ['thread score threshold', 'thread score thresholds'],
  'trace:cost': ['cost threshold', 'cost thresholds'],
  'trace:latency': ['latency threshold', 'latency thresholds'],
  'trace:guardrails_triggered': ['guardrail triggered', 'guardrails triggered'],
  'prompt:created': ['prompt created', 'prompts created'],
  'prompt:committed': ['prompt version created', 'prompt versions created'],
  'prompt:deleted': ['prompt deleted', 'prompts deleted'],
  'experiment:finished': ['experiment finished', 'experiments finished'],
};
const wordsFor = (eventType: AlertEventType, count: number): string =>
  words[eventType][count === 1 ? 0 : 1];

const general = (notice: AlertNotice) => {
  const { alertId, alertName, eventType, eventIds, userNames, metadata } = notice;
  const eventCount = eventIds.length;
  return {
    id: notice.id,
    eventType,
    alertId,
    alertName,
    workspaceId: notice.workspaceId,
    workspaceName: notice.workspaceName,
    createdAt: showInstant(notice.at * 1000),
    payload: {
      ...{ alertId, alertName, eventType, eventIds, userNames, eventCount },
      aggregationType: 'consolidated',
      message: `Alert '${alertName}': ${eventCount} ${wordsFor(eventType, eventCount)} (${eventType})`,
      metadata,
    },
  };
};

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** What is told of a single record: its id, or what stands for it, and where it is seen. */
interface Line {
  readonly text: string;
  readonly path?: string;
}

const thresholdLine = (told: Told): Line => {
  const projects = textOf(told['project_names']);
  const [project] = textOf(told['project_ids']).split(',');
  return {
    text: `\`${textOf(told['metric_value'])}\` against a threshold of \`${textOf(told['threshold'])}\` in ${textOf(told['window_seconds'])} s${projects === '' ? '' : `, projects: ${projects}`}`,
    path: project === undefined || project === '' ? 'projects' : `projects/${part(project)}/traces`,
  };
};
const part = (text: unknown): string => encodeURIComponent(textOf(text));
const idLine = (told: Told, path?: string): Line => ({
  text: `\`${textOf(told['id'])}\``,
  ...(path === undefined ? {} : { path }),
});

const lines: Readonly<Record<AlertEventType, (told: Told) => Line>> = {
  'trace:errors': thresholdLine,
  'trace:feedback_score': thresholdLine,
  'trace_thread:feedback_score': thresholdLine,
  'trace:cost': thresholdLine,
  'trace:latency': thresholdLine,
  'trace:guardrails_triggered': ({ entity_id: trace, project_id: project }) => ({
    text: `\`${textOf(trace)}\``,
    path: `projects/${part(project)}/traces?trace=${part(trace)}`,
  }),
  'prompt:created': (told) => idLine(told, `prompts/${part(told['id'])}`),
  'prompt:committed': (told) =>
    idLine(told, `prompts/${part(told['prompt_id'])}?activeVersionId=${part(told['id'])}`),
  'prompt:deleted': (told) => idLine(told),
  'experiment:finished': (told) =>
    idLine(
      told,
      `experiments/${part(told['dataset_id'])}/compare?experiments=${encodeURIComponent(JSON.stringify([textOf(told['id'])]))}`,
    ),
};
/** Where all of them are seen. */
const allPath = (eventType: AlertEventType): string =>
  eventType.startsWith('prompt:')
    ? 'prompts'
    : eventType === 'experiment:finished'
      ? 'experiments'
      : 'projects';

/** What Slack would read as its own signs. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const longestTitle = 150;
const longestSection = 3000;
/** As much of a section as lines take where some of them are left out. */
const longestLines = 2950;

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });

/** As many signs as are asked for, none of them cut in two. */
const cut = (text: string, most: number): string => {
  let kept = '';
  for (const sign of text) {
    if (kept.length + sign.length > most) break;
    kept += sign;
  }
  return kept;
};

const slack = (notice: AlertNotice, linkBase: string) => {
  const { eventType, alertName, workspaceName, eventIds, metadata } = notice;
  const base = `${linkBase.replace(/\/$/, '')}/${encodeURIComponent(workspaceName)}`;
  const told = [
    ...new Set(
      metadata
        .flat()
        .map((one) => lines[eventType](one as Told)) // lists are at most one within the other
        .map(({ text, path }) =>
          path === undefined ? escaped(text) : `${escaped(text)} <${base}/${path}|View>`,
        ),
    ),
  ];
  const fitting: string[] = [];
  const isWhole = told.join('\n').length <= longestSection;
  for (let length = 0; fitting.length < told.length;) {
    const line = told[fitting.length] ?? '';
    length += line.length + 1;
    if (!isWhole && length > longestLines) break;
    fitting.push(line);
  }
  return {
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: cut(alertName, longestTitle) || 'Alert', emoji: true },
      },
      section(`*${eventIds.length}* ${wordsFor(eventType, eventIds.length)}`),
      ...(fitting.length === 0 ? [] : [section(fitting.join('\n'))]),
      ...(isWhole
        ? []
        : [section(`${told.length} in total: <${base}/${allPath(eventType)}|View all>`)]),
    ],
  };
};

const isThreshold = (eventType: AlertEventType): boolean => lines[eventType] === thresholdLine;

const pagerDuty = (notice: AlertNotice, routingKey: string) => ({
  routing_key: routingKey,
  event_action: 'trigger',
  dedup_key: notice.id,
  payload: {
    summary: cut(notice.alertName, 1024) || 'Alert',
    source: 'Orrery',
    severity:
      notice.eventType === 'trace:errors'
        ? 'error'
        : isThreshold(notice.eventType)
          ? 'warning'
          : 'info',
    timestamp: showInstant(notice.at * 1000),
    custom_details: general(notice),
  },
});

/** How an alert wishes to be told. */
export interface AlertForm {
  readonly type: AlertType;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** The address of pages as the alert names it, in signs that a link can hold. */
const baseOf = (
  { base_url: named = '' }: Readonly<Record<string, string>>,
  usual: string,
): string => (URL.canParse(named) ? new URL(named).href.replaceAll('|', '%7C') : usual);

/** What is sent, as JSON. `baseUrl` is where pages are seen, unless the alert says so itself. */
export const payloadFor = (
  { type, metadata = {} }: AlertForm,
  notice: AlertNotice,
  baseUrl: string,
): object => {
  if (type === 'slack') return slack(notice, baseOf(metadata, baseUrl));
  if (type === 'pagerduty') return pagerDuty(notice, metadata['routing_key'] ?? 'routing-key');
  return general(notice);
};

/** Lines of a card; what is left out is counted. */
const mostFacts = 20;

/** What people read of a notice where the receiver lays it out itself, and machines as `payloadFor` has it. */
export const messageFor = (alert: AlertForm, notice: AlertNotice, baseUrl: string): Message => {
  const { id, at, eventType, alertName: title, workspaceName: workspace, eventIds } = notice;
  const base = `${baseOf(alert.metadata ?? {}, baseUrl).replace(/\/$/, '')}/${encodeURIComponent(workspace)}`;
  const told = notice.metadata.flat().map((one) => lines[eventType](one as Told)); // as for Slack
  const texts = [...new Set(told.map(({ text }) => text.replaceAll('`', '')))];
  const [first] = told;
  return {
    ...{ id, at, title, workspace },
    text: `${eventIds.length} ${wordsFor(eventType, eventIds.length)}`,
    facts: [
      ...texts.slice(0, mostFacts).map((value, place) => ({ name: String(place + 1), value })),
      ...(texts.length > mostFacts ? [{ name: 'in total', value: String(texts.length) }] : []),
    ],
    links: [
      ...(first?.path === undefined ? [] : [{ label: 'View', address: `${base}/${first.path}` }]),
      { label: 'View all', address: `${base}/${allPath(eventType)}` },
    ],
    level: eventType === 'trace:errors' ? 'critical' : isThreshold(eventType) ? 'warning' : 'info',
    record: JSON.stringify(payloadFor(alert, notice, baseUrl)),
  };
};
