// What a rule looks at: its targets, and what one window says of each. One function reads windows as they come and windows of the past.
import { Failure, isFailure } from '#ports/failure';
import type { Reading } from './alert-judging.js';
import { usualThresholds, windowMs, type Rule } from './alert-rules.js';
import type { Facts, Slice } from './facts.js';
import { isSettled } from './baselines.js';
import { countFaults } from './faults.js';
import { driftOf } from './measures.js';
import { boundsOf, importancesOf, type Field } from './models.js';
import { dayMs } from './needs.js';
import { pairingOf } from './performance.js';
import { guessTask, measuresOf, regressionMeasures } from './performance-measures.js';
import { eventsField } from './profiles.js';
import { checksOf } from './quality.js';
import type { Segment } from './segments.js';
import { sizeOf } from './sketches.js';

/** Something that a rule judges by itself. */
export interface Target extends Slice {
  /** The column that it is about; null for a model as a whole. */
  readonly column: string | null;
}
export const targetName = ({ column, version, segment }: Target): string =>
  JSON.stringify([column, version, segment?.segmentId ?? null]);

const sourceOf: Partial<Readonly<Record<Rule['type'], Field['source']>>> = {
  FEATURE_DRIFT: 'feature',
  DATA_QUALITY: 'feature',
  PREDICTION_DRIFT: 'prediction',
  LABEL_DRIFT: 'label',
};

/** The columns that a rule is about; null for a model as a whole. */
const columnsOf = (rule: Rule, fields: ReadonlyMap<string, Field>): readonly (string | null)[] => {
  const source = sourceOf[rule.type];
  if (source === undefined) return [null];
  if (rule.target.includes('*') || rule.target.includes(source))
    return [...fields.values()]
      .filter((field) => field.source === source)
      .map(({ column }) => column)
      .sort();
  return rule.target.map((name) => (fields.has(name) ? name : `${source}_${name}`));
};

/** Everything that a rule judges, each by itself. */
export const targetsOf = (
  rule: Rule,
  fields: ReadonlyMap<string, Field>,
  segments: readonly Segment[],
): readonly Target[] => {
  const versions = rule.versions.length === 0 ? [null] : rule.versions;
  const chosen: readonly (Segment | null)[] =
    rule.segments.length === 0
      ? [null]
      : segments.filter(({ segmentId }) => rule.segments.includes(segmentId));
  return columnsOf(rule, fields).flatMap((column) =>
    versions.flatMap((version) => chosen.map((segment) => ({ column, version, segment }))),
  );
};

/** What is measured, before it is held against anything. */
interface Measured {
  readonly value: number | null;
  readonly sampleCount: number;
  readonly noiseFloor: number | null;
  readonly significant: boolean | null;
  /** How likely so large a value is by chance. */
  readonly pValue?: number;
}
const plain = (value: number | null, sampleCount: number): Measured => ({
  value,
  sampleCount,
  noiseFloor: null,
  significant: null,
});
const nothing = plain(null, 0);

/** How drift is measured. */
type Measuring = Pick<Rule, 'algorithm' | 'baselineId'>;

const driftIn = async (
  rule: Measuring,
  facts: Facts,
  column: string,
  slice: Slice,
  from: number,
  to: number,
): Promise<Measured> => {
  const baseline = await facts.baseline(rule.baselineId, slice.version);
  if (baseline === undefined || !isSettled(baseline, to)) return nothing;
  const { sketch, bins } = await facts.before(baseline, column, from);
  const current = await facts.sketch(column, slice, from, to);
  const drift = driftOf(rule.algorithm, sketch, current, { bins });
  if (drift === undefined) return nothing;
  // Of numbers, the earth mover distance is judged in deviations of the baseline, so that one threshold fits every field.
  const scale =
    drift.relative === undefined || drift.value === 0 ? 1 : drift.relative / drift.value;
  return {
    value: drift.value * scale,
    sampleCount: drift.sampleCount,
    noiseFloor: drift.noiseFloor95 * scale,
    significant: drift.significant,
    pValue: drift.pValue(),
  };
};

