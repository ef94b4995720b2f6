// Which runs of three bytes a frame holds, as bits: nearly every frame in which a text does not stand is told from these alone, without being opened.
// A bit may be set for several runs, so that a frame that has all bits of a text may still not hold it; one that lacks a bit does not.

/** Few enough that a row holds them itself. */
export const filterBytes = 1536;
const bits = filterBytes * 8;
/** As many runs of a text are asked for: more tell no more frames apart. */
const mostAsked = 10;

/** Bytes of ASCII without their case; others as they are. */
const folded = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 65 && byte <= 90 ? byte + 32 : byte,
);
const foldedAt = (bytes: Uint8Array, at: number): number => folded[bytes[at] ?? 0] ?? 0;
/** A byte for each bit while texts are looked through: setting one needs no look at what was there. */
const flags = new Uint8Array(bits);
/** Spreads three bytes, or any hash, over the bits. */
export const bitOf = (run: number): number => ((Math.imul(run, 0x9e3779b1) >>> 16) * bits) >>> 16;

/** Characters beyond ASCII that are ASCII in lower case: what holds one is searched without a filter. */
const odd = ['\u0130', '\u212a'];

/** Whether texts need to be looked through, since bits would not tell all that is found in them. */
export const isOdd = (texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => odd.some((character) => text?.includes(character) === true));

/** The bits of texts that lie as UTF-8 from an offset on. */
export const gramsOf = (content: Uint8Array, from: number): Uint8Array<ArrayBuffer> => {
  flags.fill(0);
  let run = (foldedAt(content, from) << 8) | (foldedAt(content, from + 1) << 16);
  for (let at = from + 2; at < content.length; at++) {
    run = (run >>> 8) | (foldedAt(content, at) << 16);
    flags[bitOf(run)] = 1;
  }
  const filter = new Uint8Array(filterBytes);
  for (let byte = 0, bit = 0; byte < filterBytes; byte++) {
    let eight = 0;
    for (let at = 0; at < 8; at++) eight |= (flags[bit++] ?? 0) << at;
    filter[byte] = eight;
  }
  return filter;
};

/** The bits that every frame has in which a text stands, in any case: where each is, by byte and mask. */
export const gramsIn = (
  text: string,
): readonly { readonly byte: number; readonly mask: number }[] => {
  const bytes = Buffer.from(text);
  const found = new Set<number>();
  for (let at = 0; at + 2 < bytes.length; at++) {
    const three = bytes.subarray(at, at + 3);
    // Beyond ASCII the case of a text may be another.
    if (three.some((byte) => byte > 127)) continue;
    found.add(bitOf(foldedAt(three, 0) | (foldedAt(three, 1) << 8) | (foldedAt(three, 2) << 16)));
  }
  const all = [...found];
  const step = Math.max(1, all.length / mostAsked);
  return Array.from({ length: Math.min(all.length, mostAsked) }, (_, i) => {
    const bit = all[Math.floor(i * step)] ?? 0;
    return { byte: bit >>> 3, mask: 1 << (bit & 7) };
  });
};
