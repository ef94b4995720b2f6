import { expect } from 'chai';
import { headerWay } from '#adapters/auth/trusted-header/header-way';
import { ldapWay, type LdapSettings } from '#adapters/auth/ldap/ldap-way';
import { oidcWay } from '#adapters/auth/oidc/oidc-way';
import { passwordWay } from '#adapters/auth/local/password-way';
import type { HeadersWay, Identity, PasswordWay, RedirectWay } from '#ports/sign-in';
import { pendingUnlessAll } from '#test/pending';
import { followTo, startProvider } from '#test/servers/oidc';
import { startDirectory, type TestDirectory } from '#test/servers/slapd';
import { storageAdapters } from './adapters.js';
import { openAccounts } from './shipped.js';
import {
  headersWayContract,
  passwordWayContract,
  redirectWayContract,
  type HeadersStage,
  type KnownPerson,
  type PasswordStage,
  type RedirectStage,
} from './sign-in.js';
import { runAside } from './teeth.js';

const returnUrl = 'http://127.0.0.1:4400/login/oidc/return';
const passwords = { ann: 'seven lamps in a boat', ben: 'nine kites above a barn' };
const person = (name: string, given: Partial<KnownPerson> = {}): KnownPerson => ({
  name,
  email: `${name}@people.example`,
  emailProved: true,
  groups: [],
  ...given,
});
const admission = { provision: 'all', domains: [], groupRules: [] } as const;
const silentLog = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

const localStage = async (): Promise<PasswordStage> => {
  const opened = await storageAdapters[0]?.open();
  if (opened === undefined || 'missing' in opened)
    throw new Error('the embedded storage does not open');
  const accounts = openAccounts(opened.storage, { now: () => Date.now() });
  const people = [person('ann'), person('ben', { emailProved: false })] as const;
  for (const { name, email, emailProved } of people)
    await accounts.addUser({
      name,
      email,
      emailProved,
      password: passwords[name as keyof typeof passwords], // of those two
    });
  return { way: passwordWay(accounts), people, passwords, stop: opened.stop };
};

const providerStage = async (): Promise<RedirectStage> => {
  const provider = await startProvider({ returnUrl, afterSignOut: 'http://127.0.0.1:4400/login' });
  const people = [
    person('ann', { groups: ['ml', 'leads'] }),
    person('ben', { emailProved: false }),
  ] as const;
  const wayAt = (issuer: string): RedirectWay =>
    oidcWay(
      { clock: { now: () => Date.now() } },
      {
        issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        scopes: 'openid profile email',
        label: 'Single sign-on',
        returnUrl,
        userClaim: 'preferred_username',
        groupsClaim: 'groups',
        admission,
      },
    );
  let turn: Promise<unknown> = Promise.resolve();
  const follow = (address: string, who: KnownPerson | undefined) => {
    // The stand-in has one person at its browser at a time.
    const going = turn.then(async () => {
      provider.person =
        who === undefined
          ? undefined
          : {
              sub: `id-of-${who.name}`,
              name: who.name,
              emailVerified: who.emailProved,
              groups: who.groups,
              ...(who.email === undefined ? {} : { email: who.email }),
            };
      const back = await followTo(address, returnUrl);
      return Object.fromEntries(back.searchParams);
    });
    turn = going.catch(() => undefined);
    return going;
  };
  return {
    way: wayAt(provider.issuer),
    unanswered: wayAt('http://127.0.0.1:9'),
    people,
    browse: follow,
    refuse: (address) => follow(address, undefined),
    stop: () => provider.stop(),
  };
};

