// The experiments of a workspace or project: what each ran over, how it scored, and what it took. Chosen ones lead to their comparison.
import { pathOf, readList, writeList } from '../../pure/address.js';
import { mostCompared } from '../../pure/experiments.js';
import { formatAgo, formatCount, formatNumber } from '../../pure/format.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { experimentsServer, type Experiment } from '../evaluating-server.js';
import { useLoaded, useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { ListBar, Paging, useListing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery } from '../state.js';

/** Orders beside that by age, newest first. */
const orders: Readonly<Record<string, { readonly field: string; readonly direction: string }>> = {
  'changed last': { field: 'last_updated_at', direction: 'DESC' },
  'by name': { field: 'name', direction: 'ASC' },
  'most traces': { field: 'trace_count', direction: 'DESC' },
};
const scoreOrder = 'score:';

const sortingOf = (order: string | null): { readonly sorting?: string } => {
  const known = order !== null && Object.hasOwn(orders, order) ? orders[order] : undefined;
  const score = order?.startsWith(scoreOrder) === true ? order.slice(scoreOrder.length) : undefined;
  const by = score === undefined ? known : { field: `feedback_scores.${score}`, direction: 'DESC' };
  return by === undefined ? {} : { sorting: JSON.stringify([by]) };
};

const Order = ({ scores }: { scores: readonly string[] }) => (
  <select
    aria-label="Order"
    value={query.value.get('order') ?? ''}
    onChange={({ currentTarget: { value } }) => setQuery({ order: value, page: undefined }, true)}
  >
    <option value="">newest first</option>
    {Object.keys(orders).map((name) => (
      <option key={name} value={name}>
        {name}
      </option>
    ))}
    {scores.map((name) => (
      <option key={name} value={scoreOrder + name}>
        best {name}
      </option>
    ))}
  </select>
);

/** What an experiment scored on average, its own scores first. */
export const scoresText = ({
  feedback_scores: means,
  experiment_scores: own,
}: Experiment): string =>
  [...(own ?? []), ...means]
    .map(({ name, value }) => `${name} ${formatNumber(Number(value.toPrecision(3)))}`)
    .join(' · ');

export const passedText = ({ passed_count: passed, total_count: total }: Experiment): string =>
  passed === undefined || total === undefined || total === 0 ? '' : `${passed} of ${total} passed`;

const Row = ({
  of,
  workspace,
  picked,
  onPick,
}: {
  of: Experiment;
  workspace: string;
  picked: boolean;
  onPick: () => void;
}) => (
  <tr>
    <td>
      <input type="checkbox" aria-label={`Select ${of.name}`} checked={picked} onChange={onPick} />
    </td>
    <th scope="row" class="long" dir="auto">
      <a href={pathOf('w', workspace, 'experiments', of.id)}>{of.name}</a>
      <Going what="experiment" id={of.id} />
    </th>
    <td dir="auto">
      {of.dataset_id === undefined ? (
        <span class="faint">no longer there</span>
      ) : (
        <a href={pathOf('w', workspace, 'datasets', of.dataset_id)}>
          {of.dataset_name ?? of.dataset_id}
        </a>
      )}
    </td>
    <td class="long">{[scoresText(of), passedText(of)].filter((one) => one !== '').join(' · ')}</td>
    <td class="number">{formatCount(of.trace_count)}</td>
    <td class="number">
      {of.total_estimated_cost === undefined ? '' : formatCost(of.total_estimated_cost)}
    </td>
    <td class="number">{of.duration === undefined ? '' : formatDuration(of.duration.p50)}</td>
    <td>{of.status}</td>
    <td dir="auto">{(of.tags ?? []).join(', ')}</td>
    <td>{formatAgo(Date.parse(of.created_at), Date.now())}</td>
  </tr>
);

/** What can be done with those that are chosen. All of one comparison ran over the same dataset. */
const Picked = ({
  workspace,
  ids,
  all,
}: {
  workspace: string;
  ids: readonly string[];
  all: readonly Experiment[];
}) => {
  const [first, ...others] = ids;
  if (first === undefined) return null;
  const datasets = new Set(all.filter(({ id }) => ids.includes(id)).map((one) => one.dataset_id));
  const compared = `${pathOf('w', workspace, 'experiments', first)}?with=${encodeURIComponent(writeList(others))}`;
  return (
    <div class="picked-bar" role="toolbar" aria-label="Selected experiments">
      <b>{ids.length} selected</b>
      {datasets.size > 1 ? (
        <span>Experiments over one dataset can be compared.</span>
      ) : ids.length > mostCompared ? (
        <span>{mostCompared} can stand side by side.</span>
      ) : (
        <a class="button" href={compared}>
          {others.length === 0 ? 'Open' : 'Compare'}
        </a>
      )}
      {mayWrite.value ? (
        <Deletes
          what="experiment"
          name={`${ids.length} ${ids.length === 1 ? 'experiment' : 'experiments'}`}
          ids={ids}
          warns="Their items go with them; the traces and the dataset stay."
          onDo={() => experimentsServer.remove({ body: { ids: [...ids] } })}
          onAgreed={() => setQuery({ picked: undefined })}
        />
      ) : null}
      <button type="button" class="quiet" onClick={() => setQuery({ picked: undefined })}>
        Clear
      </button>
    </div>
  );
};

export const ExperimentsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked } = listing;
  const dataset = query.value.get('dataset') ?? undefined;
  const prompt = query.value.get('prompt') ?? undefined;
  const order = query.value.get('order');
  const key = JSON.stringify([asked, dataset, prompt, order]);
  const found = useStored(
    async (signal) =>
      asked === undefined
        ? undefined
        : experimentsServer.list(
            {
              query: {
                ...asked,
                ...sortingOf(order),
                ...(dataset === undefined ? {} : { datasetId: dataset }),
                ...(prompt === undefined ? {} : { prompt_id: prompt }),
              },
            },
            signal,
          ),
    [workspace, key, deletions.value],
  );
  const names = useLoaded(
    async (signal) =>
      asked === undefined
        ? undefined
        : experimentsServer.scoreNames(
            {
              query: asked.project_id === undefined ? {} : { project_id: asked.project_id },
            },
            signal,
          ),
    [workspace, asked?.project_id, asked === undefined],
  );
  const ids = readList(query.value.get('picked'));
  const pick = (id: string) =>
    setQuery({
      picked: writeList(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]),
    });
  const narrowed = asked?.name !== undefined || dataset !== undefined || prompt !== undefined;
  return (
    <main class="page wide">
      <h1>Experiments</h1>
      <WorkspaceTabs workspace={workspace} at="experiments" />
      <ListBar what="experiments" of={listing}>
        <Order scores={(names.value?.scores ?? []).map(({ name }) => name)} />
        {dataset === undefined ? null : (
          <button type="button" onClick={() => setQuery({ dataset: undefined }, true)}>
            of one dataset ×
          </button>
        )}
        {prompt === undefined ? null : (
          <button type="button" onClick={() => setQuery({ prompt: undefined }, true)}>
            with one prompt ×
          </button>
        )}
      </ListBar>
      <Rows
        label="Experiments"
        of={{ value: found.value?.content, fault: listing.fault ?? found.fault }}
        head={[
          '',
          'Experiment',
          'Dataset',
          'Scores',
          'Traces',
          'Cost',
          'p50 duration',
          'Status',
          'Tags',
          'Made',
        ]}
        empty={
          narrowed
            ? 'No experiment matches this.'
            : 'No experiment yet: evaluate() of the SDK makes one, and so does the playground.'
        }
      >
        {(one) => (
          <Row
            key={one.id}
            of={one}
            workspace={workspace}
            picked={ids.includes(one.id)}
            onPick={() => pick(one.id)}
          />
        )}
      </Rows>
      {found.value === undefined ? null : (
        <Paging page={asked?.page ?? 1} total={found.value.total} />
      )}
      <Picked workspace={workspace} ids={ids} all={found.value?.content ?? []} />
    </main>
  );
};
