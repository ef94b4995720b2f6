// Writes batches of points in one transaction. Rows are touched in one order everywhere: experiments by id, then series by id.
import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { Appended, MetricBatch } from '#ports/storage/metrics';
import { inTransaction, type Connection } from '../connection.js';
import { chunkPoints, cut, insertChunks } from './chunks.js';
import { encodeRaw } from './raw.js';
import { gatherRuns, type Run } from './runs.js';
import type { Searchable } from './searchable.js';

/** Small chunks after which a series is worth merging. */
export const looseLimit = 32;

/** How a batch fared: what `append` answers, or why it was refused. */
export type Verdict = Appended | Failure;

interface Held {
  readonly id: string;
  readonly project_id: string;
}

const lockExperiments = async ({ db, dialect }: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const rows = await db('experiments').select('id', 'project_id').modify(dialect.among('id', 'id', ids)).whereNull('deleted_at').orderBy('id').forUpdate() as readonly Held[]; // the columns named above
  return new Map(rows.map((row) => [row.id, row.project_id]));
};

/** Batches whose digest was not seen within the hour, and not before in this very flush. */
const leaveOutRepeated = async ({ db, dialect }: Connection, batches: readonly MetricBatch[]): Promise<ReadonlySet<MetricBatch>> => {
  const marked = batches.filter((batch) => batch.digest !== undefined);
  if (marked.length === 0) return new Set(batches);
  const rows = await db('received').select('experiment_id', 'digest').modify(dialect.among('experiment_id', 'id', [...new Set(marked.map((batch) => batch.experimentId))]))
    .modify(dialect.among('digest', 'text', marked.map((batch) => batch.digest))) as readonly { readonly experiment_id: string; readonly digest: string }[]; // as above
  const seen = new Set(rows.map((row) => row.experiment_id + row.digest));
  const fresh = batches.filter((batch) => {
    if (batch.digest === undefined) return true;
    const both = batch.experimentId + batch.digest;
    return seen.has(both) ? false : seen.add(both) !== undefined;
  });
  const noted = fresh.filter((batch) => batch.digest !== undefined);
  if (noted.length > 0) await dialect.insertColumns(db, 'received', [
    { name: 'experiment_id', kind: 'id', values: noted.map((batch) => batch.experimentId) },
    { name: 'digest', kind: 'text', values: noted.map((batch) => batch.digest) },
    { name: 'at', kind: 'whole', values: noted.map((batch) => batch.receivedAt) },
  ]);
  return new Set(fresh);
};

