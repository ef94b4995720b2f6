// Metrics in Python, each run in a process that has shut itself in before it reads what it runs.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Opened } from '#ports/drivers';
import { Failure } from '#ports/failure';
import type { MetricCall, MetricLimits, MetricRunner } from '#ports/metric-runner';
import { fault, readAnswer, refusalIn } from './answers.js';
import { runChild, type Ended, type Interpreter } from './child.js';
import { createTurns } from './turns.js';

/** Where an interpreter without a path is looked for. */
const usualPath = '/usr/local/bin:/usr/bin:/bin';
const startMs = 20_000;
const [mostAtOnce, mostWaiting] = [4, 500];
const trial: MetricLimits = { timeMs: startMs, memoryBytes: 256 * 1024 * 1024, outputBytes: 1000 };
const trialSource = `
from opik.evaluation.metrics import base_metric, score_result
class Trial(base_metric.BaseMetric):
    def score(self, **given):
        return score_result.ScoreResult(name='trial', value=1)
`;

const unfit = (python: string, why: string, cause?: unknown) =>
  new Failure(
    'invalid',
    `ORRERY_PYTHON_METRICS names ${python}, with which no metric can be run safely: ${why}`,
    { cause },
  );

/** The interpreter itself, where its name is that of a program which finds it. */
const pathOf = async (python: string): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(
      python,
      ['-I', '-S', '-c', 'import sys; print(sys.executable)'],
      { env: { PATH: usualPath }, timeout: startMs },
    );
    if (stdout.trim() !== '') return stdout.trim();
  } catch (cause) {
    throw unfit(python, 'it does not start as Python does', cause);
  }
  throw unfit(python, 'it does not say where it is');
};

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const complaintOf = (ended: Ended): string => {
  const refused = refusalIn(ended);
  if (refused !== undefined) return refused;
  if ('unstarted' in ended) return ended.unstarted;
  if ('ended' in ended) return 'it did not answer in time';
  return lastLine(ended.complaint) || 'it ended without an answer';
};

/** Runs a call in a folder of its own: it is empty, not to be written to, and the root of the process where the kernel allows that. */
const runApart = async (
  { python, folder: above }: Interpreter,
  call: MetricCall,
  limits: MetricLimits,
  signal: AbortSignal,
): Promise<Ended> => {
  const folder = await mkdtemp(join(above, 'orrery-metric-'));
  try {
    await chmod(folder, 0o555);
    return await runChild({ python, folder }, call, limits, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Runs a metric that asks for nothing. Rejects where it does not come through. */
const tryOut = async (interpreter: Interpreter): Promise<void> => {
  const call = { source: trialSource, arguments: {} };
  const ended = await runApart(interpreter, call, trial, new AbortController().signal);
  const answer = readAnswer(ended, trial);
  if ('scores' in answer && answer.scores[0]?.value === 1) return;
  throw unfit(interpreter.python, complaintOf(ended));
};

/**
 * Opens a runner that starts this interpreter for each run. Rejects with `invalid` and a sentence where there is none, or where its process cannot be
 * shut in on this platform: nothing is ever run unprotected. Each run has a folder of its own below the one that is given.
 */
export const openPythonMetrics = async (
  python: string,
  folder = tmpdir(),
): Promise<Opened<MetricRunner>> => {
  if (process.platform !== 'linux') throw unfit(python, 'Linux on x86-64 or ARM64 is needed');
  const interpreter: Interpreter = { python: await pathOf(python), folder };
  await tryOut(interpreter);
  const turns = createTurns(Math.max(1, Math.min(mostAtOnce, availableParallelism())), mostWaiting);
  const stopping = new AbortController();
  return {
    made: {
      isOn: true,
      async run(call, limits, signal) {
        const either = AbortSignal.any([signal, stopping.signal]);
        const giveBack = await turns.take(either);
        if (giveBack === undefined) return fault('waited for its turn in vain', true);
        try {
          return readAnswer(await runApart(interpreter, call, limits, either), limits);
        } catch {
          // The disk has no room for a folder, or the system none for a process.
          return fault('could not be started', true);
        } finally {
          giveBack();
        }
      },
    },
    async stop() {
      stopping.abort();
      await turns.idle();
    },
  };
};
