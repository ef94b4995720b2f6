// Reads points and pages of many series in few statements.
import type { Connection } from '../connection.js';
import { decodeColumn } from '../metrics/codec.js';
import { readChecks } from '../metrics/rollups.js';
import { chunkPoints } from '../metrics/chunks.js';
import { columnOf, decodeSpans, type SpanAxis } from '../metrics/spans.js';
import type { Cache } from '../cache.js';
import { pageKey, type Page } from './caches.js';
import type { Head, PageHead } from './heads.js';

/** A stretch of a series, by the indexes of its points; without an end, all that follows. */
export interface Stretch {
  readonly head: Head;
  readonly from: number;
  readonly to: number | undefined;
}

/** The points of a chunk on one axis. */
export interface Decoded {
  readonly firstIndex: number;
  readonly places: Float64Array;
  readonly values: Float64Array;
}

interface BlobRow {
  readonly arm: unknown;
  readonly first_index: unknown;
  readonly n: unknown;
  readonly points: Buffer;
}

const [stretchesAtOnce, chunksAtOnce] = [64, 512];

const countChunks = ({ head, from, to }: Stretch): number =>
  Math.ceil(((to ?? head.total) - from) / chunkPoints) + (to === undefined ? head.loose : 0);

/** Neighbouring items whose sizes together stay below a bound. */
export const inGroups = <T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  { size, items: many }: { readonly size: number; readonly items: number },
): readonly (readonly T[])[] => {
  const groups: T[][] = [];
  let taken = Infinity;
  for (const item of items) {
    const more = sizeOf(item);
    if (taken + more > size || (groups.at(-1)?.length ?? many) >= many) {
      groups.push([]);
      taken = 0;
    }
    groups.at(-1)?.push(item);
    taken += more;
  }
  return groups;
};

const readBlobs = async (
  { db, dialect }: Connection,
  stretches: readonly Stretch[],
): Promise<readonly BlobRow[]> =>
  (await dialect.run(
    db,
    `select arm, first_index, n, points from (${stretches
      .map(
        ({ to }, arm) =>
          `select ${arm} as arm, first_index, n, points from chunks where experiment_id = ? and series_id = ? and first_index >= ?${to === undefined ? '' : ' and first_index < ?'}`,
      )
      .join(' union all ')}) as found order by arm, first_index`,
    stretches.flatMap(({ head, from, to }) => [
      head.experimentId,
      head.seriesId,
      from,
      ...(to === undefined ? [] : [to]),
    ]),
  )) as readonly BlobRow[]; // the columns named

/** The chunks of each stretch, in the order of the stretches and within each in that of its points. */
export async function* readChunks(
  connection: Connection,
  stretches: readonly Stretch[],
  axis: SpanAxis,
): AsyncIterable<{ readonly stretch: Stretch; readonly chunk: Decoded }> {
  const bounds = { size: chunksAtOnce, items: stretchesAtOnce };
  for (const group of inGroups(stretches, countChunks, bounds))
    for (const row of await readBlobs(connection, group)) {
      const stretch = group[Number(row.arm)];
      if (stretch === undefined) continue;
      yield {
        stretch,
        chunk: {
          firstIndex: Number(row.first_index),
          ...decodeColumn(row.points, columnOf[axis]),
        },
      };
    }
}

interface PageRow {
  readonly arm: unknown;
  readonly first_index: unknown;
  readonly numbers: Buffer;
  readonly checks: Buffer;
}

const readPageRows = async (
  { db, dialect }: Connection,
  arms: readonly (readonly [arm: number, WantedPages])[],
  axis: SpanAxis,
): Promise<readonly PageRow[]> =>
  (await dialect.run(
    db,
    `select arm, first_index, numbers, checks from (${arms
      .map(
        ([arm]) =>
          `select ${arm} as arm, first_index, ${axis}_numbers as numbers, checks from rollups where experiment_id = ? and series_id = ? and span_points = ${chunkPoints} and ${dialect.anyOf('first_index', 'whole')}`,
      )
      .join(' union all ')}) as found`,
    arms.flatMap(([, { head, pages }]) => [
      head.experimentId,
      head.seriesId,
      pages.map(({ firstIndex }) => firstIndex),
    ]),
  )) as readonly PageRow[]; // the columns named

interface WantedPages {
  readonly head: Head;
  readonly pages: readonly PageHead[];
}

/** Pages of several series in the order of their points; a list for each. What was read before is not read again. */
export const readPages = async (
  connection: Connection,
  cache: Cache<Page>,
  wanted: readonly WantedPages[],
  axis: SpanAxis,
): Promise<readonly (readonly Page[])[]> => {
  const found = wanted.map(({ head, pages }) =>
    pages.map((page) => cache.find(pageKey(head, page, axis))),
  );
  const arms = [...wanted.entries()].flatMap(([arm, { head, pages }]) => {
    const missing = pages.filter((_, at) => found[arm]?.[at] === undefined);
    return missing.length === 0 ? [] : [[arm, { head, pages: missing }] as const];
  });
  for (const row of arms.length === 0 ? [] : await readPageRows(connection, arms, axis)) {
    const [arm, firstIndex] = [Number(row.arm), Number(row.first_index)];
    const { head, pages } = wanted[arm]!;
    const at = pages.findIndex((page) => page.firstIndex === firstIndex);
    const page = { firstIndex, checks: readChecks(row.checks), spans: decodeSpans(row.numbers) };
    found[arm]![at] = page;
    // The page may have grown since its head was read, and then has another digest.
    if (page.checks.length === pages[at]?.spans) cache.keep(pageKey(head, pages[at], axis), page);
  }
  return found.map((pages) => pages.filter((page) => page !== undefined));
};
