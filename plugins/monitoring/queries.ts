// What is asked of a monitored model: series by hour or day, one for each filter.
import { Failure } from '#ports/failure';
import { KeptJson } from '#ports/kept-json';
import { hourMs, type MonitoringNeeds } from './needs.js';
import { baselineSketch, findBaseline, movingSketches, type ReadOnce } from './baselines.js';
import { countingOf, type AskedCounting } from './drift-counting.js';
import {
  isForEngine,
  metricOnEngine,
  readMetric,
  type EngineStatement,
} from './engine-statements.js';
import { DriftDays } from './drift-days.js';
import {
  columnsAmong,
  columnsOf,
  compileFilter,
  groupFor,
  type Batch,
  type Columns,
  type Group,
} from './evaluating.js';
import type { Value } from './items.js';
import { bothMasks, compileMask } from './masks.js';
import { parseFilter, type Metric, type Node } from './language.js';
import {
  algorithmOf,
  binsOf,
  comparingWith,
  countIn,
  driftsFrom,
  isOfValues,
  type Algorithm,
  type Bins,
  type Drift,
} from './measures.js';
import { fieldKey, fieldsAmong, fieldsOf, type Field, type MonitoredModel } from './models.js';
import { eventsField, readPieces, readProfiles } from './profiles.js';
import { readEvents } from './reading.js';
import { segmentSums } from './rollups.js';
import { bucketAt, bucketsOf, isoOf, type Buckets } from './series.js';
import {
  emptySketch,
  mergeSketches,
  quantileOf,
  sizeOf,
  sketchOf,
  type Sketch,
} from './sketches.js';
import { Turns } from './turns.js';

export interface Asked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly intervalType?: 'DAILY' | 'HOURLY' | undefined;
  readonly predicates?:
    | readonly {
        readonly key: string;
        readonly query?: string | undefined;
        /** Whose filter the query is. */
        readonly segmentId?: string | undefined;
      }[]
    | undefined;
  readonly version?: string | undefined;
}
export interface AskedField extends Asked {
  readonly name: string;
  readonly source?: string | undefined;
}
type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

export interface Question {
  readonly model: MonitoredModel;
  readonly signal: AbortSignal;
}

/** A series as it is asked for: all events, or those that pass a filter. */
interface Predicate {
  readonly key: string;
  readonly filter: Node | undefined;
  /** The segment whose filter that is. */
  readonly segmentId?: string | undefined;
}
/** As many as the command `audit rows` of the client asks at once. */
const mostPredicates = 100;
/** The filters that are asked for; all events where none is. Throws `invalid` for one that is not understood. */
export const predicatesOf = ({ predicates = [] }: Asked): readonly Predicate[] => {
  if (predicates.length > mostPredicates)
    throw new Failure('invalid', `there are at most ${mostPredicates} filters`);
  return predicates.length === 0
    ? [{ key: 'all', filter: undefined }]
    : predicates.map(({ key, query = key, segmentId }) => ({
        key,
        filter: query.trim() === '' ? undefined : parseFilter(query),
        segmentId,
      }));
};

const mostPoints = 200_000;
/** Throws `invalid` where a reply would hold more points than a client can use. */
export const requireFewPoints = ({ starts }: Buckets, series: number): void => {
  if (starts.length * series > mostPoints)
    throw new Failure(
      'invalid',
      `a reply has at most ${mostPoints} points: ask for fewer filters, a shorter span, or days`,
    );
};

/** What names mean for these fields. */
export const columnsFor = (fields: ReadonlyMap<string, Field>): Columns =>
  columnsAmong(new Set(fields.keys()));

/** The columns that a metric reads. */
export const columnsOfMetric = ({ select, where }: Metric, columns: Columns): readonly string[] => [
  ...columnsOf(select, columns),
  ...columnsOf(where, columns),
];

