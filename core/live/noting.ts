// Gathers what this process stored, and notes it for listeners of every process: at once when it is new, then at most once a second.
import type { Change } from '#ports/model/changes';
import type { Clock } from '#ports/clock';
import type { ChangeStore } from '#ports/storage/changes';

/** How long after one note of a change the next one waits, in ms: points come many times a second. */
const restMs = 900;
/** Changes that wait or rest; beyond it the oldest rests are forgotten, and such changes are noted more often. */
const most = 100_000;
const atOnce = 5000;

export interface Notes {
  add(change: Change): void;
  /** Stores what is due; with `all`, everything. Rejects where that fails, and tries the same again the next time. */
  flush(all?: boolean): Promise<void>;
}

const keyOf = ({ kind, subjectId }: Change): string => `${kind} ${subjectId}`;

export const createNotes = (changes: Pick<ChangeStore, 'note'>, clock: Clock): Notes => {
  const waiting = new Map<string, Change>();
  const restsUntil = new Map<string, number>();
  let flushing: Promise<void> = Promise.resolve();

  const takeDue = (all: boolean): readonly Change[] => {
    const now = clock.now();
    for (const [key, until] of restsUntil) {
      if (until > now && restsUntil.size <= most) break; // in the order in which they end
      restsUntil.delete(key);
    }
    const due: Change[] = [];
    for (const [key, change] of waiting) {
      if (due.length === atOnce) break;
      if (!all && restsUntil.has(key)) continue;
      waiting.delete(key);
      restsUntil.delete(key);
      restsUntil.set(key, now + restMs);
      due.push(change);
    }
    return due;
  };
  const run = async (all: boolean): Promise<void> => {
    for (let due = takeDue(all); due.length > 0; due = takeDue(all))
      try {
        await changes.note(due);
      } catch (thrown) {
        for (const change of due) {
          restsUntil.delete(keyOf(change));
          if (waiting.size < most) waiting.set(keyOf(change), change);
        }
        throw thrown;
      }
  };
  return {
    add(change) {
      if (waiting.size < most) waiting.set(keyOf(change), change);
    },
    flush(all = false) {
      if (waiting.size === 0 && !all) return Promise.resolve();
      flushing = flushing.catch(() => undefined).then(() => run(all));
      return flushing;
    },
  };
};
