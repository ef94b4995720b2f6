import { expect } from 'chai';
import fc from 'fast-check';
import { toSlice } from '#adapters/storage/sql/metrics/points';
import {
  decode,
  decodeColumns,
  encodePacked,
  encodeRaw,
  type Point,
} from '#adapters/storage/sql/metrics/codec';

const forms = [
  { form: 'raw', encode: (points: readonly Point[]) => encodeRaw([toSlice(points)]) },
  { form: 'packed', encode: (points: readonly Point[]) => encodePacked([toSlice(points)]) },
] as const;

const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);
const rarely = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const points: fc.Arbitrary<Point[]> = fc.array(
  fc.record({
    value: fc.double(),
    text: rarely(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('True', '122.0', '9223372036854775807', ''),
      ),
    ),
    step: rarely(integer),
    epoch: rarely(integer),
    timestamp: fc.integer({ min: 0, max: 1e15 }),
  }),
  { maxLength: 200 },
);

/** A run as a training loop logs it: even steps, ten points a second with jitter. */
const run = (count: number, valueAt: (at: number) => number): Point[] =>
  Array.from({ length: count }, (_, at) => ({
    value: valueAt(at),
    text: undefined,
    step: at,
    epoch: undefined,
    timestamp: 1_700_000_000_000 + at * 100 + ((at * 7919) % 11),
  }));

/** Fractions that look random and are the same in every run. */
const noise = (at: number): number => {
  const mixed = Math.sin(at * 12.9898) * 43758.5453;
  return mixed - Math.floor(mixed);
};

const bytesPerPoint = (valueAt: (at: number) => number): number =>
  encodePacked([toSlice(run(1024, valueAt))]).length / 1024;

for (const { form, encode } of forms) {
  describe(`metric chunk, ${form}`, () => {
    it('gives back every point as it was given', () => {
      fc.assert(
        fc.property(points, (given) => {
          expect(decode(encode(given))).to.deep.equal(given);
        }),
      );
    });

    it('keeps the sign of zero, infinities and values that are no numbers', () => {
      const given = [0, -0, Infinity, -Infinity, NaN].map((value) => ({
        ...run(1, () => value)[0]!,
        text: 'nan',
      }));

      const values = decode(encode(given)).map((point) => point.value);

      expect(values.map((value) => Object.is(value, -0))).to.deep.equal([
        false,
        true,
        false,
        false,
        false,
      ]);
      expect(values).to.deep.equal([0, -0, Infinity, -Infinity, NaN]);
    });

    it('keeps steps whose distance is beyond every safe integer', () => {
      const steps = [
        Number.MAX_SAFE_INTEGER,
        Number.MIN_SAFE_INTEGER,
        0,
        undefined,
        Number.MAX_SAFE_INTEGER,
      ];
      const given = steps.map((step) => ({ ...run(1, () => 1)[0]!, step, epoch: step }));

      expect(decode(encode(given))).to.deep.equal(given);
    });

    it('keeps a chunk without points', () => {
      expect(decode(encode([]))).to.deep.equal([]);
    });

    it('reads bytes that begin anywhere in memory', () => {
      const given = run(10, noise);
      const shifted = Buffer.concat([Buffer.of(0, 0, 0), encode(given)]).subarray(3);

      expect(decode(shifted)).to.deep.equal(given);
    });

    it('gives columns with NaN for an absent step and epoch', () => {
      const given = [
        { ...run(1, () => 2)[0]!, text: 'two' },
        { ...run(1, () => 3)[0]!, step: undefined, epoch: 4 },
      ];

      const columns = decodeColumns(encode(given));

      expect([...columns.values]).to.deep.equal([2, 3]);
      expect([...columns.timestamps]).to.deep.equal([1_700_000_000_000, 1_700_000_000_000]);
      expect([...columns.steps]).to.deep.equal([0, NaN]);
      expect([...columns.epochs]).to.deep.equal([NaN, 4]);
      expect([...columns.texts]).to.deep.equal([[0, 'two']]);
    });

    it('refuses a chunk of which any byte was changed', () => {
      const chunk = encode(run(20, noise));
      const refuses = (at: number, change: number) => {
        const damaged = Buffer.from(chunk);
        damaged[at]! ^= change;
        expect(() => decode(damaged), `byte ${at} of ${chunk.length}`).to.throw(
          Error,
          'metric chunk',
        );
      };
      for (let at = 0; at < chunk.length; at++)
        for (let bit = 1; bit < 256; bit *= 2) refuses(at, bit);
      fc.assert(fc.property(fc.nat(chunk.length - 1), fc.integer({ min: 1, max: 255 }), refuses));
    });

    it('refuses a chunk cut short anywhere, and one that has grown', () => {
      const chunk = encode(run(20, noise));

      for (let length = 0; length < chunk.length; length++)
        expect(() => decode(chunk.subarray(0, length))).to.throw(Error, 'metric chunk');
      expect(() => decode(Buffer.concat([chunk, Buffer.of(0)]))).to.throw(Error, 'metric chunk');
    });
  });
}

describe('metric chunk size', () => {
  it('is at most 9 bytes a point for values of full entropy', () => {
    expect(bytesPerPoint(noise)).to.be.below(9);
  });

  it('is at most 5 bytes a point for values of single precision', () => {
    expect(
      bytesPerPoint((at) => Math.fround(2.3 * Math.exp(-at / 300) + noise(at) / 20)),
    ).to.be.below(5);
  });

  it('is at most 1 byte a point for a constant', () => {
    expect(bytesPerPoint(() => 0.001)).to.be.below(1);
  });

  it('refuses a chunk of a form it does not know', () => {
    expect(() => decode(Buffer.of(9, 1, 2))).to.throw(Error, 'metric chunk has the unknown form 9');
    expect(() => decode(Buffer.alloc(0))).to.throw(Error, 'metric chunk is empty');
  });
});

describe('a raw chunk of one point', () => {
  it('has the bytes that it has among many', () => {
    const alone = points.filter(({ length }) => length > 0);
    fc.assert(
      fc.property(alone, ([first]) => {
        const slice = toSlice([first!]);
        const none = { ...slice, from: slice.to };
        expect(encodeRaw([slice])).to.deep.equal(encodeRaw([slice, none]));
      }),
    );
  });
});
