import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const alertChanges = [
  createTable(560, 'alert_events', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'alert_id').notNullable();
    dialect.exactText(table, 'event_type', 40).notNullable();
    dialect.id(table, 'id').notNullable();
    table.bigInteger('at').notNullable();
    table.bigInteger('ripe_at').notNullable();
    dialect.longText(table, 'user_name').notNullable();
    dialect.longText(table, 'record').notNullable();
    table.primary(['workspace_id', 'alert_id', 'event_type', 'id'], 'alert_events_key');
    table.index(['ripe_at'], 'alert_events_ripe');
  }),
  createTable(561, 'alert_firings', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'alert_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.bigInteger('at').notNullable();
    dialect.exactText(table, 'event_type', 40).notNullable();
    // One trigger in one period; empty for what is told of events.
    dialect.exactText(table, 'period_key', 64).nullable();
    table.integer('event_count').notNullable();
    dialect.longText(table, 'value').nullable();
    dialect.longText(table, 'threshold').nullable();
    dialect.longText(table, 'notice').nullable();
    dialect.exactText(table, 'state', 20).notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('retry_at').nullable();
    table.integer('status').nullable();
    dialect.longText(table, 'error').nullable();
    table.primary(['workspace_id', 'alert_id', 'id'], 'alert_firings_key');
    table.unique(['period_key'], { indexName: 'alert_firings_period' });
    table.index(['workspace_id', 'retry_at'], 'alert_firings_due');
    table.index(['retry_at'], 'alert_firings_waiting');
    table.index(['at'], 'alert_firings_at');
    table.index(['workspace_id', 'alert_id', 'event_type', 'at'], 'alert_firings_trigger');
  }),
  createTable(567, 'alerts', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.longText(table, 'name').notNullable();
    table.boolean('enabled').notNullable();
    dialect.exactText(table, 'type', 20).notNullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.id(table, 'webhook_id').notNullable();
    dialect.longText(table, 'webhook_url').notNullable();
    dialect.longText(table, 'sealed_token').nullable();
    dialect.longText(table, 'masked_token').nullable();
    dialect.longText(table, 'sealed_headers').nullable();
    dialect.longText(table, 'triggers').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'alerts_key');
    table.index(['project_id', 'id'], 'alerts_project');
    table.index(['enabled', 'workspace_id'], 'alerts_enabled');
  }),
];
