import { expect } from 'chai';
import { KeptTexts, textKey, type Source } from '#adapters/storage/sql/metrics/kept-texts';

const source = (of: Partial<Source> = {}): Source => ({
  name: 'loss',
  context: undefined,
  chunks: [
    { points: Buffer.from('one'), skip: 0 },
    { points: Buffer.from('two'), skip: 3 },
  ],
  ...of,
});

describe('texts of points that are kept', () => {
  it('depend on everything that they are made of', () => {
    const [one, two] = source().chunks;
    const others = [
      source(),
      source({ name: 'Loss' }),
      source({ context: '' }),
      source({ context: 'null' }),
      source({ name: 'loss",null', context: 'a' }),
      source({ chunks: [two!, one!] }),
      source({ chunks: [one!] }),
      source({ chunks: [one!, { ...two!, skip: 0 }] }),
      source({ chunks: [{ points: Buffer.from('onetwo'), skip: 0 }] }),
      source({ chunks: [one!, { points: Buffer.from('twp'), skip: 3 }] }),
    ].map(textKey);

    expect(new Set(others).size).to.equal(others.length);
    expect(textKey(source())).to.equal(textKey(source()));
  });

  it('are made twice, and then given as they are', async () => {
    const kept = new KeptTexts();
    let made = 0;
    const ask = (of: Source) =>
      kept.of(of, () => Promise.resolve(Buffer.from(`${of.name} ${++made}`)));
    const asked = [];
    for (let at = 0; at < 4; at++) asked.push(String(await ask(source())));
    asked.push(String(await ask(source({ name: 'other' }))));

    expect(asked).to.deep.equal(['loss 1', 'loss 2', 'loss 2', 'loss 2', 'other 3']);
  });

  it('come to a bounded size, of which the ones asked for last are left', async () => {
    const kept = new KeptTexts();
    const made: string[] = [];
    const ask = async (name: string): Promise<void> => {
      const text = await kept.of(source({ name }), () => {
        made.push(name);
        return new Uint8Array(8 * 1024 * 1024);
      });
      expect(text.byteLength).to.equal(8 * 1024 * 1024);
    };
    for (const name of ['a', 'b', 'c', 'd', 'e']) for (let at = 0; at < 2; at++) await ask(name);
    made.length = 0;
    for (const name of ['e', 'd', 'c', 'b', 'a']) await ask(name);

    expect(made).to.deep.equal(['a']);
  });

  it('are not kept where making them fails', async () => {
    const kept = new KeptTexts();
    const failing = () => Promise.reject<Uint8Array>(new Error('damaged'));
    for (let at = 0; at < 3; at++) {
      const thrown = await kept.of(source(), failing).then(String, String);
      expect(thrown).to.equal('Error: damaged');
    }
    expect(String(await kept.of(source(), () => Buffer.from('right')))).to.equal('right');
  });
});
