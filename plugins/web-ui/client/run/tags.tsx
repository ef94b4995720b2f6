// The tags of a run, edited in place.
import { useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { mayWrite } from '../request.js';
import { runServer } from '../server.js';
import { tell } from '../state.js';
import { Fault } from '../shell/wait.js';

export const Tags = ({ run }: { run: string }) => {
  const [text, setText] = useState('');
  const { value, fault } = useLoaded(
    (signal) => runServer.getTags({ query: { experimentKey: run } }, signal),
    [run, runsChanged.value],
  );
  const change = (work: Promise<unknown>, then: () => void) =>
    attempt(
      work.then(() => {
        runsChanged.value++;
        then();
      }),
    );
  const add = (tag: string) =>
    runServer.addTags({ body: { experimentKey: run, addedTags: [tag] } });
  return (
    <div class="tags">
      <Fault of={fault} />
      {value?.tags.map((tag) => (
        <span class="tag" key={tag}>
          <span class="says" dir="auto" title={tag}>
            {tag}
          </span>
          {mayWrite.value ? (
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              onClick={() =>
                change(runServer.deleteTags({ body: { experimentKey: run, tags: [tag] } }), () =>
                  tell(`${tag} removed`, () => change(add(tag), () => undefined)),
                )
              }
            >
              ×
            </button>
          ) : null}
        </span>
      ))}
      <form
        hidden={!mayWrite.value}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === '') return;
          change(add(text.trim()), () => setText((now) => (now === text ? '' : now)));
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
