// What the rows of a block sum up to by the values of one column, as bytes. Pure.
import { readVarint, varintBytes, writeVarint, type Cursor } from '../metrics/varints.js';
import { countNames, type BlockCounts, type SpanParts } from './block-sums.js';
import { readLengthsInto, writeLengths } from './lengths.js';

/** Some rows of a block: how many there are and how many of them failed, what they sum up to, and their durations in ascending order. */
export interface RowSums {
  readonly n: number;
  readonly errors: number;
  readonly counts: BlockCounts;
  readonly spans: SpanParts;
  readonly lengths: readonly number[];
}

/** Columns of which most blocks have few values. Of errors it is kept whether there is one. */
export const groupedColumns: Readonly<Record<'trace' | 'span', readonly string[]>> = {
  trace: ['name', 'tags', 'environment', 'error_info'],
  span: ['name', 'tags', 'environment', 'error_info', 'model', 'provider', 'type'],
};
/** What stands for any error where rows are grouped by whether they have one. */
export const anyError = 'error';
/** Where a block keeps what its rows sum up to by the values of a column. */
export const groupsColumn = (column: string): string => `by_${column}`;

/** What stands in the column; null where nothing does. */
export type Value = string | null;
/** Values of one block, and characters of one and of all of them: with more, its rows are looked at each time. */
const [mostValues, longestValue, mostCharacters] = [64, 500, 8192];

/** Numbers one after the other: whole ones take as many bytes as they need. */
interface Writer {
  whole(value: number): void;
  real(value: number): void;
  bytes(value: Uint8Array): void;
  take(): Uint8Array;
}
export const createWriter = (): Writer => {
  const parts: Uint8Array[] = [];
  const whole = (value: number): void => {
    const part = new Uint8Array(varintBytes(value));
    writeVarint(part, 0, value);
    parts.push(part);
  };
  return {
    whole,
    real(value) {
      if (isSmall(value)) return whole(value * 2);
      const part = new Uint8Array(8);
      new DataView(part.buffer).setFloat64(0, value);
      whole(1);
      parts.push(part);
    },
    bytes(value) {
      whole(value.length);
      parts.push(value);
    },
    take: () => Buffer.concat(parts),
  };
};
/** Whether a number is written as twice itself; another one is behind a 1. */
const isSmall = (value: number): boolean =>
  Number.isInteger(value) && value >= 0 && value < 2 ** 51 && !Object.is(value, -0);

const readReal = (bytes: Uint8Array, cursor: Cursor): number => {
  const first = readVarint(bytes, cursor);
  if (first !== 1) return first / 2;
  const value = new DataView(bytes.buffer, bytes.byteOffset + cursor.at, 8).getFloat64(0);
  cursor.at += 8;
  return value;
};
export const readBytes = (bytes: Uint8Array, cursor: Cursor): Uint8Array => {
  const length = readVarint(bytes, cursor);
  return bytes.subarray(cursor.at, (cursor.at += length));
};

/** What stands before the groups: their values, and names of usage that any of them has. */
type Heading = readonly [values: readonly Value[], usage: readonly string[]];

/** Groups as a block keeps them; nothing where they are too many to be of use. */
export const writeGroups = (groups: ReadonlyMap<Value, RowSums>): Uint8Array => {
  const values = [...groups.keys()];
  const lengths = values.map((value) => value?.length ?? 0);
  const isTooMuch =
    values.length > mostValues ||
    Math.max(0, ...lengths) > longestValue ||
    lengths.reduce((sum, one) => sum + one, 0) > mostCharacters;
  if (isTooMuch) return new Uint8Array();
  const all = [...groups.values()];
  const names = [...new Set(all.flatMap(({ spans }) => spans.usage.map(({ name }) => name)))];
  const heading: Heading = [values, names];
  const into = createWriter();
  into.bytes(Buffer.from(JSON.stringify(heading)));
  for (const one of all) into.bytes(writeGroup(one, names));
  return into.take();
};

