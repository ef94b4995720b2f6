// What alerts found: kept from the window in which it began to the one in which it was over, and told to the channels of the rule.
import type { Announcement } from '#ports/announcements';
import type { PluginTables } from '#ports/plugin-tables';
import type { Level, Reading, TargetState, Told } from './alert-judging.js';
import type { Target } from './alert-reading.js';
import { windowMs, type QuietHours, type Rule } from './alert-rules.js';
import type { Alert } from './alerts.js';
import type { MonitoredModel } from './models.js';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';

export const firingStates = ['FIRING', 'ACKNOWLEDGED', 'RESOLVED', 'MUTED'] as const;
export type FiringState = (typeof firingStates)[number];

/** An alarm of one target, as it was when something of it was last told. Times are ms since the epoch. */
export interface Firing {
  readonly notificationId: string;
  readonly alertId: string;
  readonly alertName: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly type: Rule['type'];
  readonly level: Level;
  readonly state: FiringState;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly value: number | null;
  readonly threshold: number | null;
  readonly noiseFloor: number | null;
  readonly sampleCount: number;
  readonly feature: string | null;
  readonly segment: string | null;
  readonly version: string | null;
  readonly windowFrom: number;
  readonly windowTo: number;
  readonly description: string;
}

const boundOf = (rule: Rule, reading: Reading, level: Level | null): number | null => {
  const bounds = (level === 'critical' ? reading.critical : reading.warning) ?? reading.critical;
  if (bounds === null) return null;
  const [low = null, high = low] = bounds;
  const isLow = rule.comparator === 'below' || (low ?? 0) > (reading.value ?? Infinity);
  return isLow ? low : high;
};

/** What is kept of a target that something is told of. `level` is that of the alarm, also where it is over. */
export const firingOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  alert: Pick<Alert, 'alertId' | 'modelId' | 'rule'>,
  model: MonitoredModel,
  told: {
    readonly name: string;
    readonly target: Target;
    readonly reading: Reading;
    readonly before: TargetState;
    readonly state: TargetState;
    readonly told: Told;
  },
  now: number,
): Firing => {
  const { rule } = alert;
  const { target, reading, before, state } = told;
  const startedAt = state.startedAt ?? before.startedAt ?? state.windowTo;
  const isOver = told.told === 'RESOLVED';
  const isMuted = (rule.muteUntil ?? 0) > now;
  return {
    notificationId: ids.digest(JSON.stringify([alert.alertId, told.name, startedAt])).slice(0, 32),
    alertId: alert.alertId,
    alertName: rule.name,
    modelId: model.id,
    modelName: model.name,
    type: rule.type,
    level: state.level ?? before.level ?? 'warning',
    state: isOver ? 'RESOLVED' : isMuted ? 'MUTED' : state.acknowledged ? 'ACKNOWLEDGED' : 'FIRING',
    startedAt,
    endedAt: isOver ? state.windowTo : null,
    value: reading.value,
    threshold: boundOf(rule, reading, state.level ?? before.level),
    noiseFloor: reading.noiseFloor,
    sampleCount: reading.sampleCount,
    feature: target.column,
    segment: target.segment?.name ?? null,
    version: target.version,
    windowFrom: state.windowTo - windowMs(rule),
    windowTo: state.windowTo,
    description: rule.description,
  };
};

export const storeFiring = (tables: PluginTables, firing: Firing): Promise<void> =>
  tables.upsert('firings', {
    model_id: firing.modelId,
    at: firing.startedAt,
    firing: firing.notificationId,
    alert: firing.alertId,
    content: JSON.stringify(firing),
  });

export const mostFirings = 1000;
/** The alarms of a model that began last, the newest first. */
export const firingsOf = async (
  tables: PluginTables,
  modelId: string,
): Promise<readonly Firing[]> =>
  (
    await tables.list(
      'firings',
      'key',
      { model_id: modelId },
      { limit: mostFirings, descending: true },
    )
  ).map(({ content }) => JSON.parse(String(content)) as Firing); // written by storeFiring

const round = (value: number | null): string =>
  value === null ? 'no value' : String(Number(value.toPrecision(4)));

