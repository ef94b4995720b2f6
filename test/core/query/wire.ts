// Builders of the wire's forms and of an experiment's values; they name only what matters.
import type { Fact, Facts } from '#core/experiments/query/satisfies';
import type { SubjectKind } from '#ports/query';

export interface WireRule {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
  readonly type?: string;
  readonly source?: string;
  readonly ignoreCase?: boolean;
}

export const rule = (
  field: string,
  operator: string,
  value: unknown = null,
  rest: Partial<WireRule> = {},
) => ({
  id: field,
  field,
  type: typeof value === 'number' ? 'double' : 'string',
  operator,
  value,
  ...rest,
});

export const group = (
  condition: string,
  rules: readonly unknown[],
  rest: Readonly<Record<string, unknown>> = {},
) => ({ condition, rules, valid: true, ...rest });

export const predicate = (source: string, query: unknown, negated?: true) => ({
  source,
  query,
  ...(negated === undefined ? {} : { negated }),
});

/** An experiment of logged values: a number has the text it prints as. */
export const facts = (
  values: Readonly<
    Partial<Record<SubjectKind, Readonly<Record<string, string | number | boolean | Date>>>>
  >,
): Facts =>
  Object.fromEntries(
    Object.entries(values).map(([kind, named]) => [
      kind,
      new Map(Object.entries(named).map(([name, value]) => [name, fact(value)])),
    ]),
  );

const fact = (value: string | number | boolean | Date): Fact => {
  if (typeof value === 'number') return { number: value, text: String(value) };
  if (typeof value === 'boolean') return { boolean: value };
  return typeof value === 'string' ? { text: value } : { instant: value.getTime() };
};
