// Which flushes need to ask for nothing before they write: most of those of a run that goes on.
import { chunkPoints } from './chunks.js';
import type { FlushCache } from './flush-cache.js';
import type { PreparedBatch } from './prepared.js';
import { gatherRuns, type Run } from './runs.js';

/** A batch as it is told apart from others. */
export const digestOf = (batch: PreparedBatch): string =>
  `${batch.experimentId}${batch.digest ?? ''}`;

/** A flush that may go out in one piece: where its experiments are was met lately, and each run fits one chunk. */
export interface Familiar {
  readonly runs: readonly Run[];
  readonly homes: ReadonlyMap<string, string>;
  /** Experiments with series that this process has not met, and how many others they may hold for these to have room. */
  readonly rooms: ReadonlyMap<string, number>;
}

/** Room for series that this process has not met. They may be there all the same, so it is none too large. */
const roomsFor = (
  flushCache: FlushCache,
  batches: readonly PreparedBatch[],
  runs: readonly Run[],
): ReadonlyMap<string, number> => {
  const rooms = new Map<string, number>();
  for (const { experimentId, key } of runs)
    if (flushCache.looseOf(key) === undefined)
      rooms.set(experimentId, (rooms.get(experimentId) ?? 0) - 1);
  if (rooms.size > 0)
    for (const [id, limit] of limitsOf(batches))
      if (rooms.has(id)) rooms.set(id, (rooms.get(id) ?? 0) + limit);
  return rooms;
};

/** Series that each experiment may hold: the largest that a batch says. */
export const limitsOf = (batches: readonly PreparedBatch[]): ReadonlyMap<string, number> => {
  const limits = new Map<string, number>();
  for (const { experimentId, seriesLimit } of batches)
    limits.set(experimentId, Math.max(limits.get(experimentId) ?? 0, seriesLimit));
  return limits;
};

export const findFamiliar = (
  flushCache: FlushCache,
  batches: readonly PreparedBatch[],
): Familiar | undefined => {
  const homes = flushCache.homesOf(batches.map((batch) => batch.experimentId));
  if (homes === undefined) return undefined;
  const digests = batches.filter((batch) => batch.digest !== undefined).map(digestOf);
  const runs = gatherRuns(batches);
  if (new Set(digests).size < digests.length || runs.some((run) => run.count > chunkPoints))
    return undefined;
  const rooms = roomsFor(flushCache, batches, runs);
  return [...rooms].some(([id, room]) => room < 0 || flushCache.isNearLimit(id))
    ? undefined
    : { runs, homes, rooms };
};
