import { useState } from 'preact/hooks';

/** A field whose text is done something with when Enter is pressed. */
export const TextField = ({
  label,
  hint,
  onText,
}: {
  label: string;
  hint: string;
  onText: (text: string) => void;
}) => {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onText(text.trim());
        setText('');
      }}
    >
      <input
        aria-label={label}
        placeholder={hint}
        maxLength={100}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </form>
  );
};
