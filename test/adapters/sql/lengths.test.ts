import { expect } from 'chai';
import { rankedOf, readLengths, writeLengths } from '#adapters/storage/sql/traces/lengths';

/** Numbers of every size, on both sides of 0, some of them several times. */
const every = [
  ...Array.from({ length: 300 }, (_, n) => n - 100),
  ...Array.from({ length: 520 }, (_, n) => Math.floor(1.07 ** n)),
  ...Array.from({ length: 100 }, (_, n) => -Math.floor(1.2 ** n)),
  ...[0, 0, 63, 64, 65, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 52],
].filter((one) => Math.abs(one) < 2 ** 52);
const ascending = (some: readonly number[]): number[] =>
  [...some].sort((one, other) => one - other);

describe('durations of blocks', () => {
  it('come back as they were written', () => {
    const sorted = ascending(every).map((one) => one + 2 ** 30);

    expect(readLengths(sorted[0] ?? 0, writeLengths(sorted))).to.deep.equal(sorted);
    expect(readLengths(7, writeLengths([]))).to.deep.equal([]);
  });

  it('are ranked as sorted ones are', () => {
    const lists = [every.slice(0, 250), [], every.slice(250)];
    const parts = Array.from({ length: 1000 }, (_, n) => (n + 1) / 1000);

    const found = rankedOf(
      lists.map((list) => () => list),
      parts,
    );

    const sorted = ascending(every);
    expect(found).to.deep.equal(parts.map((part) => sorted[Math.ceil(part * sorted.length) - 1]));
    expect(rankedOf([() => []], parts)).to.equal(undefined);
  });
});
