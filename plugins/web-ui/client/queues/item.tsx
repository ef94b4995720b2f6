// An item of an annotation queue as what it is: a trace with what went in and came out, or a thread as a conversation.
import { pathOf } from '../../pure/address.js';
import { useStored } from '../loading.js';
import { deletions } from '../shell/delete-soon.js';
import { threadTold } from '../threads/screen.js';
import { Turns } from '../threads/turns.js';
import { CommentList, toldOf } from '../trace/about.js';
import { Files } from '../trace/files.js';
import { askLarge } from '../trace/large.js';
import { Value } from '../trace/value.js';
import { threadsServer, tracesServer } from '../traces-server.js';
import type { Queue } from '../reviewing-server.js';
import type { QueueItem } from './items.js';
import { Wait } from '../shell/wait.js';

interface Of {
  readonly queue: Queue;
  readonly item: QueueItem;
  readonly base: readonly string[];
}

const Waiting = ({ fault }: { fault: string | undefined }) => <Wait fault={fault} />;

const ReviewedTrace = ({ queue, item: { id }, base }: Of) => {
  const { value, fault, again } = useStored(
    (signal) =>
      askLarge(tracesServer.show, { params: { id }, query: { strip_attachments: true } }, signal),
    [id, deletions.value],
  );
  if (value?.id !== id) return <Waiting fault={fault} />;
  const told = toldOf('trace', id);
  const error = value.error_info;
  return (
    <>
      <p>
        <a href={pathOf(...base, 'trace', id)} dir="auto">
          {value.name ?? 'trace'} →
        </a>{' '}
        <span class="faint">
          {value.start_time === undefined ? '' : new Date(value.start_time).toLocaleString()}
        </span>
      </p>
      {error === undefined ? null : (
        <p class="fault" dir="auto">
          ✗ {error.exception_type} {error.message}
        </p>
      )}
      <Value title="Input" value={value.input} />
      <Value title="Output" value={value.output} />
      <Files kind="trace" id={id} projectId={value.project_id} />
      {queue.comments_enabled ? (
        <CommentList told={told} comments={value.comments ?? []} onChange={again} />
      ) : null}
      <details>
        <summary>Metadata</summary>
        <Value title="Metadata" value={value.metadata} />
      </details>
    </>
  );
};

const ReviewedThread = ({ queue, item: { id, name }, base }: Of) => {
  const { value, fault, again } = useStored(
    (signal) =>
      threadsServer.retrieve({ body: { project_id: queue.project_id, thread_id: name } }, signal),
    [id, deletions.value],
  );
  if (value?.thread_model_id !== id) return <Waiting fault={fault} />;
  return (
    <>
      <p>
        <a href={pathOf(...base, 'thread', name)} dir="auto">
          {name} →
        </a>
      </p>
      <Turns projectId={queue.project_id} thread={name} base={base} />
      {queue.comments_enabled ? (
        <CommentList told={threadTold(value)} comments={value.comments ?? []} onChange={again} />
      ) : null}
    </>
  );
};

export const ReviewedItem = (of: Of) =>
  of.queue.scope === 'trace' ? <ReviewedTrace {...of} /> : <ReviewedThread {...of} />;
