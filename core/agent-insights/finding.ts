// Finds issues in facts. Pure: the same facts give the same issues.
import type { InsightsSeverity } from '#ports/model/agent-insights';
import type { ScoreSum } from '#ports/storage/trace-figures';
import type { ErrorSign } from './errors.js';
import type { Facts, TraceFacts } from './gathering.js';

/** An issue before it has an id: `key` is the same whenever the same thing is found. */
export interface Finding {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly cause: string | undefined;
  readonly suggestedFix: string | undefined;
  readonly severity: InsightsSeverity;
  /** Filters by which traces of it are listed. */
  readonly filters: readonly object[];
  readonly traceIds: readonly string[];
  /** Traces with it; more than ids where they are only counted. */
  readonly count: number;
}

/** How bad it is that so many of all have it. */
const severityOf = (share: number): InsightsSeverity =>
  share >= 0.5 ? 'critical' : share >= 0.2 ? 'high' : share >= 0.05 ? 'medium' : 'low';

const filter = (field: string, operator: string, value = '', key = '') => ({
  ...{ field, operator, key, value },
});
const percent = (part: number, of: number): string =>
  of === 0 ? '0 %' : `${Math.round((part / of) * 1000) / 10} %`;
const shown = (value: number): string => String(Number(value.toPrecision(3)));

interface Group {
  readonly sign: ErrorSign;
  readonly traceIds: Set<string>;
}

/** Errors by their type and place; a trace counts once, however many of its spans tell of it. */
export const findErrors = ({ traces, spanErrors }: Facts): readonly Finding[] => {
  const groups = new Map<string, Group>();
  const add = (sign: ErrorSign, traceId: string): void => {
    const key = JSON.stringify([sign.type, sign.place]);
    const group = groups.get(key) ?? { sign, traceIds: new Set<string>() };
    group.traceIds.add(traceId);
    groups.set(key, group);
  };
  for (const { error, traceId } of spanErrors) add(error, traceId);
  for (const { error, id } of traces) if (error !== undefined) add(error, id);
  return [...groups].map(([key, { sign, traceIds }]) => ({
    key: `error ${key}`,
    name: `${sign.type} at ${sign.place}`,
    description: `${traceIds.size} of ${traces.length} traces (${percent(traceIds.size, traces.length)}) failed with ${sign.type} at ${sign.place}.`,
    cause: sign.message === '' ? undefined : sign.message,
    suggestedFix: undefined,
    severity: severityOf(traceIds.size / Math.max(1, traces.length)),
    filters: [filter('error_info', 'is_not_empty')],
    traceIds: [...traceIds],
    count: traceIds.size,
  }));
};

/** Below so many values before, and so many outliers now, nothing is compared. */
const [fewestBefore, fewestNow] = [20, 3];
/** How far beyond the dearest of before something must be, and how many of all must. */
const [factor, leastShare] = [2, 0.05];

const byName = (
  traces: readonly TraceFacts[],
  valueOf: (trace: TraceFacts) => number | undefined,
): ReadonlyMap<string, readonly (readonly [number, TraceFacts])[]> => {
  const names = new Map<string, (readonly [number, TraceFacts])[]>();
  for (const trace of traces) {
    const value = valueOf(trace);
    if (value === undefined) continue;
    const values = names.get(trace.name) ?? [];
    values.push([value, trace]);
    names.set(trace.name, values);
  }
  return names;
};
/** The value that 95 of a hundred do not pass. */
const highOf = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.ceil(values.length * 0.95) - 1] ?? 0;

interface Compared {
  readonly word: string;
  readonly field: string;
  readonly unit: string;
  /** A difference that nobody minds. */
  readonly least: number;
  valueOf(trace: TraceFacts): number | undefined;
}
const compared: readonly Compared[] = [
  {
    ...{ word: 'slow', field: 'duration', unit: 'ms', least: 500 },
    valueOf: ({ durationMs }) => durationMs,
  },
  {
    ...{ word: 'dear', field: 'total_estimated_cost', unit: 'USD', least: 0 },
    valueOf: ({ cost }) => (cost !== undefined && cost > 0 ? cost : undefined),
  },
];

/** Traces that are much slower or dearer than those of the same name were in the days before. */
export const findOutliers = (
  now: readonly TraceFacts[],
  before: readonly TraceFacts[],
): readonly Finding[] =>
  compared.flatMap(({ word, field, unit, least, valueOf }) => {
    const usual = byName(before, valueOf);
    return [...byName(now, valueOf)].flatMap(([name, values]): readonly Finding[] => {
      const past = usual.get(name) ?? [];
      if (past.length < fewestBefore) return [];
      const high = highOf(past.map(([value]) => value));
      const limit = Math.max(high * factor, high + least);
      const out = values.filter(([value]) => value > limit).map(([, trace]) => trace.id);
      if (out.length < fewestNow || out.length / values.length < leastShare) return [];
      return [
        {
          key: `${word} ${JSON.stringify(name)}`,
          name: `${name} is ${word}`.slice(0, 255),
          description: `${out.length} of ${values.length} traces named ${name} took more than ${shown(limit)} ${unit}; in the days before, 95 of 100 took at most ${shown(high)} ${unit}.`,
          cause: undefined,
          suggestedFix: undefined,
          severity: severityOf(out.length / values.length),
          filters: [filter('name', '=', name), filter(field, '>', String(limit))],
          traceIds: out,
          count: out.length,
        },
      ];
    });
  });

/** Guardrails that did not let traces pass. */
export const findGuardrails = ({ traces, guardrails }: Facts): readonly Finding[] =>
  [...guardrails].map(([name, ids]) => ({
    key: `guardrail ${JSON.stringify(name)}`,
    name: `Guardrail ${name} failed`.slice(0, 255),
    description: `The guardrail ${name} failed in ${ids.size} of ${traces.length} traces (${percent(ids.size, traces.length)}).`,
    cause: undefined,
    suggestedFix: undefined,
    severity: severityOf(ids.size / Math.max(1, traces.length)),
    filters: [filter('guardrails', '=', 'failed')],
    traceIds: [...ids],
    count: ids.size,
  }));

/** Means of fewer scores are chance; a smaller part of the mean is no fall. */
const [fewestScores, leastFall] = [5, 0.15];

/** Scores whose mean fell against the days before. */
export const findFallenScores = (
  now: readonly ScoreSum[],
  before: readonly ScoreSum[],
): readonly Finding[] =>
  now.flatMap(({ name, sum, count }): readonly Finding[] => {
    const past = before.find((one) => one.name === name);
    if (past === undefined || past.count < fewestScores || count < fewestScores) return [];
    const [usual, mean] = [past.sum / past.count, sum / count];
    const fall = (usual - mean) / (Math.abs(usual) || 1);
    if (fall < leastFall) return [];
    return [
      {
        key: `score ${JSON.stringify(name)}`,
        name: `Score ${name} fell`.slice(0, 255),
        description: `The mean of the score ${name} is ${shown(mean)} over ${count} traces; in the days before it was ${shown(usual)} over ${past.count}.`,
        cause: undefined,
        suggestedFix: undefined,
        severity: severityOf(fall),
        filters: [filter('feedback_scores', '<', String(usual), name)],
        traceIds: [],
        count,
      },
    ];
  });
