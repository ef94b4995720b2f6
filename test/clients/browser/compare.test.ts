// Runs side by side: the artifacts that they used, their histograms over one another, their confusion matrices on one scale.
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { holds, placeAtRest } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
import { picture } from './pictures.js';
import { openScreens, type Screens } from './signed-in.js';

const histogram = (bins: readonly (readonly [bin: number, count: number])[]) =>
  JSON.stringify({
    ...{ version: 2, start: 1e-12, stop: 1e20, step: 1.1, offset: 0 },
    index_values: bins,
  });

const classes = 120;
const confusion = (moved: number) =>
  JSON.stringify({
    labels: Array.from({ length: classes }, (_, at) => `class ${at}`),
    matrix: Array.from({ length: classes }, (_, row) =>
      Array.from({ length: classes }, (_more, column) =>
        row === column ? 100 - (row === 7 ? moved : 0) : row === 7 && column === 9 ? moved : 0,
      ),
    ),
  });

describe('the comparison of runs in a browser', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let keys: readonly string[];
  const makeArtifact = async (experimentKey: string) => {
    const made = await screens.ask('POST', '/api/rest/v2/write/artifacts/upsert', {
      artifactName: 'reviews',
      artifactType: 'dataset',
      experimentKey,
    });
    await screens.ask('POST', '/api/rest/v2/write/artifacts/state', {
      artifactVersionId: made['artifactVersionId'],
      experimentKey,
      state: 'CLOSED',
    });
    return String(made['artifactVersionId']);
  };
  before('start a server and a browser, and log runs that differ', async function () {
    screens = await openScreens(this, { count: 4 });
    keys = screens.runs.map(({ key }) => key);
    const [one = '', two = '', three = ''] = keys;
    for (const [at, run] of [one, two, three].entries()) {
      for (const step of [0, 10])
        await screens.upload(run, {
          name: 'weights',
          type: 'histogram3d',
          step,
          content: histogram([
            [900 + at, 3 + step],
            [910, 5],
          ]),
        });
      await screens.upload(run, {
        name: 'confusion',
        type: 'confusion-matrix',
        step: 10,
        content: confusion(at * 10),
      });
    }
    const first = await makeArtifact(one);
    const second = await makeArtifact(two);
    for (const [version, run] of [
      [first, two],
      [second, three],
    ] as const)
      await screens.ask(
        'GET',
        `/api/rest/v2/artifacts/version?versionId=${version}&consumerExperimentKey=${run}`,
      );
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });
  const place = (tab: string, runs = keys.slice(0, 3), more = '') =>
    screens.address(`compare?runs=${runs.join()}&tab=${tab}${more}`);

  it('has each run at the same place of every table, and shows what is more and what is less where it is narrow too', async () => {
    for (const run of keys)
      await screens.ask('POST', '/api/rest/v2/write/experiment/log-other', {
        ...{ experimentKey: run, key: 'note', value: `of a run ${run}`.repeat(3) },
      });
    for (const width of [3840, 1400, 640]) {
      const { page, context } = await screens.signIn({ width });
      await page.goto(place('params', [...keys]));
      const tables = page.locator('table.compared');
      await page.getByRole('row').filter({ hasText: 'note' }).waitFor();
      await holds(async () => {
        const heads = await tables.evaluateAll((all) =>
          all.map((table) =>
            [
              ...(
                table as unknown as {
                  querySelectorAll(of: string): Iterable<{
                    getBoundingClientRect(): { readonly left: number };
                  }>;
                }
              ).querySelectorAll('thead th'),
            ].map((head) => Math.round(head.getBoundingClientRect().left)),
          ),
        ); // these are tables of the page
        expect(heads.length, String(width)).to.be.greaterThan(1);
        for (const one of heads) expect(one, String(width)).to.deep.equal(heads[0]);
      });
      // The seeds of the others are more than that of the first, and less than that of the last.
      for (const [base, is] of [
        [keys[0], '.more'],
        [keys.at(-1), '.less'],
      ] as const) {
        await page.goto(place('params', [...keys], `&base=${base ?? ''}`));
        const seeds = tables.getByRole('row').filter({ hasText: 'seed' });
        await seeds.locator(is).first().waitFor({ state: 'visible' });
        await holds(async () => expect(await seeds.locator(is).count()).to.equal(3));
      }
      await context.close();
    }
  });

  it('tells which versions of artifacts each run used and made, and only those that differ', async () => {
    const { page } = opened;
    await page.goto(place('artifacts'));
    const used = page.getByRole('region', { name: 'Artifacts that were used' });
    const row = used.getByRole('row').filter({ hasText: 'reviews' });
    await row.waitFor();
    await holds(async () =>
      expect(await row.getByRole('cell').allTextContents()).to.deep.equal([
        '–',
        '1.0.0',
        '2.0.0 (Latest)',
      ]),
    );
    await page.getByRole('region', { name: 'Artifacts that were made' }).waitFor();
    await page.goto(place('artifacts', keys.slice(2)));
    await used.getByText('2.0.0').waitFor();
    await page.getByText('None of these runs has any.').waitFor();
  });

  it('draws the histograms of runs over one another, each as parts of its whole', async () => {
    const { page } = opened;
    await page.goto(place('media'));
    const overlay = page.getByRole('img', { name: /^Histograms of 3 runs over one another/ });
    await overlay.waitFor();
    await holds(async () => expect(await overlay.locator('path[data-key]').count()).to.equal(3));
    const strokes = await overlay
      .locator('path[data-key]')
      .evaluateAll((paths) =>
        paths.map((path) =>
          (path as unknown as { getAttribute(name: string): string }).getAttribute('stroke'),
        ),
      ); // these are elements of the page
    expect(new Set(strokes).size).to.equal(3);
  });

  it('puts two matrices of more than a hundred classes on one scale, and says where they differ', async () => {
    const { page } = opened;
    await page.goto(place('media', keys.slice(0, 2)));
    await page
      .getByRole('img', { name: `Confusion matrix of vit-000, ${classes} classes` })
      .waitFor();
    await page
      .getByRole('img', { name: `Confusion matrix of resnet-001, ${classes} classes` })
      .waitFor();
    const rows = page.locator('.confusions tbody tr');
    await rows.first().waitFor();
    await holds(async () =>
      expect([...(await rows.allTextContents())].sort()).to.deep.equal([
        'class 7class 710.9−0.1',
        'class 7class 900.1+0.1',
      ]),
    );
    await page.locator('.confusions').getByLabel('as parts of each row').uncheck();
    await rows.filter({ hasText: 'class 7class 710090−10' }).waitFor();
  });

  it('draws a matrix of more than a hundred classes with few elements, tells of a field, and saves it', async () => {
    const { page } = opened;
    await page.goto(screens.address(`run/${keys[2]}/media`));
    const figure = page.locator('figure.confusion');
    const matrix = figure.getByRole('img', { name: 'Confusion matrix' });
    await matrix.waitFor();
    expect(await matrix.locator('*').count()).to.be.below(60);
    const box = await placeAtRest(matrix);
    const size = 90 + 3 * classes;
    const at = (field: number, from: number) => ((from + 3 * field + 1.5) / size) * box.width;
    await page.mouse.move(box.x + at(9, 90), box.y + at(7, 0));
    await figure.getByText('class 7 as class 9: 20').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: 'SVG' }).click(),
    ]);
    expect(file.suggestedFilename()).to.equal('confusion.svg');
    expect((await readFile(await file.path(), 'utf8')).match(/h\d+v/g)?.length).to.equal(
      classes * classes,
    );
  });

  it('compares every file of the code and the uncommitted changes, one after another', async () => {
    const { page } = opened;
    const [one = '', two = ''] = keys;
    const patch = async (run: string, text: string) => {
      const form = new FormData();
      form.set('file', new Blob([text]), 'patch');
      const reply = await fetch(
        `${screens.server.url}/api/rest/v2/write/experiment/git/patch?experimentKey=${run}`,
        { method: 'POST', headers: { authorization: screens.server.apiKey }, body: form },
      );
      expect(reply.status).to.equal(200);
    };
    for (const [run, turn] of [
      [one, 'left'],
      [two, 'right'],
    ] as const) {
      for (const [name, content] of [
        ['train.py', `import model\nturn = "${turn}"\n`],
        ['model.py', 'layers = 3\n'],
        [`only_${turn}.py`, `${turn} = 1\n`],
      ] as const)
        await screens.upload(run, { name, type: 'source_code', content });
      await patch(run, `--- a/train.py\n+++ b/train.py\n-was\n+is ${turn}\n`);
    }
    await page.goto(place('code', keys.slice(0, 2)));
    const files = page.getByRole('group', { name: 'Files' });
    const choose = (name: string) => files.getByRole('button', { name, exact: true }).click();
    const differs = (name: string) => page.getByRole('region', { name: `Difference of ${name}` });
    await choose('train.py');
    await differs('train.py').locator('.removed', { hasText: 'turn = "left"' }).waitFor();
    await differs('train.py').locator('.added', { hasText: 'turn = "right"' }).waitFor();
    await choose('model.py');
    await page.getByText('Both runs have the same.').waitFor();
    await choose('only_left.py');
    await differs('only_left.py').locator('.removed', { hasText: 'left = 1' }).waitFor();
    await choose('only_right.py');
    await differs('only_right.py').locator('.added', { hasText: 'right = 1' }).waitFor();
    await choose('uncommitted changes');
    await differs('uncommitted changes').locator('.removed', { hasText: '+is left' }).waitFor();
    await differs('uncommitted changes').locator('.added', { hasText: '+is right' }).waitFor();
  });

  it('says of more runs, names and files than it shows how many there are', async () => {
    const { page, context } = await screens.signIn({ width: 1400 });
    await page.route('**/experiment/asset/list**type=source_code**', (route) =>
      route.fulfill({
        json: {
          assets: Array.from({ length: 230 }, (_, at) => ({
            ...{ assetId: `${at}`, fileName: `part_${at}.py`, fileSize: 1 },
          })),
        },
      }),
    );
    await page.goto(place('code', keys.slice(0, 2)));
    await page.getByText('the first 200 of 23').waitFor();
    await holds(async () =>
      expect(await page.getByRole('group', { name: 'Files' }).getByRole('button').count()).to.equal(
        200,
      ),
    );
    await context.close();
  });

  it('draws the curves of all runs over one another, each in the colour of its run', async () => {
    const { page } = opened;
    for (const [at, run] of keys.slice(0, 3).entries())
      await screens.upload(run, {
        ...{ name: 'roc', type: 'curve', step: 10 },
        content: JSON.stringify({ x: [0, 0.5, 1], y: [0, 0.6 + at / 10, 1], name: 'roc' }),
      });
    await page.goto(place('media'));
    const curves = page.getByRole('img', { name: '3 curves' });
    await curves.waitFor();
    const inks = await curves
      .locator('path[stroke-width="1.5"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('stroke'))); // elements of the page
    expect(new Set(inks).size).to.equal(3);
  });

  it('moves the matrices of both runs by one step', async () => {
    const { page } = opened;
    for (const run of keys.slice(0, 2))
      await screens.upload(run, {
        ...{ name: 'turning', type: 'confusion-matrix', step: 0 },
        content: confusion(run === keys[1] ? 30 : 5),
      });
    for (const run of keys.slice(0, 2))
      await screens.upload(run, {
        ...{ name: 'turning', type: 'confusion-matrix', step: 10 },
        content: confusion(7),
      });
    await page.goto(place('media', keys.slice(0, 2)));
    const section = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'turning', exact: true }) });
    for (const run of ['vit-000', 'resnet-001'])
      await section.getByRole('img', { name: new RegExp(`^Confusion matrix of ${run}`) }).waitFor();
    await holds(async () =>
      expect(await section.locator('.confusions tbody tr').count()).to.equal(0),
    );
    await page.keyboard.press('[');
    await section
      .locator('.confusions tbody tr')
      .filter({ hasText: /class 7class 9/ })
      .first()
      .waitFor();
  });

  it('zooms and moves pictures together, down to their own pixels', async () => {
    const { page } = opened;
    const [one = '', two = ''] = keys;
    for (const [run, edge] of [
      [one, 64],
      [two, 32],
    ] as const)
      await screens.upload(run, {
        ...{ name: 'street.png', type: 'image', step: 10 },
        content: picture(edge, edge, (x, y) => [x * 3, y * 3, 90]),
      });
    await page.goto(place('media', keys.slice(0, 2), '&mode=zoom'));
    const pane = (name: string) =>
      page.getByRole('group', { name: `street.png of ${name}, zoomed with the others` });
    const [first, second] = [pane('vit-000'), pane('resnet-001')];
    await page.getByText('· 64 × 64').waitFor();
    await page.getByText('· 32 × 32').waitFor();
    /** How many pixels of the screen a pixel of the picture has, and which part of it is in the middle. */
    const look = async (of: typeof first) => {
      const image = await of.getByRole('img').boundingBox();
      const box = await of.boundingBox();
      if (image === null || box === null) throw new Error('there is no picture');
      return {
        edge: Math.round(image.width),
        x: Number(((box.x + box.width / 2 - image.x) / image.width).toFixed(2)),
        y: Number(((box.y + box.height / 2 - image.y) / image.height).toFixed(2)),
      };
    };
    await page.getByRole('button', { name: '1 : 1' }).click();
    await holds(async () => expect(await look(first)).to.deep.equal({ edge: 64, x: 0.5, y: 0.5 }));
    await holds(async () => expect(await look(second)).to.deep.equal({ edge: 64, x: 0.5, y: 0.5 }));
    await first.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await placeAtRest(first);
    await page.mouse.move(x + width / 2 + 16, y + height / 2);
    await page.mouse.wheel(0, -100);
    await page.getByText(/^125 %/).waitFor();
    // What was under the pointer, three quarters to the right, stays there.
    await holds(async () => expect(await look(first)).to.deep.equal({ edge: 80, x: 0.55, y: 0.5 }));
    await holds(async () => expect(await look(second)).to.deep.equal(await look(first)));
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 16, y + height / 2 + 8);
    await page.mouse.up();
    await holds(async () =>
      expect(await look(second)).to.deep.equal({ edge: 80, x: 0.55, y: 0.4 }),
    );
    await second.focus();
    await page.keyboard.press('0');
    await holds(async () => expect((await look(first)).edge).to.be.within(316, 320));
  });

  holdsForEverybody(
    () => screens,
    () => [
      place('artifacts'),
      place('media', keys.slice(0, 2)),
      place('media', keys.slice(0, 2), '&mode=zoom'),
      place('params', keys.slice(0, 3), '&differing=0'),
      place('metrics'),
    ],
  );
});
