// A real browser for tests of pages: Debian's chromium, driven by playwright-core, with what every page must stand.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

export interface Look {
  readonly dark?: boolean;
  /** 1280 when left out. */
  readonly width?: number;
  /** Whether pages may run script; they may, unless told otherwise. */
  readonly script?: boolean;
}

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained of so far: refused styles, broken requests, script errors. */
  complaints(): readonly string[];
}

export interface TestBrowser {
  /** A page with cookies of its own. */
  open(look?: Look): Promise<OpenedPage>;
  stop(): Promise<void>;
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
const findProgram = (): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((one) => one !== '');
  return [
    process.env['ORRERY_TEST_CHROMIUM'] ?? '',
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
  ]
    .filter((path) => path !== '')
    .find(isProgram);
};

/** The browser; or one line that says what to install. */
export const openBrowser = async (): Promise<TestBrowser | { readonly missing: string }> => {
  const executablePath = findProgram();
  if (executablePath === undefined)
    return {
      missing:
        'no chromium here; install it with "apt-get install chromium", or name one by ORRERY_TEST_CHROMIUM',
    };
  // Tests run as root on build machines, where chromium has no sandbox; the pages are our own.
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--hide-scrollbars'],
  });
  return {
    async open({ dark = false, width = 1280, script = true } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme: dark ? 'dark' : 'light',
        javaScriptEnabled: script,
        reducedMotion: 'reduce',
        locale: 'en-GB',
      });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      const heard: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
      });
      page.on('pageerror', (error) => heard.push(error.message));
      page.on('requestfailed', (request) => heard.push(`${request.url()} failed`));
      return { page, context, complaints: () => heard };
    },
    stop: () => browser.close(),
  };
};

/** Those of axe-core whose answer depends on colours. */
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/** What axe-core finds wrong with a page for people who see, hear or point differently; a line for each. With `ofColours`, by the rules of colours alone. */
export const axeFaults = async (
  page: Page,
  { ofColours = false }: { readonly ofColours?: boolean } = {},
): Promise<readonly string[]> => {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    (options) =>
      (
        globalThis as unknown as {
          axe: {
            run(
              options: unknown,
            ): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
          };
        }
      ).axe.run(options),
    {
      resultTypes: ['violations'],
      ...(ofColours ? { runOnly: { type: 'rule', values: rulesOfColours } } : {}),
    },
  ); // what was just put there
  return found.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
};

/** Whether something of the page can be reached by scrolling sideways only. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = (
      globalThis as unknown as {
        document: { documentElement: { scrollWidth: number; clientWidth: number } };
      }
    ).document.documentElement;
    return scrollWidth > clientWidth;
  }); // this runs in the browser

const references = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  '..',
  'test',
  'clients',
  'browser',
  'looks',
);
/** Mean difference of a channel, of 255: another set of fonts makes less, a button that is gone makes more. */
const tolerated = 1.3;

/** How far two pictures are from each other when they are looked at from afar: the mean difference of a channel over a grid of 64 × 40. */
const distance = async (page: Page, one: Buffer, other: Buffer): Promise<number> => {
  const canvas = await page.context().newPage();
  try {
    return await canvas.evaluate(
      async (addresses) => {
        const browser = globalThis as unknown as {
          Image: new () => { src: string; decode(): Promise<void> };
          document: {
            createElement(name: 'canvas'): {
              width: number;
              height: number;
              getContext(kind: '2d'): {
                drawImage(...given: unknown[]): void;
                getImageData(
                  x: number,
                  y: number,
                  w: number,
                  h: number,
                ): { data: Uint8ClampedArray };
              };
            };
          };
        }; // this runs in the browser
        const [left, right] = await Promise.all(
          addresses.map(async (address) => {
            const image = new browser.Image();
            image.src = address;
            await image.decode();
            const sheet = browser.document.createElement('canvas');
            [sheet.width, sheet.height] = [64, 40];
            const pen = sheet.getContext('2d');
            pen.drawImage(image, 0, 0, 64, 40);
            return pen.getImageData(0, 0, 64, 40).data;
          }),
        );
        return left === undefined || right === undefined
          ? 255
          : left.reduce((sum, value, at) => sum + Math.abs(value - (right[at] ?? 0)), 0) /
              left.length;
      },
      [one, other].map((picture) => `data:image/png;base64,${picture.toString('base64')}`),
    );
  } finally {
    await canvas.close();
  }
};

/** Fails when a page no longer looks as it did when its picture was kept; with ORRERY_TEST_LOOKS=keep it is kept anew. */
export const looksAsKept = async (page: Page, name: string): Promise<void> => {
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const kept = join(references, `${name}.png`);
  if (process.env['ORRERY_TEST_LOOKS'] === 'keep') {
    mkdirSync(references, { recursive: true });
    writeFileSync(kept, shot);
    return;
  }
  if (!existsSync(kept))
    throw new Error(
      `there is no picture ${kept}; look at the page and keep one with ORRERY_TEST_LOOKS=keep`,
    );
  const off = await distance(page, shot, readFileSync(kept));
  if (off <= tolerated) return;
  const actual = join(tmpdir(), `orrery-${name}.png`);
  writeFileSync(actual, shot);
  throw new Error(
    `the page differs from ${kept} by ${off.toFixed(1)} of 255 a channel; it looks like ${actual}`,
  );
};