const headersStage = async (): Promise<HeadersStage> => {
  const people = [person('ann', { groups: ['leads', 'ml'] }), person('bén')] as const;
  const headersOf = ({ name, email, groups }: KnownPerson) => ({
    'x-remote-user': Buffer.from(name).toString('latin1'),
    'x-remote-email': email,
    'x-remote-groups': groups.join(', '),
  });
  return {
    way: headerWay({
      label: 'Company account',
      userHeader: 'x-remote-user',
      emailHeader: 'x-remote-email',
      groupsHeader: 'x-remote-groups',
      emailProved: true,
      admission,
    }),
    people,
    request: (who) => ({ headers: headersOf(who), fromTrustedProxy: true }),
    forged: [
      { headers: headersOf(people[0]), fromTrustedProxy: false },
      { headers: { 'x-remote-user': 'ann, ben' }, fromTrustedProxy: true },
      { headers: { 'x-remote-email': 'ann@people.example' }, fromTrustedProxy: true },
      { headers: { 'x-remote-user': 'a'.repeat(300) }, fromTrustedProxy: true },
    ],
    stop: async () => undefined,
  };
};

const directorySettings = (directory: TestDirectory): LdapSettings => ({
  url: directory.url,
  startTls: false,
  ca: undefined,
  timeoutMs: 5000,
  entries: {
    bindName: directory.reader.name,
    bindPassword: directory.reader.password,
    base: directory.peopleBase,
    filter: '(&(objectClass=person)(uid={name}))',
  },
  attributes: { id: 'entryUUID', name: 'uid', email: 'mail', groups: 'memberOf' },
  emailProved: true,
  groupSearch: undefined,
  admission,
});

const directoryStage = (
  directory: TestDirectory,
  given: Partial<LdapSettings> = {},
  groupsOf: (groups: readonly string[]) => readonly string[] = (groups) => groups,
): PasswordStage => {
  const settings = { ...directorySettings(directory), ...given };
  return {
    way: ldapWay(silentLog, settings),
    unanswered: ldapWay(silentLog, { ...settings, url: 'ldap://127.0.0.1:9', timeoutMs: 1000 }),
    people: [person('ann', { groups: groupsOf(['leads', 'ml']) }), person('ben')],
    passwords,
    stop: async () => undefined,
  };
};

describe('signing in by passwords of the accounts', () => {
  passwordWayContract(localStage);
});

describe('signing in at an OpenID Connect provider', () => {
  redirectWayContract(providerStage);
});

describe('signing in at a proxy that is trusted', () => {
  headersWayContract(headersStage);
});

describe('signing in with a directory', () => {
  let directory: TestDirectory;
  before('start a directory', async function () {
    const started = await startDirectory();
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    directory = started;
    const mail = (name: string) => `${name}@people.example`;
    await directory.add({
      uid: 'ann',
      password: passwords.ann,
      mail: mail('ann'),
      groups: ['ml', 'leads'],
    });
    await directory.add({ uid: 'ben', password: passwords.ben, mail: mail('ben') });
  });
  after(() => directory?.stop());
  const asNames = (groups: readonly string[]) =>
    groups.map((cn) => `cn=${cn},${directory.groupBase}`);

  describe('whose entries are searched for', () => {
    passwordWayContract(async () => directoryStage(directory, {}, asNames));
  });

  describe('whose entries are named, over StartTLS, with groups searched for', () => {
    passwordWayContract(async () =>
      directoryStage(
        directory,
        {
          startTls: true,
          ca: directory.ca,
          entries: { name: `uid={name},${directory.peopleBase}` },
          attributes: { id: 'entryUUID', name: 'uid', email: 'mail', groups: '' },
          groupSearch: undefined,
        },
        () => [],
      ),
    );
  });

  describe('over TLS, with groups searched for', () => {
    passwordWayContract(async () =>
      directoryStage(directory, {
        url: directory.tlsUrl,
        ca: directory.ca,
        attributes: { id: 'entryUUID', name: 'uid', email: 'mail', groups: '' },
        groupSearch: { base: directory.groupBase, filter: '(member={dn})' },
      }),
    );
  });
});

type Mutant<W> = (sound: W) => W;

