import { addAuthorship } from '../authorship.js';
import { addColumns, createTable } from './change.js';

export const automationChanges = [
  createTable(568, 'automation_rules', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.exactText(table, 'type', 50).notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.real(table, 'sampling_rate').notNullable();
    table.boolean('enabled').notNullable();
    dialect.longText(table, 'filters').notNullable();
    dialect.longText(table, 'code').notNullable();
    addAuthorship(table, dialect);
    table.index(['workspace_id', 'id'], 'automation_rules_workspace');
  }),
  createTable(569, 'automation_rule_projects', (table, dialect) => {
    dialect.id(table, 'rule_id').notNullable();
    dialect.id(table, 'project_id').notNullable();
    table.primary(['rule_id', 'project_id'], 'automation_rule_projects_key');
    table.index(['project_id', 'rule_id'], 'automation_rule_projects_project');
  }),
  createTable(571, 'automation_runs', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'project_id').notNullable();
    dialect.exactText(table, 'entity_kind', 10).notNullable();
    dialect.id(table, 'entity_id').notNullable();
    dialect.id(table, 'rule_id').nullable();
    table.integer('tries').notNullable();
    table.bigInteger('queued_at').notNullable();
    table.bigInteger('due_at').notNullable();
    dialect.exactText(table, 'holder', 50).notNullable();
    table.index(['due_at', 'id'], 'automation_runs_due');
    table.index(['project_id', 'id'], 'automation_runs_project');
  }),
  createTable(573, 'automation_logs', (table, dialect) => {
    dialect.id(table, 'rule_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.bigInteger('at').notNullable();
    dialect.exactText(table, 'level', 10).notNullable();
    dialect.longText(table, 'message').notNullable();
    dialect.longText(table, 'markers').notNullable();
    table.primary(['rule_id', 'id'], 'automation_logs_key');
  }),
  addColumns(575, 'automation_runs', 'asked', (table) => {
    table.boolean('asked').notNullable().defaultTo(false);
    return ['asked'];
  }),
];