/** Goes through the events of the span once, for every predicate. */
export const scan = async (
  needs: Needs,
  { model, signal }: Question,
  {
    buckets,
    version,
    predicates,
    columns,
    reads,
  }: {
    readonly buckets: Buckets;
    readonly version: string | undefined;
    readonly predicates: readonly Predicate[];
    readonly columns: Columns;
    /** Columns that are read beside those of the filters. */
    readonly reads: readonly string[];
  },
  begin: (batch: Batch) => (predicate: number, bucket: number, row: number) => void,
): Promise<void> => {
  const tests = predicates.map(({ filter }) => filter && compileFilter(filter, columns));
  const turns = new Turns(signal);
  for await (const batch of readEvents(
    needs,
    model.id,
    { from: buckets.from, to: buckets.to, version },
    signal,
    [...reads, ...predicates.flatMap(({ filter }) => columnsOf(filter, columns))],
  )) {
    await turns.offer();
    const passes = tests.map((test) => test?.(batch));
    const add = begin(batch);
    for (let row = 0; row < batch.length; row++) {
      const bucket = bucketAt(buckets, batch.at(row));
      for (let predicate = 0; predicate < predicates.length; predicate++)
        if (passes[predicate]?.(row) !== false) add(predicate, bucket, row);
    }
  }
};

/** Counts by hour, without reading an event. */
const countEvents = async (
  { tables }: Needs,
  { model }: Question,
  buckets: Buckets,
  version: string | undefined,
): Promise<readonly number[]> => {
  const counts = buckets.starts.map(() => 0);
  for await (const { hour, sketch } of readProfiles(tables, model.id, eventsField, {
    ...buckets,
    version,
  })) {
    const bucket = Math.max(0, bucketAt(buckets, hour * hourMs));
    counts[bucket] = (counts[bucket] ?? 0) + sketch.events;
  }
  return counts;
};

const isPlainCount = ({ select, where }: Metric): boolean =>
  where === undefined &&
  select.is === 'call' &&
  select.name === 'count' &&
  select.args.length === 0;
/** Whether a span begins and ends with an hour, so that sums of hours answer for it. */
const isWholeHours = ({ from, to }: Buckets, now: number): boolean =>
  from % hourMs === 0 && (to % hourMs === 0 || to > now);

/** A point for each bucket. */
export const pointsOf = (buckets: Buckets, y: (bucket: number) => number | null) =>
  buckets.starts.map((start, bucket) => ({ x: isoOf(start), y: y(bucket) }));

/** Events that lie next to each other in the same bucket. */
function* runsOf(
  { starts, widthMs }: Buckets,
  batch: Batch,
): Generator<readonly [bucket: number, from: number, to: number]> {
  const first = starts[0] ?? 0;
  const [earliest, latest] = (batch.ends ?? []).map((at) => Math.floor((at - first) / widthMs));
  if (batch.length > 0 && earliest !== undefined && earliest === latest) {
    yield [earliest, 0, batch.length];
    return;
  }
  const times = batch.vector?.('timestamp')?.numbers;
  let [bucket, from, begins, ends] = [NaN, 0, Infinity, -Infinity];
  for (let row = 0; row < batch.length; row++) {
    const at = times === undefined ? batch.at(row) : (times[row] ?? 0);
    if (at >= begins && at < ends) continue;
    if (row > from) yield [bucket, from, row];
    bucket = Math.floor((at - first) / widthMs);
    from = row;
    begins = first + bucket * widthMs;
    ends = begins + widthMs;
  }
  if (batch.length > from) yield [bucket, from, batch.length];
}

/** Points of all series together that a statement of the engine is run for. */
const mostRuns = 2000;

/** The series of a metric that runs on the engine, once for each point. */
const engineSeries = async (
  needs: Needs & Pick<MonitoringNeeds, 'analytics'>,
  { model, signal }: Question,
  statement: EngineStatement,
  {
    buckets,
    predicates,
    version,
  }: {
    readonly buckets: Buckets;
    readonly predicates: readonly Predicate[];
    readonly version: string | undefined;
  },
) => {
  const points = buckets.starts.length;
  if (points * predicates.length > mostRuns)
    throw new Failure(
      'invalid',
      `a metric of this kind has at most ${mostRuns} points: ask for fewer filters, a shorter span, or days`,
    );
  const fields = await fieldsOf(needs.tables, model.id);
  const filters = predicates.map(({ filter }) => filter);
  const asked = { model, fields, buckets, version, filters, signal };
  const { values } = await metricOnEngine(needs, statement, asked);
  return {
    data: predicates.map(({ key }, at) => ({
      predicateKey: key,
      data: pointsOf(buckets, (bucket) => values[at * points + bucket] ?? null),
    })),
  };
};

