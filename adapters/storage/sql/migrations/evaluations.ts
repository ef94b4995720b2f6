import { addAuthorship } from '../authorship.js';
import { addColumns, createTable } from './change.js';

/** Evaluations of LLM applications over datasets, which the wire calls experiments. Clients make the ids. */
export const evaluationChanges = [
  createTable(530, 'evaluations', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.id(table, 'dataset_id').nullable();
    dialect.id(table, 'dataset_version_id').nullable();
    dialect.id(table, 'optimization_id').nullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.longText(table, 'tags').nullable();
    dialect.exactText(table, 'type', 20).notNullable();
    dialect.exactText(table, 'method', 20).notNullable();
    dialect.exactText(table, 'status', 20).nullable();
    dialect.longText(table, 'scores').nullable();
    table.bigInteger('finished_at').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'evaluations_key');
    table.index(['workspace_id', 'dataset_id', 'created_at'], 'evaluations_dataset');
    table.index(['workspace_id', 'optimization_id', 'id'], 'evaluations_optimization');
    table.index(['workspace_id', 'project_id', 'id'], 'evaluations_project');
    table.index(['workspace_id', 'name_key', 'id'], 'evaluations_name');
  }),
  createTable(531, 'evaluation_prompts', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'evaluation_id').notNullable();
    dialect.id(table, 'version_id').notNullable();
    dialect.id(table, 'prompt_id').notNullable();
    table.integer('position').notNullable();
    table.primary(['workspace_id', 'evaluation_id', 'version_id'], 'evaluation_prompts_key');
    table.index(['workspace_id', 'prompt_id', 'evaluation_id'], 'evaluation_prompts_prompt');
  }),
  // The evaluation, the item and the trace need not be there.
  createTable(532, 'evaluation_items', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'evaluation_id').notNullable();
    dialect.id(table, 'dataset_item_id').notNullable();
    dialect.id(table, 'trace_id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.longText(table, 'execution_policy').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'evaluation_items_key');
    table.index(['workspace_id', 'evaluation_id', 'id'], 'evaluation_items_evaluation');
    table.index(
      ['workspace_id', 'evaluation_id', 'dataset_item_id', 'id'],
      'evaluation_items_item',
    );
    table.index(['workspace_id', 'trace_id'], 'evaluation_items_trace');
  }),
  createTable(533, 'assertion_results', (table, dialect) => {
    dialect.id(table, 'project_id').notNullable();
    dialect.exactText(table, 'entity_kind', 10).notNullable();
    dialect.id(table, 'entity_id').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    dialect.longText(table, 'name').notNullable();
    table.boolean('passed').notNullable();
    dialect.longText(table, 'reason').nullable();
    dialect.exactText(table, 'source', 20).notNullable();
    addAuthorship(table, dialect);
    table.primary(['project_id', 'entity_kind', 'entity_id', 'name_key'], 'assertion_results_key');
    table.index(['entity_id'], 'assertion_results_entity');
  }),
  createTable(534, 'optimizations', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.id(table, 'dataset_id').notNullable();
    dialect.longText(table, 'name').nullable();
    dialect.longText(table, 'objective_name').notNullable();
    dialect.exactText(table, 'status', 20).notNullable();
    dialect.longText(table, 'metadata').nullable();
    dialect.longText(table, 'studio_config').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'optimizations_key');
    table.index(['workspace_id', 'dataset_id', 'created_at'], 'optimizations_dataset');
    table.index(['workspace_id', 'project_id', 'id'], 'optimizations_project');
  }),
  // Why one failed.
  addColumns(626, 'optimizations', 'error_info', (table, dialect) => {
    dialect.longText(table, 'error_info').nullable();
    return ['error_info'];
  }),
];
