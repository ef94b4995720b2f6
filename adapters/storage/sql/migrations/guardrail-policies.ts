import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const guardrailPolicyChanges = [
  createTable(665, 'guardrail_policies', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'name').notNullable();
    table.boolean('always').notNullable();
    dialect.longText(table, 'guards').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'name_key'], 'guardrail_policies_key');
  }),
];
