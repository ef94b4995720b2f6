// The server as it comes: without a mail server, and nobody signs up.
import { expect } from 'chai';
import { startServer, type StartedServer } from '#test/clients/server';
import { freshName } from '../fresh.js';
import { browse, type Browser } from './browser.js';

const password = 'velvet-Harbor-91-quill';

describe('accounts, where nothing is switched on', () => {
  let server: StartedServer;
  before(async () => {
    const started = await startServer({
      storage: 'embedded',
      env: { ORRERY_ADMIN_PASSWORD: password, ORRERY_CHECK_REPLIES: '1' },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server?.stop());
  const asAdmin = (method: string, path: string, body?: unknown) =>
    browse(server.url).call(method, path, body, { Authorization: server.apiKey });

  it('nobody makes an account without an invitation, by a call or by the page, and is told why', async () => {
    const refused = await browse(server.url).call('POST', '/api/auth/users?sendEmail=true', {
      email: 'new@people.example',
      userName: 'newcomer',
      signupSource: 'test',
    });

    expect([refused.status, refused.json['msg']]).to.deep.equal([
      403,
      'accounts are made by invitation here; ask an administrator for one',
    ]);
    const page = await browse(server.url).get('/signup');
    expect([page.status, page.text.includes('Accounts are made by invitation')]).to.deep.equal([
      403,
      true,
    ]);
    const form = await browse(server.url).post('/signup', {
      email: 'new@people.example',
      name: 'newcomer',
      password,
    });
    expect(form.status).to.equal(403);
    expect((await browse(server.url).get('/login')).text).not.to.include('/signup');
    expect(
      (await asAdmin('GET', '/api/admin/users?search=newcomer')).json['accounts'],
    ).to.deep.equal([]);
  });

  it('an e-mail is answered alike, known or not, there or not', async () => {
    await asAdmin('POST', '/api/admin/users', { userName: 'ines', email: 'ines@people.example' });
    const answers = [];
    for (const query of [
      '?email=ines@people.example&reason=x',
      '?email=nobody@people.example',
      '?email=',
      '',
    ]) {
      const { status, text } = await browse(server.url).get(`/api/auth/users${query}`);
      answers.push([status, text]);
    }

    expect(answers).to.deep.equal([
      [204, ''],
      [204, ''],
      [204, ''],
      [204, ''],
    ]);
  });

  it('a link to join, or to set a password, is returned to whoever makes it', async () => {
    const invited = await asAdmin('POST', '/api/auth/invitations', {
      workspaceName: server.workspace,
      email: 'guest@people.example',
    });
    expect([
      invited.json['mailed'],
      String(invited.json['link']).startsWith(`${server.url}/invitation/orrery_ot_`),
    ]).to.deep.equal([false, true]);

    const reset = await asAdmin('POST', '/api/admin/users/ines/password-link');
    const browser = browse(server.url);
    expect(
      (
        await browser.submit(new URL(String(reset.json['link'])).pathname, {
          password: 'seven lamps in a boat',
        })
      ).location,
    ).to.equal('/login?told=password');
    expect(
      (await browser.submit('/login', { name: 'ines', password: 'seven lamps in a boat' })).status,
    ).to.equal(303);
  });

  it('everybody who forgot a password is told whom to ask, in the same words', async () => {
    const answers = [];
    for (const name of ['ines', freshName('nobody')]) {
      const { status, text } = await browse(server.url).submit('/password/forgot', { name });
      answers.push([status, text.includes('Ask an administrator')]);
    }

    expect(answers).to.deep.equal([
      [200, true],
      [200, true],
    ]);
  });

  it('the first page leads to sign-in', async () => {
    expect((await browse(server.url).get('/')).text).to.include('<a href="/login">Sign in</a>');
  });
});

describe('cookies of a server', () => {
  const cookiesOf = async (env: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const started = await startServer({
      storage: 'embedded',
      env: { ORRERY_ADMIN_PASSWORD: password, ...env },
    });
    if ('missing' in started) throw new Error(started.missing);
    try {
      const url = `http://127.0.0.1:${started.settings['ORRERY_PORT'] ?? ''}`;
      const browser: Browser = browse(url);
      const page = await browser.get('/login');
      const shown = await browser.call('POST', '/api/auth/sign-in', { name: 'admin', password });
      return [...page.headers.getSetCookie(), ...shown.headers.getSetCookie()].map((cookie) =>
        cookie.replace(/=[^;]*/, '').replace(/; Max-Age=\d+/, ''),
      );
    } finally {
      await started.stop();
    }
  };

  it('are secure, and sent from everywhere, where the address is https', async () => {
    expect(await cookiesOf({ ORRERY_BASE_URL: 'https://orrery.example' })).to.deep.equal([
      '__Host-orreryForm; Path=/; HttpOnly; Secure; SameSite=Strict',
      'sessionToken; Path=/; HttpOnly; Secure; SameSite=None',
    ]);
  });

  it('follow their settings', async () => {
    expect(await cookiesOf({ JWT_SAME_SITE: 'STRICT', HTTPS_ENABLED: 'true' })).to.deep.equal([
      '__Host-orreryForm; Path=/; HttpOnly; Secure; SameSite=Strict',
      'sessionToken; Path=/; HttpOnly; Secure; SameSite=Strict',
    ]);
  });
});
