import { expect } from 'chai';
import fc from 'fast-check';
import { gramsIn, gramsOf, isOdd } from '#adapters/storage/sql/traces/grams';

const filterOf = (texts: readonly string[]): Uint8Array | undefined =>
  isOdd(texts) ? undefined : gramsOf(Buffer.from(`ab${texts.join('')}`), 2);
const mayHold = (filter: Uint8Array | undefined, text: string): boolean =>
  filter === undefined ||
  gramsIn(text).every(({ byte, mask }) => ((filter[byte] ?? 0) & mask) !== 0);

describe('bits of the texts of a frame', () => {
  it('are never against a part of a text that stands there, in whatever case', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 5 }),
        fc.nat(),
        fc.nat(),
        (texts, from, length) => {
          const filter = filterOf(texts);
          for (const text of texts) {
            const lower = text.toLowerCase();
            const start = from % (lower.length + 1);
            const part = lower.slice(start, start + 1 + (length % 12));
            expect(mayHold(filter, part), JSON.stringify([texts, part])).to.equal(true);
            const shouted = part.replace(/[a-z]/g, (letter) => letter.toUpperCase());
            expect(mayHold(filter, shouted), shouted).to.equal(true);
          }
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('find what is ASCII in lower case alone', () => {
    expect(mayHold(filterOf(['300 \u212aelvin']), 'kelvin')).to.equal(true);
    expect(mayHold(filterOf(['\u0130stanbul']), 'i\u0307stanbul')).to.equal(true);
  });

  it('tell most frames apart in which a text does not stand', () => {
    const sought = Array.from({ length: 500 }, (_, i) => `zq${(i * 40_503 + 7).toString(36)}xwv`);
    const sentences = filterOf(['the model answers a question about an order. '.repeat(2000)]);
    expect(sought.filter((text) => mayHold(sentences, text))).to.deep.equal([]);
  });
});
