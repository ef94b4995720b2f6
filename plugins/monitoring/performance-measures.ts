// How good predictions were, from pairs of a prediction and its label. Pure.
import type { Value } from './items.js';
import { curveOf } from './scoring.js';

/** An event whose label is known. */
export interface Pair {
  readonly prediction: Value;
  readonly label: Value;
  /** Of the positive class, where the model gave one. */
  readonly probability?: number;
}
export const tasks = ['classification', 'regression'] as const;
export type Task = (typeof tasks)[number];

/** Measures by name; null where the pairs do not give one. */
export type Measures = Readonly<Record<string, number | null>>;

export const classificationMeasures = [
  'accuracy',
  'precision',
  'recall',
  'f1',
  'specificity',
  'auc',
  'logLoss',
  'brier',
  'calibrationError',
] as const;
export const regressionMeasures = ['mae', 'rmse', 'mape', 'medianError', 'r2', 'bias'] as const;
export const performanceMeasures: readonly string[] = [
  ...classificationMeasures,
  ...regressionMeasures,
];

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const meanOf = (values: readonly number[]): number | null =>
  share(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );

const mostClasses = 20;
/** Numbers with many different values, or with fractions, are measured; everything else is of classes. */
export const guessTask = (labels: Iterable<Value>): Task => {
  const seen = new Set<number>();
  let fractions = false;
  for (const label of labels) {
    if (typeof label !== 'number') return 'classification';
    seen.add(label);
    fractions ||= !Number.isInteger(label);
  }
  return fractions || seen.size > mostClasses ? 'regression' : 'classification';
};

const positiveWords = /^(1|true|yes|y|positive|pos)$/i;
/** The class that counts as found: the given one, else the one that is called 1, true, yes or positive, else the last of two by name. */
export const positiveOf = (
  classes: readonly string[],
  given: string | undefined,
): string | undefined =>
  given ??
  (classes.length > 2
    ? undefined
    : (classes.find((one) => positiveWords.test(one)) ??
      (classes.length === 2 ? classes[1] : undefined)));

/** How often each class was predicted for each: the counts of a confusion matrix. */
export interface Confusion {
  readonly classes: readonly string[];
  /** A row for each true class, a column for each predicted one. */
  readonly counts: readonly (readonly number[])[];
}
const mostShown = 100;
export const confusionOf = (pairs: readonly Pair[]): Confusion => {
  const frequency = new Map<string, number>();
  for (const { prediction, label } of pairs)
    for (const one of [String(label), String(prediction)])
      frequency.set(one, (frequency.get(one) ?? 0) + 1);
  const classes = [...frequency]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, mostShown)
    .map(([one]) => one)
    .sort();
  const places = new Map(classes.map((one, at) => [one, at]));
  const counts = classes.map(() => classes.map(() => 0));
  for (const { prediction, label } of pairs) {
    const row = counts[places.get(String(label)) ?? -1];
    const column = places.get(String(prediction));
    if (row !== undefined && column !== undefined) row[column] = (row[column] ?? 0) + 1;
  }
  return { classes, counts };
};

interface Found {
  readonly hits: number;
  readonly misses: number;
  readonly falseAlarms: number;
  readonly others: number;
}
const foundOf = (pairs: readonly Pair[], positive: string): Found => {
  let [hits, misses, falseAlarms, others] = [0, 0, 0, 0];
  for (const { prediction, label } of pairs) {
    const [is, said] = [String(label) === positive, String(prediction) === positive];
    if (is && said) hits++;
    else if (is) misses++;
    else if (said) falseAlarms++;
    else others++;
  }
  return { hits, misses, falseAlarms, others };
};

const ofClass = (found: Found) => {
  const precision = share(found.hits, found.hits + found.falseAlarms);
  const recall = share(found.hits, found.hits + found.misses);
  return {
    precision,
    recall,
    f1: share(2 * found.hits, 2 * found.hits + found.falseAlarms + found.misses),
    specificity: share(found.others, found.others + found.falseAlarms),
  };
};

