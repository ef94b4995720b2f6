// Every use-case that reads in order to write, asked for by many at once. A new one is one more entry in one of these lists.
import type { Asking } from './asking.js';
import { changingCases } from './changing.js';
import { placingCases } from './placing.js';
import { versionCases } from './versions.js';

export interface UseCase {
  /** What holds however many ask at once, as the title of a case. */
  readonly rule: string;
  /** The row that it locks, or the version that it compares. */
  readonly holds: string;
  run(asking: Asking): Promise<void>;
}

export const useCases: readonly UseCase[] = [...placingCases, ...changingCases, ...versionCases];
