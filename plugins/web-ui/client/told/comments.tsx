// What people say about a run or a version of a model, in plain text; one's own can be changed and deleted.
import { useState } from 'preact/hooks';
import { formatAgo, shortened } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { runsChanged } from '../live.js';
import { mayWrite } from '../request.js';
import { useLoaded } from '../loading.js';
import { commentServer } from '../server.js';
import { tell } from '../state.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Fault } from '../shell/wait.js';
import { useUnsaved } from '../unsaved.js';

type Of = { readonly run: string } | { readonly version: string };
type Said = Awaited<ReturnType<typeof commentServer.ofRun>>['comments'][number];

/** A field for a comment, sent by its button or by ⌘⏎. */
export const Words = ({
  label,
  before,
  verb,
  hint = '@name tells a member; ⌘⏎ sends',
  onSay,
}: {
  label: string;
  hint?: string;
  before: string;
  verb: string;
  /** What was not stored stays in the field. */
  onSay: (text: string) => Promise<unknown>;
}) => {
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  useUnsaved(text.trim() !== before.trim());
  const say = () => {
    if (busy || text.trim() === '') return;
    setBusy(true);
    attempt(
      onSay(text.trim())
        .then(() => setText((now) => (now === text ? '' : now)))
        .finally(() => setBusy(false)),
    );
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
    >
      <textarea
        aria-label={label}
        rows={2}
        placeholder={hint}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) say();
        }}
      />
      <button type="submit">{verb}</button>
    </form>
  );
};

const One = ({ said, onChange }: { said: Said; onChange: () => void }) => {
  const [editing, setEditing] = useState(false);
  const named = { params: { comment: said.id } };
  const change = (work: Promise<unknown>, says: string) =>
    work.then(() => {
      setEditing(false);
      onChange();
      tell(says);
    });
  const range =
    said.firstStep === null
      ? ''
      : ` · step ${said.firstStep}${said.lastStep === null || said.lastStep === said.firstStep ? '' : ` to ${said.lastStep}`}`;
  return (
    <li>
      <p class="faint">
        <b>{said.author}</b> {formatAgo(said.createdAt, Date.now())}
        {said.editedAt === null ? '' : ', changed'}
        {range}
        {said.own ? (
          <>
            {' '}
            <button type="button" class="quiet" onClick={() => setEditing(!editing)}>
              Edit
            </button>
            <Deletes
              look="quiet"
              what="comment"
              name={shortened(said.text, 40)}
              id={said.id}
              onDo={() => commentServer.remove(named)}
            />
          </>
        ) : null}
      </p>
      {editing ? (
        <Words
          label="Your comment"
          before={said.text}
          verb="Save"
          onSay={(text) =>
            change(commentServer.edit({ ...named, body: { text } }), 'Comment saved')
          }
        />
      ) : (
        <p class="notes">{said.text}</p>
      )}
    </li>
  );
};

export const Comments = ({ of }: { of: Of }) => {
  const [tick, setTick] = useState(0);
  const [most, setMost] = useState(50);
  const { value, fault } = useLoaded(
    (signal) =>
      'run' in of
        ? commentServer.ofRun({ params: of, query: { limit: most } }, signal)
        : commentServer.ofVersion({ params: of, query: { limit: most } }, signal),
    [JSON.stringify(of), tick, most, runsChanged.value, deletions.value],
  );
  const again = () => setTick(tick + 1);
  const say = (text: string) =>
    ('run' in of
      ? commentServer.onRun({ params: of, body: { text } })
      : commentServer.onVersion({ params: of, body: { text } })
    ).then(again);
  return (
    <div class="comments">
      <Fault of={fault} />
      <ul>
        {value?.comments.map((said) => (
          <One key={said.id} said={said} onChange={again} />
        ))}
      </ul>
      {typeof value?.next === 'string' ? (
        <button type="button" onClick={() => setMost(most + 50)}>
          later comments
        </button>
      ) : null}
      {mayWrite.value ? <Words label="Comment" before="" verb="Comment" onSay={say} /> : null}
    </div>
  );
};
