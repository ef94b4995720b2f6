// Which flushes need to ask for nothing before they write: most of those of a run that goes on.
import { digestOf } from '../received.js';
import { chunkPoints } from './chunks.js';
import type { FlushCache } from './flush-cache.js';
import type { PendingLog } from './pending.js';
import type { PreparedBatch } from './prepared.js';
import { gatherRuns, type Run } from './runs.js';
import { seriesIdOf } from './series-ids.js';
import type { Home } from './writing.js';

/** A flush that may go out in one piece: where its experiments are was met lately, and each run fits one chunk. */
export interface Familiar {
  /** What is put into its series at once. */
  readonly runs: readonly Run[];
  /** What waits as it came. */
  readonly waiting: readonly PreparedBatch[];
  readonly homes: ReadonlyMap<string, Home>;
  /** Experiments with series that this process has not met, and how many others they may hold for these to have room. */
  readonly rooms: ReadonlyMap<string, number>;
}

/** Points of a series up to which a row for the whole batch is less than rows for each series of it. */
const fewPoints = 32;

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

/** Whether all series of a batch are there, as far as this process knows. */
const isKnown = (flushCache: FlushCache, { experimentId, stretches }: PreparedBatch): boolean =>
  stretches.every(
    ({ name, context }) =>
      flushCache.looseOf(experimentId + seriesIdOf(name, context)) !== undefined,
  );

/** Experiments whose batches of a flush all wait: small ones of series that are there, or ones behind others that wait. */
const findWaiting = (
  flushCache: FlushCache,
  log: PendingLog,
  batches: readonly PreparedBatch[],
): ReadonlySet<string> => {
  const [ids, no] = [new Set<string>(), new Set<string>()];
  for (const batch of batches) {
    const { experimentId: id, columns, stretches, storable } = batch;
    ids.add(id);
    if (no.has(id)) continue;
    const small = columns.values.length <= stretches.length * fewPoints;
    const fits = storable && !log.isFull(id) && (small || log.has(id));
    if (!fits || !isKnown(flushCache, batch)) no.add(id);
  }
  return new Set([...ids].filter((id) => !no.has(id)));
};

export const findFamiliar = (
  flushCache: FlushCache,
  log: PendingLog,
  batches: readonly PreparedBatch[],
): Familiar | undefined => {
  const homes = flushCache.homesOf(batches.map((batch) => batch.experimentId));
  if (homes === undefined) return undefined;
  const digests = batches.filter((batch) => batch.digest !== undefined).map(digestOf);
  if (new Set(digests).size < digests.length) return undefined;
  const ids = findWaiting(flushCache, log, batches);
  const atOnce = batches.filter(({ experimentId }) => !ids.has(experimentId));
  if (atOnce.some(({ experimentId }) => log.has(experimentId))) return undefined;
  const runs = gatherRuns(atOnce);
  if (runs.some((run) => run.count > chunkPoints)) return undefined;
  const rooms = roomsFor(flushCache, atOnce, runs);
  return [...rooms].some(([id, room]) => room < 0 || flushCache.isNearLimit(id))
    ? undefined
    : {
        runs,
        waiting: batches.filter(({ experimentId }) => ids.has(experimentId)),
        homes,
        rooms,
      };
};
