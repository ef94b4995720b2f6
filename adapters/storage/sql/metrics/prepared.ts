// A batch as it waits to be written: its points side by side and sorted by series, a fraction of the objects that brought them.
import { requestIdOf } from '../received.js';
import type { MetricBatch, MetricPoint } from '#ports/storage/metrics';
import { numberOf } from './numbers.js';
import type { Columns } from './points.js';

/** Where the points of one series stand in the columns of a batch. */
export interface Stretch {
  readonly name: string;
  readonly context: string | undefined;
  readonly from: number;
  readonly to: number;
}

export interface PreparedBatch {
  readonly experimentId: string;
  readonly digest: string | undefined;
  readonly receivedAt: number;
  readonly seriesLimit: number;
  readonly columns: Columns;
  readonly stretches: readonly Stretch[];
  /** Whether the database is sure to take every value, so that the batch may be acknowledged before they are in their series. */
  readonly storable: boolean;
  /** What it takes while it waits, roughly. */
  readonly bytes: number;
}

interface Counted {
  readonly name: string;
  readonly context: string | undefined;
  readonly at: number;
  count: number;
  next: number;
}

/** Which series each point belongs to, in the order in which series first appear. */
const sortOut = (
  points: readonly MetricPoint[],
): { readonly series: readonly Counted[]; readonly owners: Uint32Array } => {
  const known = new Map<string, Counted>();
  const series: Counted[] = [];
  const owners = new Uint32Array(points.length);
  let last: Counted | undefined;
  for (let i = 0; i < points.length; i++) {
    const { name, context } = points[i]!;
    if (last === undefined || last.name !== name || last.context !== context) {
      const key = context === undefined ? name : `${context}\0${name}`;
      last = known.get(key);
      if (last === undefined) {
        last = { name, context, at: series.length, count: 0, next: 0 };
        known.set(key, last);
        series.push(last);
      }
    }
    last.count++;
    owners[i] = last.at;
  }
  return { series, owners };
};

const pointBytes = 32;
const stretchBytes = 100;
const batchBytes = 500;

/** Takes over everything a batch brings; points of one series keep their order. */
export const prepareBatch = ({
  experimentId,
  points,
  digest,
  receivedAt,
  seriesLimit = Infinity,
}: MetricBatch): PreparedBatch => {
  const { series, owners } = sortOut(points);
  let start = 0;
  for (const one of series) {
    one.next = start;
    start += one.count;
  }
  const all = new Float64Array(points.length * 4);
  const [values, timestamps, steps, epochs] = [0, 1, 2, 3].map((column) =>
    all.subarray(points.length * column, points.length * (column + 1)),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array]; // four, as listed
  const texts = new Map<number, string>();
  let storable = true;
  let textBytes = 0;
  for (let i = 0; i < points.length; i++) {
    const { text, timestamp, step, epoch } = points[i]!;
    const at = series[owners[i]!]!.next++;
    const value = typeof text === 'number' ? text : numberOf(text);
    if (typeof text === 'string' && String(value) !== text) {
      texts.set(at, text);
      storable &&= !text.includes('\0') && text.isWellFormed();
      textBytes += text.length + pointBytes;
    }
    values[at] = value;
    timestamps[at] = timestamp;
    steps[at] = step ?? NaN;
    epochs[at] = epoch ?? NaN;
    storable &&=
      Number.isSafeInteger(timestamp) &&
      (step === undefined || Number.isSafeInteger(step)) &&
      (epoch === undefined || Number.isSafeInteger(epoch));
  }
  const stretches = series.map(({ name, context, count, next }) => ({
    name,
    context,
    from: next - count,
    to: next,
  }));
  return {
    experimentId,
    digest: requestIdOf(digest),
    receivedAt,
    seriesLimit,
    columns: { values, timestamps, steps, epochs, texts },
    stretches,
    storable,
    bytes: batchBytes + points.length * pointBytes + stretches.length * stretchBytes + textBytes,
  };
};
