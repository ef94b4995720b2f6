// How many different values there were: counted while they are few, estimated from then on, and the same however they came.
import { expect } from 'chai';
import { Distinct, estimateOf, packedBytes } from '#plugins/monitoring/distinct';
import { packProfiles, unpackProfiles } from '#plugins/monitoring/profile-packing';
import {
  distinctOf,
  emptySketch,
  mergeAll,
  mergeSketches,
  sketchOf,
} from '#plugins/monitoring/sketches';

const kinds = {
  'whole numbers': (at: number) => at,
  'large whole numbers': (at: number) => 1_700_000_000_000 + at * 1000,
  decimals: (at: number) => at / 7,
  'numbers like chance': (at: number) => Math.sin(at * 12.9898) * 43758.5453,
  texts: (at: number) => `user-${at}`,
  'long texts that differ at their end': (at: number) => `${'x'.repeat(300)}${at}`,
} as const;

describe('counts of different values', () => {
  for (const [title, valueOf] of Object.entries(kinds))
    it(`are within a tenth for ${title}, however many`, () => {
      for (const count of [1, 10, 300, 1000, 2500, 10_000, 100_000]) {
        const all = new Distinct();
        for (let at = 0; at < count; at++) all.add(valueOf(at));
        const found = estimateOf(all.pack());
        expect(Math.abs(found - count) / count, `${found} of ${count}`).to.be.at.most(0.1);
      }
    });

  it('are off by about three percent of a hundred sets', () => {
    let squares = 0;
    for (let set = 0; set < 100; set++) {
      const all = new Distinct();
      for (let at = 0; at < 5000; at++) all.add(set * 1_000_000 + at);
      squares += (estimateOf(all.pack()) / 5000 - 1) ** 2;
    }
    expect(Math.sqrt(squares / 100)).to.be.within(0.01, 0.05);
  });

  it('count the same value once, in any order and from any number of parts', () => {
    const [one, other, both] = [new Distinct(), new Distinct(), new Distinct()];
    for (let at = 0; at < 20_000; at++) {
      (at % 3 === 0 ? one : other).add(at);
      both.add(19_999 - at);
      both.add(at);
    }
    one.join(other.pack());
    expect(one.pack()).to.deep.equal(both.pack());
    expect(new Distinct().estimate()).to.equal(0);
  });

  it('of sums are exact while every value is there', () => {
    expect(distinctOf(emptySketch)).to.equal(0);
    expect(distinctOf(sketchOf([1, 1, 2, 'a', 'a', -0, 0]))).to.equal(4);
    const one = sketchOf(Array.from({ length: 250 }, (_, at) => at));
    const other = sketchOf(Array.from({ length: 250 }, (_, at) => at + 5));
    expect([one.registers, distinctOf(mergeSketches(one, other))]).to.deep.equal([null, 255]);
  });

  it('of sums are estimated where they are many, also of sums of sums', () => {
    const hours = Array.from({ length: 48 }, (_, hour) =>
      sketchOf(Array.from({ length: 900 }, (__, at) => (hour % 2) * 450 + at)),
    );
    const texts = Array.from({ length: 12 }, (_, hour) =>
      sketchOf(Array.from({ length: 200 }, (__, at) => `t${hour * 100 + at}`)),
    );
    expect(distinctOf(mergeAll(hours))).to.be.within(1200, 1500);
    expect(distinctOf(mergeAll(texts))).to.be.within(1150, 1450);
    const kept = [mergeAll(hours), sketchOf([1]), mergeAll(texts)].map((sketch, hour) => ({
      ...{ hour, version: '1', sketch },
    }));
    const read = unpackProfiles(packProfiles(kept));
    expect(read[0]?.sketch.registers).to.have.length(packedBytes);
    expect(read.map(({ sketch }) => distinctOf(sketch))).to.deep.equal(
      kept.map(({ sketch }) => distinctOf(sketch)),
    );
  });

  it('are not told of sums that were made before they were kept', () => {
    const older = { ...sketchOf(Array.from({ length: 900 }, (_, at) => at)), registers: null };
    expect(distinctOf(older)).to.equal(null);
    expect(distinctOf(mergeSketches(older, sketchOf([1, 2])))).to.equal(null);
  });
});
