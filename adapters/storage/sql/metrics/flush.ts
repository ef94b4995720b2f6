// Writes batches of points in one transaction. Rows are touched in one order everywhere: experiments by id, then series by id.
import { Failure, isFailure } from '#ports/failure';
import type { Appended } from '#ports/storage/metrics';
import { inTransaction, withPatience, type Connection } from '../connection.js';
import type { ColumnValues, PipelinedTransaction } from '#ports/sql-dialect';
import { applyAllLocked } from './applying.js';
import { chunkPoints } from './chunks.js';
import { insertPending, type PendingLog } from './pending.js';
import type { PreparedBatch } from './prepared.js';
import { encodeRaw } from './raw.js';
import { findEnds, gatherRuns, type Run } from './runs.js';
import { digestOf, findStored, noteDigests } from '../received.js';
import { findFamiliar, limitsOf, type Familiar } from './familiar.js';
import type { FlushCache } from './flush-cache.js';
import { carryOut, type Searchable } from './searchable.js';
import {
  isDue,
  lockExperiments,
  mergeSeries,
  projectsOf,
  queueCompaction,
  readCounts,
  seriesColumns,
  upsertSeries,
  writeChunks,
  type Home,
} from './writing.js';

/** What a process remembers between its flushes. */
export interface FlushNeeds {
  readonly searchable: Searchable;
  readonly flushCache: FlushCache;
  readonly log: PendingLog;
}

/** How a batch fared: what `append` answers, or why it was refused. */
export type FlushResult = Appended | Failure;

/** Thrown where a digest turns out to be known, so that the flush is done again with a look at them first. */
class Repeated extends Error {}

/**
 * Batches whose digest was not seen within the hour, and not before in this very flush. Repeated ones are rare, so without `careful` none
 * is looked for: noting them tells, and throws `Repeated`. Those of an experiment that is gone are noted too, which does no harm.
 */
const leaveOutRepeated = async (
  connection: Connection,
  batches: readonly PreparedBatch[],
  careful: boolean,
): Promise<ReadonlySet<PreparedBatch>> => {
  const { db, dialect } = connection;
  const marked = batches.filter((batch) => batch.digest !== undefined);
  if (marked.length === 0) return new Set(batches);
  const seen = careful ? await findStored(connection, marked) : new Set<string>();
  const fresh = batches.filter(
    (batch) =>
      batch.digest === undefined ||
      (!seen.has(digestOf(batch)) && seen.add(digestOf(batch)) !== undefined),
  );
  const noted = fresh.filter((batch) => batch.digest !== undefined);
  if (noted.length === 0) return new Set(fresh);
  const inserted = await dialect.insertFresh(
    db,
    'received_requests',
    ['experiment_id', 'request_id'],
    [
      { name: 'experiment_id', kind: 'id', values: noted.map((batch) => batch.experimentId) },
      { name: 'request_id', kind: 'id', values: noted.map((batch) => batch.digest) },
      { name: 'at', kind: 'whole', values: noted.map((batch) => batch.receivedAt) },
    ],
  );
  if (inserted < noted.length) throw new Repeated('a batch was stored before');
  return new Set(fresh);
};

/** Names of new series that would go over a batch's limit. */
const overLimit = async (
  { db, dialect }: Connection,
  batches: readonly PreparedBatch[],
  runs: readonly Run[],
  counts: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const over = new Map<string, readonly string[]>();
  const unknown = runs.filter((run) => !counts.has(run.key));
  const limits = limitsOf(batches);
  for (const experimentId of new Set(unknown.map((run) => run.experimentId))) {
    const limit = limits.get(experimentId) ?? Infinity;
    if (limit === Infinity) continue;
    const [row] = (await dialect.run(
      db,
      'select count(*) as n from series where experiment_id = ?',
      [experimentId],
    )) as readonly { readonly n: unknown }[]; // one row of one column
    const fresh = unknown.filter((run) => run.experimentId === experimentId);
    const room = Math.max(0, limit - Number(row?.n ?? 0));
    if (fresh.length > room)
      over.set(
        experimentId,
        fresh.slice(room).map((run) => run.name),
      );
  }
  return over;
};

