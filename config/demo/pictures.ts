// Small pictures for a demo, drawn here so that the package carries none.
import { crc32, deflateSync } from 'node:zlib';
import { chances } from './chances.js';

type Colour = readonly [number, number, number];

const chunk = (type: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, check]);
};

const png = (width: number, height: number, colourAt: (x: number, y: number) => Colour) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // eight bits of red, green and blue
  const rows = Buffer.alloc((1 + width * 3) * height); // each row begins with its filter, which is none
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(colourAt(x, y), y * (1 + width * 3) + 1 + x * 3);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  );
};

const [width, height] = [144, 96];
const mix = (one: Colour, other: Colour, share: number): Colour =>
  [0, 1, 2].map((at) =>
    Math.max(0, Math.min(255, (one[at] ?? 0) * (1 - share) + (other[at] ?? 0) * share)),
  ) as unknown as Colour; // three of three

/** A street under a sky with hills and a sun, of other colours and shapes for another seed. */
const scene = (seed: number): ((x: number, y: number) => Colour) => {
  const chance = chances(seed * 31 + 5);
  const [high, low]: [Colour, Colour] = [
    [60 + chance.next() * 60, 110 + chance.next() * 70, 210],
    [250, 190 + chance.next() * 40, 150 + chance.next() * 70],
  ];
  const hill: Colour = [50 + chance.next() * 50, 95 + chance.next() * 50, 80];
  const car: Colour = [chance.next() * 220, chance.next() * 120, 60 + chance.next() * 160];
  const [sunX, sunY, phase] = [
    20 + chance.next() * 104,
    14 + chance.next() * 18,
    chance.next() * 6,
  ];
  const [carX, carY, carW] = [24 + chance.next() * 60, 66, 34 + chance.next() * 12];
  return (x, y) => {
    const inBody = x > carX && x < carX + carW && y > carY && y < carY + 12;
    const inRoof = x > carX + 8 && x < carX + carW - 8 && y > carY - 8 && y <= carY;
    const wheel = [carX + 8, carX + carW - 8].some((w) => (x - w) ** 2 + (y - 79) ** 2 < 20);
    if (wheel) return [24, 24, 28];
    if (inBody) return car;
    if (inRoof) return mix(car, [225, 235, 245], 0.7);
    if (y > 72) return y > 83 && y < 86 && x % 24 < 13 ? [235, 225, 190] : [78, 80, 88];
    if (y > 52 + 9 * Math.sin(x / 19 + phase)) return mix(hill, [20, 30, 30], (y - 45) / 90);
    if ((x - sunX) ** 2 + (y - sunY) ** 2 < 70) return [255, 244, 200];
    return mix(high, low, y / 62);
  };
};

/** What a model made of a scene after a share of its training: the noisier, the less it had learned. */
export const reconstruction = (seed: number, learned: number): Uint8Array<ArrayBuffer> => {
  const at = scene(seed);
  const chance = chances(seed + 77);
  const noise = (1 - learned) ** 1.5;
  return png(width, height, (x, y) =>
    mix(at(x, y), [chance.next() * 255, chance.next() * 255, chance.next() * 255], noise * 0.85),
  );
};
