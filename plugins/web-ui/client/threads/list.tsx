// The conversations of a project: traces with one thread id, the newest first.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount, formatNumber } from '../../pure/format.js';
import { formatCost, formatDuration, previewOf } from '../../pure/trace-values.js';
import { ProjectPages } from '../additions/project-pages.js';
import { useLoaded } from '../loading.js';
import { AddToQueue } from '../queues/to-queue.js';
import { mayWrite } from '../request.js';
import { server } from '../server.js';
import { pageOfAddress, pageSize, Paging, SearchForm } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { query } from '../state.js';
import { threadsServer } from '../traces-server.js';

const useThreads = (projectId: string | undefined, page: number, search: string) =>
  useLoaded(
    async (signal) =>
      projectId === undefined
        ? undefined
        : threadsServer.page(
            {
              query: {
                ...{ project_id: projectId, page, size: pageSize, truncate: true },
                ...(search === '' ? {} : { search }),
              },
            },
            signal,
          ),
    [projectId, page, search],
  );

/** The beginning of a message; all of it that is known where one points. */
const Message = ({ says }: { says: string }) => (
  <td dir="auto" class="preview" title={says}>
    {says}
  </td>
);

export const ThreadsScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const base = ['w', workspace, 'p', project];
  const found = useLoaded(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  const page = pageOfAddress();
  const search = (query.value.get('q') ?? '').trim();
  const { value, fault } = useThreads(found.value?.projectId, page, search);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const pick = (id: string) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  const now = Date.now();
  return (
    <main class="page wide">
      <h1>
        Threads of <bdi>{project}</bdi>
      </h1>
      <ProjectPages workspace={workspace} project={project} at="threads" />
      <SearchForm label="Search in threads" hint="Search in ids and messages" />
      <Rows
        label="Threads"
        of={{ value: value?.content, fault: found.fault ?? fault }}
        head={[
          ...(mayWrite.value ? ['Selected'] : []),
          'Thread',
          'First message',
          'Last message',
          'Messages',
          'Last',
          'Duration',
          'Cost',
          'Scores',
          'Status',
        ]}
        empty={
          search === ''
            ? 'No thread yet. Traces that are logged with a thread_id make one.'
            : 'No thread matches this.'
        }
      >
        {(one) => (
          <tr key={one.thread_model_id}>
            {mayWrite.value ? (
              <td>
                <input
                  type="checkbox"
                  aria-label={`Select ${one.id}`}
                  checked={picked.has(one.thread_model_id)}
                  onChange={() => pick(one.thread_model_id)}
                />
              </td>
            ) : null}
            <th scope="row" dir="auto">
              <a href={pathOf(...base, 'thread', one.id)}>{one.id}</a>
            </th>
            <Message says={previewOf(one.first_message)} />
            <Message says={previewOf(one.last_message)} />
            <td class="number">{formatCount(one.number_of_messages)}</td>
            <td>{formatAgo(Date.parse(one.last_updated_at), now)}</td>
            <td class="number">{one.duration === undefined ? '' : formatDuration(one.duration)}</td>
            <td class="number">
              {one.total_estimated_cost === undefined ? '' : formatCost(one.total_estimated_cost)}
            </td>
            <td>
              {(one.feedback_scores ?? [])
                .map(({ name, value: score }) => `${name} ${formatNumber(score)}`)
                .join(' · ')}
            </td>
            <td>{one.status}</td>
          </tr>
        )}
      </Rows>
      {value === undefined ? null : <Paging page={page} total={value.total} />}
      {picked.size > 0 && found.value !== undefined ? (
        <div class="picked-bar" role="toolbar" aria-label="Selected threads">
          <b>{picked.size} selected</b>
          <AddToQueue projectId={found.value.projectId} scope="thread" ids={[...picked]} />
          <button type="button" class="quiet" onClick={() => setPicked(new Set())}>
            Clear
          </button>
        </div>
      ) : null}
    </main>
  );
};