/** What may go wrong in a way by name and password. */
const passwordMutants: Readonly<Record<string, Mutant<PasswordWay>>> = {
  'accepts an empty password': (sound) => ({
    ...sound,
    check: (name, password) =>
      sound.check(
        name,
        password === '' ? (passwords[name as keyof typeof passwords] ?? '') : password,
      ), // of those two, or none
  }),
  'accepts any password': (sound) => ({
    ...sound,
    check: (name) => sound.check(name, passwords[name as keyof typeof passwords] ?? ''),
  }),
  'answers somebody else': (sound) => ({
    ...sound,
    check: async (name, password) =>
      (await sound.check(name, password)) === undefined
        ? undefined
        : sound.check('ben', passwords.ben),
  }),
  'cuts blanks off': (sound) => ({
    ...sound,
    check: (name, password) => sound.check(name, password.trim()),
  }),
  'answers a new subject each time': (sound) => ({
    ...sound,
    check: async (name, password) => changed(await sound.check(name, password), String(counter++)),
  }),
  'answers one subject for all': (sound) => ({
    ...sound,
    check: async (name, password) => changed(await sound.check(name, password), 'same'),
  }),
  'answers nobody': (sound) => ({ ...sound, check: async () => undefined }),
};
let counter = 0;
const changed = (identity: Identity | undefined, subject: string): Identity | undefined =>
  identity === undefined ? undefined : { ...identity, subject };

const headersMutants: Readonly<Record<string, Mutant<HeadersWay>>> = {
  'believes a forged header': (sound) => ({
    ...sound,
    read: ({ headers }) => sound.read({ headers, fromTrustedProxy: true }),
  }),
  'answers whoever came last': (sound) => {
    let last: Identity | undefined;
    return {
      ...sound,
      async read(request) {
        const before = last;
        last = (await sound.read(request)) ?? last;
        return before ?? last;
      },
    };
  },
};

const redirectMutants: Readonly<Record<string, Mutant<RedirectWay>>> = {
  'does not look at what the browser remembers': (sound) => {
    let remembered = '';
    return {
      ...sound,
      async begin() {
        const begun = await sound.begin();
        remembered ||= begun.remember;
        return begun;
      },
      complete: (query) => sound.complete(query, remembered),
    };
  },
  'remembers nothing of its own': (sound) => ({
    ...sound,
    begin: async () => ({ ...(await sound.begin()), remember: 'x' }),
  }),
  'takes any return once it knew somebody': (sound) => {
    let last: Awaited<ReturnType<RedirectWay['complete']>> | undefined;
    return {
      ...sound,
      async complete(query, remember) {
        last = await sound.complete(query, remember).catch((thrown: unknown) => {
          if (last === undefined) throw thrown;
          return last;
        });
        return last;
      },
    };
  },
};

describe('the suites of signing in', function () {
  this.timeout(120_000);
  const unproven = async <W, S extends { readonly way: W; stop(): Promise<void> }>(
    open: () => Promise<S>,
    suite: (open: () => Promise<S>) => void,
    mutants: Readonly<Record<string, Mutant<W>>>,
  ): Promise<readonly string[]> => {
    const stage = await open();
    const silent: string[] = [];
    for (const [title, mutant] of Object.entries(mutants)) {
      const { failed } = await runAside(
        () => {
          suite(async () => ({ ...stage, way: mutant(stage.way), stop: async () => undefined }));
        },
        { bail: true },
      );
      if (failed.length === 0) silent.push(title);
    }
    await stage.stop();
    return silent;
  };

  it('turn red for a way by password that is wrong', async () => {
    expect(await unproven(localStage, passwordWayContract, passwordMutants)).to.deep.equal([]);
  });

  it('turn red for a way by headers that is wrong', async () => {
    expect(await unproven(headersStage, headersWayContract, headersMutants)).to.deep.equal([]);
  });

  it('turn red for a way by a provider that is wrong', async () => {
    expect(await unproven(providerStage, redirectWayContract, redirectMutants)).to.deep.equal([]);
  });
});
