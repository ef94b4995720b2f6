// What was decoded lately: full chunks and pages of rollups, as they were, never change, and a page asks for the same ones again and again.
import { createCache, type Cache } from '../cache.js';
import type { ChunkColumn } from '../metrics/packed.js';
import type { SpanAxis, Spans } from '../metrics/spans.js';
import type { Head, PageHead } from './heads.js';

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
