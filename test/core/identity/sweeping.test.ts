import { expect } from 'chai';
import { sweepIdentity } from '#core/identity/offers';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { addUser, freshId, freshKey } from '#test/contract/storage/builders';

describe('what has ended', () => {
  let opened: OpenedStorage;
  before('open the embedded storage', async () => {
    const result = await storageAdapters[0]?.open();
    if (result === undefined || 'missing' in result)
      throw new Error('the embedded storage does not open');
    opened = result;
  });
  after(async () => {
    await opened?.stop();
  });

  it('is forgotten: sessions, one-time links and tries; what goes on stays', async () => {
    const { stores } = opened.storage;
    const now = 1_700_000_000_000;
    const userId = (await addUser(opened.storage)).id;
    const session = (expiresAt: number) => ({
      id: freshId(),
      hash: freshKey(),
      userId,
      way: 'password',
      address: '',
      agent: '',
      external: undefined,
      createdAt: 1,
      lastUsedAt: 1,
      expiresAt,
    });
    const ticket = (expiresAt: number) => ({
      id: freshId(),
      hash: freshKey(),
      kind: 'invitation' as const,
      userId: undefined,
      email: 'a@b',
      mailed: false,
      workspaceId: freshId(),
      role: 'member' as const,
      permissions: [],
      madeBy: undefined,
      createdAt: 1,
      expiresAt,
    });
    const [ended, live, used, standing, old, fresh] = [
      session(now),
      session(now + 1),
      ticket(now),
      ticket(now + 1),
      freshKey(),
      freshKey(),
    ];
    for (const one of [ended, live]) await stores.sessions.insert(one);
    for (const one of [used, standing]) await stores.tickets.insert(one);
    await stores.attempts.replace(old, undefined, { tries: 9, lastAt: now - 25 * 3_600_000 });
    await stores.attempts.replace(fresh, undefined, { tries: 9, lastAt: now - 23 * 3_600_000 });

    await sweepIdentity({
      stores,
      clock: { now: () => now },
      signal: new AbortController().signal,
    });

    expect(
      await Promise.all([ended, live].map(async ({ id }) => (await stores.sessions.find(id))?.id)),
    ).to.deep.equal([undefined, live.id]);
    expect(
      await Promise.all(
        [used, standing].map(async ({ id }) => (await stores.tickets.findInvitation(id))?.id),
      ),
    ).to.deep.equal([undefined, standing.id]);
    expect(
      await Promise.all([old, fresh].map(async (key) => (await stores.attempts.find(key))?.tries)),
    ).to.deep.equal([undefined, 9]);
  });

  it('stops when it is told to', async () => {
    const { stores } = opened.storage;
    const key = freshKey();
    await stores.attempts.replace(key, undefined, { tries: 1, lastAt: 1 });

    await sweepIdentity({
      stores,
      clock: { now: () => 1_700_000_000_000 },
      signal: AbortSignal.abort(),
    });

    expect(await stores.attempts.find(key)).to.not.equal(undefined);
  });
});
