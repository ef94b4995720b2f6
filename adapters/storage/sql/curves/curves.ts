// Curves: each series is read as pages of spans where a range holds many points, as chunks where it holds few; what is not in a page yet, always as chunks.
import { Failure } from '#ports/failure';
import type {
  Curve,
  CurveAxis,
  CurveGrid,
  CurveOf,
  CurvesQuery,
  CurveStore,
} from '#ports/storage/curves';
import { keyOf, type Connection } from '../connection.js';
import type { Applying } from '../metrics/applying.js';
import { chunkPoints } from '../metrics/chunks.js';
import type { ChunkColumn } from '../metrics/packed.js';
import type { SpanAxis } from '../metrics/spans.js';
import { createBuckets, type Buckets } from './buckets.js';
import { chunkKey, type CurveCaches, type Page } from './caches.js';
import { inGroups, readChunks, readPages, type Stretch } from './chunks.js';
import { readHeads, type Head, type PageHead, type Wanted } from './heads.js';
import { planGrid, type Plan } from './plan.js';
import { readTails, type Tails } from './tails.js';

const axisOf: Readonly<Record<CurveAxis, SpanAxis>> = {
  step: 'step',
  epoch: 'epoch',
  relative: 'time',
  wall: 'time',
};

/** Most series, and most numbers of each column, that one reply holds. */
const [seriesAtMost, numbersAtMost] = [2000, 600_000];
/** Most points that a call may look over, as pages of them. */
const pagesAtMost = 20_000;

const experimentsOf = (series: readonly CurveOf[]): readonly string[] => [
  ...new Set(series.map(({ experimentId }) => experimentId)),
];

const check = ({ series, buckets, from, to, scale }: CurvesQuery): void => {
  const refuse = (sentence: string) => {
    throw new Failure('invalid', sentence);
  };
  for (const [name, place] of [['from', from] as const, ['to', to] as const])
    if (place !== undefined && !Number.isFinite(place)) refuse(`${name} must be a finite number`);
  if (series.length > seriesAtMost)
    refuse(`the series of one call must be at most ${seriesAtMost}, and are ${series.length}`);
  if (series.length * buckets > numbersAtMost)
    refuse(`series times buckets must be at most ${numbersAtMost}; ask for fewer of either`);
  if (from !== undefined && to !== undefined && to < from)
    refuse(`the range ends before it begins: from ${from} to ${to}`);
  if (scale === 'logarithmic' && from !== undefined && from <= 0)
    refuse('from must be above 0 on a logarithmic scale');
  if (scale === 'logarithmic' && to !== undefined && to <= 0)
    refuse('to must be above 0 on a logarithmic scale');
};

const isInView = (
  { from, to }: CurveGrid,
  origin: number,
  { low, high }: Pick<PageHead, 'low' | 'high'>,
): boolean =>
  low !== undefined && high !== undefined && low - origin <= to && high - origin >= from;

interface Chosen {
  readonly firstIndex: number;
  readonly key: string;
  readonly known: ChunkColumn | undefined;
}

/** What is read of one stored series: the chunks to decode among those that pages tell of, and the spans that stand for the others. */
interface Part {
  readonly head: Head;
  readonly pages: readonly Page[];
  /** The chunks that are looked at, in order, by the index of their first point; each with what was decoded of it before. */
  readonly decoded: readonly Chosen[];
}

/** Chunks across an end of the range that one series has decoded for it. */
const edgesAtMost = 16;

/** Which chunks of the pages are decoded: all of those in view, or only those across an end of the range. */
const chooseChunks = (
  pages: readonly Page[],
  { from, to }: CurveGrid,
  origin: number,
  isExact: boolean,
): readonly (readonly [firstIndex: number, check: number])[] => {
  const chosen: (readonly [number, number])[] = [];
  for (const { firstIndex, spans, checks } of pages)
    for (let at = 0; at < checks.length; at++) {
      const [low, high] = [spans.low[at]! - origin, spans.high[at]! - origin];
      if (!(low <= to && high >= from)) continue;
      const crosses = low < from || high > to;
      if (isExact || (crosses && chosen.length < edgesAtMost))
        chosen.push([firstIndex + at * chunkPoints, checks[at]!]);
    }
  return chosen;
};

/** Neighbouring chunks as one stretch each. */
const stretchesOf = ({ head, decoded }: Part): readonly Stretch[] => {
  const stretches: { head: Head; from: number; to: number }[] = [];
  for (const { firstIndex: from, known } of decoded) {
    if (known !== undefined) continue;
    const last = stretches.at(-1);
    if (last !== undefined && last.to === from) last.to = from + chunkPoints;
    else stretches.push({ head, from, to: from + chunkPoints });
  }
  return stretches;
};

/** Gives a curve its spans, in the order of their points, up to those of a chunk that is decoded instead, which is left out when it goes on. */
const createSpanFeed = ({ pages }: Part, { from, to }: CurveGrid, origin: number) => {
  let [page, at, decoded] = [0, 0, -1];
  return (buckets: Buckets, before: number): void => {
    for (; page < pages.length; page++, at = 0) {
      const { firstIndex, spans } = pages[page]!;
      for (; at < spans.low.length; at++) {
        const index = firstIndex + at * chunkPoints;
        if (index >= before) {
          decoded = before;
          return;
        }
        if (index === decoded) continue;
        if (spans.low[at]! - origin <= to && spans.high[at]! - origin >= from)
          buckets.addSpan(spans, at);
      }
    }
  };
};

/** What a group of series is read by. */
interface Reading extends Plan {
  readonly connection: Connection;
  readonly caches: CurveCaches;
  readonly tails: Tails;
  readonly axis: SpanAxis;
  readonly smoothing: number | undefined;
}

