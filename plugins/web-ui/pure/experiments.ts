// Experiments side by side: what each made of an item of a dataset, and how that differs from the first of them. Pure.

type Named = Readonly<Record<string, unknown>>;
const isNamed = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Score {
  readonly name: string;
  readonly value: number;
  readonly reason: string | undefined;
}
/** What an experiment made of an item, once. */
export interface ItemRun {
  readonly id: string;
  readonly trace: string;
  /** The name of the trace's project. */
  readonly project: string | undefined;
  readonly output: unknown;
  readonly scores: readonly Score[];
  readonly durationMs: number | undefined;
  readonly cost: number | undefined;
}
export interface ItemRow {
  readonly id: string;
  readonly data: unknown;
  /** By experiment, in the order in which they are compared; an item may have been run more than once, or not at all. */
  readonly runs: readonly (readonly ItemRun[])[];
}

/** A run of an item as the server tells it. */
export interface SentRun {
  readonly id: string;
  readonly experiment_id: string;
  readonly trace_id: string;
  readonly project_name?: string | undefined;
  readonly output?: unknown;
  readonly duration?: number | undefined;
  readonly total_estimated_cost?: number | undefined;
  readonly feedback_scores?: readonly unknown[] | undefined;
  readonly status?: string | undefined;
}

/** The score that stands for assertions: 1 where all of an item's held, 0 where one did not. */
export const passed = 'passed';

const scoresOf = ({ feedback_scores: sent, status }: SentRun): readonly Score[] => [
  ...(sent ?? []).flatMap((one): readonly Score[] => {
    if (!isNamed(one)) return [];
    const { name, value, reason } = one;
    return typeof name === 'string' && typeof value === 'number'
      ? [{ name, value, reason: typeof reason === 'string' ? reason : undefined }]
      : [];
  }),
  ...(status === 'passed' || status === 'failed'
    ? [{ name: passed, value: status === 'passed' ? 1 : 0, reason: undefined }]
    : []),
];

/** Items with their runs by the experiments that are compared. */
export const itemRows = (
  items: readonly {
    readonly id: string;
    readonly data: unknown;
    readonly experiment_items: readonly SentRun[];
  }[],
  experiments: readonly string[],
): readonly ItemRow[] =>
  items.map(({ id, data, experiment_items: sent }) => ({
    id,
    data,
    runs: experiments.map((experiment) =>
      sent
        .filter((one) => one.experiment_id === experiment)
        .map((one) => ({
          id: one.id,
          trace: one.trace_id,
          project: one.project_name,
          output: one.output,
          scores: scoresOf(one),
          durationMs: one.duration,
          cost: one.total_estimated_cost,
        })),
    ),
  }));

/** The names of all scores, in order. */
export const scoreNames = (rows: readonly ItemRow[]): readonly string[] =>
  [
    ...new Set(
      rows.flatMap(({ runs }) =>
        runs.flatMap((some) => some.flatMap(({ scores }) => scores.map(({ name }) => name))),
      ),
    ),
  ].sort();

export const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length;

/** A score of an item by one experiment: the mean over its runs. */
export const scoreIn = (runs: readonly ItemRun[] | undefined, name: string): number | undefined =>
  meanOf(
    (runs ?? []).flatMap(({ scores }) =>
      scores.filter((one) => one.name === name).map(({ value }) => value),
    ),
  );

/** By what items are judged: a score, and whether less of it is better. */
export interface Judged {
  readonly score: string;
  readonly lessIsBetter: boolean;
}

/** How much better the experiment at a place did than the first one; below 0 it did worse. Nothing where one of them has no score. */
export const gainOf = (
  { runs }: ItemRow,
  at: number,
  { score, lessIsBetter }: Judged,
): number | undefined => {
  const [base, other] = [scoreIn(runs[0], score), scoreIn(runs[at], score)];
  if (base === undefined || other === undefined) return undefined;
  return lessIsBetter ? base - other : other - base;
};

const gainsOf = (row: ItemRow, by: Judged): readonly number[] =>
  row.runs.slice(1).flatMap((_, at) => gainOf(row, at + 1, by) ?? []);

/** Items by what was lost most, that is, regressions first; those that cannot be compared come last, all else as it was. */
export const regressionsFirst = (rows: readonly ItemRow[], by: Judged): readonly ItemRow[] => {
  const keyed = rows.map((row) => ({ row, worst: Math.min(...gainsOf(row, by)) }));
  return keyed
    .sort((a, b) => (a.worst === b.worst ? 0 : a.worst < b.worst ? -1 : 1))
    .map(({ row }) => row);
};

/** Which items are shown, and in which words one chooses them. */
export const selections: Readonly<
  Record<string, { readonly says: string; holds(row: ItemRow, by: Judged): boolean }>
> = {
  all: { says: 'all items', holds: () => true },
  worse: { says: 'got worse', holds: (row, by) => gainsOf(row, by).some((one) => one < 0) },
  better: { says: 'got better', holds: (row, by) => gainsOf(row, by).some((one) => one > 0) },
  different: {
    says: 'gave something else',
    holds: ({ runs: [base, ...others] }) => {
      const first = JSON.stringify(base?.map(({ output }) => output));
      return others.some((some) => JSON.stringify(some.map(({ output }) => output)) !== first);
    },
  },
  missing: { says: 'lack a run', holds: ({ runs }) => runs.some((some) => some.length === 0) },
};