const writeGroup = (
  { n, errors, counts, spans, lengths }: RowSums,
  names: readonly string[],
): Uint8Array => {
  const into = createWriter();
  for (const one of [n, errors, ...countNames.map((name) => counts[name])]) into.whole(one);
  for (const one of [spans.n, spans.llm, spans.cost.n]) into.whole(one);
  into.real(spans.cost.sum);
  const usage = new Map(spans.usage.map((part) => [part.name, part]));
  for (const name of names) {
    const part = usage.get(name);
    into.whole(part?.n ?? 0);
    if (part !== undefined) into.real(part.sum);
  }
  into.real(lengths[0] ?? 0);
  into.bytes(writeLengths(lengths));
  return into.take();
};

/** Groups of one block. */
export interface Groups {
  readonly values: readonly Value[];
  /** What some of them come to together. */
  sum(which: readonly number[]): GroupSums;
}
export interface GroupSums extends Omit<RowSums, 'lengths'> {
  /** In order within each group; read anew each time. */
  readonly lengths: () => readonly number[];
}

/** Reads groups of many blocks; most have the same heading as the one before. */
export const groupsReader = (): ((bytes: Uint8Array) => Groups) => {
  let last: { readonly bytes: Uint8Array; readonly heading: Heading } | undefined;
  return (bytes) => {
    const cursor: Cursor = { at: 0 };
    const written = readBytes(bytes, cursor);
    if (last === undefined || Buffer.compare(last.bytes, written) !== 0)
      last = {
        bytes: written,
        heading: JSON.parse(Buffer.from(written).toString()) as Heading, // written above
      };
    const [values, names] = last.heading;
    const from = cursor.at;
    return { values, sum: (which) => sumGroups(bytes, from, names, new Set(which)) };
  };
};

/** Where the durations of a group are. */
interface LengthsPlace {
  readonly shortest: number;
  readonly from: number;
  readonly to: number;
}

// Millions are read for one page, so that next to nothing is made of each.
const sumGroups = (
  bytes: Uint8Array,
  from: number,
  names: readonly string[],
  which: ReadonlySet<number>,
): GroupSums => {
  const cursor: Cursor = { at: from };
  const whole = (): number => readVarint(bytes, cursor);
  const sums = { n: 0, errors: 0, inputs: 0, outputs: 0, metadata: 0, tags: 0 };
  const spans = { n: 0, llm: 0, costs: 0, cost: 0 };
  const [counts, totals] = [names.map(() => 0), names.map(() => 0)];
  const places: LengthsPlace[] = [];
  for (let group = 0; cursor.at < bytes.length; group++) {
    const length = whole();
    const end = cursor.at + length;
    if (which.has(group)) {
      sums.n += whole();
      sums.errors += whole();
      sums.inputs += whole();
      sums.outputs += whole();
      sums.metadata += whole();
      sums.tags += whole();
      spans.n += whole();
      spans.llm += whole();
      spans.costs += whole();
      spans.cost += readReal(bytes, cursor);
      for (let at = 0; at < names.length; at++) {
        const count = whole();
        if (count === 0) continue;
        counts[at] = (counts[at] ?? 0) + count;
        totals[at] = (totals[at] ?? 0) + readReal(bytes, cursor);
      }
      const shortest = readReal(bytes, cursor);
      const size = whole();
      if (size > 0) places.push({ shortest, from: cursor.at, to: cursor.at + size });
    }
    cursor.at = end;
  }
  const { n, errors, inputs, outputs, metadata, tags } = sums;
  return {
    ...{ n, errors, counts: { inputs, outputs, metadata, tags } },
    spans: {
      ...{ n: spans.n, llm: spans.llm },
      cost: { name: 'cost', n: spans.costs, sum: spans.cost },
      usage: names.flatMap((name, at) => {
        const count = counts[at] ?? 0;
        return count === 0 ? [] : [{ name, n: count, sum: totals[at] ?? 0 }];
      }),
    },
    lengths() {
      const lengths: number[] = [];
      for (const { shortest, ...place } of places) readLengthsInto(lengths, shortest, bytes, place);
      return lengths;
    },
  };
};
