// One dataset: its items, its versions, and the way to its experiments.
import { pathOf } from '../../pure/address.js';
import { formatCount } from '../../pure/format.js';
import { datasetsServer, type Dataset } from '../evaluating-server.js';
import { Lineage } from '../lineage/lineage.js';
import { useSubject } from '../subject.js';
import { mayWrite } from '../request.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Asks } from '../shell/form.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery } from '../state.js';
import { Labels } from '../told/labels.js';
import { DatasetItems } from './items.js';
import { DatasetVersions } from './versions.js';

const mostVersions = 100;

const loadDataset = async (id: string, signal: AbortSignal) => {
  const [dataset, versions] = await Promise.all([
    datasetsServer.show({ params: { id } }, signal),
    datasetsServer.versions({ params: { id }, query: { page: 1, size: mostVersions } }, signal),
  ]);
  return { dataset, versions };
};

/** What belongs to the dataset as a whole, changed in place. */
const About = ({
  workspace,
  dataset,
  onChange,
}: {
  workspace: string;
  dataset: Dataset;
  onChange: () => void;
}) => {
  const params = { id: dataset.id };
  if (!mayWrite.value)
    return (
      <p dir="auto">
        {dataset.description} {(dataset.tags ?? []).join(', ')}
      </p>
    );
  return (
    <>
      <div class="controls">
        {dataset.description === undefined || dataset.description === '' ? null : (
          <span class="faint" dir="auto">
            {dataset.description}
          </span>
        )}
        <Asks
          verb="Rename"
          label="Rename the dataset"
          send="Save"
          says="The dataset is changed"
          onSend={async (field) => {
            const body = { name: field('name'), description: field('description') };
            await datasetsServer.update({ params, body });
            onChange();
          }}
        >
          <label>
            Name
            <input name="name" required maxLength={250} defaultValue={dataset.name} />
          </label>
          <label>
            What it is for
            <input name="description" maxLength={255} defaultValue={dataset.description ?? ''} />
          </label>
        </Asks>
        <Deletes
          what="dataset"
          name={dataset.name}
          id={dataset.id}
          warns="Its items and versions go with it. Experiments over it stay, without their items."
          onDo={() => datasetsServer.remove({ params })}
          leaves={pathOf('w', workspace, 'datasets')}
        />
      </div>
      <Labels
        what="tag"
        labels={dataset.tags ?? []}
        stored={async () => (await datasetsServer.show({ params })).tags}
        onChange={(tags) =>
          datasetsServer
            .update({ params, body: { name: dataset.name, tags: [...tags] } })
            .then(onChange)
        }
      />
    </>
  );
};

const parts = ['items', 'versions', 'lineage'] as const;

export const DatasetScreen = ({ workspace, id }: { workspace: string; id: string }) => {
  const loaded = useSubject(
    (signal) => loadDataset(id, signal),
    [...[workspace, id, deletions.value]],
  );
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const { value, again } = loaded;
  const { dataset, versions } = value;
  const tab = parts.find((one) => one === query.value.get('tab')) ?? 'items';
  const part = (name: (typeof parts)[number], says: string) => (
    <button
      type="button"
      aria-pressed={tab === name}
      onClick={() => setQuery({ tab: name === 'items' ? undefined : name }, true)}
    >
      {says}
    </button>
  );
  return (
    <main class="page wide">
      <h1 dir="auto">{dataset.name}</h1>
      <WorkspaceTabs workspace={workspace} at="datasets" />
      <Stale of={loaded} what="dataset" list={pathOf('w', workspace, 'datasets')} />
      <About workspace={workspace} dataset={dataset} onChange={again} />
      <p class="controls" role="group" aria-label="Parts of the dataset">
        {part('items', 'Items')}
        {part('versions', `Versions (${formatCount(versions.total)})`)}
        {part('lineage', 'Lineage')}
        <a class="button" href={`${pathOf('w', workspace, 'experiments')}?dataset=${id}`}>
          {formatCount(dataset.experiment_count)} experiments
        </a>
        <a class="button" href={`${pathOf('w', workspace, 'playground')}?dataset=${id}`}>
          Run a prompt over it
        </a>
      </p>
      {tab === 'lineage' ? (
        <Lineage of={{ dataset: id }} />
      ) : tab === 'versions' ? (
        <DatasetVersions
          dataset={dataset}
          versions={versions.content}
          total={versions.total}
          onChange={again}
        />
      ) : (
        <DatasetItems
          workspace={workspace}
          dataset={dataset}
          versions={versions.content}
          onChange={again}
        />
      )}
    </main>
  );
};
