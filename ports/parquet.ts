import type { ByteStream } from './bytes.js';
import { port } from './port.js';

export interface ParquetColumn {
  /** Unique in its table. */
  readonly name: string;
  /** A 64-bit float, or a text in UTF-8. */
  readonly type: 'number' | 'text';
}

export interface Parquet {
  /**
   * A table as an Apache Parquet file, written while it is read: each part of the rows is a row group, and no more than one part is held. A part
   * has one list for each column, in their order, with one cell for each row; what is not of the column's type is null. Without parts the table
   * has no rows.
   */
  write(
    columns: readonly ParquetColumn[],
    parts: AsyncIterable<readonly (readonly (string | number | null)[])[]>,
  ): ByteStream;
}
export const Parquet = port<Parquet>('parquet');
