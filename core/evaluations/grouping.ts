// Evaluations in groups within groups, and what those of a group add up to. Pure.
import { Failure } from '#ports/failure';
import type { Evaluation, EvaluationScore } from '#ports/model/evaluations';
import type { EvaluationFigures } from '#ports/storage/evaluations';
import { parseJson } from '../json-text.js';
import { hasPassed } from './rules.js';

/** Evaluations that are grouped at once, the newest ones. */
export const mostGrouped = 2000;
const mostLevels = 5;
const fields = ['dataset_id', 'project_id', 'metadata', 'tags'] as const;

/** One level of groups. */
export interface Level {
  readonly field: (typeof fields)[number];
  /** The path into the metadata. */
  readonly key: string | undefined;
}

/** The levels that a query asks for. Rejects with `invalid`. */
export const readLevels = (sent: string | undefined): readonly Level[] => {
  const parsed = sent === undefined ? undefined : parseJson(sent);
  if (!Array.isArray(parsed) || parsed.length === 0 || parsed.length > mostLevels)
    throw new Failure('invalid', `Invalid groups: a JSON array of 1 to ${mostLevels} is needed`);
  return parsed.map((item: unknown) => {
    const { field, key } = (typeof item === 'object' && item !== null ? item : {}) as {
      readonly field?: unknown;
      readonly key?: unknown;
    }; // any object can be read by name
    const known = fields.find((one) => one === field);
    if (known === undefined) throw new Failure('invalid', 'Invalid groups: unknown field');
    if (known === 'metadata' && (typeof key !== 'string' || key === ''))
      throw new Failure('invalid', 'Invalid groups: metadata needs a key');
    return { field: known, key: typeof key === 'string' ? key : undefined };
  });
};

const valueAt = (metadata: string | undefined, path: string): string => {
  let found: unknown = metadata === undefined ? undefined : parseJson(metadata);
  for (const step of path.replace(/^\$\.?/, '').split('.'))
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, step)
        ? (found as Readonly<Record<string, unknown>>)[step]
        : undefined; // any object can be read by name
  if (found === undefined || found === null) return '';
  return typeof found === 'string' ? found : JSON.stringify(found);
};

/** The groups of a level that an evaluation is in; an empty text for what has no value. */
const groupsOf = (one: Evaluation, { field, key }: Level): readonly string[] => {
  if (field === 'dataset_id') return [one.datasetId ?? ''];
  if (field === 'project_id') return [one.projectId ?? ''];
  if (field === 'metadata') return [valueAt(one.metadata, key ?? '')];
  return one.tags === undefined || one.tags.length === 0 ? [''] : one.tags;
};

export interface Group {
  readonly label: string;
  readonly groups?: Readonly<Record<string, Group>>;
  readonly aggregations?: Readonly<Record<string, unknown>>;
}

/** The groups of the levels; `labelOf` names a value, `sum` tells what those of the innermost groups add up to. */
export const groupEvaluations = (
  all: readonly Evaluation[],
  [level, ...inner]: readonly Level[],
  labelOf: (level: Level, value: string) => string,
  sum?: (of: readonly Evaluation[]) => Readonly<Record<string, unknown>>,
): Readonly<Record<string, Group>> => {
  if (level === undefined) return {};
  const members = new Map<string, Evaluation[]>();
  for (const one of all)
    for (const value of groupsOf(one, level))
      members.set(value, [...(members.get(value) ?? []), one]);
  return Object.fromEntries(
    [...members]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([value, of]): [string, Group] => [
        value,
        {
          label: labelOf(level, value),
          ...(inner.length === 0 ? {} : { groups: groupEvaluations(of, inner, labelOf, sum) }),
          ...(sum === undefined ? {} : { aggregations: sum(of) }),
        },
      ]),
  );
};

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length;
const totalOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

/** The mean of each score over the evaluations that have it. */
const meanScores = (lists: readonly (readonly EvaluationScore[])[]): readonly EvaluationScore[] => {
  const values = new Map<string, number[]>();
  for (const { name, value } of lists.flat())
    values.set(name, [...(values.get(name) ?? []), value]);
  return [...values].map(([name, some]) => ({ name, value: meanOf(some) ?? 0 }));
};

/** What evaluations add up to together; durations are means of their percentiles. */
export const sumEvaluations = (
  of: readonly Evaluation[],
  figuresOf: (id: string) => EvaluationFigures | undefined,
): Readonly<Record<string, unknown>> => {
  const figures = of.flatMap(({ id }) => figuresOf(id) ?? []);
  const durations = figures.flatMap((one) => one.durations ?? []);
  const judged = figures
    .filter((one) => one.judged.length > 0)
    .map(({ judged: items }) => ({
      passed: items.filter(hasPassed).length,
      total: items.length,
    }));
  return {
    experiment_count: of.length,
    trace_count: totalOf(figures.map((one) => one.traces)),
    total_estimated_cost: totalOf(figures.map((one) => one.cost ?? 0)),
    total_estimated_cost_avg: meanOf(figures.flatMap((one) => one.averageCost ?? [])),
    duration:
      durations.length === 0
        ? undefined
        : {
            p50: meanOf(durations.map((one) => one.p50)),
            p90: meanOf(durations.map((one) => one.p90)),
            p99: meanOf(durations.map((one) => one.p99)),
          },
    feedback_scores: meanScores(figures.map((one) => one.scores)),
    experiment_scores: meanScores(of.map((one) => one.scores ?? [])),
    pass_rate_avg: meanOf(judged.map(({ passed, total }) => passed / total)),
    passed_count_sum: judged.length === 0 ? undefined : totalOf(judged.map((one) => one.passed)),
    total_count_sum: judged.length === 0 ? undefined : totalOf(judged.map((one) => one.total)),
  };
};

/** The values of each level, in the order in which they are listed. */
export const sortingOf = (
  groups: Readonly<Record<string, Group>>,
  levels: number,
): readonly { readonly group_sorting: readonly string[] }[] => {
  const sorting: Set<string>[] = Array.from({ length: levels }, () => new Set());
  const walk = (inside: Readonly<Record<string, Group>>, depth: number): void => {
    for (const [value, group] of Object.entries(inside)) {
      sorting[depth]?.add(value);
      if (group.groups !== undefined) walk(group.groups, depth + 1);
    }
  };
  walk(groups, 0);
  return sorting.map((values) => ({ group_sorting: [...values] }));
};
