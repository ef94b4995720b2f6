// What a statement may be, judged by the engine's own tree of it: which tables it reads, which of their columns, and nothing besides.
import { Failure } from '#ports/failure';
import { analyticTables, type AnalyticTable, type NamedColumns } from '#ports/analytics';
import type { TimeRanges } from '#ports/storage/analytic-rows';
import { fold } from './fold.js';
import { granted } from './granted.js';
import { rangesOf, widestOf } from './ranges.js';

type Node = Readonly<Record<string, unknown>>;

/** What a statement reads: tables, and names of columns in lower case. */
export interface Reads {
  readonly tables: ReadonlySet<AnalyticTable>;
  readonly columns: ReadonlySet<string> | 'all';
  /** Instants outside of which no row of a table makes a difference to the statement. */
  readonly times: ReadonlyMap<AnalyticTable, TimeRanges>;
}

const mostTreeBytes = 16 * 1024 * 1024;

const unparsable = () => new Failure('invalid', 'the query cannot be parsed');
const denied = (what: string) =>
  new Failure('invalid', `access denied: ${what.slice(0, 100)} is not granted`);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (node: Node, member: string): string => String(node[member] ?? '');
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : []; // a list, as was just checked

/** What a statement is held against. */
interface Rules {
  /** Tables that there are, granted or not. */
  readonly tables: ReadonlySet<string>;
  /** Whether a subquery in place of a value may read tables. */
  readonly scalarReads: boolean;
  /** Whether conditions on times are gathered, and the time that it is; in ms. */
  readonly now?: number;
}
/** Places where rows come from; all others are refused. */
const sources: ReadonlySet<string> = new Set([
  'BASE_TABLE',
  'SUBQUERY',
  'JOIN',
  'EMPTY',
  'EXPRESSION_LIST',
  'TABLE_FUNCTION',
]);
const selects: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
]);
const isSource = (node: Node): boolean => 'alias' in node && 'sample' in node && !('class' in node);

/** Names in force at a node, those of WITH above it, the last one first: statements have thousands of them, of which no part needs a list of its own. */
interface Name {
  readonly name: string;
  readonly outer: Names;
  /** The recursive part that may name itself by it. */
  readonly part?: Node;
}
type Names = Name | undefined;
const isNamed = (names: Names, name: string): boolean => {
  for (let one = names; one !== undefined; one = one.outer) if (one.name === name) return true;
  return false;
};

interface Gathered {
  readonly rules: Rules;
  readonly tables: Set<string>;
  readonly columns: Set<string>;
  /** Names of columns as they are written. */
  readonly written: Set<string>;
  readonly aliases: Set<string>;
  /** Names that stand alone, without a table's before them. */
  readonly single: Set<string>;
  /** What expressions, and columns of what stands in FROM, are called. */
  readonly called: Set<string>;
  /** What each place says of times where a table is named. */
  readonly places: Map<string, TimeRanges[]>;
  /** What the SELECT above says of a place that is still to be read. */
  readonly ranges: Map<unknown, TimeRanges>;
  /** Subqueries within others that read no tables. */
  readonly tableless: Set<Node>;
  all: boolean;
}

/** The names of WITH, each with the part of the statement that it stands for, and what is in force in there. */
const namedParts = (node: Node, above: Names) => {
  const map = isNode(node['cte_map']) ? listOf(node['cte_map']['map']) : [];
  let names = above;
  const parts: [unknown, Names][] = [];
  for (const entry of map) {
    if (!isNode(entry)) continue;
    const name = fold(textOf(entry, 'key'));
    const query = isNode(entry['value']) ? entry['value']['query'] : undefined;
    const inner = isNode(query) && isNode(query['node']) ? query['node'] : {};
    // It may name itself only where it is recursive: else its name is that of what is outside.
    const isRecursive = inner['type'] === 'RECURSIVE_CTE_NODE';
    parts.push([entry['value'], isRecursive ? { name, outer: names, part: inner } : names]);
    names = { name, outer: names };
  }
  return { names, parts };
};

