import { createTable } from './change.js';

export const usageChanges = [
  createTable(160, 'usage_counts', (table, dialect) => {
    dialect.id(table, 'user_id').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    table.string('kind', 10).notNullable();
    table.integer('day').notNullable();
    table.bigInteger('n').notNullable();
    table.bigInteger('last_at').notNullable();
    table.primary(['user_id', 'workspace_id', 'kind', 'day'], 'usage_counts_key');
  }),
  // What removed experiments used, by the day they were made.
  createTable(280, 'removed_usage', (table, dialect) => {
    table.integer('day').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    table.bigInteger('n').notNullable();
    table.bigInteger('running_ms').notNullable();
    table.bigInteger('gpu_ms').notNullable();
    table.bigInteger('bytes').notNullable();
    table.bigInteger('last_at').notNullable();
    table.primary(['day', 'workspace_id', 'project_id', 'user_id'], 'removed_usage_key');
  }),
  createTable(161, 'linked_identities', (table, dialect) => {
    // SHA-256 of issuer and subject.
    table.string('subject_key', 64).notNullable().primary();
    dialect.id(table, 'user_id').notNullable();
    dialect.exactText(table, 'issuer', 500).notNullable();
    dialect.exactText(table, 'subject', 255).notNullable();
    table.bigInteger('linked_at').notNullable();
    table.index(['user_id'], 'linked_identities_user');
  }),
];
