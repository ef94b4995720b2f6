// What people and programs say about a trace or span: scores and comments, added and taken away in place.
import { useState } from 'preact/hooks';
import { formatAgo, formatNumber } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { mayWrite, session } from '../request.js';
import { Act, Form, type Fields } from '../shell/form.js';
import { tell } from '../state.js';
import { Words } from '../told/comments.js';
import { spansServer, tracesServer, type ShownTrace } from '../traces-server.js';

export type EntryKind = 'trace' | 'span';
const rowsOf = (kind: EntryKind) => (kind === 'trace' ? tracesServer : spansServer);

type Scores = NonNullable<ShownTrace['feedback_scores']>;

const useKnownScores = (projectId: string): readonly string[] => {
  const { value } = useLoaded(
    async (signal) => {
      const [logged, defined] = await Promise.all([
        tracesServer.scoreNames({ query: { project_id: projectId } }, signal),
        tracesServer.definitions({ query: { size: 100 } }, signal),
      ]);
      return [...new Set([...defined.content, ...logged.scores].map(({ name }) => name))];
    },
    [projectId],
  );
  return value ?? [];
};

const AddScore = ({
  kind,
  id,
  projectId,
  onChange,
}: {
  kind: EntryKind;
  id: string;
  projectId: string;
  onChange: () => void;
}) => {
  const known = useKnownScores(projectId);
  const send = async (field: Fields) => {
    const value = Number(field('value'));
    if (field('value') === '' || !Number.isFinite(value)) throw new Error('a score is a number');
    const reason = field('reason');
    await rowsOf(kind).score({
      params: { id },
      body: { name: field('name'), value, source: 'ui', ...(reason === '' ? {} : { reason }) },
    });
    onChange();
  };
  return (
    <Form label={`Score the ${kind}`} verb="Score" onSend={send}>
      <input
        name="name"
        aria-label="Name of the score"
        placeholder="name"
        list="known-scores"
        required
        maxLength={150}
        autocomplete="off"
      />
      <datalist id="known-scores">
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <input
        name="value"
        aria-label="Value"
        placeholder="value"
        inputMode="decimal"
        required
        size={6}
      />
      <input name="reason" aria-label="Reason" placeholder="why, if you like" />
    </Form>
  );
};

export const ScoreList = ({
  kind,
  id,
  projectId,
  scores,
  onChange,
}: {
  kind: EntryKind;
  id: string;
  projectId: string;
  scores: Scores;
  onChange: () => void;
}) => (
  <section aria-label="Scores">
    <h2>Scores</h2>
    {scores.length === 0 ? null : (
      <table class="plain">
        <tbody>
          {scores.map((score) => {
            const authors = Object.keys(score.value_by_author).length;
            return (
              <tr key={score.name}>
                <th scope="row" dir="auto">
                  {score.name}
                </th>
                <td class="number">{formatNumber(score.value)}</td>
                <td dir="auto">
                  {score.category_name} {score.reason}{' '}
                  <span class="faint">
                    {score.created_by} · {score.source}
                  </span>
                </td>
                <td class="does">
                  {mayWrite.value ? (
                    <Act
                      verb="Delete"
                      label={`Delete the score ${score.name}`}
                      {...(authors > 1
                        ? { warns: `The scores of ${authors} authors go, not yours alone.` }
                        : {})}
                      says="Score deleted"
                      onDo={() =>
                        rowsOf(kind)
                          .unscore({ params: { id }, body: { name: score.name } })
                          .then(onChange)
                      }
                    />
                  ) : null}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    )}
    {mayWrite.value ? (
      <AddScore kind={kind} id={id} projectId={projectId} onChange={onChange} />
    ) : null}
  </section>
);

type Comment = NonNullable<ShownTrace['comments']>[number];

/** Nobody is told of comments on traces. */
const hint = '⌘⏎ sends';

const OneComment = ({
  kind,
  of,
  onChange,
}: {
  kind: EntryKind;
  of: Comment;
  onChange: () => void;
}) => {
  const [editing, setEditing] = useState(false);
  const change = (work: Promise<unknown>, says: string) =>
    attempt(
      work.then(() => {
        setEditing(false);
        onChange();
        tell(says);
      }),
    );
  const own = mayWrite.value && of.created_by === session.value?.userName;
  return (
    <li>
      <p class="faint">
        <b>{of.created_by}</b> {formatAgo(Date.parse(of.created_at), Date.now())}
        {of.last_updated_at === of.created_at ? '' : ', changed'}
        {own ? (
          <>
            {' '}
            <button type="button" class="quiet" onClick={() => setEditing(!editing)}>
              Edit
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() =>
                change(rowsOf(kind).deleteComments({ body: { ids: [of.id] } }), 'Comment deleted')
              }
            >
              Delete
            </button>
          </>
        ) : null}
      </p>
      {editing ? (
        <Words
          hint={hint}
          label="Your comment"
          before={of.text}
          verb="Save"
          onSay={(text) =>
            change(
              rowsOf(kind).editComment({ params: { commentId: of.id }, body: { text } }),
              'Comment saved',
            )
          }
        />
      ) : (
        <p class="notes" dir="auto">
          {of.text}
        </p>
      )}
    </li>
  );
};

export const CommentList = ({
  kind,
  id,
  comments,
  onChange,
}: {
  kind: EntryKind;
  id: string;
  comments: readonly Comment[];
  onChange: () => void;
}) => (
  <section aria-label="Comments" class="comments">
    <h2>Comments</h2>
    <ul>
      {comments.map((one) => (
        <OneComment key={one.id} kind={kind} of={one} onChange={onChange} />
      ))}
    </ul>
    {mayWrite.value ? (
      <Words
        hint={hint}
        label="Comment"
        before=""
        verb="Comment"
        onSay={(text) =>
          attempt(rowsOf(kind).comment({ params: { id }, body: { text } }).then(onChange))
        }
      />
    ) : null}
  </section>
);
