// Runs side by side: the artifacts that they used, their histograms over one another, their confusion matrices on one scale.
import { expect } from 'chai';
import type { OpenedPage } from './browser.js';
import { holdsForEverybody } from './faultless.js';
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

  it('tells which versions of artifacts each run used and made, and only those that differ', async () => {
    const { page } = opened;
    await page.goto(place('artifacts'));
    const used = page.getByRole('region', { name: 'Artifacts that were used' });
    const row = used.getByRole('row').filter({ hasText: 'reviews' });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).to.deep.equal([
      '–',
      '1.0.0',
      '2.0.0 (Latest)',
    ]);
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
    expect(await overlay.locator('path[data-key]').count()).to.equal(3);
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
    expect([...(await rows.allTextContents())].sort()).to.deep.equal([
      'class 7class 710.9−0.1',
      'class 7class 900.1+0.1',
    ]);
    await page.locator('.confusions').getByLabel('as parts of each row').uncheck();
    await rows.filter({ hasText: 'class 7class 710090−10' }).waitFor();
  });

  holdsForEverybody(
    () => screens,
    () => [
      place('artifacts'),
      place('media', keys.slice(0, 2)),
      place('params', keys.slice(0, 3), '&differing=0'),
      place('metrics'),
    ],
  );
});
