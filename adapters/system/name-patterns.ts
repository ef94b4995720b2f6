// Regular expressions by a port of RE2, which simulates an automaton and never goes back.
import type { RE2JS } from 're2js';
import { Failure } from '#ports/failure';
import { namePatternBounds, type NamePatterns } from '#ports/name-patterns';

const refuse = (why: string): never => {
  throw new Failure('invalid', `the regular expression ${why}`);
};

/** What is not part of the syntax, in words that say more than the fault of the parser. */
const unsupported = (pattern: string): string | undefined => {
  const bare = pattern.replaceAll(/\\[^1-9]/g, '');
  if (/\(\?(?:[=!]|<[=!])/.test(bare)) return 'must not look ahead or behind';
  return /\\[1-9]/.test(bare) ? 'must not refer back to a group' : undefined;
};

/** Few servers are ever asked for one. */
const load = () => import('re2js');

const read = async (pattern: string): Promise<RE2JS> => {
  const { RE2JS: engine } = await load();
  try {
    return engine.compile(pattern);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Failure('invalid', `the regular expression is not understood: ${why.slice(0, 200)}`, {
      cause: thrown,
    });
  }
};

export const linearPatterns: NamePatterns = {
  async compile(pattern) {
    const { characters, steps } = namePatternBounds;
    if (pattern === '') refuse('must not be empty');
    if (pattern.length > characters) refuse(`must have at most ${characters} characters`);
    const wrong = unsupported(pattern);
    if (wrong !== undefined) refuse(wrong);
    const compiled = await read(pattern);
    if (compiled.programSize() > steps)
      refuse(
        `repeats too much: it has more than ${steps} steps when its repetitions are written out`,
      );
    return (name) => compiled.test(name);
  },
};
