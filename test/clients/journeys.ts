// Runs a journey: a script that drives a public client of Python against a server, and prints what it found.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export const journeyLimitMs = 240_000;

/** What a journey prints as its last line. */
export interface Findings {
  readonly found: Readonly<Record<string, unknown>>;
  /** Each broken rule with what was expected and what came. */
  readonly broken: readonly string[];
}

export const goThrough = (
  python: string,
  script: string,
  settings: Readonly<Record<string, string>>,
): Promise<Findings> =>
  new Promise((resolve, reject) => {
    const home = mkdtempSync(join(tmpdir(), 'orrery-python-'));
    // No setting of the person who runs the tests may reach the client: it starts with an empty home.
    const child = spawn(python, [script], {
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        PYTHONDONTWRITEBYTECODE: '1',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed: Buffer[] = [];
    const complained: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complained.push(chunk));
    const limit = setTimeout(() => child.kill('SIGKILL'), journeyLimitMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      rmSync(home, { recursive: true, force: true });
      const last = Buffer.concat(printed).toString().trim().split('\n').at(-1) ?? '';
      // Only journey.py writes a line that begins like this.
      if (last.startsWith('{"found"')) resolve(JSON.parse(last) as Findings);
      else
        reject(
          new Error(
            `${basename(script)} ended with ${String(code ?? signal)}: ${Buffer.concat(complained).toString().slice(-4000)}`,
          ),
        );
    });
  });
