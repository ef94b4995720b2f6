import { addIndex, createTable } from './change.js';

export const assetChanges = [
  createTable(60, 'assets', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    // SHA-256 of the id that clients know, which is their own text.
    table.string('id_key', 64).notNullable();
    dialect.id(table, 'row_id').notNullable();
    dialect.longText(table, 'id').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.longText(table, 'file_name').notNullable();
    table.string('name_key', 64).notNullable();
    // SHA-256 of file name, type, grouping and artifact version: what an overwriting upload looks for.
    table.string('place_key', 64).notNullable();
    dialect.exactText(table, 'type', 190).notNullable();
    table.bigInteger('file_size').notNullable();
    dialect.longText(table, 'run_context').nullable();
    table.bigInteger('step').nullable();
    table.bigInteger('epoch').nullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.longText(table, 'remote_link').nullable();
    table.string('blob_key', 201).nullable();
    table.string('sha256', 64).nullable();
    dialect.longText(table, 'grouping_name').nullable();
    table.string('grouping_key', 64).nullable();
    dialect.id(table, 'artifact_version_id').nullable();
    dialect.longText(table, 'extension').nullable();
    dialect.longText(table, 'tags').nullable();
    table.integer('width').nullable();
    table.integer('height').nullable();
    dialect.longText(table, 'part_of').nullable();
    table.string('part_key', 64).nullable();
    table.bigInteger('created_at').notNullable();
    table.primary(['experiment_id', 'id_key'], 'assets_key');
    table.index(['row_id'], 'assets_row');
    table.index(['experiment_id', 'row_id'], 'assets_listing');
    table.index(['experiment_id', 'type', 'row_id'], 'assets_by_type');
    table.index(['experiment_id', 'name_key'], 'assets_by_name');
    table.index(['experiment_id', 'place_key'], 'assets_by_place');
    table.index(['experiment_id', 'grouping_key', 'row_id'], 'assets_by_grouping');
    table.index(['experiment_id', 'part_key'], 'assets_by_whole');
    table.index(['artifact_version_id', 'row_id'], 'assets_by_version');
    table.index(['id_key'], 'assets_by_id');
  }),
  // Keys under which bytes are being written.
  createTable(61, 'uploads', (table) => {
    table.string('blob_key', 201).notNullable().primary();
    table.bigInteger('at').notNullable();
    table.index(['at'], 'uploads_at');
  }),
  // Keys whose bytes no row needs any more.
  createTable(62, 'blob_removals', (table) => {
    table.string('blob_key', 201).notNullable().primary();
    table.bigInteger('at').notNullable();
    table.index(['at'], 'blob_removals_at');
  }),
  createTable(63, 'direct_uploads', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'experiment_id').notNullable();
    dialect.longText(table, 'content').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.index(['expires_at'], 'direct_uploads_expiry');
  }),
  createTable(64, 'direct_parts', (table, dialect) => {
    dialect.id(table, 'upload_id').notNullable();
    table.integer('number').notNullable();
    table.bigInteger('size').notNullable();
    table.string('sha256', 64).notNullable();
    table.string('blob_key', 201).notNullable();
    table.primary(['upload_id', 'number'], 'direct_parts_key');
  }),
  createTable(65, 'link_secrets', (table) => {
    table.string('name', 40).notNullable().primary();
    table.string('secret', 200).notNullable();
    table.bigInteger('created_at').notNullable();
  }),
  // Uploads of the bucket that are to be dropped there.
  createTable(66, 'blob_aborts', (table, dialect) => {
    table.string('blob_key', 201).notNullable().primary();
    dialect.longText(table, 'upload').notNullable();
    table.bigInteger('at').notNullable();
    table.index(['at'], 'blob_aborts_at');
  }),
  // An audit asks for the rows of many keys of bytes.
  addIndex(67, 'assets', ['blob_key'], 'assets_by_blob'),
  // What runs have under a name at a step is found by it.
  addIndex(430, 'assets', ['experiment_id', 'type', 'name_key', 'step'], 'assets_by_step'),
];
