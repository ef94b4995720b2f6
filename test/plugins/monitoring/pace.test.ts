import { expect } from 'chai';
import { Pace } from '#plugins/monitoring/pace';
import { isFailure } from '#ports/failure';

describe('the pace at which a workspace may send', () => {
  const begin = (perMinute: number) => {
    const time = { now: 0 };
    const pace = new Pace({ now: () => time.now }, perMinute);
    const take = (workspace: string, items: number): number | 'taken' => {
      try {
        pace.take(workspace, items);
        return 'taken';
      } catch (thrown) {
        if (!isFailure(thrown) || thrown.kind !== 'throttled') throw thrown;
        return thrown.retryAfter ?? NaN;
      }
    };
    return { time, take };
  };

  it('is a minute’s worth at once, and then as much as time has passed', () => {
    const { time, take } = begin(600);
    expect([take('a', 600), take('a', 100), take('b', 1)]).to.deep.equal(['taken', 10, 'taken']);
    time.now += 9_900;
    expect(take('a', 100)).to.equal(1);
    time.now += 100;
    expect([take('a', 100), take('a', 1)]).to.deep.equal(['taken', 1]);
    time.now += 3_600_000;
    expect([take('a', 600), take('a', 1)]).to.deep.equal(['taken', 1]);
  });

  it('lets a batch pass that is larger than a minute’s worth, which those behind it wait for', () => {
    const { time, take } = begin(60);
    expect([take('a', 180), take('a', 1)]).to.deep.equal(['taken', 121]);
    time.now += 121_000;
    expect(take('a', 1)).to.equal('taken');
  });

  it('is as many as come where nobody set it', () => {
    const { take } = begin(0);
    for (let turn = 0; turn < 100; turn++) expect(take('a', 1_000_000)).to.equal('taken');
  });
});
