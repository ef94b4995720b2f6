import { createTable } from './change.js';

export const ticketChanges = [
  createTable(141, 'tickets', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.string('kind', 20).notNullable();
    table.string('hash', 64).notNullable().unique({ indexName: 'tickets_hash' });
    dialect.id(table, 'user_id').nullable();
    dialect.exactText(table, 'email', 320).nullable();
    table.boolean('mailed').notNullable();
    dialect.id(table, 'workspace_id').nullable();
    table.string('role', 20).nullable();
    table.string('permissions', 100).notNullable();
    dialect.id(table, 'made_by').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['user_id'], 'tickets_user');
    table.index(['workspace_id'], 'tickets_workspace');
    table.index(['expires_at'], 'tickets_expires');
  }),
  createTable(142, 'attempts', (table) => {
    table.string('id', 64).notNullable().primary();
    table.integer('tries').notNullable();
    table.bigInteger('last_at').notNullable();
    table.index(['last_at'], 'attempts_last');
  }),
];
