import { expect } from 'chai';
import { createHub, type Hub } from '#core/live/hub';
import type { Listening, LiveMessage } from '#ports/live';
import type { HeardChange } from '#ports/model/changes';

const start = 1_800_000_000_000;

const change = (given: Partial<HeardChange> = {}): HeardChange => ({
  kind: 'points',
  subjectId: 'run-1',
  projectId: 'p',
  experimentKey: 'key-1',
  gone: false,
  modelId: undefined,
  at: start,
  ...given,
});

/** Some turns of the event loop, in which everything that can go on does. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('the hub of listeners', () => {
  let now: number;
  let stored: HeardChange[];
  let reads: number;
  let hub: Hub;

  beforeEach(() => {
    [now, stored, reads] = [start, [], 0];
    hub = createHub({
      changes: {
        list({ after, projectIds, limit }) {
          reads++;
          return Promise.resolve(
            stored
              .filter(({ at, projectId }) => at > after && projectIds.includes(projectId))
              .sort((a, b) => a.at - b.at)
              .slice(0, limit),
          );
        },
      },
      now: () => Promise.resolve(now),
      clock: { now: () => now },
      settings: { ORRERY_LISTENERS_PER_PROCESS: 10_000, ORRERY_LISTENERS_PER_USER: 10_000 },
    });
  });

  const listen = async (given: Partial<Listening> = {}) => {
    const leaving = new AbortController();
    const told: LiveMessage[] = [];
    const state = { over: false };
    const stream = await hub.listen({
      userId: 'ann',
      projectId: 'p',
      models: true,
      signal: leaving.signal,
      ...given,
    });
    void (async () => {
      for await (const some of stream) told.push(...some);
      state.over = true;
    })();
    await settle();
    return { told, state, leave: () => leaving.abort() };
  };
  const changesOf = (told: readonly LiveMessage[]) =>
    told.flatMap((one) => (one.is === 'change' ? [one.change] : []));
  const look = async () => {
    await hub.look();
    await settle();
  };

  it('reads nothing while nobody listens', async () => {
    await look();

    expect(reads).to.equal(0);
  });

  it('reads once for all listeners, and tells each change once', async () => {
    const listeners = await Promise.all(Array.from({ length: 50 }, () => listen()));
    stored.push(change({ at: start + 10 }));
    now += 100;

    await look();
    await look();

    expect(reads).to.equal(2);
    for (const { told } of listeners) expect(changesOf(told)).to.have.length(1);
  });

  it('tells a change that is seen late, after one that was given its time later', async () => {
    const { told } = await listen();
    stored.push(change({ subjectId: 'early', at: start + 500 }));
    now += 1000;
    await look();
    stored.push(change({ subjectId: 'late', at: start + 100 }));
    now += 1000;

    await look();

    expect(changesOf(told).map(({ subjectId }) => subjectId)).to.deep.equal(['early', 'late']);
    expect(told.map(({ id }) => Number(id))).to.deep.equal([start, start + 500, start + 500]);
  });

  it('tells who comes back what was missed, and nothing of it again', async () => {
    stored.push(change({ at: start + 20 }));
    now += 1000;

    const { told } = await listen({ after: String(start) });
    await look();
    await look();

    // One that was read while coming back may be told by the next look again, never more often.
    expect(changesOf(told).length).to.be.within(1, 2);
    expect(told.at(-1)?.id).to.equal(String(start + 20));
  });

  it('has who comes back after more than an hour, or from another database, read everything again', async () => {
    for (const after of [start - 3_600_001, start + 60_000]) {
      const { told } = await listen({ after: String(after) });

      expect(told.map(({ is }) => is)).to.deep.equal(['ready', 'resync']);
      expect(told.at(-1)?.id).to.equal(String(start));
    }
  });

  it('has everybody read everything again when more changed than one look reads', async () => {
    const { told } = await listen();
    for (let i = 0; i < 5001; i++) stored.push(change({ subjectId: `r${i}`, at: start + 1 }));
    now += 100;

    await look();

    expect(told.map(({ is }) => is)).to.deep.equal(['ready', 'resync']);
  });

  it('keeps no more than a bound for a listener that takes nothing', async () => {
    const stream = await hub.listen({
      userId: 'ann',
      projectId: 'p',
      models: true,
      signal: new AbortController().signal,
    });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    for (let turn = 0; turn < 5; turn++) {
      now += 10_000;
      stored = Array.from({ length: 1000 }, (_, i) =>
        change({ subjectId: `r${turn}-${i}`, at: now - 1 }),
      );
      await look();
    }

    const next = (await iterator.next()).value as readonly LiveMessage[]; // it is not at its end

    expect(next[0]?.is).to.equal('resync');
  });

  it('tells of models only those who may hear of them', async () => {
    const [member, reader] = [await listen(), await listen({ models: false })];
    stored.push(change({ kind: 'model', at: start + 1 }));
    now += 100;

    await look();

    expect([changesOf(member.told).length, changesOf(reader.told).length]).to.deep.equal([1, 0]);
  });

  it('forgets a listener that leaves, and ends all of them when it is told to', async () => {
    const [one, two] = [await listen(), await listen()];
    one.leave();
    await settle();

    expect([hub.count(), one.state.over]).to.deep.equal([1, true]);
    hub.end();
    await settle();
    expect([hub.count(), two.state.over]).to.deep.equal([0, true]);
  });
});
