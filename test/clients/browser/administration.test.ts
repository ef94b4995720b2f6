// The pages of what an administrator otherwise does by command: checks, schema, stored bytes, export, jobs, statuses, accounts one by one, retention.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const nasty = '<img src=x onerror="document.title=1">';

describe('the pages of what an administrator does by command, in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  before('start a server and a browser', async function () {
    screens = await openScreens(this, { count: 1 });
    await screens.ask('POST', '/api/admin/users', {
      userName: 'ben',
      password: 'copper-Lantern-29-moth',
      workspaceName: 'bens',
    });
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const at = (path: string) => screens.server.url + path;
  const agree = (page: Page, verb: string) =>
    page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
  const statusesNow = async () =>
    (await screens.ask('GET', '/api/admin/registry/statuses'))['statuses'] as readonly {
      readonly name: string;
      readonly requiresApproval: boolean;
    }[]; // as the row says

  it('tell whether everything works, what the schema is, and compare rows with bytes', async () => {
    const { page } = opened;
    await page.goto(at('/settings/upkeep'));
    await page.getByText('everything works').waitFor();
    await page.getByRole('row', { name: /the database can be reached/ }).waitFor();
    await page.getByText(/\d+ changes made, the last on .*; none waits/).waitFor();
    await page.getByText('All changes').click();
    await page
      .getByRole('region', { name: 'Changes of the schema' })
      .getByRole('row')
      .nth(5)
      .waitFor();
    await page.getByRole('button', { name: 'Compare rows with bytes' }).click();
    await page.getByText(/files and .* rows compared: 0 findings, 0 removed/).waitFor();
    await holds(async () =>
      expect(await page.getByRole('button', { name: /^Remove/ }).count()).to.equal(0),
    );
  });

  it('export everything as a file', async function () {
    this.timeout(90_000);
    const { page } = opened;
    await page.goto(at('/settings/upkeep'));
    // What stands above it comes later and moves it.
    await page.getByText('everything works').waitFor();
    await page.getByText(/; none waits/).waitFor();
    const coming = page.waitForEvent('download', { timeout: 60_000 });
    await page.getByRole('link', { name: 'Export without files' }).click();
    const stream = await (await coming).createReadStream();
    const first = await new Promise<Buffer>((resolve, reject) => {
      stream.once('data', (piece: Buffer) => resolve(piece)).once('error', reject);
    });
    stream.destroy();
    expect(first.subarray(0, 2).toString()).to.equal('PK');
  });

  it('show the queues of jobs, and that nothing fails', async () => {
    const { page } = opened;
    await page.goto(at('/settings/jobs'));
    const { queues } = (await screens.ask('GET', '/api/admin/queues')) as {
      readonly queues: readonly { readonly queue: string }[];
    }; // as the row says
    expect(queues.length).to.be.greaterThan(0);
    const rows = page.getByRole('region', { name: 'Queues' }).locator('tbody tr');
    await rows.first().waitFor();
    await holds(async () => expect(await rows.count()).to.equal(queues.length));
    await page.getByText('Nothing fails.').waitFor();
  });

  it('change the statuses of models, and keep what the server refuses', async () => {
    const { page } = opened;
    await page.goto(at('/settings/statuses'));
    const before = await statusesNow();
    await page.getByRole('button', { name: 'Add a status' }).click();
    const name = page.getByLabel(`Name of Status ${before.length + 1}`);
    await name.fill(before[0]?.name ?? '');
    await name.press('Tab');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    expect(await statusesNow()).to.have.length(before.length);
    await page
      .getByLabel(`Name of ${before[0]?.name ?? ''}`)
      .last()
      .fill(nasty);
    await page.keyboard.press('Tab');
    await page.getByLabel(`${nasty} has to be approved`).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The statuses are saved').waitFor();
    expect((await statusesNow()).at(-1)).to.deep.include({ name: nasty, requiresApproval: true });
    await page.getByRole('button', { name: `Remove ${nasty}` }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('not saved yet').waitFor({ state: 'detached' });
    expect(await statusesNow()).to.have.length(before.length);
    expect(await page.title()).to.not.equal('1');
  });

  it('show one account with its workspaces, keys and sessions, and end those', async () => {
    const { page } = opened;
    const signedIn = await fetch(at('/api/auth/sign-in'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ben', password: 'copper-Lantern-29-moth' }),
    });
    await page.goto(at('/settings/users'));
    await page.getByRole('link', { name: 'ben', exact: true }).click();
    await page.getByRole('heading', { name: 'ben' }).waitFor();
    await page.getByRole('link', { name: 'bens', exact: true }).waitFor();
    await page.getByLabel('Name of the key').fill(nasty);
    await page.getByRole('button', { name: 'Make a key' }).click();
    const key = await page.locator('.once input').inputValue();
    const statusOf = async () =>
      (await fetch(at('/api/rest/v2/workspaces'), { headers: { authorization: key } })).status;
    expect(await statusOf()).to.equal(200);
    await page.getByRole('button', { name: `Revoke the key ${nasty}` }).click();
    await agree(page, 'Revoke');
    await page.getByText('The key is revoked').waitFor();
    expect(await statusOf()).to.equal(401);
    expect(signedIn.status).to.equal(200);
    await page.getByRole('button', { name: 'Sign out ben everywhere' }).click();
    await agree(page, 'Sign out');
    await page.getByText('Nobody is signed in under this name.').waitFor();
    await page.getByRole('button', { name: 'Rename ben' }).click();
    await page.getByRole('dialog').getByLabel('New name').fill('benedict');
    await agree(page, 'Rename');
    await page.getByRole('heading', { name: 'benedict' }).waitFor();
    await page.goto(at('/settings/users?user=nobody-here'));
    await page.locator('.fault').waitFor();
  });

  it('make a rule after which traces are deleted, and switch it off', async () => {
    const { page } = opened;
    await page.goto(screens.address('/retention'));
    await page.getByText('No rule: traces are kept').waitFor();
    await page.getByLabel('Traces of').selectOption({ label: 'vision' });
    await page.getByLabel('After which age').selectOption('extended_400d');
    await page.getByRole('button', { name: 'Make a rule' }).click();
    const row = page.getByRole('row', { name: /^vision after 400 days/ });
    await row.waitFor();
    await row.getByRole('button', { name: 'Switch off the rule of vision' }).click();
    await agree(page, 'Switch off');
    await page.getByText('No rule: traces are kept').waitFor();
  });

  it('settle after how long a conversation has ended, and leave what else is settled', async () => {
    const { page } = opened;
    const asked = async (method: string, body?: unknown): Promise<unknown> => {
      const reply = await fetch(`${screens.server.url}/v1/private/workspaces/configurations`, {
        method,
        headers: {
          authorization: screens.server.apiKey,
          'comet-workspace': screens.server.workspace,
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return text === '' ? reply.status : JSON.parse(text);
    };
    await asked('PUT', { truncation_on_tables: true });
    await page.goto(screens.address('/retention'));
    await page.getByText('When conversations end').click();
    await page.getByText('the usual time of the server is in force').waitFor();
    await page.getByLabel('Minutes without a new trace').fill('90');
    await page.getByRole('button', { name: 'Settle' }).click();
    await page.getByText(/^A conversation has ended after 1 hour 30 minutes /).waitFor();
    expect(await asked('GET')).to.deep.include({ truncation_on_tables: true });
    await page.getByRole('button', { name: 'Settle' }).click();
    await page.getByText('the usual time of the server is in force').waitFor();
    await asked('DELETE');
  });

  holdsForEverybody(
    () => screens,
    () => [
      ...['upkeep', 'jobs', 'statuses', 'users?user=admin'].map((part) => at(`/settings/${part}`)),
      screens.address('/retention'),
    ],
  );

  it('complain of nothing', () => {
    const usual = /404|400|409|422| failed$/;
    expect(opened.complaints().filter((one) => !usual.test(one))).to.deep.equal([]);
  });
});
