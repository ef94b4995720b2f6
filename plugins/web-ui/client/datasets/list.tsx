// The datasets of a workspace or project.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { datasetsServer } from '../evaluating-server.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { Asks } from '../shell/form.js';
import { ListBar, Paging, useListing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

const MakeDataset = ({
  projectId,
  onMade,
}: {
  projectId: string | undefined;
  onMade: () => void;
}) =>
  mayWrite.value ? (
    <Asks
      verb="New dataset"
      label="New dataset"
      send="Make it"
      says="The dataset is made"
      onSend={async (field) => {
        const description = field('description');
        await datasetsServer.create({
          body: {
            name: field('name'),
            ...(description === '' ? {} : { description }),
            ...(projectId === undefined ? {} : { project_id: projectId }),
          },
        });
        onMade();
      }}
    >
      <label>
        Name
        <input name="name" required maxLength={250} autocomplete="off" />
      </label>
      <label>
        What it is for
        <input name="description" maxLength={255} autocomplete="off" />
      </label>
    </Asks>
  ) : null;

export const DatasetsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked } = listing;
  const { value, fault, again } = useStored(
    async (signal) =>
      asked === undefined ? undefined : datasetsServer.list({ query: asked }, signal),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  return (
    <main class="page wide">
      <h1>Datasets</h1>
      <WorkspaceTabs workspace={workspace} at="datasets" />
      <ListBar what="datasets" of={listing}>
        <MakeDataset projectId={asked?.project_id} onMade={again} />
      </ListBar>
      <Rows
        label="Datasets"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={['Dataset', 'Items', 'Version', 'Experiments', 'Last experiment', 'Tags', 'Changed']}
        empty={
          asked?.name === undefined
            ? 'No dataset yet: create_dataset() of the SDK makes one, and so does the button above.'
            : 'No dataset matches this.'
        }
      >
        {(one) => (
          <tr key={one.id}>
            <th scope="row" class="long" dir="auto">
              <a href={pathOf('w', workspace, 'datasets', one.id)}>{one.name}</a>{' '}
              <span class="faint">{one.description}</span>
              <Going what="dataset" id={one.id} />
            </th>
            <td class="number">{formatCount(one.dataset_items_count)}</td>
            <td>{one.latest_version?.version_name ?? '–'}</td>
            <td class="number">
              <a href={`${pathOf('w', workspace, 'experiments')}?dataset=${one.id}`}>
                {formatCount(one.experiment_count)}
                <span class="unseen"> experiments of {one.name}</span>
              </a>
            </td>
            <td>
              {one.most_recent_experiment_at === undefined
                ? ''
                : formatAgo(Date.parse(one.most_recent_experiment_at), Date.now())}
            </td>
            <td dir="auto">{(one.tags ?? []).join(', ')}</td>
            <td>{formatAgo(Date.parse(one.last_updated_at), Date.now())}</td>
          </tr>
        )}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
    </main>
  );
};
