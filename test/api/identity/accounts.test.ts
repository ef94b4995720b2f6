import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { listTables } from '#adapters/storage/sql/migrate';
import type { Auth } from '#ports/auth';
import { startMailServer, type Mail, type MailServer } from '#test/clients/smtp';
import { neverStored } from '#test/clients/secrets';
import { openBeside, type Beside, startServer, type StartedServer } from '#test/clients/server';
import { freshName, freshPassword } from '../fresh.js';
import { browse, type Browser, type Shown } from './browser.js';

const adminPassword = 'velvet-Harbor-91-quill';

describe('accounts', function () {
  this.timeout(120_000);
  let server: StartedServer;
  let mail: MailServer;
  let folder: string;
  let auth: Auth;
  let opened: Beside;
  /** Everything that must be found nowhere: passwords, tokens, tickets, keys. */
  const secrets = new Set<string>([adminPassword]);
  let addresses = 0;

  before(async () => {
    mail = await startMailServer();
    folder = mkdtempSync(join(tmpdir(), 'orrery-smtp-'));
    writeFileSync(join(folder, 'password'), 'p w\n');
    const started = await startServer({
      storage: 'embedded',
      env: {
        ORRERY_ADMIN_PASSWORD: adminPassword,
        ORRERY_SIGN_UP: 'on',
        ORRERY_TRUSTED_PROXIES: '127.0.0.1',
        ORRERY_LOG_LEVEL: 'debug',
        ORRERY_CHECK_REPLIES: '1',
        ORRERY_SMTP_HOST: '127.0.0.1',
        ORRERY_SMTP_PORT: String(mail.port),
        ORRERY_SMTP_TLS: 'none',
        ORRERY_SMTP_USER: 'u',
        ORRERY_SMTP_PASSWORD_FILE: join(folder, 'password'),
        ORRERY_SMTP_FROM: 'Orrery <o@orrery.example>',
      },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    secrets.add(server.apiKey);
    opened = await openBeside(server);
    ({ auth } = opened);
  });
  after(async () => {
    await opened?.close();
    await server?.stop();
    await mail?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const secret = <T extends string>(text: T): T => {
    secrets.add(text);
    return neverStored(text);
  };
  const freshAddress = (): string => {
    addresses++;
    return `198.51.${100 + (addresses >> 8)}.${addresses & 255}`;
  };
  const freshBrowser = (url = server.url): Browser => browse(url, freshAddress());
  interface Person {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly password: string;
    readonly apiKey: string;
    readonly workspace: string;
  }
  const person = async ({
    name = freshName('ines'),
    ...more
  }: { readonly name?: string; readonly viewOnly?: boolean } = {}): Promise<Person> => {
    const password = secret(freshPassword());
    const email = `${name}@people.example`;
    const { user, apiKey, workspace } = await auth.addUser({
      name,
      email: `${freshName('mail')}-${email}`,
      emailProved: true,
      password,
      ...more,
    });
    if (apiKey !== '') secret(apiKey.split('*', 1)[0] ?? '');
    return { id: user.id, name, email: user.email ?? '', password, apiKey, workspace };
  };
  const drawnLetter = () => 'kvpm'[randomInt(4)] ?? 'k';
  const noteSession = (browser: Browser): void => {
    const token = browser.cookies.get('sessionToken');
    if (token !== undefined) secret(token);
  };
  const signIn = async (
    { name, password }: Pick<Person, 'name' | 'password'>,
    browser = freshBrowser(),
  ): Promise<Browser> => {
    const shown = await browser.call('POST', '/api/auth/sign-in', { name, password });
    expect(shown.status, shown.text).to.equal(200);
    noteSession(browser);
    await browser.whoAmI();
    return browser;
  };
  const isSignedIn = async (browser: Browser): Promise<boolean> =>
    (await browser.get('/api/auth/session')).status === 200;
  const byKey = (apiKey: string, method: string, path: string, body?: unknown): Promise<Shown> =>
    freshBrowser().call(method, path, body, { Authorization: apiKey });
  const linkIn = ({ raw }: Mail): string => {
    const [link = ''] =
      /http:\/\/127\.0\.0\.1:\d+\/[\w/]+\/orrery_ot_[\w-]{43}/.exec(
        raw.replaceAll('=\r\n', '').replaceAll('=3D', '='),
      ) ?? [];
    secret(link.split('/').at(-1) ?? 'nothing was linked');
    return link;
  };
  const ticketIn = (link: unknown): string => secret(String(link).split('/').at(-1) ?? '');
  const lastMail = async (to: string, count = 1): Promise<Mail> => {
    const [last] = (await mail.until(to, count)).slice(-1);
    if (last === undefined) throw new Error('no mail came');
    return last;
  };
  const entries = async (
    action: string,
  ): Promise<
    readonly {
      readonly outcome: string;
      readonly actor: string | undefined;
      readonly thing: string | undefined;
      readonly address: string | undefined;
      readonly detail: Readonly<Record<string, unknown>>;
    }[]
  > =>
    (await opened.storage.stores.audit.list({ action }, 1000)).map((entry) => ({
      outcome: entry.outcome,
      actor: entry.actorName,
      thing: entry.thing?.name,
      address: entry.address,
      detail: entry.detail,
    }));

  const invite = (from: Person, given: Readonly<Record<string, unknown>> = {}) =>
    byKey(from.apiKey, 'POST', '/api/auth/invitations', {
      workspaceName: from.workspace,
      email: `${freshName('guest')}@people.example`,
      ...given,
    });
  const signUp = (body: Readonly<Record<string, unknown>>, query = '?sendEmail=true') =>
    freshBrowser().call('POST', `/api/auth/users${query}`, body);

  describe('sign-in', () => {
    it('opens a session by name or by e-mail in any case, kept in a cookie that scripts cannot read', async () => {
      const ines = await person();
      for (const name of [ines.name, ines.email, ines.email.toUpperCase()]) {
        const browser = freshBrowser();
        const shown = await browser.call('POST', '/api/auth/sign-in', {
          name,
          password: ines.password,
        });
        noteSession(browser);

        expect([shown.status, shown.json['userName']], shown.text).to.deep.equal([200, ines.name]);
        expect(shown.headers.getSetCookie()).to.have.length(1);
        expect(shown.headers.getSetCookie()[0]).to.match(
          /^sessionToken=orrery_st_[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
        );
        const who = await browser.whoAmI();
        expect(who).to.deep.include({
          userName: ines.name,
          email: ines.email,
          via: 'session',
          csrfToken: shown.json['csrfToken'],
        });
      }
    });

    it('answers a wrong password and an unknown name alike', async () => {
      const ines = await person();
      const seen = [];
      for (const [name, password] of [
        [ines.name, 'wrong'],
        [freshName('nobody'), 'wrong'],
        [ines.email, ''.padEnd(999, 'x')],
        [freshName('nobody'), ines.password],
      ]) {
        const shown = await freshBrowser().call('POST', '/api/auth/sign-in', { name, password });
        seen.push([
          shown.status,
          shown.text,
          shown.headers.get('Set-Cookie'),
          shown.headers.get('Retry-After'),
        ]);
      }

      expect(new Set(seen.map((one) => JSON.stringify(one))).size, JSON.stringify(seen)).to.equal(
        1,
      );
      expect(seen[0]?.[0]).to.equal(401);
    });

    it('takes no body that a form of another site could send', async () => {
      const ines = await person();
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
      ]) {
        const shown = await freshBrowser().call(
          'POST',
          '/api/auth/sign-in',
          { name: ines.name, password: ines.password },
          { 'Content-Type': type },
        );
        expect([shown.status, shown.headers.get('Set-Cookie')], type).to.deep.equal([400, null]);
      }
    });

    it('by the page needs the cookie that the page gave: nobody signs a visitor in from another site', async () => {
      const ines = await person();
      const fields = { name: ines.name, password: ines.password };
      const [bare, foreign, own] = [freshBrowser(), freshBrowser(), freshBrowser()];
      const other =
        (await freshBrowser().get('/login')).text.match(/name="csrf" value="(.*?)"/)?.[1] ?? '';

      expect((await bare.post('/login', { ...fields, csrf: other })).status).to.equal(403);
      await foreign.get('/login');
      expect((await foreign.post('/login', { ...fields, csrf: other })).status).to.equal(403);
      expect((await foreign.post('/login', fields)).status).to.equal(403);
      expect([bare.cookies.has('sessionToken'), foreign.cookies.has('sessionToken')]).to.deep.equal(
        [false, false],
      );
      const shown = await own.submit('/login', fields);
      noteSession(own);
      expect([shown.status, shown.location, await isSignedIn(own)]).to.deep.equal([
        303,
        '/account',
        true,
      ]);
    });

    it('by the page leads back to our own paths only', async () => {
      const ines = await person();
      for (const [returnTo, location] of [
        ['/account?told=joined', '/account?told=joined'],
        ['https://evil.example', '/account'],
        ['//evil.example', '/account'],
        ['/\\evil.example', '/account'],
        ['', '/account'],
      ] as const) {
        const browser = freshBrowser();
        expect(
          (
            await browser.submit(`/login?returnTo=${encodeURIComponent(returnTo)}`, {
              name: ines.name,
              password: ines.password,
              returnTo,
            })
          ).location,
          returnTo,
        ).to.equal(location);
        noteSession(browser);
        expect(
          (await browser.get(`/login?returnTo=${encodeURIComponent(returnTo)}`)).location,
          returnTo,
        ).to.equal(location);
      }
    });

    it('is written to the audit log, accepted and refused, without what was typed', async () => {
      const ines = await person();
      await signIn(ines);
      await freshBrowser().call('POST', '/api/auth/sign-in', {
        name: ines.name,
        password: secret('a password that was typed'),
      });
      await freshBrowser().call('POST', '/api/auth/sign-in', {
        name: secret('a-password-in-the-wrong-field'),
        password: 'x',
      });

      const noted = (await entries('signIn')).filter(
        ({ thing, actor }) => thing === ines.name || actor === ines.name,
      );
      expect(noted.map(({ outcome, actor }) => [outcome, actor])).to.deep.equal([
        ['refused', undefined],
        ['done', ines.name],
      ]);
      expect(noted.every(({ address }) => address?.startsWith('198.51.') === true)).to.equal(true);
      expect(
        (await entries('signIn')).some(
          ({ outcome, thing }) => outcome === 'refused' && thing === undefined,
        ),
      ).to.equal(true);
    });
  });

  describe('guessing', () => {
    const guess = (browser: Browser, name: string, password = 'wrong') =>
      browser.call('POST', '/api/auth/sign-in', { name, password });

    it('at one account waits after five tries, from wherever they come, and tells so for an unknown account too', async () => {
      const ines = await person();
      const told = [];
      for (const name of [ines.name, freshName('nobody')]) {
        const statuses = [];
        for (let i = 0; i < 6; i++) statuses.push((await guess(freshBrowser(), name)).status);
        const shown = await guess(freshBrowser(), name, ines.password);
        told.push([statuses, shown.status, shown.text]);
        expect(Number(shown.headers.get('Retry-After'))).to.be.within(1, 2);
      }

      expect(told[0]).to.deep.equal(told[1]);
      expect(told[0]?.slice(0, 2)).to.deep.equal([[401, 401, 401, 401, 401, 429], 429]);
    });

    it('reveals by no wait which names exist, nor which belong together', async () => {
      const ines = await person();
      const told = [];
      for (const [name, other] of [
        [ines.name, ines.email],
        [freshName('nobody'), `${freshName('nobody')}@people.example`],
      ] as const) {
        const statuses = [];
        for (const typed of [...Array.from({ length: 6 }, () => name), name.toUpperCase(), other])
          statuses.push((await guess(freshBrowser(), typed)).status);
        told.push(statuses);
      }

      expect(told[0]).to.deep.equal(told[1]);
    });

    it('lets the owner in after the wait, and counts from zero', async () => {
      const ines = await person();
      for (let i = 0; i < 6; i++) await guess(freshBrowser(), ines.name);
      for (
        let tries = 0;
        (await guess(freshBrowser(), ines.name, ines.password)).status === 429 && tries < 50;
        tries++
      )
        await wait(100);

      await signIn(ines);
      for (let i = 0; i < 5; i++)
        expect((await guess(freshBrowser(), ines.name)).status).to.equal(401);
    });

    it('from one address waits after twenty tries, whatever they are at; another address goes on', async () => {
      const [ines, browser] = [await person(), freshBrowser()];
      const statuses = [];
      for (let i = 0; i < 22; i++)
        statuses.push((await guess(browser, freshName('nobody'))).status);

      expect(statuses.slice(0, 20).every((status) => status === 401)).to.equal(true);
      expect(statuses.slice(20)).to.include(429);
      await signIn(ines);
    });

    it('many at once gets no further than one after the other', async () => {
      const ines = await person();
      const startedAt = performance.now();

      const statuses = await Promise.all(
        Array.from({ length: 40 }, async () => (await guess(freshBrowser(), ines.name)).status),
      );

      // After five the next is let in a second later, the one after that two seconds later, and so on: a busy machine may take as long.
      const later = Math.floor(Math.log2((performance.now() - startedAt) / 1000 + 1));
      expect(statuses.filter((status) => status === 401).length).to.be.within(1, 5 + later);
      expect(
        statuses.filter((status) => status !== 401).every((status) => status === 429),
      ).to.equal(true);
    });

    it('by the form waits as well, and says so beside it', async () => {
      const ines = await person();
      for (let i = 0; i < 5; i++)
        expect(
          (await freshBrowser().submit('/login', { name: ines.name, password: 'wrong' })).status,
        ).to.equal(401);
      const shown = await freshBrowser().submit('/login', { name: ines.name, password: 'wrong' });

      expect([shown.status, shown.headers.get('Retry-After')]).to.deep.equal([429, '1']);
      expect(shown.text).to.include('There were too many tries; wait 1 s.');
    });
  });

  describe('sessions', () => {
    it('carry changes only with their CSRF token, in a header or in the field of a form', async () => {
      const [ines, other] = [await signIn(await person()), await signIn(await person())];
      const token = String((await other.whoAmI())['csrfToken']);
      const make = (headers: Readonly<Record<string, string>>) =>
        ines.call('POST', '/api/auth/keys', { name: 'from a page' }, headers);

      for (const headers of [
        { 'X-CSRF-Token': '' },
        { 'X-CSRF-Token': 'x' },
        { 'X-CSRF-Token': token },
      ])
        expect((await make(headers)).status).to.equal(403);
      expect((await ines.post('/account/keys', { name: 'from another site' })).status).to.equal(
        403,
      );
      expect(
        (await ines.post('/account/keys', { name: 'from another site', csrf: token })).status,
      ).to.equal(403);
      expect((await ines.get('/api/auth/keys')).text)
        .to.not.include('another site')
        .and.not.include('from a page');
      const made = await make({});
      secret(String(made.json['apiKey']).split('*', 1)[0] ?? '');
      expect(made.status).to.equal(200);
      const shown = await ines.submit('/account', { name: 'by the form' }, '/account/keys');
      secret(/id="api-key">(.*?)</.exec(shown.text)?.[1]?.split('*', 1)[0] ?? '');
      expect((await ines.get('/api/auth/keys')).text)
        .to.include('from a page')
        .and.include('by the form');
    });

    it('are listed with where and by what they are used, and end one by one, by calls and by the page', async () => {
      const ines = await person();
      const [here, there, third] = [await signIn(ines), await signIn(ines), await signIn(ines)];
      const { sessions } = (await here.get('/api/auth/sessions')).json as {
        readonly sessions: readonly {
          readonly sessionId: string;
          readonly current: boolean;
          readonly address: string;
          readonly agent: string;
        }[];
      }; // the row's reply

      expect(sessions.map(({ current }) => current)).to.deep.equal([false, false, true]);
      expect(
        sessions.every(
          ({ agent, address }) => agent.includes('Firefox') && address.startsWith('198.51.'),
        ),
      ).to.equal(true);
      expect(
        (await here.call('DELETE', `/api/auth/sessions/${sessions[1]?.sessionId ?? ''}`)).status,
      ).to.equal(200);
      expect([
        await isSignedIn(here),
        await isSignedIn(there),
        await isSignedIn(third),
      ]).to.deep.equal([true, false, true]);
      expect(
        (
          await here.submit(
            '/account',
            { sessionId: sessions[0]?.sessionId ?? '' },
            '/account/sessions/end',
          )
        ).location,
      ).to.equal('/account?told=ended');
      expect([await isSignedIn(here), await isSignedIn(third)]).to.deep.equal([true, false]);
    });

    it('of other users look as if they did not exist', async () => {
      const [ines, stranger] = [await signIn(await person()), await signIn(await person())];
      const { sessions } = (await stranger.get('/api/auth/sessions')).json as {
        readonly sessions: readonly { readonly sessionId: string }[];
      }; // the row's reply
      const id = sessions[0]?.sessionId ?? '';
      const unknown = '01890000-0000-7000-8000-000000000000';

      const [foreign, none] = [
        await ines.call('DELETE', `/api/auth/sessions/${id}`),
        await ines.call('DELETE', `/api/auth/sessions/${unknown}`),
      ];

      expect([foreign.status, foreign.text.replace(id, '')]).to.deep.equal([
        none.status,
        none.text.replace(unknown, ''),
      ]);
      expect(
        (
          await ines.post('/account/sessions/end', {
            sessionId: id,
            csrf: String((await ines.whoAmI())['csrfToken']),
          })
        ).status,
      ).to.equal(404);
      expect(await isSignedIn(stranger)).to.equal(true);
    });

    it('end by signing out, and the cookie goes', async () => {
      const [ines, byPage] = [await signIn(await person()), await signIn(await person())];
      const before = ines.cookies.get('sessionToken') ?? '';

      expect((await ines.call('POST', '/api/auth/sign-out')).status).to.equal(200);
      expect(ines.cookies.has('sessionToken')).to.equal(false);
      ines.cookies.set('sessionToken', before);
      expect(await isSignedIn(ines)).to.equal(false);
      expect((await byPage.submit('/logout', {})).location).to.equal('/login?told=out');
      expect(await isSignedIn(byPage)).to.equal(false);
    });

    it('end everywhere at once, and keys go on', async () => {
      const ines = await person();
      const [here, there] = [await signIn(ines), await signIn(ines)];

      expect((await here.call('POST', '/api/auth/sign-out-everywhere')).json['ended']).to.equal(2);
      expect([
        await isSignedIn(here),
        await isSignedIn(there),
        (await byKey(ines.apiKey, 'GET', '/api/auth/session')).status,
      ]).to.deep.equal([false, false, 200]);
      const third = await signIn(ines);
      expect((await third.submit('/account', {}, '/account/sessions/end-all')).location).to.equal(
        '/login?told=out',
      );
      expect(await isSignedIn(third)).to.equal(false);
      const noted = (await entries('signOutEverywhere')).filter(({ actor }) => actor === ines.name);
      expect(noted.map(({ outcome }) => outcome)).to.deep.equal(['done']);
    });

    it('end at once for who is suspended, and begin for nobody who is', async () => {
      const ines = await person();
      const browser = await signIn(ines);
      expect(
        (await byKey(server.apiKey, 'PUT', `/api/admin/users/${ines.name}`, { suspended: true }))
          .status,
      ).to.equal(200);

      expect(await isSignedIn(browser)).to.equal(false);
      const refused = await freshBrowser().call('POST', '/api/auth/sign-in', {
        name: ines.name,
        password: ines.password,
      });
      expect([refused.status, refused.json['msg']]).to.deep.equal([
        401,
        'the name or the password is wrong',
      ]);
    });

    it('of a view-only member allow a password change and a sign-out, and no key', async () => {
      const ines = await person({ viewOnly: true });
      const browser = await signIn(ines);
      const newPassword = secret('another lamp in the boat');

      expect((await browser.call('POST', '/api/auth/keys', { name: 'mine' })).status).to.equal(403);
      expect((await browser.get('/account')).text).to.include('has no API keys');
      expect(
        (await browser.call('POST', '/api/auth/password', { password: ines.password, newPassword }))
          .status,
      ).to.equal(200);
      expect((await browser.call('POST', '/api/auth/sign-out')).status).to.equal(200);
    });
  });

  describe('a password', () => {
    it('is changed by who knows the old one; every other session ends', async () => {
      const ines = await person();
      const [here, there] = [await signIn(ines), await signIn(ines)];
      const newPassword = secret('nine lamps in a barn');
      const change = (password: string) =>
        here.call('POST', '/api/auth/password', { password, newPassword });

      const refused = await change('not the old one');
      expect([refused.status, refused.json['msg']]).to.deep.equal([
        403,
        'the old password is wrong',
      ]);
      expect((await change(ines.password)).status).to.equal(200);
      expect([await isSignedIn(here), await isSignedIn(there)]).to.deep.equal([true, false]);
      expect(
        (
          await freshBrowser().call('POST', '/api/auth/sign-in', {
            name: ines.name,
            password: ines.password,
          })
        ).status,
      ).to.equal(401);
      await signIn({ name: ines.name, password: newPassword });
      expect(
        (await entries('changePassword'))
          .filter(({ actor }) => actor === ines.name)
          .map(({ outcome }) => outcome),
      ).to.deep.equal(['done', 'refused']);
    });

    it('that breaks rules is refused with each of them, and nothing changes', async () => {
      // Letters of which no two follow each other, in the alphabet or on a keyboard.
      const ines = await person({
        name: `ines-${Array.from({ length: 16 }, drawnLetter).join('')}`,
      });
      const browser = await signIn(ines);

      const refused = await browser.call('POST', '/api/auth/password', {
        password: ines.password,
        newPassword: `${ines.name}1111`,
      });

      expect([refused.status, refused.json['sdk_error_code']]).to.deep.equal([400, 7777777]);
      expect(refused.json['errors']).to.deep.equal(['CONTAINS_USER_NAME', 'REPEAT']);
      expect(refused.json['msg']).to.match(/^the password is not acceptable: /);
      const shown = await browser.submit(
        '/account',
        { password: ines.password, newPassword: 'short' },
        '/account/password',
      );
      expect([
        shown.status,
        shown.text.includes('it must have at least 12 characters'),
      ]).to.deep.equal([400, true]);
      await signIn(ines);
    });

    it('is changed on the page too', async () => {
      const ines = await person();
      const [here, there] = [await signIn(ines), await signIn(ines)];
      const newPassword = secret('eleven lamps in a barn');

      expect(
        (
          await here.submit(
            '/account',
            { password: ines.password, newPassword },
            '/account/password',
          )
        ).location,
      ).to.equal('/account?told=changed');
      expect([await isSignedIn(here), await isSignedIn(there)]).to.deep.equal([true, false]);
      await signIn({ name: ines.name, password: newPassword });
      expect(
        (
          await here.submit(
            '/account',
            { password: 'not the old one', newPassword },
            '/account/password',
          )
        ).status,
      ).to.equal(403);
      expect(
        (await entries('changeMyPassword'))
          .filter(({ actor }) => actor === ines.name)
          .map(({ outcome }) => outcome),
      ).to.deep.equal(['refused', 'done']);
    });

    it('whose old one is guessed waits like a sign-in', async () => {
      const browser = await signIn(await person());
      const statuses = [];
      for (let i = 0; i < 7; i++)
        statuses.push(
          (
            await browser.call('POST', '/api/auth/password', {
              password: `guess ${i}`,
              newPassword: 'seven lamps in a boat',
            })
          ).status,
        );

      expect(statuses).to.deep.equal([403, 403, 403, 403, 403, 429, 429]);
    });
  });

  describe('a forgotten password', () => {
    const askFor = (name: string, browser = freshBrowser()) =>
      browser.call('POST', '/api/auth/password/reset', { name });

    it('is asked for with one answer for everybody, and mailed to its owner alone', async () => {
      const ines = await person();
      const answers = [
        await askFor(ines.name),
        await askFor(freshName('nobody')),
        await askFor(ines.email),
      ];

      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
      const letter = await lastMail(ines.email, 2);
      expect(letter.headers.get('subject')).to.equal('Set a new password');
      expect(linkIn(letter)).to.match(new RegExp(`^${server.url}/password/reset/orrery_ot_`));
    });

    it('is set once by the link, which ends every session; looking at the link uses nothing up', async () => {
      const ines = await person();
      const browser = await signIn(ines);
      expect(
        (await freshBrowser().submit('/password/forgot', { name: ines.email })).text,
      ).to.include('Look into your mailbox');
      const link = new URL(linkIn(await lastMail(ines.email)));
      const newPassword = secret('a lamp that was forgotten');
      const visitor = freshBrowser();
      for (let i = 0; i < 3; i++) expect((await visitor.get(link.pathname)).status).to.equal(200);

      const shown = await visitor.submit(link.pathname, { password: 'short' });
      expect([shown.status, shown.text.includes('at least 12 characters')]).to.deep.equal([
        400,
        true,
      ]);
      expect((await visitor.post(link.pathname, { password: newPassword })).status).to.equal(403);
      expect((await visitor.submit(link.pathname, { password: newPassword })).location).to.equal(
        '/login?told=password',
      );

      expect(await isSignedIn(browser)).to.equal(false);
      await signIn({ name: ines.name, password: newPassword });
      const again = await visitor.get(link.pathname);
      expect([again.status, again.text.includes('This link no longer works')]).to.deep.equal([
        404,
        true,
      ]);
      expect(
        (
          await freshBrowser().call('POST', '/api/auth/password/reset/set', {
            ticket: ticketIn(link),
            newPassword,
          })
        ).status,
      ).to.equal(404);
      expect(
        (await entries('setByReset')).some(
          ({ thing, actor }) => thing === ines.name && actor === undefined,
        ),
      ).to.equal(true);
    });

    it('is set by one of two who use the link at once', async () => {
      const ines = await person();
      const {
        json: { link },
      } = await byKey(server.apiKey, 'POST', `/api/admin/users/${ines.name}/password-link`);
      const passwords = ['the first lamp of two', 'the other lamp of two'].map(secret);

      const statuses = await Promise.all(
        passwords.map(
          async (newPassword) =>
            (
              await freshBrowser().call('POST', '/api/auth/password/reset/set', {
                ticket: ticketIn(link),
                newPassword,
              })
            ).status,
        ),
      );

      expect([...statuses].sort()).to.deep.equal([200, 404]);
      await signIn({ name: ines.name, password: passwords[statuses.indexOf(200)] ?? '' });
    });

    it('is set by a link that an administrator makes, and by none that was made before', async () => {
      const ines = await person();
      const links = [];
      for (let i = 0; i < 2; i++)
        links.push(
          (await byKey(server.apiKey, 'POST', `/api/admin/users/${ines.name}/password-link`)).json,
        );
      const newPassword = secret('a lamp from an administrator');

      expect(
        links.every(({ link }) =>
          String(link).startsWith(`${server.url}/password/reset/orrery_ot_`),
        ),
      ).to.equal(true);
      expect(
        (
          await freshBrowser().call('POST', '/api/auth/password/reset/set', {
            ticket: ticketIn(links[0]?.['link']),
            newPassword,
          })
        ).status,
      ).to.equal(200);
      expect(
        (
          await freshBrowser().call('POST', '/api/auth/password/reset/set', {
            ticket: ticketIn(links[1]?.['link']),
            newPassword,
          })
        ).status,
      ).to.equal(404);
      await signIn({ name: ines.name, password: newPassword });
      const [noted] = await entries('makeResetLink');
      expect(noted).to.deep.include({ outcome: 'done', actor: 'admin', thing: ines.name });
    });

    it('is mailed three times to one mailbox, and then not for a while; the answers stay the same', async () => {
      const ines = await person();
      const answers = [];
      for (let i = 0; i < 5; i++) answers.push((await askFor(ines.name)).text);
      await lastMail(ines.email, 3);
      const nora = await person();
      await askFor(nora.name);
      linkIn(await lastMail(nora.email));
      for (const letter of mail.got(ines.email)) linkIn(letter);

      expect(new Set(answers).size).to.equal(1);
      expect(mail.got(ines.email)).to.have.length(3);
    });

    it('is not asked for without end from one address', async () => {
      const browser = freshBrowser();
      const statuses = [];
      for (let i = 0; i < 32; i++)
        statuses.push((await askFor(freshName('nobody'), browser)).status);

      expect([statuses.slice(0, 30).every((status) => status === 200), statuses[30]]).to.deep.equal(
        [true, 429],
      );
    });

    it('of a user who signs in without one cannot be set by a link', async () => {
      const robot = (
        await auth.addUser({ name: freshName('sa-robot'), kind: 'service', workspace: null })
      ).user.name;

      expect(
        (await byKey(server.apiKey, 'POST', `/api/admin/users/${robot}/password-link`)).status,
      ).to.equal(400);
    });
  });

  describe('an invitation', () => {
    const rolesOf = async (apiKey: string, workspace: string) => {
      const caller = await auth.identify(apiKey);
      return caller?.roles.get(
        (await opened.storage.stores.workspaces.findByName(workspace))?.id ?? '',
      );
    };

    it('goes by mail and makes an account with its role, once', async () => {
      const [host, email] = [await person(), `${freshName('guest')}@people.example`];
      const sent = await invite(host, { email, role: 'admin' });
      expect([sent.status, sent.json['mailed'], sent.json['link']]).to.deep.equal([
        200,
        true,
        null,
      ]);
      const letter = await lastMail(email);
      expect(letter.headers.get('subject')).to.equal(
        `${host.name} invites you to ${host.workspace}`,
      );
      const ticket = ticketIn(linkIn(letter));
      const [userName, password, browser] = [
        freshName('guest'),
        secret('a lamp for a guest'),
        freshBrowser(),
      ];

      const shown = await browser.call('POST', '/api/auth/invitations/accept', {
        ticket,
        userName,
        password,
      });
      noteSession(browser);
      secret(String(shown.json['apiKey']).split('*', 1)[0] ?? '');

      expect(
        [shown.status, shown.json['userName'], shown.json['workspaceName']],
        shown.text,
      ).to.deep.equal([200, userName, host.workspace]);
      expect([
        await isSignedIn(browser),
        (await browser.whoAmI())['email'],
        await rolesOf(String(shown.json['apiKey']), host.workspace),
      ]).to.deep.equal([true, email, 'admin']);
      await signIn({ name: email, password });
      const again = await freshBrowser().call('POST', '/api/auth/invitations/accept', {
        ticket,
        userName: freshName('guest'),
        password,
      });
      expect([again.status, again.json['msg']]).to.deep.equal([
        404,
        'the invitation was used, taken back, or has expired; ask for a new one',
      ]);
      expect(
        (await entries('invite')).some(
          ({ actor, thing, detail }) =>
            actor === host.name && thing === host.workspace && detail['email'] === email,
        ),
      ).to.equal(true);
      expect((await entries('acceptInvitation')).some(({ actor }) => actor === userName)).to.equal(
        true,
      );
    });

    it('is accepted with the account that signed in, which its CSRF token proves', async () => {
      const [host, guest] = [await person(), await person()];
      const email = `${freshName('guest')}@people.example`;
      await invite(host, { email });
      const ticket = ticketIn(linkIn(await lastMail(email)));
      const browser = await signIn(guest);

      expect(
        (
          await browser.call(
            'POST',
            '/api/auth/invitations/accept',
            { ticket },
            { 'X-CSRF-Token': '' },
          )
        ).status,
      ).to.equal(403);
      expect((await browser.post(`/invitation/${ticket}`, {})).status).to.equal(403);
      expect(await rolesOf(guest.apiKey, host.workspace)).to.equal(undefined);
      expect((await browser.submit(`/invitation/${ticket}`, {})).location).to.equal(
        '/account?told=joined',
      );
      await auth.forget(guest.id);
      expect(await rolesOf(guest.apiKey, host.workspace)).to.equal('member');
      const member = await invite(host, { email: guest.email });
      expect([member.status, String(member.json['msg']).includes('is a member of')]).to.deep.equal([
        400,
        true,
      ]);
    });

    it('can be used again after a refusal', async () => {
      const [host, taken] = [await person(), await person()];
      const email = `${freshName('guest')}@people.example`;
      await invite(host, { email });
      const ticket = ticketIn(linkIn(await lastMail(email)));
      const accept = (userName: string, password: string) =>
        freshBrowser().call('POST', '/api/auth/invitations/accept', { ticket, userName, password });
      const password = secret('a lamp after all that');

      expect((await accept(taken.name, password)).status).to.equal(409);
      expect((await accept(freshName('guest'), 'short')).json['errors']).to.deep.equal([
        'TOO_SHORT',
      ]);
      expect((await accept('x', password)).status).to.equal(400);
      expect((await accept(taken.email, password)).json['msg']).to.equal(
        'a user name must not have the form of an e-mail',
      );
      const shown = await accept(freshName('guest'), password);
      secret(String(shown.json['apiKey']).split('*', 1)[0] ?? '');
      expect(shown.status).to.equal(200);
    });

    it('is made by a member who may invite, as a member or less; by no other member', async () => {
      const [host, helper, plain] = [await person(), await person(), await person()];
      const id = (await opened.storage.stores.workspaces.findByName(host.workspace))?.id ?? '';
      await auth.setRole(id, helper.id, 'member', ['invite']);
      await auth.setRole(id, plain.id, 'member');
      const from = (who: Person, role?: string) =>
        invite({ ...host, apiKey: who.apiKey }, role === undefined ? {} : { role });

      expect([
        (await from(helper)).status,
        (await from(helper, 'view-only')).status,
        (await from(helper, 'admin')).status,
        (await from(plain)).status,
      ]).to.deep.equal([200, 200, 403, 403]);
      expect(
        (await byKey(helper.apiKey, 'GET', `/api/auth/invitations?workspaceName=${host.workspace}`))
          .status,
      ).to.equal(200);
    });

    it('is listed, and taken back', async () => {
      const [host, email] = [await person(), `${freshName('guest')}@people.example`];
      const { invitationId } = (await invite(host, { email, role: 'view-only' })).json;
      const ticket = ticketIn(linkIn(await lastMail(email)));
      const list = async () =>
        (await byKey(host.apiKey, 'GET', `/api/auth/invitations?workspaceName=${host.workspace}`))
          .json['invitations'] as readonly Record<string, unknown>[]; // the row's reply

      expect(await list()).to.have.length(1);
      expect((await list())[0]).to.deep.include({
        invitationId,
        email,
        role: 'view-only',
        invitedBy: host.name,
      });
      expect(
        (await byKey(host.apiKey, 'DELETE', `/api/auth/invitations/${String(invitationId)}`))
          .status,
      ).to.equal(200);
      expect(await list()).to.deep.equal([]);
      expect((await freshBrowser().get(`/invitation/${ticket}`)).status).to.equal(404);
    });
  });

  describe('sign-up', () => {
    it('makes an account with a key, and a token by which it gets a password', async () => {
      const [userName, email, newPassword] = [
        freshName('new'),
        `${freshName('new')}@people.example`,
        secret('the first lamp of mine'),
      ];

      const shown = await signUp({ email, userName, signupSource: 'test' });
      const { cometUserName, token, apiKey } = shown.json;
      secret(String(apiKey).split('*', 1)[0] ?? '');
      ticketIn(token);

      expect([shown.status, cometUserName], shown.text).to.deep.equal([200, userName]);
      expect(
        (await byKey(String(apiKey), 'GET', '/api/rest/v2/account-details')).json,
      ).to.deep.include({ userName, defaultWorkspaceName: userName });
      expect(linkIn(await lastMail(email))).to.include(String(token));
      expect(
        (
          await freshBrowser().call('POST', '/api/auth/password/reset/set', {
            ticket: token,
            newPassword,
          })
        ).status,
      ).to.equal(200);
      await signIn({ name: userName, password: newPassword });
      expect((await entries('signUp')).some(({ thing }) => thing === userName)).to.equal(true);
    });

    it('joins no workspace that is there already', async () => {
      const [host, email] = [await person(), `${freshName('new')}@people.example`];
      const userName = freshName('space');
      await byKey(host.apiKey, 'POST', '/api/rest/v2/write/workspace/new', { name: userName });

      const {
        json: { apiKey },
      } = await signUp({ email, userName }, '?sendEmail=false');
      secret(String(apiKey).split('*', 1)[0] ?? '');

      const caller = await auth.identify(String(apiKey));
      expect(caller?.roles.size).to.equal(1);
      const {
        json: { defaultWorkspaceName },
      } = await byKey(String(apiKey), 'GET', '/api/rest/v2/account-details');
      expect(defaultWorkspaceName).to.equal(`${userName}-2`);
    });

    it('makes no workspace whose name is an address of the server', async () => {
      const {
        json: { apiKey },
      } = await signUp(
        { email: `${freshName('new')}@people.example`, userName: 'swagger' },
        '?sendEmail=false',
      );
      secret(String(apiKey).split('*', 1)[0] ?? '');

      const { json } = await byKey(String(apiKey), 'GET', '/api/rest/v2/account-details');
      expect(json['defaultWorkspaceName']).to.equal('swagger-2');
      const refused = await byKey(String(apiKey), 'POST', '/api/rest/v2/write/workspace/new', {
        name: 'oauth',
      });
      expect([refused.status, refused.json['msg']]).to.deep.equal([
        400,
        'a workspace cannot be called oauth, since pages of the server have that address',
      ]);
    });

    it("refuses what is taken, too short, no mailbox, or somebody else's mailbox as a name", async () => {
      const ines = await person();
      const email = `${freshName('new')}@people.example`;
      for (const [body, status] of [
        [{ email: ines.email, userName: freshName('new') }, 400],
        [{ email, userName: ines.name }, 400],
        [{ email, userName: 'ab' }, 400],
        [{ email: 'nowhere', userName: freshName('new') }, 400],
        [{ email, userName: ines.email }, 400],
      ] as const)
        expect((await signUp(body)).status, JSON.stringify(body)).to.equal(status);
      expect(await opened.storage.stores.users.findUser({ email })).to.equal(undefined);
    });

    it('tells whether an e-mail has an account', async () => {
      const ines = await person();
      const probe = async (email: string) =>
        (await freshBrowser().get(`/api/auth/users?email=${encodeURIComponent(email)}&reason=test`))
          .status;

      expect([await probe(ines.email), await probe('nobody@people.example')]).to.deep.equal([
        200, 204,
      ]);
    });

    it('goes by the page too, and signs in', async () => {
      const browser = freshBrowser();
      const [name, email, password] = [
        freshName('new'),
        `${freshName('new')}@people.example`,
        secret('a lamp by the page'),
      ];
      const weak = await browser.submit('/signup', { name, email, password: 'short' });
      expect([
        weak.status,
        weak.text.includes('at least 12 characters'),
        weak.text.includes(email),
      ]).to.deep.equal([400, true, true]);

      const shown = await browser.submit('/signup', { name, email, password });
      noteSession(browser);
      secret(/id="api-key">(.*?)</.exec(shown.text)?.[1]?.split('*', 1)[0] ?? '');

      expect([shown.status, await isSignedIn(browser)]).to.deep.equal([200, true]);
      await signIn({ name, password });
    });
  });

  it('every page is under a policy that runs nothing, frames nothing and keeps nothing', async () => {
    const browser = await signIn(await person());
    for (const visitor of [freshBrowser(), browser])
      for (const path of [
        '/login',
        '/logout',
        '/password/forgot',
        '/password/reset/x',
        '/invitation/x',
        '/signup',
        '/account',
        '/account?told=x',
      ]) {
        const { headers, status, text } = await visitor.get(path);
        if (status === 303) continue;
        expect(headers.get('Content-Security-Policy'), path).to.match(
          /^default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
        );
        expect(
          [
            headers.get('Referrer-Policy'),
            headers.get('X-Frame-Options'),
            headers.get('Cache-Control'),
            headers.get('Content-Type'),
          ],
          path,
        ).to.deep.equal(['no-referrer', 'DENY', 'no-store', 'text/html; charset=utf-8']);
        expect(text, path).not.to.match(/<script|<style|\sstyle=|\son\w+=|(src|href)="http/);
      }
  });

  it('a form that is no form is refused on a page, and does nothing', async () => {
    const browser = await signIn(await person());
    const shown = await browser.call('POST', '/account/sessions/end-all', { csrf: 'x' });

    expect([shown.status, shown.headers.get('Content-Type')]).to.deep.equal([
      415,
      'text/html; charset=utf-8',
    ]);
    expect(
      (await browser.post('/account/sessions/end-all', { csrf: 'a'.repeat(100_000) })).status,
    ).to.equal(413);
    expect(await isSignedIn(browser)).to.equal(true);
  });

  describe('the owner of a key', () => {
    it('is told by mail when one is made, replaced or revoked, and never its secret', async () => {
      const ines = await person();
      const { json: made } = await byKey(ines.apiKey, 'POST', '/api/auth/keys', { name: 'laptop' });
      const first = await lastMail(ines.email, 1);
      const { json: rotated } = await byKey(
        ines.apiKey,
        'POST',
        `/api/auth/keys/${String(made['keyId'])}/rotate`,
      );
      const second = await lastMail(ines.email, 2);
      await byKey(ines.apiKey, 'DELETE', `/api/auth/keys/${String(rotated['keyId'])}`);
      const third = await lastMail(ines.email, 3);

      for (const [{ raw }, word] of [
        [first, 'was made'],
        [second, 'was replaced'],
        [third, 'was revoked'],
      ] as const) {
        expect(raw.replaceAll('=\r\n', '')).to.include(word).and.include('laptop');
        for (const key of [made, rotated])
          expect(raw).to.not.include(secret(String(key['apiKey']).split('*', 1)[0] ?? ''));
      }
    });
  });

  describe('the end of a run', () => {
    it('is mailed to the caller whose mailbox is proved, without markup of theirs, and to nobody else', async () => {
      const [ines, carl] = [await person(), await person()];
      const {
        json: { experimentKey },
      } = await byKey(ines.apiKey, 'POST', '/api/rest/v2/write/experiment/create', {
        experimentName: '<i>run</i>',
        projectName: 'told',
      });
      const told = {
        experiment_key: experimentKey,
        title: 'Done <b>1</b>\r\nBcc: eve@people.example',
        status: 'finished',
        experiment_name: null,
        experiment_link: 'https://elsewhere.example/',
        additional_data: { Accuracy: '90%', nested: { a: 1 }, '<u>': '<script>' },
      };

      const answers = [
        await browse(server.url, freshAddress()).call(
          'POST',
          '/clientlib/notification/experiment',
          { ...told, api_key: ines.apiKey },
        ),
        await byKey(ines.apiKey, 'POST', '/clientlib/notification/experiment', {
          experiment_key: experimentKey,
          additional_data: ['no', 'names'],
        }),
      ];
      const refused = await byKey(carl.apiKey, 'POST', '/clientlib/notification/experiment', told);

      expect([answers.map(({ status }) => status), refused.status]).to.deep.equal([
        [200, 200],
        400,
      ]);
      const mails = await mail.until(ines.email, 2);
      const first = mails.find(
        ({ headers }) => headers.get('subject')?.startsWith('Done') === true,
      );
      const raw = (first?.raw ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
      expect(first?.headers.get('subject')).to.equal('Done <b>1</b> Bcc: eve@people.example');
      expect(first?.headers.has('bcc')).to.equal(false);
      expect(raw)
        .to.include('finished')
        .and.include('Accuracy')
        .and.include('90%')
        .and.include('{"a":1}')
        .and.include(`${server.url}/${ines.workspace}/told/${String(experimentKey)}`);
      expect(raw.slice(raw.indexOf('text/html')))
        .to.include('&lt;script&gt;')
        .and.include('&lt;i&gt;run')
        .and.not.match(/<script>|<i>|<u>|<b>/);
      expect(raw).to.not.include('elsewhere.example');
      expect(mail.got(carl.email)).to.deep.equal([]);
    });
  });

  describe('an account that somebody prepared for the owner of a mailbox', () => {
    const prepare = async () => {
      const [email, userName] = [`${freshName('victim')}@people.example`, freshName('eve')];
      const {
        json: { apiKey },
      } = await signUp({ email, userName }, '?sendEmail=false');
      secret(String(apiKey).split('*', 1)[0] ?? '');
      return { email, userName, apiKey: String(apiKey) };
    };

    it('is not known by that e-mail to who adds members', async () => {
      const [host, { email, userName }] = [await person(), await prepare()];
      const add = async (called: string) =>
        (
          await byKey(host.apiKey, 'POST', '/api/rest/v2/write/add-workspace-member', {
            workspaceName: host.workspace,
            userEmail: called,
          })
        ).status;

      expect(await add(email)).to.equal(400);
      expect(await add(userName)).to.equal(200);
    });

    it('loses its keys when the owner of the mailbox sets a password by a mailed link', async () => {
      const { email, userName, apiKey } = await prepare();
      await freshBrowser().call('POST', '/api/auth/password/reset', { name: email });
      const ticket = ticketIn(linkIn(await lastMail(email)));
      const newPassword = secret(freshPassword());

      expect(
        (await freshBrowser().call('POST', '/api/auth/password/reset/set', { ticket, newPassword }))
          .status,
      ).to.equal(200);

      expect((await byKey(apiKey, 'GET', '/api/rest/v2/account-details')).status).to.equal(401);
      expect(await isSignedIn(await signIn({ name: userName, password: newPassword }))).to.equal(
        true,
      );
      expect((await opened.storage.stores.users.findUser({ email }))?.emailProved).to.equal(true);
    });

    it('loses the e-mail to who was invited by mail', async () => {
      const [host, { email, userName }] = [await person(), await prepare()];
      expect((await invite(host, { email })).status).to.equal(200);
      const ticket = ticketIn(linkIn(await lastMail(email)));
      const name = freshName('owner');

      const { status, json } = await freshBrowser().call('POST', '/api/auth/invitations/accept', {
        ticket,
        userName: name,
        password: secret(freshPassword()),
      });
      secret(String(json['apiKey']).split('*', 1)[0] ?? '');

      expect(status).to.equal(200);
      expect(await opened.storage.stores.users.findUser({ email })).to.deep.include({
        name,
        emailProved: true,
      });
      expect((await opened.storage.stores.users.findUser({ name: userName }))?.email).to.equal(
        undefined,
      );
    });

    it('proves nothing by the token that sign-up itself tells', async () => {
      const [email, userName, newPassword] = [
        `${freshName('victim')}@people.example`,
        freshName('eve'),
        secret(freshPassword()),
      ];
      const {
        json: { apiKey, token },
      } = await signUp({ email, userName });
      secret(String(apiKey).split('*', 1)[0] ?? '');

      expect(
        (
          await freshBrowser().call('POST', '/api/auth/password/reset/set', {
            ticket: secret(String(token)),
            newPassword,
          })
        ).status,
      ).to.equal(200);

      expect((await opened.storage.stores.users.findUser({ email }))?.emailProved).to.equal(false);
    });
  });

  describe('what is left behind', () => {
    it('no secret is kept in the log or in the database', async () => {
      await browseUnknownTickets();
      const [output, tables] = [server.output(), await listTables(opened.storage.connection)];
      const rows = (
        await Promise.all(
          tables.map(async (table) =>
            JSON.stringify(await opened.storage.connection.db(table).select()),
          ),
        )
      ).join('\n');

      expect(secrets.size).to.be.greaterThan(100);
      expect(output).to.include('"operation":"login"');
      expect(rows).to.include('$argon2id$');
      expect([...secrets].filter((one) => output.includes(one))).to.deep.equal([]);
      expect([...secrets].filter((one) => rows.includes(one))).to.deep.equal([]);
      for (const text of [output, rows])
        expect(/orrery_(st|ot|at|rt)_[\w-]{20}/.exec(text)).to.equal(null);
    });
  });

  /** Tickets in addresses, also where nothing is served. */
  const browseUnknownTickets = async (): Promise<void> => {
    for (const path of ['/invitation', '/password/reset', '/nowhere', '/api/auth/nowhere']) {
      const ticket = secret(`orrery_ot_${freshName('x')}`);
      await freshBrowser().get(`${path}/${ticket}`);
    }
  };
});
