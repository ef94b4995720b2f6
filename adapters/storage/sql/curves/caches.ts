// What was decoded lately: full chunks and pages of rollups, as they were, never change, and a page asks for the same ones again and again.
import type { ChunkColumn } from '../metrics/packed.js';
import type { SpanAxis, Spans } from '../metrics/spans.js';
import type { Head, PageHead } from './heads.js';

export interface Cache<T> {
  find(key: string): T | undefined;
  keep(key: string, item: T): void;
}

/** A page of rollups: what is known of each of its chunks, and their checksums. */
export interface Page {
  readonly firstIndex: number;
  readonly checks: Uint32Array;
  readonly spans: Spans;
}

export interface CurveCaches {
  readonly chunks: Cache<ChunkColumn>;
  readonly pages: Cache<Page>;
}

/** Of a chunk by its checksum too: a metric that was removed and logged anew has others in the same places. */
export const chunkKey = (
  { experimentId, seriesId }: Head,
  firstIndex: number,
  check: number,
  axis: SpanAxis,
): string => `${experimentId}/${seriesId}/${firstIndex}/${check}/${axis}`;
/** Of a page likewise, by a digest of the checksums of its chunks, which is another one as the page grows. */
export const pageKey = (
  { experimentId, seriesId }: Head,
  { firstIndex, digest }: Pick<PageHead, 'firstIndex' | 'digest'>,
  axis: SpanAxis,
): string => `${experimentId}/${seriesId}/${firstIndex}/${digest}/${axis}`;

/** Forgets what was not asked for the longest once it holds more than so many bytes. */
const createCache = <T>(bytes: number, sizeOf: (item: T) => number): Cache<T> => {
  const kept = new Map<string, T>();
  let held = 0;
  return {
    find(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    keep(key, item) {
      if (kept.has(key)) return;
      kept.set(key, item);
      held += sizeOf(item);
      for (const [oldest, other] of kept) {
        if (held <= bytes) return;
        kept.delete(oldest);
        held -= sizeOf(other);
      }
    },
  };
};

const entryBytes = 300;
const mebibyte = 1024 * 1024;

export const createCurveCaches = (): CurveCaches => ({
  chunks: createCache(
    32 * mebibyte,
    ({ values, places }) => values.byteLength + places.byteLength + entryBytes,
  ),
  // Seven hundred pages: those of a series of 360 million points, or of 35 of ten million.
  pages: createCache(
    32 * mebibyte,
    ({ checks, spans }) =>
      checks.byteLength +
      Object.values(spans).reduce((sum, column) => sum + column.byteLength, 0) +
      entryBytes,
  ),
});
