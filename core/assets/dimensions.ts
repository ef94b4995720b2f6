// Width and height of a picture, read from its first bytes. Pure.

export interface Dimensions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** How much of a picture is enough: a JPEG may carry a preview and colour profiles before its size. */
export const headBytes = 256 * 1024;

const ascii = (bytes: Uint8Array, at: number, text: string): boolean =>
  [...text].every((letter, i) => bytes[at + i] === letter.charCodeAt(0));
const sized = (width: number, height: number): Dimensions | undefined =>
  width > 0 && height > 0 && width < 2 ** 31 && height < 2 ** 31 ? { width, height } : undefined;

/** Walks over the segments to the first that starts a frame. */
const readJpeg = (view: DataView): Dimensions | undefined => {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) return sized(view.getUint16(at + 7), view.getUint16(at + 5));
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
};

const readWebp = (bytes: Uint8Array, view: DataView): Dimensions | undefined => {
  if (view.byteLength < 30) return undefined;
  if (ascii(bytes, 12, 'VP8 '))
    return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (ascii(bytes, 12, 'VP8L'))
    return sized(
      (view.getUint32(21, true) & 0x3fff) + 1,
      ((view.getUint32(21, true) >>> 14) & 0x3fff) + 1,
    );
  const whole = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
  return ascii(bytes, 12, 'VP8X') ? sized(whole(24), whole(27)) : undefined;
};

/** The dimensions of a PNG, JPEG, GIF or WebP; `undefined` for anything else and for what ends too early. */
export const readDimensions = (head: Uint8Array): Dimensions | undefined => {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.byteLength >= 24 && ascii(head, 1, 'PNG\r\n'))
    return sized(view.getUint32(16), view.getUint32(20));
  if (view.byteLength >= 10 && ascii(head, 0, 'GIF8'))
    return sized(view.getUint16(6, true), view.getUint16(8, true));
  if (view.byteLength >= 4 && view.getUint16(0) === 0xffd8) return readJpeg(view);
  return ascii(head, 0, 'RIFF') && ascii(head, 8, 'WEBP') ? readWebp(head, view) : undefined;
};
