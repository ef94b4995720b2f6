// Short words that stand on something, added and taken away in place.
import { useState } from 'preact/hooks';

export const Labels = ({
  what,
  labels,
  onChange,
}: {
  what: string;
  labels: readonly string[];
  onChange: (labels: readonly string[]) => void;
}) => {
  const [text, setText] = useState('');
  return (
    <div class="tags" role="group" aria-label={`Each ${what}`}>
      {labels.map((label) => (
        <span class="tag" key={label}>
          <span class="says" dir="auto" title={label}>
            {label}
          </span>
          <button
            type="button"
            aria-label={`Remove the ${what} ${label}`}
            onClick={() => onChange(labels.filter((one) => one !== label))}
          >
            ×
          </button>
        </span>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const label = text.trim();
          if (label !== '' && !labels.includes(label)) onChange([...labels, label]);
          setText('');
        }}
      >
        <input
          aria-label={`Add ${what === 'alias' ? 'an' : 'a'} ${what}`}
          placeholder={`+ ${what}`}
          maxLength={100}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </div>
  );
};
