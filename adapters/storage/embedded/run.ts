import { spawn } from 'node:child_process';
import type { Runner } from './runner.js';

export interface Outcome {
  /** `undefined` when the program could not be started or was ended by a signal. */
  readonly code: number | undefined;
  /** Why it could not be started: `EACCES`, `ENOENT`. */
  readonly refused: string | undefined;
  readonly output: string;
}

export interface Call {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** This process's own user when not given. */
  readonly runner?: Runner;
}

/** Nothing of this process's environment is passed on: it may hold secrets, and libpq's variables would change the server. */
export const cleanEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' } as const;

/** Runs a program to its end; never rejects. */
export const run = ({ file, args, environment, cwd, runner }: Call): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...cleanEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', ...(runner?.inherited ?? [])],
      ...runner?.spawnAs,
    });
    const pieces: Buffer[] = [];
    child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
    child.stderr?.on('data', (piece: Buffer) => pieces.push(piece));
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve({ code: undefined, refused: error.code ?? error.message, output: '' });
    });
    child.once('close', (code) => {
      resolve({
        code: code ?? undefined,
        refused: undefined,
        output: Buffer.concat(pieces).toString(),
      });
    });
  });
