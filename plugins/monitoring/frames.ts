// Raw events as columns: times and versions together, and prediction ids and each field by themselves, as numbers or as places in a list of their texts, so
// that who asks for one field reads no other. Pure.
import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Item, Value } from './items.js';
import { FlatValues, LaidValues, type Layout } from './laid-values.js';
import { Turns } from './turns.js';

/** An event as it goes into a frame. */
export type FramedEvent = Pick<Item, 'at' | 'modelVersion' | 'predictionId' | 'values'>;

/** Values of one column with the places of their events, which ascend: a batch may name very many columns, each in few of its events. */
export interface ColumnValues {
  readonly rows: readonly number[];
  /** Side by side where all of them are numbers and there is one for every event. */
  readonly values: readonly Value[] | Float64Array;
}
/** The values of events by column. */
export type ColumnsOf = ReadonlyMap<string, ColumnValues>;

/** Reads a column of events whose values lie side by side; nothing where they do not. */
const flatColumnsOf = (
  events: readonly Pick<FramedEvent, 'values'>[],
  layout: Layout,
): ((place: number) => readonly Value[] | Float64Array) | undefined => {
  const first = events[0]?.values;
  if (!(first instanceof FlatValues)) return undefined;
  const { lying } = first;
  const begins = new Uint32Array(events.length);
  for (const [row, { values }] of events.entries()) {
    if (!(values instanceof FlatValues) || values.lying !== lying || values.layout !== layout)
      return undefined;
    begins[row] = values.from;
  }
  const { numbers, places, texts } = lying;
  return (place) => {
    const own = new Float64Array(begins.length);
    for (let row = 0; row < begins.length; row++) {
      const at = (begins[row] ?? 0) + place;
      if (places[at] !== 0)
        return Array.from(begins, (from) => {
          const text = places[from + place] ?? 0;
          return text === 0 ? (numbers[from + place] ?? 0) : (texts[text - 1] ?? '');
        });
      own[row] = numbers[at] ?? 0;
    }
    return own;
  };
};

/** The values of events as columns. */
export const columnsOf = async (
  events: readonly Pick<FramedEvent, 'values'>[],
  turns = new Turns(),
): Promise<ColumnsOf> => {
  type Filling = { readonly rows: number[]; readonly values: Value[] };
  const columns = new Map<string, Filling>();
  const columnNamed = (name: string): Filling => {
    const found = columns.get(name);
    if (found !== undefined) return found;
    const made: Filling = { rows: [], values: [] };
    columns.set(name, made);
    return made;
  };
  const first = events[0]?.values;
  const layout = first instanceof LaidValues ? first.layout : undefined;
  // Most batches: their columns have a value for every event.
  if (
    layout !== undefined &&
    events.every(({ values }) => values instanceof LaidValues && values.layout === layout)
  ) {
    const rows = events.map((_, row) => row);
    const flat = flatColumnsOf(events, layout);
    if (flat !== undefined) {
      const lying = new Map<string, ColumnValues>();
      for (const [place, name] of layout.names.entries()) {
        if (turns.isOver()) await turns.pass();
        lying.set(name, { rows, values: flat(place) });
      }
      return lying;
    }
    const held = events.map(({ values }) => (values as LaidValues).held); // as was just seen
    for (const [place, name] of layout.names.entries()) {
      if (turns.isOver()) await turns.pass();
      columns.set(name, { rows, values: held.map((own) => own[place] ?? '') });
    }
    return columns;
  }
  const laid = new Map<Layout, readonly Filling[]>();
  const placesIn = (layout: Layout): readonly Filling[] => {
    const places = laid.get(layout) ?? layout.names.map(columnNamed);
    laid.set(layout, places);
    return places;
  };
  for (let row = 0; row < events.length; row++) {
    if (turns.isOver()) await turns.pass();
    const values = events[row]?.values ?? new Map<string, Value>();
    if (values instanceof LaidValues) {
      const { layout, held } = values;
      const places = placesIn(layout);
      for (let at = 0; at < places.length; at++) {
        const [column, value] = [places[at], held[at]];
        if (value === undefined) continue;
        column?.rows.push(row);
        column?.values.push(value);
      }
    } else
      for (const [name, value] of values) {
        const column = columnNamed(name);
        column.rows.push(row);
        column.values.push(value);
      }
  }
  return columns;
};

/** What a column holds of each event; `undefined` where it is missing. */
export type Column = (row: number) => Value | undefined;

/** Places in a list of texts, from 1 on; 0 where there is none. */
export type Places = Uint8Array | Uint16Array | Uint32Array;
/** A column as it lies in the frame: numbers, NaN where there is none, and for texts their places in the list. */
export interface Vector {
  /** Nothing where there is no number at all. */
  readonly numbers: Float64Array | undefined;
  readonly places: Places | undefined;
  readonly texts: readonly string[];
}

