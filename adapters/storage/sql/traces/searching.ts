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

/** The longest part of a sought text in which no letter stands that another one beyond ASCII may stand for. */
const surePart = (sought: string): string =>
  sought.split(/[ik]/).reduce((longest, part) => (part.length > longest.length ? part : longest));

/** Replacing letters takes longer than all else, so that it is done where the rest of the text was found. */
const inAnyCase = (sought: string, column: string, dialect: Dialect): Fragment => {
  const found = dialect.holdsText(folded(sought, column, dialect), 'contains', sought);
  const sure = surePart(sought);
  return isAscii(sought) && sure.length >= 2 && sure !== sought
    ? both(dialect.holdsText(dialect.asciiLower(column), 'contains', sure), found)
    : found;
};

const holds = (text: string, column: string, dialect: Dialect): Fragment => {
  const found = inAnyCase(lowered(text), column, dialect);
  return hasNewerLetters(text) ? either(found, dialect.holdsText(column, 'contains', text)) : found;
};

/** Whether one of these columns holds a text, in any case. */
export const searched = (text: string, columns: readonly string[], dialect: Dialect): Fragment =>
  either(
    ...columns.map((column) =>
      both(fragment(`${column} is not null`), holds(text, column, dialect)),
    ),
  );
