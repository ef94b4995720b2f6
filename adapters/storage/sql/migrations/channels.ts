import { addIndex, createTable, dropIndex } from './change.js';

export const channelChanges = [
  createTable(130, 'channels', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'model_id').nullable();
    table.string('purpose', 20).notNullable();
    table.string('kind', 60).notNullable();
    dialect.id(table, 'user_id').nullable();
    // SHA-256 of what makes it the same as another, its address among it: the address itself may be a secret.
    table.string('place_key', 64).notNullable();
    dialect.longText(table, 'name').nullable();
    dialect.longText(table, 'triggers').nullable();
    table.string('form', 60).nullable();
    dialect.longText(table, 'form_options').nullable();
    dialect.longText(table, 'sealed').notNullable();
    table.boolean('enabled').notNullable();
    // Its model is gone: it goes once nothing waits for it.
    table.boolean('ends').notNullable();
    table.integer('failures').notNullable();
    dialect.longText(table, 'fault').nullable();
    dialect.id(table, 'created_by').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['place_key'], { indexName: 'channels_place' });
    table.index(['workspace_id', 'purpose'], 'channels_workspace');
  }),
  // What waits for one channel, in the order of one subject. Due by the clock of the servers, held by that of the database.
  createTable(131, 'delivery_queues', (table, dialect) => {
    dialect.id(table, 'channel_id').notNullable();
    dialect.id(table, 'subject_id').notNullable();
    table.bigInteger('last_number').notNullable();
    // When it should be looked at; absent when nothing waits in it.
    table.bigInteger('due_at').nullable();
    table.string('holder', 80).nullable();
    table.bigInteger('held_until').notNullable();
    table.primary(['channel_id', 'subject_id'], 'delivery_queues_key');
    table.index(['due_at', 'channel_id'], 'delivery_queues_due');
  }),
  createTable(132, 'deliveries', (table, dialect) => {
    dialect.id(table, 'channel_id').notNullable();
    dialect.id(table, 'subject_id').notNullable();
    table.bigInteger('number').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'event_id').notNullable();
    // SHA-256 of channel and event, or of the delivery where it repeats another.
    table.string('once_key', 64).notNullable();
    table.string('trigger_name', 80).notNullable();
    dialect.longText(table, 'content').notNullable();
    table.bigInteger('created_at').notNullable();
    table.string('state', 12).notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('tried_at').nullable();
    table.bigInteger('retry_at').nullable();
    table.integer('status').nullable();
    table.integer('duration_ms').nullable();
    dialect.longText(table, 'reply').nullable();
    dialect.longText(table, 'error').nullable();
    dialect.id(table, 'repeats').nullable();
    table.primary(['channel_id', 'subject_id', 'number'], 'deliveries_key');
    table.unique(['once_key'], { indexName: 'deliveries_once' });
    table.index(['id'], 'deliveries_id');
    table.index(['workspace_id', 'created_at'], 'deliveries_workspace');
    table.index(['channel_id', 'state', 'tried_at'], 'deliveries_state');
    table.index(['created_at'], 'deliveries_age');
    table.index(['state'], 'deliveries_waiting');
  }),
  // The newest first, of a workspace, a channel, a thing or a state, each in the order of a page.
  addIndex(431, 'deliveries', ['workspace_id', 'created_at', 'id'], 'deliveries_listing'),
  addIndex(432, 'deliveries', ['workspace_id', 'state', 'created_at', 'id'], 'deliveries_by_state'),
  addIndex(433, 'deliveries', ['channel_id', 'created_at', 'id'], 'deliveries_by_channel'),
  addIndex(434, 'deliveries', ['subject_id', 'created_at', 'id'], 'deliveries_by_subject'),
  dropIndex(435, 'deliveries', ['workspace_id', 'created_at'], 'deliveries_workspace'),
];
