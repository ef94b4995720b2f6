// Raw events as columns, each packed by itself, so that who asks for one column unpacks no other: times and versions, prediction ids, and each field as
// numbers or as places in a list of its texts. Pure.
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Item, Value } from './items.js';
import { Turns } from './turns.js';

/** An event as it goes into a frame. */
export type FramedEvent = Pick<Item, 'at' | 'modelVersion' | 'predictionId' | 'values'>;

/** The values of events by column, in the order of the events; what is missing is `undefined`. */
export type ColumnsOf = ReadonlyMap<string, readonly (Value | undefined)[]>;

/** The values of events as columns. */
export const columnsOf = async (
  events: readonly Pick<FramedEvent, 'values'>[],
  turns = new Turns(),
): Promise<ColumnsOf> => {
  const columns = new Map<string, (Value | undefined)[]>();
  for (const [row, { values }] of events.entries()) {
    if (turns.isOver()) await turns.pass();
    for (const [name, value] of values) {
      let column = columns.get(name);
      if (column === undefined) {
        column = new Array<Value | undefined>(events.length).fill(undefined);
        columns.set(name, column);
      }
      column[row] = value;
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
  /** The column of `feature_age` and the like; all missing where the frame has none. */
  column(name: string): Column;
  readonly names: readonly string[];
}

/** What stands before the columns; `sizes` are the packed bytes of each part behind it. */
interface Header {
  readonly length: number;
  readonly versions: readonly string[];
  /** Each with whether it holds any texts. */
  readonly columns: readonly (readonly [name: string, hasTexts: boolean])[];
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

/** Packs a column into numbers: the number itself, or NaN with the place of the text behind it. */
const packColumn = (values: readonly (Value | undefined)[]) => {
  const numbers = new Float64Array(values.length).fill(NaN);
  const texts = new Map<string, number>();
  const places = new Uint32Array(values.length);
  for (const [row, value] of values.entries()) {
    if (typeof value === 'number') numbers[row] = value;
    else if (value !== undefined) {
      const place = texts.get(value) ?? texts.size + 1;
      texts.set(value, place);
      places[row] = place;
    }
  }
  const packed = pack(shuffled(numbers));
  return texts.size === 0
    ? [packed]
    : [packed, pack(shuffled(places)), packJson([...texts.keys()])];
};

/** Packs events, whose values are given as columns too. */
export const packFrame = async (
  events: readonly FramedEvent[],
  columns: ColumnsOf,
  turns = new Turns(),
): Promise<Uint8Array> => {
  const versions = [...new Set(events.map(({ modelVersion }) => modelVersion))];
  const parts = [
    pack(shuffled(Float64Array.from(events, ({ at }) => at))),
    pack(shuffled(Uint32Array.from(events, ({ modelVersion }) => versions.indexOf(modelVersion)))),
    packJson(events.map(({ predictionId }) => predictionId)),
  ];
  const held: (readonly [string, boolean])[] = [];
  for (const name of [...columns.keys()].sort()) {
    await turns.offer();
    const own = packColumn(columns.get(name) ?? []);
    held.push([name, own.length > 1]);
    parts.push(...own);
  }
  const header: Header = {
    length: events.length,
    versions,
    columns: held,
    sizes: parts.map(({ length }) => length),
  };
  const head = packJson(header);
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, head.length);
  return Buffer.concat([size, head, ...parts]);
};

/** Does something when it is first asked for. */
const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

export const unpackFrame = (packed: Uint8Array): Frame => {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const headSize = bytes.readUInt32BE(0);
  const { length, versions, columns, sizes } = JSON.parse(
    inflateRawSync(bytes.subarray(4, 4 + headSize)).toString(),
  ) as Header; // written by packFrame
  let [from, part] = [4 + headSize, 0];
  const next = (): (() => Buffer) => {
    const own = bytes.subarray(from, (from += sizes[part++] ?? 0));
    return () => inflateRawSync(own);
  };
  const numbersOf = (read: () => Buffer) => lazily(() => new Float64Array(ordered(read(), 8)));
  const wholeOf = (read: () => Buffer) => lazily(() => new Uint32Array(ordered(read(), 4)));
  const textsOf = (read: () => Buffer) =>
    lazily(() => JSON.parse(read().toString()) as readonly string[]); // written by packFrame
  const times = numbersOf(next());
  const ofVersions = wholeOf(next());
  const ids = textsOf(next());
  const readers = new Map<string, () => Column>();
  for (const [name, hasTexts] of columns) {
    const readNumbers = numbersOf(next());
    const readPlaces = hasTexts ? wholeOf(next()) : undefined;
    const readTexts = hasTexts ? textsOf(next()) : undefined;
    readers.set(name, () => {
      const [numbers, places, texts] = [readNumbers(), readPlaces?.(), readTexts?.()];
      return (row) => {
        const number = numbers[row] ?? NaN;
        if (!Number.isNaN(number)) return number;
        const place = places?.[row] ?? 0;
        return place === 0 ? undefined : texts?.[place - 1];
      };
    });
  }
  return {
    length,
    names: columns.map(([name]) => name),
    at: (row) => times()[row] ?? 0,
    version: (row) => versions[ofVersions()[row] ?? 0] ?? '',
    predictionId: (row) => ids()[row] ?? '',
    column: (name) => readers.get(name)?.() ?? (() => undefined),
  };
};
