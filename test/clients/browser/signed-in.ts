// A server with a project of runs, and a browser whose pages are signed in: what the tests of each screen begin with.
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { openBrowser, type OpenedPage, type TestBrowser } from './browser.js';
import { logDemo, type DemoRun } from './demo.js';

export const password = 'velvet-Harbor-91-quill';

/** The database under the screens: the embedded one, or another of those that the pages must look the same over. */
const storages = ['embedded', 'postgres', 'mysql'] as const;
export const storageNow = (): (typeof storages)[number] => {
  const wanted = process.env['ORRERY_TEST_SCREENS_STORAGE'] ?? 'embedded';
  const storage = storages.find((one) => one === wanted);
  if (storage === undefined)
    throw new Error(`ORRERY_TEST_SCREENS_STORAGE is one of ${storages.join(', ')}`);
  return storage;
};

export interface Screens {
  readonly server: StartedServer;
  readonly runs: readonly DemoRun[];
  /** The address of a place of the project, or, of one that begins with a slash, of the workspace. */
  address(place: string): string;
  /** Sends as a client does, and hands out the reply. */
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Uploads a file of a run. */
  upload(
    run: string,
    file: {
      name: string;
      type: string;
      step?: number;
      metadata?: object;
      content: string | Uint8Array<ArrayBuffer>;
    },
  ): Promise<string>;
  signIn(look?: { readonly width?: number; readonly dark?: boolean }): Promise<OpenedPage>;
  stop(): Promise<void>;
}

const leaveOut = (suite: Mocha.Context, why: string): never => {
  pendingUnlessAll(suite, why);
  throw new Error(why);
};

/** Starts them before the cases of a suite; they are pending where there is no browser. */
export const openScreens = async (
  suite: Mocha.Context,
  {
    count = 12,
    env = {},
  }: {
    readonly count?: number;
    readonly env?: Record<string, string>;
  } = {},
): Promise<Screens> => {
  suite.timeout(90_000);
  const browser: TestBrowser | { readonly missing: string } = await openBrowser();
  if ('missing' in browser) return leaveOut(suite, browser.missing);
  const server = await startServer({
    storage: storageNow(),
    env: { ORRERY_ADMIN_PASSWORD: password, ORRERY_CHECK_REPLIES: '1', ...env },
  });
  if ('missing' in server) {
    await browser.stop();
    return leaveOut(suite, server.missing);
  }
  const runs = await logDemo(server, { project: 'vision', count, steps: 40, now: Date.now() });
  const root = `${server.url}/w/${server.workspace}`;
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(server.url + path, {
      method,
      headers: { authorization: server.apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>; // an object, as every reply of the API
  };
  return {
    server,
    runs,
    ask,
    address: (place) => (place.startsWith('/') ? root + place : `${root}/p/vision/${place}`),
    async upload(run, { name, type, step, metadata, content }) {
      const form = new FormData();
      if (metadata !== undefined) form.set('metadata', JSON.stringify(metadata));
      form.set('file', new Blob([content]), name);
      const query = new URLSearchParams({ experimentKey: run, fileName: name, type });
      if (step !== undefined) query.set('step', String(step));
      const reply = await fetch(
        `${server.url}/api/rest/v2/write/experiment/upload-asset?${query.toString()}`,
        { method: 'POST', headers: { authorization: server.apiKey }, body: form },
      );
      if (!reply.ok) throw new Error(`the upload answered ${reply.status}: ${await reply.text()}`);
      return String(((await reply.json()) as { assetId?: unknown }).assetId); // as the row says
    },
    async signIn(look = {}) {
      const opened = await browser.open(look);
      const { page } = opened;
      await page.goto(`${root}/p/vision/runs`);
      await page.getByLabel('User name or e-mail').fill('admin');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('.row[data-key]').first().waitFor();
      return opened;
    },
    async stop() {
      await browser.stop();
      await server.stop();
    },
  };
};
