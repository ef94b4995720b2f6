// Pieces of SQL with what is bound in them, for conditions that no query builder can spell.
import type { Fragment } from '#ports/sql-dialect';

export const fragment = (sql: string, ...bindings: readonly unknown[]): Fragment => ({
  sql,
  bindings,
});
export const always = fragment('1 = 1');
export const never = fragment('1 = 0');

const join = (of: readonly Fragment[], word: string, before = '(', after = ')'): Fragment => ({
  sql: `${before}${of.map((one) => one.sql).join(word)}${after}`,
  bindings: of.flatMap((one) => one.bindings),
});

export const both = (...of: readonly Fragment[]): Fragment =>
  of.length === 0 ? always : join(of, ' and ');
export const either = (...of: readonly Fragment[]): Fragment =>
  of.length === 0 ? never : join(of, ' or ');
/** The exact complement of a fragment that is never null. */
export const complement = (of: Fragment): Fragment => join([of], '', 'not (', ')');
export const unionAll = (of: readonly Fragment[]): Fragment => join(of, ' union all ', '', '');
/** A fragment inside other text. */
export const wrap = (before: string, of: Fragment, after: string): Fragment =>
  join([of], '', before, after);
/** One fragment inside other text, and another at its end. */
export const inside = (before: string, of: Fragment, between: string, last: Fragment): Fragment =>
  join([wrap(before, of, between), last], '', '', '');
/** Text and fragments, one after the other. */
export const joined = (...parts: readonly (string | Fragment)[]): Fragment => ({
  sql: parts.map((part) => (typeof part === 'string' ? part : part.sql)).join(''),
  bindings: parts.flatMap((part) => (typeof part === 'string' ? [] : part.bindings)),
});
