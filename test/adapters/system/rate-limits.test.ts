import { expect } from 'chai';
import { bucketLimits } from '#adapters/system/rate-limits';

const none = {
  ...{ userEvents: 0, workspaceEvents: 0, singleWrites: 0, spanReads: 0 },
  ...{ traceLists: 0, traceStreams: 0, traceStatistics: 0 },
};
const events = (of: string, amount: number) => ({ kind: 'userEvents', of, amount }) as const;

describe('limits of rates', () => {
  it('are off without limits, and where one is 0', () => {
    const off = bucketLimits(undefined, { now: () => 0 }, () => 1);
    expect([off.isOn, off.take([events('a', 1e9)])]).to.deep.equal([
      false,
      { retryAfter: 0, allowances: [] },
    ]);
    const all = bucketLimits(none, { now: () => 0 }, () => 1);
    expect(all.take([events('a', 1e9)])).to.deep.equal({ retryAfter: 0, allowances: [] });
  });

  it('take as much as a minute has, and say what is left and until when', () => {
    let now = 0;
    const limits = bucketLimits({ ...none, userEvents: 60 }, { now: () => now }, () => 1);
    const take = (of: string, amount: number) => {
      const { retryAfter, allowances } = limits.take([events(of, amount)]);
      return [retryAfter, ...allowances.map(({ left, fullInMs }) => [left, fullInMs])];
    };
    expect(take('a', 50)).to.deep.equal([0, [10, 50_000]]);
    expect(take('a', 20)).to.deep.equal([10, [10, 50_000]]);
    expect(take('b', 60)).to.deep.equal([0, [0, 60_000]]);
    now += 10_000;
    expect(take('a', 20)).to.deep.equal([0, [0, 60_000]]);
    now += 3_600_000;
    expect(take('a', 0)).to.deep.equal([0, [60, 0]]);
  });

  it('let a call through that is larger than a minute has, once all of that is there', () => {
    let now = 0;
    const limits = bucketLimits({ ...none, userEvents: 60 }, { now: () => now }, () => 1);
    expect(limits.take([events('a', 90)]).retryAfter).to.equal(0);
    expect(limits.take([events('a', 1)]).retryAfter).to.be.closeTo(31, 1e-9);
    now += 31_001;
    expect(limits.take([events('a', 1)]).retryAfter).to.equal(0);
  });

  it('take nothing where one of several is not left', () => {
    const limits = bucketLimits(
      { ...none, userEvents: 60, workspaceEvents: 30 },
      { now: () => 0 },
      () => 1,
    );
    const take = (amount: number) =>
      limits.take([events('a', amount), { kind: 'workspaceEvents', of: 'w', amount }]);
    expect(take(40)).to.deep.include({ retryAfter: 0 });
    const { retryAfter, allowances } = take(15);
    expect(retryAfter).to.equal(50);
    expect(allowances.map(({ kind, left, isShort }) => [kind, left, isShort])).to.deep.equal([
      ['userEvents', 20, false],
      ['workspaceEvents', 0, true],
    ]);
  });

  it('are divided among processes that serve', () => {
    const limits = bucketLimits({ ...none, userEvents: 60 }, { now: () => 0 }, () => 2);
    const [first] = limits.take([events('a', 20)]).allowances;
    expect(first).to.deep.include({ perMinute: 60, left: 20 });
    expect(limits.take([events('a', 20)]).retryAfter).to.equal(20);
  });
});
