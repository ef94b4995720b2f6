// Writes batches of points in one transaction. Rows are touched in one order everywhere: experiments by id, then series by id.
import { Failure } from '#ports/failure';
import type { Appended } from '#ports/storage/metrics';
import { inTransaction, type Connection } from '../connection.js';
import { chunkPoints, cut, insertChunks } from './chunks.js';
import type { Place } from './points.js';
import type { PreparedBatch } from './prepared.js';
import { encodeRaw } from './raw.js';
import { findEnds, gatherRuns, type Ends, type Run } from './runs.js';
import type { Searchable } from './searchable.js';

/** Small chunks after which a series is worth merging. */
export const looseLimit = 64;

/** How a batch fared: what `append` answers, or why it was refused. */
export type Verdict = Appended | Failure;

const lockExperiments = async ({ db, dialect }: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const rows = await dialect.run(db, `select id, project_id from experiments where ${dialect.anyOf('id', 'id')} and deleted_at is null order by id for update`, [ids]) as readonly { readonly id: string; readonly project_id: string }[]; // the columns named
  return new Map(rows.map((row) => [row.id, row.project_id]));
};

/** Thrown where a digest turns out to be known, so that the flush is done again with a look at them first. */
class Repeated extends Error {}

const digestOf = (batch: PreparedBatch): string => `${batch.experimentId}${batch.digest ?? ''}`;

/** Digests among these that were stored within the hour. */
const findSeen = async ({ db, dialect }: Connection, marked: readonly PreparedBatch[]): Promise<Set<string>> => {
  const rows = await dialect.run(db, `select experiment_id, digest from received where ${dialect.anyOf('experiment_id', 'id')} and ${dialect.anyOf('digest', 'text')}`,
    [[...new Set(marked.map((batch) => batch.experimentId))], marked.map((batch) => batch.digest)]) as readonly { readonly experiment_id: string; readonly digest: string }[]; // the columns named
  return new Set(rows.map((row) => row.experiment_id + row.digest));
};

/**
 * Batches whose digest was not seen within the hour, and not before in this very flush. Repeated ones are rare, so without `careful` none
 * is looked for: noting them tells, and throws `Repeated`. Those of an experiment that is gone are noted too, which does no harm.
 */
const leaveOutRepeated = async (connection: Connection, batches: readonly PreparedBatch[], careful: boolean): Promise<ReadonlySet<PreparedBatch>> => {
  const { db, dialect } = connection;
  const marked = batches.filter((batch) => batch.digest !== undefined);
  if (marked.length === 0) return new Set(batches);
  const seen = careful ? await findSeen(connection, marked) : new Set<string>();
  const fresh = batches.filter((batch) => batch.digest === undefined || (!seen.has(digestOf(batch)) && seen.add(digestOf(batch)) !== undefined));
  const noted = fresh.filter((batch) => batch.digest !== undefined);
  if (noted.length === 0) return new Set(fresh);
  const inserted = await dialect.insertFresh(db, 'received', ['experiment_id', 'digest'], [
    { name: 'experiment_id', kind: 'id', values: noted.map((batch) => batch.experimentId) },
    { name: 'digest', kind: 'text', values: noted.map((batch) => batch.digest) },
    { name: 'at', kind: 'whole', values: noted.map((batch) => batch.receivedAt) },
  ]);
  if (inserted < noted.length) throw new Repeated('a batch was stored before');
  return new Set(fresh);
};

interface Counts { readonly n: number; readonly loose: number }

const readCounts = async ({ db, dialect }: Connection, runs: readonly Run[]): Promise<ReadonlyMap<string, Counts>> => {
  if (runs.length === 0) return new Map();
  const rows = await dialect.run(db, `select experiment_id, series_id, n, loose from series where ${dialect.anyOf('experiment_id', 'id')} and ${dialect.anyOf('series_id', 'id')}`,
    [[...new Set(runs.map((run) => run.experimentId))], [...new Set(runs.map((run) => run.seriesId))]]) as readonly { readonly experiment_id: string; readonly series_id: string; readonly n: unknown; readonly loose: unknown }[]; // the columns named
  return new Map(rows.map((row) => [row.experiment_id + row.series_id, { n: Number(row.n), loose: Number(row.loose) }]));
};

