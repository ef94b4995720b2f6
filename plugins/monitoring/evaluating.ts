// What a tree of the language means over events. Missing is null, and what is asked of null is null. Pure.
import { Failure } from '#ports/failure';
import type { Vector } from './frames.js';
import type { Value } from './items.js';
import { aggregates, partsOfNode, type Metric, type Node } from './language.js';
import { quantileOf, sketchOf } from './sketches.js';

export type Result = string | number | boolean | null;

/** Some events, of which each column is read by the number of the event. */
export interface Batch {
  readonly length: number;
  at(row: number): number;
  /** The column of `feature_age`, `label_value`, `timestamp`, `model_version`, `prediction_id`. */
  column(name: string): (row: number) => Value | undefined;
  /** When the first and the last of the events were, where that is known without reading their times. */
  readonly ends?: readonly [first: number, last: number] | undefined;
  /** A column as it lies side by side; `undefined` where it has to be read event by event. */
  vector?(name: string): Vector | undefined;
  /** When what came after the event came; nothing where nothing did. */
  addedAt(row: number): number | undefined;
}

/** Finds the column that a name of the language means. Throws `invalid` for one that means none or several. */
export type Columns = (name: string, place: number) => string;

type Reader = (row: number) => Result;
type Compiled = (batch: Batch) => Reader;

const ownColumns: Readonly<Record<string, string>> = {
  timestamp: 'timestamp',
  __time: 'timestamp',
  model_version: 'model_version',
  modelversion: 'model_version',
  version: 'model_version',
  prediction_id: 'prediction_id',
  predictionid: 'prediction_id',
  prediction: 'prediction_value',
  label: 'label_value',
};

/** What names mean where these columns are known. */
export const columnsAmong =
  (known: ReadonlySet<string>): Columns =>
  (name, place) => {
    if (known.has(name)) return name;
    const own = Object.hasOwn(ownColumns, name.toLowerCase())
      ? ownColumns[name.toLowerCase()]
      : undefined;
    if (own !== undefined) return own;
    const label = name.startsWith('label_value_') ? `label_${name.slice(12)}` : undefined;
    if (label !== undefined) return label;
    if (/^(feature|prediction|label)_./.test(name)) return name;
    const meant = ['feature', 'prediction', 'label']
      .map((source) => `${source}_${name}`)
      .filter((column) => known.has(column));
    const [first] = meant;
    if (first !== undefined && meant.length === 1) return first;
    const shown = name.slice(0, 60);
    throw new Failure(
      'invalid',
      first === undefined
        ? `the model has no column ${shown}, at position ${place + 1}`
        : `${shown} may be any of ${meant.join(', ')}, at position ${place + 1}`,
    );
  };

/** The columns that a tree reads. */
export const columnsOf = (node: Node | undefined, columns: Columns): readonly string[] =>
  node === undefined
    ? []
    : node.is === 'column'
      ? [columns(node.name, node.place)]
      : partsOfNode(node).flatMap((part) => columnsOf(part, columns));

const toNumber = (value: Result): number | null => {
  if (value === null) return null;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = value.trim() === '' ? NaN : Number(value);
  return Number.isNaN(number) ? null : number;
};
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Which of two comes first; null where one of them is missing. */
export const compareResults = (left: Result, right: Result): number | null => {
  if (left === null || right === null) return null;
  if (typeof left === 'string' && typeof right === 'string')
    return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'boolean' && typeof right === 'string')
    return compareResults(String(left), right.toLowerCase());
  if (typeof left === 'string' && typeof right === 'boolean')
    return compareResults(left.toLowerCase(), String(right));
  const [a, b] = [toNumber(left), toNumber(right)];
  return a === null || b === null
    ? compareResults(String(left), String(right))
    : a < b
      ? -1
      : a > b
        ? 1
        : 0;
};
export const isTrue = (value: Result): boolean | null =>
  value === null ? null : typeof value === 'boolean' ? value : toNumber(value) !== 0;

const compared =
  (test: (order: number) => boolean) =>
  (left: Result, right: Result): Result => {
    const order = compareResults(left, right);
    return order === null ? null : test(order);
  };
const arithmetic =
  (of: (left: number, right: number) => number) =>
  (left: Result, right: Result): Result => {
    const [a, b] = [toNumber(left), toNumber(right)];
    return a === null || b === null ? null : finite(of(a, b));
  };

