// Deleting something that does not come back: one agrees to it, and takes it back for some seconds after.
import { signal } from '@preact/signals';
import { doLater } from '../later.js';
import { tell } from '../state.js';
import { agree } from './form.js';

/** What is about to be deleted, by its kind and id: whoever comes back to a page finds it so. */
const waiting = signal<ReadonlySet<string>>(new Set());
/** Counts up when something was deleted, or could not be; lists ask anew. */
export const deletions = signal(0);

const without = (key: string) => {
  waiting.value = new Set([...waiting.value].filter((one) => one !== key));
};

export const Deletes = ({
  verb = 'Delete',
  what,
  name,
  id = name,
  warns,
  onDo,
  onAgreed,
  onBack,
}: {
  verb?: 'Delete' | 'Remove';
  /** Its kind, as in “the dataset”. */
  what: string;
  name: string;
  /** What tells it from others of its kind; the name without it. */
  id?: string;
  warns: string;
  onDo: () => Promise<unknown>;
  /** Where the page is its own: leaves it, and comes back. */
  onAgreed?: (() => void) | undefined;
  onBack?: (() => void) | undefined;
}) => {
  const key = `${what} ${id}`;
  const label = `${verb} ${name}`;
  const past = verb === 'Delete' ? 'deleted' : 'removed';
  const waits = waiting.value.has(key);
  const work = async () => {
    try {
      await onDo();
      tell(`The ${what} ${name} is ${past}`);
    } finally {
      without(key);
      deletions.value++;
    }
  };
  const begin = () => {
    waiting.value = new Set([...waiting.value, key]);
    doLater(work, `The ${what} ${name} will be ${past}`, () => {
      without(key);
      tell(`The ${what} ${name} stays`);
      onBack?.();
    });
    onAgreed?.();
  };
  return (
    <button
      type="button"
      class="danger"
      aria-label={label}
      aria-disabled={waits}
      onClick={() => {
        if (!waits) agree({ verb, label, warns, danger: true, onAgreed: begin });
      }}
    >
      {verb}
    </button>
  );
};
