import { expect } from 'chai';
import { openFrame } from '#adapters/storage/sql/traces/frames';
import { packAll } from '#adapters/storage/sql/traces/packing';

/** Texts of so many characters in all, which differ by their seed. */
const textsOf = (seed: number, characters: number): string[] =>
  Array.from({ length: 20 }, (_, i) =>
    `${seed}.${i} é 漢 😀 `.padEnd(characters / 20, `word${i} `),
  );

const readBack = async (frames: readonly { readonly data: Uint8Array }[], count: number) =>
  Promise.all(
    frames.map(async ({ data }) => {
      const frame = await openFrame(data);
      return Array.from({ length: count }, (_, at) => frame.text(at));
    }),
  );

describe('frames as they are packed', () => {
  for (const [size, characters] of [
    ['small', 2000],
    ['large', 200_000],
  ] as const)
    it(`hold the texts of a ${size} batch in their order, also of several batches at once`, async () => {
      const batches = Array.from({ length: 6 }, (_, seed) => [
        textsOf(seed, characters),
        textsOf(seed + 100, characters),
      ]);
      const packed = await Promise.all(batches.map(packAll));
      const found = await Promise.all(packed.map((frames) => readBack(frames, 20)));
      expect(found).to.deep.equal(batches);
    });

  it('are the same bytes with the same bits on either thread', async () => {
    const texts = textsOf(7, 60_000);
    const [alone] = await packAll([texts]);
    const [beside] = await packAll([texts, textsOf(8, 200_000)]);
    expect(Buffer.from(beside?.data ?? [])).to.deep.equal(Buffer.from(alone?.data ?? [0]));
    expect(Buffer.from(beside?.grams ?? [])).to.deep.equal(Buffer.from(alone?.grams ?? [0]));
  });

  it('have no bits where a text holds what becomes ASCII in lower case, and keep texts that are absent', async () => {
    const [frame] = await packAll([['300 \u212aelvin', undefined, '']]);
    expect(frame?.grams).to.equal(undefined);
    expect(await readBack(frame === undefined ? [] : [frame], 3)).to.deep.equal([
      ['300 \u212aelvin', undefined, ''],
    ]);
  });
});