const readParts = async (
  { connection, caches, grid, isExact, axis }: Reading,
  wanted: readonly Wanted[],
): Promise<readonly (readonly Part[])[]> => {
  const heads = wanted.flatMap(({ heads: of, origin }) => of.map((head) => ({ head, origin })));
  const pages = await readPages(
    connection,
    caches.pages,
    heads.map(({ head, origin }) => ({
      head,
      pages: head.pages.filter((page) => isInView(grid, origin, page)),
    })),
    axis,
  );
  const parts = heads.map(({ head, origin }, at) => ({
    head,
    pages: pages[at] ?? [],
    decoded: chooseChunks(pages[at] ?? [], grid, origin, isExact(head)).map(
      ([firstIndex, check]) => {
        const key = chunkKey(head, firstIndex, check, axis);
        return { firstIndex, key, known: caches.chunks.find(key) };
      },
    ),
  }));
  let next = 0;
  return wanted.map(({ heads: of }) => parts.slice(next, (next += of.length)));
};

const countUnplaced = (heads: readonly Head[], tails: Tails): number =>
  heads.reduce((sum, head) => {
    const placed = head.pages.reduce((total, page) => total + page.placed, 0);
    return sum + Math.max(0, head.covered - placed) + tails.unplacedOf(head);
  }, 0);

const markOf = (heads: readonly Head[]) => ({
  total: heads.reduce((sum, { total }) => sum + total, 0),
  lastAt: heads.length === 0 ? undefined : Math.max(...heads.map(({ lastAt }) => lastAt)),
});

/** Curves of a group of series, whose pages are held together. */
const readGroup = async (
  reading: Reading,
  wanted: readonly Wanted[],
): Promise<readonly Curve[]> => {
  const { connection, caches, grid, tails, axis, smoothing } = reading;
  const parts = await readParts(reading, wanted);
  const chunks = readChunks(connection, parts.flat().flatMap(stretchesOf), axis)[
    Symbol.asyncIterator
  ]();
  const nextChunk = async ({ firstIndex, key }: Chosen): Promise<ChunkColumn> => {
    const next = await chunks.next();
    if (next.done === true || next.value.chunk.firstIndex !== firstIndex)
      throw new Failure('absent', 'a metric of the chart was removed while it was read');
    caches.chunks.keep(key, next.value.chunk);
    return next.value.chunk;
  };
  const curves: Curve[] = [];
  for (const [i, { origin, heads }] of wanted.entries()) {
    const buckets = createBuckets(grid, origin, smoothing);
    for (const part of parts[i] ?? []) {
      const feed = createSpanFeed(part, grid, origin);
      for (const chosen of part.decoded) {
        feed(buckets, chosen.firstIndex);
        const { places, values } = chosen.known ?? (await nextChunk(chosen));
        buckets.addPoints(places, values, 0);
      }
      feed(buckets, Infinity);
      for await (const { places, values, skip } of tails.read(part.head))
        buckets.addPoints(places, values, skip);
    }
    curves.push({
      ...buckets.finish(),
      unplaced: countUnplaced(heads, tails),
      ...markOf(heads),
    });
  }
  return curves;
};

const nothing = {
  columns: {
    bucket: new Float64Array(),
    x: new Float64Array(),
    last: new Float64Array(),
    min: new Float64Array(),
    max: new Float64Array(),
    mean: new Float64Array(),
    count: new Float64Array(),
  },
  points: 0,
  skipped: 0,
  spansCut: 0,
} as const;

/** Series whose pages are held at once, and how many pages. */
const groupBounds = { size: 512, items: 200 };

/** `caches` are the process's own, since they outlive a transaction; `applying` puts into series what waits for them. */
export const curveStore = (
  connection: Connection,
  caches: CurveCaches,
  applying: Applying,
): CurveStore => ({
  async read(query) {
    check(query);
    const axis = axisOf[query.axis];
    await applying.ofExperiments(connection, experimentsOf(query.series));
    const heads = await readHeads(connection, query.series, axis);
    const wanted = query.series.map((of, at): Wanted => ({
      of,
      origin: query.axis === 'relative' ? (of.originAt ?? 0) : 0,
      heads: heads[at] ?? [],
    }));
    const countPages = ({ heads: some }: Wanted) =>
      some.reduce((sum, { pages }) => sum + pages.length, 0);
    if (wanted.reduce((sum, one) => sum + countPages(one), 0) > pagesAtMost)
      throw new Failure(
        'invalid',
        `the series of one call must have at most ${pagesAtMost * 512 * chunkPoints} points together`,
      );
    const tails = await readTails(connection, heads.flat(), axis);
    const plan = await planGrid({ connection, caches }, query, wanted, tails, axis);
    if (plan === undefined)
      return {
        grid: undefined,
        curves: heads.map((some) => ({
          ...nothing,
          unplaced: countUnplaced(some, tails),
          ...markOf(some),
        })),
      };
    const curves: Curve[] = [];
    for (const group of inGroups(wanted, countPages, groupBounds))
      curves.push(
        ...(await readGroup(
          { ...plan, connection, caches, tails, axis, smoothing: query.smoothing },
          group,
        )),
      );
    return { grid: plan.grid, curves };
  },
  async mark(series, beside = []) {
    await applying.ofExperiments(connection, experimentsOf(series));
    const heads = await readHeads(connection, series, 'time');
    const marks = heads.map(markOf).flatMap(({ total, lastAt }) => [total, lastAt ?? '']);
    return keyOf(...beside, ...marks.map(String));
  },
});
