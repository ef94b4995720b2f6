// A page and a panel that a plugin outside the tree adds to the web UI, in a browser.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { holds } from './becomes.js';
import { axeFaults, type OpenedPage } from './browser.js';
import { openScreens, type Screens } from './signed-in.js';

const entry = `export default {
  name: 'forecast', api: 1, settings: {}, needs: {},
  contribute: () => ({
    ui: {
      folder: new URL('./ui/', import.meta.url),
      pages: [
        { name: 'overview', title: 'Forecast', element: 'forecast-overview', script: 'forecast.js', of: 'workspace' },
        { name: 'runs', title: 'Forecast of runs', element: 'forecast-overview', script: 'forecast.js', of: 'project' },
        { name: 'broken', title: 'Broken', element: 'forecast-missing', script: 'forecast.js', of: 'project' },
      ],
      panels: [{ name: 'weather', title: 'Weather', element: 'forecast-weather', script: 'forecast.js' }],
    },
  }),
};
`;
const script = `import { words } from './words.js';
class Overview extends HTMLElement {
  set context({ workspace, project, theme, ask }) {
    ask('GET', '/api/rest/v2/projects?workspaceName=' + encodeURIComponent(workspace)).then(({ projects }) => {
      this.textContent = [words.sunny, workspace, project ?? 'every project', theme, projects.length].join(' · ');
    });
  }
}
class Weather extends HTMLElement {
  set context({ runs }) {
    this.textContent = 'weather of ' + runs.length + ' runs, first ' + runs[0]?.name;
  }
}
customElements.define('forecast-overview', Overview);
customElements.define('forecast-weather', Weather);
`;

describe('what a plugin adds to the web UI', () => {
  let screens: Screens;
  let opened: OpenedPage;
  let folder: string;
  before('start a server with a plugin of a vendor', async function () {
    folder = await mkdtemp(join(tmpdir(), 'orrery-vendor-'));
    await mkdir(join(folder, 'ui', 'inner'), { recursive: true });
    await writeFile(join(folder, 'forecast.mjs'), entry);
    await writeFile(join(folder, 'ui', 'forecast.js'), script);
    await writeFile(join(folder, 'ui', 'words.js'), "export const words = { sunny: 'sunny' };");
    await writeFile(join(folder, 'ui', 'inner', 'secret.js'), 'never served');
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ plugins: [{ name: './forecast.mjs' }] }));
    screens = await openScreens(this, { count: 4, env: { ORRERY_CONFIG: config } });
    opened = await screens.signIn();
  });
  after(async () => {
    await screens?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is a page among the tabs of every workspace, which asks the server as whoever looks', async () => {
    const { page } = opened;
    await page.goto(screens.address('/models'));

    await page.getByRole('link', { name: 'Forecast', exact: true }).click();

    await page
      .getByText(`sunny · ${screens.server.workspace} · every project · light · 1`)
      .waitFor();
    await holds(() =>
      expect(new URL(page.url()).pathname).to.equal(
        `/w/${screens.server.workspace}/x/forecast/overview`,
      ),
    );
    expect(await axeFaults(page)).to.deep.equal([]);
  });

  it('is a page among the tabs of every project, also after a reload and in the dark', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs'));
    await page.getByRole('link', { name: 'Forecast of runs' }).click();
    await page.getByText('sunny').waitFor();
    await page.reload();
    await page.getByText(`· vision · light ·`).waitFor();

    await page.getByTitle('Light, dark or as the system').click();
    await page.getByTitle('Light, dark or as the system').click();

    await page.getByText(`· vision · dark ·`).waitFor();
  });

  it('is a panel beside the charts, which is given the runs that are shown', async () => {
    const { page } = opened;
    await page.goto(screens.address('runs'));

    await page.getByText(/^weather of 4 runs, first \S+/).waitFor();
  });

  it('says what is wrong where a script does not define its element', async () => {
    const { page } = opened;
    await page.goto(screens.address('x/forecast/broken'));
    await page
      .getByText('Broken cannot be shown: its script does not define the element forecast-missing.')
      .waitFor();

    await page.goto(screens.address('x/forecast/unknown'));
    await page.getByText('No plugin that takes part has this page.').waitFor();
  });

  it('serves the files of its folder alone', async () => {
    const statuses = await Promise.all(
      [
        'forecast/forecast.js',
        'forecast/inner',
        'forecast/inner%2Fsecret.js',
        'forecast/..%2Fforecast.mjs',
        'forecast/..%2Fconfig.json',
        'none/forecast.js',
      ].map(async (path) => (await fetch(`${screens.server.url}/app/plugins/${path}`)).status),
    );

    expect(statuses[0]).to.equal(200);
    expect(statuses.slice(1).filter((status) => status !== 404 && status !== 400)).to.deep.equal(
      [],
    );
  });
});
