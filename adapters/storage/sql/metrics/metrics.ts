// The metric store: a coalescer in front of the flush, and the reads.
import { isFailure } from '#ports/failure';
import type { Appended, MetricStore } from '#ports/storage/metrics';
import { inTransaction, type Connection } from '../connection.js';
import { applyAllLocked, createApplying, type Applying } from './applying.js';
import { createCoalescer, type Coalescer } from '../coalescer.js';
import { createCompaction, type Compaction } from './compaction.js';
import { flushBatches, type FlushNeeds } from './flush.js';
import { listSeries, readChart, readPoints, readPointTexts, readSeries } from './reading.js';
import { createPendingLog } from './pending.js';
import { prepareBatch, type PreparedBatch } from './prepared.js';
import { seriesIdsOf } from './series-ids.js';
import { createFlushCache } from './flush-cache.js';
import { createSearchable, type Searchable } from './searchable.js';
import { lockExperiments } from './writing.js';
import { valueKinds } from '../value-kinds.js';

const mebibyte = 1024 * 1024;

export interface Metrics {
  readonly store: MetricStore;
  /** The store inside a caller's transaction: it writes at once, in the same order of rows. */
  inside(connection: Connection): MetricStore;
  readonly coalescer: Coalescer<PreparedBatch, Appended>;
  readonly compaction: Compaction;
  readonly searchable: Searchable;
  readonly applying: Applying;
  close(): Promise<void>;
}

const removeSeries = (
  connection: Connection,
  experimentId: string,
  name: string,
): Promise<boolean> =>
  inTransaction(connection, async (inside) => {
    const { db, dialect, clock } = inside;
    const homes = await lockExperiments(inside, [experimentId]);
    await applyAllLocked(inside, createSearchable(), homes, experimentId);
    await db('experiments')
      .where({ id: experimentId })
      .update({ series_removals: db.raw('series_removals + 1') });
    const ids = [...seriesIdsOf(name)];
    const removed = await db('series')
      .where({ experiment_id: experimentId })
      .modify(dialect.among('series_id', 'id', ids))
      .delete();
    // Kept as of now: a copy that was begun before may still come, and goes with the note.
    await db('stale_values')
      .where({ experiment_id: experimentId })
      .modify(dialect.among('series_id', 'id', ids))
      .update({ at: clock.now() });
    for (const table of ['chunks', 'rollups', 'compactions'])
      await db(table)
        .where({ experiment_id: experimentId })
        .modify(dialect.among('series_id', 'id', ids))
        .delete();
    await db('experiment_values')
      .where({ experiment_id: experimentId, kind: valueKinds.metric })
      .modify(dialect.among('name_key', 'id', ids))
      .delete();
    return removed > 0;
  });

/** What remembers nothing: for what a caller may yet undo. */
const unremembering = (): FlushNeeds => ({
  searchable: createSearchable(),
  flushCache: createFlushCache(),
  log: createPendingLog(),
});

/** `flushing` has connections of its own. */
export const createMetrics = (connection: Connection, flushing: Connection): Metrics => {
  const log = createPendingLog();
  const searchable: Searchable = createSearchable((over, projectId) =>
    applying.ofProject(over, projectId),
  );
  const applying = createApplying(connection, searchable, log);
  const flushCache = createFlushCache();
  const { meters, dialect } = connection;
  const pointsIn = meters.counter('orrery_metric_points_total', 'Metric points stored');
  const flushSize = meters.histogram(
    'orrery_metric_flush_requests',
    'Requests written by one flush',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  const isDataFault = (thrown: unknown) =>
    isFailure(thrown)
      ? thrown.kind === 'invalid'
      : dialect.fault(thrown) === 'unfit' || dialect.fault(thrown) === 'other';

  const flush = async (batches: readonly PreparedBatch[]) => {
    const results = await flushBatches(flushing, { searchable, flushCache, log }, batches).catch(
      (thrown: unknown) => {
        searchable.forget();
        flushCache.forget();
        throw thrown;
      },
    );
    applying.later(log.takeDue());
    flushSize.observe(batches.length);
    pointsIn.add(batches.reduce((sum, batch) => sum + batch.columns.values.length, 0));
    return results;
  };
  const coalescer = createCoalescer(
    {
      queueBytes: 32 * mebibyte,
      queueRequests: 2000,
      flushBytes: Math.min(8 * mebibyte, dialect.statementBytes / 2),
      besideBytes: mebibyte / 6,
    },
    flush,
    isDataFault,
  );
  const compaction = createCompaction(connection);
  meters.gauge(
    'orrery_metric_queue_requests',
    'Requests waiting for the next flush',
    () => coalescer.depth().requests,
  );
  meters.gauge(
    'orrery_metric_queue_bytes',
    'Bytes waiting for the next flush',
    () => coalescer.depth().bytes,
  );
  meters.gauge(
    'orrery_metric_compaction_backlog',
    'Series that wait for their chunks to be merged',
    () => compaction.backlog(),
    { of: 'installation' },
  );

  const reads = (over: Connection): Omit<MetricStore, 'append'> => ({
    async listSeries(experimentId, options) {
      await applying.ofExperiments(over, [experimentId]);
      return listSeries(over, experimentId, options);
    },
    async countSeries(experimentId) {
      const [row] = await over
        .db('series')
        .where({ experiment_id: experimentId })
        .count({ n: '*' });
      return Number(row?.n ?? 0);
    },
    async *readPoints(experimentId, name) {
      await applying.ofExperiments(over, [experimentId]);
      yield* readPoints(over, experimentId, name);
    },
    async *readPointTexts(experimentId, name) {
      await applying.ofExperiments(over, [experimentId]);
      yield* readPointTexts(over, experimentId, name);
    },
    async readChart(experimentId, name, limit) {
      await applying.ofExperiments(over, [experimentId]);
      return readChart(over, experimentId, name, limit);
    },
    readSeries: (experimentId, series) => readSeries(over, experimentId, series), // its count was told, so it is applied
    async queueCompaction(experimentIds) {
      if (experimentIds.length === 0) return;
      await applying.ofExperiments(over, experimentIds);
      await createCompaction(over).queue(experimentIds);
    },
    remove: (experimentId, name) => removeSeries(over, experimentId, name),
  });
  return {
    store: { append: (batch) => coalescer.add(prepareBatch(batch)), ...reads(connection) },
    inside: (over) => ({
      async append(batch) {
        const [result] = await flushBatches(over, unremembering(), [prepareBatch(batch)]);
        if (result === undefined || isFailure(result))
          throw result ?? new Error('a flush of one batch gives one result');
        return result;
      },
      ...reads(over),
    }),
    coalescer,
    compaction,
    searchable,
    applying,
    async close() {
      await coalescer.close();
      await applying.close();
    },
  };
};
