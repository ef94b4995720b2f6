// One process for one run: it has no environment and an empty folder, and is ended from outside, whatever it does.
import { spawn, type ChildProcess } from 'node:child_process';
import type { MetricLimits } from '#ports/metric-runner';
import { bootstrap, harness } from './harness.js';

/** What a process came to: all that it wrote, or why it was ended. */
export type Ended =
  | { readonly written: Uint8Array; readonly complaint: string }
  | { readonly ended: 'late' | 'talkative' | 'aborted' }
  | { readonly unstarted: string };

/** What is kept of what an interpreter says that does not start. */
const longestComplaint = 2000;
/** What goes around an answer. */
const envelopeBytes = 1000;

/** Apart from the user's site, with UTF-8, and with nothing on its path but what comes with it. */
const isolated = ['-I', '-S', '-B', '-X', 'utf8', '-c'];

const wordsFor = (call: object, { timeMs, memoryBytes, outputBytes }: MetricLimits): Buffer => {
  const program = Buffer.from(harness);
  const seconds = Math.ceil(timeMs / 1000);
  const limits = JSON.stringify({ seconds, memory: memoryBytes, output: outputBytes });
  return Buffer.concat([
    Buffer.from(`${program.length}\n`),
    program,
    Buffer.from(`${limits}\n${JSON.stringify(call)}`),
  ]);
};

/** Ends a process with all that it may have started. */
const endGroup = ({ pid, exitCode, signalCode }: ChildProcess): void => {
  // The number of one that ended may be another's by now.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
};

export interface Interpreter {
  /** Its path. */
  readonly python: string;
  /** Where its folder is. */
  readonly folder: string;
}

/** Runs a call in a process of its own until it ends, which it does by the limits. Never rejects. */
export const runChild = (
  { python, folder }: Interpreter,
  call: object,
  limits: MetricLimits,
  signal: AbortSignal,
): Promise<Ended> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ ended: 'aborted' });
      return;
    }
    const child = spawn(python, [...isolated, bootstrap], {
      ...{ cwd: folder, env: {}, detached: true },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const written: Buffer[] = [];
    let [bytes, complaint] = [0, ''];
    let why: 'late' | 'talkative' | 'aborted' | undefined;
    const end = (reason: typeof why) => {
      why ??= reason;
      endGroup(child);
    };
    const abort = () => {
      end('aborted');
    };
    const timer = setTimeout(end, limits.timeMs, 'late');
    signal.addEventListener('abort', abort, { once: true });
    const settle = (ended: Ended) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(ended);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.outputBytes + envelopeBytes) end('talkative');
      else written.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-longestComplaint);
    });
    child.once('error', ({ message }) => {
      settle({ unstarted: message });
    });
    child.once('close', () => {
      settle(why === undefined ? { written: Buffer.concat(written), complaint } : { ended: why });
    });
    child.stdin.on('error', () => undefined); // one that ended does not read on; its end is told above
    child.stdin.end(wordsFor(call, limits));
  });
