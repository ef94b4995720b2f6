// Copies what a run has logged into a new one, some points in each transaction, so that a copy that breaks off is finished from where it stood.
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Job } from '#ports/jobs';
import type { Log } from '#ports/log';
import { pointsIn, type MetricPoint } from '#ports/storage/metrics';
import type { RunCopy } from '#ports/storage/run-copies';
import type { StorageOf, Stores } from '#ports/storage/storage';
import type { LoggedKind } from '#ports/storage/values';
import { nameKey } from '../parameters/rules.js';

export interface CopyingNeeds {
  readonly storage: StorageOf<'metrics' | 'runCopies' | 'values'>;
  readonly clock: Clock;
}

/** Points of many metrics go in one write: a write costs about as much for one metric as for hundreds. */
const pointsPerPiece = 5000;

const within = (step: number | undefined, lastStep: number | undefined): boolean =>
  lastStep === undefined || step === undefined || step <= lastStep;

/** Up to which metric the points are copied, and how many of that one's, by context. */
interface Place {
  readonly name: string;
  readonly taken: readonly (readonly [context: string | null, count: number])[];
}
interface Piece {
  readonly points: readonly MetricPoint[];
  readonly place: string;
}

const readPlace = (text: string | undefined): Place | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as Place); // as written below

/** What there is to copy from where a copy stands. Metrics are gone through in the order of their names. */
async function* readPieces(
  { metrics }: Pick<Stores, 'metrics'>,
  { fromId, lastStep, place: stood }: RunCopy,
): AsyncIterable<Piece> {
  const begun = readPlace(stood);
  const names = new Set((await metrics.listSeries(fromId)).map(({ name }) => name));
  let points: MetricPoint[] = [];
  let place = '';
  for (const name of names) {
    if (begun !== undefined && name < begun.name) continue;
    const taken = new Map(begun?.name === name ? begun.taken : []);
    const toSkip = new Map(taken);
    for await (const some of metrics.readPoints(fromId, name)) {
      for (const point of pointsIn(some)) {
        const context = point.context ?? null;
        const left = toSkip.get(context) ?? 0;
        toSkip.set(context, left - 1);
        if (left > 0) continue;
        taken.set(context, (taken.get(context) ?? 0) + 1);
        if (within(point.step, lastStep)) points.push({ ...point, name });
      }
      place = JSON.stringify({ name, taken: [...taken] } satisfies Place);
      if (points.length < pointsPerPiece) continue;
      yield { points, place };
      points = [];
    }
  }
  if (points.length > 0) yield { points, place };
}

/** The extremes come first, so that they are the copy's extremes and the current value stays current. */
const copyValues = async (
  stores: Pick<Stores, 'values'>,
  kind: LoggedKind,
  { fromId, toId, lastStep }: RunCopy,
  now: number,
): Promise<void> => {
  const found = (await stores.values.list(fromId, kind)).filter(
    (value) => kind !== 'other' || value.name !== nameKey,
  );
  const values = found.flatMap(({ name, context, min, max, last }) =>
    [min, max, last]
      .filter(({ step }) => within(step, lastStep))
      .map((moment) => ({ name, context, ...moment })),
  );
  await stores.values.write({ experimentId: toId, kind, values, receivedAt: now });
};

/** Stores the pieces that are left, and then parameters, others and tags. Stops where another goes on with the same copy. */
const takeFurther = async (
  { storage, clock }: CopyingNeeds,
  copy: RunCopy,
  signal: AbortSignal | undefined,
): Promise<void> => {
  let { pieces } = copy;
  for await (const { points, place } of readPieces(storage.stores, copy)) {
    const at = clock.now();
    const stored = await storage.transaction(async (stores) => {
      if (!(await stores.runCopies.advance(copy.toId, { pieces, place, at }))) return false;
      await stores.metrics.append({ experimentId: copy.toId, points, receivedAt: at });
      return true;
    });
    if (!stored || signal?.aborted === true) return;
    pieces++;
  }
  await storage.transaction(async (stores) => {
    if (!(await stores.runCopies.remove(copy.toId, pieces))) return;
    const now = clock.now();
    await copyValues(stores, 'parameter', copy, now);
    await copyValues(stores, 'other', copy, now);
    await stores.values.addTags(copy.toId, await stores.values.listTags(copy.fromId), now);
  });
};

/**
 * Finishes a copy that is under way: points, parameters and others up to and with a step, or without one, and tags. The copy keeps its own name.
 * Others may do the same at once, in other processes too. Nothing is left to do where the run that is filled is gone.
 */
export const finishCopy = async (
  needs: CopyingNeeds,
  toId: string,
  signal?: AbortSignal,
): Promise<void> => {
  const { runCopies } = needs.storage.stores;
  try {
    while (signal?.aborted !== true) {
      const copy = await runCopies.find(toId);
      if (copy === undefined) return;
      await takeFurther(needs, copy, signal);
    }
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'absent') throw thrown;
    await runCopies.remove(toId);
  }
};

const everyMs = 10_000;
/** A copy that a request works on is taken further more often than that. */
const idleMs = 30_000;
const atOnce = 20;

/** Finishes copies whose process has ended on the way. */
export const copyJobs = (needs: CopyingNeeds & { readonly log: Log }): readonly Job[] => [
  {
    name: 'copy-runs',
    everyMs,
    async run(signal) {
      const since = needs.clock.now() - idleMs;
      for (const { toId } of await needs.storage.stores.runCopies.listIdle(since, atOnce))
        try {
          if (!signal.aborted) await finishCopy(needs, toId, signal);
        } catch (thrown) {
          needs.log.error('a run could not be copied to its end', { run: toId, error: thrown });
        }
    },
  },
];
