// Searches for better prompts: over which dataset, towards which score, and what they came to.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount, formatNumber } from '../../pure/format.js';
import { formatCost } from '../../pure/trace-values.js';
import { gainText } from '../../pure/trials.js';
import { optimizationsServer, type Optimization } from '../evaluating-server.js';
import { useStored } from '../loading.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { ListBar, Paging, useListing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

export const scoreText = (value: number | undefined): string =>
  value === undefined ? '–' : formatNumber(Number(value.toPrecision(4)));

const Row = ({ of, workspace }: { of: Optimization; workspace: string }) => (
  <tr>
    <th scope="row" class="long" dir="auto">
      <a href={pathOf('w', workspace, 'optimizations', of.id)}>{of.name ?? of.id}</a>
      <Going what="optimization" id={of.id} />
    </th>
    <td dir="auto">
      {of.dataset_id === undefined ? (
        of.dataset_name
      ) : (
        <a href={pathOf('w', workspace, 'datasets', of.dataset_id)}>{of.dataset_name}</a>
      )}
    </td>
    <td dir="auto">{of.objective_name}</td>
    <td class="number">{formatCount(of.num_trials)}</td>
    <td class="number">{scoreText(of.baseline_objective_score)}</td>
    <td class="number">
      {scoreText(of.best_objective_score)}{' '}
      <span class="faint">{gainText(of.baseline_objective_score, of.best_objective_score)}</span>
    </td>
    <td class="number">
      {of.total_optimization_cost === undefined ? '' : formatCost(of.total_optimization_cost)}
    </td>
    <td>{of.status}</td>
    <td>{formatAgo(Date.parse(of.created_at), Date.now())}</td>
  </tr>
);

export const OptimizationsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked } = listing;
  const { value, fault } = useStored(
    async (signal) =>
      asked === undefined ? undefined : optimizationsServer.list({ query: asked }, signal),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  return (
    <main class="page wide">
      <h1>Optimizations</h1>
      <WorkspaceTabs workspace={workspace} at="optimizations" />
      <ListBar what="optimizations" of={listing} />
      <Rows
        label="Optimizations"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={[
          ...['Optimization', 'Dataset', 'Objective', 'Trials', 'Baseline', 'Best'],
          ...['Cost', 'Status', 'Made'],
        ]}
        empty={
          asked?.name === undefined
            ? 'No optimization yet: an optimizer of the SDK makes one.'
            : 'No optimization matches this.'
        }
      >
        {(one) => <Row key={one.id} of={one} workspace={workspace} />}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
    </main>
  );
};
