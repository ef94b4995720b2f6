// Whole numbers from 0 to 2^53 - 1, seven bits a byte, least first; the top bit says that more follow.

/** Where a reader stands; reading moves it. */
export interface Cursor {
  at: number;
}

/** Bytes that `writeVarint` takes for a number: 1 to 8. */
export const varintBytes = (value: number): number => {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
};

/** Writes a number and gives the place after it. */
export const writeVarint = (into: Uint8Array, from: number, value: number): number => {
  let at = from;
  let rest = value;
  // Bit operators hold 31 bits of a positive number.
  while (rest > 0x7fffffff) {
    into[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  while (rest >= 0x80) {
    into[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  into[at++] = rest;
  return at;
};

/** Reads a number and moves the cursor after it; throws an `Error` at the end of the bytes or above 2^53 - 1. */
export const readVarint = (bytes: Uint8Array, cursor: Cursor): number => {
  const first = bytes[cursor.at];
  if (first !== undefined && first < 0x80) {
    cursor.at++;
    return first;
  }
  return readLongVarint(bytes, cursor);
};

const readLongVarint = (bytes: Uint8Array, cursor: Cursor): number => {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 49; scale *= 0x80) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) throw new Error('metric chunk ends within a number');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value;
  }
  throw new Error('metric chunk has a number above 2^53 - 1');
};
