import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { register } from '#test/api/oauth/browsing';
import { holds } from './becomes.js';
import { axeFaults, overflows, type OpenedPage } from './browser.js';
import { letGo, takeBack } from './deleting.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const write = '/api/rest/v2/write';
const nasty = '<img src=x onerror="document.title=1">';

describe('the screens of settings, members and notifications in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  before('start a server and a browser, with people to administer', async function () {
    screens = await openScreens(this, { count: 4, env: { ORRERY_REGISTRY_SELF_APPROVAL: 'true' } });
    for (const [userName, password] of [
      ['ann', 'copper-Lantern-28-moth'],
      ['ben', 'copper-Lantern-29-moth'],
    ])
      await screens.ask('POST', '/api/admin/users', { userName, password });
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const at = (path: string) => screens.server.url + path;
  const agree = (page: Page, verb: string) =>
    page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
  /** What the server answers to a key, by the status. */
  const statusOf = async (key: string, path = '/api/rest/v2/workspaces') =>
    (await fetch(at(path), { headers: { authorization: key } })).status;
  const readOnce = (page: Page) => page.locator('.once input').inputValue();
  const listMembers = async () =>
    (
      await screens.ask(
        'GET',
        `/api/rest/v2/workspace/members?workspaceName=${screens.server.workspace}`,
      )
    )['members'] as { userName: string; role: string; permissions: string[] }[]; // as the row says

  const verifier = 'a'.repeat(64);
  const [redirect_uri, name] = ['http://127.0.0.1:4999/callback', `Editor ${nasty}`];
  /** Lets a program act for the administrator, and hands out its token. */
  const connect = async (): Promise<string> => {
    const client_id = await register(screens.server.url, {
      client_name: name,
      redirect_uris: [redirect_uri],
    });
    // By the browser: the token of the consent belongs to a cookie.
    const { request } = opened.page;
    const search = new URLSearchParams({ client_id, redirect_uri }).toString();
    const context = await request.get(at(`/oauth/authorize/context?${search}`));
    const { csrf_token } = (await context.json()) as { csrf_token: string }; // as the row says
    const allowed = await request.post(at('/oauth/authorize'), {
      data: {
        client_id,
        redirect_uri,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: at('/api/v1/mcp'),
        workspace_name: screens.server.workspace,
        csrf: csrf_token,
      },
    });
    const { redirect_to } = (await allowed.json()) as { redirect_to: string }; // as the row says
    const code = new URL(redirect_to).searchParams.get('code');
    const pair = await screens.ask('POST', '/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      client_id,
      code_verifier: verifier,
    });
    return `Bearer ${String(pair['access_token'])}`;
  };

  describe('home', () => {
    const upload = async (run: string) => {
      const form = new FormData();
      form.set('file', new Blob(['w']), 'w.bin');
      const search = new URLSearchParams({
        experimentKey: run,
        fileName: 'w.bin',
        type: 'model-element',
        groupingName: 'net',
      }).toString();
      const reply = await fetch(at(`${write}/experiment/upload-asset?${search}`), {
        method: 'POST',
        headers: { authorization: screens.server.apiKey },
        body: form,
      });
      expect(reply.status).to.equal(200);
    };
    /** Asks for the first status that a new version does not have. */
    const askForStatus = async () => {
      const [run] = screens.runs;
      await upload(run?.key ?? '');
      await screens.ask('POST', `${write}/registry-model/item/create`, {
        experimentKey: run?.key,
        experimentModelName: 'net',
        registryModelName: 'refund-bot',
        version: '1.0.0',
      });
      const names = `workspaceName=${screens.server.workspace}&modelName=refund-bot`;
      const model = await screens.ask('GET', `/api/rest/v2/registry-model/details?${names}`);
      const [version] = model['versions'] as { registryModelItemId: string; status: string }[]; // as the row says
      const { allowedStatus } = await screens.ask(
        'GET',
        '/api/rest/v2/registry-model/allowed_status_values',
      );
      const status = (allowedStatus as string[]).find((one) => one !== version?.status); // as the row says
      await screens.ask('POST', `${write}/registry-model/item/status-request`, {
        modelItemId: version?.registryModelItemId,
        status,
      });
    };

    it('shows the runs that run, and the requests that wait for who signed in', async () => {
      const { page } = opened;
      await askForStatus();
      await screens.ask('POST', `${write}/experiment/create`, {
        workspaceName: screens.server.workspace,
        projectName: 'vision',
        experimentName: nasty,
      });
      await page.goto(at('/w'));
      await page
        .getByRole('region', { name: 'Running' })
        .getByRole('link', { name: `● ${nasty}` })
        .waitFor();
      await page
        .getByRole('region', { name: 'Waiting for you' })
        .getByRole('link', { name: 'refund-bot 1.0.0' })
        .click();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByText(/approved by admin/i).waitFor();
      await page.goto(at('/w'));
      await page.getByRole('region', { name: 'Running' }).waitFor();
      await page.waitForLoadState('networkidle');
      await holds(async () =>
        expect(await page.getByRole('region', { name: 'Waiting for you' }).count()).to.equal(0),
      );
    });

    it('leads back to what was looked at lately, the last first', async () => {
      const { page } = opened;
      const [one, other] = screens.runs;
      for (const run of [one, other, one]) {
        await page.goto(screens.address(`run/${run?.key}/params`));
        await page.getByRole('heading', { name: run?.name ?? '' }).waitFor();
        await page.waitForFunction(
          (key) =>
            Object.entries(
              (globalThis as unknown as { localStorage: Record<string, string> }).localStorage,
            ).some(
              ([name, kept]) =>
                name.startsWith('recent pages') &&
                kept.indexOf(String(key)) < 120 &&
                kept.includes(String(key)),
            ),
          run?.key,
        ); // this runs in the browser
      }
      await page.goto(`${screens.server.url}/w`);
      const lately = page.getByRole('region', { name: 'Looked at lately' });
      await lately.getByRole('link', { name: one?.name ?? '' }).waitFor();
      const names = await lately.getByRole('link').allTextContents();
      expect(names.slice(0, 2)).to.deep.equal([one?.name, other?.name]);
      await lately.getByRole('link', { name: other?.name ?? '' }).click();
      await page.getByRole('heading', { name: other?.name ?? '' }).waitFor();
      await holds(() => expect(page.url()).to.equal(screens.address(`run/${other?.key}`)));
    });
  });

  describe('keys', () => {
    it('makes a narrowed key that is shown once and reads only', async () => {
      const { page } = opened;
      await page.goto(at('/settings/keys'));
      await page.getByLabel('Name').fill(nasty);
      await page.getByLabel('What it may').selectOption('read');
      await page
        .getByLabel('Workspace it reaches')
        .selectOption({ label: screens.server.workspace });
      await page.getByLabel('Project it reaches').selectOption({ label: 'vision' });
      await page.getByRole('button', { name: 'Make a key' }).click();
      const key = await readOnce(page);
      await page.getByText(`${screens.server.workspace} / vision, reads only`).waitFor();
      await page.getByRole('cell', { name: nasty, exact: true }).waitFor();
      expect(await page.title()).to.not.equal('1');
      expect(
        await statusOf(
          key,
          `/api/rest/v2/project?workspaceName=${screens.server.workspace}&projectName=vision`,
        ),
      ).to.equal(200);
      const made = await fetch(at(`${write}/project/create`), {
        method: 'POST',
        headers: { authorization: key, 'content-type': 'application/json' },
        body: JSON.stringify({ workspaceName: screens.server.workspace, projectName: 'other' }),
      });
      expect(made.status).to.not.equal(200);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.reload();
      await page.getByRole('cell', { name: nasty, exact: true }).waitFor();
      expect(await page.content()).to.not.contain(key);
      expect(
        await page.evaluate(() =>
          JSON.stringify((globalThis as unknown as { localStorage: unknown }).localStorage),
        ),
      ).to.not.contain(key); // this runs in the browser
    });

    it('rotates a key, then revokes it, after it was told what follows', async () => {
      const { page } = opened;
      await page.goto(at('/settings/keys'));
      await page.getByLabel('Name').fill('laptop');
      await page.getByRole('button', { name: 'Make a key' }).click();
      const first = await readOnce(page);
      await page.getByRole('button', { name: 'Rotate the key laptop' }).click();
      await agree(page, 'Rotate');
      await page.getByText('The new key laptop').first().waitFor();
      const second = await readOnce(page);
      expect([await statusOf(first), await statusOf(second)]).to.deep.equal([401, 200]);
      await page.getByRole('button', { name: 'Revoke the key laptop' }).click();
      await agree(page, 'Cancel');
      expect(await statusOf(second)).to.equal(200);
      await page.getByRole('button', { name: 'Revoke the key laptop' }).click();
      await agree(page, 'Revoke');
      await page.getByText('The key is revoked').waitFor();
      expect(await statusOf(second)).to.equal(401);
    });
  });

  it('is worked by keyboard alone, and gives the focus back', async () => {
    const { page } = opened;
    await page.goto(at('/settings/keys'));
    await page.getByLabel('Name').fill('by hand');
    await page.getByLabel('Name').press('Enter');
    const key = await readOnce(page);
    const revoke = page.getByRole('button', { name: 'Revoke the key by hand' });
    await revoke.press('Enter'); // the list may just be drawn anew, with another button
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await statusOf(key)).to.equal(200);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The key is revoked').waitFor();
    expect(await statusOf(key)).to.equal(401);
  });

  describe('connected programs', () => {
    it('lists a program with its workspace, and ends its access', async () => {
      const { page } = opened;
      const token = await connect();
      expect(await statusOf(token)).to.equal(200);
      await page.goto(at('/settings/programs'));
      await page.getByRole('cell', { name: screens.server.workspace, exact: true }).waitFor();
      await page.getByRole('cell', { name: name, exact: true }).waitFor();
      await page.getByRole('button', { name: /^End the access of Editor/ }).click();
      await agree(page, 'End');
      await page.getByText('No program acts for you').waitFor();
      expect(await statusOf(token)).to.equal(401);
    });
  });

  describe('members', () => {
    it('adds one, changes the role and what is allowed beyond it, and removes one', async () => {
      const { page } = opened;
      await page.goto(screens.address('/members'));
      await page.getByLabel('User name').fill('nobody-here');
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('User name').fill('ann');
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByText('ann is a member').waitFor();
      await page.getByLabel('ann may invite').check();
      await page.getByText('ann is member').waitFor();
      const ann = async () => (await listMembers()).find(({ userName }) => userName === 'ann');
      expect((await ann())?.permissions).to.deep.equal(['invite']);
      await page.getByLabel('Role of ann').selectOption('view-only');
      await page.getByText('ann is view-only').waitFor();
      expect((await ann())?.role).to.equal('view-only');
      await page.getByRole('button', { name: 'Remove ann' }).click();
      await agree(page, 'Remove');
      await page.getByText('ann is no longer a member').waitFor();
      expect(await ann()).to.equal(undefined);
    });

    it('is where a workspace is renamed, and deleted where it holds nothing, by its administrator', async () => {
      const { page } = opened;
      await screens.ask('POST', '/api/rest/v2/write/workspace/new', { name: 'short-lived' });
      await page.goto(at('/w/short-lived/members'));
      await page.getByRole('button', { name: 'Rename the workspace short-lived' }).click();
      await page.getByRole('dialog').getByLabel('New name').fill('longer-lived');
      await agree(page, 'Rename');
      await page.waitForURL(/\/w\/longer-lived\/members$/);
      await page.getByRole('button', { name: 'Delete the workspace longer-lived' }).click();
      await agree(page, 'Delete the workspace');
      await page.getByText('The workspace is deleted').waitFor();
      await page.waitForURL(/\/w$/);
      const { workspaceNames } = await screens.ask('GET', '/api/rest/v2/workspaces');
      expect(workspaceNames).to.not.include('longer-lived').and.to.not.include('short-lived');
    });

    it('invites a mailbox by a link that is shown once, and takes the invitation back', async () => {
      const { page } = opened;
      await page.goto(screens.address('/members'));
      await page.getByLabel('E-mail to invite').fill('eve@example.org');
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      const link = await readOnce(page);
      expect((await fetch(link)).status).to.equal(200);
      await page.getByRole('button', { name: 'Take back the invitation' }).click();
      await page.getByText('The invitation is taken back').waitFor();
      expect((await fetch(link)).status).to.not.equal(200);
    });

    it('gives a project to another member', async () => {
      const { page } = opened;
      await screens.ask('POST', `${write}/add-workspace-member`, {
        workspaceName: screens.server.workspace,
        userName: 'ben',
      });
      await page.goto(screens.address('/members'));
      await page.getByLabel('Owner of vision').fill('ben');
      await page.getByLabel('Owner of vision').press('Enter');
      await page.getByText('The project belongs to ben').waitFor();
      const found = await screens.ask(
        'GET',
        `/api/rest/v2/project?workspaceName=${screens.server.workspace}&projectName=vision`,
      );
      expect(found['ownerUserName']).to.equal('ben');
    });
  });

  describe('notifications', () => {
    const listed = async () =>
      (await screens.ask('GET', `/api/rest/v2/channels?workspaceName=${screens.server.workspace}`))[
        'channels'
      ] as { name: string; enabled: boolean; target: string }[]; // as the row says

    it('adds a channel, tests it, changes it, switches it off and removes it', async () => {
      const { page } = opened;
      await page.clock.install();
      await page.goto(screens.address('/notifications'));
      await page.getByLabel('Kind of channel').selectOption('http');
      await page.getByLabel('Name').fill('ops');
      await page.getByLabel('Address of the channel').fill('https://room.example.invalid/a');
      await page.getByRole('button', { name: 'Add a channel' }).click();
      await page.getByText('The channel is added').waitFor();
      await page.getByRole('button', { name: 'Test ops' }).click();
      const told = page.locator('.toasts p').filter({ hasNotText: 'The channel is added' });
      await told.first().waitFor();
      await page.getByRole('button', { name: 'Change ops' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('on call');
      await page.getByRole('dialog').getByLabel('Told of').fill('NO_SUCH_TRIGGER');
      await agree(page, 'Save');
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByRole('dialog').getByLabel('Told of').fill('MODEL_DELETED');
      await agree(page, 'Save');
      await page.getByRole('button', { name: 'Switch off on call' }).click();
      await page.getByRole('button', { name: 'Switch on on call' }).waitFor();
      expect((await listed()).map(({ name, enabled }) => [name, enabled])).to.deep.equal([
        ['on call', false],
      ]);
      await page.getByRole('button', { name: 'Remove the channel on call' }).click();
      await agree(page, 'Remove');
      await page.getByText('The channel on call will be removed').waitFor();
      await page.clock.fastForward(8500);
      await page.getByText('The channel on call is removed').waitFor();
      expect(await listed()).to.deep.equal([]);
    });

    it('adds a webhook that is told of every model', async () => {
      const { page } = opened;
      await page.goto(screens.address('/notifications'));
      await page.getByLabel('Address', { exact: true }).fill('https://hooks.example.invalid/all');
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByText('Webhook added').waitFor();
      const { webhookConfigs } = await screens.ask(
        'GET',
        `/api/rest/v2/webhooks/config?workspaceName=${screens.server.workspace}`,
      );
      expect(JSON.stringify(webhookConfigs)).to.contain('hooks.example.invalid');
    });
  });

  describe('the installation', () => {
    it('makes a service account, rotates its key and deletes it', async () => {
      const { page } = opened;
      await page.clock.install();
      await page.goto(at('/settings/service-accounts'));
      await page.getByLabel('Name').fill('ci-bot');
      await page.getByLabel('Workspace it logs into').fill(screens.server.workspace);
      await page.getByRole('button', { name: 'Make a service account' }).click();
      const first = await readOnce(page);
      expect(await statusOf(first)).to.equal(200);
      await page.getByRole('button', { name: 'Rotate the key of sa-ci-bot' }).click();
      await agree(page, 'Rotate');
      await page.getByText('The new key of sa-ci-bot').first().waitFor();
      const second = await readOnce(page);
      expect([await statusOf(first), await statusOf(second)]).to.deep.equal([401, 200]);
      await page.getByRole('button', { name: 'Reach of sa-ci-bot' }).click();
      await page.getByRole('dialog').getByLabel('only the workspaces below').uncheck();
      await agree(page, 'Save');
      await page.getByRole('cell', { name: 'every workspace' }).waitFor();
      await page.getByRole('button', { name: 'Delete the service account sa-ci-bot' }).click();
      await agree(page, 'Delete');
      await page.getByText('The service account sa-ci-bot will be deleted').waitFor();
      await page.clock.fastForward(8500);
      await page.getByText('The service account sa-ci-bot is deleted').waitFor();
      expect(await statusOf(second)).to.equal(401);
    });

    it('adds a user, suspends, restores and deletes the account', async () => {
      const { page } = opened;
      const standing = async () =>
        (
          (await screens.ask('GET', '/api/admin/users/cal'))['user'] as {
            suspendedAt: number | null;
          }
        ).suspendedAt; // as the row says
      await page.clock.install();
      await page.goto(at('/settings/users'));
      await page.getByLabel('User name').fill('cal');
      await page.getByRole('button', { name: 'Add a user' }).click();
      const key = await readOnce(page);
      expect(await statusOf(key)).to.equal(200);
      await page.getByRole('button', { name: 'Suspend cal' }).click();
      await agree(page, 'Suspend');
      await page.getByRole('button', { name: 'Restore cal' }).waitFor();
      expect(await standing()).to.be.a('number');
      await page.getByRole('button', { name: 'Restore cal' }).click();
      await page.getByRole('button', { name: 'Suspend cal' }).waitFor();
      expect(await standing()).to.equal(null);
      await page.getByRole('button', { name: 'Delete the user cal' }).click();
      await agree(page, 'Delete');
      await page.getByText('The user cal will be deleted').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The user cal stays').waitFor();
      await page.clock.fastForward(8500);
      expect(await statusOf(key)).to.equal(200);
      await page.getByRole('button', { name: 'Delete the user cal' }).click();
      await agree(page, 'Delete');
      await page.getByText('The user cal will be deleted').waitFor();
      await page.clock.fastForward(8500);
      await page.getByText('The user cal is deleted').waitFor();
      // The account stays under its name, without anything to sign in by.
      await page.getByRole('button', { name: 'Restore cal' }).waitFor();
      expect(await statusOf(key)).to.equal(401);
    });

    it('chooses entries of the audit log by the address, and pages through them', async () => {
      const { page } = opened;
      await page.goto(at('/settings/audit'));
      await page.getByLabel('what was done').fill('createUser');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.waitForURL(/action=createUser/);
      const did = page.locator('.many tbody td:nth-child(3)');
      await did.first().waitFor();
      await holds(async () =>
        expect(new Set(await did.allTextContents())).to.deep.equal(new Set(['createUser'])),
      );
      for (let count = 0; count < 60; count++)
        await screens.ask('POST', '/api/auth/keys', { name: `key ${count}` });
      await page.goto(at('/settings/audit?action=createKey'));
      await page.getByRole('cell', { name: 'createKey' }).first().waitFor();
      const first = await page.locator('.many tbody tr').first().textContent();
      await page.getByRole('button', { name: 'Older' }).click();
      await page.getByRole('button', { name: 'Newer' }).and(page.locator(':enabled')).waitFor();
      await page.waitForFunction(
        (text) =>
          (
            globalThis as unknown as {
              document: { querySelector(of: string): { textContent: string } | null };
            }
          ).document.querySelector('.many tbody tr')?.textContent !== text,
        first,
      ); // this runs in the browser
    });

    it('shows settings in force without their secrets, toggles, and usage', async () => {
      const { page } = opened;
      await page.goto(at('/settings/in-force?search=ORRERY_ADMIN_PASSWORD'));
      await page.getByRole('cell', { name: 'ORRERY_ADMIN_PASSWORD' }).waitFor();
      expect(await page.content()).to.not.contain('velvet-Harbor');
      await page.getByLabel('Search settings').fill('model-approval');
      await page.getByRole('cell', { name: 'model-approval', exact: true }).waitFor();
      await page.goto(at('/settings/usage'));
      await page.getByLabel('By').selectOption('day');
      await page.getByRole('cell', { name: screens.server.workspace }).first().waitFor();
    });
  });

  describe('workspaces', () => {
    const listed = async () =>
      (
        (await screens.ask('GET', '/api/admin/workspaces'))['workspaces'] as {
          workspaceName: string;
        }[]
      ).map(({ workspaceName }) => workspaceName); // as the row says
    const inDialog = (page: Page) => page.getByRole('dialog');

    it('makes one, bounds it, renames it and deletes it once its name is written', async () => {
      const { page } = opened;
      await page.goto(at('/settings/workspaces'));
      await page.getByRole('textbox', { name: 'Name' }).fill('second');
      await page.getByRole('button', { name: 'Make a workspace' }).click();
      await page.getByRole('link', { name: 'second', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Quota of second' }).click();
      await inDialog(page).getByLabel('Runs at most').fill('1');
      await inDialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByText('The quota is saved').waitFor();
      const create = (projectName: string) =>
        screens.ask('POST', `${write}/experiment/create`, {
          workspaceName: 'second',
          projectName,
        });
      await create('p');
      expect(
        await create('p').then(
          () => 'made',
          () => 'refused',
        ),
      ).to.equal('refused');
      await page.getByRole('button', { name: 'Rename second' }).click();
      await inDialog(page).getByLabel('New name').fill('third');
      await inDialog(page).getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('link', { name: 'third', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Delete third' }).click();
      await inDialog(page).getByLabel('Its name, once more').fill('second');
      await inDialog(page).getByRole('button', { name: 'Delete' }).click();
      await inDialog(page).getByRole('alert').waitFor();
      expect(await listed()).to.include('third');
      await inDialog(page).getByLabel('with everything in it').check();
      await inDialog(page).getByLabel('Its name, once more').fill('third');
      await page.clock.install();
      await inDialog(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('row').filter({ hasText: 'third' }).getByText('being deleted').waitFor();
      expect(await listed()).to.include('third');
      await letGo(page, 'The workspace third');
      expect(await listed()).to.not.include('third');
    });

    it('switches a toggle, and says when it takes effect', async () => {
      const { page } = opened;
      await page.goto(at('/settings/in-force?search=model-approval'));
      const standsAt = async () =>
        (
          (await screens.ask('GET', '/api/admin/feature-toggles')) as unknown as readonly {
            name: string;
            enabled: boolean;
          }[]
        ).find(({ name: one }) => one === 'model-approval')?.enabled; // as the row says
      const before = await standsAt();
      const verb = before === true ? 'Switch off' : 'Switch on';
      await page.getByRole('button', { name: `${verb} model-approval` }).click();
      await agree(page, verb);
      await page.getByText(/^Saved/).waitFor();
      expect(await standsAt()).to.equal(before !== true);
      const back = before === true ? 'Switch on' : 'Switch off';
      await page.getByRole('button', { name: `${back} model-approval` }).click();
      await agree(page, back);
      await page.getByRole('button', { name: `${verb} model-approval` }).waitFor();
    });
  });

  describe('a project as a whole', () => {
    it('is described, renamed and deleted on its page', async () => {
      const { page } = opened;
      await page.goto(at(`/w/${screens.server.workspace}`));
      await page.getByRole('button', { name: 'Make a project' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('by hand');
      await page.getByRole('dialog').getByRole('button', { name: 'Make a project' }).click();
      await page.waitForURL(/\/p\/by%20hand\/runs/);
      await page.getByRole('link', { name: 'about' }).click();
      await page.getByRole('textbox', { name: 'Description' }).fill('what nobody else makes');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved').waitFor();
      await page.getByRole('button', { name: 'Rename by hand' }).click();
      await page.getByRole('dialog').getByLabel('New name').fill('renamed');
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await page.waitForURL(/\/p\/renamed\/about/);
      const { projectDescription } = await screens.ask(
        'GET',
        `/api/rest/v2/project?workspaceName=${screens.server.workspace}&projectName=renamed`,
      );
      expect(projectDescription).to.equal('what nobody else makes');
      await page.getByRole('button', { name: 'Delete renamed' }).click();
      await page.getByRole('dialog').getByLabel('Its name, once more').fill('renamed');
      await page.clock.install();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page
        .getByRole('row')
        .filter({ hasText: 'renamed' })
        .getByText('being deleted')
        .waitFor();
      await takeBack(page, 'The project renamed');
      await page.waitForURL(/\/p\/renamed\/about/);
      await page.getByRole('button', { name: 'Delete renamed' }).click();
      await page.getByRole('dialog').getByLabel('Its name, once more').fill('renamed');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await letGo(page, 'The project renamed');
      await page.getByRole('link', { name: 'renamed', exact: true }).waitFor({ state: 'detached' });
      await page.goto(screens.address('/p/renamed/runs'));
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    });

    it('is read without an account by a link, until that is taken back', async () => {
      const { page } = opened;
      await page.goto(screens.address('about'));
      await page.getByRole('button', { name: 'Make a link' }).click();
      const link = await page.getByRole('link', { name: /\/s\// }).getAttribute('href');
      const context = await page.context().browser()?.newContext({ locale: 'en-GB' });
      if (context === undefined || link === null) throw new Error('there is no link');
      const stranger = await context.newPage();
      await stranger.goto(link);
      await stranger.locator('.row[data-key]').first().waitFor();
      await stranger.locator('.panel canvas').first().waitFor();
      expect(await stranger.getByRole('button', { name: /views/ }).count()).to.equal(0);
      await stranger.locator('.row[data-key] a').first().click();
      await stranger.getByRole('heading', { name: 'Metrics' }).waitFor();
      await holds(() => expect(new URL(stranger.url()).pathname).to.match(/^\/s\//));
      expect(await stranger.getByRole('button', { name: 'Archive' }).count()).to.equal(0);
      expect(await axeFaults(stranger)).to.deep.equal([]);
      // Another site shows it in a frame; pages that need a session are in no frame.
      const site = createServer((_, reply) => {
        reply.setHeader('content-type', 'text/html');
        reply.end(`<iframe width="1200" height="800" src="${link}"></iframe>`);
      });
      await new Promise<void>((done) => {
        site.listen(0, '127.0.0.1', done);
      });
      const { port } = site.address() as AddressInfo; // a TCP server's address has this form
      await stranger.goto(`http://127.0.0.1:${port}/`);
      const framed = stranger.frameLocator('iframe');
      await framed.locator('.row[data-key]').first().waitFor();
      const own = await page.request.get(screens.address('runs'));
      expect(own.headers()['content-security-policy']).to.contain("frame-ancestors 'none'");
      site.close();
      await stranger.goto(link);
      await page.getByRole('button', { name: 'Take back the link' }).click();
      await agree(page, 'Take back');
      await page.getByText('This project is not shared.').waitFor();
      await stranger.reload();
      await stranger.locator('.fault').first().waitFor();
      expect(await stranger.getByRole('heading', { name: 'Metrics' }).count()).to.equal(0);
      await context.close();
    });
  });

  describe('one’s own account', () => {
    const enter = async (name: string, password: string) => {
      const { page } = opened;
      const context = await page.context().browser()?.newContext({ locale: 'en-GB' });
      if (context === undefined) throw new Error('there is no browser any more');
      const mine = await context.newPage();
      await mine.goto(at('/login?returnTo=%2Fsettings'));
      await mine.getByLabel('User name or e-mail').fill(name);
      await mine.getByLabel('Password').fill(password);
      await mine.getByRole('button', { name: 'Sign in' }).click();
      await mine.getByRole('heading', { name: 'Sessions' }).waitFor();
      return mine;
    };

    it('changes the password, ends one session, then all', async function () {
      this.timeout(60_000);
      const [old, next] = ['copper-Lantern-29-moth', ' amber-Kettle-77-finch '];
      const [one, other] = [await enter('ben', old), await enter('ben', old)];
      await one.getByLabel('Password now').fill('wrong');
      await one.getByLabel('New password').fill(next);
      await one.getByRole('button', { name: 'Change password' }).click();
      await one.getByRole('alert').waitFor();
      await one.getByLabel('Password now').fill(old);
      await one.getByRole('button', { name: 'Change password' }).click();
      await one.getByText('The password is changed').waitFor();
      await other.reload();
      await other.getByLabel('User name or e-mail').waitFor();
      const third = await enter('ben', next);
      await one.reload();
      await one.getByRole('button', { name: 'End the session' }).click();
      await one.getByText('The session has ended').waitFor();
      await third.reload();
      await third.getByLabel('User name or e-mail').waitFor();
      await one.getByRole('button', { name: 'Sign out everywhere' }).click();
      await agree(one, 'Sign out everywhere');
      await one.getByLabel('User name or e-mail').waitFor();
      for (const page of [one, other, third]) await page.context().close();
    });

    it('leaves out what who signed in may not do, and says why', async () => {
      const mine = await enter('ann', 'copper-Lantern-28-moth');
      expect(await mine.getByRole('link', { name: 'audit log' }).count()).to.equal(0);
      await mine.goto(at('/settings/audit'));
      await mine.getByText('Only administrators of the installation').waitFor();
      await mine.context().close();
      const member = await enter('ben', ' amber-Kettle-77-finch ');
      await member.goto(screens.address('/members'));
      await member.getByRole('cell', { name: 'ben you' }).waitFor();
      expect(await member.getByRole('button', { name: 'Add a member' }).count()).to.equal(0);
      expect(await member.getByLabel(/^Role of/).count()).to.equal(0);
      await member.goto(screens.address('/notifications'));
      await member.getByText('Only administrators of the workspace').waitFor();
      await member.context().close();
    });
  });

  describe('every screen, with something in it', () => {
    before(async () => {
      const { workspace } = screens.server;
      await screens.ask('POST', '/api/auth/invitations', {
        workspaceName: workspace,
        email: 'eve@example.org',
      });
      await screens.ask('POST', `${write}/channels`, {
        workspaceName: workspace,
        kind: 'http',
        name: 'a channel of a rather long name',
        target: 'https://room.example.invalid/a',
      });
      await screens.ask('POST', '/api/admin/service-accounts', { name: 'nightly-tests' });
      await connect();
    });
    holdsForEverybody(
      () => screens,
      () => [
        ...[
          'account',
          'keys',
          'programs',
          'users',
          'workspaces',
          'service-accounts',
          'audit',
          'usage',
          'in-force',
        ].map((part) => at(`/settings/${part}`)),
        at('/w'),
        at(`/w/${screens.server.workspace}`),
        ...['/members', '/notifications'].map(screens.address),
      ],
      async ({ page, complaints }, title) => {
        await page.goto(at('/settings/keys'));
        await page.getByLabel('Name').fill(`of ${title}`);
        await page.getByRole('button', { name: 'Make a key' }).click();
        await page.locator('.once').waitFor();
        await page.getByRole('button', { name: `Revoke the key of ${title}` }).click();
        await page.getByRole('dialog').waitFor();
        const cut = await page
          .getByRole('dialog')
          .evaluate(
            (dialog: { scrollWidth: number; clientWidth: number }) =>
              dialog.scrollWidth > dialog.clientWidth,
          );
        expect(cut).to.equal(false);
        expect(await axeFaults(page)).to.deep.equal([]);
        expect(await overflows(page)).to.equal(false);
        // What the page before still waited for is given up on leaving it.
        expect(complaints().filter((says) => !says.endsWith(' failed'))).to.deep.equal([]);
      },
    );
  });
});
