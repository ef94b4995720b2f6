// Pictures for tests, made here so that none is kept.
import { crc32, deflateSync } from 'node:zlib';

const chunk = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, check]);
};

/** A picture in PNG, of the colour that is said for each place. */
export const picture = (
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [number, number, number],
): Uint8Array<ArrayBuffer> => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => colourAt(x, y)).flat(),
  ]);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
};
