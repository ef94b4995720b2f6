// Full chunks that were decoded lately: they never change, and a page asks for the same ones again and again.
import type { ChunkColumn } from '../metrics/packed.js';
import type { SpanAxis } from '../metrics/spans.js';
import type { Head } from './heads.js';

export interface ChunkCache {
  find(key: string): ChunkColumn | undefined;
  keep(key: string, chunk: ChunkColumn): void;
}

/** Of a chunk by its checksum too: a metric that was removed and logged anew has others in the same places. */
export const chunkKey = (
  { experimentId, seriesId }: Head,
  firstIndex: number,
  check: number,
  axis: SpanAxis,
): string => `${experimentId}/${seriesId}/${firstIndex}/${check}/${axis}`;

/** Forgets what was not asked for the longest once it holds more than so many bytes. */
export const createChunkCache = (bytes = 32 * 1024 * 1024): ChunkCache => {
  const kept = new Map<string, ChunkColumn>();
  let held = 0;
  const sizeOf = ({ values, places }: ChunkColumn) => values.byteLength + places.byteLength + 300;
  return {
    find(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    keep(key, chunk) {
      if (kept.has(key)) return;
      kept.set(key, chunk);
      held += sizeOf(chunk);
      for (const [oldest, other] of kept) {
        if (held <= bytes) return;
        kept.delete(oldest);
        held -= sizeOf(other);
      }
    },
  };
};
