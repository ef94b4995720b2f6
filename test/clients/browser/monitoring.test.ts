// The page of monitored models: health at a glance, a model's features beside its baseline, alerts, errors and files.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { holds } from './becomes.js';
import { axeFaults, type OpenedPage } from './browser.js';
import { openScreens, type Screens } from './signed-in.js';

const dayMs = 86_400_000;
const evil = '<img src=x onerror="globalThis.evil = 1">';

describe('monitored models in the browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let folder: string;
  const path = '/x/monitoring/models';

  /** Events of a fortnight: ages move up in its second week. */
  const events = (workspaceName: string, modelName: string) => {
    const begin = Math.floor(Date.now() / dayMs) * dayMs - 13 * dayMs;
    return Array.from({ length: 2800 }, (_, i) => {
      const day = Math.floor(i / 200);
      return {
        workspaceName,
        modelName,
        modelVersion: '1.0.0',
        predictionId: `${modelName}-${i}`,
        timestamp: begin + day * dayMs + (i % 200) * 1000,
        features: { age: 30 + (i % 20) + (day > 7 ? 15 : 0), country: ['NL', 'DE', evil][i % 3] },
        prediction: { value: i % 2 === 0 ? 'stays' : 'leaves' },
        ...(i % 4 === 0 ? { labels: { label: i % 8 === 0 ? 'stays' : 'leaves' } } : {}),
      };
    });
  };
  before('log events of two models', async function () {
    this.timeout(120_000);
    folder = await mkdtemp(join(tmpdir(), 'orrery-monitored-'));
    screens = await openScreens(this, { count: 1 });
    const { url, apiKey, workspace } = screens.server;
    const send = async (data: readonly object[]) =>
      (
        await fetch(`${url}/mpm/v2/events/batch`, {
          method: 'POST',
          headers: { authorization: apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ data }),
        })
      ).status;
    const all = events(workspace, 'churn');
    for (let at = 0; at < all.length; at += 700)
      expect(await send(all.slice(at, at + 700))).to.equal(200);
    expect(await send(events(workspace, `other ${evil}`).slice(0, 5))).to.equal(200);
    await send([
      { workspaceName: workspace, modelName: 'churn', modelVersion: '1.0.0', features: {} },
    ]);
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows the models of a workspace with their events, and leads to one of them', async () => {
    const { page } = opened;
    await page.goto(screens.address('/models'));
    await page.getByRole('link', { name: 'monitoring', exact: true }).click();

    const row = page.getByRole('row').filter({ hasText: 'churn' });
    await row.getByText('events come, nothing watches').waitFor();
    await row
      .getByText('1,600', { exact: false })
      .or(row.getByText('1,400', { exact: false }))
      .waitFor();
    await row.getByText('1 of 2, most of all age').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.getByRole('searchbox', { name: 'Find models by name' }).fill('nothing');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No model has nothing in its name.').waitFor();

    await page.goto(screens.address(path));
    await page.getByRole('button', { name: 'churn' }).click();
    await page.getByRole('heading', { name: 'churn' }).waitFor();
    await holds(() => expect(new URL(page.url()).searchParams.get('model')).to.match(/.+/));
  });

  it('asks once more, by a press beside it, for a figure that did not come', async () => {
    const { page } = opened;
    const rows = '**/model/numberOfPredictions';
    await page.route(rows, (route) => route.fulfill({ status: 500, json: { message: 'broken' } }));
    await page.goto(screens.address(path));
    const row = page.getByRole('row').filter({ hasText: 'churn' });
    await row.getByText('broken').waitFor();
    await page.unroute(rows);
    await row.getByRole('button', { name: 'Try again' }).click();
    await row.getByRole('img', { name: /^events of churn by day/ }).waitFor();
    await row.getByText('broken').waitFor({ state: 'detached' });
  });

  it('shows the features of a model, and one of them beside its baseline, at an address of its own', async () => {
    const { page } = opened;
    await page.goto(screens.address(path));
    await page.getByRole('button', { name: 'churn' }).click();
    await page.getByRole('row').filter({ hasText: 'age' }).getByText('beyond chance').waitFor();
    await page.getByRole('row').filter({ hasText: 'country' }).getByText('within chance').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);

    await page.getByRole('button', { name: 'age', exact: true }).click();
    await page.getByRole('img', { name: /^Values: .* before, .* now/ }).waitFor();
    await page.getByRole('img', { name: /^Drift by PSI/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'age' }).waitFor();
    await page.getByText(/values now, .* in the baseline/).waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.goBack();
    await page.getByRole('row').filter({ hasText: 'country' }).first().waitFor();
    expect(await page.evaluate(() => 'evil' in globalThis)).to.equal(false);
  });

  it('shows performance with the share of events that have their label', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'performance' }).click();

    await page.getByText(/700 of 2,800 events have their label, 25%/).waitFor();
    await page.getByRole('row').filter({ hasText: 'accuracy' }).first().waitFor();
    await page.getByRole('img', { name: /^Label coverage by day/ }).waitFor();
  });

  it('has a model watched, says what that would have told, and mutes it', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'alerts' }).click();
    await page.getByText('Nothing watches this model yet.').waitFor();
    await page.getByRole('button', { name: 'drift of the model' }).click();
    const row = page.getByRole('row').filter({ hasText: 'drift of the model' });
    await row.getByRole('button', { name: 'Preview' }).click();
    await row.getByText(/in the last week \d+ of \d+ windows would have told/).waitFor();
    await row.getByRole('button', { name: 'Mute for a day' }).click();
    await row.getByText(/^muted until/).waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await row.getByRole('button', { name: 'Unmute' }).click();
    await row.getByRole('button', { name: 'Mute for a day' }).waitFor();
  });

  it('draws a metric in SQL at an address of its own, says what is wrong with one, and has it watched', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'metrics' }).click();
    const sql = page.getByLabel('One value of the events of a day');
    await sql.fill('WITH m AS (SELECT age FROM model) SELECT max(age) - min(age) FROM m');
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByRole('img', { name: /^The metric by day: from 0 to 19, last 19/ }).waitFor();
    await holds(() => expect(new URL(page.url()).searchParams.get('sql')).to.match(/^WITH m/));
    expect(await axeFaults(page)).to.deep.equal([]);

    await sql.fill('SELECT max(ages) FROM model');
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('the model has no column ages, at position 12').waitFor();
    await page.goBack();
    await page.getByRole('img', { name: /^The metric by day/ }).waitFor();
    await page.getByLabel('Number').fill('100');
    await page.getByRole('button', { name: 'Watch it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'WITH m AS' });
    await row.getByText('custom metric').waitFor();
  });

  it('says what was refused, and takes a file', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'segments' }).click();
    await page.getByText(/No segment is named yet/).waitFor();
    await page.getByLabel('Name of a segment').fill('the Dutch');
    await page.getByLabel('Its events').fill("country = 'NL'");
    await page.getByRole('button', { name: 'Name it' }).click();
    const segment = page.getByRole('row').filter({ hasText: 'the Dutch' });
    await segment.getByText('934').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'baselines' }).click();
    await page.getByText(/^Compared with a span of the past/).waitFor();
    await page.getByLabel('A baseline of').selectOption('all but a segment');
    const dayAt = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
    await page.getByLabel('From').fill(dayAt(13));
    await page.getByLabel('To').fill(dayAt(0));
    await page.getByLabel('Segment', { exact: true }).selectOption('the Dutch');
    await page.getByLabel('Its name').fill('the others');
    await page.getByRole('button', { name: 'Make it', exact: true }).click();
    const others = page.getByRole('row').filter({ hasText: 'the others' });
    await others.getByText('1,866').waitFor();
    await others.getByRole('button', { name: 'Make it the usual one' }).click();
    await page.getByText('Compared with the others').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
    await others.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No baseline was made or uploaded yet.').waitFor();
    await page.getByRole('button', { name: 'lineage' }).click();
    await page.getByText('not in the registry as churn').waitFor();
    await page.getByRole('button', { name: 'errors' }).click();
    await page
      .getByText(/Nothing was refused|The newest/)
      .first()
      .waitFor();

    const file = join(folder, 'events.csv');
    await writeFile(
      file,
      'prediction_id,feature_age,feature_country,prediction_value\nf1,33,NL,stays\nf2,34,DE,leaves\n',
    );
    await page.getByRole('button', { name: 'upload' }).click();
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('events.csv is stored.').waitFor();
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('fits a telephone', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(screens.address(path));
    await page.getByRole('button', { name: 'churn' }).waitFor();
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));

    expect(wide).to.be.at.most(390);
    expect(await axeFaults(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  it('says what is wrong where a model is not there', async () => {
    const { page } = opened;
    await page.goto(`${screens.address(path)}?model=00000000-0000-4000-8000-000000000000`);
    await page.locator('monitored-models .fault').waitFor();
  });
});
