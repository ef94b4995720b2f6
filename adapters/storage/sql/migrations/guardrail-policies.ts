import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import { addAuthorship } from '../authorship.js';
import { createTable, dropTable } from './change.js';

const byName = (table: Knex.CreateTableBuilder, dialect: Dialect): void => {
  dialect.id(table, 'workspace_id').notNullable();
  table.string('name_key', 64).notNullable();
  dialect.longText(table, 'name').notNullable();
  table.boolean('always').notNullable();
  dialect.longText(table, 'guards').notNullable();
  addAuthorship(table, dialect);
  table.primary(['workspace_id', 'name_key'], 'guardrail_policies_key');
};

export const guardrailPolicyChanges = [
  createTable(665, 'guardrail_policies', byName),
  // Clients know policies by ids.
  dropTable(667, 'guardrail_policies', byName),
  createTable(668, 'policies_of_guardrails', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    table.string('name_key', 64).notNullable();
    dialect.longText(table, 'name').notNullable();
    table.string('execution_mode', 20).notNullable();
    dialect.longText(table, 'guards').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'policies_of_guardrails_key');
    table.unique(['workspace_id', 'name_key'], { indexName: 'policies_of_guardrails_name' });
  }),
];
