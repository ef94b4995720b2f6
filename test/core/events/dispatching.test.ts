import { expect } from 'chai';
import {
  type EventHandlers,
  dispatchDue,
  pauseAfter,
  type Receiver,
} from '#core/events/dispatching';
import { systemIds } from '#adapters/system/ids';
import type { DomainEvent } from '#ports/events';
import type { Log } from '#ports/log';
import { embedded } from '../opened.js';

const hour = 3_600_000;

let opened: ReturnType<typeof embedded>;

/** The embedded storage's outbox, a clock that stands until it is moved, and receivers that note what they got. */
const setUp = (subscribers: Readonly<Record<string, (seen: string[]) => EventHandlers>>) => {
  const { events } = opened().storage.stores;
  let now = 1_700_000_000_000;
  const seen: Record<string, string[]> = {};
  const receivers: Receiver[] = Object.entries(subscribers).map(([name, make]) => ({
    name,
    on: make((seen[name] = [])),
  }));
  const warnings: string[] = [];
  const silent = () => undefined;
  const log: Log = {
    debug: silent,
    info: silent,
    warn: (text) => void warnings.push(text),
    error: silent,
  };
  const needs = {
    events,
    receivers,
    clock: { now: () => now },
    log,
    holder: 'here',
    giveWay: async () => undefined,
  };
  return {
    events,
    seen,
    warnings,
    needs,
    now: () => now,
    wait: (ms: number) => {
      now += ms;
    },
    /** Each a millisecond after the one before, so that the order of subjects is known. */
    say: (subject: string, name = 'run.ended') =>
      events.append({ id: systemIds.next(), subject, name, at: ++now, detail: {} }),
    dispatch: (signal = new AbortController().signal) => dispatchDue(needs, signal),
  };
};

const noting = (seen: string[]): EventHandlers => ({
  '*': async ({ subject, number }) => void seen.push(`${subject}/${number}`),
});
const failing =
  (isBad: (event: DomainEvent) => boolean) =>
  (seen: string[]): EventHandlers => ({
    '*': async (event) => {
      if (isBad(event)) throw new Error('no');
      seen.push(`${event.subject}/${event.number}`);
    },
  });

