import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const retentionChanges = [
  createTable(572, 'retention_rules', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    // What the rule in force is about; empty once it is disabled.
    dialect.exactText(table, 'scope_key', 64).nullable();
    dialect.exactText(table, 'retention', 20).notNullable();
    table.boolean('applies_to_past').notNullable();
    table.boolean('enabled').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'retention_rules_key');
    table.unique(['scope_key'], { indexName: 'retention_rules_scope' });
    table.index(['enabled', 'workspace_id'], 'retention_rules_enabled');
    table.index(['project_id', 'id'], 'retention_rules_project');
  }),
];