/** The mean over the classes that labels have, of those where there is a value. */
const macro = (pairs: readonly Pair[]) => {
  const classes = [...new Set(pairs.map(({ label }) => String(label)))];
  const each = classes.map((one) => ofClass(foundOf(pairs, one)));
  const mean = (name: keyof ReturnType<typeof ofClass>) =>
    meanOf(each.map((one) => one[name] ?? 0));
  return {
    precision: mean('precision'),
    recall: mean('recall'),
    f1: mean('f1'),
    specificity: mean('specificity'),
  };
};

const [leastProbability, calibrationBands] = [1e-15, 10] as const;

/** Measures of probabilities against whether the event was of the positive class. */
const ofProbabilities = (pairs: readonly Pair[], positive: string) => {
  const scored = pairs.flatMap(({ probability, label }) =>
    probability === undefined || probability < 0 || probability > 1
      ? []
      : [{ score: probability, positive: String(label) === positive }],
  );
  const bands = Array.from({ length: calibrationBands }, () => ({ n: 0, scores: 0, hits: 0 }));
  for (const { score, positive: is } of scored) {
    const band = bands[Math.min(calibrationBands - 1, Math.floor(score * calibrationBands))];
    if (band === undefined) continue;
    band.n++;
    band.scores += score;
    band.hits += is ? 1 : 0;
  }
  return {
    auc: curveOf(scored)?.auc ?? null,
    logLoss: meanOf(
      scored.map(
        ({ score, positive: is }) => -Math.log(Math.max(leastProbability, is ? score : 1 - score)),
      ),
    ),
    brier: meanOf(scored.map(({ score, positive: is }) => (score - (is ? 1 : 0)) ** 2)),
    calibrationError: share(
      bands.reduce((sum, { n, scores, hits }) => sum + (n === 0 ? 0 : Math.abs(scores - hits)), 0),
      scored.length,
    ),
  };
};
const noProbabilities = { auc: null, logLoss: null, brier: null, calibrationError: null };

export const classification = (
  pairs: readonly Pair[],
  givenPositive: string | undefined,
): Measures => {
  const classes = [
    ...new Set(pairs.flatMap(({ prediction, label }) => [String(label), String(prediction)])),
  ].sort();
  const positive = positiveOf(classes, givenPositive);
  const right = pairs.filter(({ prediction, label }) => String(prediction) === String(label));
  return {
    accuracy: share(right.length, pairs.length),
    ...(positive === undefined ? macro(pairs) : ofClass(foundOf(pairs, positive))),
    ...(positive === undefined ? noProbabilities : ofProbabilities(pairs, positive)),
  };
};

const medianOf = (values: readonly number[]): number | null => {
  if (values.length === 0) return null;
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
};

/** Errors are predictions less labels; what is no number is left out. */
export const regression = (pairs: readonly Pair[]): Measures => {
  const numbers = pairs.flatMap(({ prediction, label }) =>
    typeof prediction === 'number' && typeof label === 'number' ? [{ prediction, label }] : [],
  );
  const errors = numbers.map(({ prediction, label }) => prediction - label);
  const labels = numbers.map(({ label }) => label);
  const mean = meanOf(labels) ?? 0;
  const squares = meanOf(errors.map((error) => error ** 2));
  const spread = meanOf(labels.map((label) => (label - mean) ** 2));
  return {
    mae: meanOf(errors.map(Math.abs)),
    rmse: squares === null ? null : Math.sqrt(squares),
    mape: meanOf(
      numbers
        .filter(({ label }) => label !== 0)
        .map(({ prediction, label }) => Math.abs((prediction - label) / label)),
    ),
    medianError: medianOf(errors.map(Math.abs)),
    r2: squares === null || spread === null || spread === 0 ? null : 1 - squares / spread,
    bias: meanOf(errors),
  };
};

export const measuresOf = (
  task: Task,
  pairs: readonly Pair[],
  positive: string | undefined,
): Measures => (task === 'regression' ? regression(pairs) : classification(pairs, positive));
