// What the triggers of alerts wait for, and whether it has come. Pure.
import type { AlertEventType, AlertTrigger, TriggerConfig } from '#ports/model/alerts';
import { projectIdsOf } from './rules.js';

export const metricEventTypes = [
  'trace:errors',
  'trace:feedback_score',
  'trace_thread:feedback_score',
  'trace:cost',
  'trace:latency',
] as const satisfies readonly AlertEventType[];
export type MetricEventType = (typeof metricEventTypes)[number];

export const isMetric = (eventType: AlertEventType): eventType is MetricEventType =>
  (metricEventTypes as readonly AlertEventType[]).includes(eventType); // a closed list as one of all types

/** A threshold that a figure of a window of time is compared with. */
export interface Condition {
  readonly windowSeconds: number;
  /** Of a score. */
  readonly name: string | undefined;
  readonly below: boolean;
  readonly threshold: string;
}

/** The projects of a trigger; `undefined` for every one of the workspace. */
export const scopeOf = ({
  configs,
}: Pick<AlertTrigger, 'configs'>): ReadonlySet<string> | undefined => {
  const scopes = configs.filter(({ type }) => type === 'scope:project');
  return scopes.length === 0
    ? undefined
    : new Set(scopes.flatMap(({ value }) => projectIdsOf(value)));
};

const toCondition = ({ value }: TriggerConfig): Condition => ({
  windowSeconds: Number(value['window']),
  name: value['name'],
  below: value['operator'] === '<',
  threshold: (value['threshold'] ?? '').trim(),
});

/** Groups of which one has to hold as a whole. A trigger without a threshold has none, and never fires. */
export const groupsOf = ({
  configs,
}: Pick<AlertTrigger, 'configs'>): readonly (readonly Condition[])[] => {
  const groups = new Map<string, Condition[]>();
  for (const config of configs) {
    if (!config.type.startsWith('threshold:')) continue;
    const key = config.group === undefined ? config.id : `group ${config.group}`;
    groups.set(key, [...(groups.get(key) ?? []), toCondition(config)]);
  }
  return [...groups.values()];
};

/** A figure as thresholds are compared with it: durations in seconds. Nothing holds of a figure that there is not. */
export const holds = ({ below, threshold }: Condition, figure: number | undefined): boolean =>
  figure !== undefined && (below ? figure < Number(threshold) : figure > Number(threshold));

/** Whether an event of a guardrail of this name is one of those that a trigger names; one that names none waits for all. */
export const namesGuardrail = (
  { configs }: Pick<AlertTrigger, 'configs'>,
  name: string,
): boolean => {
  const named = configs
    .filter(({ type }) => type === 'filter:guardrail_type')
    .flatMap(({ value }) => (value['guardrail_types'] ?? '').split(','))
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '');
  return named.length === 0 || named.includes(name.toLowerCase());
};
