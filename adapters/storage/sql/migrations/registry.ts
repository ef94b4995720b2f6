import { addIndex, createTable, dropIndex } from './change.js';

export const registryChanges = [
  createTable(120, 'registry_models', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    // SHA-256 of workspace and normal name; the id once it is deleted, so that the name is free.
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'description').nullable();
    table.boolean('public').notNullable();
    dialect.longText(table, 'notes').nullable();
    dialect.id(table, 'user_id').notNullable();
    table.integer('versions').notNullable();
    dialect.id(table, 'latest_id').nullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.bigInteger('deleted_at').nullable();
    table.unique(['name_key'], { indexName: 'registry_models_name' });
    table.index(['workspace_id', 'id'], 'registry_models_workspace');
  }),
  createTable(121, 'registry_versions', (table, dialect) => {
    dialect.id(table, 'model_id').notNullable();
    dialect.id(table, 'id').notNullable();
    // The experiment that it was registered from, which may be gone: no column that removal goes by.
    dialect.id(table, 'source_id').notNullable();
    table.string('source_key', 50).notNullable();
    table.string('source_model_id', 80).notNullable();
    dialect.longText(table, 'source_model').notNullable();
    table.string('version', 100).notNullable();
    // SHA-256 of model and version; the id once it is deleted.
    table.string('version_key', 64).notNullable();
    dialect.longText(table, 'comment').nullable();
    dialect.longText(table, 'tags').notNullable();
    dialect.longText(table, 'status').notNullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.longText(table, 'status_configuration').nullable();
    table.integer('files').notNullable();
    dialect.id(table, 'user_id').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.bigInteger('deleted_at').nullable();
    table.primary(['model_id', 'id'], 'registry_versions_key');
    table.unique(['version_key'], { indexName: 'registry_versions_version' });
    table.index(['id'], 'registry_versions_id');
    table.index(['source_id'], 'registry_versions_source');
  }),
  // What a version keeps of the assets it was registered with. Bytes that a row here names are not removed.
  createTable(122, 'registry_files', (table, dialect) => {
    dialect.id(table, 'model_id').notNullable();
    dialect.id(table, 'version_id').notNullable();
    dialect.id(table, 'row_id').notNullable();
    dialect.id(table, 'source_id').notNullable();
    table.string('id_key', 64).notNullable();
    // SHA-256 of the experiment's key and the asset's id, as links name them.
    table.string('file_key', 64).notNullable();
    table.string('blob_key', 201).nullable();
    dialect.longText(table, 'content').notNullable();
    table.primary(['model_id', 'version_id', 'row_id'], 'registry_files_key');
    table.index(['file_key'], 'registry_files_link');
    table.index(['row_id'], 'registry_files_row');
    table.index(['blob_key'], 'registry_files_blob');
  }),
  createTable(123, 'registry_history', (table, dialect) => {
    dialect.id(table, 'model_id').notNullable();
    dialect.id(table, 'version_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.string('action', 60).notNullable();
    dialect.longText(table, 'comment').nullable();
    dialect.longText(table, 'previous').notNullable();
    dialect.longText(table, 'next').notNullable();
    dialect.longText(table, 'user_name').notNullable();
    table.bigInteger('at').notNullable();
    table.primary(['model_id', 'version_id', 'id'], 'registry_history_key');
  }),
  createTable(124, 'registry_requests', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'model_id').notNullable();
    dialect.id(table, 'version_id').notNullable();
    dialect.longText(table, 'status').notNullable();
    dialect.longText(table, 'from_status').notNullable();
    dialect.longText(table, 'comment').nullable();
    table.string('state', 20).notNullable();
    dialect.id(table, 'user_id').notNullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'approved_by').notNullable();
    dialect.longText(table, 'decided_by').nullable();
    table.bigInteger('decided_at').nullable();
    dialect.longText(table, 'decision').nullable();
    table.index(['workspace_id', 'created_at'], 'registry_requests_workspace');
    table.index(['model_id', 'version_id'], 'registry_requests_version');
    table.index(['version_id', 'state'], 'registry_requests_pending');
    table.index(['state', 'created_at'], 'registry_requests_state');
  }),
  createTable(125, 'registry_statuses', (table, dialect) => {
    table.string('name_key', 64).notNullable().primary();
    table.integer('position').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'colour').notNullable();
    table.boolean('requires_approval').notNullable();
    table.boolean('exclusive').notNullable();
  }),
  // Until when a user waits for the next download, by the database's own time.
  createTable(126, 'registry_downloads', (table, dialect) => {
    dialect.id(table, 'user_id').notNullable().primary();
    table.bigInteger('until').notNullable();
  }),
  // Models and versions whose rows are to be removed. An index over the times of deletion would be chosen for reading what is not deleted.
  createTable(127, 'registry_removals', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    // The model that a version was of; nothing for a model.
    dialect.id(table, 'owner_id').nullable();
    table.bigInteger('at').notNullable();
    table.index(['at'], 'registry_removals_at');
  }),
  // The newest requests first, of a workspace, a state or a model, each in the order of a page.
  addIndex(
    436,
    'registry_requests',
    ['workspace_id', 'created_at', 'id'],
    'registry_requests_listing',
  ),
  addIndex(
    437,
    'registry_requests',
    ['workspace_id', 'state', 'created_at', 'id'],
    'registry_requests_by_state',
  ),
  addIndex(
    438,
    'registry_requests',
    ['model_id', 'created_at', 'id'],
    'registry_requests_by_model',
  ),
  dropIndex(
    439,
    'registry_requests',
    ['workspace_id', 'created_at'],
    'registry_requests_workspace',
  ),
];
