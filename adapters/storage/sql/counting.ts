// Numbers beside a page: they may not cost more than the page, however much there is.
import type { Knex } from 'knex';

/** Counts rows of a query that selects nothing yet, up to a number. */
export const countUpTo = async (
  db: Knex,
  rows: Knex.QueryBuilder,
  most: number,
): Promise<number> => {
  const [row] = (await db
    .from(rows.select(db.raw('1 as one')).limit(most).as('counted'))
    .count({ n: '*' })) as readonly { readonly n: unknown }[]; // one row of one column
  return Number(row?.n ?? 0);
};
