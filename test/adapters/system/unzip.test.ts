import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import { systemZip } from '#adapters/system/zip';

const pack = async (files: Readonly<Record<string, string>>): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  const entries = Object.entries(files).map(([name, text]) => ({
    name,
    changedAt: 1_700_000_000_000,
    open: async function* () {
      yield Buffer.from(text);
    },
  }));
  for await (const piece of systemZip.pack(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
};
const kindOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown),
  );

describe('zip archives that are unpacked', () => {
  it('unpack to what was packed, in its order', async () => {
    const archive = await pack({ 'b/two.txt': 'zwei ü', 'a.json': '{}' });

    expect(await systemZip.unpack(archive, { most: 2, bytes: 100 })).to.deep.equal([
      { name: 'b/two.txt', text: 'zwei ü' },
      { name: 'a.json', text: '{}' },
    ]);
  });

  it('are refused beyond their limits', async () => {
    const archive = await pack({ a: 'x'.repeat(60), b: 'x'.repeat(60) });

    expect(await kindOf(systemZip.unpack(archive, { most: 1, bytes: 1000 }))).to.equal('invalid');
    expect(await kindOf(systemZip.unpack(archive, { most: 2, bytes: 100 }))).to.equal('tooLarge');
  });

  it('are refused when they are none, or end early', async () => {
    const archive = await pack({ a: 'text' });

    expect(await kindOf(systemZip.unpack(Buffer.from('no zip'), { most: 1, bytes: 10 }))).to.equal(
      'invalid',
    );
    expect(
      await kindOf(
        systemZip.unpack(archive.subarray(0, archive.length - 30), { most: 1, bytes: 10 }),
      ),
    ).to.equal('invalid');
  });
});
