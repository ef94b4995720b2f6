import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { localAuth } from '#adapters/auth/local/local-auth';
import { passwordWay } from '#adapters/auth/local/password-way';
import { oidcWay } from '#adapters/auth/oidc/oidc-way';
import { systemIds } from '#adapters/system/ids';
import { gcmSealer } from '#adapters/system/sealer';
import { systemSecrets } from '#adapters/system/secrets';
import { offeredWays } from '#core/identity/by-header';
import { beginAt, checkByPassword, completeAt, endSession } from '#core/identity/ways';
import { isFailure } from '#ports/failure';
import type { Admission } from '#ports/sign-in';
import type { Storage } from '#ports/storage/storage';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { freshName, rejection } from '#test/contract/storage/builders';
import {
  followTo,
  startProvider,
  type ProviderPerson,
  type TestProvider,
} from '#test/servers/oidc';

const returnUrl = 'http://127.0.0.1:4400/login/oidc/return';
const afterSignOut = 'http://127.0.0.1:4400/login';

describe('signing in at a provider', () => {
  let opened: OpenedStorage;
  let provider: TestProvider;
  let now = 1_800_000_000_000;
  before(async () => {
    const result = await storageAdapters[0]?.open();
    if (result === undefined || 'missing' in result)
      throw new Error('the embedded storage does not open');
    opened = result;
    provider = await startProvider({ returnUrl, afterSignOut });
  });
  after(async () => {
    await provider?.stop();
    await opened?.stop();
  });

  const storage = (): Storage => opened.storage;
  const sealer = gcmSealer(() => 'k'.repeat(40));
  interface Given extends Partial<Admission> {
    readonly issuer?: string;
    readonly localAccounts?: boolean;
  }
  /** The accounts, and what the pages do with the provider beside them. */
  const authOf = ({ issuer = provider.issuer, localAccounts = true, ...admission }: Given = {}) => {
    const clock = { now: () => now };
    const local = localAuth({
      storage: storage(),
      clock,
      ids: systemIds,
      secrets: systemSecrets,
      nameMinLength: 3,
      checkNewPassword: () => undefined,
      checkWorkspaceName: () => undefined,
      sessionLife: { idleMs: 3_600_000, mostMs: 86_400_000 },
      keySuffix: '',
      takesTokens: true,
    });
    const way = oidcWay(
      { clock },
      {
        issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        scopes: 'openid profile email',
        label: 'Company account',
        returnUrl,
        userClaim: 'preferred_username',
        groupsClaim: 'groups',
        admission: { groupRules: [], provision: 'all', domains: [], ...admission },
      },
    );
    const needs = {
      auth: local,
      storage: storage(),
      clock,
      ids: systemIds,
      sealer,
      settings: { USER_NAME_MIN_LENGTH: 3 },
      ways: { all: [way, ...(localAccounts ? [passwordWay(local)] : [])] },
    };
    return {
      ...local,
      ways: () => offeredWays(needs, { headers: {}, fromTrustedProxy: false }),
      checkPassword: async (name: string, password: string) =>
        (await checkByPassword(needs, name, password)).proved?.user,
      begin: (name: string, returnTo: string) => beginAt(needs, name, returnTo),
      complete: (name: string, query: Readonly<Record<string, string>>, keep: string) =>
        completeAt(needs, name, query, keep),
      endSession: (sessionId: string, returnTo: string) => endSession(needs, sessionId, returnTo),
    };
  };
  type Auth = ReturnType<typeof authOf>;
  const someone = (given: Partial<ProviderPerson> = {}): ProviderPerson => {
    const name = freshName('ann');
    return { sub: randomBytes(8).toString('hex'), name, email: `${name}@example.org`, ...given };
  };
  /** The whole way of a browser, and what the adapter makes of it. */
  const signIn = async (auth: Auth, person: ProviderPerson | undefined, returnTo = '/account') => {
    provider.person = person;
    const { address, keep } = await auth.begin('oidc', returnTo);
    const back = await followTo(address, returnUrl);
    return {
      query: Object.fromEntries(back.searchParams),
      keep,
      done: () => auth.complete('oidc', Object.fromEntries(back.searchParams), keep),
    };
  };
  const kindOf = async (work: Promise<unknown>) => {
    const thrown = await rejection(work);
    return isFailure(thrown) ? thrown.kind : String(thrown);
  };

  it('makes an account at the first time, and knows it again', async () => {
    const auth = authOf();
    const person = someone();

    const first = await (await signIn(auth, person, '/where/I/was')).done();
    const second = await (
      await signIn(auth, { ...person, name: 'renamed', email: 'other@example.org' })
    ).done();

    expect([first.user.name, first.user.email, first.returnTo]).to.deep.equal([
      person.name,
      person.email,
      '/where/I/was',
    ]);
    expect(second.user.id).to.equal(first.user.id);
    expect(await storage().stores.apiKeys.listKeys(first.user.id)).to.deep.equal([]);
  });

  it('knows an account by an e-mail that the provider has verified, and by no other', async () => {
    const auth = authOf();
    const [verified, claimed] = [someone(), someone({ emailVerified: false })];
    const mine = await auth.addUser({
      name: freshName('local'),
      email: verified.email,
      emailProved: true,
    });
    const other = await auth.addUser({
      name: freshName('local'),
      email: claimed.email,
      emailProved: true,
    });

    expect((await (await signIn(auth, verified)).done()).user.id).to.equal(mine.user.id);
    expect((await (await signIn(auth, claimed)).done()).user.id).to.not.equal(other.user.id);
  });

  it('leaves an account alone whose e-mail was only typed in, and gives that e-mail to its owner', async () => {
    const auth = authOf();
    const person = someone();
    const prepared = await auth.addUser({ name: freshName('local'), email: person.email });

    const { user } = await (await signIn(auth, person)).done();

    expect(user.id).to.not.equal(prepared.user.id);
    expect([user.email, user.emailProved]).to.deep.equal([person.email, true]);
    expect((await storage().stores.users.findUser({ id: prepared.user.id }))?.email).to.equal(
      undefined,
    );
    expect((await auth.identify(prepared.apiKey))?.userId).to.equal(prepared.user.id);
  });

  it('ends what stood for an account before it was linked, and nothing at later sign-ins', async () => {
    const auth = authOf();
    const person = someone();
    const { user, apiKey } = await auth.addUser({
      name: freshName('local'),
      email: person.email,
      emailProved: true,
      password: 'any at all',
    });
    const { token } = await auth.openSession(user.id, { address: '', agent: '', way: 'password' });
    for (const credential of [apiKey, token])
      expect((await auth.identify(credential))?.userId).to.equal(user.id);

    expect((await (await signIn(auth, person)).done()).user.id).to.equal(user.id);
    expect([
      await auth.identify(apiKey),
      await auth.identify(token),
      await auth.checkPassword(user.name, 'any at all'),
    ]).to.deep.equal([undefined, undefined, undefined]);

    const later = await auth.issueKey(user.id);
    await (await signIn(auth, person)).done();
    expect((await auth.identify(later.apiKey))?.userId).to.equal(user.id);
  });

  it('names nobody after an e-mail that the provider has not verified', async () => {
    const auth = authOf();
    const [victim, person] = [someone(), someone({ emailVerified: false })];

    const { user } = await (await signIn(auth, { ...person, name: victim.email ?? '' })).done();

    expect(user.name).to.match(/^[^@]+$/);
  });

  it("gives somebody new a workspace of their own where one of the name is somebody else's", async () => {
    const auth = authOf();
    const [host, person] = [await auth.addUser({ name: freshName('host') }), someone()];
    await storage().stores.workspaces.update(host.user.defaultWorkspaceId ?? '', {
      name: person.name ?? '',
    });

    const { user } = await (await signIn(auth, person)).done();

    expect(user.defaultWorkspaceId).to.not.equal(host.user.defaultWorkspaceId);
    expect([...(await storage().stores.members.findReach(user.id)).roles.keys()]).to.deep.equal([
      user.defaultWorkspaceId,
    ]);
  });

  it('gives somebody new another name where his is taken', async () => {
    const auth = authOf();
    const person = someone();
    await auth.addUser({ name: person.name ?? '' });

    expect((await (await signIn(auth, person)).done()).user.name).to.equal(
      `${person.name ?? ''}-2`,
    );
  });

  it('turns groups into roles, anew at every sign-in', async () => {
    const [workspace, second] = [freshName('vision'), freshName('speech')];
    const rules = [
      { group: 'researchers', workspace, role: 'member', permissions: ['publish'] },
      { group: 'leads', workspace, role: 'admin' },
      { group: 'speech', workspace: second, role: 'view-only' },
      { group: 'operators', admin: true },
      { group: 'auditors', viewOnly: true },
    ] as const;
    const auth = authOf({ groupRules: rules });
    const person = someone({ groups: ['researchers', 'leads', 'operators', 'speech'] });
    const reachOf = async (userId: string) => {
      const { roles, permissions } = await storage().stores.members.findReach(userId);
      const names = await storage().stores.workspaces.listByIds([...roles.keys()]);
      return Object.fromEntries(
        names.map(({ id, name }) => [name, [roles.get(id), permissions.get(id) ?? []]]),
      );
    };
    await auth.addUser({ name: freshName('root'), admin: true });

    const { user } = await (await signIn(auth, person)).done();
    expect([user.admin, user.viewOnly, await reachOf(user.id)]).to.deep.equal([
      true,
      false,
      { [workspace]: ['admin', ['publish']], [second]: ['view-only', []] },
    ]);
    expect(
      (await storage().stores.workspaces.findById(user.defaultWorkspaceId ?? ''))?.name,
    ).to.equal(workspace);

    const later = await (
      await signIn(auth, { ...person, groups: ['researchers', 'auditors'] })
    ).done();
    expect([later.user.admin, later.user.viewOnly, await reachOf(user.id)]).to.deep.equal([
      false,
      true,
      { [workspace]: ['member', ['publish']] },
    ]);
  });

  it('lets nobody in whom the rule does not name, nor of another domain, nor who is suspended', async () => {
    const rules = [{ group: 'ml', workspace: freshName('ml'), role: 'member' }] as const;
    const [none, groups, domains] = [
      authOf({ provision: 'none' }),
      authOf({ provision: 'groups', groupRules: rules }),
      authOf({ domains: ['example.org'] }),
    ];
    const known = someone();
    const { user } = await (await signIn(authOf(), known)).done();

    expect(await kindOf((await signIn(none, someone())).done())).to.equal('forbidden');
    expect(await kindOf((await signIn(groups, someone({ groups: ['hr'] }))).done())).to.equal(
      'forbidden',
    );
    expect((await (await signIn(groups, someone({ groups: ['ml'] }))).done()).user.kind).to.equal(
      'person',
    );
    expect(
      await kindOf(
        (
          await signIn(domains, someone({ email: `${freshName('eve')}@example.org.evil.test` }))
        ).done(),
      ),
    ).to.equal('forbidden');
    expect(
      await kindOf((await signIn(domains, someone({ emailVerified: false }))).done()),
    ).to.equal('forbidden');
    expect((await (await signIn(none, known)).done()).user.id).to.equal(user.id);
    await storage().stores.users.updateUser(user.id, { suspendedAt: now });
    expect(await kindOf((await signIn(none, known)).done())).to.equal('forbidden');
  });

  it("refuses a return that is forged, another's, replayed, late or refused by the provider", async () => {
    const auth = authOf();
    const [mine, others] = [await signIn(auth, someone()), await signIn(auth, someone())];

    expect(await kindOf(auth.complete('oidc', mine.query, 'forged'))).to.equal('unauthenticated');
    expect(
      await kindOf(auth.complete('oidc', mine.query, others.keep)),
      'the state of another browser',
    ).to.equal('unauthenticated');
    expect(
      await kindOf(
        auth.complete('oidc', { ...mine.query, state: others.query['state'] ?? '' }, others.keep),
      ),
      'the code of another browser',
    ).to.equal('unauthenticated');
    expect(
      await kindOf(
        auth.complete('oidc', { ...others.query, iss: 'https://evil.test' }, others.keep),
      ),
      'another issuer',
    ).to.equal('unauthenticated');
    const fresh = await signIn(auth, someone());
    await fresh.done();
    expect(await kindOf(fresh.done()), 'a second time').to.equal('unauthenticated');
    const refused = await signIn(auth, undefined);
    const refusal = await rejection(refused.done());
    expect(isFailure(refusal) && refusal.message).to.equal('the provider refused the sign-in');
    const late = await signIn(auth, someone());
    now += 11 * 60_000;
    expect(await kindOf(late.done()), 'after more than ten minutes').to.equal('unauthenticated');
  });

  it('signs out at the provider too, where it takes part', async () => {
    const auth = authOf();
    const { user, external } = await (await signIn(auth, someone())).done();
    const { sessionId, token } = await auth.openSession(user.id, {
      address: '',
      agent: '',
      way: 'oidc',
      ...(external === undefined ? {} : { external }),
    });

    const idToken = sealer.open(external ?? '', 'session at a provider');
    expect((await storage().stores.sessions.find(sessionId))?.external).to.not.include(
      idToken.slice(0, 20),
    );
    const address = new URL((await auth.endSession(sessionId, afterSignOut)) ?? '');

    expect([
      address.origin,
      address.searchParams.get('post_logout_redirect_uri'),
      address.searchParams.get('id_token_hint'),
    ]).to.deep.equal([provider.issuer, afterSignOut, idToken]);
    expect(await auth.identify(token)).to.equal(undefined);
    const by = await auth.openSession(user.id, { address: '', agent: '', way: 'password' });
    expect(await auth.endSession(by.sessionId, afterSignOut)).to.equal(undefined);
  });

  it("leaves name and password to the product's own accounts, or switches them off", async () => {
    const [both, only] = [authOf(), authOf({ localAccounts: false })];
    const name = freshName('local');
    await both.addUser({ name, password: 'Tulip-ocean-97-wq' });

    const offered = await both.ways();
    expect(offered).to.deep.equal([
      { name: 'oidc', kind: 'provider', label: 'Company account' },
      { name: 'password', kind: 'password', label: offered[1]?.label },
    ]);
    expect((await both.checkPassword(name, 'Tulip-ocean-97-wq'))?.name).to.equal(name);
    expect((await only.ways()).map((way) => way.name)).to.deep.equal(['oidc']);
    expect(await only.checkPassword(name, 'Tulip-ocean-97-wq')).to.equal(undefined);
  });

  it('says that the provider does not answer, and asks again later', async () => {
    const auth = authOf({ issuer: 'http://127.0.0.1:9' });

    expect(await kindOf(auth.begin('oidc', '/'))).to.equal('unavailable');
    expect(await kindOf(auth.begin('oidc', '/'))).to.equal('unavailable');
  });
});