const binary: Readonly<Record<string, (left: Result, right: Result) => Result>> = {
  '=': compared((order) => order === 0),
  '!=': compared((order) => order !== 0),
  '<': compared((order) => order < 0),
  '<=': compared((order) => order <= 0),
  '>': compared((order) => order > 0),
  '>=': compared((order) => order >= 0),
  '+': arithmetic((a, b) => a + b),
  '-': arithmetic((a, b) => a - b),
  '*': arithmetic((a, b) => a * b),
  '/': arithmetic((a, b) => a / b),
  '%': arithmetic((a, b) => a % b),
  pow: arithmetic((a, b) => a ** b),
  power: arithmetic((a, b) => a ** b),
  nullif: (left, right) => (compareResults(left, right) === 0 ? null : left),
  contains: (left, right) =>
    left === null || right === null ? null : String(left).includes(String(right)),
};
const unary: Readonly<Record<string, (value: Result) => Result>> = {
  not: (value) => {
    const truth = isTrue(value);
    return truth === null ? null : !truth;
  },
  isNull: (value) => value === null,
  abs: (value) => arithmetic((a) => Math.abs(a))(value, 0),
  ln: (value) => arithmetic((a) => Math.log(a))(value, 0),
  // Times are milliseconds here, so that these change nothing.
  timestamp_to_millis: (value) => value,
  millis_to_timestamp: (value) => value,
  exp: (value) => arithmetic((a) => Math.exp(a))(value, 0),
};

const substring = ([text, from, length]: readonly Result[]): Result => {
  const start = toNumber(from ?? null);
  const most = length === undefined ? Infinity : toNumber(length);
  if (text === null || text === undefined || start === null || most === null) return null;
  return String(text).slice(Math.max(0, start - 1), Math.max(0, start - 1 + most));
};

const applied = (name: string, parts: readonly Reader[]): Reader => {
  const [first, second] = parts;
  const nothing: Reader = () => null;
  const [left, right] = [first ?? nothing, second ?? nothing];
  const two = binary[name];
  if (two !== undefined) return (row) => two(left(row), right(row));
  const one = unary[name];
  if (one !== undefined) return (row) => one(left(row));
  if (name === 'and' || name === 'or') {
    const ends = name === 'or';
    return (row) => {
      const [a, b] = [isTrue(left(row)), isTrue(right(row))];
      if (a === ends || b === ends) return ends;
      return a === null || b === null ? null : !ends;
    };
  }
  if (name === 'in')
    return (row) => {
      const value = left(row);
      if (value === null) return null;
      return parts.slice(1).some((part) => compareResults(value, part(row)) === 0);
    };
  if (name === 'coalesce')
    return (row) => {
      for (const part of parts) {
        const value = part(row);
        if (value !== null) return value;
      }
      return null;
    };
  return (row) => substring(parts.map((part) => part(row)));
};

/** A tree without aggregates as a function of an event; `slots` gives what aggregates came to where it has any. */
const compile = (
  node: Node,
  columns: Columns,
  slots?: ReadonlyMap<Node, () => Result>,
): Compiled => {
  const slot = slots?.get(node);
  if (slot !== undefined) return () => slot;
  if (node.is === 'value') return () => () => node.value;
  if (node.is === 'column') {
    const name = columns(node.name, node.place);
    return (batch) => {
      const column = batch.column(name);
      return (row) => column(row) ?? null;
    };
  }
  if (node.is === 'case') {
    const when = node.when.map(
      ([test, then]) => [compile(test, columns, slots), compile(then, columns, slots)] as const,
    );
    const otherwise = compile(node.otherwise, columns, slots);
    return (batch) => {
      const tests = when.map(([test, then]) => [test(batch), then(batch)] as const);
      const last = otherwise(batch);
      return (row) => (tests.find(([test]) => isTrue(test(row)) === true)?.[1] ?? last)(row);
    };
  }
  const parts = node.args.map((part) => compile(part, columns, slots));
  return (batch) =>
    applied(
      node.name,
      parts.map((part) => part(batch)),
    );
};

/** A tree without aggregates as what it comes to of each event. */
export const compileValue = (
  node: Node,
  columns: Columns,
): ((batch: Batch) => (row: number) => Result) => compile(node, columns);
/** A condition as a test of an event. */
export const compileFilter =
  (node: Node, columns: Columns): ((batch: Batch) => (row: number) => boolean) =>
  (batch) => {
    const test = compile(node, columns)(batch);
    return (row) => isTrue(test(row)) === true;
  };

