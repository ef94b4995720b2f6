import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

/** Prompts of LLM observability. Clients make the ids, so that one id may stand in several workspaces. */
export const libraryPromptChanges = [
  createTable(540, 'library_prompts', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.exactText(table, 'structure', 10).notNullable();
    dialect.longText(table, 'tags').nullable();
    table.integer('version_count').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'library_prompts_key');
    table.unique(['name_key'], { indexName: 'library_prompts_name' });
    table.index(['workspace_id', 'project_id', 'id'], 'library_prompts_project');
  }),
  createTable(541, 'library_prompt_versions', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'prompt_id').notNullable();
    table.integer('number').notNullable();
    dialect.exactText(table, 'commit_name', 100).notNullable();
    dialect.longText(table, 'template').notNullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.exactText(table, 'type', 10).notNullable();
    dialect.longText(table, 'change_description').nullable();
    dialect.longText(table, 'tags').nullable();
    table.bigInteger('created_at').notNullable();
    dialect.longText(table, 'created_by').notNullable();
    table.primary(['workspace_id', 'id'], 'library_prompt_versions_key');
    table.unique(['workspace_id', 'prompt_id', 'number'], {
      indexName: 'library_prompt_versions_number',
    });
    table.unique(['workspace_id', 'prompt_id', 'commit_name'], {
      indexName: 'library_prompt_versions_commit',
    });
    table.index(['workspace_id', 'commit_name'], 'library_prompt_versions_anywhere');
  }),
  createTable(542, 'library_prompt_environments', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'prompt_id').notNullable();
    dialect.exactText(table, 'environment', 150).notNullable();
    dialect.id(table, 'version_id').notNullable();
    table.primary(['workspace_id', 'prompt_id', 'environment'], 'library_prompt_environments_key');
    table.index(['workspace_id', 'version_id'], 'library_prompt_environments_version');
  }),
];