/** Puts everything that waits of these locked experiments into its series, so that what comes next stands behind it. Says whether there was anything. */
const applyWaiting = async (
  inside: Connection,
  { searchable, log }: FlushNeeds,
  homes: ReadonlyMap<string, Home>,
): Promise<boolean> => {
  let found = false;
  for (const id of homes.keys()) {
    log.forget(id);
    if (await applyAllLocked(inside, searchable, homes, id)) found = true;
  }
  return found;
};

const writeBatches = async (
  inside: Connection,
  needs: FlushNeeds,
  batches: readonly PreparedBatch[],
  careful: boolean,
): Promise<readonly FlushResult[]> => {
  const { searchable, flushCache } = needs;
  const { db, dialect } = inside;
  const every = gatherRuns(batches);
  const [homes, fresh, found] = await dialect.together(db, [
    () => lockExperiments(inside, [...new Set(batches.map((batch) => batch.experimentId))].sort()),
    () => leaveOutRepeated(inside, batches, careful),
    () => readCounts(inside, every),
  ]);
  const applied = dialect.pipelined !== undefined && (await applyWaiting(inside, needs, homes));
  const counts = applied ? await readCounts(inside, every) : found;
  const here = batches.filter((batch) => homes.has(batch.experimentId));
  const kept = here.filter((batch) => fresh.has(batch));
  const all = kept.length === batches.length ? every : gatherRuns(kept);
  const over = await overLimit(inside, here, all, counts);
  flushCache.noteNearLimit(over.keys());
  const runs =
    over.size === 0
      ? all
      : all.filter(
          (run) => counts.has(run.key) || over.get(run.experimentId)?.includes(run.name) !== true,
        );
  const countOf = (run: Run) => counts.get(run.key) ?? { n: 0, loose: 0 };
  const ends = runs.map((run) => findEnds(run.slices));
  await dialect.together(db, [
    ...(runs.length === 0
      ? []
      : [
          () => upsertSeries(inside, runs, ends),
          () => writeChunks(inside, runs, countOf),
          () =>
            queueCompaction(
              inside,
              runs.filter((run) => isDue(countOf(run).loose, run.count)),
            ),
        ]),
    ...carryOut(
      inside,
      searchable.plan(inside.clock.now(), projectsOf(homes), runs, [
        ...new Set(here.map((batch) => batch.experimentId)),
      ]),
    ),
  ]);
  flushCache.note(
    homes,
    runs.map((run) => ({
      key: run.key,
      loose: countOf(run).loose + Math.ceil(run.count / chunkPoints),
    })),
  );
  return batches.map((batch): FlushResult => {
    if (!homes.has(batch.experimentId))
      return new Failure('absent', 'the experiment no longer exists', { reason: 'runAbsent' });
    if (!fresh.has(batch)) return { outcome: 'duplicate', overLimit: [] };
    const names = over.get(batch.experimentId);
    return {
      outcome: 'stored',
      overLimit:
        names === undefined
          ? []
          : [...new Set(batch.stretches.map(({ name }) => name))].filter((name) =>
              names.includes(name),
            ),
    };
  });
};

/** What a flush brings of each series, with the bytes of its chunk beside it: a raw chunk has no ends of its own. */
const withPoints = (runs: readonly Run[]): readonly ColumnValues[] => [
  ...seriesColumns(
    runs,
    runs.map((run) => findEnds(run.slices)),
  ),
  { name: 'points', kind: 'bytes', values: runs.map((run) => encodeRaw(run.slices)) },
];

const insertFrom = (rows: string): string =>
  `insert into chunks (experiment_id, series_id, first_index, n, packed, points) select experiment_id, series_id, first_index, n, false, points from ${rows}`;

