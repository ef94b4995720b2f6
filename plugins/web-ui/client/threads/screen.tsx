// One conversation: its traces as turns, from the first to the last, with the time that lies between them.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatCount, formatSpan } from '../../pure/format.js';
import { formatCost, formatDuration, messagesOf } from '../../pure/trace-values.js';
import { ProjectPages } from '../additions/screen.js';
import { attempt } from '../attempt.js';
import { useLoaded, useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { server } from '../server.js';
import { Act } from '../shell/form.js';
import { Coming } from '../shell/versions.js';
import { Labels } from '../told/labels.js';
import { CommentList, ScoreList, type Told } from '../trace/about.js';
import { Chat, Json } from '../trace/value.js';
import { threadsServer, tracesServer, type ShownThread } from '../traces-server.js';

type Turn = Awaited<ReturnType<typeof tracesServer.page>>['content'][number];
const pageSize = 50;
/** Gaps that are shorter say nothing. */
const idleMs = 60_000;

/** The turns of a thread, of which it shows the first, and more when asked. */
const useTurns = (projectId: string | undefined, thread: string, most: number) =>
  useLoaded(
    async (signal) =>
      projectId === undefined
        ? undefined
        : tracesServer.page(
            {
              query: {
                project_id: projectId,
                filters: JSON.stringify([{ field: 'thread_id', operator: '=', value: thread }]),
                sorting: JSON.stringify([{ field: 'start_time', direction: 'ASC' }]),
                page: 1,
                size: most,
                strip_attachments: true,
                exclude: JSON.stringify(['metadata', 'comments', 'experiment']),
              },
            },
            signal,
          ),
    [projectId, thread, most],
  );

/** Of an input that repeats the conversation so far, the last message is what is new. */
const newOf = (input: unknown) => {
  const messages = messagesOf(input);
  return messages === undefined ? undefined : messages.slice(-1);
};

const Said = ({ label, value, onlyNew }: { label: string; value: unknown; onlyNew: boolean }) => {
  if (value === undefined || value === null) return null;
  const messages = onlyNew ? newOf(value) : messagesOf(value);
  return (
    <div class="turn-part">
      {messages === undefined ? (
        <>
          <p class="faint role">{label}</p>
          <Json value={value} open={1} />
        </>
      ) : (
        <Chat of={messages} label={label} />
      )}
    </div>
  );
};

const OneTurn = ({
  of,
  before,
  base,
}: {
  of: Turn;
  before: Turn | undefined;
  base: readonly string[];
}) => {
  const [began, ended] = [Date.parse(of.start_time ?? ''), Date.parse(before?.end_time ?? '')];
  const idle = began - ended;
  const facts = [
    of.start_time === undefined ? '' : new Date(of.start_time).toLocaleString(),
    of.duration === undefined ? 'running' : formatDuration(of.duration),
    of.usage?.['total_tokens'] === undefined
      ? ''
      : `${formatCount(of.usage['total_tokens'])} tokens`,
    of.total_estimated_cost === undefined ? '' : formatCost(of.total_estimated_cost),
    of.error_info === undefined ? '' : `✗ ${of.error_info.exception_type}`,
  ].filter((one) => one !== '');
  return (
    <li class="turn">
      {idle > idleMs ? <p class="faint idle">… idle {formatSpan(idle)} …</p> : null}
      <Said label="input" value={of.input} onlyNew />
      <Said label="output" value={of.output} onlyNew={false} />
      <p class="faint">
        <a href={pathOf(...base, 'trace', of.id)} dir="auto">
          {of.name ?? 'trace'} →
        </a>{' '}
        {facts.join(' · ')}
      </p>
    </li>
  );
};

const toldOf = (thread: ShownThread): Told => {
  const named = { project_id: thread.project_id, thread_id: thread.id };
  const params = { id: thread.thread_model_id };
  return {
    noun: 'thread',
    score: (score) => threadsServer.score({ body: { scores: [{ ...named, ...score }] } }),
    unscore: (name) => threadsServer.unscore({ body: { ...named, names: [name] } }),
    comment: (text) => threadsServer.comment({ params, body: { text } }),
    editComment: (commentId, text) =>
      threadsServer.editComment({ params: { commentId }, body: { text } }),
    deleteComment: (one) => threadsServer.deleteComments({ body: { ids: [one] } }),
  };
};

const AboutThread = ({ of, again }: { of: ShownThread; again: () => void }) => {
  const told = toldOf(of);
  const tag = (tags: readonly string[]) =>
    attempt(
      threadsServer
        .tag({ params: { threadModelId: of.thread_model_id }, body: { tags: [...tags] } })
        .then(again),
    );
  return (
    <div class="entry">
      <ScoreList
        told={told}
        projectId={of.project_id}
        scores={of.feedback_scores ?? []}
        onChange={again}
      />
      <CommentList told={told} comments={of.comments ?? []} onChange={again} />
      <h2>Tags</h2>
      {mayWrite.value ? (
        <Labels what="tag" labels={of.tags ?? []} onChange={tag} />
      ) : (
        <p>{of.tags?.join(', ')}</p>
      )}
    </div>
  );
};

export const ThreadScreen = ({
  workspace,
  project,
  id,
}: {
  workspace: string;
  project: string;
  id: string;
}) => {
  const base = ['w', workspace, 'p', project];
  const [most, setMost] = useState(pageSize);
  const loaded = useStored(
    async (signal) => {
      const { projectId } = await server.getProject(
        { query: { workspaceName: workspace, projectName: project } },
        signal,
      );
      return threadsServer.retrieve({ body: { project_id: projectId, thread_id: id } }, signal);
    },
    [workspace, project, id],
  );
  const turns = useTurns(loaded.value?.project_id, id, most);
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const { value: thread, again } = loaded;
  const named = { project_id: thread.project_id, thread_id: id };
  const facts = [
    `${formatCount(thread.number_of_messages)} messages`,
    thread.duration === undefined ? '' : formatDuration(thread.duration),
    thread.total_estimated_cost === undefined ? '' : formatCost(thread.total_estimated_cost),
    thread.status,
  ].filter((one) => one !== '');
  const all = turns.value?.content ?? [];
  return (
    <main class="page">
      <h1 dir="auto">{id}</h1>
      <ProjectPages workspace={workspace} project={project} at="threads" />
      <p class="controls">
        <span class="faint">{facts.join(' · ')}</span>
        {mayWrite.value ? (
          <Act
            verb={thread.status === 'active' ? 'Close' : 'Reopen'}
            label={`${thread.status === 'active' ? 'Close' : 'Reopen'} the thread`}
            says={thread.status === 'active' ? 'The thread is closed' : 'The thread is open'}
            onDo={() =>
              (thread.status === 'active'
                ? threadsServer.close({ body: named })
                : threadsServer.open({ body: named })
              ).finally(again)
            }
          />
        ) : null}
      </p>
      {turns.fault === undefined ? null : <p class="fault">{turns.fault}</p>}
      <ol class="turns" aria-label="Turns">
        {all.map((one, at) => (
          <OneTurn key={one.id} of={one} before={all[at - 1]} base={base} />
        ))}
      </ol>
      {turns.value === undefined || turns.value.total <= all.length ? null : (
        <button type="button" onClick={() => setMost(most + pageSize)}>
          {turns.value.total - all.length} later turns
        </button>
      )}
      <AboutThread of={thread} again={again} />
    </main>
  );
};
