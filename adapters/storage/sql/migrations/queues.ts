import { createTable } from './change.js';

export const queueChanges = [
  // Items of queues on which work failed; what is done is not here.
  createTable(241, 'queue_faults', (table, dialect) => {
    table.string('queue', 40).notNullable();
    dialect.exactText(table, 'item', 200).notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('first_at').notNullable();
    table.bigInteger('next_at').notNullable();
    table.bigInteger('parked_at').nullable();
    dialect.longText(table, 'reason').notNullable();
    table.primary(['queue', 'item'], 'queue_faults_key');
  }),
];
