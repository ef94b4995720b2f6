// Notes that people write, in Markdown: read as it is meant, and edited in place.
import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';
import { tell } from '../state.js';
import { Markdown } from './markdown.js';
import { Wait } from '../shell/wait.js';
import { useUnsaved } from '../unsaved.js';

export const Notes = ({
  stored,
  fault,
  hint,
  onKeep,
}: {
  stored: string | undefined;
  /** Why they did not come. */
  fault: string | undefined;
  hint: string;
  onKeep: (text: string) => Promise<unknown>;
}) => {
  const [text, setText] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const editing = text !== undefined;
  useUnsaved(editing && text !== (stored ?? ''));
  useEffect(() => {
    if (editing) field.current?.focus();
  }, [editing]);
  const keep = () => {
    if (text === undefined) return;
    const changed = text !== (stored ?? '');
    if (!changed) return setText(undefined);
    attempt(
      onKeep(text).then(() => {
        setText(undefined);
        tell('Notes saved');
      }),
    );
  };
  if (stored === undefined) return <Wait fault={fault} />;
  if (!editing)
    return (
      <div class="told-notes">
        {stored.trim() === '' ? <p class="faint">{hint}</p> : <Markdown text={stored} />}
        <button
          type="button"
          class="quiet"
          hidden={!mayWrite.value}
          onClick={() => setText(stored)}
        >
          {stored.trim() === '' ? 'Write notes' : 'Edit notes'}
        </button>
      </div>
    );
  return (
    <form
      class="told-notes"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <textarea
        ref={field}
        aria-label="Notes"
        dir="auto"
        rows={Math.min(24, Math.max(6, text.split('\n').length + 1))}
        placeholder="Markdown; ⌘⏎ saves, Escape leaves it as it was"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) keep();
          else if (event.key === 'Escape') setText(undefined);
        }}
      />
      <p class="controls">
        <button type="submit" class="main">
          Save
        </button>
        <button type="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
      </p>
    </form>
  );
};
