// Raw events as columns, packed: times and versions, prediction ids, and each field as numbers or as places in a list of its texts. Pure.
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

interface Header {
  readonly length: number;
  /** Each with its texts where it holds any. */
  readonly columns: readonly { readonly name: string; readonly texts?: readonly string[] }[];
  readonly versions: readonly string[];
  readonly ids: readonly string[];
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
  const width = numbers.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const out = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++)
    out[(at % width) * numbers.length + Math.floor(at / width)] = bytes[at] ?? 0;
  return out;
};
const ordered = (bytes: Uint8Array, width: number): ArrayBuffer => {
  const out = new Uint8Array(bytes.length);
  const length = bytes.length / width;
  for (let at = 0; at < bytes.length; at++)
    out[at] = bytes[(at % width) * length + Math.floor(at / width)] ?? 0;
  return out.buffer;
};

export const packFrame = (events: readonly FramedEvent[]): Uint8Array => {
  const names = [...new Set(events.flatMap(({ values }) => [...values.keys()]))].sort();
  const columns = names.map((name) => packColumn(events, name));
  const versions = [...new Set(events.map(({ version }) => version))];
  const header: Header = {
    length: events.length,
    versions,
    ids: events.map(({ predictionId }) => predictionId),
    columns: columns.map(({ name, texts }) => (texts.length === 0 ? { name } : { name, texts })),
  };
  const head = Buffer.from(JSON.stringify(header));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, head.length);
  const body = [
    shuffled(Float64Array.from(events, ({ at }) => at)),
    shuffled(Uint32Array.from(events, ({ version }) => versions.indexOf(version))),
    ...columns.flatMap(({ numbers, places, texts }) =>
      texts.length === 0 ? [shuffled(numbers)] : [shuffled(numbers), shuffled(places)],
    ),
  ];
  return deflateRawSync(Buffer.concat([size, head, ...body]), {
    level: constants.Z_BEST_SPEED + 2,
  });
};

export const unpackFrame = (packed: Uint8Array): Frame => {
  const bytes = inflateRawSync(packed);
  const headSize = bytes.readUInt32BE(0);
  const { length, columns, versions, ids } = JSON.parse(
    bytes.toString('utf8', 4, 4 + headSize),
  ) as Header; // written by packFrame
  let from = 4 + headSize;
  const next = (width: number): Uint8Array => {
    const part = bytes.subarray(from, from + length * width);
    from += length * width;
    return part;
  };
  const times = new Float64Array(ordered(next(8), 8));
  const ofVersions = new Uint32Array(ordered(next(4), 4));
  const readers = new Map<string, () => Column>();
  for (const { name, texts } of columns) {
    const numberBytes = next(8);
    const placeBytes = texts === undefined ? undefined : next(4);
    readers.set(name, () => {
      const numbers = new Float64Array(ordered(numberBytes, 8));
      const places = placeBytes && new Uint32Array(ordered(placeBytes, 4));
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
    names: columns.map(({ name }) => name),
    at: (row) => times[row] ?? 0,
    version: (row) => versions[ofVersions[row] ?? 0] ?? '',
    predictionId: (row) => ids[row] ?? '',
    column: (name) => readers.get(name)?.() ?? (() => undefined),
  };
};
