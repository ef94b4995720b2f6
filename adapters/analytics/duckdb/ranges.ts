// The time ranges that a statement names of its tables, so that no other rows are read for it. Each is at least as wide as what the statement means:
// the engine applies every condition itself.
import type { AnalyticTable } from '#ports/analytics';
import type { TimeRange, TimeRanges } from '#ports/storage/analytic-rows';
import { fold } from './fold.js';
import { tableColumns } from './tables.js';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : []; // a list, as was just checked
const wordOf = (node: Node, member: string): string => fold(String(node[member] ?? ''));

/** Between which two values, both included, that of an expression lies; in µs. */
interface Between {
  readonly low: number;
  readonly high: number;
}

const [second, day] = [1_000_000, 86_400_000_000];
/** For how much longer or shorter the time of a statement may be another one than that of whoever reads its conditions. */
const clockSlack = day / 24;

const dateText =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(?:Z|\+00(?::?00)?)?$/;

/** The instant of a text as people write it; `undefined` for all other forms. */
const instantOf = (text: string): number | undefined => {
  const found = dateText.exec(text.trim());
  if (found === null) return undefined;
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0, seconds = 0] = found
    .slice(1, 7)
    .map((digits: string | undefined) => Number(digits ?? 0));
  const ms = new Date(0).setUTCFullYear(year, month - 1, date);
  const micros =
    ms * 1000 +
    (hour * 3600 + minute * 60 + seconds) * second +
    Number((found[7] ?? '').padEnd(6, '0'));
  return Number.isSafeInteger(micros) ? micros : undefined;
};

/** What a constant of one of these types is: of others it may be written in a way of their own. */
const constantOf = (node: unknown, ...types: readonly string[]): unknown => {
  if (!isNode(node) || node['class'] !== 'CONSTANT' || !isNode(node['value'])) return undefined;
  const { type, is_null: isNull, value } = node['value'];
  const isKnown = isNode(type) && types.includes(String(type['id']));
  return isKnown && isNull === false ? value : undefined;
};
const textOf = (node: unknown): string | undefined => {
  const text = constantOf(node, 'VARCHAR');
  return typeof text === 'string' ? text : undefined;
};
const functionOf = (node: unknown) =>
  isNode(node) && node['class'] === 'FUNCTION'
    ? { name: wordOf(node, 'function_name'), given: listOf(node['children']) }
    : undefined;
/** What is cast to a type of one of these names. */
const castOf = (node: unknown, ...types: readonly string[]): unknown => {
  if (!isNode(node) || node['class'] !== 'CAST' || !isNode(node['cast_type'])) return undefined;
  return types.includes(String(node['cast_type']['id'])) ? node['child'] : undefined;
};

const instants = ['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'];
const toInstants: ReadonlySet<string> = new Set([
  'todatetime',
  'todatetime64',
  'parsedatetimebesteffort',
]);
/** Functions that answer the start of a stretch of time, and how long it is at most; a day at least, since some answer a date. */
const starts: Readonly<Record<string, number>> = {
  todate: day,
  tostartofminute: day,
  tostartofhour: day,
  tostartofday: day,
  tostartofweek: 7 * day,
  tomonday: 7 * day,
  tostartofmonth: 31 * day,
  tostartofquarter: 92 * day,
  tostartofyear: 366 * day,
};
const truncated: Readonly<Record<string, number>> = {
  ...{ second: day, minute: day, hour: day, day, week: 7 * day, month: 31 * day },
  ...{ quarter: 92 * day, year: 366 * day },
};

/** Of what an expression is the start of a stretch of time, and how long that is at most. */
const startOf = (node: unknown): { readonly of: unknown; readonly most: number } | undefined => {
  const date = castOf(node, 'DATE');
  if (date !== undefined) return { of: date, most: day };
  const { name = '', given = [] } = functionOf(node) ?? {};
  if (name === 'date_trunc' || name === 'datetrunc') {
    const unit = textOf(given[0])?.toLowerCase() ?? '';
    const most = Object.hasOwn(truncated, unit) ? truncated[unit] : undefined;
    return most === undefined || given.length !== 2 ? undefined : { of: given[1], most };
  }
  const most = Object.hasOwn(starts, name) ? starts[name] : undefined;
  const count = given.length === 1 || (name === 'tostartofweek' && given.length === 2);
  return most === undefined || !count ? undefined : { of: given[0], most };
};
/** What an expression says as an instant. */
const sameInstant = (node: unknown): unknown => {
  const cast = castOf(node, ...instants);
  if (cast !== undefined) return cast;
  const { name = '', given = [] } = functionOf(node) ?? {};
  return toInstants.has(name) ? given[0] : undefined;
};