/** A metric as a series for each filter; every series has a point in each bucket. */
export const metricSeries = async (
  needs: Needs & Pick<MonitoringNeeds, 'analytics'>,
  question: Question,
  asked: Asked & { readonly cometSql: string },
) => {
  const now = needs.clock.now();
  const [metric, buckets, predicates] = [
    readMetric(asked.cometSql),
    bucketsOf(asked, now),
    predicatesOf(asked),
  ];
  requireFewPoints(buckets, predicates.length);
  const { version } = asked;
  if (isForEngine(metric))
    return engineSeries(needs, question, metric, { buckets, predicates, version });
  if (
    isPlainCount(metric) &&
    predicates.every(({ filter }) => filter === undefined) &&
    isWholeHours(buckets, now)
  ) {
    const counts = await countEvents(needs, question, buckets, asked.version);
    return {
      data: predicates.map(({ key }) => ({
        predicateKey: key,
        data: pointsOf(buckets, (at) => counts[at] ?? 0),
      })),
    };
  }
  const columns = columnsFor(await fieldsOf(needs.tables, question.model.id));
  const make = groupFor({ ...metric, where: undefined }, columns);
  const groups = predicates.map(() => buckets.starts.map(make));
  const where = compileMask(metric.where, columns);
  const tests = predicates.map(({ filter }) => compileMask(filter, columns));
  const reads = [
    ...columnsOfMetric(metric, columns),
    ...predicates.flatMap(({ filter }) => columnsOf(filter, columns)),
  ];
  const { model, signal } = question;
  const turns = new Turns(signal);
  const span = { from: buckets.from, to: buckets.to, version: asked.version };
  for await (const batch of readEvents(needs, model.id, span, signal, reads)) {
    await turns.offer();
    const passing = where(batch);
    const masks = tests.map((test) => bothMasks(passing, test(batch)));
    const begun = new Set<Group>();
    for (const [bucket, from, to] of runsOf(buckets, batch))
      for (const [at, mask] of masks.entries()) {
        const group = groups[at]?.[bucket];
        if (group === undefined) continue;
        if (!begun.has(group)) {
          begun.add(group);
          group.begin(batch);
        }
        group.addRange(from, to, mask);
      }
  }
  return {
    data: predicates.map(({ key }, at) => ({
      predicateKey: key,
      data: pointsOf(buckets, (bucket) => groups[at]?.[bucket]?.result() ?? null),
    })),
  };
};

const sources: Readonly<Record<string, Field['source']>> = {
  model_input_features: 'feature',
  model_output_features: 'prediction',
  model_labels: 'label',
};
/** Columns of which a name and source mean the first that there is. A source that is not given prefers labels. */
const columnsNamed = ({ name, source }: AskedField): readonly string[] => {
  const given = source === undefined ? undefined : sources[source];
  if (source !== undefined && given === undefined)
    throw new Failure('invalid', `source must be one of ${Object.keys(sources).join(', ')}`);
  const among: readonly Field['source'][] =
    given === undefined ? ['label', 'feature', 'prediction'] : [given];
  return among.map((one) => `${one}_${name}`);
};
/** The field of a name and source. Throws `absent` for one that no event had. */
export const findField = (fields: ReadonlyMap<string, Field>, asked: AskedField): Field => {
  for (const column of columnsNamed(asked)) {
    const field = fields.get(column);
    if (field !== undefined) return field;
  }
  throw new Failure('absent', `the model has no field ${asked.name.slice(0, 80)}`);
};

/** What there is of a field in each bucket, from what is kept by hour. */
export const sumsBy = async (
  { tables }: Pick<Needs, 'tables'>,
  { model }: Question,
  field: string,
  buckets: Buckets,
  version: string | undefined,
): Promise<readonly Sketch[]> => {
  const sketches = buckets.starts.map(() => emptySketch);
  for await (const piece of readPieces(tables, model.id, field, { ...buckets, version }))
    for (const { hour, sketch } of piece) {
      const bucket = Math.max(0, bucketAt(buckets, hour * hourMs));
      sketches[bucket] = mergeSketches(sketches[bucket] ?? emptySketch, sketch);
    }
  return sketches;
};

interface FieldSeries {
  readonly field: Field;
  readonly buckets: Buckets;
  readonly predicates: readonly Predicate[];
  /** What there is of the field for each predicate and bucket. */
  readonly sketches: readonly (readonly Sketch[])[];
}

const areAll = (predicates: readonly Predicate[]): boolean =>
  predicates.every(({ filter }) => filter === undefined);

