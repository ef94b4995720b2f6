import { createTable } from './change.js';

export const eventChanges = [
  createTable(110, 'event_subjects', (table, dialect) => {
    table.string('subject_key', 64).notNullable().primary();
    dialect.longText(table, 'subject').notNullable();
    table.bigInteger('last_number').notNullable();
    // When a dispatcher should look at it again; absent when everything is delivered.
    table.bigInteger('due_at').nullable();
    table.string('holder', 80).nullable();
    table.bigInteger('held_until').notNullable();
    table.index(['due_at'], 'event_subjects_due');
  }),
  createTable(111, 'events', (table, dialect) => {
    table.string('subject_key', 64).notNullable();
    table.bigInteger('number').notNullable();
    dialect.id(table, 'id').notNullable();
    table.string('name', 120).notNullable();
    table.bigInteger('at').notNullable();
    dialect.longText(table, 'detail').notNullable();
    table.primary(['subject_key', 'number'], 'events_key');
  }),
  createTable(112, 'event_cursors', (table) => {
    table.string('receiver', 120).notNullable();
    table.string('subject_key', 64).notNullable();
    table.bigInteger('delivered').notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('retry_at').nullable();
    table.boolean('parked').notNullable();
    table.primary(['receiver', 'subject_key'], 'event_cursors_key');
    table.index(['subject_key'], 'event_cursors_subject');
  }),
];
