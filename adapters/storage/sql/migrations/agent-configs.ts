import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

/** Configurations of agents go by their project: they move with it, and name no workspace. */
export const agentConfigChanges = [
  createTable(552, 'agent_configs', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable().primary();
    dialect.id(table, 'id').notNullable();
    table.integer('blueprint_count').notNullable();
  }),
  createTable(553, 'agent_blueprints', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.exactText(table, 'type', 10).notNullable();
    // Of a mask, none.
    table.integer('number').nullable();
    dialect.longText(table, 'description').nullable();
    addAuthorship(table, dialect);
    table.primary(['project_id', 'id'], 'agent_blueprints_key');
    table.unique(['project_id', 'number'], { indexName: 'agent_blueprints_number' });
    table.index(['id'], 'agent_blueprints_anywhere');
  }),
  createTable(554, 'agent_config_values', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'blueprint_id').notNullable();
    table.integer('place').notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.longText(table, 'content').nullable();
    dialect.exactText(table, 'type', 20).notNullable();
    dialect.longText(table, 'description').nullable();
    table.integer('bytes').notNullable();
    dialect.id(table, 'prompt_id').nullable();
    table.integer('prompt_number').nullable();
    // It holds from the version of this number on, before that of the other; of a mask, never.
    table.integer('set_by').notNullable();
    table.integer('closed_by').notNullable();
    table.primary(['project_id', 'blueprint_id', 'place'], 'agent_config_values_key');
    table.index(['project_id', 'closed_by', 'set_by'], 'agent_config_values_newest');
    table.index(['project_id', 'set_by', 'closed_by'], 'agent_config_values_oldest');
    table.index(['prompt_id', 'closed_by', 'project_id'], 'agent_config_values_prompt');
  }),
  createTable(555, 'agent_config_environments', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.longText(table, 'name').notNullable();
    // Empty once it has ended.
    dialect.exactText(table, 'active_key', 64).nullable();
    dialect.id(table, 'blueprint_id').notNullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.bigInteger('ended_at').nullable();
    table.primary(['project_id', 'id'], 'agent_config_environments_key');
    table.unique(['active_key'], { indexName: 'agent_config_environments_active' });
    table.index(['project_id', 'ended_at', 'blueprint_id'], 'agent_config_environments_current');
  }),
];
