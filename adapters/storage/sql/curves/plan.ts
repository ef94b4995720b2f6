// What a call looks at point by point and what it leaves to spans, and the grid that suits both.
import type { CurveGrid, CurvesQuery } from '#ports/storage/curves';
import type { Connection } from '../connection.js';
import { chunkPoints } from '../metrics/chunks.js';
import type { SpanAxis } from '../metrics/spans.js';
import type { CurveCaches } from './caches.js';
import { readChunks, readPages } from './chunks.js';
import type { Head, PageHead, Wanted } from './heads.js';
import type { Tails } from './tails.js';

/** Chunks that a call decodes without a second thought; and the most that it decodes so that its grid does not become coarse. */
const [easyChunks, mostChunks] = [400, 8000];
/** A grid of fewer buckets is coarse. */
const coarseBuckets = 200;
/** Spans that a bucket holds at least, where spans are used. */
const spansPerBucket = 2;

/** Where pages and chunks are read. */
interface Stored {
  readonly connection: Connection;
  readonly caches: CurveCaches;
}

export interface Plan {
  readonly grid: CurveGrid;
  /** Whether every point in view of a series is looked at. */
  readonly isExact: (head: Head) => boolean;
}

/** How many chunks of a page lie in the range, if its points are spread evenly. */
const chunksInView = (
  { from, to }: Pick<CurveGrid, 'from' | 'to'>,
  origin: number,
  { low, high, spans }: PageHead,
): number => {
  if (low === undefined || high === undefined) return 0;
  const [first, last] = [low - origin, high - origin];
  if (first > to || last < from) return 0;
  if (last === first) return spans;
  return (spans * (Math.min(last, to) - Math.max(first, from))) / (last - first) + 2;
};

/** Decodes series from the shortest on while they are few chunks; the others set how fine the grid can be. */
const decide = (
  heads: readonly { readonly head: Head; readonly chunks: number }[],
  buckets: number,
): { readonly buckets: number; readonly isExact: Plan['isExact'] } => {
  const all = heads.reduce((sum, { chunks }) => sum + chunks, 0);
  if (all <= easyChunks) return { buckets, isExact: () => true };
  const sorted = [...heads].sort((a, b) => a.chunks - b.chunks);
  const exact = new Set<Head>();
  let decoded = 0;
  for (const { head, chunks } of sorted) {
    decoded += chunks;
    const fine = Math.min(buckets, coarseBuckets) * spansPerBucket;
    if (decoded > mostChunks || (decoded > easyChunks && chunks >= fine))
      return {
        buckets: Math.max(1, Math.min(buckets, Math.floor(chunks / spansPerBucket))),
        isExact: (one) => exact.has(one),
      };
    exact.add(head);
  }
  return { buckets, isExact: () => true };
};

const edges = (wanted: readonly Wanted[], tails: Tails, isAboveZero: boolean) => {
  let [low, high] = [Infinity, -Infinity];
  for (const { heads, origin } of wanted)
    for (const head of heads) {
      const reach = tails.reachOf(head);
      low = Math.min(low, reach.low - origin);
      high = Math.max(high, reach.high - origin);
      for (const page of head.pages) {
        if (page.low === undefined || page.high === undefined) continue;
        low = Math.min(low, page.low - origin);
        high = Math.max(high, page.high - origin);
      }
    }
  if (low > high || (isAboveZero && high <= 0)) return undefined;
  return { low, high };
};

/** The first place above 0 of all series, where some lie at or below it: the pages that hold both are looked at, and their chunks that do. */
const firstAboveZero = async (
  { connection, caches }: Stored,
  wanted: readonly Wanted[],
  tails: Tails,
  axis: SpanAxis,
): Promise<number> => {
  let first = Infinity;
  const see = (place: number) => {
    if (place > 0 && place < first) first = place;
  };
  for (const { heads, origin } of wanted)
    for (const head of heads) {
      for await (const { places } of tails.read(head))
        for (const place of places) see(place - origin);
      for (const { low } of head.pages) if (low !== undefined) see(low - origin);
      const crossing = head.pages.filter(
        ({ low, high }) =>
          low !== undefined && high !== undefined && low <= origin && high > origin,
      );
      const [pages = []] = await readPages(
        connection,
        caches.pages,
        [{ head, pages: crossing }],
        axis,
      );
      for (const { firstIndex, spans } of pages)
        for (let at = 0; at < spans.low.length; at++) {
          see(spans.low[at]! - origin);
          if (!(spans.low[at]! <= origin && spans.high[at]! - origin > 0)) continue;
          const from = firstIndex + at * chunkPoints;
          const stretch = { head, from, to: from + chunkPoints };
          for await (const { chunk } of readChunks(connection, [stretch], axis))
            for (const place of chunk.places) see(place - origin);
        }
    }
  return first;
};

/** The grid and what is decoded for it; nothing where there is no point and no range. */
export const planGrid = async (
  stored: Stored,
  { from, to, buckets, scale }: CurvesQuery,
  wanted: readonly Wanted[],
  tails: Tails,
  axis: SpanAxis,
): Promise<Plan | undefined> => {
  const isLogarithmic = scale === 'logarithmic';
  const reach =
    from === undefined || to === undefined ? edges(wanted, tails, isLogarithmic) : undefined;
  const begin =
    from ??
    (reach !== undefined && isLogarithmic && reach.low <= 0
      ? await firstAboveZero(stored, wanted, tails, axis)
      : reach?.low) ??
    to;
  const end = to ?? reach?.high ?? from;
  if (begin === undefined || end === undefined) return undefined;
  const range = {
    from: to === undefined ? begin : Math.min(begin, end),
    to: from === undefined ? end : Math.max(begin, end),
  };
  const decided = decide(
    wanted.flatMap(({ heads, origin }) =>
      heads.map((head) => ({
        head,
        chunks: head.pages.reduce((sum, page) => sum + chunksInView(range, origin, page), 0),
      })),
    ),
    buckets,
  );
  return {
    grid: { ...range, buckets: range.to > range.from ? decided.buckets : 1, scale },
    isExact: decided.isExact,
  };
};
