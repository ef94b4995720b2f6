import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Attempt, NewDelivery, Queue } from '#ports/storage/deliveries';
import type { Storage } from '#ports/storage/storage';
import { freshId, rejection, start } from './builders.js';
import { addChannel } from './channels.js';

/** What every store of deliveries keeps to. */
export const deliveryContract = (storage: () => Storage): void => {
  const deliveries = () => storage().stores.deliveries;
  const add = async (given: Partial<NewDelivery> = {}): Promise<NewDelivery> => {
    const channel = given.channelId === undefined ? await addChannel(storage()) : undefined;
    const delivery: NewDelivery = {
      id: freshId(),
      channelId: channel?.id ?? '',
      workspaceId: channel?.workspaceId ?? freshId(),
      subjectId: freshId(),
      eventId: freshId(),
      trigger: 'T',
      content: '{}',
      createdAt: start,
      ...given,
    };
    await deliveries().enqueue([delivery]);
    return delivery;
  };
  /** Another one in the same queue. */
  const behind = (
    { channelId, subjectId, workspaceId }: NewDelivery,
    given: Partial<NewDelivery> = {},
  ) => add({ channelId, subjectId, workspaceId, ...given });
  const attempt = (
    { id, channelId }: Pick<NewDelivery, 'id' | 'channelId'>,
    given: Partial<Attempt> = {},
  ): Attempt => ({
    id,
    channelId,
    state: 'DELIVERED',
    attempts: 1,
    triedAt: start,
    retryAt: undefined,
    status: 200,
    durationMs: 5,
    reply: '',
    error: undefined,
    ...given,
  });
  const queueOf = ({ channelId, subjectId }: Queue): Queue => ({ channelId, subjectId });
  const listWaiting = (one: Queue, each = 100) => deliveries().listWaiting([queueOf(one)], each);
  const waiting = async (one: Queue) => (await listWaiting(one)).map(({ id }) => id);
  const record = (one: NewDelivery, given: Partial<Attempt> = {}) =>
    deliveries().recordAttempts('nobody', [attempt(one, given)], []);
  const take = async (one: Queue, holder = 'p', ms = 60_000) =>
    (await deliveries().claim([queueOf(one)], holder, ms)).length === 1;
  const given = (one: Queue, dueAt?: number) => ({ ...queueOf(one), dueAt });
  const give = (one: Queue, dueAt?: number, holder = 'p') =>
    deliveries().recordAttempts(holder, [], [given(one, dueAt)]);
  const dueOf = async (channelId: string, now: number, each = 100) =>
    (await deliveries().listDueQueues([channelId], now, each)).map(({ subjectId }) => subjectId);
  const isDue = async ({ channelId, subjectId }: Queue, now = start) => {
    const [channels, queues] = [
      await deliveries().listDueChannels(now, 100_000),
      await dueOf(channelId, now),
    ];
    expect(channels.includes(channelId)).to.equal(queues.length > 0);
    return queues.includes(subjectId);
  };
  const fresh = {
    state: 'WAITING',
    attempts: 0,
    triedAt: undefined,
    retryAt: undefined,
    status: undefined,
    durationMs: undefined,
    reply: undefined,
    error: undefined,
    repeats: undefined,
  };

  it('gives back what waits in the order of its queue, with content of any length', async () => {
    const one = await add({
      content: JSON.stringify({ é: '🦄'.repeat(100_000) }),
      trigger: 'MODEL_UPDATED',
    });
    const two = await behind(one);
    await add({ channelId: one.channelId, workspaceId: one.workspaceId });

    expect(await listWaiting(one, 10)).to.deep.equal([
      { ...one, ...fresh, number: 1 },
      { ...two, ...fresh, number: 2 },
    ]);
    expect((await listWaiting(one, 1)).map(({ id }) => id)).to.deep.equal([one.id]);
    expect(await deliveries().find(one.id)).to.deep.equal({ ...one, ...fresh, number: 1 });
    expect([await deliveries().find('x'), await deliveries().find(freshId())]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('adds the same event to a channel once, unless it repeats a delivery', async () => {
    const one = await add();
    const again = { ...one, id: freshId() };

    expect(await deliveries().enqueue([again])).to.equal(0);
    expect(await deliveries().enqueue([{ ...again, id: freshId(), repeats: one.id }])).to.equal(1);
    const other = await addChannel(storage());
    expect([
      await deliveries().enqueue([again, { ...again, id: freshId(), channelId: other.id }]),
      await deliveries().enqueue([]),
    ]).to.deep.equal([1, 0]);
    expect(
      (await listWaiting({ channelId: other.id, subjectId: one.subjectId })).map(
        ({ eventId, number }) => [eventId, number],
      ),
    ).to.deep.equal([[one.eventId, 1]]);

    expect((await listWaiting(one, 10)).map(({ repeats }) => repeats)).to.deep.equal([
      undefined,
      one.id,
    ]);
  });

  it('adds many at once to the queues of many, in their order and behind what is there', async () => {
    const [one, other] = [await add(), await addChannel(storage())];
    const more = (subjectId: string, channelId = one.channelId) => ({
      ...one,
      id: freshId(),
      eventId: freshId(),
      subjectId,
      channelId,
    });
    const [fresh, also] = [freshId(), freshId()];
    const many = [
      more(one.subjectId),
      more(fresh),
      more(one.subjectId),
      more(fresh, other.id),
      one,
      more(also),
      more(one.subjectId, other.id),
      ...Array.from({ length: 500 }, () => more(fresh)),
    ];

    expect(await deliveries().enqueue(many)).to.equal(many.length - 1);

    for (const channelId of [one.channelId, other.id])
      for (const subjectId of [one.subjectId, fresh, also]) {
        const expected = [
          ...(channelId === one.channelId && subjectId === one.subjectId ? [one] : []),
          ...many.filter(
            (delivery) =>
              delivery !== one &&
              delivery.channelId === channelId &&
              delivery.subjectId === subjectId,
          ),
        ];
        expect(
          (await listWaiting({ channelId, subjectId }, 1000)).map(({ id, number }) => [id, number]),
        ).to.deep.equal(expected.map(({ id }, place) => [id, place + 1]));
      }
  });

  it('adds to queues that meet in any order, worked on meanwhile, without a clash', async () => {
    const [one, other] = [await add(), await addChannel(storage())];
    const subjects = [one.subjectId, freshId(), freshId(), freshId()];
    const queues = subjects.flatMap((subjectId) =>
      [one.channelId, other.id].map((channelId) => ({ channelId, subjectId })),
    );
    const addAll = (order: readonly Queue[]) =>
      deliveries().enqueue(
        order.map((queue) => ({ ...one, ...queue, id: freshId(), eventId: freshId() })),
      );

    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        await addAll(i % 2 === 0 ? queues : [...queues].reverse());
        await deliveries().recordAttempts(
          `p${i}`,
          [],
          (await deliveries().claim(queues, `p${i}`, 60_000)).map((queue) => given(queue)),
        );
      }),
    );

    for (const queue of queues)
      expect((await listWaiting(queue)).map(({ number }) => number)).to.deep.equal(
        Array.from(
          {
            length:
              queue.subjectId === one.subjectId && queue.channelId === one.channelId ? 13 : 12,
          },
          (_, i) => i + 1,
        ),
      );
  });

  it('stands and falls with the transaction it is in', async () => {
    const one = await add();
    const lost = { ...one, id: freshId(), eventId: freshId() };
    await rejection(
      storage().transaction(async (stores) => {
        await stores.deliveries.enqueue([lost]);
        throw new Error('undo');
      }),
    );

    expect(await storage().transaction((stores) => stores.deliveries.enqueue([lost]))).to.equal(1);
    expect(await waiting(one)).to.deep.equal([one.id, lost.id]);
  });

  it('numbers those that come at once without a clash', async () => {
    const one = await add();

    await Promise.all(Array.from({ length: 20 }, () => behind(one)));

    expect(new Set((await listWaiting(one, 100)).map(({ number }) => number)).size).to.equal(21);
  });

  it('lists what is due, the longest waiting first, as much as asked for', async () => {
    const channel = await addChannel(storage());
    const of = (given: Partial<NewDelivery>) =>
      add({ channelId: channel.id, workspaceId: channel.workspaceId, ...given });
    const [late, early, future] = [
      await of({ createdAt: 20 }),
      await of({ createdAt: 10 }),
      await of({ createdAt: start * 2 }),
    ];
    const earlier = await add({ createdAt: 5 });

    expect(await dueOf(channel.id, 20, 10)).to.deep.equal([early.subjectId, late.subjectId]);
    expect(await dueOf(channel.id, 20, 1)).to.deep.equal([early.subjectId]);
    const due = (await deliveries().listDueChannels(20, 1000)).filter((id) =>
      [channel.id, earlier.channelId].includes(id),
    );
    expect(due).to.deep.equal([earlier.channelId, channel.id]);
    expect(await deliveries().listDueChannels(start, 1)).to.have.length(1);
    expect(await isDue(future)).to.equal(false);
  });

  it('lists nothing of a channel that is switched off, and all of it again afterwards', async () => {
    const one = await add();
    await storage().stores.channels.update(one.channelId, { enabled: false, updatedAt: start });
    expect(await isDue(one)).to.equal(false);

    await storage().stores.channels.update(one.channelId, { enabled: true, updatedAt: start });
    expect(await isDue(one)).to.equal(true);
  });

  it('gives a queue to one of many who claim it at once, who may keep it', async () => {
    const one = await add();

    const claims = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => [`p${i}`, await take(one, `p${i}`)] as const),
    );

    const [holder, ...others] = claims.filter(([, held]) => held).map(([name]) => name);
    expect([others, await isDue(one), await take(one, holder), await take(one, 'x')]).to.deep.equal(
      [[], false, true, false],
    );
  });

  it('gives a queue to another when its holder was not done in time', async () => {
    const one = await add();
    await take(one, 'slow', 30);

    let taken = false;
    for (let tries = 0; tries < 200 && !taken; tries++) {
      await wait(10);
      taken = await take(one, 'next');
    }

    expect(taken).to.equal(true);
    await give(one, undefined, 'slow');
    expect(await take(one, 'third')).to.equal(false);
  });

  it('is due again at the time that its holder said, whatever came meanwhile', async () => {
    const one = await add();
    await take(one);
    await give(one, start + 100);
    await behind(one, { createdAt: start + 1 });

    expect([await isDue(one, start + 99), await isDue(one, start + 100)]).to.deep.equal([
      false,
      true,
    ]);
  });

  it('is due when something waits as it is given back, and not when nothing does', async () => {
    const one = await add();
    await take(one);
    const two = await behind(one);
    await deliveries().recordAttempts('p', [attempt(one)], [given(one)]);
    expect(await isDue(one)).to.equal(true);

    await take(one);
    await deliveries().recordAttempts('p', [attempt(two)], [given(one)]);
    expect(await isDue(one, start * 2)).to.equal(false);
    await behind(one, { createdAt: start + 5 });
    expect([await isDue(one, start + 4), await isDue(one, start + 5)]).to.deep.equal([false, true]);
  });

  it('notes how an attempt went, of one that still waits', async () => {
    const one = await add();
    const tried = {
      state: 'WAITING',
      attempts: 1,
      triedAt: start + 1,
      retryAt: start + 9,
      status: 503,
      durationMs: 77,
      reply: 'é'.repeat(2048),
      error: 'the target answered 503',
    } as const;

    await record(one, tried);
    expect(await deliveries().find(one.id)).to.deep.equal({
      ...one,
      ...tried,
      number: 1,
      repeats: undefined,
    });
    await record(one, { attempts: 2, status: undefined, reply: undefined });
    await record(one, { state: 'FAILED', attempts: 3 });

    expect(await waiting(one)).to.deep.equal([]);
    expect(await deliveries().find(one.id)).to.deep.include({
      state: 'DELIVERED',
      attempts: 2,
      status: undefined,
      reply: undefined,
      retryAt: undefined,
      error: undefined,
    });
  });

  it('notes attempts and gives back queues of one channel together, and those that others hold to nobody', async () => {
    const channel = await addChannel(storage());
    const of = () => add({ channelId: channel.id, workspaceId: channel.workspaceId });
    const [done, more, later, foreign] = [await of(), await of(), await of(), await of()];
    await behind(more);
    for (const one of [done, more, later]) await take(one);
    await take(foreign, 'another');

    await deliveries().recordAttempts(
      'p',
      [attempt(done), attempt(more)],
      [given(done), given(more), given(later, start + 50), given(foreign)],
    );

    expect(await dueOf(channel.id, start + 49, 10)).to.deep.equal([more.subjectId]);
    expect((await dueOf(channel.id, start + 50, 10)).includes(later.subjectId)).to.equal(true);
    expect([await take(done, 'x'), await take(foreign, 'x')]).to.deep.equal([true, false]);
  });

  it('takes, notes and gives back queues of several channels together', async () => {
    const [one, two, other] = [await add(), await add(), await add()];
    await behind(two);
    await take(other, 'another');

    const held = await deliveries().claim([one, two, other].map(queueOf), 'p', 60_000);
    expect(held).to.have.deep.members([queueOf(one), queueOf(two)]);
    expect((await deliveries().listWaiting(held, 1)).map(({ id }) => id)).to.have.members([
      one.id,
      two.id,
    ]);
    await deliveries().recordAttempts(
      'p',
      [attempt(one), attempt(two)],
      [given(one, start + 5), given(two, start + 9)],
    );

    expect([await waiting(one), (await waiting(two)).length]).to.deep.equal([[], 1]);
    expect([
      await isDue(one, start + 4),
      await isDue(one, start + 5),
      await isDue(two, start + 8),
      await isDue(two, start + 9),
    ]).to.deep.equal([false, true, false, true]);
    expect(
      await deliveries().listDueQueues([one.channelId, two.channelId, freshId()], start + 9, 10),
    ).to.have.deep.members([queueOf(one), queueOf(two)]);
    expect([
      await deliveries().listDueQueues([], start, 10),
      await deliveries().claim([], 'p', 10),
    ]).to.deep.equal([[], []]);
  });

  it('notes many attempts at once, those that went alike and those that did not', async () => {
    const one = await add();
    const [two, three, other] = [await behind(one), await behind(one), await add()];
    const tried = [
      attempt(one, { durationMs: 1 }),
      attempt(two, { durationMs: 2, triedAt: start + 2 }),
      attempt(three, { state: 'FAILED', status: 410, error: 'gone', reply: 'é', durationMs: 3 }),
    ];

    await deliveries().recordAttempts(
      'p',
      [...tried, { ...attempt(other), channelId: one.channelId }],
      [],
    );

    const found = await Promise.all([one, two, three].map(({ id }) => deliveries().find(id)));
    expect(
      found.map((all) => [all?.state, all?.status, all?.durationMs, all?.triedAt, all?.error]),
    ).to.deep.equal([
      ['DELIVERED', 200, 1, start, undefined],
      ['DELIVERED', 200, 2, start + 2, undefined],
      ['FAILED', 410, 3, start, 'gone'],
    ]);
    expect((await deliveries().find(other.id))?.state).to.equal('WAITING');
  });

  it('lists what waits in each of some queues, up to a limit for each', async () => {
    const channel = await addChannel(storage());
    const of = (given: Partial<NewDelivery> = {}) =>
      add({ channelId: channel.id, workspaceId: channel.workspaceId, ...given });
    const [one, two, empty] = [await of(), await of(), await of()];
    const [second, third] = [await behind(two), await behind(two)];
    await add({ subjectId: one.subjectId });
    await behind(two);
    await record(two);
    await record(empty);

    const found = await deliveries().listWaiting(
      [one, two, empty, { ...one, subjectId: freshId() }].map(queueOf),
      2,
    );

    expect(
      found
        .filter(({ subjectId }) => subjectId === two.subjectId)
        .map(({ id, number }) => [id, number]),
    ).to.deep.equal([
      [second.id, 2],
      [third.id, 3],
    ]);
    expect([
      found.length,
      found.some(({ id }) => id === one.id),
      await deliveries().listWaiting([], 5),
    ]).to.deep.equal([3, true, []]);
  });

  it('counts what arrived at a channel since a time', async () => {
    const one = await add();
    const [two, three] = [await behind(one), await behind(one)];
    await record(one);
    await record(two, { triedAt: start + 10 });
    await record(three, { state: 'FAILED', triedAt: start + 10 });

    expect([
      await deliveries().countDelivered(one.channelId, start),
      await deliveries().countDelivered(one.channelId, start + 1),
      await deliveries().countDelivered(freshId(), 0),
    ]).to.deep.equal([2, 1, 0]);
  });

  it('pages the log of a workspace, newest first, of one channel, one subject and one state', async () => {
    const old = await add({ createdAt: start - 10 });
    const [newer, other] = [
      await behind(old, { createdAt: start + 1 }),
      await add({ channelId: old.channelId, workspaceId: old.workspaceId }),
    ];
    const elsewhere = await add({
      workspaceId: old.workspaceId,
      channelId: (await addChannel(storage())).id,
      createdAt: start + 5,
    });
    await add();
    await record(old);
    const find = async (more: object, offset = 0, limit = 10) => {
      const { total, deliveries: found } = await deliveries().search({
        workspaceId: old.workspaceId,
        offset,
        limit,
        ...more,
      });
      return [total, ...found.map(({ id }) => id)];
    };

    expect(await find({})).to.deep.equal([4, elsewhere.id, newer.id, other.id, old.id]);
    expect(await find({}, 1, 2)).to.deep.equal([4, newer.id, other.id]);
    expect(await find({ channelId: old.channelId, subjectId: old.subjectId })).to.deep.equal([
      2,
      newer.id,
      old.id,
    ]);
    expect(await find({ state: 'DELIVERED' })).to.deep.equal([1, old.id]);
  });

  it('forgets what is old, what channels that are gone have left, and channels of models that are gone', async () => {
    const modelId = freshId();
    const ending = await addChannel(storage(), { modelId });
    const [old, young, left, told] = [
      await add({ createdAt: 5 }),
      await add(),
      await add(),
      await add({ channelId: ending.id, workspaceId: ending.workspaceId }),
    ];
    await storage().stores.channels.remove(left.channelId);
    await storage().stores.channels.endModel(modelId);
    const forget = async () => {
      for (let tries = 0; tries < 1000 && (await deliveries().forget(10, 100)) > 0; tries++);
    };

    await forget();
    expect([
      await deliveries().find(old.id),
      (await deliveries().find(young.id))?.id,
      await deliveries().find(left.id),
      (await deliveries().find(told.id))?.id,
    ]).to.deep.equal([undefined, young.id, undefined, told.id]);
    await record(told);
    await forget();
    expect([
      await storage().stores.channels.find(ending.id),
      await deliveries().find(told.id),
    ]).to.deep.equal([undefined, undefined]);
  });

  it('counts what waits', async () => {
    const before = await deliveries().counts();
    const one = await add();
    await add();
    await record(one, { state: 'FAILED' });

    expect((await deliveries().counts()).waiting - before.waiting).to.equal(1);
  });
};
