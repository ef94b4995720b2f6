import { port } from './port.js';

/** What a pattern has at most: characters as it is written, and steps that it is compiled to, of which `a{100}` has a hundred. */
export const namePatternBounds = { characters: 200, steps: 500 } as const;

/** Regular expressions over names, in time that grows with the name alone: no pattern holds the server. */
export interface NamePatterns {
  /**
   * Whether a name holds what the pattern describes, wherever in it. The syntax is that of RE2: no lookaround and no backreferences. Rejects
   * with `invalid`, in a sentence that says what is wrong, for a pattern that is not of it, is empty, or is beyond `namePatternBounds`.
   */
  compile(pattern: string): Promise<(name: string) => boolean>;
}
export const NamePatterns = port<NamePatterns>('name-patterns');
