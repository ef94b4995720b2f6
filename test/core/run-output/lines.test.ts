// Lines of output against the slow truth: all of it in one text, split at its newlines.
import { expect } from 'chai';
import { createLineIndexes } from '#core/run-output/line-index';
import { readSome, type Wanted } from '#core/run-output/reading';
import type { MeasuredOutput, OutputPiece, OutputPlace } from '#ports/storage/texts';

const encoder = new TextEncoder();

/** Output in memory, of which each piece that is read is counted. */
const outputOf = (
  pieces: Uint8Array[],
  isError: (piece: number) => boolean = () => false,
  atOnce = 3,
) => {
  const state = { read: 0 };
  async function* readFrom(after: OutputPlace | undefined): AsyncIterable<readonly OutputPiece[]> {
    const first = after === undefined ? 0 : after.offset + 1;
    for (let at = first; at < pieces.length; at += atOnce) {
      const some = pieces.slice(at, at + atOnce);
      state.read += some.length;
      yield some.map((content, i) => ({
        place: { run: 0, offset: at + i, part: 0 },
        content,
        spans: content.length === 0 ? [] : [{ bytes: content.length, stderr: isError(at + i) }],
        pieces: 1,
      }));
      await Promise.resolve();
    }
  }
  return {
    state,
    texts: {
      outputSize: () =>
        Promise.resolve({
          bytes: pieces.reduce((sum, piece) => sum + piece.length, 0),
          pieces: pieces.length,
        }),
      readOutputFrom: (_: string, after: OutputPlace | undefined) => readFrom(after),
      async *measureOutputFrom(
        _: string,
        after: OutputPlace | undefined,
      ): AsyncIterable<readonly MeasuredOutput[]> {
        for await (const some of readFrom(after))
          yield some.map(({ place, content }) => ({
            place,
            pieces: 1,
            bytes: content.length,
            newlines: content.filter((byte) => byte === 10).length,
            endsLine: content.length === 0 ? undefined : content.at(-1) === 10,
          }));
      },
    },
  };
};

/** Bytes cut anywhere, within characters too. */
const cut = (text: string, size: number): Uint8Array[] => {
  const bytes = encoder.encode(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  );
};
const truth = (text: string): readonly string[] => {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};
const read = async (
  pieces: Uint8Array[],
  wanted: Partial<Wanted>,
  isError?: (piece: number) => boolean,
) => {
  const { texts } = outputOf(pieces, isError);
  const index = await createLineIndexes(texts)('run');
  const { lines, next } = await readSome(texts, 'run', index, {
    from: 1,
    to: index.total,
    limit: 100_000,
    ...wanted,
  });
  return { lines, next, total: index.total };
};

