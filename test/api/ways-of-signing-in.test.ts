// Signing in with a directory and at a trusted proxy, through the pages and operations of a running server.
import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';
import { startDirectory, type TestDirectory } from '#test/servers/slapd';
import { freshName } from './fresh.js';

const password = 'seven lamps in a boat';

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
  /** The session that it opens; empty when it opens none. */
  readonly session: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** The address from which the request comes. */
  readonly from?: string;
}

/** Asks from an address of this machine, which `fetch` cannot choose. */
const ask = (
  url: string,
  { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Asked = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: headers as Record<string, string | string[]>, localAddress: from }, // only read
      (reply) => {
        const parts: Buffer[] = [];
        reply.on('data', (part: Buffer) => parts.push(part));
        reply.on('end', () => {
          const cookies = reply.headers['set-cookie'] ?? [];
          const [, session = ''] = /sessionToken=([^;]*)/.exec(cookies.join('\n')) ?? [];
          resolve({
            status: reply.statusCode ?? 0,
            location: reply.headers.location,
            text: Buffer.concat(parts).toString(),
            session,
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });

const started = async (env: Readonly<Record<string, string>>): Promise<StartedServer> => {
  const server = await startServer({ storage: 'embedded', env });
  if ('missing' in server) throw new Error(server.missing);
  return server;
};
const cookie = (session: string) => ({ Cookie: `sessionToken=${session}` });
const json = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>; // every JSON reply is an object

describe('signing in with a directory', () => {
  let directory: TestDirectory;
  let server: StartedServer;
  const workspace = freshName('vision');
  before(async function () {
    const found = await startDirectory();
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    directory = found;
    server = await started({
      ORRERY_AUTH: 'ldap',
      ORRERY_LDAP_URL: directory.url,
      ORRERY_LDAP_BIND_DN: directory.reader.name,
      ORRERY_LDAP_BIND_PASSWORD: directory.reader.password,
      ORRERY_LDAP_SEARCH_BASE: directory.peopleBase,
      ORRERY_LDAP_GROUP_BASE: directory.groupBase,
      ORRERY_LDAP_GROUPS: JSON.stringify([{ group: 'ml', workspace, role: 'member' }]),
      ORRERY_LDAP_TIMEOUT_SECONDS: '2',
    });
    await directory.add({ uid: 'ann', password, groups: ['ml'] });
    await directory.add({ uid: 'cleo', password });
  });
  after(async () => {
    await server?.stop();
    await directory?.stop();
  });
  const signIn = (name: string, typed: string) =>
    ask(`${server.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, password: typed }),
    });
  const refusalOf = ({ status, text }: Answer) => [status, json(text)['msg']];
  const addLocal = async (name: string, typed: string) => {
    const beside = await openBeside(server);
    await beside.auth.addUser({ name, password: typed }).finally(() => beside.close());
  };

  it('makes an account with the roles of its groups, and knows it again', async () => {
    const first = await signIn('ann', password);
    expect([first.status, json(first.text)['userName']]).to.deep.equal([200, 'ann']);
    const mine = await ask(`${server.url}/api/rest/v2/workspaces`, {
      headers: cookie(first.session),
    });
    expect(json(mine.text)['workspaceNames']).to.deep.equal([workspace]);
    const sessions = await ask(`${server.url}/api/auth/sessions`, {
      headers: cookie((await signIn('ann', password)).session),
    });
    expect(sessions.text.match(/"way":"ldap"/g)).to.have.length(2);
  });

  it('answers a wrong password, an unknown name and a star alike', async () => {
    for (const [name, typed] of [
      ['ann', 'wrong'],
      ['nobody', password],
      ['an*', password],
    ] as const)
      expect(refusalOf(await signIn(name, typed))).to.deep.equal([
        401,
        'the name or the password is wrong',
      ]);
    expect((await signIn('ann', '')).status).to.be.oneOf([400, 401]);
  });

  it('opens no local account that has the same name', async () => {
    const [name, theirs] = [freshName('dora'), 'nine kites above a barn'];
    await addLocal(name, theirs);
    await directory.add({ uid: name, password });

    expect(json((await signIn(name, theirs)).text)['userName']).to.equal(name);
    expect(json((await signIn(name, password)).text)['userName']).to.equal(`${name}-2`);
  });

  it('delays nobody else when the directory is away, reports it in a sentence, and counts guesses', async () => {
    const [name, theirs] = [freshName('emil'), 'nine kites above a barn'];
    await addLocal(name, theirs);
    await directory.stop();

    expect((await signIn(name, theirs)).status).to.equal(200);
    const gone = await signIn('cleo', password);
    expect(refusalOf(gone)).to.deep.equal([503, 'the directory does not answer; try again later']);
    const statuses: number[] = [];
    for (let n = 0; n < 7; n++) statuses.push((await signIn(name, `guess ${n}`)).status);
    expect(statuses.at(0)).to.equal(503);
    expect(statuses.at(-1)).to.equal(429);
  });
});

describe('signing in at a proxy that is trusted', () => {
  let server: StartedServer;
  const workspace = freshName('vision');
  before(async () => {
    server = await started({
      ORRERY_AUTH: 'trusted-header',
      ORRERY_TRUSTED_PROXIES: '127.0.0.1',
      ORRERY_HEADER_EMAIL: 'X-Remote-Email',
      ORRERY_HEADER_GROUPS_HEADER: 'X-Remote-Groups',
      ORRERY_HEADER_GROUPS: JSON.stringify([
        { group: 'ml', workspace, role: 'member' },
        { group: 'gone', viewOnly: true },
      ]),
      ORRERY_LOCAL_ACCOUNTS: 'off',
    });
  });
  after(() => server?.stop());
  const asUser = (name: string, more: Readonly<Record<string, string>> = {}) => ({
    'X-Remote-User': name,
    ...more,
  });
  const enter = async (name: string): Promise<string> => {
    const { session } = await ask(`${server.url}/login/trusted-header`, { headers: asUser(name) });
    expect(session).to.not.equal('');
    return session;
  };
  const whoIs = async (session: string, headers: Readonly<Record<string, string>> = {}) =>
    json(
      (
        await ask(`${server.url}/api/auth/session`, {
          headers: { ...cookie(session), ...headers },
        })
      ).text,
    )['userName'];

  it('leads from the page straight in, with the roles of the groups', async () => {
    const headers = asUser('ann', { 'X-Remote-Groups': 'hr, ml' });

    const page = await ask(`${server.url}/login?returnTo=%2Faccount`, { headers });
    expect([page.status, page.location]).to.deep.equal([
      303,
      '/login/trusted-header?returnTo=%2Faccount',
    ]);
    const entered = await ask(server.url + (page.location ?? ''), { headers });
    expect([entered.status, entered.location]).to.deep.equal([303, '/account']);
    const mine = await ask(`${server.url}/api/rest/v2/workspaces`, {
      headers: cookie(entered.session),
    });
    expect(json(mine.text)['workspaceNames']).to.deep.equal([workspace]);
    const again = await enter('ann');
    expect(await whoIs(again)).to.equal('ann');
  });

  it('believes no header from elsewhere, nor one that is sent twice or is empty', async () => {
    const elsewhere = { headers: asUser('ann'), from: '127.0.0.2' };
    expect((await ask(`${server.url}/login`, elsewhere)).status).to.equal(200);
    for (const asked of [
      elsewhere,
      { headers: { ...asUser('ann'), 'X-Forwarded-For': '127.0.0.1' }, from: '127.0.0.2' },
      { headers: { 'X-Remote-User': ['ann', 'ben'] } },
      { headers: { 'X-Remote-User': '' } },
      {},
    ]) {
      const reply = await ask(`${server.url}/login/trusted-header`, asked);
      expect([reply.status, reply.session]).to.deep.equal([401, '']);
    }
    const call = await ask(`${server.url}/api/auth/session`, elsewhere);
    expect(call.status).to.equal(401);
  });

  it('ignores the session of somebody else than the proxy names, and no other session', async () => {
    const session = await enter('ann');

    expect(await whoIs(session, asUser('ann'))).to.equal('ann');
    expect(await whoIs(session)).to.equal('ann');
    expect(await whoIs(session, asUser('ben'))).to.equal(undefined);
    const elsewhere = await ask(`${server.url}/api/auth/session`, {
      headers: { ...cookie(session), ...asUser('ben') },
      from: '127.0.0.2',
    });
    expect(json(elsewhere.text)['userName']).to.equal('ann');
    const page = await ask(`${server.url}/account`, {
      headers: { ...cookie(session), ...asUser('ben') },
    });
    expect([page.status, page.location?.startsWith('/login')]).to.deep.equal([303, true]);
  });

  it('asks for the token of the session before it changes anything', async () => {
    const session = await enter('ann');
    const reply = await ask(`${server.url}/api/auth/sign-out`, {
      method: 'POST',
      headers: { ...cookie(session), ...asUser('ann'), 'Content-Type': 'application/json' },
      body: '{}',
    });

    expect(reply.status).to.equal(403);
  });

  it('refuses a suspended user, and says why', async () => {
    await enter('fred');
    const beside = await openBeside(server);
    const { users } = beside.storage.stores;
    const fred = await users.findUser({ name: 'fred' });
    await users.updateUser(fred?.id ?? '', { suspendedAt: 1 });
    await beside.close();

    const reply = await ask(`${server.url}/login/trusted-header`, { headers: asUser('fred') });

    expect([reply.status, reply.session]).to.deep.equal([403, '']);
    expect(reply.text).to.match(/the account is switched off/i);
  });

  it('offers the page to whoever signed out, with a button for whom the proxy names', async () => {
    const page = await ask(`${server.url}/login?told=out`, { headers: asUser('ann') });
    expect(page.text).to.include('/login/trusted-header').and.include('Company account');
    expect(page.text).to.not.include('name="password"');

    const other = await ask(`${server.url}/login`, { headers: asUser('ann'), from: '127.0.0.2' });
    expect(other.text).to.not.include('/login/trusted-header');
  });
});

const pluginSource = `export default {
  name: 'badges', api: 1, settings: {}, needs: {}, contribute: () => ({}),
  drivers: [{
    port: 'auth',
    name: 'badge',
    async open({ settings, log, clock, outgoing, returnUrl, ...rest }) {
      const given = [typeof log.info, typeof clock.now, typeof outgoing.check, returnUrl.endsWith('/login/badge/return')];
      if (given.join() !== 'function,function,function,true' || 'checkPassword' in rest) throw new Error(given.join());
      return {
        made: {
          kind: 'password', name: 'badge', label: 'Badge',
          admission: { provision: 'all', domains: [], groupRules: [{ group: 'staff', workspace: settings.workspace, role: 'member' }] },
          check: async (name, password) => password !== '' && password === settings.code
            ? { subject: 'badge of ' + name, name, email: undefined, emailProved: false, groups: ['staff'] }
            : undefined,
        },
        stop: async () => undefined,
      };
    },
  }],
};`;

describe('signing in by a way that a plugin brings', () => {
  let server: StartedServer;
  let folder = '';
  const [workspace, code] = [freshName('lab'), 'a code of the badge'];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orrery-badges-'));
    writeFileSync(join(folder, 'badges.mjs'), pluginSource);
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ plugins: [{ name: './badges.mjs', settings: { workspace, code } }] }),
    );
    server = await started({
      ORRERY_AUTH: 'badge',
      ORRERY_CONFIG: join(folder, 'config.json'),
    });
  });
  after(async () => {
    await server?.stop();
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  it('makes users with roles, sessions and all, which the plugin did not write', async () => {
    const signIn = (password: string) =>
      ask(`${server.url}/api/auth/sign-in`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'gita', password }),
      });
    expect((await signIn('wrong')).status).to.equal(401);

    const { session } = await signIn(code);

    const mine = await ask(`${server.url}/api/rest/v2/workspaces`, { headers: cookie(session) });
    expect(json(mine.text)['workspaceNames']).to.deep.equal([workspace]);
    const sessions = await ask(`${server.url}/api/auth/sessions`, { headers: cookie(session) });
    expect(sessions.text).to.include('"way":"badge"');
  });
});
