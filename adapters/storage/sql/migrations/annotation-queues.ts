import { addAuthorship } from '../authorship.js';
import { addColumns, createTable } from './change.js';

export const annotationQueueChanges = [
  createTable(556, 'annotation_queues', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.longText(table, 'instructions').nullable();
    dialect.exactText(table, 'scope', 10).notNullable();
    table.boolean('comments_enabled').notNullable();
    dialect.longText(table, 'definition_names').notNullable();
    table.integer('annotators_per_item').notNullable();
    table.integer('lock_timeout_seconds').notNullable();
    dialect.longText(table, 'automation').nullable();
    table.boolean('automated').notNullable();
    dialect.longText(table, 'annotator_view').nullable();
    // Of the items that have not been taken out; they change under a lock of this row.
    table.bigInteger('items_count').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'annotation_queues_key');
    table.index(['project_id', 'id'], 'annotation_queues_project');
    table.index(['project_id', 'automated', 'scope'], 'annotation_queues_automated');
  }),
  createTable(557, 'annotation_queue_items', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'queue_id').notNullable();
    dialect.id(table, 'item_id').notNullable();
    dialect.exactText(table, 'source', 10).notNullable();
    // Taken out by somebody: it stays known, so that automation does not add it again.
    table.boolean('removed').notNullable();
    table.bigInteger('added_at').notNullable();
    table.primary(['project_id', 'queue_id', 'item_id'], 'annotation_queue_items_key');
    table.index(['project_id', 'item_id'], 'annotation_queue_items_item');
  }),
  createTable(558, 'annotation_queue_locks', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'queue_id').notNullable();
    dialect.id(table, 'item_id').notNullable();
    table.string('user_key', 64).notNullable();
    dialect.longText(table, 'user_name').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.primary(['project_id', 'queue_id', 'item_id', 'user_key'], 'annotation_queue_locks_key');
    table.index(['project_id', 'queue_id', 'expires_at'], 'annotation_queue_locks_expiry');
    table.index(['project_id', 'user_key', 'item_id'], 'annotation_queue_locks_user');
  }),
  addColumns(563, 'annotation_queues', 'complete', (table) => {
    // Whether each item is known to be there as a trace or thread: pages are then read, and counted, without a look at any other.
    table.boolean('complete').notNullable().defaultTo(false);
    return ['complete'];
  }),
];
