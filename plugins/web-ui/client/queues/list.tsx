// The annotation queues of a workspace or project, and how far people have come with each.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatNumber } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { mayWrite, session } from '../request.js';
import { queuesServer, type Queue } from '../reviewing-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { ListBar, Paging, useListing, type Listing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { Definitions } from './definitions.js';
import { Progress } from './progress.js';
import { ChangeQueue, MakeQueue } from './settings.js';

const queryOf = ({ project_id: projectId, ...rest }: NonNullable<Listing['asked']>) => ({
  ...rest,
  ...(projectId === undefined
    ? {}
    : {
        filters: JSON.stringify([{ field: 'project_id', operator: '=', value: projectId }]),
      }),
});

const Row = ({
  of,
  workspace,
  onChange,
}: {
  of: Queue;
  workspace: string;
  onChange: () => void;
}) => {
  const own = of.reviewers.find(({ username }) => username === session.value?.userName);
  const others = of.reviewers.filter((one) => one !== own);
  return (
    <tr>
      <th scope="row" class="long" dir="auto">
        <a href={pathOf('w', workspace, 'queues', of.id)}>{of.name}</a>{' '}
        <span class="faint">{of.description}</span>
      </th>
      <td dir="auto">{of.project_name}</td>
      <td>{of.scope}s</td>
      <td>
        <Progress done={own?.status ?? 0} of={of.items_count} />
      </td>
      <td dir="auto">{others.map(({ username, status }) => `${username} ${status}`).join(', ')}</td>
      <td dir="auto">
        {of.feedback_scores.map(({ name, value }) => `${name} ${formatNumber(value)}`).join(' · ')}
      </td>
      <td>
        {formatAgo(Date.parse(of.last_updated_at), Date.now())} · {of.last_updated_by}
      </td>
      <td class="does">
        {mayWrite.value ? (
          <>
            <ChangeQueue of={of} onChange={onChange} />{' '}
            <Deletes
              what="queue"
              name={of.name}
              id={of.id}
              warns={`What is in it stays, with its scores. ${of.items_count} items are no longer asked for.`}
              onDo={() => queuesServer.remove({ body: { ids: [of.id] } })}
            />
          </>
        ) : null}
      </td>
    </tr>
  );
};

export const QueuesScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked, projects, project, idOf } = listing;
  const { value, fault, again } = useStored(
    async (signal) =>
      asked === undefined ? undefined : queuesServer.list({ query: queryOf(asked) }, signal),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  return (
    <main class="page wide">
      <h1>Annotation queues</h1>
      <WorkspaceTabs workspace={workspace} at="queues" />
      <ListBar what="queues" of={listing}>
        {mayWrite.value && projects.length > 0 ? (
          <MakeQueue projects={projects} project={project} idOf={idOf} onMade={again} />
        ) : null}
      </ListBar>
      <Rows
        label="Annotation queues"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={['Queue', 'Project', 'Holds', 'You', 'Others', 'Means', 'Changed', '']}
        empty={
          asked?.name === undefined
            ? 'No queue yet. Make one, and add traces or threads to it from their lists, where they are selected.'
            : 'No queue matches this.'
        }
      >
        {(one) => <Row key={one.id} of={one} workspace={workspace} onChange={again} />}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
      <Definitions />
    </main>
  );
};
