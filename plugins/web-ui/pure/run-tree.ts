// Runs that name another run as their parent: which columns say so, and the rules that ask for them. Pure.
import type { RunColumn } from './columns.js';
import type { Rule, RuleGroup } from './query.js';

const kinds = { parameter: 'params', other: 'log_other' } as const;
const isKind = (kind: string): kind is keyof typeof kinds => Object.hasOwn(kinds, kind);

/** Whether a column is by its name one that holds the key of a run's parent: `parent`, `parent_run_id`, `mlflow.parentRunId` and so on. */
export const isParentColumn = ({ kind, name }: RunColumn): boolean =>
  isKind(kind) &&
  /^(?:mlflow\.)?parent(?:[_ ]?(?:run|experiment))?(?:[_ ]?(?:id|key))?$/i.test(name);

const ruleOf = ({ kind, name }: RunColumn, operator: string, value = ''): Rule => ({
  field: name,
  source: isKind(kind) ? kinds[kind] : kind,
  operator,
  type: 'string',
  value,
});

/** Runs that have a parent, or none. */
export const hasParent = (column: RunColumn, has: boolean): RuleGroup => ({
  condition: 'AND',
  rules: [ruleOf(column, has ? 'is_not_null' : 'is_null')],
});

/** Runs whose parent is one of these. */
export const childrenOf = (column: RunColumn, keys: readonly string[]): RuleGroup => ({
  condition: 'OR',
  rules: keys.map((key) => ruleOf(column, 'equal', key)),
});

/** Runs with one of these keys. */
export const runsOfKeys = (keys: readonly string[]): RuleGroup => ({
  condition: 'OR',
  rules: keys.map((value) => ({
    ...{ field: 'experimentKey', source: 'metadata', operator: 'equal', type: 'string' },
    value,
  })),
});

/** Rules of which both must hold. */
export const bothRules = (one: RuleGroup | undefined, other: RuleGroup): RuleGroup =>
  one === undefined ? other : { condition: 'AND', rules: [one, other] };
