// What every journey of the JavaScript client shares: checks that name the rule they hold.
import { isDeepStrictEqual } from 'node:util';

const broken = [];

/** Holds a rule: all broken ones are told at the end, not the first alone. */
export const check = (rule, actual, expected = true) => {
  if (!isDeepStrictEqual(actual, expected))
    broken.push(`${rule}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
};

/** A name no other journey uses. */
export const fresh = (name) => `${name}-${process.pid}-${Date.now()}`;

/** Does the work, and prints what came of it as the last line. */
export const journey = async (work) => {
  try {
    await work();
  } catch (error) {
    broken.push(String(error?.stack ?? error));
  }
  process.stdout.write(`\n${JSON.stringify({ found: {}, broken })}\n`, () =>
    process.exit(broken.length === 0 ? 0 : 1),
  );
};