export interface Frame {
  readonly length: number;
  times(): Float64Array;
  versions(): Vector;
  at(row: number): number;
  version(row: number): string;
  predictionId(row: number): string;
  /** The column of `feature_age` and the like; all missing where there is none. */
  column(name: string): Column;
  vector(name: string): Vector;
  readonly names: readonly string[];
}
export interface PackedFrame {
  /** Times and versions. */
  readonly head: Uint8Array;
  readonly ids: Uint8Array;
  /** Each field by its column. */
  readonly columns: ReadonlyMap<string, Uint8Array>;
}

/** What stands before packed parts, of which `sizes` are the bytes. */
interface HeadOf {
  readonly length: number;
  readonly versions: readonly string[];
  readonly sizes: readonly number[];
}
/** Two parts more where there are any texts: their places, and they. */
interface ColumnHead {
  readonly name: string;
  readonly sizes: readonly number[];
  /** There is no number, and no part of them. */
  readonly textsOnly?: true;
  /** Bytes of a place; 4 where left out. */
  readonly placeBytes?: 1 | 2;
  /** Which planes of the numbers, by their bits, stand in the last part as they are. */
  readonly noisy?: number;
}

/** Bytes of numbers with those of the same weight side by side, which packs them better. */
const shuffled = (numbers: Float64Array | Places): Uint8Array => {
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
  if (width === 1) return new Uint8Array(bytes).buffer;
  const out = new Uint8Array(bytes.length);
  for (let weight = 0, from = 0; weight < width; weight++)
    for (let row = 0, to = weight; row < length; row++, to += width, from++)
      out[to] = bytes[from] ?? 0;
  return out.buffer;
};

const level = constants.Z_BEST_SPEED + 2;
const deflate = promisify(deflateRaw) as (
  bytes: Uint8Array,
  options: object,
) => Promise<Uint8Array>; // its form with options
/** Bits of the window that all of so many bytes lie in. */
const windowBits = (bytes: number): number =>
  Math.max(9, Math.min(15, Math.ceil(Math.log2(bytes + 1))));
const leastChunk = 64;
/** Beyond so many bytes they are packed beside the thread that answers requests; to hand over fewer takes longer than to pack them. */
const mostAtOnce = 32 * 1024;
/** Packed with no more room than so many bytes need. */
const pack = (bytes: Uint8Array): Uint8Array | Promise<Uint8Array> => {
  const chunkSize = Math.max(leastChunk, bytes.length);
  const options = { level, memLevel: 6, windowBits: windowBits(bytes.length), chunkSize };
  return bytes.length <= mostAtOnce ? deflateRawSync(bytes, options) : deflate(bytes, options);
};
/** `size` is how many bytes come out, where that is known. */
const unpack = (packed: Uint8Array, size = 16 * 1024): Buffer =>
  inflateRawSync(packed, { chunkSize: Math.max(leastChunk, size) });
const packJson = (value: unknown): Uint8Array | Promise<Uint8Array> =>
  pack(Buffer.from(JSON.stringify(value)));

/** Parts with what tells of them before them. */
const framed = (head: object, parts: readonly Uint8Array[]): Uint8Array => {
  const told = Buffer.from(JSON.stringify({ ...head, sizes: parts.map(({ length }) => length) }));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(told.length);
  return Buffer.concat([size, told, ...parts]);
};
const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
/** What tells of parts, and each of them, unpacked when it is asked for; the last one as it is, too. */
const unframed = <T extends { readonly sizes: readonly number[] }>(packed: Uint8Array) => {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const headEnd = 4 + bytes.readUInt32BE(0);
  const head = JSON.parse(bytes.toString('utf8', 4, headEnd)) as T; // written by framed
  let from = headEnd;
  const parts = head.sizes.map((size) => {
    const own = bytes.subarray(from, (from += size));
    return (size?: number): Buffer => unpack(own, size);
  });
  return { head, parts, last: bytes.subarray(headEnd + total(head.sizes.slice(0, -1))) };
};

const numberBytes = 8;
const [sampled, mostDifferent] = [256, 128] as const;

/** Whether bytes are about as many different ones as chance gives: packing makes such no smaller. */
const isNoise = (bytes: Uint8Array): boolean => {
  if (bytes.length < sampled) return false;
  const seen = new Uint8Array(256);
  let different = 0;
  const step = bytes.length / sampled;
  for (let at = 0; at < sampled; at++) {
    const byte = bytes[Math.floor(at * step)] ?? 0;
    if (seen[byte] === 0) different++;
    seen[byte] = 1;
  }
  return different > mostDifferent;
};