/** Which of these are more than chance where many are looked at: at most one of twenty that are called so is not (Benjamini and Hochberg). */
export const significantAmong = (pValues: readonly number[], share = 0.05): readonly boolean[] => {
  const sorted = [...pValues].sort((one, other) => one - other);
  const last = sorted.findLastIndex((p, at) => p <= (share * (at + 1)) / sorted.length);
  const bound = last < 0 ? -1 : (sorted[last] ?? -1);
  return pValues.map((p) => p <= bound);
};

/** The drift of several fields; one that chance explains where that many are looked at is not significant. */
export const driftsIn = async (
  rule: Measuring,
  facts: Facts,
  columns: readonly string[],
  slice: Slice,
  from: number,
  to: number,
): Promise<readonly Measured[]> => {
  const found: Measured[] = [];
  for (const column of columns) found.push(await driftIn(rule, facts, column, slice, from, to));
  if (columns.length < 2) return found;
  const known = found.flatMap(({ pValue }) => (pValue === undefined ? [] : [pValue]));
  const among = significantAmong(known);
  let place = 0;
  return found.map((one) =>
    one.pValue === undefined
      ? one
      : { ...one, significant: one.significant === true && among[place++] === true },
  );
};

/** The mean of drifts by these weights, with the mean of what chance explains of each. Nothing where no weight is above 0. */
const weightedMean = (weights: readonly number[], drifts: readonly Measured[]): Measured => {
  let [sum, floor, total, sampleCount] = [0, 0, 0, 0];
  for (const [at, { value, noiseFloor, sampleCount: own }] of drifts.entries()) {
    const weight = weights[at] ?? 0;
    if (value === null || weight === 0) continue;
    sum += weight * value;
    floor += weight * (noiseFloor ?? 0);
    total += weight;
    sampleCount = Math.max(sampleCount, own);
  }
  if (total === 0) return nothing;
  const [value, noiseFloor] = [sum / total, floor / total];
  return { value, sampleCount, noiseFloor, significant: value > noiseFloor };
};

/** The share of features that drifted, or the mean of their drift by importance. */
const modelDrift = async (
  rule: Rule,
  facts: Facts,
  slice: Slice,
  from: number,
  to: number,
): Promise<Measured> => {
  const columns = [...facts.fields.values()]
    .filter(({ source }) => source === 'feature')
    .map(({ column }) => column);
  const all = await driftsIn(rule, facts, columns, slice, from, to);
  if (rule.metric === 'weightedDrift') {
    const weights = importancesOf(facts.question.model);
    return weightedMean(
      columns.map((column) => weights.get(column) ?? 0),
      all,
    );
  }
  const drifts = all.filter(({ value }) => value !== null);
  const [[bound = 0] = []] = [usualThresholds('FEATURE_DRIFT', rule.algorithm)[0] ?? []];
  const drifted = drifts.filter(
    ({ value, significant }) => significant === true && (value ?? 0) > bound,
  );
  const sampleCount = drifts.reduce((most, one) => Math.max(most, one.sampleCount), 0);
  return plain(drifts.length === 0 ? null : drifted.length / drifts.length, sampleCount);
};

const performanceIn = async (
  rule: Rule,
  facts: Facts,
  slice: Slice,
  from: number,
  to: number,
): Promise<Measured> => {
  const pairing = pairingOf(facts.fields, {});
  if (pairing === undefined) return nothing;
  const { pairs } = await facts.pairs(pairing, slice, from, to);
  const wants = (regressionMeasures as readonly string[]).includes(rule.metric ?? ''); // a closed list as one of texts
  const task = wants ? 'regression' : guessTask(pairs.map(({ label }) => label));
  if (!wants && task === 'regression') return plain(null, pairs.length);
  return plain(measuresOf(task, pairs, undefined)[rule.metric ?? ''] ?? null, pairs.length);
};

