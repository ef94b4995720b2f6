import { createTable } from './change.js';

export const artifactChanges = [
  createTable(70, 'artifacts', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    // Of workspace and name; of a deleted one its id, so that the name is free.
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'type', 190).notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.longText(table, 'metadata').nullable();
    table.boolean('public').notNullable();
    dialect.longText(table, 'emoji').nullable();
    dialect.longText(table, 'tags').nullable();
    dialect.id(table, 'project_id').notNullable();
    dialect.longText(table, 'experiment_key').notNullable();
    dialect.id(table, 'owner_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('deleted_at').nullable();
    table.unique(['name_key'], { indexName: 'artifacts_name' });
    table.index(['workspace_id', 'id'], 'artifacts_listing');
    table.index(['deleted_at'], 'artifacts_deleted');
  }),
  createTable(71, 'artifact_versions', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'artifact_id').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.exactText(table, 'version', 100).notNullable();
    dialect.exactText(table, 'order_key', 400).notNullable();
    table.string('state', 10).notNullable();
    dialect.id(table, 'experiment_id').notNullable();
    dialect.longText(table, 'experiment_key').notNullable();
    dialect.id(table, 'owner_id').notNullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.longText(table, 'note').nullable();
    dialect.longText(table, 'tags').nullable();
    // What its files add up to; changed with every file in the same transaction, which so meets the end of the version.
    table.bigInteger('files').notNullable();
    table.bigInteger('size_in_bytes').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('deleted_at').nullable();
    table.index(['artifact_id', 'order_key'], 'artifact_versions_order');
    table.index(['experiment_id'], 'artifact_versions_maker');
    table.index(['deleted_at'], 'artifact_versions_deleted');
  }),
  // Numbers that were ever given under a name; they stay when version and artifact are gone, since a number must not come to mean something else.
  createTable(72, 'artifact_numbers', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    table.string('name_key', 64).notNullable();
    table.string('version_key', 64).notNullable();
    dialect.exactText(table, 'version', 100).notNullable();
    dialect.exactText(table, 'order_key', 400).notNullable();
    dialect.id(table, 'version_id').notNullable();
    table.primary(['workspace_id', 'name_key', 'version_key'], 'artifact_numbers_key');
    table.index(['workspace_id', 'name_key', 'order_key'], 'artifact_numbers_order');
  }),
  createTable(73, 'artifact_aliases', (table, dialect) => {
    dialect.id(table, 'artifact_id').notNullable();
    // Of the alias in small letters: one that differs only in case is the same.
    table.string('alias_key', 64).notNullable();
    dialect.id(table, 'version_id').notNullable();
    dialect.longText(table, 'alias').notNullable();
    table.integer('position').notNullable();
    table.primary(['artifact_id', 'alias_key'], 'artifact_aliases_key');
    table.index(['version_id', 'position'], 'artifact_aliases_version');
  }),
  // Which runs have used which versions.
  createTable(74, 'artifact_uses', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    dialect.id(table, 'version_id').notNullable();
    table.bigInteger('used_at').notNullable();
    table.primary(['experiment_id', 'version_id'], 'artifact_uses_key');
    table.index(['version_id', 'used_at'], 'artifact_uses_version');
  }),
];