/** The planes of numbers, bytes of one weight each: those that are noise, which `noisy` names by its bits, apart from the others. */
const sorted = (planes: Uint8Array, length: number) => {
  const [quiet, noise]: [Uint8Array[], Uint8Array[]] = [[], []];
  let noisy = 0;
  for (let weight = 0; weight < numberBytes; weight++) {
    const plane = planes.subarray(weight * length, (weight + 1) * length);
    if (isNoise(plane)) {
      noisy |= 1 << weight;
      noise.push(plane);
    } else quiet.push(plane);
  }
  return {
    noisy,
    quietPlanes: noisy === 0 ? planes : Buffer.concat(quiet),
    noisyPlanes: Buffer.concat(noise),
  };
};

/** Puts four bytes of each number together, in a loop of its own, so that the compiler keeps it fast. */
const putHalf = (
  halves: Uint32Array,
  half: 0 | 1,
  [a, b, c, d]: readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array],
): void => {
  const length = a.length;
  for (let row = 0, to = half as number; row < length; row++, to += 2)
    halves[to] = a[row]! | (b[row]! << 8) | (c[row]! << 16) | (d[row]! << 24);
};

/** Numbers of planes that were sorted: four of their bytes are put together at a time. */
const fromPlanes = (noisy: number, quiet: Uint8Array, noise: Uint8Array): Float64Array => {
  const length = (quiet.length + noise.length) / numberBytes;
  let [quietAt, noiseAt] = [0, 0];
  const next = (weight: number): Uint8Array =>
    (noisy & (1 << weight)) === 0
      ? quiet.subarray(quietAt, (quietAt += length))
      : noise.subarray(noiseAt, (noiseAt += length));
  const out = new Float64Array(length);
  const halves = new Uint32Array(out.buffer);
  putHalf(halves, 0, [next(0), next(1), next(2), next(3)]);
  putHalf(halves, 1, [next(4), next(5), next(6), next(7)]);
  return out;
};

/** Places of so many texts in as few bytes as hold them. */
const narrowed = (places: Uint32Array, texts: number): Places =>
  texts < 1 << 8 ? Uint8Array.from(places) : texts < 1 << 16 ? Uint16Array.from(places) : places;
const placeBytesOf = ({ BYTES_PER_ELEMENT: bytes }: Places): { readonly placeBytes?: 1 | 2 } =>
  bytes === 1 || bytes === 2 ? { placeBytes: bytes } : {};

/** A column that holds nothing but numbers. */
const packNumbers = async (name: string, numbers: Float64Array): Promise<Uint8Array> => {
  const { noisy, quietPlanes, noisyPlanes } = sorted(shuffled(numbers), numbers.length);
  const packed = await pack(quietPlanes);
  return noisy === 0 ? framed({ name }, [packed]) : framed({ name, noisy }, [packed, noisyPlanes]);
};

/** A column as numbers, NaN where there is none, and beside them the place of a text. */
export const packColumn = async (
  name: string,
  { rows, values }: ColumnValues,
  length: number,
): Promise<Uint8Array> => {
  if (values instanceof Float64Array) return packNumbers(name, values);
  const numbers = new Float64Array(length).fill(NaN);
  const texts = new Map<string, number>();
  let places: Uint32Array | undefined;
  let hasNumbers = false;
  for (let at = 0; at < values.length; at++) {
    const [row, value] = [rows[at] ?? 0, values[at]];
    if (typeof value === 'number') {
      numbers[row] = value;
      hasNumbers = true;
    } else if (value !== undefined) {
      const place = texts.get(value) ?? texts.size + 1;
      texts.set(value, place);
      places ??= new Uint32Array(length);
      places[row] = place;
    }
  }
  const narrow = places && narrowed(places, texts.size);
  const ofTexts = narrow === undefined ? [] : [pack(shuffled(narrow)), packJson([...texts.keys()])];
  const head = { name, ...(narrow === undefined ? {} : placeBytesOf(narrow)) };
  if (!hasNumbers && narrow !== undefined)
    return framed({ ...head, textsOnly: true }, await Promise.all(ofTexts));
  const { noisy, quietPlanes, noisyPlanes } = sorted(shuffled(numbers), length);
  const packed = await Promise.all([pack(quietPlanes), ...ofTexts]);
  return noisy === 0 ? framed(head, packed) : framed({ ...head, noisy }, [...packed, noisyPlanes]);
};

