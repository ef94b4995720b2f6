import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const feedbackDefinitionChanges = [
  createTable(550, 'feedback_definitions', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.exactText(table, 'type', 20).notNullable();
    dialect.longText(table, 'details').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'feedback_definitions_key');
    table.unique(['workspace_id', 'name_key'], { indexName: 'feedback_definitions_name' });
  }),
  createTable(551, 'guardrails', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'trace_id').notNullable();
    dialect.id(table, 'span_id').notNullable();
    dialect.exactText(table, 'name', 40).notNullable();
    dialect.id(table, 'id').notNullable();
    table.boolean('passed').notNullable();
    dialect.longText(table, 'config').nullable();
    dialect.longText(table, 'details').nullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.primary(['project_id', 'trace_id', 'span_id', 'name'], 'guardrails_key');
  }),
];
