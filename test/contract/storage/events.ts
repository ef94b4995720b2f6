import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Cursor, NewEvent, Settled } from '#ports/storage/events';
import type { Storage } from '#ports/storage/storage';
import { freshId, freshName, rejection, start } from './builders.js';

/** What every outbox of events keeps to. */
export const eventContract = (storage: () => Storage): void => {
  const events = () => storage().stores.events;
  const event = (subject: string, given: Partial<NewEvent> = {}): NewEvent => ({
    id: freshId(),
    subject,
    name: 'thing.happened',
    at: start,
    detail: {},
    ...given,
  });
  const numbersOf = async (subject: string) =>
    (await events().listAfter(subject, 0, 1000)).map((one) => one.number);
  const isDue = async (subject: string, now: number) =>
    (await events().listDue(now, 100_000)).includes(subject);
  const claim = async (subject: string, holder: string, ms = 60_000) =>
    (await events().claim([subject], holder, ms)).length === 1;
  const recordAttempts = (subject: string, holder: string, given: Partial<Settled> = {}) =>
    events().recordAttempts(holder, [
      { subject, cursors: new Map(), through: 0, dueAt: undefined, ...given },
    ]);
  const readCursor = async (receiver: string, subject: string) => {
    const {
      receiver: _,
      subject: _of,
      ...cursor
    } = (await events().listCursors([subject])).find((one) => one.receiver === receiver) ?? {
      ...fresh,
      receiver,
      subject,
    };
    return cursor;
  };
  /** A round in which nothing but this came of it. */
  const settled = async (subject: string, given: Partial<Settled>) => {
    await claim(subject, 'round');
    await recordAttempts(subject, 'round', given);
  };
  const fresh = { delivered: 0, attempts: 0, retryAt: undefined, parked: false };

  it('returns what was stored, numbered from 1 within its subject', async () => {
    const subject = freshName('thing:é ');
    const [one, two] = [
      event(subject, { detail: { deep: [1, null, { 'ü😀': true }] }, at: start + 5 }),
      event(subject, { name: 'thing.ended' }),
    ];
    await events().append(one);
    await events().append(two);
    await events().append(event(`${subject}other`));

    expect(await events().listAfter(subject, 0, 10)).to.deep.equal([
      { ...one, number: 1 },
      { ...two, number: 2 },
    ]);
    expect((await events().listAfter(subject, 1, 10)).map((found) => found.id)).to.deep.equal([
      two.id,
    ]);
    expect((await events().listAfter(subject, 0, 1)).map((found) => found.id)).to.deep.equal([
      one.id,
    ]);
  });

  it('gives the first events of several subjects at once, up to a limit for each, with the cursors of their receivers', async () => {
    const [one, two, empty, parked] = [
      freshName('thing'),
      freshName('thing'),
      freshName('thing'),
      { delivered: 1, attempts: 12, retryAt: start, parked: true },
    ];
    for (const subject of [one, two, one, one])
      await events().append(event(subject, { detail: { of: subject } }));
    await settled(one, {
      through: 1,
      cursors: new Map<string, Cursor>([
        ['r', parked],
        ['s', { ...fresh, delivered: 2 }],
      ]),
    });

    const found = await events().listFirst([two, empty, one], 1);
    expect(
      found.map(({ subject, number, detail }) => [subject, number, detail]),
    ).to.have.deep.members([
      [one, 2, { of: one }],
      [two, 1, { of: two }],
    ]);
    expect((await events().listFirst([one], 100)).map(({ number }) => number)).to.deep.equal([
      2, 3,
    ]);
    expect(await events().listCursors([two, empty, one])).to.have.deep.members([
      { ...parked, receiver: 'r', subject: one },
      { ...fresh, delivered: 2, receiver: 's', subject: one },
    ]);
    expect([await events().listFirst([], 10), await events().listCursors([])]).to.deep.equal([
      [],
      [],
    ]);
  });

  it('leaves no gap between the numbers of events that come at once', async () => {
    const subject = freshName('thing');

    await Promise.all(Array.from({ length: 30 }, () => events().append(event(subject))));

    expect(await numbersOf(subject)).to.deep.equal(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it('is rolled back with its transaction, and the next event gets its number', async () => {
    const subject = freshName('thing');
    await rejection(
      storage().transaction(async (stores) => {
        await stores.events.append(event(subject));
        throw new Error('undo');
      }),
    );
    await storage().transaction((stores) => stores.events.append(event(subject, { name: 'kept' })));

    expect(
      (await events().listAfter(subject, 0, 10)).map((one) => [one.number, one.name]),
    ).to.deep.equal([[1, 'kept']]);
  });

  it('continues its numbers after everything is removed', async () => {
    const subject = freshName('thing');
    await events().append(event(subject));
    await settled(subject, { through: 1 });
    await events().append(event(subject));

    expect(await numbersOf(subject)).to.deep.equal([2]);
  });

  it('lists subjects that are due, oldest first, as many as asked for', async () => {
    const [late, early, future] = [freshName('late'), freshName('early'), freshName('future')];
    await events().append(event(late, { at: 2 }));
    await events().append(event(early, { at: 1 }));
    await events().append(event(future, { at: start * 2 }));

    expect(
      (await events().listDue(2, 1000)).filter((subject) =>
        [late, early, future].includes(subject),
      ),
    ).to.deep.equal([early, late]);
    expect(await events().listDue(start, 1)).to.have.length(1);
    for (const subject of [late, early, future]) await settled(subject, {});
    expect(await isDue(late, start)).to.equal(false);
  });

  it('gives a subject to one of many who claim it at once, and lists it no more', async () => {
    const subject = freshName('thing');
    await events().append(event(subject));

    const claims = await Promise.all(Array.from({ length: 10 }, (_, i) => claim(subject, `p${i}`)));

    expect(claims.filter((one) => one)).to.have.length(1);
    expect(await isDue(subject, Date.now())).to.equal(false);
  });

  it('gives a subject to another holder when the first one was not done in time', async () => {
    const subject = freshName('thing');
    await events().append(event(subject));
    await claim(subject, 'slow', 30);

    for (let tries = 0; tries < 200 && !(await isDue(subject, Date.now() + 60_000)); tries++)
      await wait(10);

    expect(await claim(subject, 'next')).to.equal(true);
    await recordAttempts(subject, 'slow', {
      through: 1,
      cursors: new Map([['r', { ...fresh, delivered: 1 }]]),
    });
    expect(await claim(subject, 'third')).to.equal(false);
    expect([await numbersOf(subject), await readCursor('r', subject)]).to.deep.equal([[1], fresh]);
  });

  it('gives several subjects at once to who asks for them, and settles each on its own', async () => {
    const [one, two, three] = [freshName('one'), freshName('two'), freshName('three')];
    for (const subject of [one, two, three, three]) await events().append(event(subject));
    await claim(two, 'other');

    expect(
      await events().claim([three, one, two, freshName('nothing')], 'p', 60_000),
    ).to.deep.equal([three, one]);
    const behind = { delivered: 1, attempts: 1, retryAt: start + 5, parked: false };
    await events().recordAttempts('p', [
      {
        subject: one,
        cursors: new Map([['r', { ...fresh, delivered: 1 }]]),
        through: 1,
        dueAt: undefined,
      },
      { subject: two, cursors: new Map(), through: 1, dueAt: undefined },
      { subject: three, cursors: new Map([['r', behind]]), through: 1, dueAt: start + 5 },
    ]);

    expect([await numbersOf(one), await numbersOf(two), await numbersOf(three)]).to.deep.equal([
      [],
      [1],
      [2],
    ]);
    expect([await readCursor('r', one), await readCursor('r', three)]).to.deep.equal([
      fresh,
      behind,
    ]);
    expect([
      await isDue(one, start * 2),
      await isDue(two, start * 2),
      await isDue(three, start + 4),
      await isDue(three, start + 5),
    ]).to.deep.equal([false, false, false, true]);
  });

  it('is due again at the time its holder said', async () => {
    const subject = freshName('thing');
    await events().append(event(subject));
    await settled(subject, { dueAt: start + 100 });

    expect([await isDue(subject, start + 99), await isDue(subject, start + 100)]).to.deep.equal([
      false,
      true,
    ]);
  });

  it('is due at once for events that came while it was held', async () => {
    const subject = freshName('thing');
    await events().append(event(subject));
    await claim(subject, 'p');
    await events().append(event(subject, { at: start + 7 }));
    await recordAttempts(subject, 'p', { dueAt: start + 14_400_000 });

    expect([await isDue(subject, start + 6), await isDue(subject, start + 7)]).to.deep.equal([
      false,
      true,
    ]);
    await claim(subject, 'p');
    await events().append(event(subject, { at: start + 9 }));
    await recordAttempts(subject, 'p');
    expect(await isDue(subject, start + 9)).to.equal(true);
  });

  it('keeps how far each receiver has come with each subject', async () => {
    const [one, two] = [freshName('thing'), freshName('thing')];
    const cursor = { delivered: 3, attempts: 2, retryAt: start + 1, parked: false };
    for (const subject of [one, two]) await events().append(event(subject));
    await settled(one, { cursors: new Map([['r1', { ...cursor, delivered: 1 }]]) });
    await settled(one, { cursors: new Map([['r1', cursor]]) });
    await settled(one, {});

    expect(
      await Promise.all([readCursor('r1', one), readCursor('r2', one), readCursor('r1', two)]),
    ).to.deep.equal([cursor, fresh, fresh]);
  });

  it('removes events up to a number, and the cursors with the last one', async () => {
    const subject = freshName('thing');
    for (let i = 0; i < 3; i++) await events().append(event(subject));
    const cursor = { delivered: 2, attempts: 0, retryAt: undefined, parked: false };
    await settled(subject, { cursors: new Map([['r', cursor]]) });

    await settled(subject, { through: 2 });
    expect([await numbersOf(subject), await readCursor('r', subject)]).to.deep.equal([[3], cursor]);
    await settled(subject, { through: 3 });

    expect([await numbersOf(subject), await readCursor('r', subject)]).to.deep.equal([[], fresh]);
  });

  it('counts what waits, and lets the parked deliveries of one receiver be tried again', async () => {
    const before = await events().counts();
    const [receiver, subject] = [freshName('receiver'), freshName('thing')];
    await events().append(event(subject));
    const parked = { delivered: 0, attempts: 12, retryAt: start, parked: true };
    await settled(subject, {
      cursors: new Map([
        [receiver, parked],
        ['another', parked],
      ]),
      dueAt: Number.MAX_SAFE_INTEGER,
    });

    const after = await events().counts();
    expect([after.events - before.events, after.parked - before.parked]).to.deep.equal([1, 2]);
    expect(await isDue(subject, start * 2)).to.equal(false);
    expect([
      await events().resumeParked(receiver),
      await events().resumeParked(receiver),
    ]).to.deep.equal([1, 0]);
    expect([
      await isDue(subject, start),
      await readCursor(receiver, subject),
      await readCursor('another', subject),
    ]).to.deep.equal([true, fresh, parked]);
  });
};
