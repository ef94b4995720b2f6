// Requests to change the status of a version: who wants what and why, and who decided.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo } from '../../pure/format.js';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { mayWrite, Refused, session } from '../request.js';
import { registryServer } from '../server.js';
import { tell } from '../state.js';
import { useUnsaved } from '../unsaved.js';
import { Cut } from '../shell/cut.js';
import { Wait } from '../shell/wait.js';

/** As many as the server gives at once. */
const mostAtOnce = 1000;

type Request = Awaited<ReturnType<typeof registryServer.requests>>['content'][number];

const Decide = ({ of, onChange }: { of: Request; onChange: () => void }) => {
  const [comment, setComment] = useState('');
  useUnsaved(comment.trim() !== '');
  const decide = (work: typeof registryServer.approve, says: string) =>
    attempt(
      work({
        params: { requestId: of.requestId },
        body: comment.trim() === '' ? {} : { comment: comment.trim() },
      }).then(() => {
        setComment('');
        tell(says);
        onChange();
      }),
    );
  return (
    <span class="decide">
      <input
        aria-label={`Comment on the request for ${of.version}`}
        placeholder="comment"
        maxLength={2000}
        value={comment}
        onInput={({ currentTarget }) => setComment(currentTarget.value)}
      />
      <button type="button" onClick={() => decide(registryServer.reject, 'Rejected')}>
        Reject
      </button>
      <button type="button" class="main" onClick={() => decide(registryServer.approve, 'Approved')}>
        Approve
      </button>
      {of.userName === session.value?.userName ? (
        <button
          type="button"
          class="quiet"
          onClick={() => decide(registryServer.cancel, 'Withdrawn')}
        >
          Withdraw
        </button>
      ) : null}
    </span>
  );
};

const One = ({
  of,
  workspace,
  onChange,
}: {
  of: Request;
  workspace: string;
  onChange: () => void;
}) => (
  <li>
    <p>
      <a href={pathOf('w', workspace, 'model', of.registryModelName, of.version)}>
        {of.registryModelName} {of.version}
      </a>
      : {of.previousStatus} → <b>{of.status}</b>{' '}
      <span class="faint">
        {of.userName}, {formatAgo(of.createdAt, Date.now())}
      </span>
    </p>
    {of.comment === null ? null : <p class="notes">“{of.comment}”</p>}
    {of.decidedBy === null ? null : (
      <p class="faint">
        {of.state.toLowerCase()} by {of.decidedBy}
        {of.decisionComment === null ? '' : `: “${of.decisionComment}”`}
      </p>
    )}
    {mayWrite.value && of.decidedBy === null && of.decidedAt === null ? (
      <Decide of={of} onChange={onChange} />
    ) : null}
  </li>
);

export const Requests = ({
  workspace,
  model,
  pendingOnly = false,
  onChange,
}: {
  workspace: string;
  model?: string;
  pendingOnly?: boolean;
  onChange: () => void;
}) => {
  const [tick, setTick] = useState(0);
  const [size, setSize] = useState(100);
  const { value, fault } = useLoaded(
    async (signal) => {
      try {
        return await registryServer.requests(
          {
            query: {
              workspaceName: workspace,
              ...(model === undefined ? {} : { modelName: model }),
              ...(pendingOnly ? { state: 'PENDING' } : {}),
              size,
            },
          },
          signal,
        );
      } catch (thrown) {
        // What the server refuses is told; what went wrong is asked for again.
        if (!(thrown instanceof Refused) || thrown.status === 0 || thrown.status >= 500)
          throw thrown;
        return thrown.message;
      }
    },
    [workspace, model, tick, size],
  );
  if (value === undefined) return <Wait fault={fault} />;
  if (typeof value === 'string') return <p class="faint">{value}</p>;
  const shown = value.content.filter(({ decidedAt }) => !pendingOnly || decidedAt === null);
  if (shown.length === 0)
    return <p class="empty">{pendingOnly ? 'None waits.' : 'There was no request.'}</p>;
  return (
    <>
      <ul class="requests">
        {shown.map((one) => (
          <One
            key={one.requestId}
            of={one}
            workspace={workspace}
            onChange={() => {
              setTick(tick + 1);
              onChange();
            }}
          />
        ))}
      </ul>
      <Cut shown={value.content.length} of={value.total} what="requests" />
      {value.content.length < value.total && size < mostAtOnce ? (
        <button type="button" onClick={() => setSize(mostAtOnce)}>
          More requests
        </button>
      ) : null}
    </>
  );
};
