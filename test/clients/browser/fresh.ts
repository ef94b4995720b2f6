// A server as a newcomer starts it: by the command of the README, on an empty folder, with what it prints once.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeStore } from '#test/clients/server';
import { findFreePort } from '#test/servers/launch';
import { storageNow } from './signed-in.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..');
const readyLimitMs = 90_000;

export interface FreshServer {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly apiKey: string;
  /** What the Python client is given, as it is printed. */
  readonly python: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const read = (output: string): Omit<FreshServer, 'stop'> | undefined => {
  const line = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(output)?.[1];
  const exported = [...output.matchAll(/^ {2}export (\w+)='?([^'\n]+)'?$/gm)];
  const [url, user, password, apiKey] = [
    /^Orrery is at (\S+)$/m.exec(output)?.[1],
    line('user'),
    line('password'),
    line('API key'),
  ];
  return url === undefined ||
    user === undefined ||
    password === undefined ||
    apiKey === undefined ||
    exported.length < 3
    ? undefined
    : {
        url,
        user,
        password,
        apiKey,
        python: Object.fromEntries(exported.map(([, name = '', value = '']) => [name, value])),
      };
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
};

/** Rejects with what was written where the server does not say within a while where it is. */
export const startFresh = async (
  env: Readonly<Record<string, string>> = {},
): Promise<FreshServer> => {
  // A newcomer has the embedded database; journeys are the same over others.
  const store = await makeStore(storageNow());
  if ('missing' in store) throw new Error(store.missing);
  const folder = mkdtempSync(join(tmpdir(), 'orrery-fresh-'));
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: {
      ...process.env,
      ORRERY_PORT: String(await findFreePort()),
      ORRERY_DATA: join(folder, 'data'),
      ...(storageNow() === 'embedded' ? {} : store.settings),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece.toString();
    });
  const stop = async () => {
    await end(child);
    await store.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + readyLimitMs;
  for (;;) {
    const told = read(output);
    if (told !== undefined) return { ...told, stop };
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`the server did not start: ${output.slice(-2000)}`);
    }
    await wait(50);
  }
};