/** What is asked for of a field, with every rule held. */
const fieldAsked = async (
  needs: Needs,
  question: Question,
  asked: AskedField,
  once: ReadOnce = (_, __, read) => read(),
) => {
  const predicates = predicatesOf(asked);
  const meant = columnsNamed(asked);
  const fields = areAll(predicates)
    ? await once(question.model, JSON.stringify(meant), () =>
        fieldsAmong(needs, question.model.id, meant),
      )
    : await fieldsOf(needs.tables, question.model.id);
  const field = findField(fields, asked);
  const buckets = bucketsOf(asked, needs.clock.now());
  requireFewPoints(buckets, predicates.length);
  return { fields, field, buckets, predicates };
};

/** The sums of a field: from what is kept by hour, or from the events where a filter is asked for. */
const fieldSeries = async (
  needs: Needs,
  question: Question,
  asked: AskedField,
  is?: Awaited<ReturnType<typeof fieldAsked>>,
): Promise<FieldSeries> => {
  const { fields, field, buckets, predicates } = is ?? (await fieldAsked(needs, question, asked));
  const { version } = asked;
  if (areAll(predicates)) {
    const key = fieldKey(needs, field.column);
    const sketches = await sumsBy(needs, question, key, buckets, version);
    return { field, buckets, predicates, sketches: predicates.map(() => sketches) };
  }
  const columns = columnsFor(fields);
  if (predicates.every(({ segmentId }) => segmentId !== undefined)) {
    const sketches: (readonly Sketch[])[] = [];
    for (const { filter, segmentId = '' } of predicates) {
      if (filter === undefined) continue; // a segment has one
      const rolled = { ...question, segmentId, filter, column: field.column, columns };
      sketches.push(await segmentSums(needs, rolled, buckets, version));
    }
    return { field, buckets, predicates, sketches };
  }
  const values = predicates.map(() => buckets.starts.map((): Value[] => []));
  await scan(
    needs,
    question,
    { buckets, version, predicates, columns, reads: [field.column] },
    (batch) => {
      const column = batch.column(field.column);
      return (predicate, bucket, row) => {
        const value = column(row);
        if (value !== undefined) values[predicate]?.[bucket]?.push(value);
      };
    },
  );
  return {
    field,
    buckets,
    predicates,
    sketches: values.map((one) => one.map((held) => sketchOf(held))),
  };
};

export const percentiles = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1] as const;
const mostCategories = 100;

/** The most frequent texts over all series, as many as a reply has room for. */
const categoriesOf = (sketches: readonly (readonly Sketch[])[]): readonly string[] => {
  const room = Math.floor(mostPoints / Math.max(1, sketches.flat().length));
  const counts = new Map<string, number>();
  for (const sketch of sketches.flat())
    for (const [text, n] of Object.entries(sketch.texts))
      counts.set(text, (counts.get(text) ?? 0) + n);
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, Math.max(1, Math.min(mostCategories, room)))
    .map(([text]) => text);
};

/** Percentiles of numbers, or counts of texts, as percentages where that is asked for. */
export const distribution = async (
  needs: Needs,
  question: Question,
  asked: AskedField & { readonly normalize?: boolean | undefined },
) => {
  const { field, buckets, predicates, sketches } = await fieldSeries(needs, question, asked);
  if (field.numeric) requireFewPoints(buckets, predicates.length * percentiles.length);
  const categories = field.numeric ? [] : categoriesOf(sketches);
  return {
    data: predicates.map(({ key }, at) => {
      const sketchAt = (bucket: number): Sketch => sketches[at]?.[bucket] ?? emptySketch;
      const shareOf = (sketch: Sketch, text: string): number => {
        const n = sketch.texts[text] ?? 0;
        return asked.normalize !== true ? n : (100 * n) / Math.max(1, sizeOf(sketch));
      };
      return {
        predicateKey: key,
        chartData: field.numeric
          ? percentiles.map((share) => ({
              value: share,
              points: pointsOf(buckets, (bucket) => quantileOf(sketchAt(bucket), share)),
            }))
          : categories.map((text) => ({
              value: text,
              points: pointsOf(buckets, (bucket) => shareOf(sketchAt(bucket), text)),
            })),
      };
    }),
  };
};

const densityPoints = 50;

/** The density of the numbers of the whole span: shares of equal widths over the width, so that the area below is 1. */
const densityOf = (sketch: Sketch): readonly { readonly x: number; readonly y: number }[] => {
  const { min, max, numbers } = sketch;
  if (min === null || max === null) return [];
  if (min === max) return [{ x: min, y: 1 }];
  const width = (max - min) / densityPoints;
  const edges = Array.from({ length: densityPoints }, (_, at) => min + (at + 1) * width);
  return countIn({ of: 'ranges', edges: edges.slice(0, -1) }, sketch).map((n, at) => ({
    x: min + (at + 0.5) * width,
    y: n / numbers / width,
  }));
};

