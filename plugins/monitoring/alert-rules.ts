// What an alert rule says, and what it may not say. Pure.
import { Failure } from '#ports/failure';
import { readMetric } from './engine-statements.js';
import { parseFilter } from './language.js';
import { algorithmOf, type Algorithm } from './measures.js';
import { hourMs } from './needs.js';
import { performanceMeasures } from './performance-measures.js';

export const alertTypes = [
  'FEATURE_DRIFT',
  'PREDICTION_DRIFT',
  'LABEL_DRIFT',
  'MODEL_DRIFT',
  'METRIC',
  'CUSTOM_METRIC',
  'DATA_QUALITY',
  'VOLUME',
  'LABEL_COVERAGE',
  'INGESTION_ERRORS',
  'SILENCE',
] as const;
export type AlertType = (typeof alertTypes)[number];
export const alertWindows = ['1h', '6h', '24h', '7d', '30d', 'HOURLY', 'DAILY'] as const;
export const evaluationPauses = ['1h', '6h', '24h'] as const;
export const comparators = ['above', 'below', 'outside', 'inside', 'change'] as const;
export type Comparator = (typeof comparators)[number];
export const qualityMeasures = [
  'missingRate',
  'newCategoryRate',
  'outOfRangeRate',
  'typeMismatchRate',
  'distinct',
] as const;

/** Of a model as a whole: the share of features that drifted, or the mean of their drift by the importances of the model. The first one where none is named. */
export const modelMeasures = [null, 'driftedShare', 'weightedDrift'] as const;

export interface QuietHours {
  /** Hours of the day in UTC, from 0 to 23; over midnight where `to` is not the later one. */
  readonly from: number;
  readonly to: number;
}

/** A rule with every member in its place. */
export interface Rule {
  readonly name: string;
  /** Stands in every message. */
  readonly description: string;
  readonly enabled: boolean;
  readonly type: AlertType;
  /** Names of fields, or `*` for all of them. */
  readonly target: readonly string[];
  /** A measure of performance, quality or a whole model, or the SQL of a metric. */
  readonly metric: string | null;
  readonly algorithm: Algorithm;
  readonly baselineId: string | null;
  /** Each is looked at by itself; none is all events together. */
  readonly versions: readonly string[];
  /** Ids of segments, each looked at by itself. */
  readonly segments: readonly string[];
  readonly window: (typeof alertWindows)[number];
  readonly evaluateEvery: (typeof evaluationPauses)[number];
  /** How long after its end a window is looked at, so that what comes late is in it. */
  readonly delayMinutes: number;
  readonly comparator: Comparator;
  readonly thresholdKind: 'static' | 'auto';
  /** Of automatic thresholds: how many deviations around the mean. */
  readonly deviations: number;
  /** One number, or a lower and an upper one. */
  readonly warning: readonly number[] | null;
  readonly critical: readonly number[] | null;
  readonly minSamples: number;
  /** How many windows in a row must be beyond the threshold. */
  readonly consecutive: number;
  readonly cooldownHours: number;
  readonly autoResolveAfter: number;
  /** Whether it tells again every 24 hours. */
  readonly remind: boolean;
  /** Ids of channels of the workspace. */
  readonly channels: readonly string[];
  readonly muteUntil: number | null;
  readonly quietHours: QuietHours | null;
}

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };
/** A rule as it is asked for; what is left out is as usual. */
export interface AskedRule extends Loose<
  Omit<
    Rule,
    'warning' | 'critical' | 'algorithm' | 'metric' | 'baselineId' | 'muteUntil' | 'quietHours'
  >
> {
  readonly algorithm?: string | undefined;
  readonly metric?: string | null | undefined;
  readonly baselineId?: string | null | undefined;
  readonly muteUntil?: number | null | undefined;
  readonly quietHours?: QuietHours | null | undefined;
  /** A number, or a list of one or two. */
  readonly warning?: unknown;
  readonly critical?: unknown;
}

const refuse = (sentence: string) => new Failure('invalid', sentence);

const boundsOf = (name: string, given: unknown): readonly number[] | null => {
  if (given === undefined || given === null) return null;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const numbers = list.filter((one) => typeof one === 'number' && Number.isFinite(one));
  if (numbers.length !== list.length || list.length === 0 || list.length > 2)
    throw refuse(`${name} must be a number, or a list of a lower and an upper one`);
  return numbers as readonly number[]; // each was just found to be one
};

