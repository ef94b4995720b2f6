// Puts batches that wait into their series, an experiment a transaction: before anything is read of them, when many wait, and after a while.
import { inTransaction, type Connection } from '../connection.js';
import { withoutHeld, workThrough } from '../queue-faults.js';
import {
  BrokenPending,
  decodePending,
  findPending,
  pendingAtOnce,
  readPending,
  type PendingLog,
  type PendingRow,
} from './pending.js';
import { findEnds, type Run } from './runs.js';
import { carryOut, createSearchable, type Searchable } from './searchable.js';
import {
  isDue,
  lockExperiments,
  projectsOf,
  queueCompaction,
  readCounts,
  upsertSeries,
  writeChunks,
  type Home,
} from './writing.js';

/** A batch waits at most about this long, in ms, when nobody reads its experiment. */
const waitMs = 10_000;
const experimentsAtOnce = 500;

/** What the batches of an experiment bring of each series, in the order in which series are touched. */
const gatherPending = (rows: readonly PendingRow[]): readonly Omit<Run, 'name' | 'context'>[] => {
  const runs = new Map<string, Omit<Run, 'name' | 'context'>>();
  for (const { experiment_id: experimentId, points } of rows)
    for (const { seriesId, slice } of decodePending(points)) {
      const key = experimentId + seriesId;
      const run = runs.get(key);
      const count = slice.to - slice.from;
      if (run === undefined) runs.set(key, { experimentId, seriesId, key, slices: [slice], count });
      else {
        run.slices.push(slice);
        run.count += count;
      }
    }
  return [...runs.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
};

/** Series are made before a batch may wait for them, and batches are applied before series are removed. */
const named = (
  runs: readonly Omit<Run, 'name' | 'context'>[],
  counts: Awaited<ReturnType<typeof readCounts>>,
): readonly Run[] =>
  runs.map((run) => {
    const stored = counts.get(run.key);
    if (stored === undefined)
      throw new BrokenPending(`points wait for series ${run.seriesId}, which is not there`);
    return { ...run, name: stored.name, context: stored.context };
  });

/** Puts these batches of one experiment into its series; it is locked. */
const applyLocked = async (
  inside: Connection,
  searchable: Searchable,
  homes: ReadonlyMap<string, Home>,
  rows: readonly PendingRow[],
): Promise<void> => {
  const { db, dialect } = inside;
  const [first] = rows;
  if (first === undefined) return;
  const gathered = gatherPending(rows);
  const counts = await readCounts(inside, gathered);
  const runs = named(gathered, counts);
  const looseOf = (run: Run) => counts.get(run.key)?.loose ?? 0;
  const plan = searchable.planNotes(inside.clock.now(), projectsOf(homes), runs);
  await dialect.together(db, [
    () =>
      upsertSeries(
        inside,
        runs,
        runs.map((run) => findEnds(run.slices)),
      ),
    () => writeChunks(inside, runs, (run) => counts.get(run.key) ?? { n: 0 }),
    () =>
      queueCompaction(
        inside,
        runs.filter((run) => isDue(looseOf(run), run.count)),
      ),
    () =>
      dialect.run(db, 'delete from pending_points where experiment_id = ? and seq <= ?', [
        first.experiment_id,
        Number(rows.at(-1)?.seq),
      ]),
    ...carryOut(inside, plan),
  ]);
};

/** Puts everything that waits of a locked experiment into its series, so that what comes next stands behind it. Says whether there was anything. */
export const applyAllLocked = async (
  inside: Connection,
  searchable: Searchable,
  homes: ReadonlyMap<string, Home>,
  experimentId: string,
): Promise<boolean> => {
  for (let found = false; ; found = true) {
    const rows = await readPending(inside, experimentId);
    if (rows.length === 0) return found;
    await applyLocked(inside, searchable, homes, rows);
  }
};

/** Everything that waits of an experiment, if it is still there: what waits of one that goes, goes with it. */
export const applyExperiment = async (
  connection: Connection,
  remembering: Searchable,
  experimentId: string,
): Promise<void> => {
  // What a caller may yet undo is not remembered, and neither is what an attempt did that was undone.
  const searchable = connection.inTransaction ? createSearchable() : remembering;
  let attempts = 0;
  const apply = (): Promise<number> =>
    inTransaction(connection, async (inside) => {
      if (attempts++ > 0) searchable.forget();
      const [homes, rows] = await inside.dialect.together(inside.db, [
        () => lockExperiments(inside, [experimentId]),
        () => readPending(inside, experimentId),
      ]);
      if (!homes.has(experimentId)) return 0;
      await applyLocked(inside, searchable, homes, rows);
      return rows.length;
    });
  try {
    for (let applied: number = pendingAtOnce; applied === pendingAtOnce; attempts = 0)
      applied = await apply();
  } catch (thrown) {
    searchable.forget();
    throw thrown;
  }
};

/** What applies batches, and when. */
export interface Applying {
  /** Before something is read of these experiments. */
  ofExperiments(connection: Connection, experimentIds: readonly string[]): Promise<void>;
  /** Before all experiments of a project are searched or counted. One whose batches are broken is left as it is, since its neighbours have no part in it. */
  ofProject(connection: Connection, projectId: string): Promise<void>;
  /** Those of which much waits, one after the other and in nobody's way; a failure is left to the job. */
  later(experimentIds: readonly string[]): void;
  /** What has waited long, whoever wrote it. */
  run(signal: AbortSignal): Promise<void>;
  /** Waits for what `later` has begun. */
  close(): Promise<void>;
}

const listOfProject = async (
  { db, dialect }: Connection,
  projectId: string,
): Promise<readonly string[]> => {
  if (dialect.pipelined === undefined) return []; // nothing is let wait there
  const rows = (await db('experiments as e')
    .where('e.project_id', projectId)
    .whereIn('e.id', db('pending_points').distinct('experiment_id'))
    .select('e.id')) as readonly { readonly id: string }[]; // the column named
  return rows.map(({ id }) => id);
};

export const createApplying = (
  connection: Connection,
  searchable: Searchable,
  log: PendingLog,
): Applying => {
  const due = new Set<string>();
  let working: Promise<void> | undefined;
  let closed = false;
  const apply = async (over: Connection, ids: readonly string[]) => {
    for (const id of ids) {
      log.forget(id);
      await applyExperiment(over, searchable, id);
    }
  };
  const workOff = async () => {
    for (const id of due) {
      due.delete(id);
      if (!closed) await apply(connection, [id]).catch(() => undefined);
    }
  };
  return {
    async ofExperiments(over, ids) {
      await apply(over, await findPending(over, ids));
    },
    async ofProject(over, projectId) {
      for (const id of await listOfProject(over, projectId))
        await apply(over, [id]).catch((thrown: unknown) => {
          if (!(thrown instanceof BrokenPending)) throw thrown;
        });
    },
    later(ids) {
      for (const id of ids) due.add(id);
      if (due.size > 0)
        working ??= workOff().finally(() => {
          working = undefined;
        });
    },
    async run(signal) {
      const { db, dialect, clock } = connection;
      const rows = (await db('pending_points')
        .where('at', '<', clock.now() - waitMs)
        .modify(
          withoutHeld(
            connection,
            'pending-points',
            dialect.idAsText('pending_points.experiment_id'),
            clock.now(),
          ),
        )
        .distinct('experiment_id')
        .limit(experimentsAtOnce)) as readonly { readonly experiment_id: string }[]; // the column named
      await workThrough(connection, {
        queue: 'pending-points',
        items: rows.map((row) => row.experiment_id),
        idOf: (id) => id,
        work: (id) => apply(connection, [id]),
        signal,
      });
    },
    async close() {
      closed = true;
      await working;
    },
  };
};
