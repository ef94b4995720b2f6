import type { Knex } from 'knex';
import type { Dialect } from '#ports/sql-dialect';
import { createTable } from './change.js';

/** What a trace and a span have in common. */
const entryColumns = (table: Knex.CreateTableBuilder, dialect: Dialect): void => {
  dialect.id(table, 'project_id').notNullable();
  dialect.id(table, 'id').notNullable();
  dialect.longText(table, 'name').nullable();
  table.bigInteger('start_time').notNullable();
  table.bigInteger('end_time').nullable();
  dialect.longText(table, 'input').nullable();
  dialect.longText(table, 'output').nullable();
  dialect.longText(table, 'metadata').nullable();
  dialect.longText(table, 'tags').nullable();
  dialect.longText(table, 'error_info').nullable();
  dialect.real(table, 'ttft').nullable();
  dialect.longText(table, 'source').nullable();
  dialect.longText(table, 'environment').nullable();
  table.bigInteger('created_at').notNullable();
  dialect.longText(table, 'created_by').notNullable();
  table.bigInteger('last_updated_at').notNullable();
  dialect.longText(table, 'last_updated_by').notNullable();
  table.boolean('partial').notNullable();
};

/** Traces and spans of LLM applications. Clients make their ids, so that one id may stand in several projects. */
export const traceChanges = [
  createTable(500, 'traces', (table, dialect) => {
    entryColumns(table, dialect);
    dialect.longText(table, 'thread_id').nullable();
    table.primary(['project_id', 'id'], 'traces_key');
    table.index(['id'], 'traces_id');
  }),
  createTable(501, 'spans', (table, dialect) => {
    entryColumns(table, dialect);
    dialect.id(table, 'trace_id').notNullable();
    dialect.id(table, 'parent_span_id').nullable();
    dialect.longText(table, 'type').nullable();
    dialect.longText(table, 'model').nullable();
    dialect.longText(table, 'provider').nullable();
    dialect.longText(table, 'usage').nullable();
    dialect.real(table, 'cost').nullable();
    table.primary(['project_id', 'id'], 'spans_key');
    table.index(['id'], 'spans_id');
    table.index(['project_id', 'trace_id', 'id'], 'spans_trace');
  }),
];
