import { createTable } from './change.js';

export const identityChanges = [
  createTable(1, 'users', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.exactText(table, 'name', 200).notNullable();
    table.string('name_key', 64).notNullable().unique({ indexName: 'users_name_key' });
    table.string('email', 320).nullable();
    table.string('email_key', 64).nullable().unique({ indexName: 'users_email_key' });
    table.boolean('email_proved').notNullable();
    table.string('kind', 20).notNullable();
    table.boolean('admin').notNullable();
    table.boolean('view_only').notNullable();
    table.boolean('restricted').notNullable();
    table.bigInteger('suspended_at').nullable();
    dialect.id(table, 'default_workspace_id').nullable();
    table.string('password', 300).nullable();
    table.integer('turn').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.index(['name'], 'users_name');
    table.index(['admin', 'suspended_at'], 'users_admin');
    table.index(['created_at', 'id'], 'users_made');
  }),
  createTable(2, 'workspaces', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.exactText(table, 'name', 200).notNullable();
    table.string('name_key', 64).notNullable().unique({ indexName: 'workspaces_name_key' });
    dialect.id(table, 'owner_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('experiments_limit').nullable();
    table.bigInteger('storage_limit').nullable();
    // Raised by every holder of the workspace, so that two on different nodes of a cluster conflict when they commit.
    table.bigInteger('revision').notNullable().defaultTo(0);
    table.index(['name'], 'workspaces_name');
  }),
  createTable(3, 'members', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    table.string('role', 20).notNullable();
    table.string('permissions', 100).notNullable();
    table.primary(['workspace_id', 'user_id'], 'members_key');
    table.index(['user_id'], 'members_user');
  }),
  createTable(4, 'api_keys', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.string('hash', 64).notNullable().unique({ indexName: 'api_keys_hash' });
    dialect.id(table, 'user_id').notNullable();
    dialect.exactText(table, 'name', 200).notNullable();
    table.string('prefix', 20).notNullable();
    table.boolean('read_only').nullable();
    dialect.id(table, 'only_workspace_id').nullable();
    dialect.id(table, 'only_project_id').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').nullable();
    table.bigInteger('revoked_at').nullable();
    table.index(['user_id'], 'api_keys_user');
  }),
  createTable(5, 'toggles', (table) => {
    table.string('name', 120).notNullable().primary();
    table.boolean('enabled').notNullable();
  }),
  createTable(6, 'leases', (table) => {
    table.string('name', 120).notNullable().primary();
    table.string('holder', 80).notNullable();
    table.bigInteger('until').notNullable();
  }),
  createTable(140, 'sessions', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.string('hash', 64).notNullable().unique({ indexName: 'sessions_hash' });
    dialect.id(table, 'user_id').notNullable();
    table.string('way', 60).notNullable();
    table.string('address', 60).notNullable();
    dialect.exactText(table, 'agent', 300).notNullable();
    table.text('external').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('last_used_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['user_id'], 'sessions_user');
    table.index(['expires_at'], 'sessions_end');
  }),
];
