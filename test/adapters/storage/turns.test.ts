import { expect } from 'chai';
import { cancellable, createSemaphore } from '#adapters/storage/sql/semaphore';
import { isFailure } from '#ports/failure';
import { rejection } from '#test/contract/storage/builders';

/** Something that goes on until it is told to end. */
const going = () => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, work: () => ended };
};
const settle = () =>
  new Promise((wake) => {
    setImmediate(wake);
  });
const kindOf = (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown);

describe('turns', () => {
  it('let a few run at once and the others in the order they came', async () => {
    const turns = createSemaphore({ running: 2, waiting: 10, busy: 'busy' });
    const begun: number[] = [];
    const works = [going(), going(), going(), going()];
    const all = works.map(({ work }, i) =>
      turns.take(undefined, () => {
        begun.push(i);
        return work();
      }),
    );
    await settle();
    expect(begun).to.deep.equal([0, 1]);

    works[1]?.end();
    await settle();
    expect(begun).to.deep.equal([0, 1, 2]);

    for (const { end } of works) end();
    await Promise.all(all);
    expect(begun).to.deep.equal([0, 1, 2, 3]);
  });

  it('refuse one more than may wait, and go on after one that failed', async () => {
    const turns = createSemaphore({ running: 1, waiting: 1, busy: 'busy' });
    const first = going();
    const [failing, waiting] = [
      turns.take(undefined, () =>
        first.work().then(() => {
          throw new Error('broken');
        }),
      ),
      turns.take(undefined, () => Promise.resolve('done')),
    ];

    expect(kindOf(await rejection(turns.take(undefined, () => Promise.resolve())))).to.equal(
      'unavailable',
    );
    first.end();

    expect([((await rejection(failing)) as Error).message, await waiting]).to.deep.equal([
      'broken',
      'done',
    ]);
  });

  it('leave out who has gone before its turn', async () => {
    const turns = createSemaphore({ running: 1, waiting: 5, busy: 'busy' });
    const [first, gone] = [going(), new AbortController()];
    const running = turns.take(undefined, first.work);
    const left = rejection(turns.take(gone.signal, () => Promise.reject(new Error('it ran'))));
    const next = turns.take(undefined, () => Promise.resolve('next'));

    gone.abort();
    first.end();

    expect([kindOf(await left), await running, await next]).to.deep.equal([
      'unavailable',
      undefined,
      'next',
    ]);
  });
});

describe('cancellable work', () => {
  it('is cancelled when its time is over, and waits for the cancellation', async () => {
    const order: string[] = [];
    const one = going();

    await cancellable(
      { signal: undefined, afterMs: 1 },
      async () => {
        one.end();
        await settle();
        order.push('cancelled');
      },
      one.work,
    );
    order.push('ended');

    expect(order).to.deep.equal(['cancelled', 'ended']);
  });

  it('is not cancelled once it has ended', async () => {
    const gone = new AbortController();
    let cancelled = false;

    await cancellable(
      { signal: gone.signal },
      () => {
        cancelled = true;
        return Promise.resolve();
      },
      () => Promise.resolve(),
    );
    gone.abort();

    expect(cancelled).to.equal(false);
  });
});
