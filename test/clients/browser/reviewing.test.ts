// The pages of annotation queues, evaluators and alerts.
import { expect } from 'chai';
import { startJudgeServer, type JudgeServer } from '#test/core/automations/judge-server';
import { holds } from './becomes.js';
import { startReceiver, type Receiver } from '#test/clients/receiver';
import { axeFaults, overflows, type OpenedPage } from './browser.js';
import { agreeTo, letGo } from './deleting.js';
import { holdsForEverybody } from './faultless.js';
import {
  askAs,
  listStored,
  longName,
  scoresOf,
  sendReviews,
  viewerPassword,
  type SentReviews,
} from './reviewing-data.js';
import { openScreens, type Screens } from './signed-in.js';
import { markup } from './trace-data.js';

describe('the pages of annotation queues, evaluators and alerts in a browser', function () {
  this.timeout(60_000);
  let screens: Screens;
  let sent: SentReviews;
  let models: JudgeServer;
  let receiver: Receiver;
  let opened: OpenedPage;
  before('start a server and a browser, and send traces', async function () {
    screens = await openScreens(this, {
      count: 1,
      env: {
        ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
        ORRERY_ALERT_EVENTS_SECONDS: '1',
        ORRERY_ALERT_WINDOW_SECONDS: '1',
      },
    });
    models = await startJudgeServer({
      judge: () => JSON.stringify({ Quality: { score: 0.25, reason: 'because it is short' } }),
      broken: () => 400,
    });
    receiver = await startReceiver();
    sent = await sendReviews(screens, models.url);
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
    await models?.stop();
    await receiver?.stop();
  });
  const open = (place: string) => opened.page.goto(screens.address(place));
  const rowOf = (name: string) => opened.page.getByRole('row').filter({ hasText: name });
  const told = (text: string | RegExp) => opened.page.getByRole('status').getByText(text);
  const button = (name: string) => opened.page.getByRole('button', { name, exact: true });
  const dialogForm = (name: string) => opened.page.getByRole('form', { name });

  describe('annotation queues', () => {
    const pane = () => opened.page.getByRole('complementary', { name: 'Score the item' });
    const shown = () => opened.page.getByRole('region', { name: 'The item' });
    const queueCalled = async (name: string) => {
      const found = (await listStored(screens, 'annotation-queues?size=100')).find(
        (one) => one['name'] === name,
      );
      if (found === undefined) throw new Error(`there is no queue ${name}`);
      return found;
    };
    const openQueue = async (name: string) =>
      open(`/queues/${String((await queueCalled(name))['id'])}`);

    it('say how the first one comes to be', async () => {
      const { page } = opened;
      await page.goto(screens.address('traces'));
      await page
        .getByRole('navigation', { name: 'Parts of the project' })
        .getByRole('link', { name: 'queues' })
        .click();
      await page.getByText('No queue yet. Make one').waitFor();
      await holds(() => expect(new URL(page.url()).search).to.equal('?project=vision'));
    });

    it('ask for scores that are defined beside them', async () => {
      const { page } = opened;
      await open('/queues');
      await button('New score').click();
      const form = dialogForm('New score');
      await form.getByLabel('Name').fill('Tone');
      await form.getByRole('textbox', { name: 'Categories' }).fill('rude');
      await form.getByRole('button', { name: 'Define it' }).click();
      await form.getByRole('alert').getByText('“rude” is no category with a number').waitFor();
      await form.getByRole('textbox', { name: 'Categories' }).fill('rude = 0\nkind = 1');
      await form.getByRole('button', { name: 'Define it' }).click();
      await rowOf('Tone').getByText('rude 0, kind 1').waitFor();
      await agreeTo(page, 'Delete the score Tone');
      await letGo(page, 'The score Tone');
      await rowOf('Tone').waitFor({ state: 'detached' });
      expect(await listStored(screens, 'feedback-definitions?name=Tone')).to.deep.equal([]);
    });

    it('are made with a rubric and scores, and changed', async () => {
      await open('/queues?project=vision');
      await button('New queue').click();
      const form = dialogForm('New queue');
      await form.getByLabel('Name', { exact: true }).fill('refunds');
      await form.getByLabel('Instructions').fill('Look at the **answer**.');
      for (const name of ['Helpful', 'Grounded']) await form.getByLabel(name).check();
      await form.getByRole('button', { name: 'Make it' }).click();
      await rowOf('refunds').getByText('0 of 0').waitFor();
      await button('Change the queue refunds').click();
      const change = dialogForm('Change the queue refunds');
      await change.getByLabel('Stars').check();
      await change.getByLabel('What it is for').fill('of this week');
      await change.getByRole('button', { name: 'Save' }).click();
      await rowOf('refunds').getByText('of this week').waitFor();
      expect(await queueCalled('refunds')).to.deep.include({
        ...{ scope: 'trace', project_name: 'vision', comments_enabled: true },
        instructions: 'Look at the **answer**.',
        feedback_definition_names: ['Grounded', 'Helpful', 'Stars'],
        lock_timeout_seconds: 300,
      });
      await openQueue('refunds');
      await opened.page.getByText('Nothing is in this queue yet.').waitFor();
    });

    it('take what is scored so by itself, by conditions that are written and changed in the form', async () => {
      const { page } = opened;
      await open('/queues?project=vision');
      await button('New queue').click();
      const form = dialogForm('New queue');
      await form.getByLabel('Name', { exact: true }).fill('by itself');
      await form.getByLabel('Add what is scored so').check();
      await form.getByLabel('Score of condition 1 of group 1').fill('Odd');
      await form.getByRole('button', { name: 'Make it' }).click();
      await form.getByRole('alert').getByText('the number that Odd is compared with').waitFor();
      await form.getByLabel('Value of condition 1 of group 1').fill('0.5');
      await form.getByRole('button', { name: '+ Condition in group 1' }).click();
      await form.getByLabel('Score of condition 2 of group 1').fill('Sure');
      await form.getByLabel('Comparison of condition 2 of group 1').selectOption('above');
      await form.getByLabel('Value of condition 2 of group 1').fill('0.9');
      await form.getByRole('button', { name: '+ Group' }).click();
      await form.getByLabel('Score of condition 1 of group 2').fill('Flagged');
      await form.getByLabel('Comparison of condition 1 of group 2').selectOption('exactly');
      await form.getByLabel('Value of condition 1 of group 2').fill('1');
      await form.getByLabel('until the queue holds').fill('2');
      await form.getByRole('button', { name: 'Make it' }).click();
      await rowOf('by itself').getByText('0 of 0').waitFor();
      const condition = (score_name: string, operator: string, value: number) => ({
        ...{ score_name, operator, value },
      });
      expect((await queueCalled('by itself'))['automation']).to.deep.equal({
        enabled: true,
        conditions: {
          groups: [
            { conditions: [condition('Odd', '<', 0.5), condition('Sure', '>', 0.9)] },
            { conditions: [condition('Flagged', '=', 1)] },
          ],
        },
        max_items_in_queue: 2,
      });
      await button('Change the queue by itself').click();
      const change = dialogForm('Change the queue by itself');
      await change.getByRole('button', { name: 'Remove condition 1 of group 2' }).click();
      await change.getByRole('button', { name: 'Remove condition 2 of group 1' }).click();
      await holds(async () =>
        expect(await change.getByRole('button', { name: /^Remove condition/ }).count()).to.equal(0),
      );
      await change.getByLabel('Value of condition 1 of group 1').fill('0.25');
      await change.getByLabel('until the queue holds').fill('');
      await change.getByRole('button', { name: 'Save' }).click();
      await change.waitFor({ state: 'detached' });
      expect((await queueCalled('by itself'))['automation']).to.deep.equal({
        enabled: true,
        conditions: { groups: [{ conditions: [condition('Odd', '<', 0.25)] }] },
      });
      for (const [id, value] of [
        [sent.agent, 0.1],
        [sent.hostile, 0.4],
      ] as const)
        await screens.ask('PUT', `/v1/private/traces/${id}/feedback-scores`, {
          ...{ name: 'Odd', value, source: 'sdk' },
        });
      await page.reload();
      await rowOf('by itself').getByText('0 of 1').waitFor();
      for (const id of [sent.agent, sent.hostile])
        await screens.ask('POST', `/v1/private/traces/${id}/feedback-scores/delete`, {
          name: 'Odd',
        });
      await button('Change the queue by itself').click();
      await dialogForm('Change the queue by itself').getByLabel('Add what is scored so').uncheck();
      await dialogForm('Change the queue by itself').getByRole('button', { name: 'Save' }).click();
      await dialogForm('Change the queue by itself').waitFor({ state: 'detached' });
      expect((await queueCalled('by itself'))['automation']).to.deep.include({ enabled: false });
      await agreeTo(page, 'Delete the queue by itself');
      await rowOf('by itself').getByText('being deleted').waitFor();
      await letGo(page, 'The queue by itself');
      await rowOf('by itself').waitFor({ state: 'detached' });
    });

    it('take traces that are selected in their list', async () => {
      const { page } = opened;
      await page.goto(screens.address('traces'));
      const list = page.getByRole('table', { name: 'Traces' });
      for (let at = 0; at < 5; at++) await list.locator('.row[data-key] input').nth(at).click();
      await button('Add to a queue').click();
      const form = dialogForm('Add to a queue');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await form.getByRole('alert').getByText('choose a queue').waitFor();
      await form.locator('select').selectOption({ label: 'refunds' });
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await told('5 traces added').waitFor();
      expect((await queueCalled('refunds'))['items_count']).to.equal(5);
    });

    const itemNow = async (): Promise<string> => {
      const link = await shown().getByRole('link').first().getAttribute('href');
      return link?.split('/').at(-1) ?? '';
    };

    it('are reviewed by keyboard alone, with progress and a way back', async () => {
      const { page } = opened;
      await openQueue('refunds');
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      await page.getByRole('region', { name: 'Instructions' }).locator('strong').waitFor();
      const first = await itemNow();
      await page.keyboard.press('1');
      await page.keyboard.press('3');
      await page.keyboard.press('4');
      await holds(async () =>
        expect(await pane().getByLabel('Stars', { exact: true }).inputValue()).to.equal('4'),
      );
      await holds(async () =>
        expect(
          await pane().getByRole('button', { name: 'yes' }).getAttribute('aria-pressed'),
        ).to.equal('true'),
      );
      await page.keyboard.press('Enter');
      await told('item 2 of 5').waitFor();
      await page.getByText('1 of 5').first().waitFor();
      expect(await scoresOf(screens, first, 'admin')).to.deep.equal({
        ...{ Helpful: 1, Grounded: 1, Stars: 4 },
      });
      await page.keyboard.press('s');
      await told('item 3 of 5').waitFor();
      await page.keyboard.press('ArrowLeft');
      await told('item 2 of 5').waitFor();
      await page.keyboard.press('u');
      await told('What you gave is taken back').waitFor();
      await told('item 1 of 5').waitFor();
      expect(await scoresOf(screens, first, 'admin')).to.deep.equal({});
      await page.getByText('0 of 5').first().waitFor();
    });

    it('keep fields apart by arrows, and take sliders, reasons and comments', async () => {
      const { page } = opened;
      await openQueue('refunds');
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      const at = await itemNow();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('2');
      await pane().getByLabel('Stars, by a slider').fill('2');
      await pane().getByLabel('Why Helpful').fill(markup);
      await page.keyboard.press('Escape');
      await shown().getByRole('textbox', { name: 'Comment' }).fill('odd one');
      await shown().getByRole('textbox', { name: 'Comment' }).press('Control+Enter');
      await shown().getByText('odd one').waitFor();
      await button('Done and next ⏎').click();
      await told('Scored').waitFor();
      expect(await scoresOf(screens, at, 'admin')).to.deep.equal({ Helpful: 0.5, Stars: 2 });
      await page.keyboard.press('ArrowLeft');
      await pane().getByText('You scored this item').waitFor();
      await holds(async () =>
        expect(await pane().getByLabel('Why Helpful').inputValue()).to.equal(markup),
      );
      expect(await page.title()).not.to.equal('run');
    });

    it('tell their keys, and leave letters that are written to the field', async () => {
      const { page } = opened;
      await openQueue('refunds');
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      const at = await itemNow();
      const why = pane().getByLabel('Why Helpful');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('1');
      await why.click();
      await page.keyboard.type('s1u?');
      await holds(async () => expect(await why.inputValue()).to.equal('s1u?'));
      await page.keyboard.press('ArrowLeft');
      expect(await itemNow()).to.equal(at);
      expect(await scoresOf(screens, at, 'admin')).to.deep.equal({});
      await why.fill('');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('the score').first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    it('say who has an item and until when, and give it once it is free', async () => {
      const { page } = opened;
      const { id } = await queueCalled('refunds');
      await openQueue('refunds');
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      await told('item 2 of 5').waitFor();
      await page.keyboard.press('ArrowRight');
      await told('item 3 of 5').waitFor();
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      const third = await itemNow();
      await page.keyboard.press('ArrowRight');
      await told('item 4 of 5').waitFor();
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      const lock = `annotation-queues/${String(id)}/items/${third}/lock`;
      // Released when one went on, so that she gets it.
      expect(await askAs(screens, sent.ann, 'PUT', lock)).to.include({ acquired: true });
      await page.keyboard.press('ArrowLeft');
      await pane().getByRole('alert').getByText('ann looks at this item, until').waitFor();
      await holds(async () =>
        expect(await pane().getByRole('button', { name: 'yes' }).isDisabled()).to.equal(true),
      );
      await askAs(screens, sent.ann, 'DELETE', lock);
      await button('Try again').click();
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
    });

    it('say that an item has been scored by as many as are asked for', async () => {
      const { page } = opened;
      const { id } = await queueCalled('refunds');
      await openQueue('refunds');
      await told('item 2 of 5').waitFor();
      const second = await itemNow();
      await open('/queues');
      await askAs(screens, sent.ann, 'PUT', 'traces/feedback-scores', {
        scores: [{ id: second, project_id: sent.projectId, name: 'Stars', value: 1, source: 'ui' }],
      });
      await page.reload();
      await rowOf('refunds').getByText('ann 1').waitFor();
      await open(`/queues/${String(id)}?item=${second}`);
      await pane().getByRole('alert').getByText('As many people as are asked for').waitFor();
    });

    it('let an item be taken out', async () => {
      await openQueue('refunds');
      await told(/^item \d of 5/).waitFor();
      await button('Take it out of the queue').click();
      await told('The item is no longer in the queue').waitFor();
      expect((await queueCalled('refunds'))['items_count']).to.equal(4);
    });

    it('show threads as conversations, and store what is thought of them', async () => {
      const { page } = opened;
      await page.goto(screens.address('threads'));
      await page.getByLabel('Select thread/one').check();
      await button('Add to a queue').click();
      const form = dialogForm('Add to a queue');
      await form.getByLabel('Name of the new one').fill('talks');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await told('1 thread added').waitFor();
      await openQueue('talks');
      await page.getByText('This queue asks for no scores.').waitFor();
      await button('Change the queue talks').click();
      const change = dialogForm('Change the queue talks');
      await change.getByLabel('Helpful').check();
      await change.getByRole('button', { name: 'Save' }).click();
      await shown().getByRole('list', { name: 'Turns' }).getByText('answer 0').waitFor();
      await pane()
        .getByText(/^Yours until/)
        .waitFor();
      await pane().getByRole('button', { name: 'partly' }).waitFor();
      await page.keyboard.press('2');
      // The button that opened the dialog has the focus, and keeps its own Enter.
      await page.keyboard.press('Control+Enter');
      await told('Scored').waitFor();
      await page.getByText('Every item is scored by you').waitFor();
      const thread = await screens.ask('POST', '/opik/api/v1/private/traces/threads/retrieve', {
        ...{ project_name: 'vision', thread_id: 'thread/one' },
      });
      expect(JSON.stringify(thread['feedback_scores'])).to.contain('"category_name":"partly"');
      await page.keyboard.press('u');
      await told('What you gave is taken back').waitFor();
    });

    it('are shown without a way to change anything to who may look only', async () => {
      const { id } = await queueCalled('refunds');
      const { page } = opened;
      await page.context().clearCookies();
      await page.goto(screens.address('/queues'));
      await page.getByLabel('User name or e-mail').fill('vic');
      await page.getByLabel('Password').fill(viewerPassword);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await rowOf('refunds').waitFor();
      for (const name of ['New queue', 'New score', 'Change the queue refunds'])
        expect(await button(name).count()).to.equal(0);
      await open(`/queues/${String(id)}`);
      await pane().getByText('You may look at what is here').waitFor();
      expect(await button('Skip s').count()).to.equal(0);
      await opened.context.close();
      opened = await screens.signIn();
    });

    it('say where one is not there, and show a long name as text', async () => {
      await open('/queues/01a210d9-84a3-70a6-896c-ccc39f409959');
      await opened.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      await screens.ask('POST', '/opik/api/v1/private/annotation-queues', {
        ...{ project_id: sent.projectId, name: longName, scope: 'trace' },
      });
      await openQueue(longName);
      await opened.page.getByRole('heading', { name: longName }).waitFor();
      expect(await opened.page.title()).not.to.equal('run');
    });
  });

  describe('evaluators', () => {
    const tried = () => opened.page.getByRole('region', { name: 'Try it' });
    const log = () => opened.page.getByRole('region', { name: 'Log' });
    const rules = () => listStored(screens, 'automations/evaluators?size=100');
    const openRule = async (name: string) => {
      const found = (await rules()).find((one) => one['name'] === name);
      await open(`/evaluators/${String(found?.['id'])}`);
    };

    it('say what the first one is for, and begin with what a judge needs', async () => {
      const { page } = opened;
      await open('/evaluators?project=vision');
      await page.getByText('No evaluator yet.').waitFor();
      await page.getByRole('link', { name: 'New evaluator' }).click();
      await page.getByLabel('Text of message 1').waitFor();
      await holds(async () => expect(await page.getByLabel('vision').isChecked()).to.equal(true));
      await holds(async () =>
        expect(await page.getByLabel('output is').inputValue()).to.equal('output'),
      );
      await button('Make it').click();
      await page.getByRole('alert').getByText('give the rule a name').waitFor();
    });

    it('are tried on traces before they are made, and store nothing then', async () => {
      const { page } = opened;
      await page.getByLabel('Name of the rule').fill('strict');
      await page.getByLabel('Model', { exact: true }).fill('custom-llm/bench/judge');
      await page.getByLabel('Name of score 1').fill('Quality');
      await tried()
        .getByRole('checkbox', { name: /agent ·/ })
        .check();
      await button('Try it on 1').click();
      await tried().getByText('Quality 0.25').waitFor();
      await tried().getByText('because it is short', { exact: true }).waitFor();
      await tried().getByText('What was sent and answered').click();
      await tried().getByText('on its way').first().waitFor();
      await page.getByLabel('Model', { exact: true }).fill('custom-llm/bench/broken');
      await button('Try it on 1').click();
      await tried().locator('.fault').first().waitFor();
      expect(await scoresOf(screens, sent.agent, 'admin')).to.deep.equal({});
    });

    it('are made with a share and filters, and switched off and on', async () => {
      const { page } = opened;
      await page.getByLabel('Model', { exact: true }).fill('custom-llm/bench/judge');
      await page.getByLabel('Share that is scored').fill('7');
      await button('+ Filter').click();
      const filter = page.getByRole('dialog', { name: 'Filter' });
      await filter.getByLabel('Value').fill('no-such-name');
      await filter.getByRole('button', { name: 'Apply' }).click();
      await button('Make it').click();
      await rowOf('strict').getByText('✓ on').waitFor();
      await button('Switch off strict').click();
      await rowOf('strict').getByText('off', { exact: true }).waitFor();
      const [stored] = await rules();
      expect(stored).to.deep.include({
        ...{ name: 'strict', enabled: false, sampling_rate: 0.07, type: 'llm_as_judge' },
      });
      expect(JSON.stringify(stored?.['filters'])).to.contain('no-such-name');
      await holds(async () =>
        expect(await rowOf('strict').textContent()).to.contain('name contains no-such-name'),
      );
    });

    it('are changed, and score for good what is chosen, which the log tells', async () => {
      const { page } = opened;
      await openRule('strict');
      await page.getByLabel('Text of message 1').fill('Rate {{output}} for {{who}}');
      await page.getByLabel('who is').fill('metadata.user.id');
      await button('Save').click();
      await told('The evaluator is saved').waitFor();
      await tried()
        .getByRole('checkbox', { name: /agent ·/ })
        .check();
      await button('Score them for good').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Score them for good' }).click();
      await told('They will be scored').waitFor();
      const line = log().getByText(/^Scores of the trace .* were stored: Quality = 0.25/);
      for (let tries = 0; tries < 40 && (await line.count()) === 0; tries++) {
        await button('Look again').click();
        await page.waitForTimeout(250);
      }
      await page.getByLabel('Level').selectOption('ERROR');
      await page.getByText('No line of this level.').waitFor();
      await page.getByLabel('Level').selectOption('');
      await log().getByRole('link', { name: 'trace →' }).first().click();
      await page.getByRole('region', { name: 'Scores' }).getByText('because it is short').waitFor();
      const [stored] = await rules();
      expect(JSON.stringify(stored?.['code'])).to.contain('"who":"metadata.user.id"');
    });

    it('in Python are kept, and say where they are not run', async () => {
      const { page } = opened;
      await open('/evaluators/new?project=vision');
      await page.getByLabel('What it does').selectOption('user_defined_metric_python');
      await page.getByText('This server runs no Python metrics').waitFor();
      await page.getByLabel('Name of the rule').fill('metric');
      await page.getByLabel('Name of a parameter').fill('context');
      await button('+ Parameter').click();
      await page.getByLabel('context is').fill('metadata');
      await tried()
        .getByRole('checkbox', { name: /agent ·/ })
        .check();
      await button('Try it on 1').click();
      await tried().getByText('this server runs no Python metrics').waitFor();
      await button('Make it').click();
      await rowOf('metric').waitFor();
      const stored = (await rules()).find((one) => one['name'] === 'metric');
      expect(stored?.['code']).to.deep.include({
        arguments: { input: 'input', output: 'output', context: 'metadata' },
      });
      await agreeTo(page, 'Delete the evaluator metric');
      await letGo(page, 'The evaluator metric');
      await rowOf('metric').waitFor({ state: 'detached' });
    });

    it('of threads judge conversations', async () => {
      const { page } = opened;
      await open('/evaluators/new?project=vision');
      await page.getByLabel('What it does').selectOption('trace_thread_llm_as_judge');
      await page.getByLabel('Model', { exact: true }).fill('custom-llm/bench/judge');
      await tried()
        .getByRole('checkbox', { name: /thread\/one ·/ })
        .check();
      await button('Try it on 1').click();
      await tried().getByText('Quality 0.25').waitFor();
    });

    it('say where one is not there', async () => {
      await open('/evaluators/01a210d9-84a3-70a6-896c-ccc39f409959');
      await opened.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    });
  });

  describe('alerts', () => {
    const alerts = () => listStored(screens, 'alerts?size=100');
    const openAlert = async (name: string) => {
      const found = (await alerts()).find((one) => one['name'] === name);
      await open(`/alerts/${String(found?.['id'])}`);
    };

    it('say what the first one is for, and refuse what cannot be sent', async () => {
      const { page } = opened;
      await page.goto(screens.address('traces'));
      await page
        .getByRole('navigation', { name: 'Parts of the project' })
        .getByRole('link', { name: 'alerts' })
        .click();
      await page.getByText('No alert yet.').waitFor();
      await page.getByRole('link', { name: 'New alert' }).click();
      await page.getByLabel('Name of the alert').fill('failures');
      await button('Make it').click();
      await page.getByRole('alert').getByText('write the address that is told').waitFor();
      await page.getByLabel('Channel').selectOption('teams');
      await page.getByLabel('Address').fill('https://example.org/hook');
      await button('Make it').click();
      await page.getByRole('alert').getByText('this is no address of a workflow').waitFor();
      await page.getByLabel('Channel').selectOption('pagerduty');
      await button('Make it').click();
      await page.getByRole('alert').getByText('PagerDuty needs a routing key').waitFor();
    });

    it('are held against what is stored while they are written', async () => {
      const { page } = opened;
      const figures = page.getByRole('region', { name: 'Figures and thresholds' });
      await figures
        .getByText('2 ✓ does not tell')
        .or(figures.getByText('1 ✓ does not tell'))
        .waitFor();
      await page.getByLabel('Threshold', { exact: true }).fill('0.5');
      await figures.getByText('✗ tells').waitFor();
    });

    it('send a test, and tell where it was not taken', async () => {
      const { page } = opened;
      await page.getByLabel('Channel').selectOption('general');
      await page.getByLabel('Address').fill(`${receiver.url}/taken`);
      await page.getByLabel('Token', { exact: true }).fill('a-token-of-the-room');
      await button('Send a test').click();
      await page.getByText('✓ it was taken').waitFor();
      const [got] = receiver.got('/taken');
      expect(got?.json).to.include({ eventType: 'trace:errors' });
      expect(got?.headers.authorization).to.equal('Bearer a-token-of-the-room');
      receiver.answer('/broken', () => ({ status: 500 }));
      await page.getByLabel('Address').fill(`${receiver.url}/broken`);
      await button('Send a test').click();
      await page.getByText('✗ it was not taken, status 500').waitFor();
      await page.getByText('An example of trace:errors').click();
      await page.getByText('Sample project').first().waitFor();
    });

    it('are made with thresholds that go together, and keep their secrets', async () => {
      const { page } = opened;
      await page.getByLabel('Address').fill(`${receiver.url}/told`);
      await page.getByLabel('Tell of more').selectOption('trace:feedback_score');
      const first = page.getByRole('group', { name: /^a score of traces.*condition 1$/ });
      await first.getByLabel('Name of the score').fill('helpful');
      await button('Add a condition for a score of traces, on average').click();
      const second = page.getByRole('group', { name: /^a score of traces.*condition 2$/ });
      await second.getByLabel('Name of the score').fill('quick');
      await second.getByLabel(/goes with the one above/).selectOption('and');
      await second.getByLabel('Window').selectOption('86400');
      await page.getByLabel('Tell of more').selectOption('prompt:created');
      await button('Make it').click();
      await rowOf('failures').getByText('✓ on').waitFor();
      await openAlert('failures');
      expect(await page.content()).not.to.contain('a-token-of-the-room');
      await button('Save').click();
      await told('The alert is saved').waitFor();
      const [stored] = await alerts();
      const triggers = stored?.['triggers'] as readonly Readonly<Record<string, unknown>>[]; // as the row says
      expect(triggers.map((one) => one['event_type'])).to.have.members([
        ...['trace:errors', 'trace:feedback_score', 'prompt:created'],
      ]);
      const scores = triggers.find((one) => one['event_type'] === 'trace:feedback_score');
      const configs = scores?.['trigger_configs'] as readonly Readonly<Record<string, unknown>>[]; // likewise
      expect(configs.filter(({ type }) => type === 'threshold:feedback_score')).to.have.length(2);
      const groups = configs.flatMap(({ group_index: group }) => group ?? []);
      expect(groups).to.deep.equal([0, 0]);
      await button('Send a test').click();
      await page.getByText('✓ it was taken').waitFor();
      expect(receiver.got('/told').at(-1)?.headers.authorization).to.equal(
        'Bearer a-token-of-the-room',
      );
    });

    it('show what they have told, and whether it was delivered', async function () {
      this.timeout(90_000);
      const { page } = opened;
      await screens.ask('POST', '/opik/api/v1/private/prompts', {
        ...{ name: 'greeting', template: 'Hello', project_id: sent.projectId },
      });
      await openAlert('failures');
      const firings = page.getByRole('region', { name: 'What it has told' });
      for (let tries = 0; tries < 60; tries++) {
        await button('Look again').click();
        if ((await firings.getByText('✓ delivered').count()) > 0) break;
        await page.waitForTimeout(1000);
      }
      await firings.getByText('a prompt was made').waitFor();
      await firings.getByText('✓ delivered').waitFor();
      expect(receiver.got('/told').at(-1)?.json).to.include({ eventType: 'prompt:created' });
    });

    it('are muted, switched on and deleted', async () => {
      const { page } = opened;
      await open('/alerts?project=vision');
      await button('Mute failures').click();
      await rowOf('failures').getByText('mute', { exact: true }).waitFor();
      expect((await alerts())[0]).to.include({ enabled: false });
      await button('Switch on failures').click();
      await rowOf('failures').getByText('✓ on').waitFor();
      await screens.ask('POST', '/opik/api/v1/private/alerts', {
        name: longName.slice(0, 250),
        webhook: { url: receiver.url },
      });
      await open('/alerts');
      const long = longName.slice(0, 250).trim();
      await agreeTo(page, `Delete the alert ${long}`);
      await letGo(page, `The alert ${long}`);
      expect(await alerts()).to.have.length(1);
    });

    it('say where one is not there', async () => {
      await open('/alerts/01a210d9-84a3-70a6-896c-ccc39f409959');
      await opened.page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    });
  });

  describe('with all of it there', () => {
    holdsForEverybody(
      () => screens,
      () =>
        [
          '/queues',
          '/queues?project=vision',
          '/evaluators',
          '/evaluators/new?project=vision',
          '/alerts',
          '/alerts/new?project=vision',
        ].map((place) => screens.address(place)),
      async ({ page }) => {
        for (const { id } of await listStored(screens, 'alerts?size=100')) {
          await page.goto(screens.address(`/alerts/${String(id)}`));
          await page.getByRole('region', { name: 'Figures and thresholds' }).waitFor();
          await page.getByRole('region', { name: 'Firings' }).waitFor();
          expect([id, await axeFaults(page), await overflows(page)]).to.deep.equal([id, [], false]);
        }
        const rules = await listStored(screens, 'automations/evaluators?size=100');
        for (const { id } of rules) {
          await page.goto(screens.address(`/evaluators/${String(id)}`));
          await page.getByRole('region', { name: 'Log' }).getByRole('table').waitFor();
          expect([id, await axeFaults(page), await overflows(page)]).to.deep.equal([id, [], false]);
        }
        const queues = await listStored(screens, 'annotation-queues?size=100');
        for (const { id } of queues) {
          await page.goto(screens.address(`/queues/${String(id)}`));
          await page.getByText('loading …').first().waitFor({ state: 'detached' });
          expect([id, await axeFaults(page), await overflows(page)]).to.deep.equal([id, [], false]);
        }
      },
    );

    it('makes the browser complain of nothing', () => {
      // Of what was refused, is not there, or was no longer wanted.
      const usual = /40[0149]|422|net::ERR_ABORTED|failed$/;
      expect(opened.complaints().filter((one) => !usual.test(one))).to.deep.equal([]);
    });
  });
});
