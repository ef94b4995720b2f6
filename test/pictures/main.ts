// `npm run pictures`: fills a server with the demo, opens its screens in a browser, and keeps what they look like beside the plugin.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { openBrowser } from '#test/clients/browser/browser';
import { findFreePort } from '#test/servers/launch';
import { startModel } from './model.js';
import { screensOf, type Screen } from './screens.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const [width, height] = [1400, 860];
/** Those that are full of small print may be larger than the others. */
const [mostBytes, usualBytes] = [120_000, 72_000];
const large: readonly string[] = ['runs', 'runs-dark', 'parallel', 'groups', 'experiments'];

interface Told {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
  readonly project: string;
  readonly assistant: string;
  readonly models: readonly string[];
  readonly password: string;
}

/** A server with the demo in it; `password` signs in. */
const startDemo = async (folder: string): Promise<{ child: ChildProcess; told: Told }> => {
  const cli = join(root, 'dist', 'config', 'cli.js');
  const child = spawn(process.execPath, [cli, 'demo', '--serve', folder, '--json'], {
    env: {
      ...process.env,
      ORRERY_PORT: String(await findFreePort()),
      ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (piece: Buffer) => {
    out += piece.toString();
  });
  while (!out.trimEnd().endsWith('}')) {
    if (child.exitCode !== null) throw new Error('the demo ended early; its words stand above');
    await new Promise((wake) => setTimeout(wake, 100));
  }
  return { child, told: JSON.parse(out) as Told }; // what `--json` promises
};

const signIn = async (page: Page, told: Told): Promise<void> => {
  await page.goto(told.url);
  await page.getByLabel('User name or e-mail').fill('admin');
  await page.getByLabel('Password').fill(told.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.row[data-key]').first().waitFor();
};

/** The picture in WebP, of the best quality that stays below the limit. */
const take = async (cdp: CDPSession, most: number): Promise<Buffer> => {
  for (const quality of [88, 78, 66, 50, 36]) {
    const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality });
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length < most) return bytes;
  }
  throw new Error(`a picture is larger than ${most} bytes`);
};

const open = async (page: Page, origin: string, screen: Screen): Promise<void> => {
  await page.goto(origin + screen.path);
  await page.locator(screen.shows).first().waitFor();
  await page.waitForLoadState('load');
  await page.waitForTimeout(1500); // charts and pictures are drawn when they are in view
  await screen.then?.(page);
};

const folder = mkdtempSync(join(tmpdir(), 'orrery-pictures-'));
const to = join(root, 'plugins', 'web-ui', 'pictures');
const browser = await openBrowser();
if ('missing' in browser) throw new Error(browser.missing);
const model = await startModel();
const { child, told } = await startDemo(join(folder, 'data'));
try {
  const screens = await screensOf({ ...told, modelUrl: model.url });
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const dark of [false, true]) {
    const { page, context } = await browser.open({ width, dark });
    await page.setViewportSize({ width, height });
    await signIn(page, told);
    const cdp = await context.newCDPSession(page);
    for (const screen of screens.filter((one) => (one.dark ?? false) === dark)) {
      await page.setViewportSize({ width, height: screen.height ?? height });
      await open(page, new URL(told.url).origin, screen);
      const bytes = await take(cdp, large.includes(screen.name) ? mostBytes : usualBytes);
      writeFileSync(join(to, `${screen.name}.webp`), bytes);
      process.stdout.write(`${screen.name}.webp  ${Math.round(bytes.length / 1000)} kB\n`);
    }
    await context.close();
  }
} finally {
  await browser.stop();
  model.server.close();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
