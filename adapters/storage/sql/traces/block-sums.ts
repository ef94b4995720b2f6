// What the rows of a block sum up to. Pure.

/** What one name comes to among owners, of which so many have it. */
export interface Part {
  readonly name: string;
  readonly n: number;
  readonly sum: number;
}

/** What spans come to: how many there are, how many of these are calls of models, their cost, and their usage by name. */
export interface SpanParts {
  readonly n: number;
  readonly llm: number;
  readonly cost: Part;
  readonly usage: readonly Part[];
}

/** Parts of the same name as one. */
export const addParts = (parts: Iterable<Part>): readonly Part[] => {
  const added = new Map<string, { name: string; n: number; sum: number }>();
  for (const { name, n, sum } of parts) {
    const of = added.get(name);
    if (of === undefined) added.set(name, { name, n, sum });
    else {
      of.n += n;
      of.sum += sum;
    }
  }
  return [...added.values()];
};

export const addSpanParts = (all: readonly SpanParts[]): SpanParts => {
  const costs = all.map(({ cost }) => cost);
  const total = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0);
  return {
    n: total(all.map(({ n }) => n)),
    llm: total(all.map(({ llm }) => llm)),
    cost: { name: 'cost', n: total(costs.map(({ n }) => n)), sum: total(costs.map((c) => c.sum)) },
    usage: addParts(all.flatMap(({ usage }) => usage)),
  };
};

/** Counts of entries that have no column of their own in a block. */
export const countNames = ['inputs', 'outputs', 'metadata', 'tags'] as const;
export type BlockCounts = Readonly<Record<(typeof countNames)[number], number>>;

/** As a block keeps it. */
export interface BlockSums {
  readonly counts: BlockCounts;
  readonly spans: SpanParts;
}

type Written = readonly [
  counts: readonly number[],
  spans: readonly number[],
  usage: readonly (readonly [string, number, number])[],
];

export const writeSums = ({ counts, spans }: BlockSums): string => {
  const written: Written = [
    countNames.map((name) => counts[name]),
    [spans.n, spans.llm, spans.cost.n, spans.cost.sum],
    spans.usage.map(({ name, n, sum }) => [name, n, sum]),
  ];
  return JSON.stringify(written);
};

export const readSums = (json: string): BlockSums => {
  const [counts, [n = 0, llm = 0, costs = 0, cost = 0], usage] = JSON.parse(json) as Written; // written above
  const [inputs = 0, outputs = 0, metadata = 0, tags = 0] = counts;
  return {
    counts: { inputs, outputs, metadata, tags },
    spans: {
      ...{ n, llm },
      cost: { name: 'cost', n: costs, sum: cost },
      usage: usage.map(([name, count, sum]) => ({ name, n: count, sum })),
    },
  };
};
