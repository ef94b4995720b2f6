// Runs the test files that the parent names in this process, suite after suite, and reports the counts of each.
import { config } from 'chai';
import Mocha from 'mocha';
import { endAll } from './ending.js';

/** What one suite came to. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The full title of each that failed, with what it said. */
  readonly failures: readonly string[];
}

/** What the parent asks for: the files of a suite, or the end. */
export type Order = { readonly files: readonly string[] } | 'end';

// What was expected and what came are told, not their first 40 characters.
config.truncateThreshold = 2000;

/** After so long what keeps the process alive is told, before the parent ends it. */
const openAfterMs = 5000;

const textOf = (fault: unknown): string =>
  fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);

const run = async (files: readonly string[]): Promise<Counts> => {
  const mocha = new Mocha({ timeout: 60_000, reporter: 'spec', color: process.stdout.isTTY });
  for (const file of files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  return new Promise((resolve) => {
    const failures: string[] = [];
    const runner = mocha.run((failed) => {
      resolve({
        passed: runner.stats?.passes ?? 0,
        failed,
        skipped: runner.stats?.pending ?? 0,
        failures,
      });
    });
    runner.on('fail', (test, fault: unknown) => {
      failures.push(`${test.fullTitle()}\n${textOf(fault)}`);
    });
  });
};

/** Ends what the suites shared. The channel to the parent is the one handle this file opened; whatever keeps the process alive after it was leaked by a test. */
const end = async (): Promise<void> => {
  setTimeout(() => {
    process.stderr.write(`still open: ${process.getActiveResourcesInfo().join(', ')}\n`);
  }, openAfterMs).unref();
  await endAll().catch((fault: unknown) => {
    process.stderr.write(`${textOf(fault)}\n`);
    process.exitCode = 1;
  });
  process.disconnect?.();
};

const fail = (fault: unknown): Counts => {
  process.stderr.write(`${textOf(fault)}\n`);
  return { passed: 0, failed: 1, skipped: 0, failures: [textOf(fault)] };
};

process.on('message', (order: Order) => {
  if (order === 'end') void end();
  else
    void run(order.files)
      .catch(fail)
      .then((counts) => process.send?.(counts));
});
