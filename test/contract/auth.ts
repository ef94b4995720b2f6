// What the accounts keep to, whoever signs in how.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Auth, NewSession, NewUser } from '#ports/auth';
import { isFailure, type Failure } from '#ports/failure';
import { beginnings } from '#ports/model/credentials';
import type { Caller } from '#ports/model/identity';
import type { Storage } from '#ports/storage/storage';

export interface OpenedAuth {
  readonly auth: Auth;
  /** The same installation as another process sees it. */
  readonly elsewhere: Auth;
  /** The same installation with authentication off, where everybody is the user of that name. */
  open(userName: string): Auth;
  readonly storage: Storage;
  /** Lets so much time go by for both. */
  pass(ms: number): void;
  /** What the clock of both shows. */
  now(): number;
  /** How long a session lives without a use, and in all. */
  readonly life: { readonly idleMs: number; readonly mostMs: number };
  stop(): Promise<void>;
}
export type OpenAuth = () => Promise<OpenedAuth>;

const freshName = (word = 'user'): string => `${word}-${randomBytes(5).toString('hex')}`;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const goodPassword = 'seven lamps in a boat';
/** The promise is 5 s; whoever keeps it a moment earlier keeps it too. */
const soonMs = 5000;

const refusalOf = async (work: Promise<unknown> | (() => unknown)): Promise<Failure> => {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (thrown) {
    if (isFailure(thrown)) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
};

/** Reads again until it is so; what is recorded beside a request may take a moment. */
const until = async <T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> => {
  for (let tries = 0; ; tries++) {
    const value = await read();
    if (holds(value) || tries === 100) return value;
    await wait(20);
  }
};

/** What a user allowed a program in a workspace, as the storage keeps it; it lives for a minute. */
const allowed = async (opened: OpenedAuth, userId: string, workspaceId: string) => {
  const { oauth } = opened.storage.stores;
  const [token, code] = [
    `${beginnings.access}${randomBytes(32).toString('base64url')}`,
    hashOf(randomBytes(9).toString('hex')),
  ];
  const [clientId, id, createdAt] = [v7(), v7(), opened.now()];
  const [expiresAt, going] = [createdAt + 60_000, { revokedAt: undefined, reason: undefined }];
  await oauth.insertClient({
    id: clientId,
    name: 'Editor',
    redirectUris: [],
    logoUri: undefined,
    clientUri: undefined,
    softwareId: undefined,
    softwareVersion: undefined,
    createdAt,
    disabledAt: undefined,
  });
  await oauth.insertCode({
    id: v7(),
    hash: code,
    clientId,
    userId,
    workspaceId,
    workspaceName: 'w',
    challenge: 'c',
    redirectUri: 'x',
    resource: 'x',
    createdAt,
    expiresAt,
  });
  const tokenId = v7();
  await oauth.insertFamily(
    {
      id,
      clientId,
      userId,
      workspaceId,
      resource: 'x',
      createdAt,
      usedAt: createdAt,
      expiresAt,
      codeHash: code,
      ...going,
    },
    [
      {
        id: tokenId,
        familyId: id,
        kind: 'access',
        hash: hashOf(token),
        rotatedFrom: undefined,
        pairs: 0,
        createdAt,
        expiresAt,
        ...going,
      },
    ],
  );
  return { token, tokenId };
};

/** The suite; `open` is called once for all cases. */
export const authContract = (open: OpenAuth): void => {
  let opened: OpenedAuth;
  before('open it', async () => {
    opened = await open();
  });
  after(() => opened?.stop());

  const auth = () => opened.auth;
  const add = (given: Partial<NewUser> = {}) => auth().addUser({ name: freshName(), ...given });
  const known = async (credential: string, by: Auth = auth()): Promise<Caller> => {
    const caller = await by.identify(credential);
    if (caller === undefined) throw new Error('it is not known');
    return caller;
  };
  const session = (given: Partial<NewSession> = {}): NewSession => ({
    address: '192.0.2.7',
    agent: 'Browser 1',
    way: 'password',
    ...given,
  });
  const roleIn = async (name: string): Promise<string> => {
    const found = await opened.storage.stores.workspaces.findByName(name);
    if (found === undefined) throw new Error('the workspace is not there');
    return found.id;
  };

  describe('identify', () => {
    it('knows who presents an API key, with and without what follows its star', async () => {
      const { user, apiKey, workspace } = await add();

      const [whole, short] = [await known(apiKey), await known(apiKey.split('*', 1)[0] ?? '')];

      expect(whole).to.deep.include({
        userId: user.id,
        userName: user.name,
        via: 'key',
        kind: 'person',
        admin: false,
        everywhere: false,
        viewOnly: false,
        csrf: undefined,
        scope: undefined,
      });
      expect([...whole.roles]).to.deep.equal([[await roleIn(workspace), 'admin']]);
      expect(short.keyId).to.equal(whole.keyId);
    });

    it('identifies nobody by an unknown, an empty or a partial secret', async () => {
      const { apiKey } = await add();

      for (const none of [
        '',
        '*',
        ' ',
        freshName(),
        apiKey.slice(0, 10),
        `${beginnings.session}${freshName()}`,
        `${beginnings.access}${freshName()}`,
        beginnings.session,
      ])
        expect(await auth().identify(none), none).to.equal(undefined);
    });

    it('knows nobody without a credential, and as one user everybody where authentication is off', async () => {
      const { user, apiKey, workspace } = await add({ admin: true });
      const open = opened.open(user.name);

      expect(await auth().anybody()).to.equal(undefined);
      const anybody = await open.anybody();
      expect(anybody).to.deep.include({
        userId: user.id,
        via: 'none',
        admin: true,
        scope: undefined,
        csrf: undefined,
        defaultWorkspaceId: await roleIn(workspace),
      });
      expect(await open.identify(apiKey)).to.deep.include({ via: 'key', userId: user.id });
      expect(await open.identify('no such key')).to.equal(undefined);
      if (anybody !== undefined) expect(await auth().recall(anybody)).to.deep.equal(anybody);

      await opened.storage.stores.users.updateUser(user.id, { suspendedAt: 1 });
      await open.forget(user.id);
      expect(await open.anybody()).to.equal(undefined);
      expect(await opened.open(freshName()).anybody()).to.equal(undefined);
    });

    it('knows nobody by a key that was revoked: here at once, elsewhere within 5 s', async () => {
      const { apiKey } = await add();
      const { keyId } = await known(apiKey);
      await known(apiKey, opened.elsewhere);

      expect(await auth().revokeKey(keyId)).to.equal(true);
      expect(await auth().identify(apiKey)).to.equal(undefined);
      opened.pass(soonMs);
      expect(await opened.elsewhere.identify(apiKey)).to.equal(undefined);
    });

    it('knows nobody who is suspended: here once it is told, elsewhere within 5 s, by a key or by a session', async () => {
      const { user, apiKey } = await add();
      const { token } = await auth().openSession(user.id, session());
      for (const credential of [apiKey, token])
        for (const by of [auth(), opened.elsewhere]) await known(credential, by);

      await opened.storage.stores.users.updateUser(user.id, { suspendedAt: 1 });
      await auth().forget(user.id);

      for (const credential of [apiKey, token])
        expect(await auth().identify(credential)).to.equal(undefined);
      opened.pass(soonMs);
      for (const credential of [apiKey, token])
        expect(await opened.elsewhere.identify(credential)).to.equal(undefined);
    });

    it('recalls a caller with the roles of now and the scope of then, until user or key is gone', async () => {
      const { user, apiKey } = await add();
      const caller = await known(apiKey);
      const [workspaceId = ''] = caller.roles.keys();
      expect(await auth().recall(caller)).to.deep.equal(caller);
      const scope = { readOnly: true, workspaceId, projectId: undefined };
      const narrow = await known((await auth().issueKey(user.id, { scope })).apiKey);
      expect(await auth().recall(narrow)).to.deep.equal(narrow);

      const { token, sessionId } = await auth().openSession(user.id, session());
      const visitor = await known(token);
      await auth().endSession(sessionId);
      expect(await auth().recall(visitor)).to.deep.equal({ ...visitor, csrf: undefined });
      await auth().setRole(workspaceId, user.id, 'view-only');
      expect((await auth().recall(caller))?.roles.get(workspaceId)).to.equal('view-only');
      await auth().revokeKey(caller.keyId);
      expect(await auth().recall(caller)).to.equal(undefined);
      await opened.storage.stores.users.updateUser(user.id, { suspendedAt: 1 });
      expect(await auth().recall(visitor)).to.equal(undefined);
    });

    it('limits the roles of a user to what the key is narrowed to', async () => {
      const { user, apiKey, workspace } = await add({ admin: true });
      const other = await add();
      await auth().setRole(await roleIn(other.workspace), user.id, 'member', ['invite']);
      const scope = {
        readOnly: true,
        workspaceId: await roleIn(other.workspace),
        projectId: undefined,
      };

      const narrow = await known(
        (await auth().issueKey(user.id, { name: 'narrow', scope })).apiKey,
      );

      expect(narrow).to.deep.include({
        admin: false,
        everywhere: false,
        scope,
        defaultWorkspaceId: scope.workspaceId,
      });
      expect([[...narrow.roles], [...narrow.permissions]]).to.deep.equal([
        [[scope.workspaceId, 'member']],
        [[scope.workspaceId, ['invite']]],
      ]);
      expect(await known(apiKey)).to.deep.include({
        admin: true,
        everywhere: true,
        defaultWorkspaceId: await roleIn(workspace),
      });
    });

    it('records when a key was last used', async () => {
      const { apiKey } = await add();
      const { keyId } = await known(apiKey);

      expect(
        (
          await until(
            () => opened.storage.stores.apiKeys.findKey(keyId),
            (key) => key?.lastUsedAt !== undefined,
          )
        )?.lastUsedAt,
      ).to.be.a('number');
    });
  });

  describe('users', () => {
    it('get a key, and a workspace that they administer', async () => {
      const [name, workspace, email] = [
        freshName(),
        freshName('space'),
        `${freshName('mail')}@people.example`,
      ];
      const made = await add({ name, workspace, email });

      expect([made.user.name, made.user.email, made.workspace]).to.deep.equal([
        name,
        email,
        workspace,
      ]);
      expect((await known(made.apiKey)).defaultWorkspaceId).to.equal(await roleIn(workspace));
      expect(await opened.storage.stores.users.findUser({ id: made.user.id })).to.deep.equal(
        made.user,
      );
    });

    it('bring the key that was chosen for them, or none', async () => {
      const apiKey = freshName('chosen');

      expect((await known((await add({ apiKey })).apiKey)).via).to.equal('key');
      expect(await auth().identify(apiKey)).to.not.equal(undefined);
      const bare = await add({ withoutKey: true });
      expect([
        bare.apiKey,
        await opened.storage.stores.apiKeys.listKeys(bare.user.id),
      ]).to.deep.equal(['', []]);
    });

    it('join no workspace merely because it has their name: theirs gets a free one', async () => {
      const host = await add();
      const [name, id] = [freshName(), await roleIn(host.workspace)];
      const { stores } = opened.storage;
      await stores.workspaces.update(id, { name });

      const [first, second] = [await add({ name }), await add({ name: `${name}-2` })];

      expect([first.workspace, second.workspace]).to.deep.equal([`${name}-2`, `${name}-2-2`]);
      expect((await stores.members.listMembers(id)).map(({ userId }) => userId)).to.deep.equal([
        host.user.id,
      ]);
      expect([...(await known(first.apiKey)).roles]).to.deep.equal([
        [await roleIn(`${name}-2`), 'admin'],
      ]);
    });

    it('join the workspace that was named for them: as a member where it has an administrator', async () => {
      const host = await add();
      const made = await add({ workspace: host.workspace });

      expect(made.workspace).to.equal(host.workspace);
      expect([...(await known(made.apiKey)).roles]).to.deep.equal([
        [await roleIn(host.workspace), 'member'],
      ]);
    });

    it('get workspaces of their own when many are made at once', async () => {
      const start = freshName().slice(0, 20);
      const [name] = [`${start}-${'x'.repeat(60)}`];
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, i) => add({ name: `${name}${i}` })),
      );

      expect(new Set(made.map(({ workspace }) => workspace)).size).to.equal(8);
      for (const { user } of made)
        expect((await opened.storage.stores.members.findReach(user.id)).roles.size).to.equal(1);
    });

    it('with a proved e-mail take it over from who only typed it in', async () => {
      const email = `${freshName('mail')}@people.example`;
      const typed = await add({ email });
      const proved = await add({ email: email.toUpperCase(), emailProved: true });

      expect([typed.user.emailProved, proved.user.emailProved]).to.deep.equal([false, true]);
      expect((await opened.storage.stores.users.findUser({ email }))?.id).to.equal(proved.user.id);
      expect((await refusalOf(add({ email, emailProved: true }))).kind).to.equal('conflict');
    });

    it('have a name and an e-mail of their own', async () => {
      const [name, email] = [freshName(), `${freshName('mail')}@people.example`];
      await add({ name, email });

      expect((await refusalOf(add({ name }))).kind).to.equal('conflict');
      expect((await refusalOf(add({ email: email.toUpperCase() }))).kind).to.equal('conflict');
      expect(await opened.storage.stores.users.findUser({ name: name.toUpperCase() })).to.equal(
        undefined,
      );
    });

    it('are refused whole for a name, a password or a key that is not acceptable', async () => {
      for (const given of [
        { name: '' },
        { name: 'x'.repeat(101) },
        { name: ' a-name' },
        { name: 'a/name' },
        { name: 'a\nname' },
        { password: 'short' },
        { apiKey: 'with blank' },
        { apiKey: 'short' },
        { workspace: '' },
        { workspace: 'Bad Name/' },
        { workspace: 'x'.repeat(81) },
      ]) {
        const name = 'name' in given ? given.name : freshName();
        expect((await refusalOf(add({ name, ...given }))).kind, JSON.stringify(given)).to.equal(
          'invalid',
        );
        expect(await opened.storage.stores.users.findUser({ name })).to.equal(undefined);
      }
    });

    it('take another name, under which they are known at once', async () => {
      const [{ user, apiKey }, other] = [await add(), await add()];
      await known(apiKey);
      const name = freshName('renamed');

      await auth().rename(user.id, name);

      expect((await known(apiKey)).userName).to.equal(name);
      expect((await refusalOf(auth().rename(user.id, other.user.name))).kind).to.equal('conflict');
      expect((await refusalOf(auth().rename(user.id, 'a/name'))).kind).to.equal('invalid');
    });
  });

  describe('keys', () => {
    it('are several for a user, each told once and ended alone', async () => {
      const { user, apiKey } = await add();
      const [one, other] = [
        await auth().issueKey(user.id, { name: 'one' }),
        await auth().issueKey(user.id),
      ];

      expect(new Set([apiKey, one.apiKey, other.apiKey]).size).to.equal(3);
      await auth().revokeKey(one.keyId);
      expect([
        await auth().identify(one.apiKey),
        (await known(other.apiKey)).keyId,
        (await known(apiKey)).userId,
      ]).to.deep.equal([undefined, other.keyId, user.id]);
      expect((await opened.storage.stores.apiKeys.findKey(one.keyId))?.name).to.equal('one');
    });

    it('are replaced by one of the same name and scope, by one of fifty who do it at once', async () => {
      const { user, workspace } = await add();
      const scope = { readOnly: true, workspaceId: await roleIn(workspace), projectId: undefined };
      const old = await auth().issueKey(user.id, { name: 'robot', scope });
      const elsewhere = await auth().issueKey(user.id, { name: 'other' });

      const ends = await Promise.allSettled(
        Array.from({ length: 50 }, (_, i) =>
          (i % 2 === 0 ? auth() : opened.elsewhere).rotateKey(old.keyId),
        ),
      );

      const [made, ...more] = ends.flatMap((end) =>
        end.status === 'fulfilled' ? [end.value] : [],
      );
      expect(more).to.deep.equal([]);
      for (const end of ends)
        if (end.status === 'rejected')
          expect(isFailure(end.reason) && end.reason.kind, String(end.reason)).to.equal('conflict');
      const standing = (await opened.storage.stores.apiKeys.listKeys(user.id)).filter(
        ({ revokedAt, name }) => revokedAt === undefined && name === 'robot',
      );
      expect(standing.map(({ id, scope: kept }) => [id, kept])).to.deep.equal([
        [made?.keyId, scope],
      ]);
      expect((await known(made?.apiKey ?? '')).keyId).to.equal(made?.keyId);
      expect([
        await auth().identify(old.apiKey),
        (await known(elsewhere.apiKey)).keyId,
      ]).to.deep.equal([undefined, elsewhere.keyId]);
      expect(
        (await refusalOf(auth().rotateKey('01890000-0000-7000-8000-000000000000'))).kind,
      ).to.equal('absent');
    });

    it('are one in all after fifty replace them at once', async () => {
      const { user, apiKey } = await add({ kind: 'service' });
      await known(apiKey);

      const made = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          (i % 2 === 0 ? auth() : opened.elsewhere).replaceKeys(user.id, `turn ${i}`),
        ),
      );

      const standing = (await opened.storage.stores.apiKeys.listKeys(user.id)).filter(
        ({ revokedAt }) => revokedAt === undefined,
      );
      expect(standing).to.have.length(1);
      opened.pass(soonMs);
      const alive = (await Promise.all(made.map((one) => auth().identify(one.apiKey)))).filter(
        (caller) => caller !== undefined,
      );
      expect(alive.map(({ keyId }) => keyId)).to.deep.equal([standing[0]?.id]);
      expect(await auth().identify(apiKey)).to.equal(undefined);
      expect(
        (await refusalOf(auth().replaceKeys('01890000-0000-7000-8000-000000000000', 'x'))).kind,
      ).to.equal('absent');
    });

    it('are kept as hashes only', async () => {
      const { user } = await add();
      const { apiKey } = await auth().issueKey(user.id);
      const secret = apiKey.split('*', 1)[0] ?? '';

      expect(JSON.stringify(await opened.storage.stores.apiKeys.listKeys(user.id))).not.to.include(
        secret,
      );
    });

    it('are refused to view-only members and to unknown users', async () => {
      const { user, apiKey } = await add({ viewOnly: true });

      expect(apiKey).to.equal('');
      expect((await refusalOf(auth().issueKey(user.id))).kind).to.equal('forbidden');
      expect(
        (await refusalOf(auth().issueKey('01890000-0000-7000-8000-000000000000'))).kind,
      ).to.equal('absent');
      expect(await auth().revokeKey('01890000-0000-7000-8000-000000000000')).to.equal(false);
    });
  });

  describe('roles', () => {
    it('are known here at once and elsewhere within 5 s, given and taken', async () => {
      const [{ user, apiKey }, host] = [await add(), await add()];
      const id = await roleIn(host.workspace);
      const roles = async (by: Auth) => {
        const caller = await known(apiKey, by);
        return [caller.roles.get(id), caller.permissions.get(id)];
      };
      expect([await roles(auth()), await roles(opened.elsewhere)]).to.deep.equal([
        [undefined, undefined],
        [undefined, undefined],
      ]);

      await auth().setRole(id, user.id, 'member', ['invite', 'publish']);
      expect(await roles(auth())).to.deep.equal(['member', ['invite', 'publish']]);
      opened.pass(soonMs);
      expect(await roles(opened.elsewhere)).to.deep.equal(['member', ['invite', 'publish']]);

      await auth().setRole(id, user.id, undefined);
      expect(await roles(auth())).to.deep.equal([undefined, undefined]);
      opened.pass(soonMs);
      expect(await roles(opened.elsewhere)).to.deep.equal([undefined, undefined]);
    });
  });

  describe('sessions', () => {
    it('are known by their token, with a CSRF token of their own, and kept as a hash only', async () => {
      const { user } = await add();
      const [one, other] = [
        await auth().openSession(user.id, session()),
        await auth().openSession(user.id, session({ agent: 'x'.repeat(1000) })),
      ];

      const caller = await known(one.token);
      expect(one.token.startsWith(beginnings.session)).to.equal(true);
      expect(caller).to.deep.include({
        userId: user.id,
        via: 'session',
        keyId: one.sessionId,
        scope: undefined,
      });
      expect(caller.csrf).to.match(/^[\w-]{20,}$/);
      expect((await known(other.token)).csrf).to.not.equal(caller.csrf);
      expect((await known(one.token, opened.elsewhere)).csrf).to.equal(caller.csrf);
      const kept = await opened.storage.stores.sessions.find(one.sessionId);
      expect([kept?.address, kept?.agent, kept?.way, kept?.expiresAt]).to.deep.equal([
        '192.0.2.7',
        'Browser 1',
        'password',
        one.expiresAt,
      ]);
      expect(JSON.stringify(kept)).not.to.include(one.token.slice(beginnings.session.length));
      expect((await opened.storage.stores.sessions.find(other.sessionId))?.agent).to.have.length(
        300,
      );
    });

    it('end when they are not used', async () => {
      const { token } = await auth().openSession((await add()).user.id, session());
      opened.pass(opened.life.idleMs + 1);

      expect(await auth().identify(token)).to.equal(undefined);
    });

    it('do not live on by being looked at without a use', async () => {
      const { token } = await auth().openSession((await add()).user.id, session());

      opened.pass(opened.life.idleMs - 1);
      const before = await auth().identify(token, { isUse: false });
      opened.pass(2 + 5000);

      expect(before?.via).to.equal('session');
      expect(await auth().identify(token)).to.equal(undefined);
    });

    it('live on by being used, and end at an age all the same', async () => {
      const { sessionId, token, expiresAt, endsAt } = await auth().openSession(
        (await add()).user.id,
        session(),
      );
      const kept = () => opened.storage.stores.sessions.find(sessionId);
      let now = endsAt - opened.life.mostMs;
      let last = expiresAt;
      while (now + opened.life.idleMs / 2 < endsAt) {
        opened.pass(opened.life.idleMs / 2);
        now += opened.life.idleMs / 2;
        await known(token);
        const before = last;
        last =
          (await until(kept, (one) => (one?.expiresAt ?? 0) > before || before === endsAt))
            ?.expiresAt ?? 0;
        expect(last).to.equal(Math.min(now + opened.life.idleMs, endsAt));
      }
      opened.pass(opened.life.idleMs / 2 + 1);

      expect(last).to.equal(endsAt);
      expect(await auth().identify(token)).to.equal(undefined);
    });

    it('end alone: here at once, elsewhere within 5 s', async () => {
      const { user } = await add();
      const [one, other] = [
        await auth().openSession(user.id, session()),
        await auth().openSession(user.id, session()),
      ];
      for (const by of [auth(), opened.elsewhere])
        for (const { token } of [one, other]) await known(token, by);

      await auth().endSession(one.sessionId);

      expect(await auth().identify(one.token)).to.equal(undefined);
      opened.pass(soonMs);
      expect(await opened.elsewhere.identify(one.token)).to.equal(undefined);
      expect((await known(other.token)).keyId).to.equal(other.sessionId);
    });

    it('end all at once, those of one user', async () => {
      const [{ user, apiKey }, stranger] = [await add(), await add()];
      const mine = [
        await auth().openSession(user.id, session()),
        await auth().openSession(user.id, session()),
      ];
      const other = await auth().openSession(stranger.user.id, session());
      for (const { token } of mine) await known(token);

      expect(await auth().endSessions(user.id)).to.equal(2);
      for (const { token } of mine) expect(await auth().identify(token)).to.equal(undefined);
      expect([(await known(other.token)).userId, (await known(apiKey)).userId]).to.deep.equal([
        stranger.user.id,
        user.id,
      ]);
      expect(await auth().endSessions(user.id)).to.equal(0);
    });
  });

  describe('access tokens of programs', () => {
    const allow = (userId: string, workspaceId: string) => allowed(opened, userId, workspaceId);
    const owner = async (given: Partial<NewUser> = {}) => {
      const { user } = await add(given);
      return { user, home: user.defaultWorkspaceId ?? '' };
    };

    it('stand for their user in one workspace, administer nothing beyond it, and end with their time', async () => {
      const [{ user, home }, { home: other }] = [await owner({ admin: true }), await owner()];
      const { token, tokenId } = await allow(user.id, other);

      const caller = await known(token);
      expect(caller).to.deep.include({
        userId: user.id,
        via: 'token',
        keyId: tokenId,
        admin: false,
        everywhere: false,
        defaultWorkspaceId: other,
        csrf: undefined,
      });
      expect([caller.roles.get(other), caller.roles.has(home), caller.scope]).to.deep.equal([
        'admin',
        false,
        { readOnly: false, workspaceId: other, projectId: undefined },
      ]);
      opened.pass(60_000);
      expect(await auth().identify(token)).to.equal(undefined);
    });

    it('end with every session and with the password: here at once, elsewhere within 5 s', async () => {
      for (const end of [
        (id: string) => auth().endSessions(id),
        (id: string) => auth().setPassword(id, goodPassword),
      ]) {
        const [{ user, home }, stranger] = [await owner(), await owner()];
        const [{ token }, other] = [
          await allow(user.id, home),
          await allow(stranger.user.id, stranger.home),
        ];
        for (const by of [auth(), opened.elsewhere])
          for (const one of [token, other.token]) await known(one, by);

        await end(user.id);

        expect(await auth().identify(token)).to.equal(undefined);
        opened.pass(soonMs);
        expect(await opened.elsewhere.identify(token)).to.equal(undefined);
        expect((await known(other.token)).userId).to.equal(stranger.user.id);
      }
    });
  });

  describe('what is remembered of access tokens', () => {
    it('is forgotten on demand, here at once', async () => {
      const { user } = await add();
      const { token, tokenId } = await allowed(opened, user.id, user.defaultWorkspaceId ?? '');
      const key = (await auth().issueKey(user.id, { name: 'k' })).apiKey;
      for (const credential of [token, key]) await known(credential);
      await opened.storage.stores.oauth.revokeToken(tokenId, 'CLIENT_REQUEST', opened.now());

      await auth().forgetTokens();

      expect(await auth().identify(token)).to.equal(undefined);
      expect((await known(key)).userId).to.equal(user.id);
    });
  });

  describe('passwords', () => {
    it('prove who somebody is, by name or by e-mail in any case', async () => {
      const email = `${freshName('mail')}@people.example`;
      const { user } = await add({ email, password: goodPassword });

      expect((await auth().checkPassword(user.name, goodPassword))?.id).to.equal(user.id);
      expect((await auth().checkPassword(email.toUpperCase(), goodPassword))?.id).to.equal(user.id);
    });

    it('prove nothing when they are wrong, when no user has the name, when the user has none, and when the user is suspended', async () => {
      const [{ user }, bare] = [await add({ password: goodPassword }), await add()];

      for (const [name, password] of [
        [user.name, `${goodPassword} `],
        [user.name, ''],
        [freshName(), goodPassword],
        ['', ''],
        [bare.user.name, ''],
        [bare.user.name, goodPassword],
      ] as const)
        expect(await auth().checkPassword(name, password), `${name} ${password}`).to.equal(
          undefined,
        );
      await opened.storage.stores.users.updateUser(user.id, { suspendedAt: 1 });
      expect(await auth().checkPassword(user.name, goodPassword)).to.equal(undefined);
    });

    it('take as long to refuse for a known user as for an unknown one', async () => {
      const [{ user }, bare] = [await add({ password: goodPassword }), await add()];
      // Processor time: what others do on the machine meanwhile is not counted.
      const tookMs = async (name: string) => {
        const began = process.cpuUsage();
        await auth().checkPassword(name, 'seven lamps in a ship');
        const { user: own, system } = process.cpuUsage(began);
        return (own + system) / 1000;
      };
      const taken: Record<string, number[]> = { somebody: [], bare: [], nobody: [] };
      for (let i = 0; i < 15; i++) {
        taken['somebody']?.push(await tookMs(user.name));
        taken['bare']?.push(await tookMs(bare.user.name));
        taken['nobody']?.push(await tookMs(freshName()));
      }
      const [somebody = 0, without = 0, nobody = 0] = Object.values(taken).map((some) =>
        Math.min(...some),
      );

      for (const other of [without, nobody]) expect(other / somebody).to.be.within(0.5, 2);
    });

    it('are changed, and end every session but the one that changed them: here at once, elsewhere within 5 s', async () => {
      const { user, apiKey } = await add({ password: goodPassword });
      const [kept, ended] = [
        await auth().openSession(user.id, session()),
        await auth().openSession(user.id, session()),
      ];
      for (const by of [auth(), opened.elsewhere])
        for (const { token } of [kept, ended]) await known(token, by);

      await auth().setPassword(user.id, 'nine lamps in a barn', kept.sessionId);

      expect([
        (await auth().checkPassword(user.name, 'nine lamps in a barn'))?.id,
        await auth().checkPassword(user.name, goodPassword),
      ]).to.deep.equal([user.id, undefined]);
      expect([
        (await known(kept.token)).keyId,
        await auth().identify(ended.token),
        (await known(apiKey)).userId,
      ]).to.deep.equal([kept.sessionId, undefined, user.id]);
      opened.pass(soonMs);
      expect([
        (await known(kept.token, opened.elsewhere)).keyId,
        await opened.elsewhere.identify(ended.token),
      ]).to.deep.equal([kept.sessionId, undefined]);
      await auth().setPassword(user.id, goodPassword);
      expect(await auth().identify(kept.token)).to.equal(undefined);
    });

    it('keep to the rules, whoever sets them, and change nothing where they do not', async () => {
      const { user } = await add({ password: goodPassword });
      const { token } = await auth().openSession(user.id, session());

      for (const [password, rule] of [
        ['short', 'TOO_SHORT'],
        [`${user.name} and boats`, 'CONTAINS_USER_NAME'],
        ['lamp abcd boat', 'SEQUENCE'],
        ['lamp 1111 boat', 'REPEAT'],
        ['changemechangeme', 'COMMON'],
      ] as const) {
        const refusals = [
          await refusalOf(auth().setPassword(user.id, password)),
          await refusalOf(() => {
            auth().checkNewPassword(password, user);
          }),
        ];
        for (const refusal of refusals)
          expect([refusal.kind, refusal.rules?.includes(rule)], password).to.deep.equal([
            'invalid',
            true,
          ]);
      }
      auth().checkNewPassword(goodPassword, user);
      expect([
        (await auth().checkPassword(user.name, goodPassword))?.id,
        (await known(token)).userId,
      ]).to.deep.equal([user.id, user.id]);
    });

    it('that are set by a mailed link prove the e-mail, and end what was prepared before', async () => {
      const email = `${freshName('mail')}@people.example`;
      const { user, apiKey } = await add({ email, password: goodPassword });
      const { token } = await auth().openSession(user.id, session());
      await known(apiKey);

      await auth().setPasswordByMail(user.id, 'a kite above nine hills', email.toUpperCase());

      expect((await opened.storage.stores.users.findUser({ id: user.id }))?.emailProved).to.equal(
        true,
      );
      expect([
        await auth().identify(apiKey),
        await auth().identify(token),
        await auth().checkPassword(user.name, goodPassword),
      ]).to.deep.equal([undefined, undefined, undefined]);
      expect((await auth().checkPassword(email, 'a kite above nine hills'))?.id).to.equal(user.id);
    });

    it('that are set by a mailed link leave the keys of an account whose e-mail was proved before', async () => {
      const email = `${freshName('mail')}@people.example`;
      const { user, apiKey } = await add({ email, emailProved: true });
      const { token } = await auth().openSession(user.id, session());

      await auth().setPasswordByMail(user.id, goodPassword, email);

      expect([(await known(apiKey)).userId, await auth().identify(token)]).to.deep.equal([
        user.id,
        undefined,
      ]);
    });

    it("that are set by a link to an address that is no longer the account's prove nothing", async () => {
      const { user } = await add({ email: `${freshName('mail')}@people.example` });

      await auth().setPasswordByMail(user.id, goodPassword, `${freshName('mail')}@people.example`);

      expect((await opened.storage.stores.users.findUser({ id: user.id }))?.emailProved).to.equal(
        false,
      );
    });

    it('end with every other credential of a user', async () => {
      const { user, apiKey } = await add({ password: goodPassword });
      const { token } = await auth().openSession(user.id, session());
      for (const credential of [apiKey, token]) await known(credential);

      await auth().endCredentials(user.id);

      expect([
        await auth().identify(apiKey),
        await auth().identify(token),
        await auth().checkPassword(user.name, goodPassword),
      ]).to.deep.equal([undefined, undefined, undefined]);
    });

    it('are set for nobody who does not exist', async () => {
      expect(
        (await refusalOf(auth().setPassword('01890000-0000-7000-8000-000000000000', goodPassword)))
          .kind,
      ).to.equal('absent');
    });
  });
};
