// Claims about single fields as SQL, for every list of the private wire: a table says where each field stands.
import type {
  FieldFilter,
  FieldOrder,
  ListOperator,
  OrderOperator,
  TextOperator,
} from '#ports/field-query';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { hasNewerLetters, lowered } from './lower-case.js';
import { both, complement, either, fragment, joined, wrap } from './fragment.js';

type Claim<I extends FieldFilter['is']> = Extract<FieldFilter, { readonly is: I }>;

/** Where a field stands: how claims about it are asked, and what it is sorted by. */
export interface FieldSource {
  where(filter: FieldFilter, dialect: Dialect): Fragment;
  sort?(order: FieldOrder, dialect: Dialect): Fragment;
}
export type FieldSources = Readonly<Record<string, FieldSource>>;

const orderSigns: Readonly<Record<OrderOperator, string>> = {
  equals: '=',
  differs: '<>',
  above: '>',
  atLeast: '>=',
  below: '<',
  atMost: '<=',
};

/** A condition that is never null: what is not known does not hold. */
const known = (condition: Fragment, ...columns: readonly Fragment[]): Fragment =>
  both(...columns.map((column) => joined(column, ' is not null')), condition);

const loweredBy = (dialect: Dialect, { sql, bindings }: Fragment): Fragment => ({
  sql: dialect.lower(sql),
  bindings,
});
const textClaim = (
  value: Fragment,
  operator: TextOperator,
  text: string,
  { dialect, exact }: { readonly dialect: Dialect; readonly exact: boolean },
): Fragment => {
  const folded = exact ? value : loweredBy(dialect, value);
  const other = exact ? fragment('?', text) : fragment(dialect.lower('?'), text);
  const holdsIn = (
    column: Fragment,
    where: 'contains' | 'startsWith' | 'endsWith',
    sought: string,
  ): Fragment => {
    const { sql, bindings } = dialect.holdsText(column.sql, where, sought);
    return { sql, bindings: [...column.bindings, ...bindings] };
  };
  const holds = (where: 'contains' | 'startsWith' | 'endsWith'): Fragment => {
    const found = holdsIn(folded, where, exact ? text : lowered(text));
    return exact || !hasNewerLetters(text) ? found : either(found, holdsIn(value, where, text));
  };
  const equals = () => ({
    sql: dialect.equalTexts(folded.sql, other.sql),
    bindings: [...folded.bindings, ...other.bindings],
  });
  const byCodePoints = ({ sql, bindings }: Fragment): Fragment => ({
    sql: dialect.byCodePoints(sql),
    bindings,
  });
  switch (operator) {
    case 'equals':
      return known(equals(), value);
    case 'differs':
      return complement(known(equals(), value));
    case 'contains':
      return known(holds('contains'), value);
    case 'notContains':
      return complement(known(holds('contains'), value));
    case 'startsWith':
    case 'endsWith':
      return known(holds(operator), value);
    case 'above':
      return known(joined(byCodePoints(folded), ' > ', byCodePoints(other)), value);
    case 'below':
      return known(joined(byCodePoints(folded), ' < ', byCodePoints(other)), value);
  }
};

const wordsClaim = (value: Fragment, { operator, value: words }: Claim<'words'>): Fragment => {
  const one = known(
    words.length === 0
      ? fragment('1 = 0')
      : joined(value, fragment(` in (${words.map(() => '?').join(', ')})`, ...words)),
    value,
  );
  return operator === 'in' ? one : complement(one);
};

const presenceClaim = (empty: Fragment, { operator }: Claim<'presence'>): Fragment =>
  operator === 'isEmpty' ? empty : complement(empty);

/** Whether texts are equal but for their case, asked so that an index over their beginnings is used where the engine keeps one. */
export const equalsByIndex = (column: string, text: string, dialect: Dialect): Fragment => {
  const { expressionIndexes: indexes } = dialect;
  const equals = textClaim(fragment(column), 'equals', text, { dialect, exact: false });
  if (indexes === undefined) return equals;
  const beginning = indexes.beginning(column);
  // The beginning of a text that is shorter is all of it. Said a second time, the planner would take it for a second condition, and the rows for far fewer.
  return isPlainAscii(text) && text.length < indexes.characters
    ? known(fragment(`${beginning} = ?`, text.toLowerCase()), fragment(column))
    : both(fragment(`${beginning} = ${indexes.beginning('?::text')}`, text), equals);
};
const isPlainAscii = (text: string): boolean => /^[ -~]*$/.test(text);