/** Upserts series and writes their chunks by what the upsert counted, so that no count is read before. */
const appendRuns = async (
  connection: Connection,
  { given }: PipelinedTransaction,
  runs: readonly Run[],
): Promise<void> => {
  const { db, dialect } = connection;
  const columns = withPoints(runs);
  const names = columns
    .slice(0, -1)
    .map(({ name }) => name)
    .join(', ');
  const { select, bindings } = given(columns);
  await dialect.run(
    db,
    `with u as materialized (${select}),
s as (insert into series (${names}) select ${names} from u ${dialect.onConflict(['experiment_id', 'series_id'], mergeSeries(connection))} returning experiment_id, series_id, n)
${insertFrom('(select u.experiment_id, u.series_id, s.n - u.n as first_index, u.n, u.points from u join s on s.experiment_id = u.experiment_id and s.series_id = u.series_id) c')}`,
    bindings,
  );
};

/** The same of series that are there; refuses where one is not. An upsert would lock each row before it changes it, and log both. */
const appendKnownRuns = async (
  connection: Connection,
  { given, refuseUnless }: PipelinedTransaction,
  runs: readonly Run[],
): Promise<void> => {
  const { db, dialect } = connection;
  const columns = withPoints(runs).filter(({ name }) => name !== 'name' && name !== 'context');
  const { select, bindings } = given(columns);
  const merged = mergeSeries(connection, (column) => `u.${column}`).join(', ');
  await dialect.run(
    db,
    `with u as materialized (${select}),
s as (update series set ${merged} from u where series.experiment_id = u.experiment_id and series.series_id = u.series_id
returning series.experiment_id, series.series_id, series.n - u.n as first_index, u.n, u.points),
c as (${insertFrom('s')} returning n)
select ${refuseUnless(`count(*) = ${runs.length}`)} from c`,
    bindings,
  );
};

/** Locks experiments, and refuses unless each is still there, in the project and with the series it had, and nothing waits of those of which something is put into series `atOnce`. */
const holdExperiments = async (
  { db, dialect }: Connection,
  { given, refuseUnless }: PipelinedTransaction,
  homes: ReadonlyMap<string, Home>,
  atOnce: ReadonlySet<string>,
): Promise<void> => {
  const places = [...homes.values()];
  const { select, bindings } = given([
    { name: 'id', kind: 'id', values: [...homes.keys()] },
    { name: 'project_id', kind: 'id', values: places.map((home) => home.projectId) },
    { name: 'removals', kind: 'whole', values: places.map((home) => home.removals) },
    { name: 'at_once', kind: 'flag', values: [...homes.keys()].map((id) => atOnce.has(id)) },
  ]);
  await dialect.run(
    db,
    `select ${refuseUnless(`count(*) = ${homes.size}`)} from (select e.id from experiments e join (${select}) u on u.id = e.id and u.project_id = e.project_id and u.removals = e.series_removals where e.deleted_at is null and not (u.at_once and exists (select 1 from pending_points p where p.experiment_id = e.id)) order by e.id for update of e) held`,
    bindings,
  );
};

/** Refuses where an experiment holds more series than it may for new ones to have room. */
const requireRoom = async (
  { db, dialect }: Connection,
  { given, refuseUnless }: PipelinedTransaction,
  rooms: ReadonlyMap<string, number>,
): Promise<void> => {
  const { select, bindings } = given([
    { name: 'id', kind: 'id', values: [...rooms.keys()] },
    { name: 'room', kind: 'whole', values: [...rooms.values()] },
  ]);
  await dialect.run(
    db,
    `select ${refuseUnless('count(*) = 0')} from (select u.room from (${select}) u where (select count(*) from series s where s.experiment_id = u.id) > u.room) crowded`,
    bindings,
  );
};

