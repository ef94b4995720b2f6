import type { Dialect, Fragment } from '#ports/sql-dialect';
import { both, either, fragment } from '../fragment.js';
import { hasNewerLetters, lowered } from '../lower-case.js';

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;
/** Letters beyond ASCII whose lower case is within it. */
const intoAscii: Readonly<Record<string, string>> = { i: 'İ', k: '\u212a' };

/** A column in lower case, as far as that matters to find a text: each mention of a long text is read anew, so that there is but one. */
const folded = (sought: string, column: string, dialect: Dialect): string => {
  if (!isAscii(sought)) return dialect.lower(column);
  const odd = Object.entries(intoAscii).filter(([letter]) => sought.includes(letter));
  return dialect.asciiLower(
    odd.reduce((sql, [letter, beyond]) => `replace(${sql}, '${beyond}', '${letter}')`, column),
  );
};

const holds = (text: string, column: string, dialect: Dialect): Fragment => {
  const found = dialect.holdsText(
    folded(lowered(text), column, dialect),
    'contains',
    lowered(text),
  );
  return hasNewerLetters(text) ? either(found, dialect.holdsText(column, 'contains', text)) : found;
};

/** Whether one of these columns holds a text, in any case. */
export const searched = (text: string, columns: readonly string[], dialect: Dialect): Fragment =>
  either(
    ...columns.map((column) =>
      both(fragment(`${column} is not null`), holds(text, column, dialect)),
    ),
  );
