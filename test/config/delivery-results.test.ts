import { expect } from 'chai';
import { recordTogether } from '#config/delivery-results';
import { Failure } from '#ports/failure';
import type { Attempt, GivenQueue } from '#ports/storage/deliveries';

const attempt = (id: string): Attempt => ({
  id,
  channelId: 'c',
  state: 'DELIVERED',
  attempts: 1,
  triedAt: 1,
  retryAt: undefined,
  status: 204,
  durationMs: 1,
  reply: '',
  error: undefined,
});
const queue = (channelId: string): GivenQueue => ({ channelId, subjectId: 's', dueAt: undefined });

/** A store that notes what it was asked, and says when it is time. */
const setUp = (refuse: (ids: readonly string[]) => unknown = () => undefined) => {
  const stored: (readonly string[])[] = [];
  const due: (() => void)[] = [];
  const settle = recordTogether(
    async (attempts, given) => {
      const ids = [...attempts.map(({ id }) => id), ...given.map(({ channelId }) => channelId)];
      stored.push(ids);
      const thrown = refuse(ids);
      if (thrown !== undefined) throw thrown;
    },
    () =>
      new Promise((resolve) => {
        due.push(resolve);
      }),
  );
  return {
    stored,
    settle,
    time: () => {
      due.shift()?.();
    },
    outcome: (work: Promise<void>) =>
      work.then(
        () => 'stored',
        (thrown: Error) => thrown.message,
      ),
  };
};

describe('settling together', () => {
  it('stores in one piece what came before it was time, and what comes later after it', async () => {
    const { stored, settle, time } = setUp();
    const first = [
      settle([attempt('a')], []),
      settle([attempt('b'), attempt('c')], []),
      settle([], [queue('q')]),
    ];
    time();
    await Promise.all(first);
    const second = settle([attempt('d')], []);
    expect(stored).to.deep.equal([['a', 'b', 'c', 'q']]);
    time();
    await second;

    expect(stored).to.deep.equal([['a', 'b', 'c', 'q'], ['d']]);
  });

  it('fails with what cannot be stored none of the others', async () => {
    const { settle, time, outcome } = setUp((ids) =>
      ids.includes('bad') ? new Error('no') : undefined,
    );
    const works = [
      settle([attempt('a')], []),
      settle([attempt('bad')], []),
      settle([], [queue('q')]),
    ].map(outcome);
    time();

    expect(await Promise.all(works)).to.deep.equal(['stored', 'no', 'stored']);
  });

  it('does not try one by one while the database is away, and goes on when it is back', async () => {
    let away = true;
    const { stored, settle, time, outcome } = setUp(() =>
      away ? new Failure('unavailable', 'away') : undefined,
    );
    const works = [settle([attempt('a')], []), settle([attempt('b')], [])].map(outcome);
    time();
    expect([await Promise.all(works), stored.length]).to.deep.equal([['away', 'away'], 1]);
    away = false;
    const later = outcome(settle([attempt('c')], []));
    time();

    expect(await later).to.equal('stored');
  });
});
