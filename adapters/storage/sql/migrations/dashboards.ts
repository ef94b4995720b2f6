import { addAuthorship } from '../authorship.js';
import { createTable } from './change.js';

export const dashboardChanges = [
  createTable(564, 'dashboards', (table, dialect) => {
    dialect.id(table, 'workspace_id').notNullable();
    dialect.id(table, 'id').notNullable();
    dialect.id(table, 'project_id').nullable();
    dialect.exactText(table, 'scope', 20).notNullable();
    dialect.longText(table, 'name').notNullable();
    dialect.exactText(table, 'name_key', 64).notNullable();
    // What the name comes to, and which of those that come to the same it is.
    dialect.exactText(table, 'slug_stem', 150).notNullable();
    table.integer('slug_number').notNullable();
    dialect.exactText(table, 'slug', 170).notNullable();
    dialect.exactText(table, 'type', 20).notNullable();
    dialect.longText(table, 'description').nullable();
    dialect.longText(table, 'config').notNullable();
    addAuthorship(table, dialect);
    table.primary(['workspace_id', 'id'], 'dashboards_key');
    table.unique(['name_key'], { indexName: 'dashboards_name' });
    table.unique(['workspace_id', 'slug'], { indexName: 'dashboards_slug' });
    table.index(['workspace_id', 'slug_stem', 'slug_number'], 'dashboards_stem');
    table.index(['workspace_id', 'scope', 'id'], 'dashboards_scope');
    table.index(['project_id', 'scope', 'id'], 'dashboards_project');
  }),
];
