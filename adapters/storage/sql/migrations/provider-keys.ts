import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const providerKeyChanges = [
  createTable(570, 'provider_keys', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.exactText(table, 'provider', 20).notNullable();
    dialect.longText(table, 'provider_name').nullable();
    dialect.exactText(table, 'provider_key', 64).notNullable();
    dialect.longText(table, 'name').nullable();
    dialect.longText(table, 'sealed_key').nullable();
    dialect.longText(table, 'masked_key').nullable();
    dialect.longText(table, 'sealed_headers').nullable();
    dialect.longText(table, 'configuration').nullable();
    dialect.longText(table, 'base_url').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'provider_keys_key');
    table.unique(['workspace_id', 'provider_key'], { indexName: 'provider_keys_provider' });
  }),
];