export const density = async (needs: Needs, question: Question, asked: AskedField) => {
  const { field, predicates, sketches } = await fieldSeries(needs, question, asked);
  if (!field.numeric)
    throw new Failure('invalid', `${field.column} holds texts, which have no density`);
  return {
    data: predicates.map(({ key }, at) => ({
      predicateKey: key,
      pdfDistributionGraphs: {
        wholeTimeRangeDistribution: {
          graphPoints: densityOf((sketches[at] ?? []).reduce(mergeSketches, emptySketch)),
        },
      },
    })),
  };
};

interface DriftPoint {
  readonly x: string;
  readonly y: number | null;
  readonly sampleCount: number;
  readonly noiseFloor95: number | null;
  readonly significant: boolean;
  readonly relative?: number;
  /** Of the two that are tests, how likely so large a value is without drift. */
  readonly pValue?: number;
}

const isTest = (algorithm: Algorithm): boolean => algorithm === 'KS' || algorithm === 'CHI2';

const pointOf = (x: string, algorithm: Algorithm, drift: Drift | undefined): DriftPoint => {
  if (drift === undefined)
    return { x, y: null, sampleCount: 0, noiseFloor95: null, significant: false };
  const { value, sampleCount, noiseFloor95, significant, relative } = drift;
  return {
    ...{ x, y: value, sampleCount, noiseFloor95, significant },
    ...(relative === undefined ? {} : { relative }),
    ...(isTest(algorithm) ? { pValue: drift.pValue() } : {}),
  };
};
/** The same as JSON. */
const pointText = (x: string, algorithm: Algorithm, drift: Drift | undefined): string => {
  if (drift === undefined) return JSON.stringify(pointOf(x, algorithm, drift));
  const { value, sampleCount, noiseFloor95, significant, relative } = drift;
  const number = (given: number): string => (Number.isFinite(given) ? `${given}` : 'null');
  const ratio = relative === undefined ? '' : `,"relative":${number(relative)}`;
  const last = isTest(algorithm) ? `${ratio},"pValue":${number(drift.pValue())}` : ratio;
  return `{"x":"${x}","y":${number(value)},"sampleCount":${number(sampleCount)},"noiseFloor95":${number(noiseFloor95)},"significant":${significant}${last}}`;
};
const bucketsAtOnce = 100;

/** How far each bucket is from the model's baseline. Null where there is no baseline, or no value in the bucket. */
export const driftSeries = async (
  needs: Needs,
  question: Question,
  asked: AskedField & AskedCounting & { readonly baselineId?: string | undefined },
  mayChoose: boolean,
  /** What is kept between requests. */
  kept = new DriftDays(),
) => {
  const algorithm = algorithmOf(asked.algorithmType);
  if (!mayChoose && algorithm !== 'EMD')
    throw new Failure('invalid', 'other measures than EMD are switched off here');
  const { baselineId, version } = asked;
  const { model, signal } = question;
  const [is, baseline] = await Promise.all([
    fieldAsked(needs, question, asked, kept.once),
    findBaseline(needs, model, baselineId, version, kept.once),
  ]);
  const { field, buckets, predicates } = is;
  const isOfAll = areAll(predicates);
  const counting = countingOf(asked, algorithm, { isNumeric: field.numeric, isOfAll });
  const series = predicates.map((): DriftPoint[] => []);
  let written: readonly DriftPoint[] | undefined;
  const turns = new Turns(signal);
  const add = (bucket: number, driftOfSeries: (at: number) => Drift | undefined) => {
    const x = isoOf(buckets.starts[bucket] ?? 0);
    for (const [at, points] of series.entries())
      points.push(pointOf(x, algorithm, driftOfSeries(at)));
  };
  if (baseline === undefined)
    for (let bucket = 0; bucket < buckets.starts.length; bucket++) add(bucket, () => undefined);
  else if (isOfAll && baseline.kind !== 'moving') {
    const one = { model, baseline, column: field.column, version, buckets, signal };
    const { sketch, revision } = await kept.before(needs, one);
    const comparing = comparingWith(algorithm, sketch, counting.against(sketch));
    // Measures that look at bins alone share what they are made of.
    const of = `${isOfValues(algorithm) ? algorithm : 'bins'} ${counting.name}`;
    const measure = { revision, of, algorithm: `${algorithm} ${counting.smoothing}` };
    const text = await kept.points(needs, one, measure, comparing, (at, held) =>
      pointText(isoOf(at), algorithm, held && comparing.judge(held)),
    );
    // Months of points by hour are written once, and not for each reply.
    written = new KeptJson(text) as unknown as readonly DriftPoint[]; // the text of a list of them
  } else {
    const { sketches } = await fieldSeries(needs, question, asked, is);
    const against =
      (bucket: number, driftFrom: ((current: Sketch) => Drift | undefined) | undefined) =>
      (at: number): Drift | undefined => {
        const current = sketches[at]?.[bucket] ?? emptySketch;
        return current === emptySketch ? undefined : driftFrom?.(current);
      };
    if (baseline.kind === 'moving') {
      let bucket = 0;
      for await (const before of movingSketches(needs, baseline, field.column, buckets.starts)) {
        await turns.offer();
        const isAsked = sketches.some((one) => one[bucket] !== emptySketch);
        const drifts = isAsked
          ? driftsFrom(algorithm, before, counting.against(before))
          : undefined;
        add(bucket, against(bucket, drifts));
        bucket++;
      }
    } else {
      const before = await baselineSketch(needs, baseline, field.column, buckets.from);
      const driftFrom = driftsFrom(algorithm, before, counting.against(before));
      for (let bucket = 0; bucket < buckets.starts.length; bucket++) {
        if (bucket % bucketsAtOnce === 0) await turns.offer();
        add(bucket, against(bucket, driftFrom));
      }
    }
  }
  return {
    data: predicates.map(({ key }, at) => ({
      predicateKey: key,
      data: written ?? series[at] ?? [],
    })),
    algorithm,
    smoothing: counting.smoothing,
    binning: counting.binning,
    includeMissing: counting.withMissing,
    baseline: baseline ?? null,
  };
};

