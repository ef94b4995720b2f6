// Short words that stand on something, added and taken away in place.
import { useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';

export const Labels = ({
  what,
  labels,
  stored,
  onChange,
}: {
  what: string;
  labels: readonly string[];
  /** Those that are stored by now, where all of them are replaced at once: what somebody else gave it meanwhile stays. */
  stored?: () => Promise<readonly string[] | undefined>;
  onChange: (labels: readonly string[]) => Promise<unknown>;
}) => {
  const [text, setText] = useState('');
  const change = async (edit: (now: readonly string[]) => readonly string[]) =>
    onChange(edit(stored === undefined ? labels : ((await stored()) ?? [])));
  const add = async (label: string) => {
    await change((now) => (now.includes(label) ? now : [...now, label]));
    setText((now) => (now === text ? '' : now));
  };
  return (
    <div class="tags" role="group" aria-label={`Each ${what}`}>
      {labels.map((label) => (
        <span class="tag" key={label}>
          <span class="says" dir="auto" title={label}>
            {label}
          </span>
          <button
            type="button"
            hidden={!mayWrite.value}
            aria-label={`Remove the ${what} ${label}`}
            onClick={() => attempt(change((now) => now.filter((one) => one !== label)))}
          >
            ×
          </button>
        </span>
      ))}
      <form
        hidden={!mayWrite.value}
        onSubmit={(event) => {
          event.preventDefault();
          const label = text.trim();
          if (label === '' || labels.includes(label)) setText('');
          else attempt(add(label));
        }}
      >
        <input
          aria-label={`Add ${what === 'alias' ? 'an' : 'a'} ${what}`}
          placeholder={`+ ${what}`}
          dir="auto"
          maxLength={100}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </div>
  );
};