const qualityIn = async (
  rule: Rule,
  facts: Facts,
  column: string,
  slice: Slice,
  from: number,
  to: number,
): Promise<Measured> => {
  const field = facts.fields.get(column);
  if (field === undefined) return nothing;
  const baseline = await facts.baseline(rule.baselineId, slice.version);
  const before =
    baseline !== undefined && isSettled(baseline, to)
      ? (await facts.before(baseline, column, from)).sketch
      : undefined;
  const sketch = await facts.sketch(column, slice, from, to);
  const bounds = boundsOf(facts.question.model).get(column);
  const checks = checksOf(sketch, field.numeric, before, bounds);
  const values = sizeOf(sketch);
  const shareOf = (n: number): number | null => (values === 0 ? null : n / values);
  const found: Readonly<Record<string, number | null>> = {
    missingRate: checks.missingRate,
    newCategoryRate: checks.newCategoryRate,
    outOfRangeRate: shareOf(checks.outOfRange),
    typeMismatchRate: shareOf(checks.typeMismatch),
    distinct: checks.distinct,
  };
  return plain(found[rule.metric ?? ''] ?? null, Math.max(sketch.events, values));
};

const coverageIn = async (
  facts: Facts,
  slice: Slice,
  from: number,
  to: number,
): Promise<Measured> => {
  const { events } = await facts.sketch(eventsField, slice, from, to);
  let labelled = 0;
  for (const { column, source } of facts.fields.values())
    if (source === 'label')
      labelled = Math.max(labelled, sizeOf(await facts.sketch(column, slice, from, to)));
  return plain(events === 0 ? null : labelled / events, events);
};

/** What a window says of a target that is no drift of a field. */
const measureOne = async (
  rule: Rule,
  facts: Facts,
  target: Target,
  from: number,
  to: number,
): Promise<Measured> => {
  switch (rule.type) {
    case 'MODEL_DRIFT':
      return modelDrift(rule, facts, target, from, to);
    case 'METRIC':
      return performanceIn(rule, facts, target, from, to);
    case 'CUSTOM_METRIC': {
      const { value, events } = await facts.metric(rule.metric ?? '', target, from, to);
      return plain(value, events);
    }
    case 'DATA_QUALITY':
      return qualityIn(rule, facts, target.column ?? '', target, from, to);
    case 'LABEL_COVERAGE':
      return coverageIn(facts, target, from, to);
    case 'INGESTION_ERRORS':
      return plain(await countFaults(facts.needs.tables, facts.question.model.id, from, to), 0);
    default: {
      const { events } = await facts.sketch(eventsField, target, from, to);
      return plain(events, events);
    }
  }
};

/** What a window says of targets that differ in their column alone. */
const measure = async (
  rule: Rule,
  facts: Facts,
  targets: readonly Target[],
  from: number,
  to: number,
): Promise<readonly Measured[]> => {
  const [first] = targets;
  if (first === undefined) return [];
  if (['FEATURE_DRIFT', 'PREDICTION_DRIFT', 'LABEL_DRIFT'].includes(rule.type))
    return driftsIn(
      rule,
      facts,
      targets.map(({ column }) => column ?? ''),
      first,
      from,
      to,
    );
  const found: Measured[] = [];
  for (const target of targets) found.push(await measureOne(rule, facts, target, from, to));
  return found;
};

const [mostBefore, leastBefore] = [28, 4] as const;

