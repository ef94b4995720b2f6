import type { Dialect, Fragment } from '#ports/sql-dialect';
import { both, either, fragment } from '../fragment.js';
import { lowered } from '../lower-case.js';

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
/** Letters beyond ASCII whose lower case is within it. */
const intoAscii: Readonly<Record<string, string>> = { i: 'İ', k: '\u212a' };

/** Whether a column holds a text, in any case. */
const inColumn = (text: string, column: string, dialect: Dialect): Fragment => {
  const sought = lowered(text);
  const holds = (folded: string) => dialect.holdsText(folded, 'contains', sought);
  if (!isAscii(text)) return holds(dialect.lower(column));
  const quick = holds(dialect.asciiLower(column));
  const odd = Object.entries(intoAscii).filter(([letter]) => sought.includes(letter));
  if (odd.length === 0) return quick;
  // Few texts have such a letter, which is quicker looked for than all of their letters are folded.
  const hasOdd = odd.map(([, letter]) => dialect.holdsText(column, 'contains', letter));
  return either(quick, both(either(...hasOdd), holds(dialect.lower(column))));
};

/** Whether one of these columns holds a text, in any case. */
export const searched = (text: string, columns: readonly string[], dialect: Dialect): Fragment =>
  either(
    ...columns.map((column) =>
      both(fragment(`${column} is not null`), inColumn(text, column, dialect)),
    ),
  );