const readTable = (node: Node, names: Names, found: Gathered): void => {
  const name = fold(textOf(node, 'table_name'));
  if (textOf(node, 'schema_name') !== '' || textOf(node, 'catalog_name') !== '')
    throw denied(`${textOf(node, 'schema_name')}.${name}`);
  if (listOf(node['column_name_alias']).length > 0) found.all = true;
  found.aliases.add(fold(textOf(node, 'alias'))).add(name);
  if (isNamed(names, name)) return;
  if (!found.rules.tables.has(name)) throw denied(`table ${name}`);
  found.tables.add(name);
  const places = found.places.get(name) ?? [];
  places.push(found.ranges.get(node) ?? {});
  found.places.set(name, places);
};

const tableFunctions: ReadonlySet<string> = new Set(['unnest', 'range', 'generate_series']);

const checkFunction = (node: Node, granting: ReadonlySet<string>): void => {
  const name = fold(textOf(node, 'function_name'));
  const isOperator = !/[a-z]/.test(name);
  const schema = textOf(node, 'schema');
  if ((schema !== '' && schema !== 'main') || textOf(node, 'catalog') !== '')
    throw denied(`${schema}.${name}`);
  if (!isOperator && !granting.has(name)) throw denied(`function ${name}`);
};

/** The tables that a part of the tree names, and the subqueries in it. */
const tablesIn = (part: unknown, names: Names, { tables }: Rules) => {
  const found = new Set<string>();
  const subqueries: Node[] = [];
  const stack: unknown[] = [part];
  while (stack.length > 0) {
    const one = stack.pop();
    if (Array.isArray(one)) for (const each of one as readonly unknown[]) stack.push(each);
    else if (isNode(one)) {
      if (one['type'] === 'BASE_TABLE') {
        const name = fold(textOf(one, 'table_name'));
        if (tables.has(name) || isNamed(names, name)) found.add(name);
      } else if (one['class'] === 'SUBQUERY') subqueries.push(one);
      stack.push(...Object.values(one));
    }
  }
  return { tables: [...found], subqueries };
};

const checkSubquery = (node: Node, names: Names, { rules, tableless }: Gathered): void => {
  if (rules.scalarReads || textOf(node, 'subquery_type') !== 'SCALAR' || tableless.has(node))
    return;
  const { tables, subqueries } = tablesIn(node['subquery'], names, rules);
  if (tables.length > 0)
    throw new Failure(
      'invalid',
      `a subquery in place of a value must not read tables (${tables.join(', ').slice(0, 200)}): use WITH or a join`,
    );
  // Once for all of them, however deep they are nested.
  for (const one of subqueries) tableless.add(one);
};

const checkNode = (node: Node, names: Names, found: Gathered): void => {
  const { type } = node;
  if (isSource(node)) {
    if (typeof type !== 'string' || !sources.has(type)) throw denied('this form of FROM');
    if (node['at_clause'] !== null && node['at_clause'] !== undefined) throw denied('AT');
    if (type === 'BASE_TABLE') readTable(node, names, found);
    else found.aliases.add(fold(textOf(node, 'alias')));
    if (type === 'TABLE_FUNCTION' && isNode(node['function']))
      checkFunction(node['function'], tableFunctions);
    for (const column of listOf(node['using_columns'])) {
      found.columns.add(fold(String(column)));
      found.written.add(String(column));
    }
    if (node['ref_type'] === 'NATURAL') found.all = true;
  } else if (typeof type === 'string' && type.endsWith('_NODE') && !selects.has(type))
    throw denied('this form of query');
  for (const name of listOf(node['column_name_alias'])) found.called.add(fold(String(name)));
  if ('class' in node) found.called.add(fold(textOf(node, 'alias')));
  switch (node['class']) {
    case 'COLUMN_REF': {
      const written = listOf(node['column_names']).map(String);
      const path = written.map(fold);
      for (const name of written) found.written.add(name);
      for (const name of path) found.columns.add(name);
      if (path.length === 1 && path[0] !== undefined) found.single.add(path[0]);
      break;
    }
    case 'STAR':
    case 'POSITIONAL_REFERENCE':
      found.all = true;
      break;
    case 'FUNCTION':
    case 'WINDOW':
      checkFunction(node, granted);
      break;
    case 'PARAMETER':
      throw new Failure('invalid', 'a query must not have parameters');
    case 'SUBQUERY':
      checkSubquery(node, names, found);
      break;
    default:
      break;
  }
};

