// Charts of several experiments as one JSON document, written series by series while they are read, so that no chart is held whole.
import type { JsonText } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { ChartPoint, Series } from '#ports/storage/metrics';
import type { Stores } from '#ports/storage/storage';

/** Points of one series in a chart that was not asked for in full. */
const sampledPoints = 5000;
/** Series and points that one request may ask for: experiments times metrics, and what they hold. */
const [seriesAtMost, pointsAtMost] = [100_000, 20_000_000];
/** A series of up to as many points is read once and held; a longer one is read again for each of its columns. */
const heldPoints = 50_000;
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

export interface ChartRequest {
  readonly experiments: readonly Experiment[];
  readonly names: readonly string[];
  readonly params: readonly string[];
  readonly full: boolean;
}

/** What one experiment has of what was asked for. */
interface Found {
  readonly experiment: Experiment;
  readonly series: ReadonlyMap<string, readonly Series[]>;
  readonly params: Readonly<Record<string, string>> | undefined;
}

type ChartStores = Pick<Stores, 'metrics' | 'values'>;

const countPoints = (series: readonly Series[]): number =>
  series.reduce((sum, { count }) => sum + count, 0);

const find = async (
  { metrics, values }: ChartStores,
  experiment: Experiment,
  { names, params }: ChartRequest,
): Promise<Found> => {
  const listed = names.length === 0 ? [] : await metrics.listSeries(experiment.id, { names });
  const series = new Map<string, Series[]>(names.map((name) => [name, []]));
  for (const one of listed) series.get(one.name)?.push(one);
  for (const name of names) if (series.get(name)?.length === 0) series.delete(name);
  const current =
    params.length === 0
      ? undefined
      : Object.fromEntries(
          (await values.list(experiment.id, 'parameter', params)).map(({ name, last }) => [
            name,
            last.text,
          ]),
        );
  return { experiment, series, params: current };
};

/** Columns of a series on the wire; `before` is the point in front of it. */
const columns: readonly (readonly [
  name: string,
  of: (point: ChartPoint, before: ChartPoint | undefined) => number | null,
])[] = [
  ['values', ({ value }) => finite(value)],
  ['steps', ({ step }) => step ?? null],
  ['epochs', ({ epoch }) => epoch ?? null],
  ['timestamps', ({ timestamp }) => timestamp],
  ['durations', ({ timestamp }, before) => timestamp - (before?.timestamp ?? timestamp)],
];

/** Every point of one name, the same ones each time it is called. */
type Reading = () => AsyncIterable<readonly ChartPoint[]>;
interface Chart {
  readonly reading: Reading;
  readonly pointCount: number;
  readonly reduced: boolean;
}

async function* only(points: readonly ChartPoint[]): AsyncIterable<readonly ChartPoint[]> {
  yield await Promise.resolve(points);
}

const chartOf = async (
  { metrics }: ChartStores,
  { id }: Experiment,
  name: string,
  series: readonly Series[],
  full: boolean,
): Promise<Chart> => {
  const counted = countPoints(series);
  if (!full || counted <= heldPoints) {
    const points = await metrics.readChart(
      id,
      name,
      full ? Number.MAX_SAFE_INTEGER : sampledPoints,
    );
    return {
      reading: () => only(points),
      pointCount: Math.max(counted, points.length), // more may have come since
      reduced: points.length < counted,
    };
  }
  return {
    async *reading() {
      for (const one of series) yield* metrics.readSeries(id, one);
    },
    pointCount: counted,
    reduced: false,
  };
};

async function* writeColumn(
  reading: Reading,
  of: (point: ChartPoint, before: ChartPoint | undefined) => number | null,
): AsyncIterable<string> {
  let before: ChartPoint | undefined;
  for await (const points of reading()) {
    const texts: string[] = [];
    for (const point of points) {
      texts.push(String(of(point, before)));
      before = point;
    }
    if (texts.length > 0) yield texts.join(',');
  }
}

/** `pointCount` are all points of the name, `reduced` says that the columns are some of them: the smallest, largest and last of even runs. */
async function* writeSeries(
  name: string,
  { reading, pointCount, reduced }: Chart,
): AsyncIterable<string> {
  yield `{"metricName":${JSON.stringify(name)},"pointCount":${pointCount},"reduced":${String(reduced)}`;
  for (const [column, of] of columns) {
    yield `,"${column}":[`;
    let between = '';
    for await (const piece of writeColumn(reading, of)) {
      yield between + piece;
      between = ',';
    }
    yield ']';
  }
  yield '}';
}

async function* writeExperiment(
  stores: ChartStores,
  { experiment, series, params }: Found,
  full: boolean,
): AsyncIterable<string> {
  const head = JSON.stringify({
    experiment_key: experiment.key,
    experimentKey: experiment.key,
    experimentName: experiment.name,
    steps: null,
    epochs: null,
  });
  yield `${JSON.stringify(experiment.key)}:${head.slice(0, -1)},"metrics":[`;
  let between = '';
  for (const [name, ofName] of series) {
    yield between;
    yield* writeSeries(name, await chartOf(stores, experiment, name, ofName, full));
    between = ',';
  }
  yield `],"params":${JSON.stringify(params ?? null)}}`;
}

async function* write(
  stores: ChartStores,
  found: readonly Found[],
  full: boolean,
): AsyncIterable<string> {
  yield '{"experiments":{';
  for (const [i, one] of found.entries()) {
    if (i > 0) yield ',';
    yield* writeExperiment(stores, one, full);
  }
  yield `},"empty":${String(found.length === 0)}}`;
}

/** Charts of the asked metrics and parameters that the experiments have; an experiment with none is left out. Rejects with `invalid` when more is asked for than one reply may hold. */
export const writeCharts = async (
  stores: ChartStores,
  request: ChartRequest,
): Promise<JsonText> => {
  const { experiments, names, full } = request;
  if (experiments.length * names.length > seriesAtMost)
    throw new Failure(
      'invalid',
      `experiments times metrics of a chart must be at most ${seriesAtMost}`,
    );
  const found: Found[] = [];
  let points = 0;
  for (const experiment of experiments) {
    const one = await find(stores, experiment, request);
    for (const series of one.series.values())
      points += full ? countPoints(series) : Math.min(countPoints(series), sampledPoints);
    if (points > pointsAtMost)
      throw new Failure(
        'invalid',
        `a chart must have at most ${pointsAtMost} points${full ? '; ask for fewer metrics, or without fetchFull' : ''}`,
      );
    if (one.series.size > 0 || Object.keys(one.params ?? {}).length > 0) found.push(one);
  }
  return { text: write(stores, found, full) };
};
