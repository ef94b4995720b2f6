import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const environmentChanges = [
  createTable(520, 'environments', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.exactText(table, 'name', 150).notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.exactText(table, 'color', 20).nullable();
    table.integer('position').nullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'environments_key');
    table.unique(['workspace_id', 'name'], { indexName: 'environments_name' });
  }),
];
