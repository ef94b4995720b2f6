import { expect } from 'chai';
import {
  groupsReader,
  writeGroups,
  type RowSums,
  type Value,
} from '#adapters/storage/sql/traces/block-groups';

const sums = (given: Partial<RowSums> = {}): RowSums => ({
  ...{ n: 3, errors: 1, lengths: [] },
  counts: { inputs: 3, outputs: 2, metadata: 0, tags: 9 },
  spans: { n: 3, llm: 2, cost: { name: 'cost', n: 0, sum: 0 }, usage: [] },
  ...given,
});
const read = (bytes: Uint8Array) => {
  const { values, sum } = groupsReader()(bytes);
  return values.map((value, i) => {
    const { lengths, ...group } = sum([i]);
    return [value, { ...group, lengths: lengths() }] as const;
  });
};

describe('what rows of a block come to by the values of a column', () => {
  it('is read as it was written, whatever the values and figures', () => {
    const groups = new Map<Value, RowSums>([
      [null, sums({ lengths: [-5, 0, 2 ** 40] })],
      ['', sums({ n: 0, errors: 0 })],
      ['Gr\u00f6\u00dfe "\u{1f600}"', sums({ lengths: [7] })],
      [
        '["a","b"]',
        sums({
          spans: {
            ...{ n: 1000, llm: 0, cost: { name: 'cost', n: 2, sum: 0.1 + 0.2 } },
            usage: [
              { name: 'total_tokens', n: 2, sum: 2 ** 53 },
              { name: '__proto__', n: 1, sum: -3 },
            ],
          },
        }),
      ],
    ]);

    expect(read(writeGroups(groups))).to.deep.equal([...groups]);
    expect(read(writeGroups(new Map()))).to.deep.equal([]);
  });

  it('is read of blocks with the same values and with others, one after the other', () => {
    const reader = groupsReader();
    const [one, other] = [
      writeGroups(new Map([['a', sums({ n: 1 })]])),
      writeGroups(new Map([['b', sums({ n: 2 })]])),
    ];

    const found = [one, one, other, one].map((bytes) => {
      const { values, sum } = reader(bytes);
      return [values, sum([0]).n];
    });

    expect(found).to.deep.equal([
      [['a'], 1],
      [['a'], 1],
      [['b'], 2],
      [['a'], 1],
    ]);
  });

  it('is added up for several values', () => {
    const spans = (sum: number, ...usage: readonly string[]) => ({
      ...{ n: 1, llm: 1, cost: { name: 'cost', n: 1, sum } },
      usage: usage.map((name) => ({ name, n: 1, sum })),
    });
    const bytes = writeGroups(
      new Map<Value, RowSums>([
        ['a', sums({ lengths: [1, 9], spans: spans(0.5, 'x', 'y') })],
        ['b', sums({ lengths: [1, 2, 3] })],
        [null, sums({ lengths: [4], spans: spans(2, 'y', 'z') })],
      ]),
    );

    const { lengths, ...found } = groupsReader()(bytes).sum([0, 2]);

    expect(found).to.deep.equal({
      ...{ n: 6, errors: 2 },
      counts: { inputs: 6, outputs: 4, metadata: 0, tags: 18 },
      spans: {
        ...{ n: 2, llm: 2, cost: { name: 'cost', n: 2, sum: 2.5 } },
        usage: [
          { name: 'x', n: 1, sum: 0.5 },
          { name: 'y', n: 2, sum: 2.5 },
          { name: 'z', n: 1, sum: 2 },
        ],
      },
    });
    expect(lengths()).to.deep.equal([1, 9, 4]);
    expect(groupsReader()(bytes).sum([]).n).to.equal(0);
  });

  it('is not kept of many values, or long ones', () => {
    const many = (count: number, value: (n: number) => string) =>
      writeGroups(new Map(Array.from({ length: count }, (_, n) => [value(n), sums()] as const)));

    expect(many(64, (n) => `name ${n}`).length).to.be.above(0);
    expect(many(65, (n) => `name ${n}`).length).to.equal(0);
    expect(many(1, () => 'x'.repeat(501)).length).to.equal(0);
    expect(many(40, (n) => `${n} ${'x'.repeat(300)}`).length).to.equal(0);
  });
});
