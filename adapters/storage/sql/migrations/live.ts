import { createTable } from './change.js';

/** What pages need that stay open: what changed a moment ago, views that people save, comments. */
export const liveChanges = [
  // One row for each thing that changed within the last hours, whoever stored it: processes hear of each other's changes by its times.
  createTable(400, 'heard_changes', (table, dialect) => {
    dialect.id(table, 'subject_id').notNullable();
    table.specificType('kind', 'smallint').notNullable();
    table.bigInteger('at').notNullable();
    table.primary(['subject_id', 'kind'], 'heard_changes_key');
    table.index(['at'], 'heard_changes_at');
  }),
];
