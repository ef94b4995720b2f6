import { expect } from 'chai';
import { holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { letGo, takeBack } from './deleting.js';
import { picture } from './pictures.js';
import { holdsForEverybody } from './faultless.js';
import { openScreens, type Screens } from './signed-in.js';

const script = '<img src=x onerror="document.title=1">';

describe('the screen of a run in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let run: string;
  before('start a server and a browser, and log a run with all there is', async function () {
    screens = await openScreens(this, { count: 4 });
    run = screens.runs[0]?.key ?? '';
    const write = '/api/rest/v2/write/experiment';
    for (const step of [0, 10]) {
      const content = picture(8, 8, () => [step * 20, 90, 200]);
      await screens.upload(run, { name: 'sample.png', type: 'image', step, content });
      await screens.upload(run, {
        name: 'weights',
        type: 'histogram3d',
        step,
        content: JSON.stringify({
          version: 2,
          start: 1e-12,
          stop: 1e20,
          step: 1.1,
          offset: 0,
          index_values: [
            [900, 3],
            [901, 5],
          ],
        }),
      });
    }
    await screens.upload(run, {
      name: 'confusion',
      type: 'confusion-matrix',
      content: JSON.stringify({
        labels: ['cat', 'dog'],
        matrix: [
          [3, 1],
          [0, 4],
        ],
      }),
    });
    await screens.upload(run, {
      name: 'roc',
      type: 'curve',
      content: JSON.stringify({ x: [0, 1], y: [0, 1], name: 'roc' }),
    });
    await screens.upload(run, {
      name: 'rows.csv',
      type: 'dataframe',
      content: `name,score\n"${script.replaceAll('"', '""')}",1\n`,
    });
    const { assetId } = await screens.ask('POST', '/clientlib/asset', {
      experimentKey: run,
      userFileName: 'cloud',
      assetType: '3d-image',
    });
    const points = new FormData();
    points.set(
      'requestParams',
      JSON.stringify({ experimentKey: run, assetId, assetItemType: 'points' }),
    );
    points.set('assetItemContent', new Blob(['[0,0,0]\n[1,0,0,1,0,0]\n[0,1,2]\n']), 'points.jsonl');
    const sent = await fetch(`${screens.server.url}/clientlib/asset/asset-item`, {
      method: 'POST',
      headers: { authorization: screens.server.apiKey },
      body: points,
    });
    expect(sent.status).to.equal(200);
    const boxes = new FormData();
    boxes.set(
      'requestParams',
      JSON.stringify({ experimentKey: run, assetId, assetItemType: 'boxes' }),
    );
    const edges = {
      segments: [
        [
          [0, 0, 0],
          [1, 0, 0],
          [1, 1, 0],
        ],
      ],
      color: [255, 0, 0],
      name: 'car',
    };
    boxes.set('assetItemContent', new Blob([`${JSON.stringify(edges)}\n`]), 'boxes.jsonl');
    await fetch(`${screens.server.url}/clientlib/asset/asset-item`, {
      method: 'POST',
      headers: { authorization: screens.server.apiKey },
      body: boxes,
    });
    await screens.ask('POST', `${write}/code`, { experimentKey: run, code: 'print(1)\n' });
    await screens.ask('POST', `${write}/html`, {
      experimentKey: run,
      html: '<style>h1 { color: rgb(1, 2, 3) }</style><h1>Report</h1><script>parent.document.title = 1; document.body.innerHTML = "run"</script>',
    });
    const form = new FormData();
    form.set('file', new Blob(['--- a/x\n+++ b/x\n-old\n+new\n']), 'patch');
    await fetch(`${screens.server.url}${write}/git/patch?experimentKey=${run}`, {
      method: 'POST',
      headers: { authorization: screens.server.apiKey },
      body: form,
    });
    await screens.ask('POST', `${write}/system-details`, {
      experimentKey: run,
      command: ['python', 'train.py'],
      installedPackages: ['torch==2.9.0'],
    });
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
  });
  const show = (tab = '') => opened.page.goto(screens.address(`run/${run}${tab}`));
  const read = (what: string) =>
    screens.ask('GET', `/api/rest/v2/experiment/${what}?experimentKey=${run}`);

  it('shows pictures, tables and numbers at one step, and moves it by keys', async () => {
    const { page } = opened;
    await show('/media');
    await page.getByText('sample.png · step 10').waitFor();
    await page.getByRole('img', { name: 'Confusion matrix' }).waitFor();
    await page.getByRole('img', { name: '1 curves' }).waitFor();
    await page.getByRole('img', { name: /Histograms at 2 steps/ }).waitFor();
    await page.getByRole('cell', { name: script }).waitFor();
    const cloud = page.getByRole('img', { name: /^3 points and 1 boxes of cloud/ });
    await cloud.waitFor();
    const red = await cloud.evaluate((canvas) => {
      const of = canvas as unknown as {
        width: number;
        height: number;
        getContext(kind: '2d'): {
          getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray };
        };
      };
      const { data } = of.getContext('2d').getImageData(0, 0, of.width, of.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if ((data[at] ?? 0) > 200 && (data[at + 1] ?? 0) < 60 && (data[at + 3] ?? 0) > 200) count++;
      return count;
    }); // a canvas of the page
    // The one point that is red has nine dots; the edges of the box have many.
    expect(red).to.be.above(200);
    await page.keyboard.press('[');
    await page.getByText('sample.png · step 0').waitFor();
    await page.getByRole('button', { name: 'Enlarge sample.png' }).click();
    await page.getByRole('dialog', { name: 'sample.png' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.title()).to.not.equal('1');
  });

  it('goes through the pictures of a run by arrows, as large as the screen', async () => {
    const { page } = opened;
    const of = screens.runs[2]?.key ?? '';
    for (const name of ['first.png', 'second.png', 'third.png'])
      await screens.upload(of, {
        ...{ name, type: 'image', step: 1, content: picture(8, 8, () => [0, 90, 200]) },
      });
    await page.goto(screens.address(`run/${of}/media`));
    await page.getByRole('button', { name: 'Enlarge first.png' }).click();
    await page.getByRole('dialog', { name: 'first.png' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'second.png' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'third.png' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('dialog', { name: 'second.png' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('runs nothing of names of files, nor of a drawing or text that was logged', async () => {
    const { page, context, complaints } = await screens.signIn();
    const of = screens.runs[2]?.key ?? '';
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="top.document.title=1"><script>top.document.title=1</script><rect width="8" height="8"/></svg>';
    await screens.upload(of, { name: `${script}.png`, type: 'image', content: svg });
    await screens.upload(of, { name: 'drawing.svg', type: 'image', step: 1, content: svg });
    await screens.upload(of, { name: `${script}.txt`, type: 'text-sample', content: script });
    for (const tab of ['media', 'files']) {
      await page.goto(screens.address(`run/${of}/${tab}`));
      await page.getByRole('link', { name: `${script}.png` }).waitFor();
      await page.getByRole('link', { name: 'drawing.svg' }).waitFor();
      expect(await page.title()).to.not.equal('1');
      expect(await page.locator('main img[src="x"]').count()).to.equal(0);
    }
    // Opened by itself, a drawing is fetched as a file, or stands where nothing runs.
    const { assets } = await screens.ask(
      'GET',
      `/api/rest/v2/experiment/asset/list?experimentKey=${of}`,
    );
    const drawing = (assets as readonly { assetId: string; fileName: string }[]).find(
      ({ fileName }) => fileName === 'drawing.svg',
    ); // as the row says
    const reply = await page.request.get(
      `${screens.server.url}/api/asset/download?experimentKey=${of}&assetId=${drawing?.assetId}`,
    );
    expect(reply.headers()['content-security-policy'] ?? '').to.match(/sandbox|default-src 'none'/);
    expect(complaints().filter((one) => /Refused|Blocked/.test(one))).to.deep.equal([]);
    await context.close();
  });

  it('says of more files than are listed how many there are, and draws histograms of all the time', async () => {
    const { page, context } = await screens.signIn();
    const of = screens.runs[1]?.key ?? '';
    for (let step = 0; step < 70; step++)
      await screens.upload(of, {
        ...{ name: 'many', type: 'histogram3d', step },
        content: JSON.stringify({
          ...{ version: 2, start: 1e-12, stop: 1e20, step: 1.1, offset: 0 },
          index_values: [
            [900, 3],
            [901 + (step % 5), 5],
          ],
        }),
      });
    await page.goto(screens.address(`run/${of}/media`));
    await page.getByRole('img', { name: /^Histograms at 60 of 70 steps/ }).waitFor();
    await page.getByText('step 0 to 69, 60 of 70 drawn').waitFor();
    await page.route('**/experiment/asset/list**', async (route) => {
      const response = await route.fetch();
      const { assets } = (await response.json()) as { readonly assets: readonly object[] }; // as the row says
      await route.fulfill({
        json: {
          assets: Array.from({ length: 2500 }, (_, at) => ({ ...assets[0], assetId: `${at}` })),
        },
      });
    });
    await page.goto(screens.address(`run/${of}/files`));
    await page.getByText('the first 200 of 2\u202f500 files').waitFor();
    await holds(async () => expect(await page.getByRole('row').count()).to.equal(201));
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('the first 400 of 2\u202f500 files').waitFor();
    await holds(async () => expect(await page.getByRole('row').count()).to.equal(401));
    await page.getByLabel('Find a file').fill('of no file');
    await page.getByText('No file has this in its name.').waitFor();
    await context.close();
  });

  it('plays sounds and films, with a way to fetch them', async () => {
    const { page } = opened;
    // Eight samples of a sound, and the beginning of a film that no browser plays.
    const wave = Buffer.alloc(52);
    wave.write('RIFF', 0);
    wave.writeUInt32LE(44, 4);
    wave.write('WAVEfmt ', 8);
    wave.writeUInt32LE(16, 16);
    wave.writeUInt16LE(1, 20);
    wave.writeUInt16LE(1, 22);
    wave.writeUInt32LE(8000, 24);
    wave.writeUInt32LE(8000, 28);
    wave.writeUInt16LE(1, 32);
    wave.writeUInt16LE(8, 34);
    wave.write('data', 36);
    wave.writeUInt32LE(8, 40);
    const of = screens.runs[1]?.key ?? '';
    await screens.upload(of, {
      ...{ name: 'tone.wav', type: 'audio', step: 1, content: new Uint8Array(wave) },
    });
    await screens.upload(of, { name: 'walk.mp4', type: 'video', step: 1, content: 'no film' });
    await page.goto(screens.address(`run/${of}/media`));
    const sound = page.locator('audio[aria-label="tone.wav"]');
    await sound.waitFor();
    const seconds = await sound.evaluate(async (it) => {
      const audio = it as unknown as {
        preload: string;
        duration: number;
        load(): void;
        addEventListener(name: string, then: () => void): void;
      };
      audio.preload = 'metadata';
      const known = new Promise<void>((done, fail) => {
        audio.addEventListener('loadedmetadata', done);
        audio.addEventListener('error', () => fail(new Error('it cannot be played')));
      });
      audio.load();
      await known;
      return audio.duration;
    }); // an element of the page
    expect(seconds).to.be.closeTo(0.001, 0.001);
    await page.locator('video[aria-label="walk.mp4"]').waitFor();
  });

  it('shows code, patch, command and packages', async () => {
    const { page } = opened;
    await show('/code');
    await page.getByRole('region', { name: 'Code' }).getByText('print(1)').waitFor();
    await page.locator('.added').getByText('+new').waitFor();
    await page.getByRole('cell', { name: 'python train.py' }).waitFor();
    await page.getByRole('region', { name: 'Packages' }).getByText('torch==2.9.0').waitFor();
  });

  it('shows the files of code that were logged beside the script, one at a time', async () => {
    const { page } = opened;
    for (const name of ['model.py', 'train.py'])
      await screens.upload(run, { name, type: 'source_code', content: `# ${name}\n${script}\n` });
    await show('/code');
    const files = page.getByRole('group', { name: 'Files of code' });
    await files.getByRole('button', { name: 'model.py' }).click();
    await page.getByRole('region', { name: 'model.py' }).getByText(script).waitFor();
    await files.getByRole('button', { name: 'train.py' }).click();
    await page.getByRole('region', { name: 'train.py' }).getByText('# train.py').waitFor();
    await page.getByRole('region', { name: 'model.py' }).waitFor({ state: 'detached' });
    expect(await page.title()).to.not.equal('1');
  });

  it('copies the command, the packages, the code and the patch whole', async () => {
    const { page } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await show('/code');
    const copies = page.locator('main').getByRole('button', { name: 'Copy', exact: true });
    await page.getByRole('region', { name: 'Packages' }).waitFor();
    await page.getByRole('region', { name: 'Code' }).waitFor();
    await page.locator('.added').getByText('+new').waitFor();
    const parts = 4; // each comes by itself, and moves those behind it
    await copies.nth(parts - 1).waitFor();
    await holds(async () => expect(await copies.count()).to.equal(parts));
    const copied: string[] = [];
    for (let at = 0; at < parts; at++) {
      await copies.nth(at).click();
      await page
        .getByText(/^(Command|Packages|Code|Patch) copied$/)
        .nth(at)
        .waitFor();
      copied.push(
        await page.evaluate(() =>
          (
            globalThis as unknown as { navigator: { clipboard: { readText(): Promise<string> } } }
          ).navigator.clipboard.readText(),
        ), // this runs in the browser
      );
    }
    const all = copied.join('\n----\n');
    for (const part of ['python train.py', 'torch==2.9.0', 'print(1)', '+new'])
      expect(all).to.contain(part);
  });

  it('shows logged HTML with its styles, and runs nothing of it', async () => {
    const { page } = opened;
    await show('/html');
    const frame = page.frameLocator('iframe');
    const title = frame.getByRole('heading', { name: 'Report' });
    await title.waitFor();
    expect(
      await title.evaluate((one) =>
        String(
          (
            globalThis as unknown as { getComputedStyle(of: unknown): { color: unknown } }
          ).getComputedStyle(one).color, // this runs in the browser
        ),
      ),
    ).to.equal('rgb(1, 2, 3)');
    expect(await page.title()).to.not.equal('1');
    const reply = await page.request.get(`${screens.server.url}/v1/private/ui/runs/${run}/html`);
    expect(reply.headers()['content-security-policy'])
      .to.match(/^sandbox; default-src 'none'/)
      .and.not.contain('allow');
  });

  it('shows the graph of the model: its layers with what each comes after, or the text that was logged', async () => {
    const { page } = opened;
    const set = (graph: string) =>
      screens.ask('POST', '/api/rest/v2/write/experiment/graph', { experimentKey: run, graph });
    await page.goto(screens.address(`run/${run}`));
    await page
      .getByRole('navigation', { name: 'Parts of the run' })
      .getByRole('link', { name: 'graph' })
      .click();
    await page.getByText('This run logged no graph of its model.').waitFor();
    await set(
      JSON.stringify({
        class_name: 'Functional',
        config: {
          name: 'net',
          layers: [
            { class_name: 'InputLayer', config: { name: 'pixels' }, inbound_nodes: [] },
            {
              class_name: 'Dense',
              config: { name: script, units: 64, activation: 'relu' },
              inbound_nodes: [[['pixels', 0, 0, {}]]],
            },
          ],
        },
      }),
    );
    await show('/graph');
    const layers = page.getByRole('region', { name: 'Layers of the model' }).getByRole('row');
    await layers.nth(2).waitFor();
    await holds(async () =>
      expect(await layers.nth(2).textContent()).to.equal(
        `${script}Densepixelsunits 64, activation relu`,
      ),
    );
    expect(await page.title()).to.not.equal('1');
    await set('Net(\n  (first): Linear(in_features=4)\n)');
    await show('/graph');
    await page
      .getByRole('region', { name: 'Graph' })
      .getByText('(first): Linear(in_features=4)')
      .waitFor();
  });

  it('keeps notes and tags that are written in place', async () => {
    const { page } = opened;
    await show();
    await page.getByRole('button', { name: 'Write notes' }).click();
    await page.getByLabel('Notes').fill(`${script} **bold**`);
    await page.getByLabel('Notes').press('Control+Enter');
    await page.getByText('Notes saved').waitFor();
    expect((await read('notes'))['notes']).to.equal(`${script} **bold**`);
    // Marks are read; what would be markup stays text.
    await page.locator('.prose strong', { hasText: 'bold' }).waitFor();
    await holds(async () => expect(await page.locator('.prose').innerText()).to.contain(script));
    expect(await page.title()).to.not.equal('1');
    await page.getByLabel('Tag to add').fill('looked at');
    await page.getByLabel('Tag to add').press('Enter');
    await page.getByRole('button', { name: 'Remove the tag looked at' }).waitFor();
    expect((await read('tags'))['tags']).to.include('looked at');
  });

  it('takes comments, changes and deletes one’s own', async () => {
    const { page } = opened;
    await show();
    const said = async () =>
      (
        (await screens.ask('GET', `/v1/private/ui/runs/${run}/comments`))['comments'] as {
          text: string;
        }[]
      ).map(({ text }) => text); // as the row says
    await page.getByLabel('Comment', { exact: true }).fill('is this <b>it</b>?');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('is this <b>it</b>?').waitFor();
    expect(await said()).to.deep.equal(['is this <b>it</b>?']);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Your comment').fill('it is');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('it is', { exact: true }).waitFor();
    expect(await said()).to.deep.equal(['it is']);
    await page.clock.install();
    await page.getByRole('button', { name: 'Delete the comment it is' }).click();
    await takeBack(page, 'The comment it is');
    expect(await said()).to.deep.equal(['it is']);
    await page.getByRole('button', { name: 'Delete the comment it is' }).click();
    await letGo(page, 'The comment it is');
    await page.getByText('it is', { exact: true }).waitFor({ state: 'detached' });
    expect(await said()).to.deep.equal([]);
  });

  it('shows at once that a run is archived, and takes that back where the server refuses', async () => {
    // A page of its own: the browser complains of the refusal.
    const { page, context } = await screens.signIn();
    const key = screens.runs[3]?.key ?? '';
    await page.goto(screens.address(`run/${key}`));
    const archive = page.getByRole('button', { name: 'Archive', exact: true });
    await archive.waitFor();
    let answer = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/write/experiment/archive**', async (route) => {
      await waits;
      await route.fulfill({ status: 403, json: { msg: 'not today' } });
    });
    await archive.click();
    await page.locator('.run-head').getByText('archived').waitFor();
    await page.getByRole('button', { name: 'Restore', exact: true }).waitFor();
    answer();
    await page.getByText('not today').waitFor();
    await archive.waitFor();
    await context.close();
  });

  it('says that it deletes, and takes it back', async () => {
    const { page } = opened;
    await show();
    await page.locator('.run-head').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.waitForURL(screens.address(`run/${run}`));
    expect((await read('metadata'))['experimentKey']).to.equal(run);
  });

  it('compares by name against a base, either way round', async () => {
    const { page } = opened;
    const keys = screens.runs.slice(0, 3).map(({ key }) => key);
    await page.goto(screens.address(`compare?runs=${keys.join()}&tab=metrics`));
    await page.getByRole('columnheader', { name: `${screens.runs[0]?.name} base` }).waitFor();
    const row = page.getByRole('row', { name: /^val\/acc \(max\)/ });
    await holds(async () => expect(await row.textContent()).to.match(/[+−]0\.\d/));
    await page.getByRole('button', { name: 'transposed' }).click();
    await page.getByRole('rowheader', { name: screens.runs[1]?.name ?? '' }).waitFor();
    await page.getByLabel('base').selectOption({ label: screens.runs[1]?.name ?? '' });
    await page.getByRole('rowheader', { name: `${screens.runs[1]?.name} base` }).waitFor();
  });

  it('compares code line by line and pictures over each other', async () => {
    const { page } = opened;
    const [one, other] = screens.runs.map(({ key }) => key);
    await screens.ask('POST', '/api/rest/v2/write/experiment/code', {
      experimentKey: other,
      code: 'print(2)\n',
    });
    const content = picture(8, 8, () => [0, 0, 0]);
    await screens.upload(other ?? '', { name: 'sample.png', type: 'image', step: 10, content });
    await page.goto(screens.address(`compare?runs=${one},${other}&tab=code`));
    await page.locator('.removed').getByText('print(1)').waitFor();
    await page.locator('.added').getByText('print(2)').waitFor();
    await page.getByRole('link', { name: 'media' }).click();
    const [under, over] = [page.locator('.stack img').first(), page.locator('.stack img').nth(1)];
    const styleOf = (name: string) =>
      over.evaluate(
        (image, member) =>
          (
            globalThis as unknown as {
              getComputedStyle(of: unknown): { getPropertyValue(name: string): string };
            }
          )
            .getComputedStyle(image)
            .getPropertyValue(member),
        name,
      ); // this runs in the browser
    await page.getByRole('button', { name: 'swipe' }).click();
    const covered = page.getByLabel('How much of sample.png is covered');
    for (const [key, inset] of [
      ['Home', '0%'],
      ['End', '100%'],
    ] as const) {
      await covered.press(key);
      await holds(async () =>
        expect(await styleOf('clip-path')).to.match(new RegExp(`^inset\\(.* ${inset}\\)$`)),
      );
    }
    const [left, right] = [await under.boundingBox(), await over.boundingBox()];
    expect(right).to.deep.equal(left);
    await page.getByRole('button', { name: 'difference' }).click();
    await holds(async () => expect(await styleOf('mix-blend-mode')).to.equal('difference'));
    await page.getByRole('button', { name: 'blink' }).click();
    for (const seen of ['visible', 'hidden', 'visible'])
      await holds(async () => expect(await styleOf('visibility')).to.equal(seen));
  });

  it('compares packages, and only those that differ', async () => {
    const { page } = opened;
    const [one, other] = screens.runs.map(({ key }) => key);
    for (const [experimentKey, torch] of [
      [one, '2.9.0'],
      [other, '2.8.0'],
    ])
      await screens.ask('POST', '/api/rest/v2/write/experiment/system-details', {
        experimentKey,
        installedPackages: [`torch==${torch}`, 'numpy==2.3.1'],
      });
    await page.goto(screens.address(`compare?runs=${one},${other}&tab=packages`));
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'torch' }) });
    await row.getByText('2.9.0').waitFor();
    await row.getByText('2.8.0').waitFor();
    await holds(async () =>
      expect(await page.getByRole('rowheader', { name: 'numpy' }).count()).to.equal(0),
    );
  });

  it('finds where one run leaves another', async () => {
    const { page } = opened;
    const pair: string[] = [];
    for (const name of ['left', 'right']) {
      const { experimentKey } = await screens.ask('POST', '/api/rest/v2/write/experiment/create', {
        workspaceName: screens.server.workspace,
        projectName: 'vision',
        experimentName: name,
      });
      const key = String(experimentKey);
      pair.push(key);
      await screens.ask('POST', '/clientlib/batch/logger/experiment/metric', {
        experimentKey: key,
        values: Array.from({ length: 60 }, (_, step) => ({
          metricName: 'grad_norm',
          metricValue: String(Math.sin(step * 7) * 0.01 + (name === 'right' && step >= 40 ? 1 : 0)),
          step,
          timestamp: Date.now(),
        })),
      });
    }
    await page.goto(screens.address(`compare?runs=${pair.join()}&tab=divergence`));
    await page
      .getByText(/Not the same from step 40 on; grad_norm leaves first, at step 40/)
      .waitFor();
  });

  holdsForEverybody(
    () => screens,
    () => {
      const keys = screens.runs.slice(0, 2).map(({ key }) => key);
      return [
        ...['', '/media', '/logs', '/code', '/graph', '/html', '/artifacts', '/files'].map(
          (tab) => `run/${run}${tab}`,
        ),
        ...['params', 'metrics', 'divergence', 'code', 'media', 'packages'].map(
          (tab) => `compare?runs=${keys.join()}&tab=${tab}`,
        ),
      ].map(screens.address);
    },
  );

  it('complains of nothing but what it must not run', () => {
    expect(
      opened.complaints().filter((one) => !one.endsWith(' failed') && !/Blocked script/.test(one)),
    ).to.deep.equal([]);
  });
});