const ends = ['min', 'max', 'last'] as const;

/** Merging in SQL, in an order in which no assignment reads what an earlier one changed. */
const mergeSeries = ({ dialect }: Connection): readonly string[] => {
  const [stored, incoming] = [(column: string) => dialect.stored('series', column), (column: string) => dialect.incoming(column)];
  const follow = (end: 'min' | 'max', sign: '<' | '>') => {
    const wins = `(${stored(`${end}_value`)} is null or ${incoming(`${end}_value`)} ${sign} ${stored(`${end}_value`)})`;
    return ['text', 'step', 'epoch', 'time', 'value'].map((part) => `${end}_${part} = case when ${wins} then ${incoming(`${end}_${part}`)} else ${stored(`${end}_${part}`)} end`);
  };
  return [
    `n = ${stored('n')} + ${incoming('n')}`, `loose = ${stored('loose')} + ${incoming('loose')}`,
    ...['text', 'step', 'epoch', 'time', 'value'].map((part) => `last_${part} = ${incoming(`last_${part}`)}`),
    ...follow('min', '<'), ...follow('max', '>'),
  ];
};

/** A text where the number does not print like it; `last` keeps its own always, because searches copy it. */
const keptText = (end: (typeof ends)[number], { text, value }: Place): string | null => (end !== 'last' && Number.isFinite(value) && String(value) === text ? null : text);

const upsertSeries = async (connection: Connection, runs: readonly Run[], found: readonly Ends[]): Promise<void> => {
  const { db, dialect } = connection;
  await dialect.insertColumns(db, 'series', [
    { name: 'experiment_id', kind: 'id', values: runs.map((run) => run.experimentId) },
    { name: 'series_id', kind: 'id', values: runs.map((run) => run.seriesId) },
    { name: 'name', kind: 'text', values: runs.map((run) => run.name) },
    { name: 'context', kind: 'text', values: runs.map((run) => run.context ?? null) },
    { name: 'n', kind: 'whole', values: runs.map((run) => run.count) },
    { name: 'loose', kind: 'whole', values: runs.map((run) => Math.ceil(run.count / chunkPoints)) },
    ...ends.flatMap((end) => {
      const places = found.map((one) => one[end] ?? one.last);
      return [
        { name: `${end}_value`, kind: 'real', values: places.map(({ value }) => (Number.isFinite(value) ? value : null)) } as const,
        { name: `${end}_text`, kind: 'text', values: places.map((place) => keptText(end, place)) } as const,
        { name: `${end}_step`, kind: 'whole', values: places.map(({ step }) => step ?? null) } as const,
        { name: `${end}_epoch`, kind: 'whole', values: places.map(({ epoch }) => epoch ?? null) } as const,
        { name: `${end}_time`, kind: 'whole', values: places.map(({ timestamp }) => timestamp) } as const,
      ];
    }),
  ], dialect.onConflict(['experiment_id', 'series_id'], mergeSeries(connection)));
};

/** Each run as chunks, numbered from what its series held before. */
const writeChunks = ({ db, dialect }: Connection, runs: readonly Run[], found: readonly Ends[], countOf: (run: Run) => Counts): Promise<void> =>
  insertChunks(db, dialect, runs.flatMap((run, i) => cut(run.slices, run.count, countOf(run).n).map(({ firstIndex, n, slices }) => (
    { experimentId: run.experimentId, seriesId: run.seriesId, firstIndex, n, ends: n === run.count ? found[i]! : findEnds(slices), bytes: encodeRaw(slices), packed: false }
  ))));

