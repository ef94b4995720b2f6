import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { startReceiver } from '#test/clients/receiver';
import { becomes, holds } from './becomes.js';
import { axeFaults, type OpenedPage } from './browser.js';
import { agreeTo, letGo, takeBack } from './deleting.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const write = '/api/rest/v2/write';

describe('the screens of models and artifacts in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  const upload = async (run: string, query: Record<string, string>, content: string) => {
    const form = new FormData();
    form.set('file', new Blob([content]), 'file');
    const search = new URLSearchParams({ experimentKey: run, ...query }).toString();
    const reply = await fetch(`${screens.server.url}${write}/experiment/upload-asset?${search}`, {
      method: 'POST',
      headers: { authorization: screens.server.apiKey },
      body: form,
    });
    expect(reply.status).to.equal(200);
  };
  const makeArtifact = async (
    run: string,
    files: readonly string[],
    alias: readonly string[],
    { artifactName = 'reviews', artifactType = 'dataset' } = {},
  ) => {
    const made = await screens.ask('POST', `${write}/artifacts/upsert`, {
      artifactName,
      artifactType,
      experimentKey: run,
      alias,
    });
    const artifactVersionId = String(made['artifactVersionId']);
    for (const fileName of files)
      await upload(run, { fileName, type: 'unknown', artifactVersionId }, `rows of ${fileName}`);
    await screens.ask('POST', `${write}/artifacts/state`, {
      artifactVersionId,
      experimentKey: run,
      state: 'CLOSED',
    });
    return artifactVersionId;
  };
  before('start a server and a browser, and register a model', async function () {
    screens = await openScreens(this, {
      count: 4,
      env: { ORRERY_REGISTRY_SELF_APPROVAL: 'true', ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' },
    });
    const [one, other, user] = screens.runs.map(({ key }) => key);
    for (const [run, version] of [
      [one ?? '', '1.0.0'],
      [other ?? '', '1.1.0'],
    ] as const) {
      await upload(run, { fileName: 'w.bin', type: 'model-element', groupingName: 'net' }, 'w');
      await screens.ask('POST', `${write}/registry-model/item/create`, {
        experimentKey: run,
        experimentModelName: 'net',
        registryModelName: 'refund-bot',
        version,
      });
    }
    await makeArtifact(one ?? '', ['train.txt'], []);
    const newest = await makeArtifact(other ?? '', ['train.txt', 'more.txt'], ['prod']);
    await screens.ask(
      'GET',
      `/api/rest/v2/artifacts/version?versionId=${newest}&consumerExperimentKey=${user}`,
    );
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const details = async () =>
    (
      (
        await screens.ask(
          'GET',
          `/api/rest/v2/registry-model/details?workspaceName=${screens.server.workspace}&modelName=refund-bot`,
        )
      )['versions'] as { version: string; status: string; stages: string[] }[]
    ).find(({ version }) => version === '1.1.0'); // as the row says

  const itemOf = async (wanted: string): Promise<unknown> => {
    const { versions } = await screens.ask(
      'GET',
      `/api/rest/v2/registry-model/details?workspaceName=${screens.server.workspace}&modelName=refund-bot`,
    );
    return (versions as { version: string; registryModelItemId: string }[]).find(
      ({ version }) => version === wanted,
    )?.registryModelItemId; // as the row says
  };

  it('lists models and opens the newest version of one', async () => {
    const { page } = opened;
    await page.goto(screens.address('/models'));
    await page.getByRole('link', { name: 'refund-bot' }).click();
    await page.getByRole('region', { name: 'Version 1.1.0' }).waitFor();
    await page.getByRole('link', { name: '1.0.0' }).click();
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
    await page.getByText('w.bin').waitFor();
  });

  it('puts stages on a version and sets its status', async () => {
    const { page } = opened;
    await page.goto(screens.address('/model/refund-bot/1.1.0'));
    await page.getByLabel('Add a stage').fill('canary');
    await page.getByLabel('Add a stage').press('Enter');
    await page.getByRole('button', { name: 'Remove the stage canary' }).waitFor();
    expect((await details())?.stages).to.deep.equal(['canary']);
    await page.getByLabel('Status').locator('option').nth(1).waitFor({ state: 'attached' });
    const choices = await page.getByLabel('Status').locator('option').allTextContents();
    const wanted = choices.find((one) => one !== 'None') ?? '';
    await page.getByLabel('Status').selectOption(wanted);
    await page.getByLabel('Why').fill('all slices are better');
    await page.getByRole('button', { name: 'Set status' }).click();
    await page.getByText(`Status is ${wanted}`).waitFor();
    expect((await details())?.status).to.equal(wanted);
    await page.getByRole('button', { name: 'history' }).click();
    await page.locator('.requests li').first().waitFor();
  });

  it('moves a stage from the version that has it to another, and back', async () => {
    const { page } = opened;
    const holders = async () =>
      (
        (
          await screens.ask(
            'GET',
            `/api/rest/v2/registry-model/details?workspaceName=${screens.server.workspace}&modelName=refund-bot`,
          )
        )['versions'] as { version: string; stages: string[] }[]
      ) // as the row says
        .filter(({ stages }) => stages.includes('canary'))
        .map(({ version }) => version);
    await page.goto(screens.address('/model/refund-bot/1.0.0'));
    await page.getByRole('button', { name: 'Move canary here from 1.1.0' }).click();
    await page.getByText('canary is at 1.0.0 now').waitFor();
    await page.getByRole('button', { name: 'Remove the stage canary' }).waitFor();
    expect(await holders()).to.deep.equal(['1.0.0']);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('canary is at 1.1.0 again').waitFor();
    expect(await holders()).to.deep.equal(['1.1.0']);
  });

  it('draws a metric over the versions, and leads to each', async () => {
    const { page } = opened;
    await page.goto(screens.address('/model/refund-bot'));
    await page.getByRole('button', { name: 'metrics', exact: true }).click();
    await page.getByLabel('Metric', { exact: true }).selectOption('val/acc');
    await page.getByLabel('Which value').selectOption('largest');
    const chart = page.getByRole('img', { name: 'val/acc of 2 versions' });
    await chart.waitFor();
    await holds(async () => expect(await chart.locator('circle').count()).to.equal(2));
    await page.getByText('2 of 2 versions have it').waitFor();
    const rows = page.getByRole('region', { name: 'val/acc of versions' }).getByRole('row');
    await holds(async () =>
      expect((await rows.allTextContents()).slice(1).map((one) => one.slice(0, 5))).to.deep.equal([
        '1.1.0',
        '1.0.0',
      ]),
    );
    await rows.getByRole('link', { name: '1.0.0' }).click();
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
  });

  it('files a request for review, which is approved with a comment', async () => {
    const { page } = opened;
    await page.goto(screens.address('/model/refund-bot/1.1.0'));
    await page.getByLabel('Status').locator('option').nth(1).waitFor({ state: 'attached' });
    const now = (await details())?.status ?? '';
    const choices = await page.getByLabel('Status').locator('option').allTextContents();
    const wanted = choices.find((one) => one !== now) ?? '';
    await page.getByLabel('Status').selectOption(wanted);
    await page.getByLabel('Why').fill('<b>please</b>');
    await page.getByRole('button', { name: 'Ask for review' }).click();
    await page.getByText('A request was filed').waitFor();
    expect((await details())?.status).to.equal(now);
    await page.getByRole('button', { name: 'review', exact: true }).click();
    await page.getByText('“<b>please</b>”').waitFor();
    await page.getByLabel(/Comment on the request/).fill('fine');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/approved by admin: “fine”/i).waitFor();
    expect((await details())?.status).to.equal(wanted);
  });

  it('keeps a reason, a comment on a request and a webhook that was refused, and asks before they are lost', async () => {
    const { page, context } = await screens.signIn();
    const asks = async (leave: () => Promise<unknown>): Promise<string> => {
      const asked = page.waitForEvent('dialog');
      const leaving = leave();
      const dialog = await asked;
      await dialog.dismiss();
      await leaving;
      return dialog.type();
    };
    const reload = () => page.evaluate('location.reload()');
    await page.goto(screens.address('/model/refund-bot/1.1.0'));
    const why = page.getByLabel('Why');
    await why.fill('half a reason');
    expect(await asks(reload)).to.equal('beforeunload');
    expect(await why.inputValue()).to.equal('half a reason');
    await why.fill('');

    const now = (await details())?.status ?? '';
    const statuses = page.getByLabel('Status').locator('option');
    await statuses.nth(1).waitFor({ state: 'attached' });
    const wanted = (await statuses.allTextContents()).find((one) => one !== now) ?? '';
    await page.getByLabel('Status').selectOption(wanted);
    await page.getByRole('button', { name: 'Ask for review' }).click();
    await page.getByText('A request was filed').waitFor();
    await page.getByRole('button', { name: 'review', exact: true }).click();
    const comment = page.getByLabel(/Comment on the request/);
    await comment.fill('half a comment');
    expect(await asks(reload)).to.equal('beforeunload');
    expect(await comment.inputValue()).to.equal('half a comment');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('the server cannot be reached').first().waitFor();
    expect(await comment.inputValue()).to.equal('half a comment');
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/rejected by admin: “half a comment”/i).waitFor();

    await page.goto(screens.address('/model/refund-bot?tab=webhooks'));
    const address = page.getByLabel('Address');
    await address.fill('ftp://files.example.invalid/told');
    await page.getByLabel('Secret').fill('to sign with');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByRole('alert').waitFor();
    expect(await address.inputValue()).to.equal('ftp://files.example.invalid/told');
    expect(await page.getByLabel('Secret').inputValue()).to.equal('to sign with');
    expect(await asks(reload)).to.equal('beforeunload');
    await context.close();
  });

  it('asks for a decision where who sets a status may not decide, and tells of one that was refused', async () => {
    const { page, context } = await screens.signIn();
    const password = 'marble-Canoe-58-thistle';
    await screens.ask('PUT', '/api/admin/registry/statuses', {
      statuses: ['None', 'Staging', 'Live'].map((name) => ({
        ...{ name, colour: '#66bb6a', exclusive: false, requiresApproval: name === 'Live' },
      })),
    });
    await screens.ask('POST', '/api/admin/users', { userName: 'ann', password });
    await screens.ask('POST', '/api/rest/v2/write/add-workspace-member', {
      ...{ workspaceName: screens.server.workspace, userName: 'ann' },
    });
    const was = (await details())?.status;
    await context.clearCookies();
    await page.goto(screens.address('/model/refund-bot/1.1.0'));
    await page.getByLabel('User name or e-mail').fill('ann');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Status').selectOption('Live');
    await page.getByLabel('Why').fill('it is ready');
    await page.getByRole('button', { name: 'Set status' }).click();
    await page.getByText('A request was filed').waitFor();
    await page.getByText('asked for: Live').waitFor();
    expect((await details())?.status).to.equal(was);
    await opened.page.goto(screens.address('/model/refund-bot?tab=review'));
    await opened.page.getByText('“it is ready”').waitFor();
    await opened.page.getByLabel(/Comment on the request/).fill('not yet');
    await opened.page.getByRole('button', { name: 'Reject' }).click();
    await opened.page.getByText(/rejected by admin: “not yet”/i).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'history' }).click();
    await page.getByText('rejected the status Live').waitFor();
    expect((await details())?.status).to.equal(was);
    await context.close();
  });

  it('takes comments on a version and notes on a model', async () => {
    const { page } = opened;
    await page.goto(screens.address('/model/refund-bot/1.1.0?part=comments'));
    await page.getByLabel('Comment', { exact: true }).fill('check the slice');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('check the slice').waitFor();
    await page.getByRole('button', { name: 'notes' }).click();
    await page.getByRole('button', { name: 'Write notes' }).click();
    await page.getByLabel('Notes').fill('kept by the team');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Notes saved').waitFor();
    const { notes } = await screens.ask(
      'GET',
      `/api/rest/v2/registry-model/notes?workspaceName=${screens.server.workspace}&modelName=refund-bot`,
    );
    expect(notes).to.equal('kept by the team');
  });

  it('adds a webhook, tries it, switches it off and removes it', async () => {
    const { page } = opened;
    const listed = async () =>
      (
        await screens.ask(
          'GET',
          `/api/rest/v2/webhooks/config?workspaceName=${screens.server.workspace}&modelName=refund-bot`,
        )
      )['webhookConfigs'];
    await page.goto(screens.address('/model/refund-bot?tab=webhooks'));
    await page.getByLabel('Address').fill('https://hooks.example.invalid/orrery');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByText('Webhook added').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('· off').waitFor();
    expect(JSON.stringify(await listed())).to.contain('"enabled":false');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.locator('.toasts p').last().waitFor();
    const hook = 'https://hooks.example.invalid/orrery';
    await agreeTo(page, `Remove the webhook ${hook}`);
    await page.getByRole('listitem').filter({ hasText: hook }).getByText('being deleted').waitFor();
    // What is added while it waits stays.
    await page.getByLabel('Address').fill('https://later.example.invalid/');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByText('https://later.example.invalid/', { exact: true }).waitFor();
    await letGo(page, `The webhook ${hook}`, 'is removed');
    expect(JSON.stringify(await listed())).to.contain('later.example.invalid');
    await agreeTo(page, 'Remove the webhook https://later.example.invalid/');
    await letGo(page, 'The webhook https://later.example.invalid/', 'is removed');
    expect(JSON.stringify(await listed())).to.not.contain('hooks.example.invalid');
  });

  it('tells what was sent to a webhook and how it was answered, and sends it again', async function () {
    this.timeout(90_000);
    const { page } = opened;
    const receiver = await startReceiver();
    try {
      await page.goto(screens.address('/model/refund-bot?tab=webhooks'));
      await page.getByLabel('Address').fill(`${receiver.url}/told`);
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByText('Webhook added').waitFor();
      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByText(/^answered 204 in \d+ ms/).waitFor();
      await receiver.until('/told', 1);
      await page.goto(screens.address('/model/refund-bot/1.0.0'));
      await page.getByLabel('Add a stage').fill('sent');
      await page.getByLabel('Add a stage').press('Enter');
      await receiver.until('/told', 2);
      const sent = page.getByRole('row').filter({ hasText: `${receiver.url}/told` });
      await becomes(
        async () => {
          await page.goto(screens.address('/model/refund-bot?tab=webhooks'));
          await page.getByRole('heading', { name: 'What was sent' }).waitFor();
          await page.getByText('loading …').first().waitFor({ state: 'detached' });
          return sent.filter({ hasText: '204' }).count();
        },
        (count) => count > 0,
      );
      const before = receiver.got('/told').length;
      await sent.first().getByRole('button', { name: 'Send again' }).click();
      await page.getByText('It will be sent again').waitFor();
      await receiver.until('/told', before + 1);
      await agreeTo(page, `Remove the webhook ${receiver.url}/told`);
      await letGo(page, `The webhook ${receiver.url}/told`, 'is removed');
    } finally {
      await receiver.stop();
    }
  });

  it('shows the files of an artifact, what changed, who used it and where it came from', async () => {
    const { page } = opened;
    await makeArtifact(screens.runs[0]?.key ?? '', [], [], {
      artifactName: 'bot-weights',
      artifactType: 'model',
    });
    await page.goto(screens.address('/artifacts'));
    const type = page.getByLabel('Type', { exact: true });
    await type.selectOption('model');
    await page.getByRole('link', { name: 'bot-weights' }).waitFor();
    await page.getByRole('link', { name: 'reviews' }).waitFor({ state: 'detached' });
    await type.selectOption('dataset');
    await page.getByRole('link', { name: 'bot-weights' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'reviews' }).click();
    await page.getByRole('button', { name: 'train.txt' }).click();
    await page.getByText('rows of train.txt').waitFor();
    await page.getByRole('button', { name: 'changes' }).click();
    await page.getByText('+1 −0 ~0 files').waitFor();
    await page.getByRole('button', { name: 'used by' }).click();
    await page.getByRole('link', { name: screens.runs[2]?.name ?? '' }).waitFor();
    await page.getByRole('button', { name: 'lineage' }).click();
    await page
      .locator('.lineage a')
      .filter({ hasText: screens.runs[2]?.name ?? '' })
      .waitFor();
    await page
      .locator('.lineage a')
      .filter({ hasText: screens.runs[1]?.name ?? '' })
      .waitFor();
    await page.getByLabel('Add a tag').fill('clean');
    await page.getByLabel('Add a tag').press('Enter');
    await page.getByRole('button', { name: 'Remove the tag clean' }).waitFor();
  });

  it('leads from a version of a model to the live traces that use it, in each project', async () => {
    const { page } = opened;
    const wire = '/opik/api/v1/private';
    const start_time = new Date().toISOString();
    const ids = [v7(), v7(), v7()] as const;
    const times = { start_time, end_time: start_time };
    await screens.ask('POST', `${wire}/traces/batch`, {
      traces: ids.map((id) => ({ id, project_name: 'live', name: 'answer', ...times })),
    });
    await screens.ask('POST', `${wire}/spans/batch`, {
      spans: [
        [ids[0], 'refund-bot:1.0.0', { exception_type: 'TimeoutError', traceback: 'late' }],
        [ids[0], 'refund-bot', undefined],
        [ids[1], 'refund-bot', undefined],
        [ids[2], 'another-bot', undefined],
      ].map(([trace_id, model, error_info]) => ({
        ...{ id: v7(), trace_id, project_name: 'live', name: 'call', type: 'llm', model },
        ...times,
        ...(error_info === undefined ? {} : { error_info }),
      })),
    });
    await page.goto(screens.address('/model/refund-bot/1.0.0?part=lineage'));
    await page.getByText('2 traces in 1 project').waitFor();
    const row = page.getByRole('region', { name: 'Projects with live traces' }).getByRole('row');
    await holds(async () => expect(await row.nth(1).textContent()).to.match(/^live21/));
    await row.nth(1).getByRole('link', { name: 'live' }).click();
    await page
      .getByRole('status')
      .getByText(/^2 rows/)
      .waitFor();
    await page.getByRole('table', { name: 'Result' }).getByText(ids[0], { exact: true }).waitFor();
    await page.goto(screens.address('/model/refund-bot/1.1.0?part=lineage'));
    await page.getByText('2 traces in 1 project').waitFor();
  });

  it('tells of a version of a dataset how far a mistake in it reaches, down to live traces', async () => {
    const { page } = opened;
    const user = screens.runs[2]?.key ?? '';
    await upload(user, { fileName: 'j.bin', type: 'model-element', groupingName: 'judge' }, 'j');
    await screens.ask('POST', `${write}/registry-model/item/create`, {
      ...{ experimentKey: user, experimentModelName: 'judge', registryModelName: 'judge-bot' },
      version: '1.0.0',
    });
    const times = { start_time: new Date().toISOString(), end_time: new Date().toISOString() };
    const trace_id = v7();
    const wire = '/opik/api/v1/private';
    await screens.ask('POST', `${wire}/traces/batch`, {
      traces: [{ id: trace_id, project_name: 'judged', name: 'judge', ...times }],
    });
    await screens.ask('POST', `${wire}/spans/batch`, {
      spans: [
        {
          id: v7(),
          trace_id,
          project_name: 'judged',
          name: 'call',
          type: 'llm',
          model: 'judge-bot:1.0.0',
          ...times,
        },
      ],
    });
    await page.goto(screens.address('/artifact/reviews/2.0.0?tab=lineage'));
    const radius = page.getByRole('region', { name: 'Blast radius' });
    await radius.getByText('1 run · 1 model version').waitFor();
    await radius.getByText('Live traces').click();
    await radius.getByText('1 trace in 1 project').waitFor();
    await radius.getByRole('link', { name: 'judged' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      radius.getByRole('button', { name: 'Export' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    expect(lines).to.have.length(3);
    expect(lines[2]).to.match(/^model,judge-bot:1\.0\.0,2,http/);
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('has room on a phone for files of an artifact whose paths are long', async () => {
    const key = screens.runs[0]?.key ?? '';
    const path = `a/${'word'.repeat(30)}/rows.txt`;
    for (const more of ['', '.more'])
      await makeArtifact(key, [`${path}${more}`], [], { artifactName: 'long-paths' });
    const { page, context } = await screens.signIn({ width: 390 });
    for (const [tab, file] of [
      ['files', page.getByRole('button', { name: path })],
      ['changes', page.getByRole('rowheader', { name: `+ ${path}.more` })],
    ] as const) {
      await page.goto(screens.address(`/artifact/long-paths?tab=${tab}`));
      await file.waitFor();
      expect(
        await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth),
        tab,
      ).to.be.at.most(390);
    }
    await context.close();
  });

  it('offers who may only look nothing that would change a project, a model or an artifact', async () => {
    const { page, context } = await screens.signIn();
    const password = 'quiet-Marsh-44-lantern';
    await screens.ask('POST', '/api/admin/users', { userName: 'vera', password, viewOnly: true });
    await screens.ask('POST', `${write}/add-workspace-member`, {
      ...{ workspaceName: screens.server.workspace, userName: 'vera' },
    });
    const { requestId } = await screens.ask('POST', `${write}/registry-model/item/status-request`, {
      ...{ modelItemId: await itemOf('1.0.0'), status: 'Staging', comment: 'ready' },
    });
    await context.clearCookies();
    const absent = async (...names: readonly string[]) => {
      for (const name of names)
        expect([name, await page.getByRole('button', { name, exact: true }).count()]).to.deep.equal(
          [name, 0],
        );
    };
    await page.goto(screens.address('/model/refund-bot/1.0.0'));
    await page.getByLabel('User name or e-mail').fill('vera');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
    await page.getByText('asked for: Staging').waitFor();
    await absent('Set status', 'Ask for review', 'Save', 'Delete');
    for (const name of ['Add a stage', 'Status', 'Why'])
      expect([name, await page.getByLabel(name, { exact: true }).isVisible()]).to.deep.equal([
        name,
        false,
      ]);
    await page.goto(screens.address('/model/refund-bot?tab=review'));
    await page.getByText('“ready”').waitFor();
    await absent('Approve', 'Reject');
    await page.goto(screens.address('/artifact/reviews'));
    await page.getByRole('button', { name: 'train.txt' }).waitFor();
    await absent('Delete the version', 'Delete the artifact', 'Remove the alias prod');
    await page.goto(screens.address('/p/vision/about'));
    await page.getByRole('heading', { name: 'What it holds' }).waitFor();
    await absent('Rename', 'Publish', 'Move', 'Delete', 'Save', 'Make a link', 'Write notes');
    await screens.ask(
      'POST',
      `${write}/registry-model/status-request/${String(requestId)}/cancel`,
      {},
    );
    await context.close();
  });

  it('deletes a version and all of a model, and of an artifact, after saying what goes with it', async () => {
    const { page } = opened;
    const run = screens.runs[0]?.key ?? '';
    for (const version of ['1.0.0', '2.0.0']) {
      await screens.ask('POST', `${write}/registry-model/item/create`, {
        ...{ experimentKey: run, experimentModelName: 'net', registryModelName: 'mayfly', version },
      });
      await makeArtifact(run, ['day.txt'], [], { artifactName: 'days' });
    }
    const named = () => page.getByRole('navigation', { name: 'Versions' });
    const links = () => named().getByRole('link');
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
    const stayed = async (place: string) =>
      holds(() => expect(page.url()).to.equal(screens.address(place)));
    await page.goto(screens.address('/model/mayfly/2.0.0'));
    await page.getByRole('button', { name: 'Delete the version 2.0.0' }).click();
    await page
      .getByRole('dialog')
      .getByText(/finds nothing any more/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await agreeTo(page, 'Delete the version 2.0.0');
    // Of what is left, the newest is shown.
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
    await named().getByText('being deleted').waitFor();
    await takeBack(page, 'The version 2.0.0');
    await stayed('/model/mayfly/2.0.0');
    await agreeTo(page, 'Delete the version 2.0.0');
    await letGo(page, 'The version 2.0.0');
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
    await holds(async () => expect(await links().count()).to.equal(1));
    await agreeTo(page, 'Delete the model mayfly');
    await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();
    await rowOf('mayfly').getByText('being deleted').waitFor();
    await takeBack(page, 'The model mayfly');
    await page.getByRole('heading', { name: 'mayfly' }).waitFor();
    await agreeTo(page, 'Delete the model mayfly');
    await letGo(page, 'The model mayfly');
    await rowOf('mayfly').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'refund-bot' }).waitFor();

    await page.goto(screens.address('/artifact/days/2.0.0'));
    await agreeTo(page, 'Delete the version 2.0.0');
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
    await letGo(page, 'The version 2.0.0');
    await holds(async () => expect(await links().count()).to.equal(1));
    await agreeTo(page, 'Delete the artifact days');
    await page.getByRole('heading', { name: 'Artifacts', exact: true }).waitFor();
    await rowOf('days').getByText('being deleted').waitFor();
    await takeBack(page, 'The artifact days');
    await stayed('/artifact/days');
    await agreeTo(page, 'Delete the artifact days');
    await letGo(page, 'The artifact days');
    await rowOf('days').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'reviews' }).waitFor();
  });

  it('is where links lead that clients print, and 404 where there is nothing', async () => {
    const { page } = opened;
    const { url, workspace } = screens.server;
    for (const [printed, shown] of [
      ['model-registry/refund-bot', '/model/refund-bot'],
      ['model-registry/refund-bot/1.0.0', '/model/refund-bot/1.0.0'],
      ['artifacts/reviews', '/artifact/reviews'],
      ['artifacts/reviews/prod', '/artifact/reviews/2.0.0'],
    ] as const) {
      await page.goto(`${url}/${workspace}/${printed}`);
      await holds(() => expect(page.url()).to.equal(screens.address(shown)));
    }
    for (const nothing of [
      'model-registry/none',
      'model-registry/refund-bot/9.9.9',
      'artifacts/none',
    ])
      expect((await page.request.get(`${url}/${workspace}/${nothing}`)).status()).to.equal(404);
    await page.goto(screens.address('/model/none'));
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });

  holdsForEverybody(
    () => screens,
    () =>
      [
        '/models',
        '/model/refund-bot',
        '/model/refund-bot/1.1.0?part=history',
        '/model/refund-bot/1.1.0?part=comments',
        '/model/refund-bot?tab=metrics',
        '/model/refund-bot/1.0.0',
        '/model/refund-bot?tab=review',
        '/model/refund-bot?tab=webhooks',
        '/artifacts',
        '/artifact/reviews',
        '/artifact/reviews?tab=changes',
        '/artifact/reviews?tab=lineage',
      ].map(screens.address),
  );
});