/** What is measured, in words. */
const measureName = (rule: Rule): string => {
  if (rule.type === 'METRIC' || rule.type === 'DATA_QUALITY') return rule.metric ?? '';
  const words: Partial<Readonly<Record<Rule['type'], string>>> = {
    MODEL_DRIFT:
      rule.metric === 'weightedDrift'
        ? 'the drift of all features by their importance'
        : 'the share of drifted features',
    CUSTOM_METRIC: rule.name,
    VOLUME: 'the number of events',
    LABEL_COVERAGE: 'label coverage',
    INGESTION_ERRORS: 'the number of refused items',
    SILENCE: 'the number of events',
  };
  return words[rule.type] ?? rule.algorithm;
};

const sentenceOf = (rule: Rule, { feature, value, threshold }: Firing): string => {
  const what = feature === null ? measureName(rule) : `${measureName(rule)} of ${feature}`;
  const side = { above: 'above', below: 'below', inside: 'within', change: 'changed beyond' };
  const isLow = (value ?? 0) < (threshold ?? 0);
  const word = rule.comparator === 'outside' ? (isLow ? 'below' : 'above') : side[rule.comparator];
  return `${what} ${round(value)} ${word} ${round(threshold)}`;
};

const titleOf = (rule: Rule, firing: Firing, told: Told): string =>
  told === 'RESOLVED'
    ? `[RESOLVED] ${firing.modelName}: ${rule.name}`
    : `[${firing.level.toUpperCase()}] ${firing.modelName}: ${sentenceOf(rule, firing)}`;

const fact = (name: string, value: string | null) => (value === null ? [] : [{ name, value }]);
const places: Readonly<Record<Told, number>> = { FIRING: 1, LEVEL: 2, REMINDER: 2, RESOLVED: 3 };

/** Where people see the monitored models of a workspace. */
export const monitoringUrl = (baseUrl: string, workspaceName: string): string =>
  `${baseUrl}/${encodeURIComponent(workspaceName)}#model-production-monitoring`;

/** What the channels of a rule are told of a firing. */
export const announcementOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  rule: Rule,
  firing: Firing,
  told: Told,
  {
    workspaceId,
    workspaceName,
    url,
  }: { readonly workspaceId: string; readonly workspaceName: string; readonly url: string },
): Announcement => ({
  id: ids.digest(JSON.stringify([firing.notificationId, told, firing.windowTo])).slice(0, 32),
  workspaceId,
  subject: firing.alertId,
  at: firing.windowTo,
  title: titleOf(rule, firing, told),
  ...(rule.description === '' ? {} : { text: rule.description }),
  facts: [
    ...fact('Alert', rule.name),
    ...fact('Version', firing.version),
    ...fact('Segment', firing.segment),
    ...fact(
      'Window',
      `${new Date(firing.windowFrom).toISOString()} – ${new Date(firing.windowTo).toISOString()}`,
    ),
    ...fact('Value', round(firing.value)),
    ...fact('Threshold', round(firing.threshold)),
    ...fact('Noise floor', firing.noiseFloor === null ? null : round(firing.noiseFloor)),
    ...fact('Samples', String(firing.sampleCount)),
    ...fact(
      'Lasted',
      firing.endedAt === null ? null : `${(firing.endedAt - firing.startedAt) / hourMs} hours`,
    ),
  ],
  links: [{ label: 'Open the model', address: url }],
  level: told === 'RESOLVED' ? 'info' : firing.level,
  model: firing.modelName,
  incident: {
    id: firing.notificationId,
    place: places[told],
    ...(told === 'RESOLVED' ? { isOver: true } : {}),
  },
  record: JSON.stringify({ ...firing, event: told, workspaceName, url }),
});

/** When something may be told that is to be told at that time: at once, or when quiet hours end. */
export const loudAt = (quiet: QuietHours | null, at: number): number => {
  if (quiet === null) return at;
  const day = Math.floor(at / dayMs) * dayMs;
  const hour = (at - day) / hourMs;
  const isOvernight = quiet.to <= quiet.from;
  const isQuiet = isOvernight
    ? hour >= quiet.from || hour < quiet.to
    : hour >= quiet.from && hour < quiet.to;
  if (!isQuiet) return at;
  return day + quiet.to * hourMs + (isOvernight && hour >= quiet.from ? dayMs : 0);
};
