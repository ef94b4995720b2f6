// Things that somebody deletes while another looks at them: the page says so once, keeps what it shows, and leads on.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { becomes, holds } from './becomes.js';
import type { OpenedPage } from './browser.js';
import { openScreens, type Screens } from './signed-in.js';

const wire = '/opik/api/v1/private';
const write = '/api/rest/v2/write';

/** Something that was made to be deleted. */
interface Doomed {
  readonly place: string;
  /** What the page shows of it, before and afterwards. */
  readonly shows: string;
  /** Parts of the page, which are looked at once it is gone. */
  readonly parts?: readonly string[];
  /** What is pressed to find out; else one comes back to the page. */
  readonly act?: string;
  remove(): Promise<unknown>;
}

describe('what is deleted while the web UI shows it', () => {
  let screens: Screens;
  let opened: OpenedPage;
  before('start a server and a browser', async function () {
    screens = await openScreens(this, { count: 2 });
    const form = new FormData();
    form.set('file', new Blob(['weights']), 'w.bin');
    const named = `experimentKey=${runOf(0)}&fileName=w.bin&type=model-element&groupingName=net`;
    const reply = await fetch(`${screens.server.url}${write}/experiment/upload-asset?${named}`, {
      method: 'POST',
      headers: { authorization: screens.server.apiKey },
      body: form,
    });
    expect(reply.status).to.equal(200);
    opened = await screens.signIn({ width: 1400 });
  });
  after(async () => {
    await screens?.stop();
  });
  const ask = (path: string, body?: unknown) =>
    screens.ask(body === undefined ? 'GET' : 'POST', path, body);
  const runOf = (at: number) => screens.runs[at]?.key ?? '';
  const times = () => {
    const now = new Date().toISOString();
    return { start_time: now, end_time: now };
  };
  const logTrace = async (thread_id?: string): Promise<string> => {
    const id = v7();
    await ask(`${wire}/traces/batch`, {
      traces: [{ ...{ id, name: 'doomed trace', project_name: 'vision', thread_id }, ...times() }],
    });
    await ask(`${wire}/spans/batch`, {
      spans: [{ ...{ id: v7(), trace_id: id, name: 'inner', project_name: 'vision' }, ...times() }],
    });
    return id;
  };
  const projectId = async () =>
    String((await ask(`${wire}/projects/retrieve`, { name: 'vision' }))['id']);
  const made = async (path: string, body: object): Promise<string> => {
    const id = v7();
    await ask(`${wire}/${path}`, { id, ...body });
    return id;
  };
  const register = async (registryModelName: string, version: string) => {
    const experimentKey = runOf(0);
    await ask(`${write}/registry-model/item/create`, {
      ...{ experimentKey, experimentModelName: 'net', registryModelName, version },
    });
  };
  const versionsOf = async (modelName: string) =>
    (
      await ask(
        `/api/rest/v2/registry-model/details?workspaceName=${screens.server.workspace}&modelName=${modelName}`,
      )
    )['versions'] as readonly {
      readonly version: string;
      readonly registryModelItemId: string;
    }[]; // as the row says
  const makeArtifact = async (artifactName: string) => {
    const experimentKey = runOf(0);
    const one = await ask(`${write}/artifacts/upsert`, {
      ...{ artifactName, artifactType: 'dataset', experimentKey, alias: [] },
    });
    await ask(`${write}/artifacts/state`, {
      ...{ artifactVersionId: one['artifactVersionId'], experimentKey, state: 'CLOSED' },
    });
    return { artifactId: one['artifactId'], artifactVersionId: one['artifactVersionId'] };
  };

  const kinds: Readonly<Record<string, () => Promise<Doomed>>> = {
    run: () =>
      Promise.resolve({
        place: `run/${runOf(1)}`,
        shows: screens.runs[1]?.name ?? '',
        parts: [
          ...['charts', 'params', 'media', 'logs', 'system', 'code', 'artifacts'],
          ...['graph', 'html', 'files', 'overview'],
        ],
        remove: () => ask(`${write}/experiment/delete?experimentKey=${runOf(1)}`),
      }),
    trace: async () => {
      const id = await logTrace();
      const remove = () => ask(`${wire}/traces/delete`, { ids: [id] });
      return { place: `trace/${id}`, shows: 'doomed trace', remove };
    },
    thread: async () => {
      await logTrace('doomed thread');
      const remove = async () =>
        ask(`${wire}/traces/threads/delete`, {
          ...{ project_id: await projectId(), thread_ids: ['doomed thread'] },
        });
      return { place: 'thread/doomed%20thread', shows: 'doomed thread', remove };
    },
    dataset: async () => {
      const id = await made('datasets', { name: 'doomed dataset' });
      const remove = () => screens.ask('DELETE', `${wire}/datasets/${id}`);
      const parts = ['Versions', 'Lineage', 'Items'];
      return { place: `/datasets/${id}`, shows: 'doomed dataset', parts, remove };
    },
    experiment: async () => {
      await made('datasets', { name: 'of experiments' });
      const names = { name: 'doomed experiment', dataset_name: 'of experiments' };
      const id = await made('experiments', names);
      const remove = () => ask(`${wire}/experiments/delete`, { ids: [id] });
      return { place: `/experiments/${id}`, shows: 'doomed experiment', remove };
    },
    prompt: async () => {
      const id = await made('prompts', { name: 'doomed prompt', template: 'say {{it}}' });
      const remove = () => screens.ask('DELETE', `${wire}/prompts/${id}`);
      return { place: `/prompts/${id}`, shows: 'doomed prompt', remove };
    },
    board: async () => {
      const config = { version: 4, sections: [], lastModified: 1 };
      const { id } = await ask(`${wire}/dashboards`, {
        ...{ name: 'doomed board', type: 'multi_project', config },
      });
      const remove = () => screens.ask('DELETE', `${wire}/dashboards/${String(id)}`);
      return { place: `/boards/${String(id)}`, shows: 'doomed board', remove };
    },
    queue: async () => {
      const id = await made('annotation-queues', {
        ...{ project_id: await projectId(), name: 'doomed queue', scope: 'trace' },
      });
      const remove = () => ask(`${wire}/annotation-queues/delete`, { ids: [id] });
      return { place: `/queues/${id}`, shows: 'doomed queue', remove };
    },
    evaluator: async () => {
      await ask(`${wire}/automations/evaluators`, {
        ...{ name: 'doomed evaluator', type: 'llm_as_judge', action: 'evaluator', enabled: false },
        project_ids: [await projectId()],
        code: {
          model: { name: 'judge', temperature: 0 },
          messages: [{ role: 'USER', content: 'Is {{answer}} kind?' }],
          variables: { answer: 'output' },
          schema: [{ name: 'Kind', type: 'INTEGER', description: 'from 0 to 1' }],
        },
      });
      const { content } = await ask(`${wire}/automations/evaluators?size=1`);
      const id = String((content as readonly { readonly id: string }[])[0]?.id); // as every list of the wire
      const remove = () => ask(`${wire}/automations/evaluators/delete`, { ids: [id] });
      return { place: `/evaluators/${id}`, shows: 'doomed evaluator', act: 'Save', remove };
    },
    model: async () => {
      await register('doomed-model', '1.0.0');
      const named = `workspaceName=${screens.server.workspace}&modelName=doomed-model`;
      const remove = () => ask(`${write}/registry-model/delete?${named}`);
      const parts = ['metrics', 'review', 'webhooks', 'notes', 'versions 1'];
      return { place: '/model/doomed-model', shows: 'doomed-model', parts, remove };
    },
    artifact: async () => {
      const { artifactId } = await makeArtifact('doomed-artifact');
      const remove = () => ask(`${write}/artifacts/delete`, { artifactId });
      const parts = ['changes', 'used by', 'lineage', 'metadata', 'files'];
      return { place: '/artifact/doomed-artifact', shows: 'doomed-artifact', parts, remove };
    },
  };

  /** Comes back to the page, as from another one, until it says something. */
  const returnUntil = (says: string) =>
    becomes(
      async () => {
        await opened.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
        const shown = await opened.page.locator('main').textContent();
        return { says, shown };
      },
      ({ shown }) => shown?.includes(says) === true,
    );
  const toasts = () => opened.page.locator('.toasts > *').count();
  /** Waits until nothing says that it is on its way. */
  const settled = () =>
    becomes(
      () => opened.page.locator('main').getByText('loading …').count(),
      (count) => count === 0,
    );

  it('says so once of each kind, shows what was there, and waits for nothing', async function () {
    this.timeout(60_000);
    const { page } = opened;
    for (const [kind, make] of Object.entries(kinds)) {
      const { place, shows, parts = [], act, remove } = await make();
      await page.goto(screens.address(place));
      const heading = page.getByRole('heading', { level: 1, name: shows });
      await heading.waitFor();
      await settled();
      await remove();
      const says = `This ${kind} is no longer there.`;
      if (act === undefined) await returnUntil(says);
      else await page.getByRole('button', { name: act, exact: true }).click();
      const alert = page.getByRole('alert').filter({ hasText: says });
      await alert.waitFor();
      await heading.waitFor();
      for (const name of parts) {
        const tabs = page.locator('main').locator('nav.tabs, [role=group]');
        await tabs
          .getByRole('button', { name })
          .or(tabs.getByRole('link', { name, exact: true }))
          .first()
          .click();
        await settled();
      }
      await holds(async () =>
        expect([kind, await alert.count(), await toasts()]).to.deep.equal([kind, 1, 0]),
      );
      await alert.getByRole('link').click();
      await heading.waitFor({ state: 'detached' });
    }
  });

  it('says so where an act finds out, with one sentence of the act', async () => {
    const { page } = opened;
    const id = await made('datasets', { name: 'acted upon' });
    await page.goto(screens.address(`/datasets/${id}`));
    await page.getByRole('heading', { name: 'acted upon' }).waitFor();
    await screens.ask('DELETE', `${wire}/datasets/${id}`);
    await page.getByLabel('Add a tag').fill('late');
    await page.getByLabel('Add a tag').press('Enter');
    await page.getByRole('alert').getByText('This dataset is no longer there.').waitFor();
    await holds(async () => expect(await toasts()).to.equal(1));
  });

  it('says that a version of a model is gone, and shows the others', async () => {
    const { page } = opened;
    for (const version of ['1.0.0', '2.0.0']) await register('kept-model', version);
    await page.goto(screens.address('/model/kept-model/2.0.0'));
    await page.getByRole('region', { name: 'Version 2.0.0' }).waitFor();
    const doomed = (await versionsOf('kept-model')).find(({ version }) => version === '2.0.0');
    await ask(`${write}/registry-model/item/delete?modelItemId=${doomed?.registryModelItemId}`);
    await returnUntil('There is no version 2.0.0.');
    await page.getByRole('link', { name: '1.0.0' }).click();
    await page.getByRole('region', { name: 'Version 1.0.0' }).waitFor();
  });

  it('says that a version of an artifact is gone, and shows the others', async () => {
    const { page } = opened;
    await makeArtifact('kept-artifact');
    const { artifactVersionId } = await makeArtifact('kept-artifact');
    await page.goto(screens.address('/artifact/kept-artifact'));
    const newest = page.getByRole('navigation', { name: 'Versions' }).getByRole('link').first();
    await newest.click();
    await page.waitForURL(/kept-artifact\/./);
    const version = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.getByRole('region', { name: `Version ${version}` }).waitFor();
    await ask(`${write}/artifacts/version/delete`, { artifactVersionId });
    await returnUntil(`There is no version ${version}.`);
  });

  it('says that one of the runs that are compared is gone', async () => {
    const { page } = opened;
    const { experimentKey } = await ask(`${write}/experiment/create`, {
      ...{ workspaceName: screens.server.workspace, projectName: 'vision' },
    });
    const other = String(experimentKey);
    await page.goto(screens.address(`compare?runs=${runOf(0)},${other}`));
    await page.getByRole('navigation', { name: 'Parts of the comparison' }).waitFor();
    await ask(`${write}/experiment/delete?experimentKey=${other}`);
    await page.reload();
    await page.locator('.fault').filter({ hasText: other }).waitFor();
    await settled();
  });

  it('says that a monitored model is gone, and leads to the others', async () => {
    const { page } = opened;
    const { workspace } = screens.server;
    for (const modelName of ['doomed', 'kept'])
      await ask('/mpm/v2/events/batch', {
        data: [
          {
            ...{ workspaceName: workspace, modelName, modelVersion: '1.0.0', predictionId: 'one' },
            ...{ timestamp: Date.now(), features: { age: 7 }, prediction: { value: 'stays' } },
          },
        ],
      });
    await page.goto(screens.address('/x/monitoring/models'));
    await page.getByRole('button', { name: 'doomed' }).click();
    await page.getByRole('heading', { name: 'doomed' }).waitFor();
    const id = new URL(page.url()).searchParams.get('model') ?? '';
    await screens.ask('DELETE', `/api/mpm/model/${id}`);
    await page.getByRole('button', { name: 'alerts', exact: true }).click();
    await page.getByRole('alert').getByText('not found').waitFor();
    await holds(async () =>
      expect(await page.locator('main').getByText('loading …').count()).to.equal(0),
    );
    await page.getByRole('button', { name: '← all models' }).click();
    await page.getByRole('button', { name: 'kept' }).waitFor();
    await holds(async () =>
      expect(await page.getByRole('button', { name: 'doomed' }).count()).to.equal(0),
    );
  });
});