/** Which events of a batch are meant, by 1; all of them where left out. */
export type Mask = Uint8Array | undefined;

interface Sum {
  /** Reads an event of the batch that was begun last. */
  add(row: number): void;
  /** The same of those from one to another that are meant, all at once. */
  addRange?(from: number, to: number, mask: Mask): void;
  begin(batch: Batch): void;
  result(): Result;
}

const mostDistinct = 1_000_000;

const countIn = (mask: Mask, from: number, to: number): number => {
  if (mask === undefined) return to - from;
  let n = 0;
  for (let row = from; row < to; row++) if (mask[row] === 1) n++;
  return n;
};

/** The name of the column that a node is, by which all of it may be read at once. */
const columnIn = (node: Node | undefined, columns: Columns): string | undefined =>
  node?.is === 'column' ? columns(node.name, node.place) : undefined;

const counting = (
  args: readonly Compiled[],
  distinct: boolean,
  column: string | undefined,
): Sum => {
  const [value] = args;
  let [n, read]: [number, Reader | undefined] = [0, undefined];
  let vector: Vector | undefined;
  const seen = new Set<Result>();
  const add = (row: number): void => {
    const found = read === undefined ? true : read(row);
    if (found === null) return;
    n++;
    if (distinct) seen.add(found);
    if (seen.size > mostDistinct)
      throw new Failure('invalid', `more than ${mostDistinct} different values are not counted`);
  };
  return {
    begin(batch) {
      read = value?.(batch);
      vector = column === undefined ? undefined : batch.vector?.(column);
    },
    add,
    addRange(from, to, mask) {
      if (value === undefined && !distinct) n += countIn(mask, from, to);
      else if (vector === undefined || distinct) {
        for (let row = from; row < to; row++) if (mask === undefined || mask[row] === 1) add(row);
      } else {
        const { numbers, places } = vector;
        for (let row = from; row < to; row++)
          if (
            (mask === undefined || mask[row] === 1) &&
            (!Number.isNaN(numbers?.[row] ?? NaN) || (places?.[row] ?? 0) > 0)
          )
            n++;
      }
    },
    result: () => (distinct ? seen.size : n),
  };
};

const extreme = (value: Compiled, sign: 1 | -1): Sum => {
  let [best, read]: [Result, Reader] = [null, () => null];
  return {
    begin: (batch) => (read = value(batch)),
    add(row) {
      const found = read(row);
      if (found !== null && (best === null || (compareResults(found, best) ?? 0) * sign > 0))
        best = found;
    },
    result: () => best,
  };
};

const correlating = (left: Compiled, right: Compiled): Sum => {
  let [n, x, y, xx, yy, xy] = [0, 0, 0, 0, 0, 0];
  let [a, b]: [Reader, Reader] = [() => null, () => null];
  return {
    begin: (batch) => ([a, b] = [left(batch), right(batch)]),
    add(row) {
      const [one, other] = [toNumber(a(row)), toNumber(b(row))];
      if (one === null || other === null) return;
      [n, x, y] = [n + 1, x + one, y + other];
      [xx, yy, xy] = [xx + one * one, yy + other * other, xy + one * other];
    },
    result: () =>
      n < 2 ? null : finite((n * xy - x * y) / Math.sqrt((n * xx - x * x) * (n * yy - y * y))),
  };
};

type Moments = readonly [n: number, mean: number, m2: number];
/** Moments with those of a range added, by Welford's method; its variables are its own, since those of a closure are allocated at each step. */
const summedUp = (
  before: Moments,
  numbers: Float64Array,
  [from, to]: readonly [number, number],
  mask: Mask,
): Moments => {
  let [n, mean, m2] = before;
  for (let row = from; row < to; row++) {
    const found = numbers[row] ?? NaN;
    if ((mask !== undefined && mask[row] !== 1) || Number.isNaN(found)) continue;
    n++;
    const away = found - mean;
    mean += away / n;
    m2 += away * (found - mean);
  }
  return [n, mean, m2];
};