/** How an experiment did against the first one over all items: how many it did better and worse, and how likely as uneven a split is by chance. */
export interface Verdict {
  readonly better: number;
  readonly worse: number;
  readonly same: number;
  /** Of a two-sided sign test; nothing where no item differs. */
  readonly chance: number | undefined;
}

/** How likely a coin that is thrown so often falls at most `few` times on either one side. */
export const signTest = (few: number, throws: number): number => {
  // Logarithms, as the coefficients of a thousand items are beyond numbers.
  let log = -throws * Math.LN2;
  let sum = 0;
  for (let at = 0; at <= few; at++) {
    sum += Math.exp(log);
    log += Math.log(throws - at) - Math.log(at + 1);
  }
  return Math.min(1, 2 * sum);
};

export const verdictOf = (rows: readonly ItemRow[], at: number, by: Judged): Verdict => {
  const gains = rows.flatMap((row) => gainOf(row, at, by) ?? []);
  const [better, worse] = [gains.filter((one) => one > 0), gains.filter((one) => one < 0)].map(
    ({ length }) => length,
  ) as [number, number]; // of two lists
  return {
    better,
    worse,
    same: gains.length - better - worse,
    chance: better + worse === 0 ? undefined : signTest(Math.min(better, worse), better + worse),
  };
};

export interface Distribution {
  readonly least: number;
  readonly most: number;
  /** By experiment: how many items have a score in each stretch between the least and the most. */
  readonly counts: readonly (readonly number[])[];
}
const stretches = 12;

/** How the scores of experiments lie, over the same stretches for all; nothing where there is no score. */
export const distributionOf = (
  rows: readonly ItemRow[],
  score: string,
): Distribution | undefined => {
  const experiments = rows[0]?.runs.length ?? 0;
  const values = Array.from({ length: experiments }, (_, at) =>
    rows.flatMap(({ runs }) => scoreIn(runs[at], score) ?? []),
  );
  const all = values.flat();
  if (all.length === 0) return undefined;
  let [least, most] = [Infinity, -Infinity];
  for (const one of all) [least, most] = [Math.min(least, one), Math.max(most, one)];
  const width = (most - least) / stretches;
  const placeOf = (value: number) =>
    width === 0 ? 0 : Math.min(stretches - 1, Math.floor((value - least) / width));
  return {
    least,
    most,
    counts: values.map((some) => {
      const counts = Array.from({ length: width === 0 ? 1 : stretches }, () => 0);
      for (const one of some) counts[placeOf(one)] = (counts[placeOf(one)] ?? 0) + 1;
      return counts;
    }),
  };
};

/** Items whose score by one experiment lies in a stretch; as an address says it: the place of the experiment, from and to. */
export interface Stretch {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}
export const writeStretch = ({ at, from, to }: Stretch): string => [at, from, to].join('~');
/** Nothing where the text is none, or of no experiment that is compared. */
export const readStretch = (text: string | null, experiments: number): Stretch | undefined => {
  const parts = (text ?? '').split('~');
  const [at, from, to] = parts.map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (parts.length !== 3 || at === undefined || from === undefined || to === undefined)
    return undefined;
  const known = Number.isInteger(at) && at >= 0 && at < experiments;
  return known && Number.isFinite(from) && Number.isFinite(to) ? { at, from, to } : undefined;
};
/** Whether an item lies in it; its end belongs to it only where it is that of the scores. */
export const liesIn = (
  { runs }: ItemRow,
  score: string,
  { at, from, to }: Stretch,
  most: number,
): boolean => {
  const value = scoreIn(runs[at], score);
  return value !== undefined && value >= from && (value < to || to >= most);
};
/** The edges of a stretch of a distribution. */
export const stretchOf = (
  { least, most, counts }: Distribution,
  at: number,
  place: number,
): Stretch => {
  const count = counts[0]?.length ?? 1;
  const edge = (nth: number) => (nth === count ? most : least + ((most - least) * nth) / count);
  return { at, from: edge(place), to: edge(place + 1) };
};

const expectedNames = ['expected_output', 'expected', 'reference', 'ground_truth', 'target'];
/** What an item says should come out, by the names that such a member usually has. */
export const expectedOf = (data: unknown): unknown => {
  if (!isNamed(data)) return undefined;
  const name = expectedNames.find((one) => Object.hasOwn(data, one));
  return name === undefined ? undefined : data[name];
};

/** A value as a text that can be compared word by word. */
export const wordsOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (isNamed(value)) {
    const [only, ...others] = Object.values(value);
    if (typeof only === 'string' && others.length === 0) return only;
  }
  return value === undefined ? '' : JSON.stringify(value, null, 2);
};

/** The experiments that an address compares, the first of them the one in its path; each once, and no more than can stand side by side. */
export const mostCompared = 6;
export const comparedIds = (first: string, others: readonly string[]): readonly string[] =>
  [...new Set([first, ...others])].slice(0, mostCompared);
