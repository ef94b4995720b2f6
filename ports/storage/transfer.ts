// Everything a storage holds, as rows that any engine takes: what an export reads and an import writes.

/** A value of a row; times are whole, ids are texts. */
export type Cell = string | number | boolean | Uint8Array | null;

export interface ColumnShape {
  readonly name: string;
  readonly kind: 'text' | 'whole' | 'real' | 'flag' | 'bytes';
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
}

/** Everything as of one moment, whatever is written meanwhile. */
export interface Snapshot {
  /** Changes of the schema that were made, `owner number`, in order. */
  readonly schema: readonly string[];
  /** Tables with what lasts, by name; not those that only say who is doing what at the moment. */
  readonly tables: readonly TableShape[];
  count(table: string): Promise<number>;
  /** Every row of a table, some at a time, in any order; the cells in the order of its columns. */
  rows(table: string): AsyncIterable<readonly (readonly Cell[])[]>;
}

export interface Transfer {
  /** Does something with a snapshot, which ends with it. */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Whether nothing was ever stored: no user, no row of any table. What a storage notes of itself when it is opened does not count. */
  isEmpty(): Promise<boolean>;
  /** Stores rows of a table that it has, some at a time. Rejects with `invalid` for a table or column it does not have. */
  write(table: TableShape, rows: AsyncIterable<readonly (readonly Cell[])[]>): Promise<number>;
  /** Removes every row of these tables; what an import that failed leaves behind it. */
  clear(): Promise<void>;
}
