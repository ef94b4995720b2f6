// The alerts of a workspace or project.
import { pathOf } from '../../pure/address.js';
import { channels, draftOf, sentAlert, showTrigger } from '../../pure/alerts.js';
import { formatAgo } from '../../pure/format.js';
import { useStored } from '../loading.js';
import { mayWrite } from '../request.js';
import { alertsServer, type ShownAlert } from '../reviewing-server.js';
import { deletions } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Act } from '../shell/form.js';
import { ListBar, Paging, useListing, type Listing } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

const load = (
  { project_id: projectId, name, ...paged }: NonNullable<Listing['asked']>,
  signal: AbortSignal,
) => {
  const query = {
    ...paged,
    ...(name === undefined
      ? {}
      : { filters: JSON.stringify([{ field: 'name', operator: 'contains', value: name }]) }),
  };
  return projectId === undefined
    ? alertsServer.list({ query }, signal)
    : alertsServer.listOfProject({ params: { projectId }, query }, signal);
};

/** Switches an alert on, or off so that it is mute; all else of it stays. */
export const setEnabled = (of: ShownAlert, enabled: boolean) =>
  alertsServer.update({ params: { id: of.id }, body: { ...sentAlert(draftOf(of)), enabled } });

export const Mute = ({ of, onChange }: { of: ShownAlert; onChange: () => void }) => (
  <Act
    verb={of.enabled ? 'Mute' : 'Switch on'}
    label={`${of.enabled ? 'Mute' : 'Switch on'} ${of.name}`}
    says={`${of.name} is ${of.enabled ? 'mute' : 'on'}`}
    onDo={() => setEnabled(of, !of.enabled).then(onChange)}
  />
);

const Row = ({
  of,
  workspace,
  projects,
  onChange,
}: {
  of: ShownAlert;
  workspace: string;
  projects: ReadonlyMap<string, string>;
  onChange: () => void;
}) => {
  const draft = draftOf(of);
  return (
    <tr>
      <th scope="row" class="long" dir="auto">
        <a href={pathOf('w', workspace, 'alerts', of.id)}>{of.name}</a>
      </th>
      <td>{of.enabled ? '✓ on' : 'mute'}</td>
      <td class="long" dir="auto">
        {draft.triggers.map(showTrigger).join('; ')}
      </td>
      <td>{channels[draft.channel]}</td>
      <td dir="auto">{of.webhook.url}</td>
      <td dir="auto">
        {of.project_id === undefined ? 'all' : (projects.get(of.project_id) ?? 'one')}
      </td>
      <td>
        {formatAgo(Date.parse(of.last_updated_at), Date.now())} · {of.last_updated_by}
      </td>
      <td class="does">
        {mayWrite.value ? (
          <>
            <Mute of={of} onChange={onChange} />{' '}
            <Deletes
              what="alert"
              name={of.name}
              id={of.id}
              warns="Nobody is told any more, and what it has told is forgotten."
              onDo={() => alertsServer.remove({ body: { ids: [of.id] } })}
            />
          </>
        ) : null}
      </td>
    </tr>
  );
};

export const AlertsScreen = ({ workspace }: { workspace: string }) => {
  const listing = useListing(workspace);
  const { asked, project, projects, idOf } = listing;
  const { value, fault, again } = useStored(
    async (signal) => (asked === undefined ? undefined : load(asked, signal)),
    [workspace, JSON.stringify(asked), deletions.value],
  );
  const newOne = pathOf('w', workspace, 'alerts', 'new');
  const names = new Map(projects.map((name) => [idOf(name) ?? '', name]));
  return (
    <main class="page wide">
      <h1>Alerts</h1>
      <WorkspaceTabs workspace={workspace} at="alerts" />
      <ListBar what="alerts" of={listing}>
        {mayWrite.value ? (
          <a
            class="button"
            href={
              project === undefined ? newOne : `${newOne}?project=${encodeURIComponent(project)}`
            }
          >
            New alert
          </a>
        ) : null}
      </ListBar>
      <Rows
        label="Alerts"
        of={{ value: value?.content, fault: listing.fault ?? fault }}
        head={['Alert', 'State', 'Tells of', 'By', 'To', 'Project', 'Changed', '']}
        empty={
          asked?.name === undefined
            ? 'No alert yet. One tells a webhook, Slack, Teams or PagerDuty when traces fail, cost or last too much, are scored badly, or when prompts change.'
            : 'No alert matches this.'
        }
      >
        {(one) => (
          <Row key={one.id} of={one} workspace={workspace} projects={names} onChange={again} />
        )}
      </Rows>
      {value === undefined ? null : <Paging page={asked?.page ?? 1} total={value.total} />}
    </main>
  );
};
