import type { Dialect, Fragment } from '#ports/sql-dialect';
import { both, either, fragment } from '../fragment.js';

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Whether one of these columns holds a text, in any case. */
export const searched = (text: string, columns: readonly string[], dialect: Dialect): Fragment => {
  const lower = (column: string): string =>
    isAscii(text) ? dialect.asciiLower(column) : `lower(${column})`;
  return either(
    ...columns.map((column) =>
      both(
        fragment(`${column} is not null`),
        dialect.holdsText(lower(column), 'contains', text.toLowerCase()),
      ),
    ),
  );
};
