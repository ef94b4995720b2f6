import { createTable } from './change.js';

export const savedQueryChanges = [
  createTable(574, 'saved_queries', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.longText(table, 'sql_text').notNullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.primary(['workspace_id', 'id'], 'saved_queries_key');
    table.index(['project_id', 'id'], 'saved_queries_project');
  }),
];