const units: Readonly<Record<string, Between>> = {
  second: { low: second, high: second },
  minute: { low: 60 * second, high: 60 * second },
  hour: { low: day / 24, high: day / 24 },
  day: { low: day, high: day },
  week: { low: 7 * day, high: 7 * day },
  month: { low: 28 * day, high: 31 * day },
  quarter: { low: 89 * day, high: 92 * day },
  year: { low: 365 * day, high: 366 * day },
};
const times = (count: number, unit: string): Between | undefined => {
  const one = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (one === undefined || count < 0) return undefined;
  return { low: count * one.low, high: count * one.high };
};
/** The number that an expression is, through what the parser puts around it. */
const countOf = (node: unknown): number | undefined => {
  const number = constantOf(node, 'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT');
  if (typeof number === 'number') return number;
  const text = textOf(node);
  if (text !== undefined) return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  const cast = castOf(node, 'DOUBLE', 'INTEGER', 'BIGINT');
  if (cast !== undefined) return countOf(cast);
  const called = functionOf(node);
  return called?.name === 'trunc' ? countOf(called.given[0]) : undefined;
};
/** How long an interval is. */
const lengthOf = (node: unknown): Between | undefined => {
  const text = textOf(castOf(node, 'INTERVAL'));
  if (text !== undefined) {
    const found = /^(\d{1,9})\s*([a-z]+?)s?$/i.exec(text.trim());
    return found === null ? undefined : times(Number(found[1]), (found[2] ?? '').toLowerCase());
  }
  const called = functionOf(node);
  const unit = /^to_([a-z]+)s$/.exec(called?.name ?? '')?.[1];
  const count = unit === undefined ? undefined : countOf(called?.given[0]);
  return unit === undefined || count === undefined ? undefined : times(count, unit);
};

const nows: ReadonlySet<string> = new Set([
  ...['now', 'get_current_timestamp', 'transaction_timestamp', 'current_timestamp'],
]);
const todays: ReadonlySet<string> = new Set(['today', 'current_date']);

/** Nested deeper than people write it, an expression is not looked at. */
const mostDepth = 12;

/** Between which instants the value of an expression lies that names no column. */
const valueOf = (node: unknown, now: number, depth = 0): Between | undefined => {
  if (depth > mostDepth) return undefined;
  const text = textOf(node);
  const instant = text === undefined ? undefined : instantOf(text);
  if (instant !== undefined) return { low: instant, high: instant };
  const same = sameInstant(node);
  if (same !== undefined) return valueOf(same, now, depth + 1);
  const start = startOf(node);
  if (start !== undefined) {
    const of = valueOf(start.of, now, depth + 1);
    return of && { low: of.low - start.most, high: of.high };
  }
  const { name = '', given = [] } = functionOf(node) ?? {};
  if (nows.has(name)) return { low: now - clockSlack, high: now + clockSlack };
  if (todays.has(name)) return { low: now - day - clockSlack, high: now + clockSlack };
  if ((name !== '-' && name !== '+') || given.length !== 2) return undefined;
  const [of, by] = [valueOf(given[0], now, depth + 1), lengthOf(given[1])];
  if (of === undefined || by === undefined) return undefined;
  return name === '-'
    ? { low: of.low - by.high, high: of.high - by.low }
    : { low: of.low + by.low, high: of.high + by.high };
};

/** A column by its names, and by how much what is said of it may be beside its value. */
interface Named {
  readonly names: readonly string[];
  readonly beside: number;
}
const columnOf = (node: unknown, depth = 0): Named | undefined => {
  if (!isNode(node) || depth > mostDepth) return undefined;
  if (node['class'] === 'COLUMN_REF')
    return {
      names: listOf(node['column_names']).map((name) => fold(String(name))),
      beside: 0,
    };
  const start = startOf(node);
  const inner = columnOf(start === undefined ? sameInstant(node) : start.of, depth + 1);
  return inner && { ...inner, beside: inner.beside + (start?.most ?? 0) };
};

type Sign = 'from' | 'to' | 'both';
const comparisons: Readonly<Record<string, readonly [Sign, Sign]>> = {
  COMPARE_EQUAL: ['both', 'both'],
  COMPARE_GREATERTHAN: ['from', 'to'],
  COMPARE_GREATERTHANOREQUALTO: ['from', 'to'],
  COMPARE_LESSTHAN: ['to', 'from'],
  COMPARE_LESSTHANOREQUALTO: ['to', 'from'],
};

interface Condition {
  readonly column: Named;
  readonly range: TimeRange;
}

const conditionOf = (
  column: Named | undefined,
  sign: Sign,
  value: Between | undefined,
): readonly Condition[] => {
  if (column === undefined || value === undefined) return [];
  const from = value.low - column.beside;
  const to = value.high + column.beside;
  return [
    {
      column,
      range: { ...(sign === 'to' ? {} : { from }), ...(sign === 'from' ? {} : { to }) },
    },
  ];
};