/** Times and versions of events, and their ids. */
export const packHead = async (
  events: readonly Omit<FramedEvent, 'values'>[],
): Promise<Pick<PackedFrame, 'head' | 'ids'>> => {
  const versions = [...new Set(events.map(({ modelVersion }) => modelVersion))];
  const places = new Map(versions.map((version, place) => [version, place]));
  const [ids, ...head] = await Promise.all([
    packJson(events.map(({ predictionId }) => predictionId)),
    pack(shuffled(Float64Array.from(events, ({ at }) => at))),
    pack(shuffled(Uint32Array.from(events, ({ modelVersion }) => places.get(modelVersion) ?? 0))),
  ]);
  return { head: framed({ length: events.length, versions }, head), ids: framed({}, [ids]) };
};

/** Packs events, whose values are given as columns too. */
export const packFrame = async (
  events: readonly FramedEvent[],
  columns: ColumnsOf,
  turns = new Turns(),
): Promise<PackedFrame> => {
  const head = packHead(events);
  const packing: Promise<readonly [string, Uint8Array]>[] = [];
  for (const [name, values] of columns) {
    await turns.offer();
    packing.push(packColumn(name, values, events.length).then((packed) => [name, packed]));
  }
  return { ...(await head), columns: new Map(await Promise.all(packing)) };
};

/** Does something when it is first asked for. */
const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
type Part = (size?: number) => Buffer;
const nothing: Part = () => Buffer.alloc(0);
const numbersOf = (length: number, read = nothing) =>
  lazily(() => fromPlanes(0, read(length * numberBytes), new Uint8Array()));
const placesOf = (length: number, read = nothing, bytes: 1 | 2 | 4 = 4) =>
  lazily((): Places => {
    const buffer = ordered(read(length * bytes), bytes);
    if (bytes === 1) return new Uint8Array(buffer);
    return bytes === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
  });
const textsOf = (read: Part = () => Buffer.from('[]')) =>
  lazily(() => JSON.parse(read().toString()) as readonly string[]); // written by packJson

const noTexts: readonly string[] = [];
const unpackColumn = (
  packed: Uint8Array,
  length: number,
): readonly [name: string, read: () => Vector] => {
  const { head, parts, last } = unframed<ColumnHead>(packed);
  const { name, noisy = 0, textsOnly = false, placeBytes = 4 } = head;
  const ofNumbers = textsOnly ? [] : parts.slice(0, 1);
  const ofTexts = parts.slice(ofNumbers.length, noisy === 0 ? undefined : -1);
  const hasTexts = ofTexts.length > 0;
  const numbers = lazily(() =>
    textsOnly
      ? undefined
      : noisy === 0
        ? numbersOf(length, ofNumbers[0])()
        : fromPlanes(noisy, ofNumbers[0]?.(length * numberBytes - last.length) ?? nothing(), last),
  );
  return [
    name,
    lazily(() => ({
      numbers: numbers(),
      places: hasTexts ? placesOf(length, ofTexts[0], placeBytes)() : undefined,
      texts: hasTexts ? textsOf(ofTexts[1])() : noTexts,
    })),
  ];
};

const columnOf = ({ numbers, places, texts }: Vector): Column => {
  const numberAt = (row: number): number => numbers?.[row] ?? NaN;
  if (places === undefined)
    return (row) => {
      const number = numberAt(row);
      return Number.isNaN(number) ? undefined : number;
    };
  return (row) => {
    const number = numberAt(row);
    if (!Number.isNaN(number)) return number;
    const place = places[row] ?? 0;
    return place === 0 ? undefined : texts[place - 1];
  };
};

/** A frame of which some columns, or all, were read, and its ids where they are asked for. */
export const unpackFrame = (
  head: Uint8Array,
  columns: Iterable<Uint8Array>,
  packedIds?: Uint8Array,
): Frame => {
  const { head: told, parts } = unframed<HeadOf>(head);
  const own = packedIds && unframed<{ readonly sizes: readonly number[] }>(packedIds).parts[0];
  const { length } = told;
  const [times, places, ids] = [
    numbersOf(length, parts[0]),
    placesOf(length, parts[1]),
    textsOf(own),
  ];
  const readers = new Map([...columns].map((packed) => unpackColumn(packed, length)));
  const nowhere = (): Vector => ({ numbers: undefined, places: undefined, texts: noTexts });
  return {
    length,
    names: [...readers.keys()].sort(),
    times,
    versions: lazily(() => ({
      numbers: undefined,
      places: places().map((place) => place + 1),
      texts: told.versions,
    })),
    at: (row) => times()[row] ?? 0,
    version: (row) => told.versions[places()[row] ?? 0] ?? '',
    predictionId: (row) => ids()[row] ?? '',
    vector: (name) => (readers.get(name) ?? nowhere)(),
    column: (name) => columnOf((readers.get(name) ?? nowhere)()),
  };
};
