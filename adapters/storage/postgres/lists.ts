// Lists as the driver sends them: in the database's own binary form of an array, which neither side has to write out or read as text.
import type { ColumnValues } from '#ports/sql-dialect';

type Kind = ColumnValues['kind'];

/** How the database calls a list of such values, and the type of one by its number in the database's catalog, which is the same everywhere. */
const types = {
  id: { list: 'uuid[]', number: 2950 },
  text: { list: 'text[]', number: 25 },
  whole: { list: 'bigint[]', number: 20 },
  real: { list: 'float8[]', number: 701 },
  bytes: { list: 'bytea[]', number: 17 },
  flag: { list: 'boolean[]', number: 16 },
} as const satisfies Record<Kind, { readonly list: string; readonly number: number }>;

export const listType = (kind: Kind): string => types[kind].list;

const isAbsent = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

const idBytes = 16;
const [dash, notHex] = [45, 255];
const nibbles = new Uint8Array(128).fill(notHex);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  nibbles[digit.charCodeAt(0)] = value;
  nibbles[digit.toUpperCase().charCodeAt(0)] = value;
}
const nibbleOf = (code: number): number =>
  code < nibbles.length ? (nibbles[code] ?? notHex) : notHex;

/** Writes an id; tells whether it is one. */
const writeId = (into: Buffer, at: number, id: string): boolean => {
  let written = 0;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    if (code === dash) continue;
    const [high, low] = [nibbleOf(code), nibbleOf(id.charCodeAt(++i))];
    if (written === idBytes || high === notHex || low === notHex) return false;
    into[at + written++] = high * 16 + low;
  }
  return written === idBytes;
};

const half = 2 ** 32;

/** Writes a whole number; tells whether it is one. */
const writeWhole = (into: Buffer, at: number, value: unknown): boolean => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false;
  into.writeInt32BE(Math.floor(value / half), at);
  into.writeUInt32BE(value >>> 0, at + 4);
  return true;
};
const writeReal = (into: Buffer, at: number, value: unknown): boolean => {
  if (typeof value !== 'number') return false;
  into.writeDoubleBE(value + 0, at); // no engine but this one would keep the sign of zero
  return true;
};
const writeFlag = (into: Buffer, at: number, value: unknown): boolean => {
  if (typeof value !== 'boolean') return false;
  into[at] = value ? 1 : 0;
  return true;
};

/** What stands before the values: one dimension, whether some are absent, the type, how many there are, and that they count from one. */
const headerBytes = 20;
const lengthBytes = 4;

const header = (kind: Kind, values: readonly unknown[], bytes: number): Buffer => {
  const list = Buffer.allocUnsafe(headerBytes + values.length * lengthBytes + bytes);
  list.writeInt32BE(1, 0);
  list.writeInt32BE(values.some(isAbsent) ? 1 : 0, 4);
  list.writeInt32BE(types[kind].number, 8);
  list.writeInt32BE(values.length, 12);
  list.writeInt32BE(1, 16);
  return list;
};

/** Values of one size each. Gives `undefined` where one of them cannot be written. */
const ofSize = (
  kind: Kind,
  values: readonly unknown[],
  size: number,
  write: (into: Buffer, at: number, value: unknown) => boolean,
): Buffer | undefined => {
  const list = header(kind, values, values.length * size);
  let at = headerBytes;
  for (const value of values) {
    if (isAbsent(value)) {
      list.writeInt32BE(-1, at);
      at += lengthBytes;
      continue;
    }
    list.writeInt32BE(size, at);
    if (!write(list, at + lengthBytes, value)) return undefined;
    at += lengthBytes + size;
  }
  return list.subarray(0, at);
};

const texts = (values: readonly unknown[]): Buffer => {
  let bytes = 0;
  for (const value of values) if (!isAbsent(value)) bytes += Buffer.byteLength(String(value));
  const list = header('text', values, bytes);
  let at = headerBytes;
  for (const value of values) {
    const length = isAbsent(value) ? -1 : list.write(String(value), at + lengthBytes);
    list.writeInt32BE(length, at);
    at += lengthBytes + Math.max(0, length);
  }
  return list;
};

const byteValues = (values: readonly unknown[]): Buffer => {
  const all = values as readonly (Uint8Array | null | undefined)[]; // the kind says that they are
  const list = header(
    'bytes',
    all,
    all.reduce((sum, value) => sum + (value?.length ?? 0), 0),
  );
  let at = headerBytes;
  for (const value of all) {
    list.writeInt32BE(value?.length ?? -1, at);
    at += lengthBytes;
    if (isAbsent(value)) continue;
    list.set(value, at);
    at += value.length;
  }
  return list;
};

/** The same as text, which the database reads by its own rules. */
const asText = (values: readonly unknown[]): string =>
  `{${values.map((value) => (isAbsent(value) ? 'NULL' : `"${String(value).replaceAll(/[\\"]/g, String.raw`\$&`)}"`)).join(',')}}`;

/** A list as one binding; in the form of text where a value is none of its kind, which the database then refuses by name. */
export const toList = (kind: Kind, values: readonly unknown[]): Buffer | string => {
  if (values.length === 0) return '{}';
  const list =
    kind === 'text'
      ? texts(values)
      : kind === 'bytes'
        ? byteValues(values)
        : kind === 'id'
          ? ofSize(kind, values, idBytes, (into, at, value) => writeId(into, at, String(value)))
          : kind === 'whole'
            ? ofSize(kind, values, 8, writeWhole)
            : kind === 'real'
              ? ofSize(kind, values, 8, writeReal)
              : ofSize(kind, values, 1, writeFlag);
  return list ?? asText(values);
};

/** Dimensions, whether there are nulls, the type, and of the only dimension its length and its first index. */
const [listHead, listLength] = [20, 12];

/** Reads a list of numbers that is in the database's binary form, with nothing where there is a null. */
export const readReals = (bytes: Buffer): (number | undefined)[] => {
  if (bytes.length < listHead) return [];
  const list = new Array<number | undefined>(bytes.readInt32BE(listLength));
  let at = listHead;
  for (let i = 0; i < list.length; i++) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) continue;
    list[i] = bytes.readDoubleBE(at);
    at += length;
  }
  return list;
};
