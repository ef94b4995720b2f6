// Notes that people write, edited in place and saved when the field is left. They are shown as text.
import { useEffect, useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { tell } from '../state.js';

export const Notes = ({
  stored,
  hint,
  onKeep,
}: {
  stored: string | undefined;
  hint: string;
  onKeep: (text: string) => Promise<unknown>;
}) => {
  const [text, setText] = useState<string>();
  useEffect(() => setText(undefined), [stored]);
  const keep = () => {
    if (text === undefined || text === (stored ?? '')) return;
    attempt(onKeep(text).then(() => tell('Notes saved')));
  };
  return (
    <textarea
      aria-label="Notes"
      rows={4}
      placeholder={hint}
      value={text ?? stored ?? ''}
      disabled={stored === undefined}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={keep}
    />
  );
};
