// Raw events as columns, each packed by itself, so that who asks for one column unpacks no other: times and versions, prediction ids, and each field as
// numbers or as places in a list of its texts. Pure.
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Value } from './items.js';

/** An event as it goes into a frame. */
export interface FramedEvent {
  readonly at: number;
  readonly version: string;
  readonly predictionId: string;
  readonly values: ReadonlyMap<string, Value>;
}

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

/** Packs a column into numbers: the number itself, or NaN with the place of the text behind it. */
const packColumn = (events: readonly FramedEvent[], name: string) => {
  const numbers = new Float64Array(events.length).fill(NaN);
  const texts = new Map<string, number>();
  const places = new Uint32Array(events.length);
  events.forEach(({ values }, row) => {
    const value = values.get(name);
    if (typeof value === 'number') numbers[row] = value;
    else if (value !== undefined) {
      const place = texts.get(value) ?? texts.size + 1;
      texts.set(value, place);
      places[row] = place;
    }
  });
  return { name, numbers, places, texts: [...texts.keys()] };
};

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

export const packFrame = (events: readonly FramedEvent[]): Uint8Array => {
  const names = [...new Set(events.flatMap(({ values }) => [...values.keys()]))].sort();
  const columns = names.map((name) => packColumn(events, name));
  const versions = [...new Set(events.map(({ version }) => version))];
  const parts = [
    pack(shuffled(Float64Array.from(events, ({ at }) => at))),
    pack(shuffled(Uint32Array.from(events, ({ version }) => versions.indexOf(version)))),
    packJson(events.map(({ predictionId }) => predictionId)),
    ...columns.flatMap(({ numbers, places, texts }) =>
      texts.length === 0
        ? [pack(shuffled(numbers))]
        : [pack(shuffled(numbers)), pack(shuffled(places)), packJson(texts)],
    ),
  ];
  const header: Header = {
    length: events.length,
    versions,
    columns: columns.map(({ name, texts }) => [name, texts.length > 0]),
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
