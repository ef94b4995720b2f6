// Raw events as columns: times, versions and prediction ids together, and each field by itself, as numbers or as places in a list of its texts, so that
// who asks for one field reads no other. Pure.
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Item, Value } from './items.js';
import { Turns } from './turns.js';

/** An event as it goes into a frame. */
export type FramedEvent = Pick<Item, 'at' | 'modelVersion' | 'predictionId' | 'values'>;

/** Values of one column with the places of their events, which ascend: a batch may name very many columns, each in few of its events. */
export interface ColumnValues {
  readonly rows: readonly number[];
  readonly values: readonly Value[];
}
/** The values of events by column. */
export type ColumnsOf = ReadonlyMap<string, ColumnValues>;

/** The values of events as columns. */
export const columnsOf = async (
  events: readonly Pick<FramedEvent, 'values'>[],
  turns = new Turns(),
): Promise<ColumnsOf> => {
  const columns = new Map<string, { readonly rows: number[]; readonly values: Value[] }>();
  for (const [row, { values }] of events.entries()) {
    if (turns.isOver()) await turns.pass();
    for (const [name, value] of values) {
      let column = columns.get(name);
      if (column === undefined) {
        column = { rows: [], values: [] };
        columns.set(name, column);
      }
      column.rows.push(row);
      column.values.push(value);
    }
  }
  return columns;
};

/** What a column holds of each event; `undefined` where it is missing. */
export type Column = (row: number) => Value | undefined;

export interface Frame {
  readonly length: number;
  at(row: number): number;
  version(row: number): string;
  predictionId(row: number): string;
  /** The column of `feature_age` and the like; all missing where there is none. */
  column(name: string): Column;
  readonly names: readonly string[];
}
export interface PackedFrame {
  /** Times, versions and ids. */
  readonly head: Uint8Array;
  /** Each field by its column. */
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** What stands before packed parts, of which `sizes` are the bytes. */
interface HeadOf {
  readonly length: number;
  readonly versions: readonly string[];
  readonly sizes: readonly number[];
}
/** Two parts more where there are any texts. */
interface ColumnHead {
  readonly name: string;
  readonly sizes: readonly number[];
}

/** Bytes of numbers with those of the same weight side by side, which packs them better. */
const shuffled = (numbers: Float64Array | Uint32Array): Uint8Array => {
  const [width, length] = [numbers.BYTES_PER_ELEMENT, numbers.length];
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const out = new Uint8Array(bytes.length);
  for (let weight = 0, to = 0; weight < width; weight++)
    for (let row = 0, from = weight; row < length; row++, from += width, to++)
      out[to] = bytes[from] ?? 0;
  return out;
};
const ordered = (bytes: Uint8Array, width: number): ArrayBuffer => {
  const length = bytes.length / width;
  const out = new Uint8Array(bytes.length);
  for (let weight = 0, from = 0; weight < width; weight++)
    for (let row = 0, to = weight; row < length; row++, to += width, from++)
      out[to] = bytes[from] ?? 0;
  return out.buffer;
};

const level = constants.Z_BEST_SPEED + 2;
const pack = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { level });
const packJson = (value: unknown): Uint8Array => pack(Buffer.from(JSON.stringify(value)));

/** Parts with what tells of them before them. */
const framed = (head: object, parts: readonly Uint8Array[]): Uint8Array => {
  const told = Buffer.from(JSON.stringify({ ...head, sizes: parts.map(({ length }) => length) }));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(told.length);
  return Buffer.concat([size, told, ...parts]);
};
/** What tells of parts, and each of them, unpacked when it is asked for. */
const unframed = <T extends { readonly sizes: readonly number[] }>(packed: Uint8Array) => {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const headEnd = 4 + bytes.readUInt32BE(0);
  const head = JSON.parse(bytes.toString('utf8', 4, headEnd)) as T; // written by framed
  let from = headEnd;
  const parts = head.sizes.map((size) => {
    const own = bytes.subarray(from, (from += size));
    return (): Buffer => inflateRawSync(own);
  });
  return { head, parts };
};

/** A column as numbers, NaN where there is none, and beside them the place of a text. */
const packColumn = (name: string, { rows, values }: ColumnValues, length: number): Uint8Array => {
  const numbers = new Float64Array(length).fill(NaN);
  const texts = new Map<string, number>();
  const places = new Uint32Array(length);
  for (const [at, value] of values.entries()) {
    const row = rows[at] ?? 0;
    if (typeof value === 'number') numbers[row] = value;
    else {
      const place = texts.get(value) ?? texts.size + 1;
      texts.set(value, place);
      places[row] = place;
    }
  }
  const packed = pack(shuffled(numbers));
  const parts =
    texts.size === 0 ? [packed] : [packed, pack(shuffled(places)), packJson([...texts.keys()])];
  return framed({ name }, parts);
};

/** Packs events, whose values are given as columns too. */
export const packFrame = async (
  events: readonly FramedEvent[],
  columns: ColumnsOf,
  turns = new Turns(),
): Promise<PackedFrame> => {
  const versions = [...new Set(events.map(({ modelVersion }) => modelVersion))];
  const head = framed({ length: events.length, versions }, [
    pack(shuffled(Float64Array.from(events, ({ at }) => at))),
    pack(shuffled(Uint32Array.from(events, ({ modelVersion }) => versions.indexOf(modelVersion)))),
    packJson(events.map(({ predictionId }) => predictionId)),
  ]);
  const packed = new Map<string, Uint8Array>();
  for (const [name, values] of columns) {
    await turns.offer();
    packed.set(name, packColumn(name, values, events.length));
  }
  return { head, columns: packed };
};

/** Does something when it is first asked for. */
const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
const nothing = (): Buffer => Buffer.alloc(0);
const numbersOf = (read = nothing) => lazily(() => new Float64Array(ordered(read(), 8)));
const wholeOf = (read = nothing) => lazily(() => new Uint32Array(ordered(read(), 4)));
const textsOf = (read: () => Buffer = () => Buffer.from('[]')) =>
  lazily(() => JSON.parse(read().toString()) as readonly string[]); // written by packJson

const unpackColumn = (packed: Uint8Array): readonly [name: string, read: () => Column] => {
  const { head, parts } = unframed<ColumnHead>(packed);
  const hasTexts = parts.length > 1;
  return [
    head.name,
    lazily(() => {
      const numbers = numbersOf(parts[0])();
      if (!hasTexts)
        return (row) => {
          const number = numbers[row] ?? NaN;
          return Number.isNaN(number) ? undefined : number;
        };
      const [places, texts] = [wholeOf(parts[1])(), textsOf(parts[2])()];
      return (row) => {
        const number = numbers[row] ?? NaN;
        if (!Number.isNaN(number)) return number;
        const place = places[row] ?? 0;
        return place === 0 ? undefined : texts[place - 1];
      };
    }),
  ];
};

/** A frame of which some columns, or all, were read. */
export const unpackFrame = (head: Uint8Array, columns: Iterable<Uint8Array>): Frame => {
  const { head: told, parts } = unframed<HeadOf>(head);
  const [times, versions, ids] = [numbersOf(parts[0]), wholeOf(parts[1]), textsOf(parts[2])];
  const readers = new Map([...columns].map(unpackColumn));
  return {
    length: told.length,
    names: [...readers.keys()].sort(),
    at: (row) => times()[row] ?? 0,
    version: (row) => told.versions[versions()[row] ?? 0] ?? '',
    predictionId: (row) => ids()[row] ?? '',
    column: (name) => readers.get(name)?.() ?? (() => undefined),
  };
};
