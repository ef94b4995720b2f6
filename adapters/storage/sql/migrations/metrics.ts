import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import { chunkPoints } from '../metrics/chunks.js';
import {
  addColumns,
  addIndex,
  createTable,
  dropTable,
  keepPacked,
  keepRoom,
  type Change,
} from './change.js';

/** Queues what compaction has to fill in. It is repeatable, and what is queued in vain costs one look. */
const queueLong: Change = {
  number: 25,
  name: 'queue long series',
  olderMayWrite: true,
  async up(db, dialect) {
    await db.raw(
      `insert into compactions (experiment_id, series_id, at) select experiment_id, series_id, ${dialect.nowMs} from series where n >= ${chunkPoints} ${dialect.onConflictIgnore(['experiment_id', 'series_id']).replaceAll('`experiment_id`', 'compactions.experiment_id')}`,
    );
  },
  down: () => Promise.resolve(),
};

const received = (table: Knex.CreateTableBuilder, dialect: Dialect): void => {
  dialect.id(table, 'experiment_id').notNullable();
  table.string('digest', 64).notNullable();
  table.bigInteger('at').notNullable();
  table.primary(['experiment_id', 'digest'], 'received_key');
  table.index(['at'], 'received_at');
};

export const metricChanges = [
  createTable(20, 'series', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    // From the hash of name and context: known without asking, and unique where a name itself is too long to be.
    dialect.id(table, 'series_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'context').nullable();
    table.bigInteger('n').notNullable();
    table.integer('loose').notNullable();
    for (const end of ['min', 'max', 'last']) {
      dialect.real(table, `${end}_value`).nullable();
      // Only where the number does not print like what was logged; the newest is copied for searches, so it is always there.
      const text = dialect.longText(table, `${end}_text`);
      if (end === 'last') text.notNullable();
      else text.nullable();
      table.bigInteger(`${end}_step`).nullable();
      table.bigInteger(`${end}_epoch`).nullable();
      table.bigInteger(`${end}_time`).notNullable();
    }
    table.primary(['experiment_id', 'series_id'], 'series_key');
  }),
  createTable(21, 'chunks', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    dialect.id(table, 'series_id').notNullable();
    table.bigInteger('first_index').notNullable();
    table.integer('n').notNullable();
    table.boolean('packed').notNullable();
    // Smallest, largest and last number with where they stand, so that a chart of a long series opens no blob.
    for (const end of ['min', 'max', 'last']) {
      dialect.real(table, `${end}_value`).nullable();
      table.bigInteger(`${end}_step`).nullable();
      table.bigInteger(`${end}_epoch`).nullable();
      table.bigInteger(`${end}_time`).nullable();
    }
    dialect.longBytes(table, 'points').notNullable();
    table.primary(['experiment_id', 'series_id', 'first_index'], 'chunks_key');
  }),
  createTable(22, 'received', received),
  // Series with enough small chunks to be worth merging.
  createTable(23, 'compactions', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    dialect.id(table, 'series_id').notNullable();
    table.bigInteger('at').notNullable();
    table.primary(['experiment_id', 'series_id'], 'compactions_key');
  }),
  // The oldest first, in the order in which they are taken.
  addIndex(440, 'compactions', ['at', 'experiment_id', 'series_id'], 'compactions_at'),
  // Statistics of the full chunks of a series, so that a chart of any length reads few rows: how far they reach on each axis as numbers, by which rows are chosen.
  createTable(24, 'rollups', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    dialect.id(table, 'series_id').notNullable();
    // Points of one span: a page of finer ones tells of fewer chunks.
    table.integer('span_points').notNullable();
    table.bigInteger('first_index').notNullable();
    table.integer('spans').notNullable();
    for (const axis of ['time', 'step', 'epoch']) {
      table.bigInteger(`${axis}_low`).nullable();
      table.bigInteger(`${axis}_high`).nullable();
      // Points that stand on the axis; of these, those whose value is no finite number.
      table.integer(`${axis}_placed`).notNullable();
      table.integer(`${axis}_skipped`).notNullable();
      dialect.longBytes(table, `${axis}_numbers`).notNullable();
    }
    // The checksum of each chunk, by which one that was read before is known again.
    dialect.longBytes(table, 'checks').notNullable();
    table.primary(['experiment_id', 'series_id', 'span_points', 'first_index'], 'rollups_key');
  }),
  createTable(605, 'received_requests', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    // From the digest of the body.
    dialect.id(table, 'request_id').notNullable();
    table.bigInteger('at').notNullable();
    table.primary(['experiment_id', 'request_id'], 'received_requests_key');
    table.index(['at'], 'received_requests_at');
  }),
  dropTable(606, 'received', received),
  // A batch may change every row of a page.
  keepRoom(601, 'series', 50),
  // Batches that were acknowledged and are not yet put into their series, in their order within an experiment.
  createTable(620, 'pending_points', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.bigInteger('seq').notNullable();
    table.bigInteger('at').notNullable();
    dialect.longBytes(table, 'points').notNullable();
    table.primary(['experiment_id', 'seq'], 'pending_points_key');
  }),
  // Rows come and go all the time.
  keepRoom(621, 'pending_points', 0),
  keepPacked(622, 'pending_points', 'points'),
  // Whoever remembers the series of an experiment sees by it that some were removed.
  addColumns(623, 'experiments', 'series_removals', (table) => {
    table.integer('series_removals').notNullable().defaultTo(0);
    return ['series_removals'];
  }),
  // Long series that were merged before there were rollups.
  queueLong,
];
