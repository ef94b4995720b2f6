// The two forms in which clients ask for experiments: a list of predicates, each of one source, and one tree of rules.
import { Failure } from '#ports/failure';
import type { Condition, SubjectKind } from '#ports/query';
import { findKind, type ColumnType } from './columns.js';
import { translateRule } from './rules.js';

/** Groups within groups, and rules in one question, at most. */
const deepest = 64;
const mostRules = 100;

/** What a rule about a name that a pattern describes means; only where such rules are asked. */
type Matching = (pattern: string) => Condition;

interface Budget {
  rules: number;
  readonly matching?: Matching;
}

/**
 * Predicates, which must all hold; none means every experiment. `negated` is only noted: the client has inverted the operators
 * already. Throws `invalid` for what is not a list of predicates and where the rules go deeper than 64 groups or beyond 100.
 */
export const translatePredicates = (predicates: unknown): Condition => {
  const budget: Budget = { rules: 0 };
  const of = requireList(predicates, 'predicates').map((predicate) => {
    const { source, query } = requireRecord(predicate, 'a predicate');
    return translateGroup(
      requireRecord(query, 'the query of a predicate'),
      readSource(source),
      1,
      budget,
    );
  });
  return { type: 'all', of };
};

/**
 * A tree whose rules each name their source; a missing tree means every experiment. With `matching`, rules about `Name` may have the operators
 * `matches` and `not_matches`, which no public call has. Throws `invalid` as `translatePredicates` does.
 */
export const translateRulesTree = (tree: unknown, matching?: Matching): Condition => {
  if (tree === undefined || tree === null) return { type: 'all', of: [] };
  return translateNode(requireRecord(tree, 'rulesTree'), undefined, 1, {
    rules: 0,
    ...(matching === undefined ? {} : { matching }),
  });
};

type Node = Readonly<Record<string, unknown>>;

const translateNode = (
  node: Node,
  kind: SubjectKind | undefined,
  depth: number,
  budget: Budget,
): Condition =>
  'rules' in node || 'condition' in node
    ? translateGroup(node, kind, depth, budget)
    : translateLeaf(node, kind, budget);

// A group without rules asks nothing, whatever its condition.
const translateGroup = (
  group: Node,
  outer: SubjectKind | undefined,
  depth: number,
  budget: Budget,
): Condition => {
  if (depth > deepest) throw new Failure('invalid', `rules must be at most ${deepest} groups deep`);
  const kind = readSource(group['source']) ?? outer;
  const of = requireList(group['rules'], 'rules').map((rule) =>
    translateNode(requireRecord(rule, 'a rule'), kind, depth + 1, budget),
  );
  return { type: of.length > 0 && readCondition(group['condition']) === 'OR' ? 'any' : 'all', of };
};

const translateLeaf = (rule: Node, outer: SubjectKind | undefined, budget: Budget): Condition => {
  budget.rules++;
  if (budget.rules > mostRules) throw new Failure('invalid', `rules must be at most ${mostRules}`);
  const field = rule['field'] ?? rule['id'];
  const operator = rule['operator'];
  if (typeof field !== 'string' || field === '')
    throw new Failure('invalid', 'field of a rule must be a name');
  if (typeof operator !== 'string')
    throw new Failure('invalid', `operator of ${field} must be a word`);
  const kind = readSource(rule['source']) ?? outer;
  if (budget.matching !== undefined && (operator === 'matches' || operator === 'not_matches')) {
    const claimed = budget.matching(readPattern(rule, field, kind));
    return operator === 'matches' ? claimed : { type: 'not', of: claimed };
  }
  return translateRule({
    field,
    operator,
    type: readType(rule),
    value: rule['value'],
    kind,
    ignoreCase: rule['ignoreCase'] === true,
  });
};

const readPattern = (rule: Node, field: string, kind: SubjectKind | undefined): string => {
  if (field !== 'Name' || (kind !== undefined && kind !== 'other'))
    throw new Failure('invalid', `only Name is matched by a regular expression, not ${field}`);
  const pattern = rule['value'];
  if (typeof pattern !== 'string')
    throw new Failure('invalid', 'value of Name must be a regular expression');
  return pattern;
};

// `nested` says that the rules below name their sources themselves.
const readSource = (source: unknown): SubjectKind | undefined => {
  if (source === undefined || source === null || source === 'nested') return undefined;
  const kind = typeof source === 'string' ? findKind(source) : undefined;
  if (kind === undefined)
    throw new Failure('invalid', `source ${JSON.stringify(source)} is unknown`);
  return kind;
};

const readCondition = (condition: unknown): 'AND' | 'OR' => {
  const word = typeof condition === 'string' ? condition.toUpperCase() : condition;
  if (word !== 'AND' && word !== 'OR')
    throw new Failure('invalid', 'condition of a group must be AND or OR');
  return word;
};

const types: ReadonlySet<unknown> = new Set<ColumnType>([
  'string',
  'boolean',
  'double',
  'datetime',
  'timenumber',
]);

const isColumnType = (type: unknown): type is ColumnType => types.has(type);

// A rule without a type is read by its value.
const readType = (rule: Node): ColumnType => {
  const type = rule['type'] ?? (typeof rule['value'] === 'string' ? 'string' : 'double');
  if (!isColumnType(type))
    throw new Failure('invalid', `type ${JSON.stringify(type)} of a rule is unknown`);
  return type;
};

const requireList = (value: unknown, what: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw new Failure('invalid', `${what} must be a list`);
  return value;
};

const requireRecord = (value: unknown, what: string): Node => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('invalid', `${what} must be an object`);
  return value as Node; // an object of any members
};
