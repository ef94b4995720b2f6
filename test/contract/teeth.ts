import Mocha from 'mocha';

/** Titles of the cases of a suite, by how they ended. */
export interface Outcome {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

const globals = ['describe', 'it', 'before', 'beforeEach', 'after', 'afterEach'] as const;

export interface AsideOptions {
  /** Ends with the first case that fails. */
  readonly bail?: boolean;
  /** Runs only the cases of these full titles. */
  readonly only?: (fullTitle: string) => boolean;
}

/**
 * Runs cases on the side, within another case, and says how they ended; nothing is printed. `define` calls the suite as a test
 * file would. Made to prove that a suite turns red: hand it something that does nothing and look at `failed`.
 */
export const runAside = async (
  define: () => void,
  { bail = false, only }: AsideOptions = {},
): Promise<Outcome> => {
  const mocha = new Mocha({ ui: 'bdd', reporter: Mocha.reporters.Base, timeout: 10_000, bail });
  defineWithin(mocha, define);
  if (only !== undefined) keepOnly(mocha.suite, only);
  const passed: string[] = [];
  const failed: string[] = [];
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', (test) => passed.push(test.fullTitle()));
    runner.on('fail', (test) => failed.push(test.fullTitle()));
  });
  mocha.dispose();
  return { passed, failed };
};

const keepOnly = (suite: Mocha.Suite, only: (fullTitle: string) => boolean): void => {
  suite.tests = suite.tests.filter((test) => only(test.fullTitle()));
  for (const inner of suite.suites) keepOnly(inner, only);
};

// The words of a suite are globals, and belong to the outer run: they are lent to the inner one while it is defined.
const defineWithin = (mocha: Mocha, define: () => void): void => {
  const outer = globals.map((name) => [name, Reflect.get(globalThis, name)] as const);
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  try {
    define();
  } finally {
    for (const [name, value] of outer) Reflect.set(globalThis, name, value);
  }
};

/** The same thing with one method that does nothing and gives `undefined`. */
export const withoutEffect = <T extends object>(whole: T, method: keyof T & string): T => ({
  ...whole,
  [method]: async () => undefined,
});