/** Conditions on times that all hold where an expression is true. */
const conditionsIn = (where: unknown, now: number): readonly Condition[] => {
  const found: Condition[] = [];
  const stack: unknown[] = [where];
  while (stack.length > 0) {
    const one = stack.pop();
    if (!isNode(one)) continue;
    const type = String(one['type']);
    if (type === 'CONJUNCTION_AND') for (const part of listOf(one['children'])) stack.push(part);
    else if (one['class'] === 'BETWEEN') {
      if (type !== 'COMPARE_BETWEEN') continue;
      const column = columnOf(one['input']);
      found.push(...conditionOf(column, 'from', valueOf(one['lower'], now)));
      found.push(...conditionOf(column, 'to', valueOf(one['upper'], now)));
    } else if (one['class'] === 'COMPARISON' && Object.hasOwn(comparisons, type)) {
      const [of = 'both', turned = 'both'] = comparisons[type] ?? [];
      const { left, right } = one;
      found.push(...conditionOf(columnOf(left), of, valueOf(right, now)));
      found.push(...conditionOf(columnOf(right), turned, valueOf(left, now)));
    }
  }
  return found;
};

const joined: ReadonlySet<string> = new Set(['INNER', 'LEFT', 'RIGHT', 'OUTER']);
const plainly: ReadonlySet<string> = new Set(['REGULAR', 'CROSS']);

/** What rows come from; `undefined` where rows that a condition drops would change what becomes of others. */
const leavesOf = (from: unknown): readonly Node[] | undefined => {
  const found: Node[] = [];
  const stack: unknown[] = [from];
  while (stack.length > 0) {
    const one = stack.pop();
    if (!isNode(one) || (one['sample'] ?? null) !== null) return undefined;
    if (one['type'] !== 'JOIN') {
      found.push(one);
      continue;
    }
    if (!joined.has(String(one['join_type'])) || !plainly.has(String(one['ref_type'])))
      return undefined;
    stack.push(one['left'], one['right']);
  }
  return found;
};

const nameOf = (leaf: Node): string => wordOf(leaf, 'alias') || wordOf(leaf, 'table_name');

const narrowed = (one: TimeRange, other: TimeRange): TimeRange => {
  const from = Math.max(one.from ?? -Infinity, other.from ?? -Infinity);
  const to = Math.min(one.to ?? Infinity, other.to ?? Infinity);
  return { ...(from === -Infinity ? {} : { from }), ...(to === Infinity ? {} : { to }) };
};

/**
 * The ranges that one SELECT names of the tables it reads from itself, by their nodes: by names of columns in lower case. Rows that lie outside
 * make no difference to it. `now` is in µs.
 */
export const rangesOf = (select: Node, now: number): ReadonlyMap<unknown, TimeRanges> => {
  const found = new Map<unknown, Record<string, TimeRange>>();
  if (!isNode(select['where_clause']) || (select['sample'] ?? null) !== null) return found;
  const leaves = leavesOf(select['from_table']);
  if (leaves === undefined) return found;
  const aliases = new Set(
    listOf(select['select_list']).map((one) => (isNode(one) ? wordOf(one, 'alias') : '')),
  );
  const byName = new Map<string, Node | undefined>();
  for (const leaf of leaves) byName.set(nameOf(leaf), byName.has(nameOf(leaf)) ? undefined : leaf);
  for (const { column, range } of conditionsIn(select['where_clause'], now)) {
    const { names } = column;
    const [table, name = ''] = names.length === 1 ? [undefined, ...names] : names;
    const alone = leaves.length === 1 ? leaves[0] : undefined;
    const leaf = table === undefined ? alone : byName.get(table);
    if (names.length > 2 || leaf === undefined) continue;
    // The name may be that of what is selected, or of what its table's columns are called here.
    if ((table === undefined && aliases.has(name)) || listOf(leaf['column_name_alias']).length > 0)
      continue;
    const of = found.get(leaf) ?? {};
    of[name] = narrowed(of[name] ?? {}, range);
    found.set(leaf, of);
  }
  return found;
};

/** Columns that are instants of rows of the storage; those of scores are put together from several rows. */
const isTimed = (table: AnalyticTable, column: string): boolean =>
  table !== 'feedback_scores' &&
  tableColumns[table].some(
    ({ name, type, from }) => name === column && type === 'time' && from.join() === name,
  );

/** The ranges of rows of a table that a statement reads, from those of each place where it names the table. */
export const widestOf = (table: AnalyticTable, places: readonly TimeRanges[]): TimeRanges => {
  const [first = {}, ...others] = places;
  const found: Record<string, TimeRange> = {};
  for (const [column, range] of Object.entries(first)) {
    if (!isTimed(table, column)) continue;
    const all = [range, ...others.map((place) => place[column] ?? {})];
    const from = Math.min(...all.map((one) => one.from ?? -Infinity));
    const to = Math.max(...all.map((one) => one.to ?? Infinity));
    const wide = {
      ...(Number.isSafeInteger(from) ? { from } : {}),
      ...(Number.isSafeInteger(to) ? { to } : {}),
    };
    if (Object.keys(wide).length > 0) found[column] = wide;
  }
  return found;
};
