// One rule of the wire becomes a claim, or the complement of one.
import { Failure } from '#ports/failure';
import type {
  BooleanOperand,
  Comparison,
  Condition,
  OrderedOperand,
  Subject,
  SubjectKind,
} from '#ports/query';
import { findMetadataType, type ColumnType } from './columns.js';
import { readEnd, readOperand, readText } from './operands.js';

export interface Rule {
  readonly field: string;
  readonly operator: string;
  readonly type: ColumnType;
  readonly value: unknown;
  /** `undefined` when the client lost it, as it does in a group within an OR of several sources. */
  readonly kind: SubjectKind | undefined;
  /** Whether texts are compared without regard to capitals. */
  readonly ignoreCase?: boolean;
}

/** `empty` is a value that is there and is the empty text: presence without being filled. */
type Asked = Comparison['operator'] | 'empty';

/**
 * What each operator of the wire claims, and whether it is the complement. `not_…` and `is_null` hold without a value;
 * `is_empty` does not, as in the client's language a missing value is no empty text. Orders need a value, inverted ones too: they arrive as
 * their opposite order.
 */
const meanings: ReadonlyMap<string, readonly [claim: Asked, complement?: 'complement']> = new Map([
  ['equal', ['equals']],
  ['not_equal', ['equals', 'complement']],
  ['less', ['below']],
  ['less_or_equal', ['atMost']],
  ['greater', ['above']],
  ['greater_or_equal', ['atLeast']],
  ['between', ['between']],
  ['not_between', ['between', 'complement']],
  ['contains', ['contains']],
  ['not_contains', ['contains', 'complement']],
  ['begins_with', ['startsWith']],
  ['not_begins_with', ['startsWith', 'complement']],
  ['ends_with', ['endsWith']],
  ['not_ends_with', ['endsWith', 'complement']],
  ['is_null', ['present', 'complement']],
  ['is_not_null', ['present']],
  ['is_empty', ['empty']],
  ['is_not_empty', ['filled']],
]);

/** The condition of a rule; throws `invalid` for an unknown operator or metadata column and for a value that does not fit. */
export const translateRule = (rule: Rule): Condition => {
  const [operator, complement] = meanings.get(rule.operator) ?? [];
  if (operator === undefined)
    throw new Failure(
      'invalid',
      `operator ${JSON.stringify(rule.operator)} of ${rule.field} is unknown`,
    );
  const claimed =
    rule.kind === undefined ? claimOfAnyKind(rule, operator) : claim(rule, rule.kind, operator);
  return complement === undefined ? claimed : { type: 'not', of: claimed };
};

const loggedKinds: readonly SubjectKind[] = ['metric', 'parameter', 'other', 'environment'];

// Without a source the name alone says what is meant: whatever of that name satisfies the claim.
const claimOfAnyKind = (rule: Rule, operator: Asked): Condition => {
  if (findMetadataType(rule.field) !== undefined) return claim(rule, 'metadata', operator);
  const kinds =
    operator === 'equals' && rule.value === rule.field
      ? [...loggedKinds, 'tag' as const]
      : loggedKinds;
  return { type: 'any', of: kinds.map((kind) => claim(rule, kind, operator)) };
};

const claim = (rule: Rule, kind: SubjectKind, operator: Asked): Condition => {
  const comparison = { type: 'comparison', subject: { kind, name: rule.field } } as const;
  const type = typeOf(rule, kind);
  switch (operator) {
    case 'present':
    case 'filled':
      return { ...comparison, operator };
    case 'empty':
      return {
        type: 'all',
        of: [
          { ...comparison, operator: 'present' },
          { type: 'not', of: { ...comparison, operator: 'filled' } },
        ],
      };
    case 'equals':
      return claimEqual(
        comparison.subject,
        readOperand(rule.value, type),
        type,
        rule.ignoreCase === true,
      );
    case 'between':
      return { ...comparison, operator, ...readRange(rule, type) };
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return {
        ...comparison,
        operator,
        operand: readText(rule.value),
        ...(rule.ignoreCase === true ? { ignoreCase: true } : {}),
      };
    default:
      return {
        ...comparison,
        operator,
        operand: requireOrdered(readOperand(rule.value, type), rule, type),
      };
  }
};

// A logged truth is a text, and is asked for with 1 or 0 like any other.
const truths = new Map([
  [1, ['True', 'true', 'TRUE']],
  [0, ['False', 'false', 'FALSE']],
]);

const claimEqual = (
  subject: Subject,
  operand: OrderedOperand | BooleanOperand,
  type: ColumnType,
  ignoreCase: boolean,
): Condition => {
  const equal = (other: OrderedOperand | BooleanOperand): Condition => ({
    type: 'comparison',
    subject,
    operator: 'equals',
    operand: other,
    ...(ignoreCase && other.type === 'text' ? { ignoreCase } : {}),
  });
  // Only the server's own columns hold truths; what is logged is a text or a number.
  if (operand.type === 'boolean' && subject.kind !== 'metadata')
    return claimEqual(
      subject,
      { type: 'number', number: Number(operand.boolean) },
      'string',
      false,
    );
  const words =
    operand.type === 'number' && type === 'string' ? truths.get(operand.number) : undefined;
  if (words === undefined) return equal(operand);
  return {
    type: 'any',
    of: [equal(operand), ...words.map((text) => equal({ type: 'text', text }))],
  };
};

const readRange = (rule: Rule, type: ColumnType) => {
  const ends: readonly unknown[] = Array.isArray(rule.value) ? rule.value : [];
  if (ends.length !== 2)
    throw new Failure('invalid', `value of a range on ${rule.field} must be a list of two`);
  return { low: readEnd(ends[0], type), high: readEnd(ends[1], type) };
};

const requireOrdered = (
  operand: OrderedOperand | BooleanOperand,
  rule: Rule,
  type: ColumnType,
): OrderedOperand => {
  if (operand.type === 'boolean')
    throw new Failure('invalid', `${rule.field} is a boolean and has no order`);
  if (operand.type === 'text' && type !== 'string')
    throw new Failure(
      'invalid',
      `value ${JSON.stringify(operand.text)} of ${rule.field} must be a number`,
    );
  return operand;
};

// The server knows better than the rule what its own columns hold.
const typeOf = (rule: Rule, kind: SubjectKind): ColumnType => {
  if (kind === 'metadata') return requireMetadataType(rule.field);
  return kind === 'tag' ? 'string' : rule.type;
};

const requireMetadataType = (name: string): ColumnType => {
  const type = findMetadataType(name);
  if (type === undefined)
    throw new Failure('invalid', `metadata ${JSON.stringify(name)} is unknown`);
  return type;
};
