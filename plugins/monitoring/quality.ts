// What is wrong with the values of each feature, and how many events have their label, by hour or day. From sums alone.
import { Failure } from '#ports/failure';
import { parseFilter } from './language.js';
import { hourMs, weekMs, type MonitoringNeeds } from './needs.js';
import { baselineSketch, defaultBaseline } from './baselines.js';
import { countedHours, type countedWords } from './faults.js';
import { boundsOf, fieldKey, fieldsOf, type Bounds, type Field } from './models.js';
import {
  countsUpTo,
  distinctOf,
  emptySketch,
  mergeSketches,
  sizeOf,
  type Sketch,
} from './sketches.js';
import { eventsField } from './profiles.js';
import { columnsFor, requireFewPoints, sumsBy, type Asked, type Question } from './queries.js';
import { segmentSums } from './rollups.js';
import { segmentsOf } from './segments.js';
import { bucketAt, bucketsOf, isoOf, type Buckets } from './series.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

const textsOf = ({ texts, otherTexts }: Sketch): number =>
  Object.values(texts).reduce((sum, n) => sum + n, otherTexts);

/** Numbers below the least or above the greatest. */
const outside = (sketch: Sketch, { min, max }: Bounds): number => {
  const below = min === null ? 0 : (countsUpTo(sketch, [beneath(min)])[0] ?? 0);
  const upTo = max === null ? sketch.numbers : (countsUpTo(sketch, [max])[0] ?? 0);
  return below + sketch.numbers - upTo;
};
const beneath = (x: number): number => x - Math.max(Number.MIN_VALUE, Math.abs(x) * 1e-12);

/** By how much an estimate of different values may be off, in nine of ten cases. */
const estimateSlack = 0.055;

/** The share of texts that neither side names which the baseline does not have, by how many different ones there are. */
const newShare = (sketch: Sketch, before: Sketch, shared: number, unnamed: number): number => {
  const [own, ofBefore] = [distinctOf(sketch), distinctOf(before)];
  if (own === null || ofBefore === null) return 0;
  const different = Math.max(1, own - unnamed);
  // As many of them as there are left in the baseline may be its own.
  if (before.otherTexts === 0) return Math.max(0, 1 - (ofBefore - shared) / different);
  const both = distinctOf(mergeSketches(sketch, before)) ?? ofBefore;
  return Math.min(1, Math.max(0, both * (1 - estimateSlack) - ofBefore) / different);
};

/**
 * Values whose text the baseline does not have. Exact while each side names all of its texts; of those that one side does not name it is estimated how
 * many are new, and rather too few than too many, so that nobody is woken for nothing.
 */
const newTexts = (sketch: Sketch, before: Sketch): number => {
  let [shared, fresh] = [0, 0];
  for (const [text, n] of Object.entries(sketch.texts))
    if (Object.hasOwn(before.texts, text)) shared++;
    else fresh += n;
  if (before.otherTexts === 0 && sketch.otherTexts === 0) return fresh;
  if (before.otherTexts === 0) {
    const unnamed = Object.keys(sketch.texts).length;
    return fresh + Math.round(sketch.otherTexts * newShare(sketch, before, shared, unnamed));
  }
  const unknown = fresh + sketch.otherTexts;
  return unknown === 0 ? 0 : Math.round(unknown * newShare(sketch, before, shared, shared));
};

/** How files write numbers that are not finite; a batch that holds one is refused. */
const infinite = /^[+-]?inf(?:inity)?$/i;
const infinitiesIn = ({ texts }: Sketch): number =>
  Object.entries(texts).reduce((sum, [text, n]) => sum + (infinite.test(text) ? n : 0), 0);

