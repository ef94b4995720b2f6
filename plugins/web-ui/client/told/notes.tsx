// Notes that people write, in Markdown: read as it is meant, and edited in place.
import { useEffect, useRef, useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { mayWrite } from '../request.js';
import { mayLose, tell } from '../state.js';
import { Markdown } from './markdown.js';
import { Wait } from '../shell/wait.js';
import { useUnsaved } from '../unsaved.js';

export const Notes = ({
  stored,
  fault,
  hint,
  now,
  onKeep,
}: {
  stored: string | undefined;
  /** Why they did not come. */
  fault: string | undefined;
  hint: string;
  /** What is stored by now: somebody else may have written meanwhile. */
  now: () => Promise<string>;
  onKeep: (text: string) => Promise<unknown>;
}) => {
  const [text, setText] = useState<string>();
  // What they were when one began to write, and, where that is no longer so, what somebody else made of them.
  const [began, setBegan] = useState('');
  const [theirs, setTheirs] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const editing = text !== undefined;
  useUnsaved(editing && text !== (stored ?? ''));
  useEffect(() => {
    if (editing) field.current?.focus();
  }, [editing]);
  const edit = (of: string | undefined) => {
    setText(of);
    setBegan(of ?? '');
    setTheirs(undefined);
  };
  const save = async (written: string) => {
    const found = await now();
    if (found !== began && found !== written) {
      // Once more stores it: one has seen then what it takes the place of.
      setBegan(found);
      return setTheirs(found);
    }
    await onKeep(written);
    edit(undefined);
    tell('Notes saved');
  };
  const keep = () => {
    if (text === undefined) return;
    if (text === (stored ?? '')) edit(undefined);
    else attempt(save(text));
  };
  if (stored === undefined) return <Wait fault={fault} />;
  if (!editing)
    return (
      <div class="told-notes">
        {stored.trim() === '' ? <p class="faint">{hint}</p> : <Markdown text={stored} />}
        <button type="button" class="quiet" hidden={!mayWrite.value} onClick={() => edit(stored)}>
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
          else if (event.key === 'Escape' && (text === stored || mayLose())) edit(undefined);
        }}
      />
      <p class="controls">
        <button type="submit" class="main">
          Save
        </button>
        <button type="button" onClick={() => edit(undefined)}>
          Cancel
        </button>
      </p>
      {theirs === undefined ? null : (
        <div role="alert">
          <p class="fault">
            Somebody else saved these notes meanwhile, as they stand below. Save once more to put
            yours in their place.
          </p>
          <pre class="notes" dir="auto">
            {theirs}
          </pre>
        </div>
      )}
    </form>
  );
};