/** Names of new series that would go over a batch's limit. */
const overLimit = async ({ db, dialect }: Connection, batches: readonly PreparedBatch[], runs: readonly Run[], counts: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, readonly string[]>> => {
  const over = new Map<string, readonly string[]>();
  const unknown = runs.filter((run) => !counts.has(run.key));
  for (const experimentId of new Set(unknown.map((run) => run.experimentId))) {
    const limit = Math.max(...batches.filter((batch) => batch.experimentId === experimentId).map((batch) => batch.seriesLimit));
    if (limit === Infinity) continue;
    const [row] = await dialect.run(db, 'select count(*) as n from series where experiment_id = ?', [experimentId]) as readonly { readonly n: unknown }[]; // one row of one column
    const fresh = unknown.filter((run) => run.experimentId === experimentId);
    const room = Math.max(0, limit - Number(row?.n ?? 0));
    if (fresh.length > room) over.set(experimentId, fresh.slice(room).map((run) => run.name));
  }
  return over;
};

/** Whether a series comes to another `looseLimit` small chunks by these points. */
const isDue = (loose: number, count: number): boolean => Math.floor((loose + Math.ceil(count / chunkPoints)) / looseLimit) > Math.floor(loose / looseLimit);

const queueCompaction = async ({ db, dialect, clock }: Connection, runs: readonly Run[]): Promise<void> => {
  if (runs.length === 0) return;
  await dialect.insertFresh(db, 'compactions', ['experiment_id', 'series_id'], [
    { name: 'experiment_id', kind: 'id', values: runs.map((run) => run.experimentId) },
    { name: 'series_id', kind: 'id', values: runs.map((run) => run.seriesId) },
    { name: 'at', kind: 'whole', values: runs.map(() => clock.now()) },
  ]);
};

const writeBatches = async (inside: Connection, searchable: Searchable, batches: readonly PreparedBatch[], careful: boolean): Promise<readonly Verdict[]> => {
  const { db, dialect } = inside;
  const every = gatherRuns(batches);
  const [homes, fresh, counts] = await dialect.together(db, [
    () => lockExperiments(inside, [...new Set(batches.map((batch) => batch.experimentId))].sort()),
    () => leaveOutRepeated(inside, batches, careful),
    () => readCounts(inside, every),
  ]);
  const here = batches.filter((batch) => homes.has(batch.experimentId));
  const kept = here.filter((batch) => fresh.has(batch));
  const all = kept.length === batches.length ? every : gatherRuns(kept);
  const over = await overLimit(inside, here, all, counts);
  const runs = over.size === 0 ? all : all.filter((run) => counts.has(run.key) || over.get(run.experimentId)?.includes(run.name) !== true);
  const countOf = (run: Run) => counts.get(run.key) ?? { n: 0, loose: 0 };
  const found = runs.map((run) => findEnds(run.slices));
  await dialect.together(db, [
    ...(runs.length === 0 ? [] : [
      () => upsertSeries(inside, runs, found),
      () => writeChunks(inside, runs, found, countOf),
      () => queueCompaction(inside, runs.filter((run) => isDue(countOf(run).loose, run.count))),
      () => searchable.refresh(inside, homes, runs),
    ]),
    () => searchable.recordActivity(inside, here),
  ]);
  return batches.map((batch): Verdict => {
    if (!homes.has(batch.experimentId)) return new Failure('absent', 'the experiment no longer exists', { code: 90211 });
    if (!fresh.has(batch)) return { outcome: 'duplicate', overLimit: [] };
    const names = over.get(batch.experimentId);
    return { outcome: 'stored', overLimit: names === undefined ? [] : [...new Set(batch.stretches.map(({ name }) => name))].filter((name) => names.includes(name)) };
  });
};

/** Stores batches in one transaction and tells how each fared. Rejects when none of it was stored. */
export const flushBatches = async (connection: Connection, searchable: Searchable, batches: readonly PreparedBatch[]): Promise<readonly Verdict[]> => {
  // A caller's transaction cannot be begun again, so there digests are looked up first.
  const flush = (careful: boolean) => inTransaction(connection, (inside) => writeBatches(inside, searchable, batches, careful), { overtaken: true });
  try {
    return await flush(connection.inTransaction);
  } catch (thrown) {
    if (thrown instanceof Repeated) return flush(true);
    throw thrown;
  }
};