describe('lines of output', () => {
  const text = Array.from(
    { length: 500 },
    (_, i) => `${i % 7 === 0 ? '' : 'é'.repeat(i % 40)} step ${i}${i % 11 === 0 ? ' ERROR' : ''}\n`,
  ).join('');

  it('are those of the whole text, wherever its pieces were cut', async () => {
    for (const size of [1, 3, 64, 1000, 1_000_000])
      for (const whole of [text, `${text}no newline`, '\n\n', 'one', '']) {
        const { lines, total } = await read(cut(whole, size), {});

        expect(lines.map((line) => line.text)).to.deep.equal(truth(whole));
        expect(lines.map(({ number }) => number)).to.deep.equal(truth(whole).map((_, i) => i + 1));
        expect(total).to.equal(truth(whole).length);
      }
  });

  it('are found by their numbers', async () => {
    const { lines } = await read(cut(text, 100), { from: 200, to: 209 });

    expect(lines.map((line) => line.text)).to.deep.equal(truth(text).slice(199, 209));
  });

  it('are told up to the limit, with the line from which to go on', async () => {
    const pieces = cut(text, 100);
    const all: string[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const { lines, next } = await read(pieces, { from, limit: 7 });
      expect(lines.length).to.be.at.most(7);
      all.push(...lines.map((line) => line.text));
      from = next;
    }

    expect(all).to.deep.equal(truth(text));
  });

  it('are found by a text that they hold, in its case or in any', async () => {
    const pieces = cut(text, 100);
    const search = (wanted: string, ignoreCase: boolean) =>
      read(pieces, { search: { text: wanted, ignoreCase } });
    const holding = truth(text).filter((line) => line.includes('ERROR'));

    expect((await search('ERROR', false)).lines.map((line) => line.text)).to.deep.equal(holding);
    expect((await search('error', true)).lines.map((line) => line.text)).to.deep.equal(holding);
    expect((await search('error', false)).lines).to.deep.equal([]);
  });

  it('are of standard error where any of their bytes are, and told alone where they are asked for', async () => {
    const isError = (piece: number) => piece % 5 === 3;
    for (const size of [1, 7, 64, 300]) {
      const pieces = cut(text, size);
      const bytes = encoder.encode(text);
      // Of each byte by itself: the slow truth.
      const errors = new Set<number>();
      let number = 1;
      for (const [at, byte] of bytes.entries()) {
        if (isError(Math.floor(at / size))) errors.add(number);
        if (byte === 10) number++;
      }

      const all = await read(pieces, {}, isError);
      const alone = await read(pieces, { stderr: true }, isError);

      expect(all.lines.filter(({ stderr }) => stderr).map((line) => line.number)).to.deep.equal([
        ...errors,
      ]);
      expect(alone.lines).to.deep.equal(all.lines.filter(({ stderr }) => stderr));
      expect(all.lines).to.have.length(500);
    }
  });

  it('are cut where they are long, and not within a character', async () => {
    const { lines } = await read(cut(`${'é'.repeat(20_000)}\nx${'é'.repeat(20_000)}\n`, 999), {});

    expect(lines.map((line) => line.cut)).to.deep.equal([true, true]);
    for (const line of lines) {
      expect(encoder.encode(line.text).length).to.be.within(16_380, 16_384);
      expect(line.text).to.not.include('\ufffd');
    }
  });

  it('end a search after so many bytes, and it goes on where it ended', async () => {
    const line = `${'x'.repeat(1023)}\n`;
    const pieces = cut(line.repeat(70_000) + 'needle\n', 1024 * 1024);

    const first = await read(pieces, { search: { text: 'needle', ignoreCase: false } });
    const second = await read(pieces, {
      from: first.next ?? 0,
      search: { text: 'needle', ignoreCase: false },
    });

    expect(first.lines).to.deep.equal([]);
    expect(first.next).to.be.within(65_000, 70_000);
    expect(second.lines).to.deep.equal([{ number: 70_001, text: 'needle' }]);
    expect(second.next).to.equal(undefined);
  });

  it('are counted once, and further as the output grows', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const pieces = cut(line.repeat(100_000), 64 * 1024);
    const { texts, state } = outputOf(pieces);
    const indexOf = createLineIndexes(texts);
    expect((await indexOf('run')).total).to.equal(100_000);
    const once = state.read;

    pieces.push(encoder.encode('more\n'));
    const index = await indexOf('run');
    const { lines } = await readSome(texts, 'run', index, {
      from: 100_001,
      to: 100_001,
      limit: 10,
    });

    expect(index.total).to.equal(100_001);
    expect(lines).to.deep.equal([{ number: 100_001, text: 'more' }]);
    expect(state.read - once).to.be.below(40); // of 154
  });

  it('are counted again where output came in between', async () => {
    const pieces = cut('a\nb\n', 2);
    const { texts } = outputOf(pieces);
    const indexOf = createLineIndexes(texts);
    await indexOf('run');

    pieces.unshift(encoder.encode('first\n'));

    expect((await indexOf('run')).total).to.equal(3);
  });
});
