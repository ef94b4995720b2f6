// What a condition says of many events at once: of a column that lies side by side it is asked once for each different text, and of numbers in one go. Pure.
import {
  columnsOf,
  compileValue,
  isTrue,
  noBatch,
  type Batch,
  type Columns,
  type Mask,
  type Result,
} from './evaluating.js';
import type { Vector } from './frames.js';
import type { Value } from './items.js';
import type { Node } from './language.js';

const [no, yes, unknown] = [0, 1, 2] as const;
/** What a condition says of each event: `no`, `yes` or `unknown`. */
type Truths = Uint8Array;
const truthOf = (result: Result): 0 | 1 | 2 => {
  const truth = isTrue(result);
  return truth === null ? unknown : truth ? yes : no;
};

const orders: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** A column held against a number, as a test of a number. */
const numberTest = (node: Node): ((number: number) => boolean) | undefined => {
  if (node.is !== 'call' || !Object.hasOwn(orders, node.name)) return undefined;
  const test = orders[node.name];
  const [left, right] = node.args;
  if (left?.is !== 'column' || right?.is !== 'value' || typeof right.value !== 'number')
    return undefined;
  const bound = right.value;
  return test && ((number) => test(number, bound));
};

/** A condition on one column, asked once for each different text. */
const truthsOfColumn = (node: Node, columns: Columns) => {
  const test = compileValue(node, columns);
  const ofNumber = numberTest(node);
  let current: Value | undefined;
  const one: Batch = { ...noBatch, length: 1, column: () => () => current };
  const read = test(one);
  const truth = (value: Value | undefined): 0 | 1 | 2 => {
    current = value;
    return truthOf(read(0));
  };
  return ({ numbers, places, texts }: Vector, length: number): Truths => {
    const truths = new Uint8Array(length);
    const missing = truth(undefined);
    const ofTexts = Uint8Array.from([missing, ...texts.map(truth)]);
    if (numbers === undefined) {
      if (places === undefined) return truths.fill(missing);
      for (let row = 0; row < length; row++) truths[row] = ofTexts[places[row] ?? 0] ?? missing;
      return truths;
    }
    for (let row = 0; row < truths.length; row++) {
      const number = numbers[row] ?? NaN;
      if (!Number.isNaN(number))
        truths[row] = ofNumber === undefined ? truth(number) : ofNumber(number) ? yes : no;
      else truths[row] = ofTexts[places?.[row] ?? 0] ?? missing;
    }
    return truths;
  };
};

const joined = (one: Truths, other: Truths, ends: 0 | 1): Truths => {
  const truths = new Uint8Array(one.length);
  for (let row = 0; row < truths.length; row++) {
    const [a, b] = [one[row], other[row]];
    truths[row] =
      a === ends || b === ends ? ends : a === unknown || b === unknown ? unknown : 1 - ends;
  }
  return truths;
};

const truthsFor = (node: Node, columns: Columns): ((batch: Batch) => Truths) => {
  const [first, second] = node.is === 'call' ? node.args : [];
  if (node.is === 'call' && (node.name === 'and' || node.name === 'or') && first && second) {
    const [left, right] = [truthsFor(first, columns), truthsFor(second, columns)];
    const ends = node.name === 'or' ? yes : no;
    return (batch) => joined(left(batch), right(batch), ends);
  }
  const test = compileValue(node, columns);
  const [only, ...others] = new Set(columnsOf(node, columns));
  const ofColumn = only !== undefined && others.length === 0 ? truthsOfColumn(node, columns) : null;
  return (batch) => {
    const vector = ofColumn === null || only === undefined ? undefined : batch.vector?.(only);
    if (vector !== undefined && ofColumn !== null) return ofColumn(vector, batch.length);
    const read = test(batch);
    return Uint8Array.from({ length: batch.length }, (_, row) => truthOf(read(row)));
  };
};

/** A condition as what it says of all events of a batch: 1 where it holds. */
export const compileMask = (node: Node | undefined, columns: Columns): ((batch: Batch) => Mask) => {
  if (node === undefined) return () => undefined;
  return truthsFor(node, columns);
};

/** Where both hold. */
export const bothMasks = (one: Mask, other: Mask): Mask =>
  one === undefined ? other : other === undefined ? one : joined(one, other, no);
