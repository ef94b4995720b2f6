import { expect } from 'chai';
import { createSharedRuns } from '#adapters/storage/sql/shared-runs';

describe('runs that are shared', () => {
  /** A work that ends when it is told to, and counts its beginnings. */
  const prepare = () => {
    const share = createSharedRuns();
    const ends: ((fault?: Error) => void)[] = [];
    const ask = (name = 'a') =>
      share(
        name,
        () =>
          new Promise<void>((resolve, reject) => {
            ends.push((fault) => {
              if (fault === undefined) resolve();
              else reject(fault);
            });
          }),
      );
    return { ask, ends };
  };

  it('begin at once, and anew when the one before has ended', async () => {
    const { ask, ends } = prepare();

    const first = ask();
    ends[0]?.();
    await first;
    const second = ask();
    ends[1]?.();
    await second;

    expect(ends).to.have.length(2);
  });

  it('begin after all who ask while one goes on, once for all of them', async () => {
    const { ask, ends } = prepare();
    const first = ask();
    const later = [ask(), ask(), ask()];
    let isOver = false;
    void Promise.all(later).then(() => {
      isOver = true;
    });

    ends[0]?.();
    await first;
    await new Promise(setImmediate);
    const [begun, over] = [ends.length, isOver];
    ends[1]?.();
    await Promise.all(later);

    expect([begun, over, ends.length]).to.deep.equal([2, false, 2]);
  });

  it('begin all the same after one that failed, which only its own caller hears', async () => {
    const { ask, ends } = prepare();
    const first = ask().then(
      () => 'done',
      () => 'failed',
    );
    const later = ask();

    ends[0]?.(new Error('broken'));
    await new Promise(setImmediate);
    ends[1]?.();

    expect([await first, await later]).to.deep.equal(['failed', undefined]);
  });

  it('are apart for different names', () => {
    const { ask, ends } = prepare();
    void ask('a');
    void ask('b');

    expect(ends).to.have.length(2);
  });
});
