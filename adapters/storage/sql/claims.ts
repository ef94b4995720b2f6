// What a comparison asks of one value, spelled for a column of texts or of numbers.
import type { Comparison } from '#ports/query';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { always, both, complement, fragment, inside, never, wrap } from './fragment.js';
import { lowered } from './lower-case.js';
import { prefixOf } from './value-kinds.js';

export type Claim = Comparison;

const signs = { equals: '=', below: '<', atMost: '<=', above: '>', atLeast: '>=' } as const;
type Order = keyof typeof signs;
type Operand = Extract<Claim, { readonly operand: unknown }>['operand'];

/** A claim that compares with one operand, which is all but those of presence and of ranges. */
const operandOf = (
  claim: Claim,
):
  | {
      readonly operator: Order | 'contains' | 'startsWith' | 'endsWith';
      readonly operand: Operand;
      readonly ignoreCase?: boolean;
    }
  | undefined => ('operand' in claim ? claim : undefined);
const isOrder = (operator: string): operator is Order => Object.hasOwn(signs, operator);

/** What a claim says of texts; `undefined` when it does not speak of texts. Of a text that is null the fragment is null. */
export const claimText = (dialect: Dialect, claim: Claim, column: string): Fragment | undefined => {
  if (claim.operator === 'present') return fragment(`${column} is not null`);
  if (claim.operator === 'filled') return fragment(`${dialect.byCodePoints(column)} <> ''`);
  const asked = operandOf(claim);
  if (asked?.operand.type !== 'text') return undefined;
  if (asked.ignoreCase === true)
    return claimText(
      dialect,
      {
        ...asked,
        subject: claim.subject,
        type: 'comparison',
        operand: { type: 'text', text: lowered(asked.operand.text) },
        ignoreCase: false,
      } as Claim,
      dialect.lower(column),
    ); // the same claim of folded texts
  const { text } = asked.operand;
  return isOrder(asked.operator)
    ? fragment(
        `${dialect.byCodePoints(column)} ${signs[asked.operator]} ${dialect.byCodePoints('?')}`,
        text,
      )
    : dialect.holdsText(column, asked.operator, text);
};

/** How many code points of a text a value's row has indexed. */
const indexed = 190;

/**
 * What a claim says of a value's row; `undefined` when it does not speak of texts. A beginning shorter than its bound is the whole text, so
 * that most claims never open the text: opening the rows of a whole project would be most of a search's time.
 */
export const claimValueText = (
  dialect: Dialect,
  claim: Claim,
  prefix: string,
  full: string,
): Fragment | undefined => {
  if (claim.operator === 'present') return always;
  const onPrefix = claimText(dialect, claim, prefix);
  const onFull = claimText(dialect, claim, full);
  if (onPrefix === undefined || onFull === undefined) return undefined;
  const asked = operandOf(claim);
  if (asked?.operand.type !== 'text') return onPrefix;
  const { text } = asked.operand;
  const [short, same] = [[...text].length < indexed, fragment(`${prefix} = ?`, prefixOf(text))]; // as the index compares, which one engine does without trailing blanks
  switch (asked.operator) {
    case 'contains':
    case 'endsWith':
      return inside(
        `case when char_length(${prefix}) < ${indexed} then `,
        onPrefix,
        ' else ',
        wrap('', onFull, ' end'),
      );
    case 'startsWith':
      return short ? onPrefix : asked.ignoreCase === true ? onFull : both(same, onFull);
    case 'equals':
      return asked.ignoreCase === true
        ? short
          ? onPrefix
          : onFull
        : both(same, short ? onPrefix : onFull);
    default:
      return short ? onPrefix : onFull;
  }
};

const compare = (operator: Order, one: number, other: number): boolean => {
  switch (operator) {
    case 'equals':
      return one === other;
    case 'below':
      return one < other;
    case 'atMost':
      return one <= other;
    case 'above':
      return one > other;
    case 'atLeast':
      return one >= other;
  }
};

/** What a claim says of numbers: of the finite ones, and of the two infinite ones, which no engine-neutral column holds. */
export interface NumberClaim {
  readonly finite: Fragment;
  readonly highest: boolean;
  readonly lowest: boolean;
}

const claimOne = (
  operator: Order,
  operand: number,
  column: string,
  bound: string,
): NumberClaim => ({
  finite: Number.isFinite(operand)
    ? fragment(`${column} ${signs[operator]} ${bound}`, operand === 0 ? 0 : operand)
    : compare(operator, 0, operand)
      ? fragment(`${column} is not null`)
      : never,
  highest: compare(operator, Infinity, operand),
  lowest: compare(operator, -Infinity, operand),
});

/** What a claim says of numbers; `undefined` when it does not speak of them. `bound` is how a number is bound. */
export const claimNumber = (claim: Claim, column: string, bound = '?'): NumberClaim | undefined => {
  if (claim.operator === 'between') {
    if (claim.low.type !== 'number' || claim.high.type !== 'number') return undefined;
    const [low, high] = [
      claimOne('atLeast', claim.low.number, column, bound),
      claimOne('atMost', claim.high.number, column, bound),
    ];
    return {
      finite: both(low.finite, high.finite),
      highest: low.highest && high.highest,
      lowest: low.lowest && high.lowest,
    };
  }
  const asked = operandOf(claim);
  return asked !== undefined && isOrder(asked.operator) && asked.operand.type === 'number'
    ? claimOne(asked.operator, asked.operand.number, column, bound)
    : undefined;
};

/** What a claim says of a column of times in ms, which always has one. */
export const claimInstant = (claim: Claim, column: string, bound: string): Fragment => {
  if (claim.operator === 'present' || claim.operator === 'filled') return always;
  if (claim.operator === 'between')
    return claim.low.type === 'instant' && claim.high.type === 'instant'
      ? both(
          fragment(`${column} >= ${bound}`, claim.low.instant),
          fragment(`${column} <= ${bound}`, claim.high.instant),
        )
      : never;
  const asked = operandOf(claim);
  return asked !== undefined && isOrder(asked.operator) && asked.operand.type === 'instant'
    ? fragment(`${column} ${signs[asked.operator]} ${bound}`, asked.operand.instant)
    : never;
};

/** What a claim says of something that is true or false. */
export const claimBoolean = (claim: Claim, holds: Fragment): Fragment => {
  if (claim.operator === 'present' || claim.operator === 'filled') return always;
  if (claim.operator !== 'equals' || claim.operand.type !== 'boolean') return never;
  return claim.operand.boolean ? holds : complement(holds);
};
