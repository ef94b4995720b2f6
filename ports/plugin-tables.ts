import { port } from './port.js';

export type Cell = string | number | boolean | Uint8Array | null;
export type PluginRow = Readonly<Record<string, Cell>>;

/** Which rows of a list are given. Bounds name values of the first columns of the index behind those that are equal. */
export interface ListOptions {
  /** The most rows. */
  readonly limit: number;
  /** Only rows behind these columns, in the order of the list. */
  readonly after?: PluginRow;
  /** Only rows up to these columns and with them, in the order of the list. */
  readonly until?: PluginRow;
  /** The order of the index turned round. */
  readonly descending?: boolean;
  /** Only these columns are read, and all others are null in what is given; every column where left out. */
  readonly columns?: readonly string[];
}

/** A plugin's own tables, by the names it declared; no other plugin reaches them. */
export interface PluginTables {
  /** Rejects with `conflict` when a row of that key exists. */
  insert(table: string, row: PluginRow): Promise<void>;
  /** Inserts any number of rows in few statements, all or none; rejects with `conflict` when the key of one is taken, or stands twice. */
  insertAll(table: string, rows: readonly PluginRow[]): Promise<void>;
  /** Inserts, or replaces the row of the same key. */
  upsert(table: string, row: PluginRow): Promise<void>;
  /** The same for any number of rows of different keys, all or none. */
  upsertAll(table: string, rows: readonly PluginRow[]): Promise<void>;
  /** Adds to a whole number of the row of that key, from 0 where there is no such row, and gives what it comes to; callers at once each get a number of their own. */
  increment(table: string, key: PluginRow, column: string, by: number): Promise<number>;
  find(table: string, key: PluginRow): Promise<PluginRow | undefined>;
  /** The rows of those of these keys that there are, in no order. */
  findAll(table: string, keys: readonly PluginRow[]): Promise<readonly PluginRow[]>;
  /** Rows whose first columns of a declared index (or of the key, `key`) equal these, in the order of that index. */
  list(
    table: string,
    index: string,
    equals: PluginRow,
    options: ListOptions,
  ): Promise<readonly PluginRow[]>;
  /** Says whether there was such a row. */
  remove(table: string, key: PluginRow): Promise<boolean>;
  /** Removes the rows of those of these keys that there are, all or none. */
  removeKeys(table: string, keys: readonly PluginRow[]): Promise<void>;
  /** Removes the first rows that `list` would give for the same arguments, all or none, and says how many those were. */
  removeAll(
    table: string,
    index: string,
    equals: PluginRow,
    options: { readonly limit: number; readonly until?: PluginRow },
  ): Promise<number>;
  /** All of it or nothing; `work` may run again. */
  transaction<T>(work: (tables: PluginTables) => Promise<T>): Promise<T>;
}
export const PluginTables = port<PluginTables>('plugin-tables');
