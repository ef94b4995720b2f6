import { createTable } from './change.js';

export const promptRunChanges = [
  createTable(580, 'prompt_runs', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'evaluation_id').notNullable();
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'dataset_id').notNullable();
    table.integer('version').notNullable();
    dialect.longText(table, 'filters').notNullable();
    dialect.longText(table, 'prompt').notNullable();
    table.integer('prompt_index').notNullable();
    dialect.longText(table, 'rule_ids').notNullable();
    dialect.longText(table, 'user_name').notNullable();
    dialect.id(table, 'done_id').nullable();
    table.integer('tries').notNullable();
    table.bigInteger('due_at').notNullable();
    dialect.exactText(table, 'holder', 50).notNullable();
    table.primary(['workspace_id', 'evaluation_id'], 'prompt_runs_key');
    table.index(['due_at', 'evaluation_id'], 'prompt_runs_due');
    table.index(['project_id', 'evaluation_id'], 'prompt_runs_project');
  }),
];
