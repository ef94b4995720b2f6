// The points of series that no page of rollups tells of yet: decoded always, so that a point is seen once it was acknowledged.
import type { Connection } from '../connection.js';
import { readChunks, type Decoded, type Stretch } from './chunks.js';
import type { Head } from './heads.js';
import type { SpanAxis } from '../metrics/spans.js';

export interface TailPoints extends Pick<Decoded, 'places' | 'values'> {
  /** Points at the beginning that were given before. */
  readonly skip: number;
}

export interface Tails {
  /** Points without a place on the axis. */
  unplacedOf(head: Head): number;
  /** First and last place, and the first above 0. */
  reachOf(head: Head): Reach;
  read(head: Head): AsyncIterable<TailPoints>;
}

export interface Reach {
  low: number;
  high: number;
  lowAboveZero: number;
}

interface Tail extends Reach {
  unplaced: number;
  next: number;
  readonly points: TailPoints[];
  /** Whether all of its points are held; otherwise they are read again. */
  isHeld: boolean;
}

/** Points that are held between finding the range and filling its buckets: 16 bytes each. */
const heldPoints = 2_000_000;

const keyOf = ({ experimentId, seriesId }: Head) => `${experimentId}/${seriesId}`;

const stretchOf = (head: Head): Stretch => ({ head, from: head.covered, to: undefined });

const measure = (tail: Tail, places: Float64Array, skip: number): void => {
  for (let at = skip; at < places.length; at++) {
    const place = places[at]!;
    if (place !== place) {
      tail.unplaced++;
      continue;
    }
    if (place < tail.low) tail.low = place;
    if (place > tail.high) tail.high = place;
    if (place > 0 && place < tail.lowAboveZero) tail.lowAboveZero = place;
  }
};

const emptyTail = (next: number): Tail => ({
  unplaced: 0,
  low: Infinity,
  high: -Infinity,
  lowAboveZero: Infinity,
  next,
  points: [],
  isHeld: true,
});

/** Points of one series, each once. */
async function* readAgain(
  connection: Connection,
  head: Head,
  axis: SpanAxis,
): AsyncIterable<TailPoints> {
  let next = head.covered;
  for await (const { chunk } of readChunks(connection, [stretchOf(head)], axis)) {
    yield {
      places: chunk.places,
      values: chunk.values,
      skip: Math.max(0, next - chunk.firstIndex),
    };
    next = chunk.firstIndex + chunk.values.length;
  }
}

export const readTails = async (
  connection: Connection,
  heads: readonly Head[],
  axis: SpanAxis,
): Promise<Tails> => {
  const tails = new Map<string, Tail>();
  const open: Head[] = [];
  for (const head of heads) {
    if (head.total <= head.covered || tails.has(keyOf(head))) continue;
    tails.set(keyOf(head), emptyTail(head.covered));
    open.push(head);
  }
  let held = 0;
  for await (const { stretch, chunk } of readChunks(connection, open.map(stretchOf), axis)) {
    const tail = tails.get(keyOf(stretch.head));
    if (tail === undefined) continue;
    const { places, values, firstIndex } = chunk;
    const skip = Math.max(0, tail.next - firstIndex);
    tail.next = firstIndex + values.length;
    measure(tail, places, skip);
    held += values.length;
    if (held > heldPoints) tail.isHeld = false;
    else if (tail.isHeld) tail.points.push({ places, values, skip });
  }
  const none = emptyTail(0);
  const of = (head: Head): Tail => tails.get(keyOf(head)) ?? none;
  return {
    unplacedOf: (head) => of(head).unplaced,
    reachOf: of,
    async *read(head) {
      const tail = of(head);
      if (tail.isHeld) yield* tail.points;
      else yield* readAgain(connection, head, axis);
    },
  };
};
