// Runs the test files named on the command line in this process and reports the counts to the parent.
import Mocha from 'mocha';

/** What one suite came to. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const mocha = new Mocha({ timeout: 60_000, reporter: 'spec', color: process.stdout.isTTY });
for (const file of process.argv.slice(2)) mocha.addFile(file);
await mocha.loadFilesAsync();
const runner = mocha.run((failures) => {
  const counts: Counts = { passed: runner.stats?.passes ?? 0, failed: failures, skipped: runner.stats?.pending ?? 0 };
  process.send?.(counts);
  process.exitCode = failures === 0 ? 0 : 1;
  // The channel to the parent is the one handle this file opened; whatever keeps the process alive now was leaked by a test.
  process.disconnect?.();
});
