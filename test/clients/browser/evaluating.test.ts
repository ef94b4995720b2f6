// The pages of experiments, datasets and prompts, the playground, and keys of providers.
import { expect } from 'chai';
import { startModelServer, type ModelServer } from '#test/clients/model-server';
import { holds } from './becomes.js';
import { neverStored } from '#test/clients/secrets';
import type { OpenedPage } from './browser.js';
import { letGo, takeBack } from './deleting.js';
import {
  addRule,
  readStored,
  readUntil,
  sendTraceWith,
  sendExperiments,
  type SentExperiments,
} from './evaluating-data.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';
import { markup } from './trace-data.js';

const secret = neverStored('sk-browser-0123456789abcdef');

describe('the pages of experiments, datasets and prompts in a browser', function () {
  this.timeout(60_000);
  let screens: Screens;
  let models: ModelServer;
  let sent: SentExperiments;
  let opened: OpenedPage;
  before('start servers and a browser, and send experiments', async function () {
    screens = await openScreens(this, {
      count: 1,
      env: { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' },
    });
    models = await startModelServer();
    sent = await sendExperiments(screens);
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
    await models?.stop();
  });
  const open = (place: string) => opened.page.goto(screens.address(place));
  const rowOf = (name: string) => opened.page.getByRole('row').filter({ hasText: name });
  const grid = () => opened.page.getByRole('table', { name: 'Items' });
  const item = (name: string) => grid().getByRole('row').filter({ hasText: name });
  const firstItem = () => grid().locator('.body .row[aria-rowindex="2"]');
  const glance = () => opened.page.getByRole('region', { name: 'At a glance' });
  const told = (text: string | RegExp) => opened.page.getByRole('status').getByText(text);
  const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
  const versions = () => readStored(screens, `datasets/${sent.dataset}/versions?size=1`);
  const compared = () => `/experiments/${sent.plain}?with=${sent.terse}`;

  describe('experiments', () => {
    it('are listed with their dataset, scores and traces, and narrowed to a project', async () => {
      const { page } = opened;
      await page.goto(screens.address('runs'));
      await page
        .getByRole('navigation', { name: 'Parts of the project' })
        .getByRole('link', { name: 'experiments' })
        .click();
      await rowOf('terse').waitFor();
      await holds(() => expect(new URL(page.url()).search).to.equal('?project=vision'));
      const text = await rowOf('plain').textContent();
      for (const part of ['capitals', 'right 0.98', String(sent.count), 'completed'])
        expect(text).to.contain(part);
      await page.getByLabel('Search in experiments').fill('ters');
      await page.getByLabel('Search in experiments').press('Enter');
      await rowOf('plain').waitFor({ state: 'detached' });
      await page.getByLabel('Search in experiments').fill('nothing has this');
      await page.getByLabel('Search in experiments').press('Enter');
      await page.getByText('No experiment matches this.').waitFor();
      await open('/experiments?project=no-such-project');
      await page.getByText('There is no project no-such-project.').waitFor();
    });

    it('are sorted by a score', async () => {
      const { page } = opened;
      await open('/experiments');
      await page.getByLabel('Order').selectOption({ label: 'best right' });
      await page.waitForURL(/order=score/);
      const names = page.getByRole('table').locator('tbody th[scope=row]');
      await names.nth(2).getByText('terse').or(names.nth(2).getByText('plain')).waitFor();
      await holds(async () => expect(await names.first().textContent()).to.equal('foreign'));
    });

    it('are chosen and compared, where they ran over one dataset', async () => {
      const { page } = opened;
      await open('/experiments');
      await page.getByLabel('Select plain').check();
      await page.getByLabel('Select foreign').check();
      await page.getByText('Experiments over one dataset can be compared.').waitFor();
      await page.getByLabel('Select foreign').uncheck();
      await page.getByLabel('Select terse').check();
      await page.getByRole('link', { name: 'Compare' }).click();
      await firstItem().waitFor();
      await holds(() =>
        expect(new URL(page.url()).pathname).to.match(new RegExp(`/experiments/${sent.plain}$`)),
      );
    });

    it('stand side by side item by item, with regressions first', async () => {
      await open(compared());
      await firstItem().getByText(`country ${sent.lost}?`).waitFor();
      const text = await firstItem().textContent();
      for (const part of [`It is city ${sent.lost}`, '0 ▼ 1']) expect(text).to.contain(part);
      const summary = opened.page.getByRole('region', { name: 'What is compared' });
      await holds(async () =>
        expect(await summary.textContent()).to.contain('1 better, 1 worse, 57 the same · p = 1'),
      );
      await opened.page.getByLabel('Which items').selectOption({ label: 'got better' });
      await told(`1 of ${sent.count} items`).waitFor();
      await holds(async () => expect(await firstItem().textContent()).to.contain('1 ▲ 0.75'));
    });

    it('turn round where less is better', async () => {
      await open(compared());
      await button('Less is better').click();
      await firstItem().getByText('country 7?').waitFor();
      await holds(async () => expect(await firstItem().textContent()).to.contain('1 ▼ 0.75'));
      await open(compared());
    });

    it('show an item with all that was made of it, and lead to the trace', async () => {
      const { page } = opened;
      await open(compared());
      await item(`country ${sent.lost}?`).getByRole('link').click();
      await glance().getByText(`because of ${sent.lost}`).first().waitFor();
      await holds(async () => expect(await glance().textContent()).to.contain('0 (−1)'));
      await page.keyboard.press('j');
      await glance().getByText(`because of ${sent.lost}`).first().waitFor({ state: 'detached' });
      await page.keyboard.press('k');
      await glance().getByRole('button', { name: 'Differences' }).click();
      await glance().locator('ins').getByText('It is').waitFor();
      await glance().getByRole('link', { name: 'Trace →' }).first().click();
      await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
      await holds(() =>
        expect(new URL(page.url()).pathname).to.match(/\/p\/vision\/trace\/[\da-f-]{36}$/),
      );
      await page.goBack();
      await glance().waitFor();
      await page.keyboard.press('Escape');
      await glance().waitFor({ state: 'detached' });
    });

    it('are held against another one, and taken out', async () => {
      const { page } = opened;
      await open(compared());
      await firstItem().waitFor();
      await button('As baseline: terse').click();
      await page.waitForURL(new RegExp(`/experiments/${sent.terse}`));
      await firstItem().getByText('country 7?').waitFor();
      await button('Take plain out').click();
      await page.getByRole('heading', { name: 'terse', exact: true }).waitFor();
      await page.getByLabel('Compare with').selectOption({ index: 1 });
      await page.getByRole('heading', { name: 'terse and 1 more' }).waitFor();
    });

    it('say where one ran over another dataset', async () => {
      await open(`/experiments/${sent.plain}?with=${sent.foreign}`);
      await opened.page.getByRole('alert').getByText('foreign ran over another dataset').waitFor();
    });

    it('say that one is no longer there, and show the others', async () => {
      await open(`${compared()},01a210d9-84a3-70a6-896c-ccc39f409959`);
      await opened.page.getByText('1 of the experiments is no longer there.').waitFor();
      await firstItem().waitFor();
      await open('/experiments/01a210d9-84a3-70a6-896c-ccc39f409959');
      await opened.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    });

    it('find items by their text, and show stored text as text', async () => {
      const { page } = opened;
      await open(compared());
      await page.getByLabel('Search in items').fill('onerror');
      await page.getByLabel('Search in items').press('Enter');
      await told('1 of 1 items').waitFor();
      await item('onerror').getByRole('link').click();
      await glance().getByText(markup).first().waitFor();
      expect(await page.title()).not.to.equal('run');
      expect(await page.locator('main img').count()).to.equal(0);
    });

    it('draw how scores lie, as a table too, with statistics', async () => {
      const { page } = opened;
      await open(compared());
      await page.getByRole('img', { name: 'How right of terse lies' }).waitFor();
      await page.getByText('As a table').click();
      const lying = page.getByRole('region', { name: 'Scores as a table' });
      await holds(async () =>
        expect(await lying.getByRole('row').last().textContent()).to.match(/5958$/),
      );
      await page.getByText('Statistics', { exact: true }).click();
      const figures = page.getByRole('region', { name: 'Statistics as a table' });
      await figures.getByRole('row').filter({ hasText: 'experiment_items_count' }).waitFor();
      await holds(async () =>
        expect(
          await figures
            .getByRole('row')
            .filter({ hasText: 'experiment_items_count' })
            .textContent(),
        ).to.equal(`experiment_items_count${sent.count}${sent.count}`),
      );
    });

    it('show the items alone whose score lies in a stretch', async () => {
      const { page } = opened;
      await open(compared());
      await page.getByText('As a table').click();
      await button('1: only items of B with 0 to 0.0833').click();
      await told(`1 of ${sent.count} items`).waitFor();
      await holds(async () =>
        expect(await firstItem().textContent()).to.contain(`country ${sent.lost}?`),
      );
      await page.reload();
      await told(`1 of ${sent.count} items`).waitFor();
      await button('B 0 to 0.083333 ×').click();
      await told(`${sent.count} of ${sent.count} items`).waitFor();
    });

    it('are tagged', async () => {
      const { page } = opened;
      await open(`/experiments/${sent.plain}`);
      await page.getByLabel('Add a tag').fill('baseline');
      await page.getByLabel('Add a tag').press('Enter');
      await button('Remove the tag baseline').waitFor();
      const stored = await readStored(screens, `experiments/${sent.plain}`);
      expect(stored['tags']).to.deep.equal(['baseline']);
    });
  });

  describe('datasets', () => {
    it('are made, and listed with their items and experiments', async () => {
      const { page } = opened;
      await open('/datasets');
      await holds(async () =>
        expect(await rowOf('capitals').textContent()).to.match(/60.*2 experiments of capitals/),
      );
      await button('New dataset').click();
      const form = page.getByRole('form', { name: 'New dataset' });
      await form.getByLabel('Name').fill('capitals');
      await form.getByRole('button', { name: 'Make it' }).click();
      await form.getByRole('alert').waitFor();
      await form.getByLabel('Name').fill('lakes');
      await form.getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('link', { name: 'lakes', exact: true }).click();
      await page.getByText('No item yet.').waitFor();
    });

    it('take their first item by hand, and more by a CSV file', async () => {
      const { page } = opened;
      await open('/datasets');
      await page.getByRole('link', { name: 'lakes', exact: true }).click();
      await button('Add an item').click();
      const form = page.getByRole('form', { name: 'Add an item' });
      await form.getByLabel('Data, as a JSON object').fill('{"lake": ');
      await form.getByRole('button', { name: 'Add it' }).click();
      await form.getByRole('alert').getByText('this is no JSON').waitFor();
      await form.getByLabel('Data, as a JSON object').fill('{"lake": "Inari"}');
      await form.getByRole('button', { name: 'Add it' }).click();
      await item('Inari').waitFor();
      await page.getByLabel('Upload a CSV file').setInputFiles({
        name: 'lakes.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('lake,deep\nLadoga,230\nOnega,127\n'),
      });
      await item('Ladoga').waitFor();
      await holds(async () => expect(await item('Onega').textContent()).to.contain('127'));
      const coming = page.waitForEvent('download');
      await button('Download CSV').click();
      expect((await coming).suggestedFilename()).to.equal('lakes.csv');
    });

    it('scroll through their items, with elements for those on the screen alone', async () => {
      await open(`/datasets/${sent.dataset}`);
      await told(`${sent.count} items`).waitFor();
      expect(await grid().locator('.row[data-key]').count()).to.be.lessThan(sent.count);
      await grid().evaluate((at) => {
        at.scrollTop = at.scrollHeight;
      });
      await item('country 0?').waitFor();
      expect(await opened.page.title()).not.to.equal('run');
    });

    it('have an item edited, tagged and deleted, each in a new version', async () => {
      const { page } = opened;
      await open(`/datasets/${sent.dataset}`);
      await page.getByLabel('Search in items').fill('country 3?');
      await page.getByLabel('Search in items').press('Enter');
      await item('country 3?').getByRole('link').click();
      await button('Edit the item').click();
      const form = page.getByRole('form', { name: 'Edit the item' });
      await form
        .getByLabel('Data, as a JSON object')
        .fill('{"question": "What is the capital of country 3?", "expected_output": "town 3"}');
      await form.getByLabel('What you change').fill('it is a town');
      await form.getByRole('button', { name: 'Save' }).click();
      await glance().getByText('town 3').waitFor();
      const stored = await readStored(screens, `datasets/items/${sent.items[3] ?? ''}`);
      expect(stored['data']).to.deep.include({ expected_output: 'town 3' });
      await glance().getByLabel('Add a tag').fill('odd');
      await glance().getByLabel('Add a tag').press('Enter');
      await button('Remove the tag odd').waitFor();
      await open(`/datasets/${sent.dataset}?q=${encodeURIComponent('country 4?')}`);
      await item('country 4?').getByRole('link').click();
      await page.clock.install();
      await page.getByRole('button', { name: /^Delete the item / }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await item('being deleted').waitFor();
      await takeBack(page, 'The item What is the capital of country 4?');
      await item('being deleted').waitFor({ state: 'detached' });
      await item('country 4?').getByRole('link').click();
      await page.getByRole('button', { name: /^Delete the item / }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await letGo(page, 'The item What is the capital of country 4?');
      await page.getByText('No item matches this.').waitFor();
    });

    it('show what differs between two versions, restore one, and tag one', async () => {
      const { page } = opened;
      await open(`/datasets/${sent.dataset}?tab=versions`);
      await told('0 added, 0 changed, 1 removed').waitFor();
      await page.getByLabel('From version').selectOption('v1');
      await told('0 added, 1 changed, 1 removed').waitFor();
      const differences = page.getByRole('list', { name: 'Items that differ' });
      await holds(async () =>
        expect(await differences.locator('ins').allTextContents()).to.include('town'),
      );
      await rowOf('it is a town').getByLabel('Add a tag of v2').fill('checked');
      await rowOf('it is a town').getByLabel('Add a tag of v2').press('Enter');
      await button('Remove the tag of v2 checked').waitFor();
      await button('Restore v1').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await told('v1 is restored').waitFor();
      const [newest] = (await versions())['content'] as readonly Record<string, unknown>[]; // as the row says
      expect(newest?.['items_total']).to.equal(sent.count);
    });

    it('are made of traces that are selected', async () => {
      const { page } = opened;
      await page.goto(screens.address('traces'));
      const list = page.getByRole('table', { name: 'Traces' });
      await list.locator('.row[data-key] input').nth(0).click();
      await list.locator('.row[data-key] input').nth(1).click();
      await button('Add to a dataset').click();
      const form = page.getByRole('form', { name: 'Add to a dataset' });
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await form.getByRole('alert').getByText('choose a dataset').waitFor();
      await form.getByLabel('Name of the new one').fill('failures');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await told('2 items added').waitFor();
      await open('/datasets');
      await page.getByRole('link', { name: 'failures', exact: true }).click();
      await told('2 items').waitFor();
      await grid().locator('.row[data-key] a').first().click();
      await glance().getByRole('link', { name: 'Trace →' }).click();
      await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
      await holds(() => expect(new URL(page.url()).pathname).to.match(/\/p\/vision\/trace\//));
    });

    it('lead to the experiments over them, and those back', async () => {
      const { page } = opened;
      await open(`/datasets/${sent.dataset}?tab=lineage`);
      await page.locator('.lineage a').filter({ hasText: 'terse' }).click();
      await page.getByRole('heading', { name: 'terse', exact: true }).first().waitFor();
      await page.getByText('Made with', { exact: true }).click();
      await page.getByText('Lineage', { exact: true }).click();
      await page.locator('.lineage a').filter({ hasText: 'capitals' }).waitFor();
    });

    it('are renamed and tagged', async () => {
      const { page } = opened;
      await open('/datasets');
      await page.getByRole('link', { name: 'lakes', exact: true }).click();
      await button('Rename the dataset').click();
      const form = page.getByRole('form', { name: 'Rename the dataset' });
      await form.getByLabel('What it is for').fill('waters');
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('waters').waitFor();
      await page.getByLabel('Add a tag').fill('nature');
      await page.getByLabel('Add a tag').press('Enter');
      await button('Remove the tag nature').waitFor();
      await page.reload();
      await button('Remove the tag nature').waitFor();
      await page.getByText('waters').waitFor();
    });
  });

  describe('prompts', () => {
    it('are made, and refused where messages are none', async () => {
      const { page } = opened;
      await open('/prompts');
      await holds(async () => expect(await rowOf('greeting').textContent()).to.match(/text2/));
      await button('New prompt').click();
      const form = page.getByRole('form', { name: 'New prompt' });
      await form.getByLabel('Name', { exact: true }).fill('farewell');
      await form.locator('select').selectOption('chat');
      await form.getByLabel('Template').fill('Goodbye {{name}}');
      await form.getByRole('button', { name: 'Make it' }).click();
      await form.getByRole('alert').getByText('a JSON list of messages').waitFor();
      await form.locator('select').selectOption('text');
      await form.getByRole('button', { name: 'Make it' }).click();
      await rowOf('farewell').waitFor();
    });

    it('show a version, and word by word how two differ', async () => {
      const { page } = opened;
      await open(`/prompts/${sent.prompt}`);
      const version = page.getByRole('region', { name: 'Version v2' });
      await version.getByText('Say good day to {{name}}.').waitFor();
      await version.getByText('Filled in: name').waitFor();
      await version.getByLabel('Compare with version').selectOption({ index: 1 });
      await page.waitForURL(/against=/);
      await holds(async () =>
        expect(await version.locator('del').allTextContents()).to.include('hello'),
      );
      await holds(async () =>
        expect((await version.locator('ins').allTextContents()).join(' ')).to.contain('good day'),
      );
    });

    it('get a new version, which is for an environment, and an older one again', async () => {
      const { page } = opened;
      await open(`/prompts/${sent.prompt}`);
      await button('New version').click();
      const form = page.getByRole('form', { name: 'New version' });
      await form.getByLabel('Template').fill('Greet {{name}}.');
      await form.getByRole('button', { name: 'Make it' }).click();
      const version = page.getByRole('region', { name: 'Version v3' });
      await version.locator('ins').first().waitFor();
      await version.getByRole('checkbox', { name: 'production' }).check();
      await page.getByRole('navigation', { name: 'Versions' }).getByText('production').waitFor();
      await version.getByRole('button', { name: 'New environment' }).click();
      const made = page.getByRole('form', { name: 'New environment' });
      await made.getByLabel('Name').fill('canary-2');
      await made.getByRole('button', { name: 'Make it' }).click();
      await version.getByRole('checkbox', { name: 'canary-2' }).waitFor();
      await version.getByRole('button', { name: 'Delete one of the environments' }).click();
      const gone = page.getByRole('form', { name: 'Delete one of the environments' });
      await gone.getByLabel('Environment').selectOption('canary-2');
      await page.clock.install();
      await gone.getByRole('button', { name: 'Delete' }).click();
      await letGo(page, 'The environment canary-2');
      await version.getByRole('checkbox', { name: 'canary-2' }).waitFor({ state: 'detached' });
      await page.getByRole('navigation', { name: 'Versions' }).getByText('v1').click();
      await button('Restore v1').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await page
        .getByRole('region', { name: 'Version v4' })
        .getByText('Say hello to {{name}}.')
        .waitFor();
    });

    it('lead to the traces that used a version', async () => {
      const { page } = opened;
      const versions = await readStored(screens, `prompts/${sent.chat}/versions`);
      const [version] = versions['content'] as readonly Record<string, unknown>[]; // as the row says
      await sendTraceWith(screens, 'asked once', {
        opik_prompts: [{ id: sent.chat, version: { commit: version?.['commit'] } }],
      });
      await open(`/prompts/${sent.chat}`);
      await page.getByText('Lineage', { exact: true }).click();
      await page.locator('.lineage a').filter({ hasText: 'asker' }).waitFor();
      const radius = page.getByRole('region', { name: 'Blast radius' });
      await radius.getByText('Live traces of the prompt').click();
      await radius.getByText('1 trace in 1 project').waitFor();
      const row = radius.getByRole('row').filter({ hasText: 'vision' });
      await holds(async () => expect(await row.textContent()).to.match(/^vision10/));
      await radius.getByText('Live traces of the prompt').click();
      await page.getByText('Live traces', { exact: true }).click();
      await page.getByText('1 trace in 1 project').waitFor();
      await page.getByLabel('Traces that used it').selectOption({ label: 'in vision' });
      await told(/^1 traces/).waitFor();
      await rowOf('asked once').waitFor();
    });

    it('show messages as a chat', async () => {
      await open(`/prompts/${sent.chat}`);
      const messages = opened.page.getByRole('list', { name: 'Template' }).getByRole('listitem');
      await messages.first().waitFor();
      await holds(async () =>
        expect(await messages.allTextContents()).to.deep.equal([
          'systemBe brief.',
          'user{{question}}',
        ]),
      );
    });
  });

  describe('the playground', () => {
    it('says that there is no key, which is then stored and shown masked', async () => {
      const { page } = opened;
      await open('/playground');
      await page.getByText('The workspace has no key for a provider of models yet.').waitFor();
      await page.getByRole('link', { name: 'providers', exact: true }).click();
      await button('Add a key').click();
      const form = page.getByRole('form', { name: 'Add a key' });
      await form.getByLabel('Key', { exact: true }).fill(secret);
      await form.getByLabel('Name, for people').fill('ours');
      await form.getByLabel('Address').fill(models.baseUrl('openai'));
      await form.getByLabel('Models of its own').fill('script-says');
      await form.getByRole('button', { name: 'Add it' }).click();
      await rowOf('ours').waitFor();
      expect(await page.content()).not.to.contain(secret);
      await button('Change the key ours').click();
      const change = page.getByRole('form', { name: 'Change the key ours' });
      await change.getByLabel('Name, for people').fill('theirs');
      await change.getByRole('button', { name: 'Save' }).click();
      await rowOf('theirs').waitFor();
    });

    it('asks a model with what is filled in, and shows the answer as it comes', async () => {
      const { page } = opened;
      await open('/playground');
      const variant = page.getByRole('region', { name: 'Variant A', exact: true });
      await button('Run Variant A').click();
      await variant.getByRole('alert').getByText('choose a model').waitFor();
      await variant.getByLabel('Model of Variant A').fill('openai/script-says');
      await variant.getByLabel('Text of message 1').fill('How is {{city}}?');
      await page.getByLabel('city').fill('Bern');
      await variant.getByText('Settings').click();
      await variant.getByLabel('temperature of Variant A').fill('0.5');
      await button('Run Variant A').click();
      await variant.getByText('In Bern it is sunny 🦄.').waitFor();
      await variant.getByText(/19 tokens/).waitFor();
      expect(models.asked().at(-1)?.body).to.deep.include({
        messages: [{ role: 'user', content: 'How is Bern?' }],
        ...{ temperature: 0.5, stream: true },
      });
      await page.reload();
      await variant.getByLabel('Text of message 1').waitFor();
      await holds(async () =>
        expect(await variant.getByLabel('Text of message 1').inputValue()).to.equal(
          'How is {{city}}?',
        ),
      );
    });

    it('tells what a provider refuses', async () => {
      const { page } = opened;
      await open('/playground');
      const variant = page.getByRole('region', { name: 'Variant A', exact: true });
      await variant.getByLabel('Model of Variant A').fill('claude-9');
      await button('Run Variant A').click();
      await variant.getByRole('alert').getByText('no key for provider anthropic').waitFor();
    });

    it('takes a version of a prompt, and keeps messages as one', async () => {
      const { page } = opened;
      await open(`/prompts/${sent.chat}`);
      await page.getByRole('link', { name: 'Try it' }).click();
      const variant = page.getByRole('region', { name: 'Variant A', exact: true });
      await variant.getByLabel('Text of message 2').waitFor();
      await holds(async () =>
        expect(await variant.getByLabel('Text of message 2').inputValue()).to.equal('{{question}}'),
      );
      await variant.getByLabel('Text of message 1').fill('Be very brief.');
      await button('Keep as a prompt: Variant A').click();
      await page
        .getByRole('form', { name: 'Keep as a prompt: Variant A' })
        .getByRole('button', { name: 'Keep it' })
        .click();
      await told('The messages are a version of the prompt now').waitFor();
      const stored = await readStored(screens, `prompts/${sent.chat}`);
      expect(stored['version_count']).to.equal(2);
    });

    it('runs variants side by side over a dataset, and leads to their comparison', async () => {
      const { page } = opened;
      await open(`/playground?prompt=${sent.chat}&dataset=${sent.dataset}`);
      const variant = page.getByRole('region', { name: 'Variant A', exact: true });
      // The prompt has been taken once the address names it no more; a draft of before may have as many messages.
      await page.waitForURL(({ searchParams }) => !searchParams.has('prompt'));
      await variant.getByLabel('Text of message 2').waitFor();
      await variant.getByLabel('Model of Variant A').fill('openai/script-says');
      await button('+ Variant').click();
      await page.getByLabel('Model of Variant B').fill('openai/script-short');
      await button('Fill in the newest item').click();
      await holds(async () =>
        expect(await page.getByLabel('question', { exact: true }).inputValue()).not.to.equal(''),
      );
      await button('Run all').click();
      await page
        .getByRole('region', { name: 'Answer of Variant B' })
        .getByText('In Bern')
        .waitFor();
      const rule = await addRule(screens);
      await page.getByLabel('Project of the traces').selectOption({ label: 'vision' });
      await page.getByLabel('What scores the answers').selectOption({ label: 'scored by judge' });
      await page.getByLabel('Name of the experiments').fill('tried');
      await button('Run over all items').click();
      await page.getByRole('heading', { name: 'tried Variant A and 1 more' }).waitFor();
      const rows = page
        .getByRole('region', { name: 'What is compared' })
        .getByRole('row')
        .filter({ hasText: 'completed' });
      await rows.nth(1).waitFor({ timeout: 40_000 });
      await told(`${sent.count} of ${sent.count} items`).waitFor();
      await holds(async () =>
        expect(await firstItem().textContent()).to.contain('In Bern it is sunny 🦄.'),
      );
      expect(
        await readUntil(screens, `automations/evaluators/${rule}/logs`, 'sent the trace'),
      ).to.equal(true);
      await page.getByText('Made with', { exact: true }).click();
      const made = page.getByRole('region', { name: 'What tried Variant B was made with' });
      await made.getByText('openai/script-short').waitFor();
      await made.getByRole('link', { name: /^asker/ }).click();
      await page.getByRole('heading', { name: 'asker', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Experiments with it' }).click();
      await rowOf('tried Variant A').waitFor();
    });
  });

  holdsForEverybody(
    () => screens,
    () => [
      screens.address('/experiments'),
      screens.address(compared()),
      screens.address(`${compared()}&peek=${sent.items[sent.lost]}&diff=on`),
      screens.address('/datasets'),
      screens.address(`/datasets/${sent.dataset}`),
      screens.address(`/datasets/${sent.dataset}?peek=1`),
      screens.address(`/datasets/${sent.dataset}?tab=versions`),
      screens.address(`/datasets/${sent.dataset}?tab=lineage`),
      screens.address('/prompts'),
      screens.address(`/prompts/${sent.prompt}`),
      screens.address(`/prompts/${sent.chat}`),
      screens.address(`/playground?prompt=${sent.chat}&dataset=${sent.dataset}`),
      screens.address('/providers'),
    ],
  );

  it('makes the browser complain of nothing', () => {
    // Of what was refused, is not there, or was no longer wanted.
    const usual = /40[049]|422|net::ERR_ABORTED|failed$/;
    expect(opened.complaints().filter((one) => !usual.test(one))).to.deep.equal([]);
  });
});
