// Rules that score what is logged, of a workspace or project.
import { pathOf } from '../../pure/address.js';
import { draftOf, ruleTypes, sentRule } from '../../pure/evaluators.js';
import { formatAgo, formatNumber } from '../../pure/format.js';
import { showFilter } from '../../pure/trace-filters.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { rulesServer, type Rule } from '../reviewing-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Act } from '../shell/form.js';
import { ListBar, Paging, useListing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

/** Switches a rule on or off; all else of it stays. */
const setEnabled = (of: Rule, enabled: boolean) =>
  rulesServer.update({ params: { id: of.id }, body: { ...sentRule(draftOf(of)), enabled } });

const Row = ({
  of,
  workspace,
  onChange,
}: {
  of: Rule;
  workspace: string;
  onChange: () => void;
}) => (
  <tr>
    <th scope="row" class="long" dir="auto">
      <a href={pathOf('w', workspace, 'evaluators', of.id)}>{of.name}</a>
    </th>
    <td>{of.enabled ? '✓ on' : 'off'}</td>
    <td>{ruleTypes[of.type].says}</td>
    <td dir="auto">{of.code.model?.name}</td>
    <td class="number">{formatNumber(of.sampling_rate * 100)} %</td>
    <td dir="auto">{draftOf(of).filters.map(showFilter).join(' and ')}</td>
    <td dir="auto">{of.projects.map(({ project_name: name }) => name).join(', ')}</td>
    <td>
      {formatAgo(Date.parse(of.last_updated_at), Date.now())} · {of.last_updated_by}
    </td>
    <td class="does">
      {mayWrite.value ? (
        <>
          <Act
            verb={of.enabled ? 'Switch off' : 'Switch on'}
            label={`${of.enabled ? 'Switch off' : 'Switch on'} ${of.name}`}
            says={`${of.name} is ${of.enabled ? 'off' : 'on'}`}
            onDo={() => setEnabled(of, !of.enabled).then(onChange)}
          />{' '}
          <Deletes
            what="evaluator"
            name={of.name}
            id={of.id}
            warns="Its log goes with it; the scores that it gave stay."
            onDo={() => rulesServer.remove({ query: {}, body: { ids: [of.id] } })}
          />
        </>
      ) : null}
    </td>
  </tr>
);

export const EvaluatorsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked, project } = listing;
  const { value, fault, again } = useStored(
    async (signal) =>
      asked === undefined ? undefined : rulesServer.list({ query: asked }, signal),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  const newOne = pathOf('w', workspace, 'evaluators', 'new');
  return (
    <main class="page wide">
      <h1>Evaluators</h1>
      <WorkspaceTabs workspace={workspace} at="evaluators" />
      <ListBar what="evaluators" of={listing}>
        {mayWrite.value ? (
          <a
            class="button"
            href={
              project === undefined ? newOne : `${newOne}?project=${encodeURIComponent(project)}`
            }
          >
            New evaluator
          </a>
        ) : null}
      </ListBar>
      <Rows
        label="Evaluators"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={['Evaluator', 'State', 'Does', 'Model', 'Share', 'Only', 'Projects', 'Changed', '']}
        empty={
          asked?.name === undefined
            ? 'No evaluator yet. One scores traces, threads or spans as they are logged: by a model that judges, or by a metric in Python.'
            : 'No evaluator matches this.'
        }
      >
        {(one) => <Row key={one.id} of={one} workspace={workspace} onChange={again} />}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
    </main>
  );
};
