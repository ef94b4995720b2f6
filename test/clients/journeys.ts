// Runs a journey: a script that drives a public client of Python against a server, and prints what it found.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { oneOf } from '#test/sampling';
import { triedStorages, type StorageChoice } from './server.js';

export const journeyLimitMs = 240_000;

/** Journeys of command-line tools: they take minutes of their own, and ask the server what other journeys do. */
const ofTools = /^(commands|tools)\.py$/;

/** The journeys of a folder over a database; those of command-line tools are over one database in each run. */
export const journeysIn = (folder: string, storage: StorageChoice): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.py') && file !== 'journey.py')
    .sort()
    .map((file) => join(folder, file))
    .filter(
      (path) => !ofTools.test(basename(path)) || oneOf(triedStorages, basename(path)) === storage,
    );

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
