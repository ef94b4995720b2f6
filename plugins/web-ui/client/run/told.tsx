// What people write about a run, edited in place: tags and notes.
import { useEffect, useState } from 'preact/hooks';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { saysFault } from '../request.js';
import { runServer } from '../server.js';
import { tell } from '../state.js';

export const Tags = ({ run }: { run: string }) => {
  const [text, setText] = useState('');
  const { value } = useLoaded(
    (signal) => runServer.getTags({ query: { experimentKey: run } }, signal),
    [run, runsChanged.value],
  );
  const change = (work: Promise<unknown>, says?: string, undo?: () => void) => {
    work.then(
      () => {
        runsChanged.value++;
        if (says !== undefined) tell(says, undo);
      },
      (thrown: unknown) => tell(saysFault(thrown)),
    );
  };
  const add = (tag: string) =>
    runServer.addTags({ body: { experimentKey: run, addedTags: [tag] } });
  return (
    <div class="tags">
      {value?.tags.map((tag) => (
        <span class="tag" key={tag}>
          {tag}
          <button
            type="button"
            aria-label={`Remove the tag ${tag}`}
            onClick={() =>
              change(
                runServer.deleteTags({ body: { experimentKey: run, tags: [tag] } }),
                `${tag} removed`,
                () => change(add(tag)),
              )
            }
          >
            ×
          </button>
        </span>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === '') return;
          change(add(text.trim()));
          setText('');
        }}
      >
        <input
          aria-label="Tag to add"
          placeholder="+ tag"
          maxLength={100}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </div>
  );
};

export const Notes = ({ run }: { run: string }) => {
  const { value } = useLoaded(
    (signal) => runServer.getNotes({ query: { experimentKey: run } }, signal),
    [run],
  );
  const [text, setText] = useState<string>();
  useEffect(() => setText(undefined), [run]);
  const [kept, setKept] = useState<string>();
  const stored = kept ?? value?.notes ?? '';
  const keep = () => {
    if (text === undefined || text === stored) return;
    runServer.setNotes({ body: { experimentKey: run, notes: text } }).then(
      () => {
        setKept(text);
        tell('Notes saved');
      },
      (thrown: unknown) => tell(saysFault(thrown)),
    );
  };
  return (
    <textarea
      aria-label="Notes"
      rows={4}
      placeholder="What is worth knowing about this run; saved when you leave the field"
      value={text ?? stored}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={keep}
    />
  );
};
