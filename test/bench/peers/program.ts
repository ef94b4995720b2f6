// A server of another product as a process of its own, which ends with this one.
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, waitUntilReady } from '#test/servers/launch';

export interface Program {
  readonly name: string;
  /** Where its programs are. */
  readonly bin: string;
  readonly program: string;
  readonly arguments: (port: number, folder: string) => readonly string[];
  readonly environment?: (folder: string) => Readonly<Record<string, string>>;
  /** What answers 200 once it serves. */
  readonly ready: string;
}

export interface Running {
  readonly pid: number;
  readonly port: number;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts it in a folder of its own, and waits until it serves. */
export const startProgram = async (given: Program): Promise<Running> => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-peer-'));
  const port = await findFreePort();
  const path = join(folder, 'log');
  const log = openSync(path, 'a');
  const child = spawn(join(given.bin, given.program), given.arguments(port, folder), {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      PATH: `${given.bin}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      ...given.environment?.(folder),
    },
  });
  const pid = child.pid ?? 0;
  let ended = false;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      ended = true;
      resolve();
    });
  });
  const endAtOnce = (): void => {
    if (!ended) process.kill(-pid, 'SIGKILL');
  };
  process.once('exit', endAtOnce);
  const stop = async (): Promise<void> => {
    if (!ended) process.kill(-pid, 'SIGTERM');
    const insist = setTimeout(endAtOnce, 10_000);
    await gone;
    clearTimeout(insist);
    process.off('exit', endAtOnce);
    await rm(folder, { recursive: true, force: true });
  };
  const tail = (): string => readFileSync(path, 'utf8').split('\n').slice(-6).join(' | ');
  try {
    await waitUntilReady(
      {
        name: given.name,
        pid,
        folder,
        ended: () => (ended ? 'ended before it served' : undefined),
        tail,
        stop,
      },
      async () => {
        const reply = await fetch(`http://127.0.0.1:${port}${given.ready}`);
        await reply.arrayBuffer();
        if (!reply.ok) throw new Error(`it answered ${reply.status}`);
      },
      120,
    );
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { pid, port, folder, stop };
};
