import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const guardrailPolicyChanges = [
  createTable(665, 'guardrail_policies', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'name').notNullable();
    table.string('execution_mode', 20).notNullable();
    dialect.longText(table, 'guards').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'guardrail_policies_key');
    table.unique(['workspace_id', 'name_key'], { indexName: 'guardrail_policies_name' });
  }),
];