const labelTypes: readonly AlertType[] = ['METRIC', 'LABEL_DRIFT', 'LABEL_COVERAGE'];
const driftTypes: readonly AlertType[] = ['FEATURE_DRIFT', 'PREDICTION_DRIFT', 'LABEL_DRIFT'];
export const isDrift = (type: AlertType): boolean => driftTypes.includes(type);
/** Whether a value of few events says little. */
export const needsSamples = (type: AlertType): boolean =>
  isDrift(type) || ['MODEL_DRIFT', 'METRIC', 'CUSTOM_METRIC', 'DATA_QUALITY'].includes(type);

const usualDrift: Readonly<Record<Algorithm, readonly [warning: number, critical: number | null]>> =
  {
    PSI: [0.1, 0.25],
    KL: [0.1, null],
    JS: [0.1, null],
    EMD: [0.1, null],
    HELLINGER: [0.1, null],
    KS: [0.1, null],
    LINF: [0.1, null],
    CHI2: [0, null],
  };
/** Thresholds of rules that name none: how far is far by each measure, in the mean of all features too; half of the features; and a span without events. */
export const usualThresholds = (
  type: AlertType,
  algorithm: Algorithm,
  metric: string | null = null,
): readonly [warning: readonly number[] | null, critical: readonly number[] | null] => {
  const isMean = type === 'MODEL_DRIFT' && metric === 'weightedDrift';
  if (type === 'MODEL_DRIFT' && !isMean) return [[0.5], null];
  if (type === 'SILENCE') return [null, [1]];
  if (!isDrift(type) && !isMean) return [null, null];
  const [warning, critical] = usualDrift[algorithm];
  return [[warning], critical === null ? null : [critical]];
};

const comparatorOf = (type: AlertType, given: Comparator | undefined): Comparator =>
  given ?? (type === 'SILENCE' || type === 'LABEL_COVERAGE' ? 'below' : 'above');

const checkMetric = ({ type, metric }: Pick<Rule, 'type' | 'metric'>): void => {
  if (type === 'METRIC' && !performanceMeasures.includes(metric ?? ''))
    throw refuse(`metric must be one of ${performanceMeasures.join(', ')}`);
  if (type === 'DATA_QUALITY' && !(qualityMeasures as readonly string[]).includes(metric ?? ''))
    // a closed list as one of texts
    throw refuse(`metric must be one of ${qualityMeasures.join(', ')}`);
  if (type === 'MODEL_DRIFT' && !(modelMeasures as readonly unknown[]).includes(metric))
    throw refuse('metric of a model must be driftedShare or weightedDrift');
  if (type === 'CUSTOM_METRIC') readMetric(metric ?? '');
};

const checkBounds = (rule: Rule): void => {
  const pairs = rule.comparator === 'outside' || rule.comparator === 'inside';
  for (const bounds of [rule.warning, rule.critical]) {
    if (bounds === null) continue;
    if (pairs !== (bounds.length === 2))
      throw refuse(
        pairs
          ? `comparator ${rule.comparator} takes a lower and an upper number`
          : `comparator ${rule.comparator} takes one number`,
      );
    if (pairs && (bounds[0] ?? 0) > (bounds[1] ?? 0))
      throw refuse('the lower number of a threshold must not be above the upper one');
  }
  if (rule.thresholdKind === 'static' && rule.warning === null && rule.critical === null)
    throw refuse('warning or critical is required, or thresholdKind auto');
  if (
    rule.thresholdKind === 'auto' &&
    (rule.comparator === 'inside' || rule.comparator === 'change')
  )
    throw refuse(`an automatic threshold does not go with comparator ${rule.comparator}`);
};

const inRange = (name: string, value: number, least: number, most: number): number => {
  if (!Number.isFinite(value) || value < least || value > most)
    throw refuse(`${name} must be from ${least} to ${most}`);
  return value;
};
const names = (what: string, given: readonly string[] | undefined, most: number) => {
  const found = [...new Set(given ?? [])];
  if (found.length > most) throw refuse(`${what} has at most ${most} entries`);
  if (found.some((one) => one.length > 256))
    throw refuse(`an entry of ${what} has more than 256 characters`);
  return found;
};
const textOf = (name: string, given: string | undefined, least: number, most: number): string => {
  const text = (given ?? '').trim();
  if (text.length < least || text.length > most)
    throw refuse(`${name} must have ${least} to ${most} characters`);
  return text;
};

