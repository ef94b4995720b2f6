// Deleting something that does not come back: it waits some seconds in which it can be taken back.
import { signal } from '@preact/signals';
import { doLater, type From } from '../later.js';
import { go, pathHere, tell, unsaved } from '../state.js';

export interface Deletion {
  readonly verb?: 'Delete' | 'Remove';
  /** Its kind, as in “the dataset”. */
  readonly what: string;
  /** Its name; of several, how many of what they are. */
  readonly name: string;
  /** What tells it from others of its kind; the name without it. */
  readonly id?: string;
  /** What tells each of several from others. */
  readonly ids?: readonly string[];
  /** Deletes it; what it asks for after something else has come, it asks by `from`. */
  readonly onDo: (from: From) => Promise<unknown>;
  /** Where the page is about it: the page to leave to. Who takes it back comes back. */
  readonly leaves?: string | undefined;
  /** Called once it was agreed to. */
  readonly onAgreed?: (() => void) | undefined;
}

/** What is about to be deleted, by its kind and id: whoever comes back to a page finds it so. */
export const going = signal<ReadonlySet<string>>(new Set());
/** Counts up when something was deleted, or could not be; lists ask anew. */
export const deletions = signal(0);

const keyOf = (what: string, id: string): string => `${what} ${id}`;
export const isGoing = (what: string, id: string): boolean => going.value.has(keyOf(what, id));

/** Says in the row of something that it is about to be deleted. */
export const Going = ({ what, id }: { what: string; id: string }) =>
  isGoing(what, id) ? (
    <>
      {' '}
      <span class="going">being deleted</span>
    </>
  ) : null;

/** Deletes it after some seconds, unless that is taken back. */
export const deleteSoon = ({
  verb = 'Delete',
  what,
  name,
  id = name,
  ids,
  onDo,
  leaves,
  onAgreed,
}: Deletion): void => {
  const keys = new Set((ids ?? [id]).map((one) => keyOf(what, one)));
  const subject = ids === undefined ? `The ${what} ${name}` : name;
  const past = verb === 'Delete' ? 'deleted' : 'removed';
  const ends = (ids?.length ?? 1) === 1 ? [`is ${past}`, 'stays'] : [`are ${past}`, 'stay'];
  const came = pathHere() + location.search;
  const without = () => [...going.value].filter((key) => !keys.has(key));
  const settle = () => {
    going.value = new Set(without());
  };
  doLater(
    async (from) => {
      try {
        await onDo(from);
        tell(`${subject} ${ends[0]}`);
      } finally {
        settle();
        deletions.value++;
      }
    },
    `${subject} will be ${past}`,
    () => {
      settle();
      tell(`${subject} ${ends[1]}`);
      // What is written elsewhere meanwhile is not lost by that.
      if (leaves !== undefined && unsaved.size === 0) go(came);
    },
  );
  going.value = new Set([...without(), ...keys]);
  onAgreed?.();
  if (leaves !== undefined) go(leaves);
};
