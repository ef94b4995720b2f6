import type { Fragment } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';

/** A row of a select of runs, or of what is counted of them. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

export const runRows = async (
  { db, dialect }: Connection,
  { sql, bindings }: Fragment,
): Promise<readonly Row[]> => (await dialect.run(db, sql, bindings)) as readonly Row[]; // every select that is handed in has an id
