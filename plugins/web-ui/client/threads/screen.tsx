// One conversation: its turns, what is thought of it, and what can be done to it.
import { pathOf } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { ProjectPages } from '../additions/project-pages.js';
import { useSubject } from '../subject.js';
import { mayWrite } from '../request.js';
import { server } from '../server.js';
import { deletions } from '../shell/delete-soon.js';
import { Act } from '../shell/form.js';
import { Coming, Stale } from '../shell/versions.js';
import { Labels } from '../told/labels.js';
import { CommentList, ScoreList, type Told } from '../trace/about.js';
import { threadsServer, type ShownThread } from '../traces-server.js';
import { Turns } from './turns.js';

/** What is done to a thread by the rows of threads. */
export const threadTold = (thread: ShownThread): Told => {
  const named = { project_id: thread.project_id, thread_id: thread.id };
  const params = { id: thread.thread_model_id };
  return {
    noun: 'thread',
    id: thread.thread_model_id,
    score: (score) => threadsServer.score({ body: { scores: [{ ...named, ...score }] } }),
    unscore: (name) => threadsServer.unscore({ body: { ...named, names: [name] } }),
    comment: (text) => threadsServer.comment({ params, body: { text } }),
    editComment: (commentId, text) =>
      threadsServer.editComment({ params: { commentId }, body: { text } }),
    deleteComment: (one) => threadsServer.deleteComments({ body: { ids: [one] } }),
  };
};

const AboutThread = ({ of, again }: { of: ShownThread; again: () => void }) => {
  const told = threadTold(of);
  const tag = (tags: readonly string[]) =>
    threadsServer
      .tag({ params: { threadModelId: of.thread_model_id }, body: { tags: [...tags] } })
      .then(again);
  const named = { project_id: of.project_id, thread_id: of.id };
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
        <Labels
          what="tag"
          labels={of.tags ?? []}
          stored={async () => (await threadsServer.retrieve({ body: named })).tags}
          onChange={tag}
        />
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
  const loaded = useSubject(
    async (signal) => {
      const { projectId } = await server.getProject(
        { query: { workspaceName: workspace, projectName: project } },
        signal,
      );
      return threadsServer.retrieve({ body: { project_id: projectId, thread_id: id } }, signal);
    },
    [workspace, project, id, deletions.value],
  );
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const { value: thread, again } = loaded;
  const named = { project_id: thread.project_id, thread_id: id };
  const facts = [
    `${formatCount(thread.number_of_messages)} messages`,
    thread.duration === undefined ? '' : formatDuration(thread.duration),
    thread.total_estimated_cost === undefined ? '' : formatCost(thread.total_estimated_cost),
    thread.status,
  ].filter((one) => one !== '');
  return (
    <main class="page">
      <h1 dir="auto">{id}</h1>
      <ProjectPages workspace={workspace} project={project} at="threads" />
      <Stale of={loaded} what="thread" list={pathOf(...base, 'threads')} />
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
      <Turns projectId={thread.project_id} thread={id} base={base} />
      <AboutThread of={thread} again={again} />
    </main>
  );
};