/** The whole flush with its commit as one message to the database. Rejects when anything is not as it was lately; nothing is stored then. */
const writePipelined = async (
  connection: Connection,
  pipelined: PipelinedTransaction,
  { searchable, flushCache, log }: FlushNeeds,
  batches: readonly PreparedBatch[],
  { runs, waiting, homes, rooms }: Familiar,
): Promise<readonly FlushResult[]> => {
  const marked = batches.filter((batch) => batch.digest !== undefined);
  const due = runs.filter((run) => isDue(flushCache.looseOf(run.key) ?? 0, run.count));
  const limited = new Map([...rooms].filter(([, room]) => room !== Infinity));
  const append = runs.every((run) => flushCache.looseOf(run.key) !== undefined)
    ? appendKnownRuns
    : appendRuns;
  const plan = searchable.plan(connection.clock.now(), projectsOf(homes), runs, [...homes.keys()]);
  const atOnce = new Set(runs.map((run) => run.experimentId));
  await pipelined.transact(connection.db, (db) => {
    const inside = { ...connection, db, inTransaction: true };
    return [
      () => holdExperiments(inside, pipelined, homes, atOnce),
      ...(marked.length > 0 ? [() => noteDigests(inside, marked)] : []),
      ...(limited.size > 0 ? [() => requireRoom(inside, pipelined, limited)] : []),
      ...(runs.length > 0 ? [() => append(inside, pipelined, runs)] : []),
      ...(waiting.length > 0 ? [() => insertPending(inside, pipelined, waiting)] : []),
      ...(due.length > 0 ? [() => queueCompaction(inside, due)] : []),
      ...carryOut(inside, plan),
    ];
  });
  flushCache.note(
    homes,
    runs.map((run) => ({ key: run.key, loose: (flushCache.looseOf(run.key) ?? 0) + 1 })),
  );
  log.note(waiting);
  return batches.map((): FlushResult => ({ outcome: 'stored', overLimit: [] }));
};

/** Stores batches in one transaction and tells how each fared. Rejects when none of it was stored, or when it cannot be told. */
export const flushBatches = async (
  connection: Connection,
  needs: FlushNeeds,
  batches: readonly PreparedBatch[],
): Promise<readonly FlushResult[]> => {
  const { dialect } = connection;
  const familiar =
    connection.inTransaction || dialect.pipelined === undefined
      ? undefined
      : findFamiliar(needs.flushCache, needs.log, batches);
  let careful = connection.inTransaction; // a caller's transaction cannot be begun again, so there digests are looked up first
  if (familiar !== undefined && dialect.pipelined !== undefined) {
    const { pipelined } = dialect;
    try {
      return await withPatience(dialect, false, () =>
        writePipelined(connection, pipelined, needs, batches, familiar),
      );
    } catch (thrown) {
      const cause = isFailure(thrown) && thrown.kind === 'unavailable' ? thrown.cause : thrown;
      const fault = isFailure(cause) ? 'other' : dialect.fault(cause);
      // A connection lost on the way does not tell what became of the commit; the digests do.
      if (
        fault !== 'changed' &&
        fault !== 'conflict' &&
        fault !== 'repeat' &&
        !(fault === 'away' && batches.every((batch) => batch.digest !== undefined))
      )
        throw thrown;
      needs.searchable.forget();
      needs.flushCache.forget();
      needs.flushCache.noteNearLimit(familiar.rooms.keys()); // it may have been for this
      careful = true;
    }
  }
  let attempts = 0;
  const flush = (looking: boolean) =>
    inTransaction(
      connection,
      (inside) => {
        if (attempts++ > 0) needs.searchable.forget(); // what an attempt noted was undone with it
        return writeBatches(inside, needs, batches, looking);
      },
      { overtaken: true },
    );
  try {
    return await flush(careful);
  } catch (thrown) {
    if (thrown instanceof Repeated) return flush(true);
    throw thrown;
  }
};
