// Claims and orders of the private wire on a query.
import type { Knex } from 'knex';
import type { FieldFilter, FieldOrder } from '#ports/field-query';
import type { Dialect } from '#ports/sql-dialect';
import { filterBy, orderBy, type FieldSources } from './field-query.js';

/** For `modify`: keeps the rows for which every claim holds. */
export const filtered =
  (dialect: Dialect, sources: FieldSources, filters: readonly FieldFilter[]) =>
  (query: Knex.QueryBuilder): void => {
    if (filters.length === 0) return;
    const { sql, bindings } = filterBy(filters, sources, dialect);
    query.whereRaw(sql, bindings as never); // knex types no lists that cannot be changed
  };

/** For `modify`: sorts by these fields; `last` decides between equals. */
export const ordered =
  (dialect: Dialect, sources: FieldSources, orders: readonly FieldOrder[], last: string) =>
  (query: Knex.QueryBuilder): void => {
    const { sql, bindings } = orderBy(orders, sources, last, dialect);
    query.orderByRaw(sql, bindings as never); // as above
  };
