// What is very large in one place: the output of a run, and what spans and tables hold in base64. The page shows of it what is looked at.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Page } from 'playwright-core';
import { becomes } from './becomes.js';
import { watchTasks, type TaskWatch } from './long-tasks.js';
import { picture } from './pictures.js';
import { openScreens, type Screens } from './signed-in.js';

const wire = '/opik/api/v1/private';
/** Batches of output, lines of each, and bytes of a line: 150 MB. */
const [batches, linesAtOnce, lineBytes] = [75, 20_000, 100];
const logged = batches * linesAtOnce;

describe('very large values in a browser', function () {
  this.timeout(180_000);
  let screens: Screens;
  let page: Page;
  let tasks: TaskWatch;
  before('start a server and a browser', async function () {
    screens = await openScreens(this, {
      count: 1,
      env: { ORRERY_THROTTLE_OUTPUT_PER_MINUTE: '0' },
    });
    page = (await screens.signIn({ width: 1400 })).page;
    tasks = await watchTasks(page);
  });
  after(async () => {
    await screens?.stop();
  });

  it('follows, searches and scrolls through 150 MB of output', async () => {
    const run = screens.runs[0]?.key ?? '';
    const print = (lines: readonly string[]) =>
      screens.ask('POST', '/api/rest/v2/write/experiment/output', {
        experimentKey: run,
        outputLines: lines.map((line) => ({ output: `${line}\n` })),
      });
    const line = 'x'.repeat(lineBytes - 1);
    for (let at = 0; at < batches; at++)
      await print([
        `batch ${at} begins`,
        ...Array.from({ length: linesAtOnce - 2 }, () => line),
        `batch ${at} ends`,
      ]);
    await page.goto(screens.address(`run/${run}/logs`));
    const log = page.getByRole('log');
    const status = page.getByRole('status');
    await status.getByText(/^1.500.000 lines$/).waitFor({ timeout: 60_000 });
    await log.getByText(`batch ${batches - 1} ends`).waitFor();
    await tasks.expectNone('the end of 150 MB of output');
    await print(['and on']);
    await log.getByText('and on').waitFor();
    await tasks.expectNone('what is written meanwhile');
    await page.getByLabel('Search the output').fill('batch 7');
    await page.getByLabel('Search the output').press('Enter');
    // Batches 7 and 70 to 74, each of which begins and ends.
    await status.getByText(/^12 of 1.500.001 lines$/).waitFor({ timeout: 60_000 });
    await tasks.expectNone('a search through it');
    await log.getByRole('button', { name: String(70 * linesAtOnce + 1), exact: true }).click();
    await log.getByText('batch 70 begins').waitFor();
    await log.getByText('batch 69 ends').waitFor();
    await tasks.expectNone('the way to a line that was found');
    await log.focus();
    await page.keyboard.press('Home');
    await log.getByText('batch 0 begins').waitFor();
    await log.evaluate((element) => {
      const of = element as unknown as { scrollTop: number; scrollHeight: number };
      of.scrollTop = of.scrollHeight / 2;
    }); // an element of the page
    await becomes(
      () => log.locator('.at').allTextContents(),
      (numbers) =>
        numbers.some((number) => Number(number) > logged * 0.4 && Number(number) < logged * 0.6),
    );
    expect(await log.locator('div > div > div').count()).to.be.below(150);
    await tasks.expectNone('its beginning and its middle');
  });

  it('shows a picture of megabytes that a model was given, and base64 that is none as text', async () => {
    const [width, height] = [1200, 900];
    const noise = randomBytes(width * height * 3);
    const seen = Buffer.from(
      picture(width, height, (x, y) => {
        const at = 3 * (y * width + x);
        return [noise[at] ?? 0, noise[at + 1] ?? 0, noise[at + 2] ?? 0];
      }),
    ).toString('base64');
    const sound = randomBytes(3_000_000).toString('base64');
    expect(seen.length).to.be.above(4_000_000);
    const [trace, span] = [v7(), v7()];
    const times = { start_time: new Date().toISOString(), end_time: new Date().toISOString() };
    const common = { project_name: 'vision', ...times };
    await screens.ask('POST', `${wire}/traces/batch`, {
      traces: [
        {
          ...{ id: trace, name: 'seeing', ...common },
          input: { sound },
          output: { sound },
          metadata: { sound },
        },
      ],
    });
    await screens.ask('POST', `${wire}/spans/batch`, {
      spans: [
        {
          ...{ id: span, trace_id: trace, name: 'look', type: 'llm', ...common },
          input: {
            messages: [
              {
                role: 'user',
                content: [
                  { type: 'text', text: 'What is it?' },
                  { type: 'image_url', image_url: { url: `data:image/png;base64,${seen}` } },
                ],
              },
            ],
          },
          output: { sound },
        },
      ],
    });
    await page.goto(screens.address('traces'));
    const row = page.getByRole('table', { name: 'Traces' }).getByRole('row').filter({
      hasText: 'seeing',
    });
    await row.waitFor();
    expect((await row.textContent())?.length).to.be.below(3000);
    await tasks.expectNone('a list with base64 by the megabyte');
    await page.goto(screens.address(`trace/${trace}?span=${span}`));
    const chosen = page.getByRole('region', { name: 'What is chosen' });
    await chosen.getByText('What is it?').waitFor();
    const image = chosen.locator('img').first();
    await image.waitFor();
    const wide = () =>
      image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth); // an element of the page
    await becomes(wide, (now) => now === width);
    await tasks.expectNone('a picture of megabytes, and base64 beside it');
    await chosen.getByRole('region', { name: 'Output' }).waitFor();
    expect((await chosen.textContent())?.length).to.be.below(20_000);
  });

  it('shows base64 by the megabyte in the cell of a logged table by its beginning', async () => {
    const run = screens.runs[0]?.key ?? '';
    const cell = randomBytes(1_500_000).toString('base64');
    await screens.upload(run, {
      ...{ name: 'pixels.csv', type: 'datagrid' },
      content: `name,pixels\none,${cell}\ntwo,short\n`,
    });
    await page.goto(screens.address(`run/${run}/media`));
    const table = page.getByRole('region', { name: 'pixels.csv' });
    await table.getByRole('row').filter({ hasText: 'short' }).waitFor();
    await table.getByText('… 1,999,000 more letters'.replaceAll(',', '\u202f')).waitFor();
    expect((await table.textContent())?.length).to.be.below(5000);
    await tasks.expectNone('a table with base64 by the megabyte');
  });
});
