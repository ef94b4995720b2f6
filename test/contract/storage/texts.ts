import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type {
  OutputLine,
  OutputPiece,
  OutputPlace,
  TextKind,
  TextStore,
} from '#ports/storage/texts';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, freshId, gather, start as at } from './builders.js';

const mebibyte = 1024 * 1024;
const roomy = 150 * mebibyte;
const line = (text: string, offset?: number, stderr = false): OutputLine => ({
  text,
  offset,
  stderr,
});

/** What every store of long texts and output keeps. */
export const textContract = (storage: () => Storage): void => {
  const store = () => storage().stores.texts;
  const read = async (experimentId: string, kind: TextKind) => {
    const pieces = await store().read(experimentId, kind);
    return pieces === undefined ? undefined : Buffer.concat(pieces).toString();
  };
  const readOutput = async (experimentId: string) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of store().readOutput(experimentId)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  const print = (
    experimentId: string,
    lines: readonly OutputLine[],
    beside: { readonly digest?: string; readonly limitBytes?: number } = {},
  ) => store().appendOutput({ experimentId, lines, receivedAt: at, limitBytes: roomy, ...beside });
  const kindOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (thrown: unknown) => (isFailure(thrown) ? thrown.kind : 'defect'),
    );

  describe('long texts', () => {
    it('returns nothing for a text that was never stored, and an empty text for an empty one', async () => {
      const { id } = await addExperiment(storage());

      await store().replace({ experimentId: id, kind: 'graph', content: '' });

      expect(await read(id, 'html')).to.equal(undefined);
      expect(await read(id, 'graph')).to.equal('');
    });

    it('adds to the end with nothing in between, and replaces all of it', async () => {
      const { id } = await addExperiment(storage());

      await store().append({ experimentId: id, kind: 'html', content: '<b>one' });
      await store().append({ experimentId: id, kind: 'html', content: '</b>' });
      expect(await read(id, 'html')).to.equal('<b>one</b>');
      await store().replace({ experimentId: id, kind: 'html', content: 'new' });
      await store().append({ experimentId: id, kind: 'html', content: 'er' });

      expect(await read(id, 'html')).to.equal('newer');
    });

    it('returns a text of several MiB exactly, whatever its characters', async function () {
      this.timeout(30_000);
      const { id } = await addExperiment(storage());
      const text = `x${'€😀'.repeat(600_000)}`;

      await store().replace({ experimentId: id, kind: 'code', content: text });

      expect((await read(id, 'code')) === text).to.equal(true);
    });

    it('hands out no piece above 1 MiB', async () => {
      const { id } = await addExperiment(storage());

      await store().replace({
        experimentId: id,
        kind: 'code',
        content: 'y'.repeat(3 * mebibyte + 1),
      });

      expect((await store().read(id, 'code'))?.map((piece) => piece.length)).to.deep.equal([
        mebibyte,
        mebibyte,
        mebibyte,
        1,
      ]);
    });

    it('returns bytes that are not text', async () => {
      const { id } = await addExperiment(storage());
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);

      await store().replace({ experimentId: id, kind: 'patch', content: bytes });

      expect(Buffer.concat((await store().read(id, 'patch')) ?? [])).to.deep.equal(
        Buffer.from(bytes),
      );
    });

    it('refuses what goes over the limit and keeps what was there', async () => {
      const { id } = await addExperiment(storage());
      await store().append({
        experimentId: id,
        kind: 'html',
        content: 'é'.repeat(4),
        limitBytes: 10,
      });

      expect(
        await kindOf(
          store().append({ experimentId: id, kind: 'html', content: 'abc', limitBytes: 10 }),
        ),
      ).to.equal('invalid');
      expect(
        await kindOf(
          store().replace({
            experimentId: id,
            kind: 'html',
            content: 'é'.repeat(6),
            limitBytes: 10,
          }),
        ),
      ).to.equal('invalid');
      await store().append({ experimentId: id, kind: 'html', content: 'ab', limitBytes: 10 });

      expect(await read(id, 'html')).to.equal('ééééab');
    });

    it('refuses only the one that goes over the limit of those that are added at once', async () => {
      const { id } = await addExperiment(storage());
      const add = (content: string) =>
        kindOf(store().append({ experimentId: id, kind: 'html', content, limitBytes: 10 }));

      const kinds = await Promise.all([add('aaa'), add('bbb'), add('c'.repeat(20)), add('ddd')]);

      expect(kinds).to.deep.equal(['done', 'done', 'invalid', 'done']);
      expect(await read(id, 'html')).to.equal('aaabbbddd');
    });

    it('loses nothing that is added at once', async () => {
      const { id } = await addExperiment(storage());

      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          store().append({ experimentId: id, kind: 'html', content: `[${i}]` }),
        ),
      );

      expect(
        [...((await read(id, 'html')) ?? '').matchAll(/\[(\d+)\]/g)]
          .map((found) => Number(found[1]))
          .sort((a, b) => a - b),
      ).to.deep.equal(Array.from({ length: 20 }, (_, i) => i));
    });

    it('refuses a text of an experiment that is deleted', async () => {
      const { id } = await addExperiment(storage());
      await storage().stores.experiments.markDeleted(id, at);

      expect(
        await kindOf(store().replace({ experimentId: id, kind: 'code', content: 'x' })),
      ).to.equal('absent');
      expect(await kindOf(print(id, [line('x', 0)]))).to.equal('absent');
    });
  });

  describe('output', () => {
    it('is the empty text when nothing was logged, and has no last offset', async () => {
      const { id } = await addExperiment(storage());

      expect(await readOutput(id)).to.equal('');
      expect(await store().findLastOffset(id)).to.equal(undefined);
    });

    it('joins fragments as they are', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('a', 0), line(' ', 1), line('', 2), line('b\n', 3), line('c', 4)]);

      expect(await readOutput(id)).to.equal('a b\nc');
    });

    it('orders the lines of one run by offset, in whatever order they come', async () => {
      const { id } = await addExperiment(storage());
      const order = [7, 2, 9, 0, 4, 1, 8, 3, 6, 5];

      await Promise.all(order.map((offset) => print(id, [line(`${offset}\n`, offset)])));

      expect(await readOutput(id)).to.equal('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n');
      expect(await store().findLastOffset(id)).to.equal(9);
    });

    it('orders by size: 10 comes after 9', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('ten', 10), line('nine', 9), line('hundred', 100)]);

      expect(await readOutput(id)).to.equal('ninetenhundred');
    });

    it('opens a new run when an offset comes again, and puts runs one after the other', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('a', 0), line('b', 1)]);
      await print(id, [line('c', 0), line('d', 1), line('e', 2)]);
      await print(id, [line('f', 0)]);
      await print(id, [line('g', 3)]);

      expect(await readOutput(id)).to.equal('abcdefg');
      expect(await store().findLastOffset(id)).to.equal(3);
    });

    it('recognises an offset inside lines that came together', async () => {
      const { id } = await addExperiment(storage());
      await print(id, [line('a', 0), line('b', 1), line('c', 2), line('z', 9)]);

      await print(id, [line('x', 5)]);
      await print(id, [line('d', 1)]);

      expect(await readOutput(id)).to.equal('abcxzd');
    });

    it('opens a new run in the middle of a batch', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('a', 0), line('b', 1), line('c', 0), line('d', 1)]);

      expect(await readOutput(id)).to.equal('abcd');
    });

    it('fills a gap that an earlier batch left', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('a', 0), line('d', 3)]);
      await print(id, [line('b', 1), line('c', 2)]);

      expect(await readOutput(id)).to.equal('abcd');
    });

    it('starts a new run after the largest offset that a line can have', async () => {
      const { id } = await addExperiment(storage());
      const largest = Number.MAX_SAFE_INTEGER;

      await print(id, [line('largest\n', largest)]);
      await print(id, [line('next\n'), line('and the next\n')]);
      await print(id, [line('later\n')]);

      expect(await readOutput(id)).to.equal('largest\nnext\nand the next\nlater\n');
    });

    it('puts lines without an offset behind the newest', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('a', 5)]);
      await print(id, [line('b'), line('c')]);

      expect(await readOutput(id)).to.equal('abc');
      expect(await store().findLastOffset(id)).to.equal(7);
    });

    it('keeps standard error between the lines of standard output', async () => {
      const { id } = await addExperiment(storage());

      await print(id, [line('out1\n', 0), line('out3\n', 2)]);
      await print(id, [line('err2\n', 1, true), line('err4\n', 3, true)]);

      expect(await readOutput(id)).to.equal('out1\nerr2\nout3\nerr4\n');
    });

    it('stores a batch of one digest once', async () => {
      const { id } = await addExperiment(storage());
      const digest = 'd'.repeat(64);

      expect(await print(id, [line('a', 0)], { digest })).to.deep.equal({
        outcome: 'stored',
        full: false,
      });
      expect(await print(id, [line('a', 0)], { digest })).to.deep.equal({
        outcome: 'duplicate',
        full: false,
      });

      expect(await readOutput(id)).to.equal('a');
    });

    it('leaves out the lines beyond the limit and says so', async () => {
      const { id } = await addExperiment(storage());

      expect(
        await print(id, [line('1234', 0), line('5678', 1), line('90', 2)], { limitBytes: 8 }),
      ).to.deep.equal({ outcome: 'stored', full: true });
      expect(await print(id, [line('x', 3)], { limitBytes: 8 })).to.deep.equal({
        outcome: 'stored',
        full: true,
      });

      expect(await readOutput(id)).to.equal('12345678');
    });

    it('takes two thousand lines that come at once, each in its place', async function () {
      this.timeout(60_000);
      const { id } = await addExperiment(storage());
      const order = Array.from({ length: 2000 }, (_, i) => (i * 7) % 2000);

      await Promise.all(order.map((offset) => print(id, [line(`${offset}\n`, offset)])));

      expect(await readOutput(id)).to.equal(
        Array.from({ length: 2000 }, (_, i) => `${i}\n`).join(''),
      );
    });

    it('gives back a line of five million characters and thousands of small ones', async function () {
      this.timeout(60_000);
      const { id } = await addExperiment(storage());
      const long = 'ü'.repeat(5_000_000);
      const small = Array.from({ length: 3000 }, (_, i) => line(`${i}\n`, 2 * i + 2));

      await print(id, [line(long, 0), ...small]);

      expect((await readOutput(id)) === long + small.map((one) => one.text).join('')).to.equal(
        true,
      );
    });
  });

  it('gives output in pieces from behind any of their places, and how much there is', async () => {
    const { id } = await addExperiment(storage());
    const append = (text: string, offset: number) =>
      storage().stores.texts.appendOutput({
        experimentId: id,
        lines: [{ text, stderr: false, offset }],
        receivedAt: at,
        limitBytes: 10_000_000,
      });
    await append('a\n', 0);
    await append('b'.repeat(1_500_000), 7);
    await append('late\n', 3);
    await append('second run\n', 3);
    const from = (place?: Parameters<TextStore['readOutputFrom']>[1]) =>
      gather(storage().stores.texts.readOutputFrom(id, place));
    const textsOf = (pieces: readonly OutputPiece[]) =>
      pieces.map(({ content }) => Buffer.from(content).toString());

    const all = await from();

    expect(textsOf(all).join('')).to.equal(`a\nlate\n${'b'.repeat(1_500_000)}second run\n`);
    for (const [i, { place }] of all.entries())
      expect(textsOf(await from(place))).to.deep.equal(textsOf(all).slice(i + 1));
    expect(all.map((piece) => piece.pieces)).to.deep.equal(all.map(() => 1));
    expect(await storage().stores.texts.outputSize(id)).to.deep.equal({
      bytes: textsOf(all).join('').length,
      pieces: all.length,
    });
    expect(await storage().stores.texts.outputSize(freshId())).to.deep.equal({
      bytes: 0,
      pieces: 0,
    });
  });

  it('says of which stream each byte is, in the order of lines and from any place on', async () => {
    const { id } = await addExperiment(storage());
    const texts = storage().stores.texts;
    await print(id, [
      line('out\n', 0),
      line('fault\n', 1, true),
      line('', 2),
      line('more\n', 3, true),
      line('b'.repeat(1_500_000), 9, true),
      line('out again\n', 10),
    ]);
    await print(id, [line('late\n', 5)]);
    const streamsOf = (pieces: readonly OutputPiece[]) =>
      pieces.flatMap(({ content, spans }) => {
        let at = 0;
        const cut = spans.map(({ bytes, stderr }) => {
          at += bytes;
          return `${stderr ? 'err' : 'out'} ${Buffer.from(content).toString('latin1', at - bytes, at)}`;
        });
        expect(at).to.equal(content.length);
        return cut;
      });
    const joined = (all: readonly string[], stream: string) =>
      all
        .filter((one) => one.startsWith(stream))
        .map((one) => one.slice(4))
        .join('');

    const all = await gather(texts.readOutputFrom(id, undefined));

    expect(joined(streamsOf(all), 'err')).to.equal(`fault\nmore\n${'b'.repeat(1_500_000)}`);
    expect(joined(streamsOf(all), 'out')).to.equal('out\nlate\nout again\n');
    for (const [at, { place }] of all.entries())
      expect(streamsOf(await gather(texts.readOutputFrom(id, place)))).to.deep.equal(
        streamsOf(all.slice(at + 1)),
      );
  });

  it('counts output as it gives it, from behind any of its places, and is asked to pack it without a change', async () => {
    const { id } = await addExperiment(storage());
    await print(id, [line('a\nb\n', 0), line('', 2), line('c', 4)]);
    await print(id, [line('d\n', 1)]);
    const texts = storage().stores.texts;
    const truth = async (place?: OutputPlace) =>
      (await gather(texts.readOutputFrom(id, place))).map((piece) => ({
        place: piece.place,
        pieces: piece.pieces,
        bytes: piece.content.length,
        newlines: piece.content.filter((byte) => byte === 10).length,
        endsLine: piece.content.length === 0 ? undefined : piece.content.at(-1) === 10,
      }));
    const measure = (place?: OutputPlace) => gather(texts.measureOutputFrom(id, place));

    const all = await measure();

    expect(all).to.have.length.above(2);
    expect(all).to.deep.equal(await truth());
    for (const { place } of all) expect(await measure(place)).to.deep.equal(await truth(place));
    await texts.queuePacking([id]);
    expect(await readOutput(id)).to.equal('a\nb\nd\nc');
  });
};
