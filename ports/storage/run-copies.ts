// Copies of runs that are under way, each with how far it has come, so that one that breaks off is finished by whoever comes next.
import { once, reads, type Methods } from './methods.js';

export interface RunCopy {
  /** The experiment that is filled. */
  readonly toId: string;
  readonly fromId: string;
  /** What was logged at later steps is left out. */
  readonly lastStep: number | undefined;
  /** Pieces that are stored already. */
  readonly pieces: number;
  /** Where the next one begins, as whoever copies has noted it. */
  readonly place: string | undefined;
}

export interface RunCopyStore {
  insert(
    copy: Pick<RunCopy, 'toId' | 'fromId' | 'lastStep'> & { readonly at: number },
  ): Promise<void>;
  find(toId: string): Promise<RunCopy | undefined>;
  /** Those that nobody has taken further since a time, the one that has waited longest first. */
  listIdle(since: number, limit: number): Promise<readonly RunCopy[]>;
  /** Notes one more piece. Says `false`, and notes nothing, where the copy is not at `pieces` any more. */
  advance(
    toId: string,
    step: { readonly pieces: number; readonly place: string; readonly at: number },
  ): Promise<boolean>;
  /** Ends a copy that is at `pieces`, or wherever it is. Says whether there was one. */
  remove(toId: string, pieces?: number): Promise<boolean>;
}

export const runCopyMethods: Methods<RunCopyStore> = {
  insert: once,
  find: reads,
  listIdle: reads,
  advance: once,
  remove: once,
};
