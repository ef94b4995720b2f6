// Claims and orders of the private wire on a query.
import type { Knex } from 'knex';
import type { FieldFilter, FieldOrder } from '#ports/field-query';
import type { Dialect } from '#ports/sql-dialect';
import type { Connection } from './connection.js';
import type { Row } from './authorship.js';
import { filterBy, orderBy, type FieldSources } from './field-query.js';
import { requireRoom } from './room.js';

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

/** A page of rows: how many are selected, and those of the page. */
interface PageRequest {
  readonly orders: readonly FieldOrder[];
  readonly offset: number;
  readonly limit: number;
}

/**
 * A page of records whose rows are wide: counts what is selected, finds the ids of the page, and reads those rows alone. Between equals, and without
 * any order, the greatest id comes first. Rejects with `invalid` where the rows are too much for one reply.
 */
export const pageOf = async <R extends { readonly id: string }>(
  { db, dialect }: Connection,
  { orders, offset, limit }: PageRequest,
  {
    selected,
    sources,
    bytes,
    read,
  }: {
    /** What is selected, anew each time; selects no columns yet. */
    readonly selected: () => Knex.QueryBuilder;
    readonly sources: FieldSources;
    /** An expression of how long the greatest texts of a row are. */
    readonly bytes: string;
    readonly read: (ids: readonly string[]) => Promise<readonly R[]>;
  },
): Promise<{ readonly total: number; readonly content: readonly R[] }> => {
  const [counted] = (await selected().count({ n: '*' })) as readonly Row[]; // one row of one column
  const found = (await selected()
    .select('id', { bytes: db.raw(bytes) })
    .modify(ordered(dialect, sources, orders, 'id desc'))
    .offset(offset)
    .limit(limit)) as readonly Row[]; // the columns named
  requireRoom(found.reduce((sum, row) => sum + Number(row['bytes']), 0));
  const ids = found.map((row) => String(row['id']));
  const byId = new Map((await read(ids)).map((record) => [record.id, record]));
  return {
    total: Number(counted?.['n'] ?? 0),
    // One that was removed between the two questions is not shown.
    content: ids.flatMap((id) => byId.get(id) ?? []),
  };
};
