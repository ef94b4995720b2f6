// The conversations of a project: traces with one thread id, the newest first.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount, formatNumber } from '../../pure/format.js';
import { formatCost, formatDuration, previewOf } from '../../pure/trace-values.js';
import { ProjectPages } from '../additions/screen.js';
import { useLoaded } from '../loading.js';
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
  const now = Date.now();
  return (
    <main class="page wide">
      <h1>Threads of {project}</h1>
      <ProjectPages workspace={workspace} project={project} at="threads" />
      <SearchForm label="Search in threads" hint="Search in ids and messages" />
      <Rows
        label="Threads"
        of={{ value: value?.content, fault: found.fault ?? fault }}
        head={[
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
            <th scope="row" dir="auto">
              <a href={pathOf(...base, 'thread', one.id)}>{one.id}</a>
            </th>
            <td dir="auto">{previewOf(one.first_message)}</td>
            <td dir="auto">{previewOf(one.last_message)}</td>
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
    </main>
  );
};