/** Values of the same hour of earlier weeks, or of earlier days where there are too few weeks. */
const earlierValues = async (
  rule: Rule,
  facts: Facts,
  targets: readonly Target[],
  from: number,
  to: number,
): Promise<readonly (readonly number[])[]> => {
  const valuesAt = async (stepMs: number) => {
    const values = targets.map((): number[] => []);
    for (let back = 1; back <= mostBefore; back++) {
      const past = await measure(rule, facts, targets, from - back * stepMs, to - back * stepMs);
      past.forEach(({ value, sampleCount }, at) => {
        if (value !== null && sampleCount > 0) values[at]?.push(value);
      });
    }
    return values;
  };
  const weeks = await valuesAt(7 * dayMs);
  if (weeks.every(({ length }) => length >= leastBefore)) return weeks;
  const days = await valuesAt(Math.max(dayMs, windowMs(rule)));
  return weeks.map((values, at) => (values.length >= leastBefore ? values : (days[at] ?? [])));
};

/** The bounds that follow from earlier values; nothing while there are too few. */
export const automaticBounds = (
  { comparator, deviations }: Pick<Rule, 'comparator' | 'deviations'>,
  values: readonly number[],
): readonly number[] | null => {
  if (values.length < leastBefore) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
  );
  const [low, high] = [mean - deviations * spread, mean + deviations * spread];
  if (comparator === 'above') return [high];
  return comparator === 'below' ? [low] : [low, high];
};

const percentOf = (value: number | null, before: number | null): number | null =>
  value === null || before === null || before === 0
    ? null
    : (100 * (value - before)) / Math.abs(before);

const readGroup = async (
  rule: Rule,
  facts: Facts,
  targets: readonly Target[],
  windowTo: number,
): Promise<readonly Reading[]> => {
  const [from, length] = [windowTo - windowMs(rule), windowMs(rule)];
  const found = await measure(rule, facts, targets, from, windowTo);
  const previous =
    rule.comparator === 'change'
      ? await measure(rule, facts, targets, from - length, windowTo - length)
      : undefined;
  const earlier =
    rule.thresholdKind === 'auto'
      ? await earlierValues(rule, facts, targets, from, windowTo)
      : undefined;
  return found.map(({ pValue: _, ...one }, at): Reading => {
    const automatic = earlier && automaticBounds(rule, earlier[at] ?? []);
    return {
      ...one,
      value: previous === undefined ? one.value : percentOf(one.value, previous[at]?.value ?? null),
      warning: automatic === undefined ? rule.warning : automatic,
      critical: automatic === undefined ? rule.critical : null,
    };
  });
};

const faulty = (error: string): Reading => ({
  value: null,
  sampleCount: 0,
  noiseFloor: null,
  significant: null,
  warning: null,
  critical: null,
  error,
});

/** What the window that ends then says of each target, in their order. What a rule gets wrong, such as a column that is not there, is told in the reading. */
export const readWindow = async (
  rule: Rule,
  facts: Facts,
  targets: readonly Target[],
  windowTo: number,
): Promise<readonly Reading[]> => {
  const readings = new Map<Target, Reading>();
  const groups = new Map<string, Target[]>();
  for (const target of targets) {
    const name = JSON.stringify([target.version, target.segment?.segmentId]);
    groups.set(name, [...(groups.get(name) ?? []), target]);
  }
  for (const group of groups.values())
    try {
      const found = await readGroup(rule, facts, group, windowTo);
      group.forEach((target, at) => readings.set(target, found[at] ?? faulty('it was not read')));
    } catch (thrown) {
      // An engine that is too busy is asked again; one that is gone does not come back by itself.
      if (!isFailure(thrown) || !['invalid', 'absent', 'unsupported'].includes(thrown.kind))
        throw thrown;
      for (const target of group) readings.set(target, faulty(thrown.message));
    }
  return targets.map((target) => readings.get(target) ?? faulty('it was not read'));
};

/** Refuses a rule about a field that the model has not had. */
export const checkTargets = (rule: Rule, fields: ReadonlyMap<string, Field>): void => {
  const missing = columnsOf(rule, fields).find((column) => column !== null && !fields.has(column));
  if (missing !== undefined && missing !== null)
    throw new Failure('invalid', `the model has no field ${missing.slice(0, 80)}`);
};