describe('dispatching of events', () => {
  opened = embedded();
  beforeEach(async () => {
    for (const table of ['event_cursors', 'events', 'event_subjects'])
      await opened().storage.connection.db(table).delete();
  });

  it('hands every event of a subject to each receiver, in order and once', async () => {
    const { say, dispatch, seen, events } = setUp({ a: noting, b: noting });
    for (let i = 0; i < 3; i++) await say('run:1');
    await say('run:2');

    await dispatch();
    await dispatch();

    expect(seen['a']?.filter((one) => one.startsWith('run:1'))).to.deep.equal([
      'run:1/1',
      'run:1/2',
      'run:1/3',
    ]);
    expect([seen['a']?.length, seen['b']?.length, (await events.counts()).events]).to.deep.equal([
      4, 4, 0,
    ]);
  });

  it('calls those who asked for the name, and those who asked for every event', async () => {
    const { say, dispatch, seen } = setUp({
      a: (list) => ({
        'run.ended': async ({ name }) => void list.push(`own ${name}`),
        '*': async ({ name }) => void list.push(`every ${name}`),
      }),
    });
    await say('run:1', 'run.begun');
    await say('run:1', 'run.ended');

    await dispatch();

    expect(seen['a']).to.deep.equal(['every run.begun', 'own run.ended', 'every run.ended']);
  });

  it('holds back only the later events of that subject and receiver when one fails', async () => {
    const { say, dispatch, seen, events } = setUp({
      a: failing(({ subject, number }) => subject === 'run:1' && number === 2),
      b: noting,
    });
    for (let i = 0; i < 3; i++) await say('run:1');
    await say('run:2');

    await dispatch();

    expect(seen['a']?.sort()).to.deep.equal(['run:1/1', 'run:2/1']);
    expect(seen['b']?.sort()).to.deep.equal(['run:1/1', 'run:1/2', 'run:1/3', 'run:2/1']);
    expect((await events.counts()).events).to.equal(2);
  });

  it('hands on to the others what comes while one waits for its next attempt', async () => {
    const { say, dispatch, seen, wait } = setUp({ a: failing(() => true), b: noting });
    await say('run:1');
    await dispatch();
    wait(1);
    await say('run:1');

    await dispatch();

    expect(seen['b']).to.deep.equal(['run:1/1', 'run:1/2']);
  });

  it('does not repeat to one receiver what another one missed', async () => {
    let broken = true;
    const { say, dispatch, seen, wait } = setUp({ a: failing(() => broken), b: noting });
    await say('run:1');
    await dispatch();
    broken = false;
    wait(1000);
    await dispatch();

    expect([seen['a'], seen['b']]).to.deep.equal([['run:1/1'], ['run:1/1']]);
  });

  it('waits longer after each failure, up to four hours', async () => {
    expect([1, 2, 3, 11].map(pauseAfter)).to.deep.equal([1000, 2000, 4000, 1_024_000]);
    expect(pauseAfter(40)).to.equal(4 * hour);
    let attempts = 0;
    const { say, dispatch, wait } = setUp({
      a: failing(() => {
        attempts++;
        return true;
      }),
    });
    await say('run:1');
    for (let attempt = 1; attempt < 6; attempt++) {
      await dispatch();
      wait(pauseAfter(attempt) - 1);
      await dispatch();
      expect(attempts).to.equal(attempt);
      wait(1);
    }
  });

  it('parks a delivery after twelve attempts, says so, and goes on with it only when it is resumed', async () => {
    let broken = true;
    let attempts = 0;
    const { say, dispatch, wait, seen, events, warnings } = setUp({
      a: failing(() => {
        attempts++;
        return broken;
      }),
      b: noting,
    });
    await say('run:1');
    for (let i = 0; i < 20; i++) {
      await dispatch();
      wait(4 * hour);
    }

    expect([attempts, await events.counts(), warnings.at(-1)]).to.deep.equal([
      12,
      { events: 1, parked: 1 },
      'a delivery is parked',
    ]);
    await say('run:1');
    await dispatch();
    expect([attempts, seen['b']]).to.deep.equal([12, ['run:1/1', 'run:1/2']]);
    broken = false;
    expect(await events.resumeParked('a')).to.equal(1);
    await dispatch();

    expect([seen['a'], seen['b'], await events.counts()]).to.deep.equal([
      ['run:1/1', 'run:1/2'],
      ['run:1/1', 'run:1/2'],
      { events: 0, parked: 0 },
    ]);
  });

  it('forgets the failures of a delivery that succeeded', async () => {
    let broken = true;
    const { say, dispatch, wait, events } = setUp({
      a: failing(() => broken),
      b: failing(() => true),
    });
    await say('run:1');
    for (let i = 0; i < 3; i++) {
      await dispatch();
      wait(10_000);
    }
    broken = false;
    await dispatch();

    expect(
      (await events.listCursors(['run:1'])).find(({ receiver }) => receiver === 'a'),
    ).to.deep.equal({
      receiver: 'a',
      subject: 'run:1',
      delivered: 1,
      attempts: 0,
      retryAt: undefined,
      parked: false,
    });
  });

  it('works through more events than it looks at in one go', async () => {
    const { say, dispatch, seen, events } = setUp({ a: noting });
    for (let i = 0; i < 250; i++) await say('run:1');

    for (let i = 0; i < 3; i++) await dispatch();

    expect(seen['a']).to.deep.equal(Array.from({ length: 250 }, (_, i) => `run:1/${i + 1}`));
    expect((await events.counts()).events).to.equal(0);
  });

  it('hands every event to the others, however many wait behind one that is parked', async () => {
    const { say, dispatch, seen, events, wait } = setUp({ a: failing(() => true), b: noting });
    for (let i = 0; i < 250; i++) await say('run:1');

    for (let i = 0; i < 15; i++) {
      await dispatch();
      wait(4 * hour);
    }

    expect(seen['b']).to.have.length(250);
    expect(await events.counts()).to.deep.equal({ events: 250, parked: 1 });
  });

  it('leaves a subject alone that another process works on', async () => {
    const { say, dispatch, seen, events } = setUp({ a: noting });
    await say('run:1');
    await events.claim(['run:1'], 'elsewhere', 60_000);

    expect(await dispatch()).to.equal(0);
    expect(seen['a']).to.deep.equal([]);
  });

  it('leaves what takes long to its next turn, and works on no subject whose claim has lapsed', async () => {
    const { say, dispatch, seen, wait } = setUp({
      a: (list) => ({
        '*': async ({ subject, number }) => {
          list.push(`${subject}/${number}`);
          wait(15_000);
        },
      }),
    });
    for (let i = 0; i < 5; i++) await say(`run:${i}`);

    await dispatch();
    expect(seen['a']).to.deep.equal(['run:0/1', 'run:1/1']);
    for (let i = 0; i < 2; i++) await dispatch();

    expect(seen['a']?.sort()).to.deep.equal([0, 1, 2, 3, 4].map((i) => `run:${i}/1`));
  });

  it('keeps what it did for one subject when another cannot be worked on', async () => {
    const { say, needs, seen, events, now } = setUp({ a: noting });
    const broken = {
      ...events,
      listAfter: async () => {
        throw new Error('away');
      },
    };
    await say('run:0');
    // More than is looked at in one go, of which the receiver has some.
    for (let i = 0; i < 100; i++) await say('run:1');
    await events.claim(['run:1'], 'before', 60_000);
    await events.recordAttempts('before', [
      {
        subject: 'run:1',
        cursors: new Map([['a', { delivered: 1, attempts: 0, retryAt: undefined, parked: false }]]),
        through: 0,
        dueAt: now(),
      },
    ]);
    await say('run:2');

    const failed = await dispatchDue(
      { ...needs, events: broken },
      new AbortController().signal,
    ).then(
      () => 'done',
      (thrown: Error) => thrown.message,
    );

    expect([failed, seen['a'], (await events.counts()).events]).to.deep.equal([
      'away',
      ['run:0/1'],
      101,
    ]);
  });

  describe('to who takes many at once', () => {
    /** A receiver that takes events together, unless one of them is bad. */
    const taking = (
      needs: ReturnType<typeof setUp>['needs'],
      isBad: (event: DomainEvent) => boolean = () => false,
    ) => {
      const [calls, single]: [string[][], string[]] = [[], []];
      const nameOf = ({ subject, number }: DomainEvent): string => `${subject}/${number}`;
      const receiver: Receiver = {
        name: 'many',
        on: {
          '*': async (event) => {
            if (isBad(event)) throw new Error('no');
            single.push(nameOf(event));
          },
        },
        async together(events) {
          if (events.some(isBad)) throw new Error('one of them');
          calls.push(events.map(nameOf));
        },
      };
      return {
        calls,
        single,
        dispatch: () =>
          dispatchDue(
            { ...needs, receivers: [receiver, ...needs.receivers] },
            new AbortController().signal,
          ),
      };
    };

    it('they go in one piece, each subject in its order, and once', async () => {
      const { say, needs, events, seen } = setUp({ a: noting });
      const { calls, single, dispatch } = taking(needs);
      for (let i = 0; i < 4; i++) await say(`run:${i % 2}`);

      for (let i = 0; i < 2; i++) await dispatch();

      expect([calls, single, seen['a']?.length, (await events.counts()).events]).to.deep.equal([
        [['run:0/1', 'run:0/2', 'run:1/1', 'run:1/2']],
        [],
        4,
        0,
      ]);
    });

    it('they go one by one when they cannot go together, and only what follows the bad one is held back', async () => {
      let broken = true;
      const { say, needs, events, wait } = setUp({});
      const { calls, single, dispatch } = taking(
        needs,
        ({ subject, number }) => broken && subject === 'run:0' && number === 2,
      );
      for (let i = 0; i < 6; i++) await say(`run:${i % 2}`);

      await dispatch();
      expect([calls, single, await events.listCursors(['run:0'])]).to.deep.equal([
        [],
        ['run:0/1', 'run:1/1', 'run:1/2', 'run:1/3'],
        [
          {
            receiver: 'many',
            subject: 'run:0',
            delivered: 1,
            attempts: 1,
            retryAt: needs.clock.now() + 1000,
            parked: false,
          },
        ],
      ]);
      await say('run:1');
      await dispatch();
      broken = false;
      wait(1000);
      await dispatch();
      await say('run:0');
      await dispatch();

      expect([calls, single.slice(4), (await events.counts()).events]).to.deep.equal([
        [['run:1/4'], ['run:0/4']],
        ['run:0/2', 'run:0/3'],
        0,
      ]);
    });

    it('they are handed on some at a time, however many wait', async () => {
      const { say, needs, events } = setUp({ a: noting });
      const { calls, single, dispatch } = taking(needs);
      for (let i = 0; i < 250; i++) await say('run:0');
      for (let i = 0; i < 120; i++) await say(`run:${1 + (i % 2)}`);

      for (let i = 0; i < 4; i++) await dispatch();

      const all = calls.flat();
      for (const [subject, count] of [
        ['run:0', 250],
        ['run:1', 60],
        ['run:2', 60],
      ] as const)
        expect(all.filter((one) => one.startsWith(`${subject}/`))).to.deep.equal(
          Array.from({ length: count }, (_, i) => `${subject}/${i + 1}`),
        );
      expect([
        Math.max(...calls.map(({ length }) => length)),
        single,
        (await events.counts()).events,
      ]).to.deep.equal([100, [], 0]);
    });

    it('they wait no longer behind what another receiver does not take', async () => {
      const { say, needs, events } = setUp({ bad: failing(() => true) });
      const { calls, dispatch } = taking(needs);
      for (let i = 0; i < 2; i++) {
        await say('run:0');
        await dispatch();
      }

      expect([calls, (await events.counts()).events]).to.deep.equal([
        [['run:0/1'], ['run:0/2']],
        2,
      ]);
    });
  });

  it('takes no further subject once it is told to stop', async () => {
    const { say, dispatch, seen } = setUp({ a: noting });
    await say('run:1');
    const stopped = new AbortController();
    stopped.abort();

    expect([await dispatch(stopped.signal), seen['a']]).to.deep.equal([0, []]);
  });

  it('removes events that nobody receives', async () => {
    const { say, dispatch, events } = setUp({});
    await say('run:1');

    await dispatch();

    expect((await events.counts()).events).to.equal(0);
  });
});