const moments = (
  value: Compiled,
  column: string | undefined,
  of: (n: number, mean: number, m2: number) => number | null,
): Sum => {
  let [n, mean, m2] = [0, 0, 0];
  let read: Reader = () => null;
  let numbers: Float64Array | undefined;
  const take = (found: number): void => {
    n++;
    const away = found - mean;
    mean += away / n;
    m2 += away * (found - mean);
  };
  const add = (row: number): void => {
    const found = toNumber(read(row));
    if (found !== null) take(found);
  };
  return {
    begin(batch) {
      read = value(batch);
      const vector = column === undefined ? undefined : batch.vector?.(column);
      numbers = vector?.places === undefined ? vector?.numbers : undefined;
    },
    add,
    addRange(from, to, mask) {
      if (numbers === undefined) {
        for (let row = from; row < to; row++) if (mask === undefined || mask[row] === 1) add(row);
      } else [n, mean, m2] = summedUp([n, mean, m2], numbers, [from, to], mask);
    },
    result: () => (n === 0 ? null : of(n, mean, m2)),
  };
};

const ranking = (value: Compiled, share: number): Sum => {
  const numbers: number[] = [];
  let read: Reader = () => null;
  return {
    begin: (batch) => (read = value(batch)),
    add(row) {
      const found = toNumber(read(row));
      if (found !== null) numbers.push(found);
    },
    result: () => quantileOf(sketchOf(numbers), share),
  };
};

const shareOf = (node: Node | undefined): number => {
  if (node?.is !== 'value' || typeof node.value !== 'number' || node.value < 0 || node.value > 1)
    throw new Failure('invalid', 'percentile takes a number between 0 and 1 and then a column');
  return node.value;
};

const sumOf = (node: Node & { readonly is: 'call' }, columns: Columns): Sum => {
  const args = node.args.map((part) => compile(part, columns));
  const [first = () => () => null, second = first] = args;
  const column = columnIn(node.args[0], columns);
  switch (node.name) {
    case 'count':
      return counting(args, node.distinct, column);
    case 'min':
      return extreme(first, -1);
    case 'max':
      return extreme(first, 1);
    case 'corr':
      return correlating(first, second);
    case 'median':
      return ranking(first, 0.5);
    case 'percentile':
      return ranking(second, shareOf(node.args[0]));
    case 'sum':
      return moments(first, column, (n, mean) => n * mean);
    case 'avg':
      return moments(first, column, (_, mean) => mean);
    case 'stddev':
      return moments(first, column, (n, _, m2) => (n < 2 ? null : Math.sqrt(m2 / (n - 1))));
    default:
      return moments(first, column, (n, _, m2) => (n < 2 ? null : m2 / (n - 1)));
  }
};

/** Sums up the events that it is given, one group of them. */
export interface Group {
  begin(batch: Batch): void;
  add(row: number): void;
  /** Those from one to another that are meant, all at once; the condition of the metric is not asked. */
  addRange(from: number, to: number, mask: Mask): void;
  result(): number | null;
}

const aggregatesIn = (node: Node): readonly (Node & { readonly is: 'call' })[] =>
  node.is === 'call' && Object.hasOwn(aggregates, node.name)
    ? [node]
    : partsOfNode(node).flatMap(aggregatesIn);

export const noBatch: Batch = {
  length: 0,
  at: () => 0,
  column: () => () => undefined,
  addedAt: () => undefined,
};

/** Makes a group for a metric; each has sums of its own. Throws `invalid` for columns that the model has not. */
export const groupFor = ({ select, where }: Metric, columns: Columns): (() => Group) => {
  const nodes = aggregatesIn(select);
  const test = where && compileFilter(where, columns);
  const isCount = select.is === 'call' && select.name === 'count';
  for (const node of nodes) sumOf(node, columns); // refuses now what it does not know
  return () => {
    const sums = nodes.map((node) => sumOf(node, columns));
    const slots = new Map<Node, () => Result>(
      nodes.map((node, at) => [node, () => sums[at]?.result() ?? null]),
    );
    const whole = compile(select, columns, slots)(noBatch);
    let isEmpty = true;
    let passes: (row: number) => boolean = () => true;
    return {
      begin(batch) {
        if (test !== undefined) passes = test(batch);
        for (const sum of sums) sum.begin(batch);
      },
      add(row) {
        if (!passes(row)) return;
        isEmpty = false;
        for (const sum of sums) sum.add(row);
      },
      addRange(from, to, mask) {
        if (countIn(mask, from, to) === 0) return;
        isEmpty = false;
        for (const sum of sums)
          if (sum.addRange !== undefined) sum.addRange(from, to, mask);
          else
            for (let row = from; row < to; row++)
              if (mask === undefined || mask[row] === 1) sum.add(row);
      },
      // Of no events a count is 0, and nothing else is known, whatever the metric makes of missing values.
      result: () => (isEmpty && !isCount ? null : toNumber(whole(0))),
    };
  };
};
