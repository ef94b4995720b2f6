import { createTable } from './change.js';

export const panelChanges = [
  createTable(80, 'rpc_functions', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'documentation').notNullable();
    dialect.longText(table, 'argument_names').notNullable();
    table.primary(['experiment_id', 'name_key'], 'rpc_functions_key');
  }),
  createTable(81, 'rpc_calls', (table, dialect) => {
    dialect.id(table, 'experiment_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.longText(table, 'function_name').notNullable();
    table.boolean('built_in').notNullable();
    dialect.longText(table, 'arguments').notNullable();
    dialect.longText(table, 'user_name').notNullable();
    table.bigInteger('created_at').notNullable();
    table.string('status', 20).notNullable();
    // By the database's own time, since the processes that compare it have clocks of their own.
    table.bigInteger('taken_at').nullable();
    dialect.longText(table, 'result').nullable();
    dialect.longText(table, 'error_message').nullable();
    dialect.longText(table, 'error_stack').nullable();
    table.bigInteger('start_time').nullable();
    table.bigInteger('end_time').nullable();
    table.primary(['experiment_id', 'id'], 'rpc_calls_key');
    table.index(['experiment_id', 'status'], 'rpc_calls_status');
  }),
  // How a project, or one experiment in it, is looked at: views and dashboards.
  createTable(82, 'views', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'experiment_id').nullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'content').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.index(['project_id', 'created_at'], 'views_project');
    table.index(['experiment_id'], 'views_experiment');
  }),
  createTable(83, 'panels', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'owner_id').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.longText(table, 'template').notNullable();
    dialect.longBytes(table, 'archive').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('revised_at').notNullable();
    table.index(['workspace_id', 'created_at'], 'panels_workspace');
  }),
];
