import type { Dialect, Fragment } from '#ports/sql-dialect';
import { both, either, fragment } from '../fragment.js';

/** Whether one of these columns holds a text, in any case. */
export const searched = (text: string, columns: readonly string[], dialect: Dialect): Fragment =>
  either(
    ...columns.map((column) =>
      both(
        fragment(`${column} is not null`),
        dialect.holdsText(`lower(${column})`, 'contains', text.toLowerCase()),
      ),
    ),
  );