/** What is wrong with values: held against the bounds that somebody set, else against the baseline. */
export const checksOf = (
  sketch: Sketch,
  numeric: boolean,
  before: Sketch | undefined,
  bounds: Bounds | undefined,
) => {
  const values = sizeOf(sketch);
  const fresh = before === undefined || numeric ? 0 : newTexts(sketch, before);
  const range = bounds ?? before;
  return {
    events: sketch.events,
    missingCount: sketch.missing,
    missingRate: sketch.events === 0 ? null : sketch.missing / sketch.events,
    typeMismatch: numeric ? textsOf(sketch) : sketch.numbers,
    newCategory: fresh,
    newCategoryRate: values === 0 ? null : fresh / values,
    outOfRange: range === undefined || !numeric ? 0 : outside(sketch, range),
    zeros: sketch.zeros,
    negatives: sketch.negatives,
    infinities: numeric ? infinitiesIn(sketch) : 0,
    longStrings: sketch.longTexts,
    distinct: values === 0 ? null : distinctOf(sketch),
    min: sketch.min,
    max: sketch.max,
    mean: sketch.numbers === 0 ? null : sketch.sum / sketch.numbers,
  };
};

export interface AskedQuality extends Omit<Asked, 'predicates'> {
  /** One field alone. */
  readonly name?: string | undefined;
  /** The events of a segment alone. */
  readonly segmentId?: string | undefined;
}

const mostFields = 200;
const usualWeeks = 4;

/** How many events the same hour or day of the four weeks before had, in the mean of those since events came; null where there is none. */
const usualVolume = async (
  buckets: Buckets,
  began: number,
  eventsIn: (buckets: Buckets) => Promise<readonly number[]>,
): Promise<readonly (number | null)[]> => {
  const sums = buckets.starts.map(() => ({ events: 0, weeks: 0 }));
  for (let back = 1; back <= usualWeeks; back++) {
    const shift = back * weekMs;
    const past = {
      widthMs: buckets.widthMs,
      from: buckets.from - shift,
      to: buckets.to - shift,
      starts: buckets.starts.map((start) => start - shift),
    };
    if (past.to <= began) break;
    const counts = await eventsIn(past);
    for (const [at, sum] of sums.entries()) {
      if ((past.starts[at] ?? 0) + buckets.widthMs <= began) continue;
      sum.events += counts[at] ?? 0;
      sum.weeks++;
    }
  }
  return sums.map(({ events, weeks }) => (weeks === 0 ? null : events / weeks));
};

/** Sums of columns by bucket: of all events, or of those of a segment. */
const summing = async (
  needs: Needs,
  question: Question,
  all: ReadonlyMap<string, Field>,
  { version, segmentId }: Pick<AskedQuality, 'version' | 'segmentId'>,
) => {
  if (segmentId === undefined)
    return {
      eventsIn: async (buckets: Buckets): Promise<readonly number[]> =>
        (await sumsBy(needs, question, eventsField, buckets, version)).map(({ events }) => events),
      sumsOf: ({ column }: Field, buckets: Buckets): Promise<readonly Sketch[]> =>
        sumsBy(needs, question, fieldKey(needs, column), buckets, version),
    };
  const found = (await segmentsOf(needs.tables, question.model.id)).find(
    (segment) => segment.segmentId === segmentId,
  );
  if (found === undefined)
    throw new Failure('absent', `the model has no segment ${segmentId.slice(0, 80)}`);
  const [filter, columns] = [parseFilter(found.filter), columnsFor(all)];
  const sumsIn = (column: string, buckets: Buckets) =>
    segmentSums(needs, { ...question, segmentId, filter, column, columns }, buckets, version);
  const counted = new Map<Buckets, Promise<readonly number[]>>();
  const eventsIn = (buckets: Buckets): Promise<readonly number[]> => {
    // Every event has a version.
    const counts =
      counted.get(buckets) ??
      sumsIn('model_version', buckets).then((sums) => sums.map((sketch) => sizeOf(sketch)));
    counted.set(buckets, counts);
    return counts;
  };
  return {
    eventsIn,
    async sumsOf(
      { column, source, firstSeen, lastSeen }: Field,
      buckets: Buckets,
    ): Promise<readonly Sketch[]> {
      const [sums, counts] = [await sumsIn(column, buckets), await eventsIn(buckets)];
      if (source === 'label') return sums;
      return sums.map((sketch, at) => {
        const start = buckets.starts[at] ?? 0;
        const isOurs = start + buckets.widthMs > firstSeen && start < lastSeen + weekMs;
        const events = isOurs ? Math.max(counts[at] ?? 0, sizeOf(sketch)) : sizeOf(sketch);
        return { ...sketch, events, missing: events - sizeOf(sketch) };
      });
    },
  };
};