/** A text column that is null or empty where there is none. */
export const textField = (
  column: string,
  {
    exact = false,
    indexed = false,
    words,
  }: {
    readonly exact?: boolean;
    /** Whether there is an index over its beginning, where the engine keeps such. */
    readonly indexed?: boolean;
    readonly words?: string;
  } = {},
): FieldSource => ({
  where(filter, dialect) {
    const value = fragment(column);
    if (filter.is === 'text')
      return indexed && filter.operator === 'equals'
        ? equalsByIndex(column, filter.value, dialect)
        : textClaim(value, filter.operator, filter.value, { dialect, exact });
    if (filter.is === 'words') return wordsClaim(fragment(words ?? column), filter);
    if (filter.is === 'presence')
      return presenceClaim(
        fragment(`(${column} is null or ${dialect.equalTexts(column, "''")})`),
        filter,
      );
    throw unfit(filter);
  },
  sort: (_, dialect) => fragment(dialect.byCodePoints(column)),
});

/** A column of ids, which is compared as text. */
export const idField = (column: string): FieldSource => ({
  where(filter, dialect) {
    // Whatever it is compared with, which may be no text of ASCII.
    const value = fragment(dialect.byCodePoints(dialect.idAsText(column)));
    if (filter.is === 'text')
      return textClaim(value, filter.operator, filter.value.toLowerCase(), {
        dialect,
        exact: true,
      });
    if (filter.is === 'words') return wordsClaim(value, filter);
    throw unfit(filter);
  },
  sort: () => fragment(column),
});

const numberClaim = (
  number: Fragment,
  { operator, value }: { readonly operator: OrderOperator; readonly value: number },
): Fragment => {
  // As a decimal, unless it is a whole one: it would not fit a column of whole numbers.
  const bound = Number.isSafeInteger(value) ? '?' : '(? + 0e0)';
  return known(joined(number, fragment(` ${orderSigns[operator]} ${bound}`, value)), number);
};

/** A number or an instant, by an expression that is null where there is none. */
export const numberField = (expression: string | Fragment): FieldSource => {
  const number = typeof expression === 'string' ? fragment(expression) : expression;
  return {
    where(filter) {
      if (filter.is === 'number' || filter.is === 'instant') return numberClaim(number, filter);
      if (filter.is === 'presence') return presenceClaim(wrap('(', number, ' is null)'), filter);
      throw unfit(filter);
    },
    sort: () => number,
  };
};

/** The JSON text of an element, by which it stands in the text of its list: a quote within is escaped, so that nothing matches across elements. */
const elementOf = (text: string): string => JSON.stringify(text);

const listClaim = (
  column: string,
  operator: ListOperator,
  text: string,
  dialect: Dialect,
): Fragment => {
  const element = elementOf(text);
  const has = either(
    dialect.holdsText(column, 'contains', `[${element}`),
    dialect.holdsText(column, 'contains', `,${element}`),
  );
  const inner = element.slice(1, -1);
  const inAnyCase = dialect.holdsText(dialect.lower(column), 'contains', lowered(inner));
  const part = hasNewerLetters(inner)
    ? either(inAnyCase, dialect.holdsText(column, 'contains', inner))
    : inAnyCase;
  const asked = known(
    operator === 'equals' || operator === 'differs' ? has : part,
    fragment(column),
  );
  return operator === 'equals' || operator === 'contains' ? asked : complement(asked);
};

/** A column that holds the JSON text of a list of texts. */
export const listField = (column: string): FieldSource => ({
  where(filter, dialect) {
    if (filter.is === 'list') return listClaim(column, filter.operator, filter.value, dialect);
    if (filter.is === 'presence')
      return presenceClaim(fragment(`(${column} is null or ${column} = '[]')`), filter);
    throw unfit(filter);
  },
  sort: () => fragment(column),
});

/** Operators that hold of a value only where the text stands in it. */
export const positive: ReadonlySet<TextOperator> = new Set([
  'equals',
  'contains',
  'startsWith',
  'endsWith',
]);
/** Text that stands in JSON letter by letter. */
export const isWordy = (text: string): boolean => /^[\w .:/-]+$/.test(text);
/** Whether a value for which a claim holds stands letter by letter in the JSON text around it: looking for it there first spares taking most texts apart. */
const standsInText = ({ operator, value }: Claim<'text'>): boolean =>
  positive.has(operator) && isWordy(value);