/** Names that the engine takes for functions of its own where no column is called so. */
const tellsOfEngine = [
  ...['user', 'current_user', 'session_user', 'current_role'],
  ...['current_catalog', 'current_schema'],
] as const;

/** Goes through a tree and judges each node of it. Rejects with `invalid` for whatever is not a query over those tables. */
const gather = (tree: string, rules: Rules): Gathered => {
  if (tree.length > mostTreeBytes) throw new Failure('invalid', 'the query is too long');
  const parsed: unknown = JSON.parse(tree);
  if (!isNode(parsed) || parsed['error'] !== false) throw unparsable();
  const statements = listOf(parsed['statements']);
  if (statements.length !== 1) throw new Failure('invalid', 'a query must be one statement');
  const found: Gathered = {
    rules,
    tables: new Set(),
    columns: new Set(),
    written: new Set(),
    aliases: new Set(),
    single: new Set(),
    called: new Set(),
    places: new Map(),
    ranges: new Map(),
    tableless: new Set(),
    all: false,
  };
  // A stack of its own: how deep a query is nested is its writer's choice.
  const stack: [unknown, Names][] = [[statements[0], undefined]];
  while (stack.length > 0) {
    const [one, above] = stack.pop() ?? [undefined, undefined];
    if (Array.isArray(one)) for (const each of one as readonly unknown[]) stack.push([each, above]);
    else if (isNode(one)) {
      // What a recursive part begins with, and whatever WITH there is in it, means by its name what is outside.
      const itself = above?.part === one ? above : undefined;
      const { names, parts } = namedParts(one, itself === undefined ? above : itself.outer);
      if (one['type'] === 'SELECT_NODE' && rules.now !== undefined)
        for (const [place, ranges] of rangesOf(one, rules.now * 1000))
          found.ranges.set(place, ranges);
      checkNode(one, names, found);
      stack.push(...parts);
      for (const [member, value] of Object.entries(one)) {
        if (member === 'cte_map') continue;
        // The call of a table function was judged with its table.
        if (member === 'function' && one['type'] === 'TABLE_FUNCTION' && isNode(value))
          stack.push([value['children'], names]);
        else if (itself !== undefined && member === 'right')
          stack.push([value, { name: itself.name, outer: names }]);
        else if (typeof value === 'object' && value !== null) stack.push([value, names]);
      }
    }
  }
  for (const name of tellsOfEngine)
    if (found.single.has(name) && !found.called.has(name)) throw denied(`function ${name}`);
  return found;
};

/** Whether all columns are read: by a star, or by a table's name alone, which stands for its whole row. */
const readsAll = ({ all, single, aliases }: Gathered): boolean =>
  all || [...single].some((name) => aliases.has(name));

const storedTables: ReadonlySet<string> = new Set(analyticTables);

/**
 * What a statement reads. Rejects with `invalid` for what cannot be parsed, more than one statement, anything but a query, and tables and functions
 * that are not granted. `tree` is JSON text of the engine, `now` a time in ms.
 */
export const readsOf = (
  tree: string,
  tables: readonly AnalyticTable[],
  now = Date.now(),
): Reads => {
  const found = gather(tree, { tables: storedTables, scalarReads: false, now });
  const named = [...found.tables] as AnalyticTable[]; // no others are known
  for (const table of named) if (!tables.includes(table)) throw denied(`table ${table}`);
  const times = new Map(
    named.map((table) => [table, widestOf(table, found.places.get(table) ?? [])]),
  );
  return { tables: new Set(named), columns: readsAll(found) ? 'all' : found.columns, times };
};

/** What a statement over tables of its caller reads, judged by the same rules; they are so small that a subquery in place of a value may read them again. */
export const givenReadsOf = (
  tree: string,
  tables: ReadonlySet<string>,
): NamedColumns & { readonly tables: ReadonlySet<string> } => {
  const found = gather(tree, { tables, scalarReads: true });
  return { tables: found.tables, names: found.written, all: readsAll(found) };
};