/** Whether fields begin or end in a bucket. Times of fields are known to the hour. */
const schemaOf = (
  { firstSeen, lastSeen }: Pick<Field, 'firstSeen' | 'lastSeen'>,
  { starts, widthMs }: Buckets,
  volume: readonly number[],
  began: number,
) => {
  // Fields that the first hour had are what the model began with.
  const isAdded = (at: number): boolean => {
    const start = starts[at] ?? 0;
    return firstSeen >= start && firstSeen < start + widthMs && firstSeen > began + hourMs;
  };
  const droppedAt = starts.findIndex(
    (start, at) => start > lastSeen + hourMs && (volume[at] ?? 0) > 0,
  );
  const endedBefore = lastSeen + hourMs + widthMs < (starts[0] ?? 0);
  return (at: number) => ({
    schemaAdded: isAdded(at),
    schemaDropped: at === droppedAt && !endedBefore,
  });
};

/** The checks of the fields of a model, and the volume, label coverage and oddities of each bucket. */
export const quality = async (needs: Needs, question: Question, asked: AskedQuality) => {
  const { model } = question;
  const buckets = bucketsOf(asked, needs.clock.now());
  const byColumn = await fieldsOf(needs.tables, model.id);
  const all = [...byColumn.values()];
  const fields = all
    .filter(
      ({ source, name }) => source === 'label' || asked.name === undefined || asked.name === name,
    )
    .slice(0, mostFields);
  requireFewPoints(buckets, fields.length);
  const began = all.reduce((first, { firstSeen }) => Math.min(first, firstSeen), Infinity);
  const baseline = await defaultBaseline(needs, model, asked.version);
  const { eventsIn, sumsOf } = await summing(needs, question, byColumn, asked);
  const volume = await eventsIn(buckets);
  const usual = await usualVolume(buckets, began, eventsIn);
  const oddities = buckets.starts.map((): Record<string, number> => ({}));
  for (const { hour, counts } of await countedHours(
    needs.tables,
    model.id,
    buckets.from,
    buckets.to,
  )) {
    const sums = oddities[Math.max(0, bucketAt(buckets, hour * hourMs))] ?? {};
    for (const [word, n] of Object.entries(counts)) sums[word] = (sums[word] ?? 0) + n;
  }
  const bounds = boundsOf(model);
  const labelled = buckets.starts.map(() => 0);
  const features = [];
  for (const field of fields) {
    const sums = await sumsOf(field, buckets);
    if (field.source === 'label') {
      sums.forEach((sketch, at) => {
        labelled[at] = Math.max(labelled[at] ?? 0, sizeOf(sketch));
      });
      continue;
    }
    const before = baseline && (await baselineSketch(needs, baseline, field.column, buckets.from));
    const schema = schemaOf(field, buckets, volume, began);
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
        ...checksOf(sums[at] ?? emptySketch, field.numeric, before, bounds.get(field.column)),
        ...schema(at),
      })),
    });
  }
  return {
    features,
    volume: buckets.starts.map((start, at) => {
      const events = volume[at] ?? 0;
      const odd = (word: (typeof countedWords)[number]): number => oddities[at]?.[word] ?? 0;
      return {
        x: isoOf(start),
        events,
        usual: usual[at] ?? null,
        labelled: labelled[at] ?? 0,
        labelCoverage: events === 0 ? null : (labelled[at] ?? 0) / events,
        duplicates: odd('RESENT') + odd('DUPLICATE'),
        lateEvents: odd('LATE_EVENT'),
        futureEvents: odd('FUTURE_EVENT'),
        probabilityOutOfRange: odd('PROBABILITY_RANGE'),
      };
    }),
    baseline: baseline ?? null,
  };
};
