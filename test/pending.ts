import type { Context } from 'mocha';

/**
 * Leaves a case out for want of something this machine lacks, with the reason in its title; where everything must run
 * (`ORRERY_TEST_ALL=1`) it fails instead.
 */
export const pendingUnlessAll = (context: Context, why: string): void => {
  if (process.env['ORRERY_TEST_ALL'] === '1') throw new Error(`must not be left out here: ${why}`);
  // In a hook the hook's own title is never printed: the first case that it leaves out tells why.
  const runnable = context.currentTest ?? context.test;
  if (runnable !== undefined) runnable.title = `${runnable.title} (left out: ${why})`;
  context.skip();
};