const comparedRanges = 24;

/** Where a comparison is cut: numbers into ranges of one width over both sides, texts by the most frequent ones of the baseline. */
const comparedBins = (before: Sketch | undefined, current: Sketch): Bins => {
  const both = before === undefined ? current : mergeSketches(before, current);
  if (both.numbers === 0 || both.min === null || both.max === null)
    return binsOf(before ?? current);
  const width = (both.max - both.min) / comparedRanges;
  const { min } = both;
  return {
    of: 'ranges',
    edges:
      width === 0
        ? []
        : Array.from({ length: comparedRanges - 1 }, (_, at) => min + (at + 1) * width),
  };
};

/** Counts of bins, in which texts without a bin of their own share the last one. */
const sharedCounts = (bins: Bins, sketch: Sketch): readonly number[] => {
  const counts = countIn(bins, sketch);
  if (bins.of !== 'texts' || bins.others === undefined) return counts;
  return [...counts.slice(0, -2), (counts.at(-2) ?? 0) + (counts.at(-1) ?? 0)];
};

/** The values of a field over the whole span beside those of the baseline, as shares of each side. */
export const comparison = async (
  needs: Needs,
  question: Question,
  asked: AskedField & { readonly baselineId?: string | undefined },
) => {
  const { field, buckets, sketches } = await fieldSeries(needs, question, asked);
  const current = (sketches[0] ?? []).reduce(mergeSketches, emptySketch);
  const baseline = await findBaseline(needs, question.model, asked.baselineId, asked.version);
  const before = baseline && (await baselineSketch(needs, baseline, field.column, buckets.from));
  const bins = comparedBins(before, current);
  const [now, then] = [sharedCounts(bins, current), before && sharedCounts(bins, before)];
  const total = (counts: readonly number[] = []) => counts.reduce((sum, n) => sum + n, 0);
  const shareIn = (counts: readonly number[] | undefined, at: number): number | null =>
    counts === undefined || total(counts) === 0 ? null : (counts[at] ?? 0) / total(counts);
  const edges = bins.of === 'ranges' ? bins.edges : undefined;
  const { min, max } = before === undefined ? current : mergeSketches(before, current);
  return {
    bins: now.map((_, at) => ({
      text: bins.of === 'texts' ? (bins.texts[at] ?? null) : null,
      from: edges === undefined ? null : (edges[at - 1] ?? min),
      to: edges === undefined ? null : (edges[at] ?? max),
      current: shareIn(now, at),
      baseline: shareIn(then, at),
    })),
    currentCount: total(now),
    baselineCount: total(then),
    baseline: baseline ?? null,
  };
};
