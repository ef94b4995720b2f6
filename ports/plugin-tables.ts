import { port } from './port.js';

export type Cell = string | number | boolean | Uint8Array | null;
export type PluginRow = Readonly<Record<string, Cell>>;

/** A plugin's own tables, by the names it declared; no other plugin reaches them. */
export interface PluginTables {
  /** Rejects with `conflict` when a row of that key exists. */
  insert(table: string, row: PluginRow): Promise<void>;
  /** Inserts, or replaces the row of the same key. */
  upsert(table: string, row: PluginRow): Promise<void>;
  /** Adds to a whole number of the row of that key, from 0 where there is no such row, and gives what it comes to; callers at once each get a number of their own. */
  increment(table: string, key: PluginRow, column: string, by: number): Promise<number>;
  find(table: string, key: PluginRow): Promise<PluginRow | undefined>;
  /** Rows whose first columns of a declared index (or of the key, `key`) equal these, in the order of that index; at most `limit`, after `after`'s columns. */
  list(
    table: string,
    index: string,
    equals: PluginRow,
    options: { readonly limit: number; readonly after?: PluginRow },
  ): Promise<readonly PluginRow[]>;
  /** Says whether there was such a row. */
  remove(table: string, key: PluginRow): Promise<boolean>;
  /** All of it or nothing; `work` may run again. */
  transaction<T>(work: (tables: PluginTables) => Promise<T>): Promise<T>;
}
export const PluginTables = port<PluginTables>('plugin-tables');
