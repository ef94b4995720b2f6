import { createTable } from './change.js';

export const oauthChanges = [
  createTable(150, 'oauth_clients', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.exactText(table, 'name', 300).notNullable();
    dialect.longText(table, 'redirect_uris').notNullable();
    dialect.longText(table, 'logo_uri').nullable();
    dialect.longText(table, 'client_uri').nullable();
    dialect.exactText(table, 'software_id', 300).nullable();
    dialect.exactText(table, 'software_version', 300).nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('disabled_at').nullable();
    table.index(['created_at'], 'oauth_clients_made');
  }),
  createTable(151, 'oauth_codes', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.string('hash', 64).notNullable().unique({ indexName: 'oauth_codes_hash' });
    dialect.id(table, 'client_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.exactText(table, 'workspace_name', 200).notNullable();
    table.string('challenge', 128).notNullable();
    dialect.longText(table, 'redirect_uri').notNullable();
    dialect.longText(table, 'resource').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('used_at').nullable();
    table.index(['expires_at'], 'oauth_codes_end');
  }),
  createTable(152, 'oauth_families', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.string('code_hash', 64).notNullable().unique({ indexName: 'oauth_families_code' });
    dialect.id(table, 'client_id').notNullable();
    dialect.id(table, 'user_id').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.longText(table, 'resource').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('used_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('revoked_at').nullable();
    table.string('reason', 20).nullable();
    table.index(['user_id'], 'oauth_families_user');
    table.index(['client_id'], 'oauth_families_client');
    table.index(['expires_at'], 'oauth_families_end');
  }),
  createTable(153, 'oauth_tokens', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.string('hash', 64).notNullable().unique({ indexName: 'oauth_tokens_hash' });
    dialect.id(table, 'family_id').notNullable();
    table.string('kind', 10).notNullable();
    dialect.id(table, 'rotated_from').nullable();
    table.integer('pairs').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('revoked_at').nullable();
    table.string('reason', 20).nullable();
    table.index(['family_id'], 'oauth_tokens_family');
    table.index(['kind', 'expires_at'], 'oauth_tokens_end');
  }),
  createTable(154, 'oauth_attempts', (table) => {
    table.string('name', 64).notNullable().primary();
    table.integer('n').notNullable();
    table.bigInteger('until').notNullable();
    table.index(['until'], 'oauth_attempts_end');
  }),
];
