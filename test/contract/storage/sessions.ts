import { expect } from 'chai';
import type { StoredSession } from '#ports/storage/sessions';
import type { Storage } from '#ports/storage/storage';
import { addUser, addWorkspace, freshId, freshName, start } from './builders.js';

/** What every store of sessions keeps to. */
export const sessionContract = (storage: () => Storage): void => {
  const sessions = () => storage().stores.sessions;
  const add = async (userId: string, given: Partial<StoredSession> = {}) => {
    const hash = freshName('hash');
    const session: StoredSession = {
      id: freshId(),
      userId,
      way: 'password',
      address: '192.0.2.7',
      agent: 'Browser 1',
      external: undefined,
      createdAt: start,
      lastUsedAt: start,
      expiresAt: start + 1000,
      ...given,
    };
    await sessions().insert({ ...session, hash });
    return { hash, session };
  };

  it('tells who holds a session, with the roles and permissions of that user', async () => {
    const user = await addUser(storage());
    const workspace = await addWorkspace(storage());
    await storage().stores.members.setRole(workspace.id, user.id, 'member', ['invite', 'publish']);
    const { hash, session } = await add(user.id, { external: 'sealed' });

    expect(await sessions().findHolder(hash, start)).to.deep.equal({
      session,
      user,
      roles: new Map([[workspace.id, 'member']]),
      permissions: new Map([[workspace.id, ['invite', 'publish']]]),
    });
    expect(await sessions().find(session.id)).to.deep.equal(session);
    expect(await sessions().findHolder(freshName(), start)).to.equal(undefined);
    expect(await sessions().find(freshId())).to.equal(undefined);
  });

  it('finds no session that has ended, and none of a suspended user', async () => {
    const user = await addUser(storage());
    const { hash } = await add(user.id);

    expect(await sessions().findHolder(hash, start + 1000)).to.equal(undefined);
    await storage().stores.users.updateUser(user.id, { suspendedAt: start });
    expect(await sessions().findHolder(hash, start)).to.equal(undefined);
    await storage().stores.users.updateUser(user.id, { suspendedAt: undefined });
    expect(await sessions().findHolder(hash, start)).to.not.equal(undefined);
  });

  it('extends a session that is used, and keeps the newest use', async () => {
    const { session } = await add((await addUser(storage())).id);

    await sessions().touch(session.id, start + 500, start + 1500);
    await sessions().touch(session.id, start + 400, start + 1400);

    expect(await sessions().find(session.id)).to.deep.equal({
      ...session,
      lastUsedAt: start + 500,
      expiresAt: start + 1500,
    });
  });

  it('lists the sessions of a user that go on, newest first', async () => {
    const user = await addUser(storage());
    const [old, fresh] = [
      await add(user.id),
      await add(user.id, { createdAt: start + 1, expiresAt: start + 3000 }),
    ];
    await add((await addUser(storage())).id);

    expect(await sessions().listOf(user.id, start)).to.deep.equal([fresh.session, old.session]);
    expect(await sessions().listOf(user.id, start + 2000)).to.deep.equal([fresh.session]);
  });

  it('removes one session, or all of a user but one', async () => {
    const user = await addUser(storage());
    const other = await add((await addUser(storage())).id);
    const [a, b, c] = [await add(user.id), await add(user.id), await add(user.id)];

    expect(await sessions().remove(a.session.id)).to.equal(true);
    expect(await sessions().remove(a.session.id)).to.equal(false);
    expect(await sessions().removeOf(user.id, b.session.id)).to.equal(1);
    expect(await sessions().find(c.session.id)).to.equal(undefined);
    expect(await sessions().removeOf(user.id)).to.equal(1);
    expect(await sessions().find(b.session.id)).to.equal(undefined);
    expect(await sessions().find(other.session.id)).to.deep.equal(other.session);
  });

  it('removes sessions that ended, a few at a time', async () => {
    const user = await addUser(storage());
    const ended = await Promise.all([1, 2, 3].map((n) => add(user.id, { expiresAt: n })));
    const { session } = await add(user.id);

    expect(await sessions().removeEnded(3, 2)).to.equal(2);
    expect(await sessions().removeEnded(3, 2)).to.equal(1);
    expect(await sessions().removeEnded(3, 2)).to.equal(0);
    expect(await Promise.all(ended.map((one) => sessions().find(one.session.id)))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await sessions().find(session.id)).to.deep.equal(session);
  });
};
