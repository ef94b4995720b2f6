import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

/** Datasets of LLM observability. Clients make the ids, so that one id may stand in several workspaces. */
export const datasetChanges = [
  createTable(521, 'datasets', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.exactText(table, 'type', 20).notNullable();
    dialect.exactText(table, 'visibility', 10).notNullable();
    dialect.longText(table, 'tags').nullable();
    dialect.longText(table, 'description').nullable();
    table.integer('newest').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'datasets_key');
    table.unique(['name_key'], { indexName: 'datasets_name' });
    table.index(['workspace_id', 'project_id', 'id'], 'datasets_project');
  }),
  createTable(522, 'dataset_versions', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'dataset_id').notNullable();
    table.integer('number').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.exactText(table, 'hash', 32).notNullable();
    dialect.exactText(table, 'group_key', 64).nullable();
    table.bigInteger('items_total').notNullable();
    table.bigInteger('items_added').notNullable();
    table.bigInteger('items_modified').notNullable();
    table.bigInteger('items_deleted').notNullable();
    dialect.longText(table, 'change_description').nullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.longText(table, 'evaluators').nullable();
    dialect.longText(table, 'execution_policy').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'dataset_id', 'number'], 'dataset_versions_key');
    table.unique(['workspace_id', 'id'], { indexName: 'dataset_versions_id' });
    table.unique(['workspace_id', 'dataset_id', 'group_key'], {
      indexName: 'dataset_versions_group',
    });
  }),
  createTable(523, 'dataset_version_tags', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'dataset_id').notNullable();
    dialect.exactText(table, 'tag_key', 64).notNullable();
    dialect.longText(table, 'tag').notNullable();
    table.integer('number').notNullable();
    table.primary(['workspace_id', 'dataset_id', 'tag_key'], 'dataset_version_tags_key');
  }),
  // An item as it is from one version on, up to another that is not counted in.
  createTable(524, 'dataset_items', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'dataset_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.integer('from_version').notNullable();
    table.integer('to_version').notNullable();
    dialect.id(table, 'trace_id').nullable();
    dialect.id(table, 'span_id').nullable();
    dialect.exactText(table, 'source', 20).notNullable();
    dialect.longText(table, 'data').notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.longText(table, 'tags').nullable();
    dialect.longText(table, 'evaluators').nullable();
    dialect.longText(table, 'execution_policy').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'dataset_id', 'id', 'from_version'], 'dataset_items_key');
    table.index(['workspace_id', 'dataset_id', 'to_version', 'id'], 'dataset_items_page');
    table.index(['workspace_id', 'id'], 'dataset_items_id');
  }),
  createTable(525, 'dataset_columns', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'dataset_id').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.exactText(table, 'type', 10).notNullable();
    dialect.longText(table, 'name').notNullable();
    table.primary(['workspace_id', 'dataset_id', 'name_key', 'type'], 'dataset_columns_key');
  }),
  // What was deleted and still has rows of its own.
  createTable(526, 'record_removals', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.exactText(table, 'kind', 20).notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'owner_id').notNullable();
    table.bigInteger('at').notNullable();
    table.unique(['workspace_id', 'owner_id', 'kind'], { indexName: 'record_removals_owner' });
    table.index(['at', 'id'], 'record_removals_at');
  }),
  createTable(559, 'dataset_exports', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'dataset_id').notNullable();
    table.integer('version').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.bigInteger('viewed_at').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'dataset_exports_key');
    table.index(['workspace_id', 'dataset_id', 'id'], 'dataset_exports_dataset');
    table.index(['workspace_id', 'expires_at'], 'dataset_exports_expiry');
  }),
];
