import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const alertChanges = [
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
  }),
];
