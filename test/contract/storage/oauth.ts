import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { OAuthClient, OAuthCode, OAuthFamily, OAuthToken } from '#ports/model/oauth';
import type { User } from '#ports/model/identity';
import type { Storage } from '#ports/storage/storage';
import { addUser, addWorkspace, freshId, freshName, start } from './builders.js';

const freshHash = (): string => randomBytes(32).toString('hex');

/** What every store of programs that act for users keeps to. */
export const oauthContract = (storage: () => Storage): void => {
  const oauth = () => storage().stores.oauth;
  const addClient = async (given: Partial<OAuthClient> = {}): Promise<OAuthClient> => {
    const client: OAuthClient = {
      id: freshId(),
      name: 'Editor',
      redirectUris: ['https://a.example/cb'],
      logoUri: undefined,
      clientUri: undefined,
      softwareId: undefined,
      softwareVersion: undefined,
      createdAt: start,
      disabledAt: undefined,
      ...given,
    };
    await oauth().insertClient(client);
    return client;
  };
  const addCode = async (given: Partial<OAuthCode> = {}) => {
    const code: OAuthCode = {
      id: freshId(),
      clientId: freshId(),
      userId: given.userId ?? (await addUser(storage())).id,
      workspaceId: freshId(),
      workspaceName: 'w',
      challenge: 'c'.repeat(43),
      redirectUri: 'http://127.0.0.1:3/é',
      resource: 'https://o.example/api',
      createdAt: start,
      expiresAt: start + 1000,
      ...given,
    };
    const hash = freshHash();
    await oauth().insertCode({ ...code, hash });
    return { code, hash };
  };
  const addFamily = async (given: Partial<OAuthFamily> = {}) => {
    const family: OAuthFamily = {
      id: freshId(),
      clientId: freshId(),
      userId: freshId(),
      workspaceId: freshId(),
      resource: 'https://o.example/api',
      createdAt: start,
      usedAt: start,
      expiresAt: start + 10_000,
      revokedAt: undefined,
      reason: undefined,
      ...given,
    };
    const { hash: codeHash } = await addCode();
    await oauth().insertFamily({ ...family, codeHash }, []);
    return { family, codeHash };
  };
  const addToken = async (family: Pick<OAuthFamily, 'id'>, given: Partial<OAuthToken> = {}) => {
    const token: OAuthToken = {
      id: freshId(),
      familyId: family.id,
      kind: 'refresh',
      rotatedFrom: undefined,
      pairs: 0,
      createdAt: start,
      expiresAt: start + 1000,
      revokedAt: undefined,
      reason: undefined,
      ...given,
    };
    const hash = freshHash();
    await oauth().insertTokens([{ ...token, hash }]);
    return { token, hash };
  };
  /** Somebody with an access token for a workspace. */
  const addAccess = async (given: Partial<User> = {}) => {
    const [user, client] = [await addUser(storage(), given), await addClient()];
    const workspace = await addWorkspace(storage());
    await storage().stores.members.setRole(workspace.id, user.id, 'member', ['publish']);
    const { family } = await addFamily({
      clientId: client.id,
      userId: user.id,
      workspaceId: workspace.id,
    });
    return { user, client, workspace, family, ...(await addToken(family, { kind: 'access' })) };
  };

  it('returns a client as it was registered, until it is switched off', async () => {
    const full = await addClient({
      name: 'Ed 🦄 ',
      redirectUris: ['https://a.example/cb?x=1', 'http://[::1]/b'],
      logoUri: `https://a.example/${'l'.repeat(2000)}`,
      clientUri: 'https://a.example',
      softwareId: 'editor',
      softwareVersion: '1.0',
    });
    const plain = await addClient();

    expect(await oauth().findClient(full.id)).to.deep.equal(full);
    expect(await oauth().findClient(plain.id)).to.deep.equal(plain);
    for (const unknown of [freshId(), '', 'https://a.example', full.id.toUpperCase()])
      expect(await oauth().findClient(unknown)).to.equal(undefined);

    expect(await oauth().disableClient(plain.id, start)).to.equal(true);
    expect(await oauth().disableClient(freshId(), start)).to.equal(false);
    expect(await oauth().findClient(plain.id)).to.equal(undefined);
  });

  it('counts attempts under a key, however many come at once', async () => {
    const [key, other] = [freshName('address'), freshName('address')];

    expect(await oauth().addAttempt(key, start)).to.equal(1);
    await Promise.all(Array.from({ length: 8 }, () => oauth().addAttempt(key, start)));

    expect(await oauth().addAttempt(key, start)).to.equal(10);
    expect(await oauth().addAttempt(other, start)).to.equal(1);
  });

  it('gives a code back as it was made, used or not, until its client is switched off', async () => {
    const client = await addClient();
    const { code, hash } = await addCode({ clientId: client.id, workspaceName: 'Ünï ' });

    expect(await oauth().findCode(hash)).to.deep.equal(code);
    await oauth().takeCode(hash, start);
    expect(await oauth().findCode(hash)).to.deep.equal(code);
    expect(await oauth().findCode(freshHash())).to.equal(undefined);
    await oauth().disableClient(client.id, start);
    expect(await oauth().findCode(hash)).to.equal(undefined);
  });

  it('issues nothing for the code of a suspended user', async () => {
    const user = await addUser(storage(), { suspendedAt: start });
    const { hash: codeHash, code } = await addCode({ userId: user.id });
    const family: OAuthFamily = {
      id: freshId(),
      clientId: code.clientId,
      userId: user.id,
      workspaceId: code.workspaceId,
      resource: 'r',
      createdAt: start,
      usedAt: start,
      expiresAt: start + 10_000,
      revokedAt: undefined,
      reason: undefined,
    };
    const hash = freshHash();

    expect(
      await oauth().insertFamily({ ...family, codeHash }, [
        {
          id: freshId(),
          familyId: family.id,
          kind: 'refresh',
          rotatedFrom: undefined,
          pairs: 0,
          createdAt: start,
          expiresAt: start + 1,
          revokedAt: undefined,
          reason: undefined,
          hash,
        },
      ]),
    ).to.equal(false);
    expect(await oauth().findToken(hash)).to.equal(undefined);
  });

  it('takes a code once, whoever asks at the same time, and not when it has expired', async () => {
    const [{ hash }, late] = [await addCode(), await addCode()];

    const taken = await Promise.all(
      Array.from({ length: 8 }, () => oauth().takeCode(hash, start + 999)),
    );

    expect(taken.filter(Boolean)).to.have.length(1);
    expect(await oauth().takeCode(hash, start)).to.equal(false);
    expect(await oauth().takeCode(late.hash, start + 1000)).to.equal(false);
    expect(await oauth().takeCode(freshHash(), start)).to.equal(false);
  });

  it('refuses to use a code where that could be taken back', async () => {
    const { hash } = await addCode();

    const taken = await storage()
      .transaction(async (stores) => {
        await stores.oauth.takeCode(hash, start);
      })
      .then(
        () => 'taken',
        () => 'refused',
      );

    expect(taken).to.equal('refused');
    expect(await oauth().takeCode(hash, start)).to.equal(true);
  });

  it('lets one of several forget a code', async () => {
    const { hash } = await addCode();

    const removed = await Promise.all(Array.from({ length: 6 }, () => oauth().removeCode(hash)));

    expect(removed.filter(Boolean)).to.have.length(1);
    expect(await oauth().takeCode(hash, start)).to.equal(false);
  });

  it('makes one family of a code at most, with its tokens, whoever forgets the code at the same time', async () => {
    for (let i = 0; i < 6; i++) {
      const [{ hash: codeHash }, tokens] = [await addCode(), [0, 1, 2].map(() => freshHash())];
      const family = (): OAuthFamily => ({
        id: freshId(),
        clientId: freshId(),
        userId: freshId(),
        workspaceId: freshId(),
        resource: 'r',
        createdAt: start,
        usedAt: start,
        expiresAt: start + 10_000,
        revokedAt: undefined,
        reason: undefined,
      });
      const make = (hash: string) => {
        const made = family();
        return oauth().insertFamily({ ...made, codeHash }, [
          {
            id: freshId(),
            familyId: made.id,
            kind: 'refresh',
            rotatedFrom: undefined,
            pairs: 0,
            createdAt: start,
            expiresAt: start + 1,
            revokedAt: undefined,
            reason: undefined,
            hash,
          },
        ]);
      };

      const [gone, ...made] = await Promise.all([
        oauth().removeCode(codeHash),
        ...tokens.map(make),
      ]);

      expect([gone, ...made].filter(Boolean)).to.have.length(1);
      const kept = await Promise.all(
        tokens.map(async (hash) => (await oauth().findToken(hash)) !== undefined),
      );
      expect(kept).to.deep.equal(made);
      expect(await oauth().takeCode(codeHash, start)).to.equal(false);
    }
  });

  it('finds a token by its hash, with the client that it was issued to', async () => {
    const { family } = await addFamily();
    const [refresh, access] = [
      await addToken(family),
      await addToken(family, {
        kind: 'access',
        rotatedFrom: freshId(),
        pairs: 2,
        revokedAt: start,
        reason: 'ROTATED',
      }),
    ];

    expect(await oauth().findToken(refresh.hash)).to.deep.equal({
      ...refresh.token,
      clientId: family.clientId,
      userId: family.userId,
    });
    expect(await oauth().findToken(access.hash)).to.deep.equal({
      ...access.token,
      clientId: family.clientId,
      userId: family.userId,
    });
    expect(await oauth().findToken(freshHash())).to.equal(undefined);
  });

  it('tells who holds an access token, with the roles and permissions of that user', async () => {
    const { user, workspace, family, token, hash } = await addAccess();

    expect(await oauth().findAccess(hash, start)).to.deep.equal({
      token,
      family,
      workspaceName: workspace.name,
      user,
      roles: new Map([[workspace.id, 'member']]),
      permissions: new Map([[workspace.id, ['publish']]]),
    });
    expect(await oauth().findAccess(freshHash(), start)).to.equal(undefined);
  });

  it('finds no access token that has ended in any way', async () => {
    const [expired, revoked, familyless, suspended, disabled] = [
      await addAccess(),
      await addAccess(),
      await addAccess(),
      await addAccess(),
      await addAccess(),
    ];
    const refresh = await addToken(expired.family);

    expect(await oauth().findAccess(expired.hash, start + 1000)).to.equal(undefined);
    expect(await oauth().findAccess(refresh.hash, start)).to.equal(undefined);
    expect(await oauth().revokeToken(revoked.token.id, 'CLIENT_REQUEST', start)).to.equal(true);
    expect(await oauth().revokeToken(revoked.token.id, 'REUSE', start)).to.equal(false);
    expect(await oauth().findAccess(revoked.hash, start)).to.equal(undefined);
    await oauth().revokeFamily({ id: familyless.family.id }, 'REUSE', start);
    expect(await oauth().findAccess(familyless.hash, start)).to.equal(undefined);
    await storage().stores.users.updateUser(suspended.user.id, { suspendedAt: start });
    expect(await oauth().findAccess(suspended.hash, start)).to.equal(undefined);
    await oauth().disableClient(disabled.client.id, start);
    expect(await oauth().findAccess(disabled.hash, start)).to.equal(undefined);
  });

  it('ends a family once, by its id or by the code that it was made for', async () => {
    const [one, other] = [await addFamily(), await addFamily()];
    const { token } = await addToken(one.family);

    expect(
      await oauth().revokeFamily({ id: one.family.id }, 'CLIENT_REQUEST', start + 5),
    ).to.deep.equal({ ...one.family, revokedAt: start + 5, reason: 'CLIENT_REQUEST' });
    expect(await oauth().revokeFamily({ codeHash: one.codeHash }, 'REUSE', start + 6)).to.equal(
      undefined,
    );
    expect(await oauth().revokeFamily({ codeHash: other.codeHash }, 'REUSE', start)).to.deep.equal({
      ...other.family,
      revokedAt: start,
      reason: 'REUSE',
    });
    expect(await oauth().revokeFamily({ codeHash: freshHash() }, 'REUSE', start)).to.equal(
      undefined,
    );

    expect(
      await storage().transaction(({ oauth: inside }) => inside.lockFamily(token.id)),
    ).to.deep.equal({
      family: { ...one.family, revokedAt: start + 5, reason: 'CLIENT_REQUEST' },
      token,
    });
  });

  it('ends every family of a user and of no other user', async () => {
    const [mine, foreign] = [await addAccess(), await addAccess()];
    await addFamily({ userId: mine.user.id });

    expect(await oauth().revokeOf(mine.user.id, 'SIGN_OUT', start)).to.equal(2);
    expect(await oauth().revokeOf(mine.user.id, 'SIGN_OUT', start)).to.equal(0);

    expect(await oauth().findAccess(mine.hash, start)).to.equal(undefined);
    expect(await oauth().findAccess(foreign.hash, start)).to.not.equal(undefined);
  });

  it('ends a refresh token the first time that a pair is made from it, and counts the others', async () => {
    const { family } = await addFamily();
    const { token } = await addToken(family);

    await oauth().rotate(token, start + 10);
    await oauth().rotate(token, start + 20);

    const held = await storage().transaction(({ oauth: inside }) => inside.lockFamily(token.id));
    expect(held).to.deep.equal({
      family: { ...family, usedAt: start + 20 },
      token: { ...token, pairs: 2, revokedAt: start + 10, reason: 'ROTATED' },
    });
    expect(
      await storage().transaction(({ oauth: inside }) => inside.lockFamily(freshId())),
    ).to.equal(undefined);
  });

  it('shows each who holds a family what the one before has done to it', async () => {
    const { family } = await addFamily();
    const { token } = await addToken(family);
    const seen: number[] = [];

    await Promise.all(
      Array.from({ length: 5 }, () =>
        storage()
          .transaction(async ({ oauth: inside }) => {
            const held = await inside.lockFamily(token.id);
            await inside.rotate(token, start);
            return held?.token.pairs ?? -1;
          })
          .then((pairs) => seen.push(pairs)),
      ),
    );

    expect([...seen].sort()).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('lists the programs that act for a user, each in each workspace, the one used last first', async () => {
    const [mine, foreign] = [await addAccess(), await addAccess()];
    const of = { clientId: mine.client.id, userId: mine.user.id };
    const again = await addFamily({
      ...of,
      workspaceId: mine.workspace.id,
      createdAt: start + 5,
      usedAt: start + 50,
    });
    await addToken(again.family);
    const elsewhere = await addFamily({
      ...of,
      workspaceId: foreign.workspace.id,
      createdAt: start + 7,
      usedAt: start + 20,
    });
    await addToken(elsewhere.family);
    const off = await addFamily({
      userId: mine.user.id,
      clientId: foreign.client.id,
      workspaceId: mine.workspace.id,
      usedAt: start + 60,
    });
    await addToken(off.family);
    await oauth().disableClient(foreign.client.id, start + 9);
    const ended = await addFamily({
      ...of,
      workspaceId: foreign.workspace.id,
      createdAt: start - 5,
      usedAt: start + 99,
      revokedAt: start,
      reason: 'REUSE',
    });
    await addToken(ended.family);
    const tokenless = await addFamily({
      ...of,
      workspaceId: foreign.workspace.id,
      createdAt: start - 6,
      usedAt: start + 98,
    });
    await addToken(tokenless.family, { revokedAt: start, reason: 'ROTATED' });
    await addToken(tokenless.family, { expiresAt: start + 1 });

    const client = ({ id, name, clientUri, createdAt }: OAuthClient, disabledAt?: number) => ({
      id,
      name,
      clientUri,
      createdAt,
      disabledAt,
    });
    expect(await oauth().listPrograms(mine.user.id, start + 1)).to.deep.equal([
      {
        client: client(foreign.client, start + 9),
        workspaceId: mine.workspace.id,
        workspaceName: mine.workspace.name,
        since: start,
        usedAt: start + 60,
      },
      {
        client: client(mine.client),
        workspaceId: mine.workspace.id,
        workspaceName: mine.workspace.name,
        since: start,
        usedAt: start + 50,
      },
      {
        client: client(mine.client),
        workspaceId: foreign.workspace.id,
        workspaceName: foreign.workspace.name,
        since: start + 7,
        usedAt: start + 20,
      },
    ]);
    expect(await oauth().listPrograms(mine.user.id, start + 10_000)).to.deep.equal([]);
    expect(await oauth().listPrograms(freshId(), start)).to.deep.equal([]);
  });

  it('ends what one program may do for one user, with the codes that wait', async () => {
    const [mine, foreign] = [await addAccess(), await addAccess()];
    const of = { clientId: mine.client.id, userId: mine.user.id };
    const other = await addFamily({ userId: mine.user.id });
    const theirs = await addFamily({ clientId: mine.client.id, userId: foreign.user.id });
    await addFamily(of);
    const [code, kept] = [
      await addCode(of),
      await addCode({ userId: mine.user.id, clientId: foreign.client.id }),
    ];

    expect(await oauth().revokeProgram(mine.user.id, mine.client.id, 'ENDED', start)).to.equal(2);
    expect(await oauth().revokeProgram(mine.user.id, mine.client.id, 'ENDED', start)).to.equal(0);
    for (const unknown of ['', 'x\u0000', freshId()])
      expect(await oauth().revokeProgram(mine.user.id, unknown, 'ENDED', start)).to.equal(0);

    expect(await oauth().findAccess(mine.hash, start)).to.equal(undefined);
    expect([
      await oauth().removeCode(code.hash),
      await oauth().removeCode(kept.hash),
    ]).to.deep.equal([false, true]);
    for (const { family } of [other, theirs])
      expect((await oauth().revokeFamily({ id: family.id }, 'REUSE', start))?.id).to.equal(
        family.id,
      );
  });

  it('leaves nothing of a program that is ended while a code of it is made a family of', async () => {
    for (let i = 0; i < 6; i++) {
      const { code, hash: codeHash } = await addCode();
      const family: OAuthFamily = {
        id: freshId(),
        clientId: code.clientId,
        userId: code.userId,
        workspaceId: code.workspaceId,
        resource: 'r',
        createdAt: start,
        usedAt: start,
        expiresAt: start + 10_000,
        revokedAt: undefined,
        reason: undefined,
      };

      const [made, ended] = await Promise.all([
        oauth().insertFamily({ ...family, codeHash }, []),
        oauth().revokeProgram(code.userId, code.clientId, 'ENDED', start),
      ]);

      expect(ended).to.equal(made ? 1 : 0);
      expect(await oauth().revokeFamily({ id: family.id }, 'REUSE', start)).to.equal(undefined);
    }
  });

  it('removes clients that nobody uses, up to a limit at a time', async () => {
    const now = start - 5_000_000; // so that nothing of the other cases is as old
    const [before, long] = [now - 1000, now - 2000];
    const old = () => addClient({ createdAt: long });
    const [never, past, ended, coded, living, recent, off, fresh] = [
      await old(),
      await old(),
      await old(),
      await old(),
      await old(),
      await old(),
      await addClient({ createdAt: long, disabledAt: long }),
      await addClient({ createdAt: before }),
    ];
    await addFamily({ clientId: past.id, usedAt: long, expiresAt: now });
    await addFamily({
      clientId: ended.id,
      usedAt: before - 1,
      expiresAt: now + 9,
      revokedAt: long,
      reason: 'CLIENT_REQUEST',
    });
    await addCode({ clientId: coded.id });
    await addFamily({ clientId: living.id, usedAt: long, expiresAt: now + 1 });
    await addFamily({
      clientId: recent.id,
      usedAt: before,
      expiresAt: now,
      revokedAt: now,
      reason: 'REUSE',
    });

    let removed = 0;
    for (let some = 1; some > 0; removed += some) {
      some = await oauth().removeUnusedClients(before, now, 2);
      expect(some).to.be.at.most(2);
    }

    expect(removed).to.be.at.least(4);
    for (const gone of [never, past, ended, off])
      expect(await oauth().disableClient(gone.id, now)).to.equal(false);
    for (const kept of [coded, living, recent, fresh])
      expect(await oauth().findClient(kept.id)).to.not.equal(undefined);
  });

  it('removes what has expired, and keeps refresh tokens for as long as their family may live', async () => {
    const now = start - 1_000_000; // so that nothing of the other cases is over
    const over = { expiresAt: now };
    const [code, fresh] = [await addCode({ ...over, createdAt: now }), await addCode()];
    const [family, living] = [await addFamily(over), await addFamily()];
    const [ofEnded, access, rotated, expired] = [
      await addToken(family.family),
      await addToken(living.family, { ...over, kind: 'access' }),
      await addToken(living.family, { ...over, revokedAt: now, reason: 'ROTATED' }),
      await addToken(living.family, over),
    ];
    const key = freshName('address');
    await oauth().addAttempt(key, now);

    let removed = 0;
    for (let some = 1; some > 0; removed += some) some = await oauth().removeEnded(now, 1);

    expect(removed).to.be.at.least(4);
    expect(await oauth().removeCode(code.hash)).to.equal(false);
    expect(await oauth().removeCode(fresh.hash)).to.equal(true);
    expect(await oauth().findToken(ofEnded.hash)).to.equal(undefined);
    expect(await oauth().findToken(access.hash)).to.equal(undefined);
    expect(await oauth().findToken(rotated.hash)).to.not.equal(undefined);
    expect(await oauth().findToken(expired.hash)).to.not.equal(undefined);
    expect(await oauth().revokeFamily({ id: family.family.id }, 'REUSE', now)).to.equal(undefined);
    expect(await oauth().addAttempt(key, now)).to.equal(1);
  });
};
