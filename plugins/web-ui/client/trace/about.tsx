// What people and programs say about a trace, span or thread: scores and comments, added and taken away in place.
import { useState } from 'preact/hooks';
import { formatAgo, formatNumber, shortened } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { mayWrite, session } from '../request.js';
import { Deletes } from '../shell/deletes.js';
import { Form, type Fields } from '../shell/form.js';
import { tell } from '../state.js';
import { Words } from '../told/comments.js';
import { spansServer, tracesServer, type ShownTrace } from '../traces-server.js';
import { Fault } from '../shell/wait.js';

export type EntryKind = 'trace' | 'span';

interface Score {
  readonly name: string;
  readonly value: number;
  readonly reason?: string;
  readonly source: 'ui';
}
/** What is done to one thing by the rows of its kind. */
export interface Told {
  readonly noun: string;
  readonly id: string;
  score(score: Score): Promise<unknown>;
  unscore(name: string): Promise<unknown>;
  comment(text: string): Promise<unknown>;
  editComment(commentId: string, text: string): Promise<unknown>;
  deleteComment(commentId: string): Promise<unknown>;
}
export const toldOf = (kind: EntryKind, id: string): Told => {
  const rows = kind === 'trace' ? tracesServer : spansServer;
  const params = { id };
  return {
    noun: kind,
    id,
    score: (body) => rows.score({ params, body }),
    unscore: (name) => rows.unscore({ params, body: { name } }),
    comment: (text) => rows.comment({ params, body: { text } }),
    editComment: (commentId, text) => rows.editComment({ params: { commentId }, body: { text } }),
    deleteComment: (one) => rows.deleteComments({ body: { ids: [one] } }),
  };
};

type Scores = NonNullable<ShownTrace['feedback_scores']>;

const useKnownScores = (projectId: string) => {
  const { value, fault } = useLoaded(
    async (signal) => {
      const [logged, defined] = await Promise.all([
        tracesServer.scoreNames({ query: { project_id: projectId } }, signal),
        tracesServer.definitions({ query: { size: 100 } }, signal),
      ]);
      return [...new Set([...defined.content, ...logged.scores].map(({ name }) => name))];
    },
    [projectId],
  );
  return { known: value ?? [], fault };
};

const AddScore = ({
  told,
  projectId,
  onChange,
}: {
  told: Told;
  projectId: string;
  onChange: () => void;
}) => {
  const { known, fault } = useKnownScores(projectId);
  const send = async (field: Fields) => {
    const value = Number(field('value'));
    if (field('value') === '' || !Number.isFinite(value)) throw new Error('a score is a number');
    const reason = field('reason');
    await told.score({
      ...{ name: field('name'), value, source: 'ui' },
      ...(reason === '' ? {} : { reason }),
    });
    onChange();
  };
  return (
    <Form label={`Score the ${told.noun}`} verb="Score" onSend={send}>
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
      <Fault of={fault} />
    </Form>
  );
};

export const ScoreList = ({
  told,
  projectId,
  scores,
  onChange,
}: {
  told: Told;
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
                    <Deletes
                      look=""
                      what="score"
                      name={score.name}
                      id={`${told.id} ${score.name}`}
                      warns={
                        authors > 1
                          ? `The scores of ${authors} authors go, not yours alone.`
                          : undefined
                      }
                      onDo={() => told.unscore(score.name)}
                    />
                  ) : null}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    )}
    {mayWrite.value ? <AddScore told={told} projectId={projectId} onChange={onChange} /> : null}
  </section>
);

type Comment = NonNullable<ShownTrace['comments']>[number];

/** Nobody is told of comments on traces. */
const hint = '⌘⏎ sends';

const OneComment = ({ told, of, onChange }: { told: Told; of: Comment; onChange: () => void }) => {
  const [editing, setEditing] = useState(false);
  const change = (work: Promise<unknown>, says: string) =>
    work.then(() => {
      setEditing(false);
      onChange();
      tell(says);
    });
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
            <Deletes
              look="quiet"
              what="comment"
              name={shortened(of.text, 40)}
              id={of.id}
              onDo={() => told.deleteComment(of.id)}
            />
          </>
        ) : null}
      </p>
      {editing ? (
        <Words
          hint={hint}
          label="Your comment"
          before={of.text}
          verb="Save"
          onSay={(text) => change(told.editComment(of.id, text), 'Comment saved')}
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
  told,
  comments,
  onChange,
}: {
  told: Told;
  comments: readonly Comment[];
  onChange: () => void;
}) => (
  <section aria-label="Comments" class="comments">
    <h2>Comments</h2>
    <ul>
      {comments.map((one) => (
        <OneComment key={one.id} told={told} of={one} onChange={onChange} />
      ))}
    </ul>
    {mayWrite.value ? (
      <Words
        hint={hint}
        label="Comment"
        before=""
        verb="Comment"
        onSay={(text) => told.comment(text).then(onChange)}
      />
    ) : null}
  </section>
);
