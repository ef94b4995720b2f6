// What is wrong with the values of each feature, and how many events have their label, by hour or day. From sums alone.
import type { MonitoringNeeds } from './needs.js';
import { baselineSketch, defaultBaseline } from './baselines.js';
import { fieldKey, fieldsOf } from './models.js';
import { countsUpTo, emptySketch, sizeOf, type Sketch } from './sketches.js';
import { eventsField } from './profiles.js';
import { requireFewPoints, sumsBy, type Asked, type Question } from './queries.js';
import { bucketsOf, isoOf } from './series.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

const textsOf = ({ texts, otherTexts }: Sketch): number =>
  Object.values(texts).reduce((sum, n) => sum + n, otherTexts);

/** Numbers below the least or above the greatest of the baseline. */
const outside = (sketch: Sketch, { min, max }: Sketch): number => {
  if (min === null || max === null) return 0;
  const [below = 0, upTo = 0] = countsUpTo(sketch, [beneath(min), max]);
  return below + sketch.numbers - upTo;
};
const beneath = (x: number): number => x - Math.max(Number.MIN_VALUE, Math.abs(x) * 1e-12);

/** Texts that the baseline does not have. */
const newTexts = (sketch: Sketch, before: Sketch): number =>
  Object.entries(sketch.texts).reduce(
    (sum, [text, n]) => sum + (Object.hasOwn(before.texts, text) ? 0 : n),
    0,
  );

export const checksOf = (sketch: Sketch, numeric: boolean, before: Sketch | undefined) => {
  const values = sizeOf(sketch);
  const fresh = before === undefined || numeric ? 0 : newTexts(sketch, before);
  return {
    events: sketch.events,
    missingCount: sketch.missing,
    missingRate: sketch.events === 0 ? null : sketch.missing / sketch.events,
    typeMismatch: numeric ? textsOf(sketch) : sketch.numbers,
    newCategory: fresh,
    newCategoryRate: values === 0 ? null : fresh / values,
    outOfRange: before === undefined || !numeric ? 0 : outside(sketch, before),
    zeros: sketch.zeros,
    negatives: sketch.negatives,
    longStrings: sketch.longTexts,
    min: sketch.min,
    max: sketch.max,
    mean: sketch.numbers === 0 ? null : sketch.sum / sketch.numbers,
  };
};

const mostFields = 200;

/** The checks of the fields of a model, and the volume and label coverage of each bucket. */
export const quality = async (
  needs: Needs,
  question: Question,
  asked: Omit<Asked, 'predicates'> & { readonly name?: string | undefined },
) => {
  const buckets = bucketsOf(asked, needs.clock.now());
  const fields = [...(await fieldsOf(needs.tables, question.model.id)).values()]
    .filter(
      ({ source, name }) => source === 'label' || asked.name === undefined || asked.name === name,
    )
    .slice(0, mostFields);
  requireFewPoints(buckets, fields.length);
  const baseline = await defaultBaseline(needs, question.model, asked.version);
  const volume = await sumsBy(needs, question, eventsField, buckets, asked.version);
  const labelled = buckets.starts.map(() => 0);
  const features = [];
  for (const field of fields) {
    const sums = await sumsBy(
      needs,
      question,
      fieldKey(needs, field.column),
      buckets,
      asked.version,
    );
    if (field.source === 'label') {
      sums.forEach((sketch, at) => {
        labelled[at] = Math.max(labelled[at] ?? 0, sizeOf(sketch));
      });
      continue;
    }
    const before = baseline && (await baselineSketch(needs, baseline, field.column, buckets.from));
    features.push({
      name: field.name,
      source:
        field.source === 'feature'
          ? ('model_input_features' as const)
          : ('model_output_features' as const),
      firstSeen: field.firstSeen,
      lastSeen: field.lastSeen,
      points: buckets.starts.map((start, at) => ({
        x: isoOf(start),
        ...checksOf(sums[at] ?? emptySketch, field.numeric, before),
      })),
    });
  }
  return {
    features,
    volume: buckets.starts.map((start, at) => {
      const events = volume[at]?.events ?? 0;
      return {
        x: isoOf(start),
        events,
        labelled: labelled[at] ?? 0,
        labelCoverage: events === 0 ? null : (labelled[at] ?? 0) / events,
      };
    }),
    baseline: baseline ?? null,
  };
};
