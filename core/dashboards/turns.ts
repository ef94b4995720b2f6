// A dashboard asks for all of its charts at once, and a workspace may run only a few statements at a time: they take turns.
import { Failure } from '#ports/failure';

export interface Turns {
  /** Does some work once fewer than so many of the same workspace are going on. Rejects with `throttled` where too many wait. */
  take<T>(workspaceId: string, work: () => Promise<T>): Promise<T>;
}

interface Line {
  going: number;
  readonly waiting: (() => void)[];
}

export const createTurns = (mostAtOnce: number, mostWaiting: number): Turns => {
  const lines = new Map<string, Line>();
  return {
    async take(workspaceId, work) {
      const line = lines.get(workspaceId) ?? { going: 0, waiting: [] };
      lines.set(workspaceId, line);
      if (line.going < mostAtOnce) line.going++;
      else if (line.waiting.length >= mostWaiting)
        throw new Failure('throttled', 'too many charts of the workspace wait for their turn', {
          retryAfter: 2,
        });
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      try {
        return await work();
      } finally {
        // Who waits longest goes on in the place of who ends.
        const next = line.waiting.shift();
        if (next !== undefined) next();
        else if (--line.going === 0) lines.delete(workspaceId);
      }
    },
  };
};
