import { createTable } from './change.js';

export const auditChanges = [
  createTable(170, 'audit', (table, dialect) => {
    dialect.id(table, 'id').notNullable().primary();
    table.bigInteger('at').notNullable();
    dialect.id(table, 'actor_id').nullable();
    dialect.exactText(table, 'actor_name', 200).nullable();
    table.string('via', 20).notNullable();
    dialect.id(table, 'key_id').nullable();
    table.string('address', 60).nullable();
    table.string('action', 100).notNullable();
    table.string('thing_kind', 40).nullable();
    dialect.exactText(table, 'thing_id', 100).nullable();
    dialect.exactText(table, 'thing_name', 500).nullable();
    dialect.id(table, 'workspace_id').nullable();
    table.string('outcome', 20).notNullable();
    dialect.longText(table, 'detail').notNullable();
    table.index(['at', 'id'], 'audit_at');
    table.index(['actor_id', 'at'], 'audit_actor');
    table.index(['thing_id', 'at'], 'audit_thing');
    table.index(['workspace_id', 'at'], 'audit_workspace');
  }),
];
