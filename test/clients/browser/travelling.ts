// What journeys share: signing in, finding things by their names, and programs of the Python and JavaScript clients that go on beside the page.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { cacheFolder } from '#test/servers/launch';
import type { FreshServer } from './fresh.js';
import type { Hands } from './hands.js';

export const python =
  process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
// Programs are run where they are written, not where this file is compiled to.
const folder = join(
  dirname(fileURLToPath(import.meta.url)),
  ...['..', '..', '..', '..', 'test', 'clients', 'browser'],
);

interface Told {
  readonly name: string;
  readonly key: string;
  readonly url: string;
}
/** A program that goes on beside the page. */
export interface Program {
  /** What it printed under a name, once it has. */
  line(name: string): Promise<Told>;
  /** Until it has ended. */
  ended: Promise<void>;
  /** Lets it go on where it waits. */
  goOn(): void;
  stop(): void;
}

export const startProgram = (script: string, env: Readonly<Record<string, string>>): Program => {
  const home = mkdtempSync(join(tmpdir(), 'orrery-python-'));
  const child = spawn(script.endsWith('.mjs') ? process.execPath : python, [join(folder, script)], {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PYTHONDONTWRITEBYTECODE: '1',
      GO_ON: join(home, 'go-on'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, complained] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  child.stderr.on('data', (piece: Buffer) => {
    complained += piece.toString();
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('close', (code) => {
      rmSync(home, { recursive: true, force: true });
      if (code === 0) resolve();
      else reject(new Error(`${script} ended with ${String(code)}: ${complained.slice(-2000)}`));
    });
  });
  ended.catch(() => undefined); // whoever waits for it hears of it
  return {
    ended,
    goOn: () => writeFileSync(join(home, 'go-on'), ''),
    stop: () => void child.kill('SIGKILL'),
    async line(name) {
      for (;;) {
        const line = printed.split('\n').find((one) => one.startsWith(`{"name": "${name}"`));
        if (line !== undefined) return JSON.parse(line) as Told; // as the script prints it
        if (child.exitCode !== null) await ended;
        await new Promise((wake) => setTimeout(wake, 100));
      }
    },
  };
};

export const signIn = async (
  page: Page,
  hands: Hands,
  { url, user, password }: FreshServer,
): Promise<void> => {
  await page.goto(`${url}/w`);
  await hands.write(page.getByLabel('User name or e-mail'), user);
  await hands.write(page.getByLabel('Password'), password);
  await hands.press(page.getByRole('button', { name: 'Sign in' }));
  await page.getByRole('heading', { name: 'Home' }).waitFor();
};

/** Goes to something by its name, from anywhere. */
export const find = async (page: Page, name: string, kind: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(name);
  await page.getByRole('option', { name: new RegExp(`^${name} ?${kind}`) }).waitFor();
  await page.keyboard.press('Enter');
};
