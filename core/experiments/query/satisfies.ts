// The meaning of conditions, as plainly as it can be said; stores answer the same in their own language and are compared with it.
import type {
  BooleanOperand,
  Comparison,
  Condition,
  OrderedOperand,
  SubjectKind,
  TextOperand,
} from '#ports/query';

/** A value in each type in which it may be compared. A logged number has `text` and `number`, other logged values and tags `text` alone. */
export interface Fact {
  readonly text?: string;
  readonly number?: number;
  readonly boolean?: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly instant?: number;
}

/** An experiment's values by kind and name; what is not in it, the experiment does not have. */
export type Facts = Readonly<Partial<Record<SubjectKind, ReadonlyMap<string, Fact>>>>;

/** Whether a condition is true of an experiment; see `Comparison` for what is compared and how. */
export const satisfies = (condition: Condition, facts: Facts): boolean => {
  switch (condition.type) {
    case 'all':
      return condition.of.every((part) => satisfies(part, facts));
    case 'any':
      return condition.of.some((part) => satisfies(part, facts));
    case 'not':
      return !satisfies(condition.of, facts);
    case 'among':
      return condition.ids.includes(facts.metadata?.get('runId')?.text ?? '');
    case 'comparison':
      return holds(condition, facts[condition.subject.kind]?.get(condition.subject.name));
  }
};

const holds = (claim: Comparison, fact: Fact | undefined): boolean => {
  if (fact === undefined) return false;
  switch (claim.operator) {
    case 'present':
      return true;
    case 'filled':
      return fact.text !== '';
    case 'equals':
      return claim.ignoreCase === true && claim.operand.type === 'text'
        ? fact.text !== undefined && fold(fact.text) === fold(claim.operand.text)
        : compare(fact, claim.operand) === 0;
    case 'below':
      return compare(fact, claim.operand) < 0;
    case 'atMost':
      return compare(fact, claim.operand) <= 0;
    case 'above':
      return compare(fact, claim.operand) > 0;
    case 'atLeast':
      return compare(fact, claim.operand) >= 0;
    case 'between':
      return compare(fact, claim.low) >= 0 && compare(fact, claim.high) <= 0;
    case 'contains':
      return holdsText(fact, claim, (text, part) => text.includes(part));
    case 'startsWith':
      return holdsText(fact, claim, (text, part) => text.startsWith(part));
    case 'endsWith':
      return holdsText(fact, claim, (text, part) => text.endsWith(part));
  }
};

const fold = (text: string): string => text.toLowerCase();

const holdsText = (
  { text }: Fact,
  { operand, ignoreCase = false }: { readonly operand: TextOperand; readonly ignoreCase?: boolean },
  holds: (text: string, part: string) => boolean,
): boolean => {
  if (text === undefined) return false;
  return ignoreCase ? holds(fold(text), fold(operand.text)) : holds(text, operand.text);
};

/** Negative, zero or positive as the fact is less, equal or more; `NaN`, of which every comparison is false, when it is not of that type. */
const compare = (fact: Fact, operand: OrderedOperand | BooleanOperand): number => {
  switch (operand.type) {
    case 'text':
      return fact.text === undefined ? NaN : compareTexts(fact.text, operand.text);
    case 'number':
      return compareNumbers(fact.number, operand.number);
    case 'instant':
      return compareNumbers(fact.instant, operand.instant);
    case 'boolean':
      return compareNumbers(
        fact.boolean === undefined ? undefined : Number(fact.boolean),
        Number(operand.boolean),
      );
  }
};

const compareNumbers = (one: number | undefined, other: number): number => {
  if (one === undefined || Number.isNaN(one)) return NaN;
  return one < other ? -1 : Number(one > other);
};

// By code points, as databases do; the language itself compares halves of pairs.
const compareTexts = (one: string, other: string): number => {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (const [at, character] of left.entries()) {
    if (character === right[at]) continue;
    return at >= right.length
      ? 1
      : (character.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
};