const readCounts = async ({ db, dialect }: Connection, runs: readonly Run[]): Promise<ReadonlyMap<string, { readonly n: number; readonly loose: number }>> => {
  const rows = await db('series').select('experiment_id', 'series_id', 'n', 'loose').modify(dialect.among('experiment_id', 'id', [...new Set(runs.map((run) => run.experimentId))]))
    .modify(dialect.among('series_id', 'id', [...new Set(runs.map((run) => run.seriesId))])) as readonly { readonly experiment_id: string; readonly series_id: string; readonly n: unknown; readonly loose: unknown }[]; // as above
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

const upsertSeries = async (connection: Connection, runs: readonly Run[]): Promise<void> => {
  const { db, dialect } = connection;
  await dialect.insertColumns(db, 'series', [
    { name: 'experiment_id', kind: 'id', values: runs.map((run) => run.experimentId) },
    { name: 'series_id', kind: 'id', values: runs.map((run) => run.seriesId) },
    { name: 'name', kind: 'text', values: runs.map((run) => run.name) },
    { name: 'context', kind: 'text', values: runs.map((run) => run.context ?? null) },
    { name: 'n', kind: 'whole', values: runs.map((run) => run.points.length) },
    { name: 'loose', kind: 'whole', values: runs.map((run) => Math.ceil(run.points.length / chunkPoints)) },
    ...ends.flatMap((end) => [
      { name: `${end}_value`, kind: 'real', values: runs.map((run) => run[end].value ?? null) } as const,
      { name: `${end}_text`, kind: 'text', values: runs.map((run) => run[end].at.text) } as const,
      { name: `${end}_step`, kind: 'whole', values: runs.map((run) => run[end].at.step ?? null) } as const,
      { name: `${end}_epoch`, kind: 'whole', values: runs.map((run) => run[end].at.epoch ?? null) } as const,
      { name: `${end}_time`, kind: 'whole', values: runs.map((run) => run[end].at.timestamp) } as const,
    ]),
  ], dialect.onConflict(['experiment_id', 'series_id'], mergeSeries(connection)));
};

/** Names of new series that would go over a batch's limit. */
const overLimit = async (db: Knex, batches: readonly MetricBatch[], runs: readonly Run[], counts: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, readonly string[]>> => {
  const over = new Map<string, readonly string[]>();
  for (const experimentId of new Set(batches.map((batch) => batch.experimentId))) {
    const fresh = runs.filter((run) => run.experimentId === experimentId && !counts.has(run.experimentId + run.seriesId));
    const limit = Math.max(...batches.filter((batch) => batch.experimentId === experimentId).map((batch) => batch.seriesLimit ?? Infinity));
    if (fresh.length === 0 || limit === Infinity) continue;
    const [row] = await db('series').where({ experiment_id: experimentId }).count({ n: '*' });
    const room = Math.max(0, limit - Number(row?.n ?? 0));
    if (fresh.length > room) over.set(experimentId, fresh.slice(room).map((run) => run.name));
  }
  return over;
};

const queueCompaction = async ({ db, dialect, clock }: Connection, runs: readonly Run[]): Promise<void> => {
  if (runs.length === 0) return;
  await dialect.insertColumns(db, 'compactions', [
    { name: 'experiment_id', kind: 'id', values: runs.map((run) => run.experimentId) },
    { name: 'series_id', kind: 'id', values: runs.map((run) => run.seriesId) },
    { name: 'at', kind: 'whole', values: runs.map(() => clock.now()) },
  ], dialect.onConflictIgnore(['experiment_id', 'series_id']));
};

/** Stores batches in one transaction and tells how each fared. Rejects when none of it was stored. */
export const flushBatches = (connection: Connection, searchable: Searchable, batches: readonly MetricBatch[]): Promise<readonly Verdict[]> =>
  inTransaction(connection, async (inside) => {
    const homes = await lockExperiments(inside, [...new Set(batches.map((batch) => batch.experimentId))].sort());
    const here = batches.filter((batch) => homes.has(batch.experimentId));
    const fresh = await leaveOutRepeated(inside, here);
    const all = gatherRuns(here.filter((batch) => fresh.has(batch)));
    const counts = all.length === 0 ? new Map<string, { readonly n: number; readonly loose: number }>() : await readCounts(inside, all);
    const over = await overLimit(inside.db, here, all, counts);
    const runs = over.size === 0 ? all : all.filter((run) => counts.has(run.experimentId + run.seriesId) || over.get(run.experimentId)?.includes(run.name) !== true);
    if (runs.length > 0) {
      const countOf = (run: Run) => counts.get(run.experimentId + run.seriesId) ?? { n: 0, loose: 0 };
      await upsertSeries(inside, runs);
      await insertChunks(inside.db, inside.dialect, runs.flatMap((run) => cut(run.points, countOf(run).n).map((piece) => ({ experimentId: run.experimentId, seriesId: run.seriesId, ...piece, bytes: encodeRaw(piece.points), packed: false }))));
      await searchable.refresh(inside, homes, runs);
      await queueCompaction(inside, runs.filter((run) => countOf(run).loose + 1 >= looseLimit));
    }
    await searchable.recordActivity(inside, here);
    return batches.map((batch): Verdict => {
      if (!homes.has(batch.experimentId)) return new Failure('absent', 'the experiment no longer exists', { code: 90211 });
      if (!fresh.has(batch)) return { outcome: 'duplicate', overLimit: [] };
      const names = over.get(batch.experimentId);
      return { outcome: 'stored', overLimit: names === undefined ? [] : [...new Set(batch.points.map((point) => point.name))].filter((name) => names.includes(name)) };
    });
  }, { overtaken: true });

