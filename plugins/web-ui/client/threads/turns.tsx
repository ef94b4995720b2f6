// The traces of a thread as turns of a conversation, from the first to the last, with the time that lies between them.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatCount, formatSpan } from '../../pure/format.js';
import { formatCost, formatDuration, messagesOf } from '../../pure/trace-values.js';
import { useLoaded } from '../loading.js';
import { askLarge } from '../trace/large.js';
import { Said } from '../trace/value.js';
import { tracesServer } from '../traces-server.js';
import { Fault } from '../shell/wait.js';

type Turn = Awaited<ReturnType<typeof tracesServer.page>>['content'][number];
const pageSize = 50;
/** Gaps that are shorter say nothing. */
const idleMs = 60_000;

/** The turns of a thread, of which it shows the first, and more when asked. */
const useTurns = (projectId: string, thread: string, most: number) =>
  useLoaded(
    (signal) =>
      askLarge(
        tracesServer.page,
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

const Part = ({ label, value, onlyNew }: { label: string; value: unknown; onlyNew: boolean }) =>
  value === undefined || value === null ? null : (
    <div class="turn-part">
      {messagesOf(value) !== undefined ? null : <p class="faint role">{label}</p>}
      <Said value={value} label={label} onlyNew={onlyNew} />
    </div>
  );

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
      <Part label="input" value={of.input} onlyNew />
      <Part label="output" value={of.output} onlyNew={false} />
      <p class="faint">
        <a href={pathOf(...base, 'trace', of.id)} dir="auto">
          {of.name ?? 'trace'} →
        </a>{' '}
        {facts.join(' · ')}
      </p>
    </li>
  );
};

export const Turns = ({
  projectId,
  thread,
  base,
}: {
  projectId: string;
  thread: string;
  base: readonly string[];
}) => {
  const [most, setMost] = useState(pageSize);
  const { value, fault } = useTurns(projectId, thread, most);
  const all = value?.content ?? [];
  return (
    <>
      <Fault of={fault} />
      <ol class="turns" aria-label="Turns">
        {all.map((one, at) => (
          <OneTurn key={one.id} of={one} before={all[at - 1]} base={base} />
        ))}
      </ol>
      {value === undefined || value.total <= all.length ? null : (
        <button type="button" onClick={() => setMost(most + pageSize)}>
          {value.total - all.length} later turns
        </button>
      )}
    </>
  );
};