/** A column in lower case, as far as that matters to find a text of ASCII in it: two letters are the lower case of others beyond ASCII, too. */
const loweredFor = (column: string, text: string, dialect: Dialect): string => {
  if (!/[a-z]/i.test(text)) return column;
  return /[ik]/i.test(text) ? dialect.lower(column) : dialect.asciiLower(column);
};

/** What an index over the words of JSON text tells of a claim: the names on its path stand in it, and a value that is equal. */
const wordsOfClaim = (
  column: string,
  filter: FieldFilter,
  { expressionIndexes }: Dialect,
): readonly Fragment[] => {
  if (expressionIndexes === undefined || filter.path === undefined) return [];
  if (filter.is === 'text' && !positive.has(filter.operator)) return [];
  const names = filter.path.filter((step) => typeof step === 'string').filter(isWordy);
  const values =
    filter.is === 'text' && filter.operator === 'equals' && isWordy(filter.value)
      ? [filter.value]
      : [];
  const words = [...names, ...values]
    .flatMap((text) => text.toLowerCase().split(/[^a-z0-9_]+/))
    .filter((word) => word !== '');
  return words.length === 0 ? [] : [expressionIndexes.mayHaveWords(column, [...new Set(words)])];
};

/** A column of JSON text: the value at the claim's path, or the whole text where it has none. */
export const jsonField = (
  column: string,
  {
    indexed = false,
  }: {
    /** Whether there is an index over its words, where the engine keeps such. */
    readonly indexed?: boolean;
  } = {},
): FieldSource => {
  const withWords = (filter: FieldFilter, claim: Fragment, dialect: Dialect): Fragment =>
    both(...(indexed ? wordsOfClaim(column, filter, dialect) : []), claim);
  const within = (path: readonly (string | number)[] | undefined, dialect: Dialect): Fragment =>
    path === undefined
      ? fragment(column)
      : wrap(`(case when ${column} is not null then `, dialect.jsonText(column, path), ' end)');
  return {
    where(filter, dialect) {
      const value = within(filter.path, dialect);
      if (filter.is === 'text') {
        const claim = textClaim(value, filter.operator, filter.value, { dialect, exact: false });
        return withWords(
          filter,
          filter.path !== undefined && standsInText(filter)
            ? both(
                fragment(`${column} is not null`),
                dialect.holdsText(
                  loweredFor(column, filter.value, dialect),
                  'contains',
                  filter.value.toLowerCase(),
                ),
                claim,
              )
            : claim,
          dialect,
        );
      }
      if (filter.is === 'presence')
        return presenceClaim(
          joined(
            '(',
            value,
            ' is null or ',
            {
              sql: dialect.equalTexts(value.sql, "''"),
              bindings: value.bindings,
            },
            ')',
          ),
          filter,
        );
      if (filter.is === 'number')
        return withWords(filter, numberClaim(numberOf(value, dialect), filter), dialect);
      throw unfit(filter);
    },
    sort: ({ path }, dialect) => within(path, dialect),
  };
};

/** The number in a piece of SQL that has bindings: each mention of it brings them along. */
export const numberOf = (value: Fragment, dialect: Dialect): Fragment => {
  const mark = '\u0001';
  const parts = dialect.numberIn(mark).split(mark);
  return joined(...parts.flatMap((part, at) => (at === 0 ? [part] : [value, part])));
};

const unfit = (filter: FieldFilter) =>
  new Error(`the field ${filter.field} takes no claim about its ${filter.is}`);

const sourceOf = (sources: FieldSources, field: string): FieldSource => {
  const source = Object.hasOwn(sources, field) ? sources[field] : undefined;
  if (source === undefined) throw new Error(`no column holds the field ${field}`);
  return source;
};

/** All claims at once. */
export const filterBy = (
  filters: readonly FieldFilter[],
  sources: FieldSources,
  dialect: Dialect,
): Fragment =>
  both(...filters.map((filter) => sourceOf(sources, filter.field).where(filter, dialect)));

/** The orders as a list for `order by`, what has no value last; `last` decides between equals. */
export const orderBy = (
  orders: readonly FieldOrder[],
  sources: FieldSources,
  last: string,
  dialect: Dialect,
): Fragment => {
  const parts = orders.flatMap((order) => {
    const by = sourceOf(sources, order.field).sort?.(order, dialect);
    if (by === undefined) throw new Error(`the field ${order.field} is not sorted by`);
    return dialect.inOrder(by, order.descending ? 'desc' : 'asc');
  });
  return joined(...parts.flatMap((part) => [part, ', ']), last);
};
