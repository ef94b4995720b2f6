// How good predictions were by hour or day, with how many of them have their label: over raw events, since a prediction and its label are one event's.
import { Failure } from '#ports/failure';
import { dayMs, type MonitoringNeeds } from './needs.js';
import type { Value } from './items.js';
import { fieldsOf, type Field } from './models.js';
import {
  confusionOf,
  guessTask,
  measuresOf,
  type Measures,
  type Pair,
  type Task,
} from './performance-measures.js';
import { columnsFor, predicatesOf, scan, type Asked, type Question } from './queries.js';
import { bucketsOf, isoOf } from './series.js';
import { quantileOf, sketchOf } from './sketches.js';

export interface AskedPerformance extends Omit<Asked, 'predicates'> {
  readonly predictionName?: string | undefined;
  readonly labelName?: string | undefined;
  readonly task?: Task | undefined;
  readonly positiveClassValue?: string | undefined;
  readonly filter?: string | undefined;
}
type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

/** The names of an output and of the label that tells what was right. */
export interface Pairing {
  readonly prediction: string;
  readonly label: string;
}

const namesOf = (fields: ReadonlyMap<string, Field>, source: Field['source']): readonly string[] =>
  [...fields.values()].filter((field) => field.source === source).map(({ name }) => name);

/** Which label goes with which output: those that are asked for, those of one name, or `value` with `value` or `label`. */
export const pairingOf = (
  fields: ReadonlyMap<string, Field>,
  { predictionName, labelName }: Pick<AskedPerformance, 'predictionName' | 'labelName'>,
): Pairing | undefined => {
  const [predictions, labels] = [namesOf(fields, 'prediction'), namesOf(fields, 'label')];
  if (predictionName !== undefined && !predictions.includes(predictionName))
    throw new Failure('absent', `the model has no output ${predictionName.slice(0, 80)}`);
  if (labelName !== undefined && !labels.includes(labelName))
    throw new Failure('absent', `the model has no label ${labelName.slice(0, 80)}`);
  const candidates = predictionName === undefined ? predictions : [predictionName];
  const among = labelName === undefined ? labels : [labelName];
  for (const prediction of candidates)
    if (among.includes(prediction)) return { prediction, label: prediction };
  const prediction = candidates.includes('value') ? 'value' : candidates[0];
  const label = ['value', 'label'].find((name) => among.includes(name)) ?? among[0];
  return prediction === undefined || label === undefined ? undefined : { prediction, label };
};

const mostPairs = 2_000_000;
/** How long labels are waited for before a bucket is taken for complete. */
const finalMs = 7 * dayMs;

interface Bucket {
  events: number;
  readonly pairs: Pair[];
  lastLabelAt: number;
  readonly delays: number[];
}

const probabilityColumn = 'prediction_probability';
/** The columns that predictions and their labels are read from. */
export const columnsOfPairing = (pairing: Pairing | undefined): readonly string[] => [
  probabilityColumn,
  ...(pairing === undefined ? [] : [`prediction_${pairing.prediction}`, `label_${pairing.label}`]),
];

const gather = async (
  needs: Needs,
  question: Question,
  asked: AskedPerformance,
  fields: ReadonlyMap<string, Field>,
  pairing: Pairing | undefined,
) => {
  const buckets = bucketsOf(asked, needs.clock.now());
  const { filter, version } = asked;
  const predicates = predicatesOf(
    filter === undefined ? {} : { predicates: [{ key: 'all', query: filter }] },
  );
  const held = buckets.starts.map((): Bucket => ({
    events: 0,
    pairs: [],
    lastLabelAt: 0,
    delays: [],
  }));
  let n = 0;
  await scan(
    needs,
    question,
    { buckets, version, predicates, columns: columnsFor(fields), reads: columnsOfPairing(pairing) },
    (batch) => {
      const nothing = (): Value | undefined => undefined;
      const prediction =
        pairing === undefined ? nothing : batch.column(`prediction_${pairing.prediction}`);
      const label = pairing === undefined ? nothing : batch.column(`label_${pairing.label}`);
      const probability = batch.column(probabilityColumn);
      return (_, at, row) => {
        const bucket = held[at];
        if (bucket === undefined) return;
        bucket.events++;
        const [said, truth, chance] = [prediction(row), label(row), probability(row)];
        if (said === undefined || truth === undefined) return;
        if (++n > mostPairs)
          throw new Failure('invalid', `more than ${mostPairs} labels are not measured at once`);
        bucket.pairs.push({
          prediction: said,
          label: truth,
          ...(typeof chance === 'number' ? { probability: chance } : {}),
        });
        const later = batch.addedAt(row);
        bucket.delays.push(later === undefined ? 0 : Math.max(0, later - batch.at(row)));
        if (later !== undefined) bucket.lastLabelAt = Math.max(bucket.lastLabelAt, later);
      };
    },
  );
  return { buckets, held };
};

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const pointOf = (
  start: number,
  end: number,
  { events, pairs, lastLabelAt, delays }: Bucket,
  measures: Measures,
  now: number,
) => {
  const delay = sketchOf(delays);
  return {
    x: isoOf(start),
    events,
    labelled: pairs.length,
    labelCoverage: shareOf(pairs.length, events),
    final: events > 0 && (pairs.length === events || Math.max(end, lastLabelAt) + finalMs <= now),
    labelDelayP50: quantileOf(delay, 0.5),
    labelDelayP95: quantileOf(delay, 0.95),
    measures,
  };
};

/** The measures of each bucket and of the whole span, with label coverage beside each. */
export const performance = async (needs: Needs, question: Question, asked: AskedPerformance) => {
  const fields = await fieldsOf(needs.tables, question.model.id);
  const pairing = pairingOf(fields, asked);
  const { buckets, held } = await gather(needs, question, asked, fields, pairing);
  const all = held.flatMap(({ pairs }) => pairs);
  const delay = sketchOf(held.flatMap(({ delays }) => delays));
  const task = asked.task ?? guessTask(all.map(({ label }) => label));
  const measure = (pairs: readonly Pair[]) => measuresOf(task, pairs, asked.positiveClassValue);
  const events = held.reduce((sum, bucket) => sum + bucket.events, 0);
  const now = needs.clock.now();
  return {
    task,
    predictionName: pairing?.prediction ?? null,
    labelName: pairing?.label ?? null,
    points: held.map((bucket, at) => {
      const start = buckets.starts[at] ?? 0;
      return pointOf(start, start + buckets.widthMs, bucket, measure(bucket.pairs), now);
    }),
    whole: {
      events,
      labelled: all.length,
      labelCoverage: shareOf(all.length, events),
      labelDelayP50: quantileOf(delay, 0.5),
      labelDelayP95: quantileOf(delay, 0.95),
      measures: measure(all),
    },
    confusion: task === 'classification' ? confusionOf(all) : null,
  };
};
