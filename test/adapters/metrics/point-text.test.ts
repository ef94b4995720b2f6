import { expect } from 'chai';
import { encodePacked, encodeRaw } from '#adapters/storage/sql/metrics/codec';
import { writeChunks, writePoints } from '#adapters/storage/sql/metrics/point-text';
import type { PointColumns, StoredPoint } from '#ports/storage/metrics';

type Pieces = readonly { readonly name: string; readonly points: readonly StoredPoint[] }[];

// What points become on the wire, one by one and without any short way.
const slowly = (pieces: Pieces) => ({
  metrics: pieces.flatMap(({ name, points }) =>
    points.map(({ context, text, step, epoch, timestamp }) => ({
      metricName: name,
      metricValue: text,
      timestamp,
      step: step ?? null,
      epoch: epoch ?? null,
      runContext: context ?? null,
    })),
  ),
});

const toColumns = (points: readonly StoredPoint[]): PointColumns => {
  const column = (pick: (point: StoredPoint) => number | undefined) =>
    Float64Array.from(points, (point) => pick(point) ?? Number.NaN);
  return {
    context: points[0]?.context,
    values: column(({ text }) => Number(text)),
    texts: new Map(
      points.flatMap(({ text }, at) => (String(Number(text)) === text ? [] : [[at, text]])),
    ),
    steps: column(({ step }) => step),
    epochs: column(({ epoch }) => epoch),
    timestamps: column(({ timestamp }) => timestamp),
  };
};

const written = (pieces: Pieces): unknown =>
  JSON.parse(
    `{"metrics":[${pieces
      .filter(({ points }) => points.length > 0)
      .map(({ name, points }) => Buffer.from(writePoints(name, toColumns(points))).toString())
      .join(',')}]}`,
  );

const point = (of: Partial<StoredPoint>): StoredPoint => ({
  context: undefined,
  text: '0.5',
  step: 1,
  epoch: undefined,
  timestamp: 1_700_000_000_000,
  ...of,
});

describe('points as the wire lists them', () => {
  const texts = [
    '-1.5e-7',
    'NaN',
    '-Infinity',
    '1',
    'a "word"',
    'back\\slash',
    '\n',
    'é',
    '😀',
    '',
  ];
  const names = ['loss', 'train/loss', 'é "quoted" \\', '', '__proto__', '\u2028'];
  const cases: Readonly<Record<string, Pieces>> = {
    'texts of every kind': [{ name: 'loss', points: texts.map((text) => point({ text })) }],
    'names of every kind': names.map((name) => ({ name, points: [point({}), point({ step: 2 })] })),
    'contexts that change': [undefined, 'train', 'train', 'é', undefined, '"'].map((context) => ({
      name: 'loss',
      points: [point({ context }), point({ context, step: 20 })],
    })),
    'numbers of every length': [
      {
        name: 'loss',
        points: Array.from({ length: 400 }, (_, at) =>
          point({
            text: String((at % 2 === 0 ? -1 : 1) * 1.1 ** (at * 4 - 800)),
            step: Math.floor(1.08 ** at),
            epoch: Math.floor(at / 7),
            timestamp: Math.floor(1.07 ** at),
          }),
        ),
      },
      { name: 'zeros', points: [point({ text: '0', step: 0, epoch: 0, timestamp: 0 })] },
      {
        name: 'nines',
        points: [999_999_999, 1e9, 99_999_999, 1e8, 10 ** 15 - 1, 10 ** 15].map((step) =>
          point({ step, timestamp: step }),
        ),
      },
    ],
    'numbers that are not finite': [
      {
        name: 'loss',
        points: ['NaN', 'Infinity', '-Infinity', '1'].map((text) => point({ text })),
      },
    ],
    'steps and epochs that are absent, zero, negative or huge': [
      {
        name: 'loss',
        points: [
          point({ step: undefined, epoch: 0.25 }),
          point({ step: 0, epoch: 0 }),
          point({ step: -3, epoch: 1e21 }),
          point({ step: 2 ** 53, timestamp: 0 }),
        ],
      },
    ],
  };

  for (const [title, pieces] of Object.entries(cases))
    it(`are the same written quickly: ${title}`, () => {
      expect(written(pieces)).to.deep.equal(slowly(pieces));
    });

  it('are the same of several chunks at once, of either form and without the first points', () => {
    const points = Array.from({ length: 30 }, (_, at) =>
      point({
        text: at % 10 === 3 ? 'NaN' : String(at / 7),
        step: at < 20 ? at : undefined,
        timestamp: 1_700_000_000_000 + at * 9999,
      }),
    );
    const chunkOf = (from: number, to: number, encode: typeof encodeRaw) => {
      const { context: _, ...columns } = toColumns(points.slice(from, to));
      return new Uint8Array(encode([{ columns, from: 0, to: to - from }]));
    };
    for (const chunks of [
      [{ points: chunkOf(0, 30, encodeRaw), skip: 7 }],
      [
        { points: chunkOf(0, 10, encodePacked), skip: 7 },
        { points: chunkOf(10, 20, encodeRaw), skip: 0 },
        { points: chunkOf(20, 21, encodeRaw), skip: 0 },
        { points: chunkOf(21, 30, encodePacked), skip: 0 },
      ],
    ])
      expect(
        JSON.parse(
          `{"metrics":[${Buffer.from(writeChunks({ name: 'loss', context: undefined, chunks })).toString()}]}`,
        ),
      ).to.deep.equal(slowly([{ name: 'loss', points: points.slice(7) }]));
  });
});
