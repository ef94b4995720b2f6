// The status of a version of a model.
import { useState } from 'preact/hooks';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { mayWrite } from '../request.js';
import { registryServer } from '../server.js';
import { tell } from '../state.js';
import { useUnsaved } from '../unsaved.js';
import { Fault } from '../shell/wait.js';

export type Model = Awaited<ReturnType<typeof registryServer.get>>;
export type Version = Model['versions'][number];

/** The status of a version: set, or asked for where a decision is needed. */
export const Status = ({
  of,
  workspace,
  pending,
  onChange,
}: {
  of: Version;
  workspace: string;
  pending: string | null;
  onChange: () => void;
}) => {
  const [wanted, setWanted] = useState<string>();
  const [comment, setComment] = useState('');
  useUnsaved(comment.trim() !== '');
  const { value, fault } = useLoaded(
    (signal) => registryServer.statuses({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  const status = wanted ?? of.status;
  const body = {
    modelItemId: of.registryModelItemId,
    status,
    ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
  };
  const act = (work: typeof registryServer.setStatus) =>
    attempt(
      work({ body }).then(({ requestId }) => {
        setWanted(undefined);
        setComment('');
        tell(requestId === undefined ? `Status is ${status}` : 'A request was filed');
        onChange();
      }),
    );
  const all = [...new Set([of.status, ...(value?.allowedStatus ?? [])])];
  const asked = pending === null ? null : <span class="faint">asked for: {pending}</span>;
  if (!mayWrite.value) return asked;
  return (
    <form
      class="controls"
      onSubmit={(event) => {
        event.preventDefault();
        act(registryServer.setStatus);
      }}
    >
      <select
        aria-label="Status"
        value={status}
        onChange={({ currentTarget }) => setWanted(currentTarget.value)}
      >
        {all.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <input
        aria-label="Why"
        placeholder="why"
        maxLength={2000}
        value={comment}
        onInput={({ currentTarget }) => setComment(currentTarget.value)}
      />
      <button type="submit" disabled={status === of.status}>
        Set status
      </button>
      <button
        type="button"
        disabled={status === of.status}
        onClick={() => act(registryServer.request)}
      >
        Ask for review
      </button>
      {asked}
      <Fault of={fault} />
    </form>
  );
};
