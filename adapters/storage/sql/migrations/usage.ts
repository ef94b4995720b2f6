import { createTable } from './change.js';

export const usageChanges = [
  createTable(160, 'usage_counts', (table, dialect) => {
    dialect.id(table, 'user_id').notNullable();
    table.string('kind', 10).notNullable();
    table.integer('day').notNullable();
    table.bigInteger('n').notNullable();
    table.bigInteger('last_at').notNullable();
    table.primary(['user_id', 'kind', 'day'], 'usage_counts_key');
  }),
];