const quietOf = (given: QuietHours | null | undefined): QuietHours | null => {
  if (given === null || given === undefined) return null;
  const [from, to] = [
    inRange('quietHours.from', given.from, 0, 23),
    inRange('quietHours.to', given.to, 0, 23),
  ];
  if (from === to) throw refuse('quietHours must begin and end at different hours');
  return { from, to };
};

const usualTarget = (type: AlertType): readonly string[] =>
  isDrift(type) || type === 'DATA_QUALITY' ? ['*'] : ['model'];

/** The whole rule of what is asked for. Throws `invalid`, in a sentence, for one that makes no sense. */
export const ruleOf = (asked: AskedRule): Rule => {
  const { type } = asked;
  if (type === undefined) throw refuse('type is required');
  const algorithm = algorithmOf(asked.algorithm);
  const isAuto = asked.thresholdKind === 'auto';
  const [warning, critical] = [
    boundsOf('warning', asked.warning),
    boundsOf('critical', asked.critical),
  ];
  const usual: readonly [readonly number[] | null, readonly number[] | null] =
    isAuto || warning !== null || critical !== null
      ? [warning, critical]
      : usualThresholds(type, algorithm, asked.metric);
  const target = names('target', asked.target, 100);
  const rule: Rule = {
    name: textOf('name', asked.name, 1, 100),
    description: textOf('description', asked.description, 0, 2000),
    enabled: asked.enabled ?? true,
    type,
    target: target.length === 0 ? usualTarget(type) : target,
    metric: asked.metric ?? null,
    algorithm,
    baselineId: asked.baselineId ?? null,
    versions: names('versions', asked.versions, 20),
    segments: names('segments', asked.segments, 20),
    window: asked.window ?? '24h',
    evaluateEvery: asked.window === 'DAILY' ? '24h' : (asked.evaluateEvery ?? '1h'),
    delayMinutes: inRange(
      'delayMinutes',
      asked.delayMinutes ?? (labelTypes.includes(type) ? 24 * 60 : 15),
      0,
      7 * 24 * 60,
    ),
    comparator: comparatorOf(type, asked.comparator),
    thresholdKind: asked.thresholdKind ?? 'static',
    deviations: inRange('deviations', asked.deviations ?? 3, 0.5, 20),
    warning: usual[0],
    critical: usual[1],
    minSamples: inRange('minSamples', asked.minSamples ?? 200, 1, 1_000_000),
    consecutive: inRange('consecutive', asked.consecutive ?? 1, 1, 100),
    cooldownHours: inRange('cooldownHours', asked.cooldownHours ?? 6, 0, 24 * 30),
    autoResolveAfter: inRange('autoResolveAfter', asked.autoResolveAfter ?? 1, 1, 100),
    remind: asked.remind ?? false,
    channels: names('channels', asked.channels, 50),
    muteUntil: asked.muteUntil ?? null,
    quietHours: quietOf(asked.quietHours),
  };
  checkMetric(rule);
  checkBounds(rule);
  return rule;
};

const spans: Readonly<Record<Rule['window'], number>> = {
  '1h': 1,
  HOURLY: 1,
  '6h': 6,
  '24h': 24,
  DAILY: 24,
  '7d': 7 * 24,
  '30d': 30 * 24,
};
/** How long its windows are, in ms. */
export const windowMs = ({ window }: Pick<Rule, 'window'>): number => spans[window] * hourMs;
/** How far the ends of its windows lie apart, in ms. */
export const pauseMs = ({ evaluateEvery }: Pick<Rule, 'evaluateEvery'>): number =>
  spans[evaluateEvery] * hourMs;
const minuteMs = 60_000;
export const delayMs = ({ delayMinutes }: Pick<Rule, 'delayMinutes'>): number =>
  delayMinutes * minuteMs;

/** The end of the last window that is complete and due at that time. */
export const lastWindowEnd = (rule: Rule, now: number): number =>
  Math.floor((now - delayMs(rule)) / pauseMs(rule)) * pauseMs(rule);

/** A filter of a segment: throws `invalid` for one that is not understood, or is empty. */
export const checkFilter = (filter: string): string => {
  const text = filter.trim();
  if (text === '') throw refuse('filter must not be empty');
  parseFilter(text);
  return text;
};
