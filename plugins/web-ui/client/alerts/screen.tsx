// One alert: written, held against what is stored, tested, and what it has told. `new` in the address is one that is still to be made.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import {
  channels,
  draftOf,
  eventWords,
  isEventType,
  showTrigger,
  usualAlert,
  type AlertDraft,
} from '../../pure/alerts.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { useLoaded, useStored } from '../loading.js';
import { useSubject } from '../subject.js';
import { mayWrite } from '../request.js';
import { alertsServer } from '../reviewing-server.js';
import { server } from '../server.js';
import { pageOfAddress, pageSize, Paging } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { Coming, Stale } from '../shell/versions.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { go, query, tell } from '../state.js';
import { AlertEditor } from './editor.js';
import { Mute } from './list.js';
import { AlertStanding } from './standing.js';
import { Wait } from '../shell/wait.js';

const useProjects = (workspace: string) =>
  useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );

/** The one project that all of an alert is about; nothing where there are several. */
const projectOf = ({ projectId, triggers }: AlertDraft): string | undefined => {
  if (projectId !== undefined) return projectId;
  const named = new Set(triggers.flatMap(({ projectIds }) => projectIds));
  return named.size === 1 ? [...named][0] : undefined;
};

const states: Readonly<Record<string, string>> = {
  delivered: '✓ delivered',
  waiting: '… waiting',
  failed: '✗ failed',
  dropped: 'dropped',
};

const Firings = ({ id }: { id: string }) => {
  const page = pageOfAddress();
  const { value, fault, again } = useStored(
    (signal) => alertsServer.firings({ params: { id }, query: { page, size: pageSize } }, signal),
    [id, page],
  );
  return (
    <section aria-label="What it has told">
      <h2>What it has told</h2>
      <p class="controls">
        <button type="button" onClick={again}>
          Look again
        </button>
        <span class="faint">within two weeks</span>
      </p>
      <Rows
        label="Firings"
        of={{ value: value?.content, fault }}
        head={['When', 'Of', 'Figure', 'Threshold', 'State', 'Attempts', 'Answer']}
        empty="It has told nothing."
      >
        {(one) => (
          <tr key={one.id}>
            <td title={new Date(one.fired_at).toLocaleString()}>
              {formatAgo(Date.parse(one.fired_at), Date.now())}
            </td>
            <td>
              {isEventType(one.event_type) ? eventWords[one.event_type] : one.event_type}
              {one.event_count > 1 ? ` × ${formatCount(one.event_count)}` : ''}
            </td>
            <td class="number">{one.metric_value}</td>
            <td class="number">{one.threshold}</td>
            <td class={one.state === 'failed' ? 'fault' : ''}>{states[one.state] ?? one.state}</td>
            <td class="number">{one.attempts}</td>
            <td dir="auto">
              {one.status_code} {one.error_message}
            </td>
          </tr>
        )}
      </Rows>
      {value === undefined ? null : <Paging page={page} total={value.total} />}
    </section>
  );
};

const Written = ({
  before,
  workspace,
  onSaved,
}: {
  before: AlertDraft;
  workspace: string;
  onSaved: () => void;
}) => {
  const projects = useProjects(workspace);
  const [draft, setDraft] = useState(before);
  if (projects.value === undefined) return <Wait fault={projects.fault} />;
  return (
    <>
      <AlertEditor
        before={before}
        projects={projects.value.projects}
        onDraft={setDraft}
        onSaved={onSaved}
      />
      <AlertStanding draft={draft} projectId={projectOf(draft)} />
    </>
  );
};

const NewAlert = ({ workspace }: { workspace: string }) => {
  const named = query.value.get('project');
  const list = pathOf('w', workspace, 'alerts');
  const found = useLoaded(
    async (signal) =>
      named === null
        ? { projectId: undefined }
        : server.getProject({ query: { workspaceName: workspace, projectName: named } }, signal),
    [workspace, named],
  );
  if (found.value === undefined) return <Coming of={found} />;
  return (
    <main class="page wide">
      <h1>New alert</h1>
      <WorkspaceTabs workspace={workspace} at="alerts" />
      {mayWrite.value ? (
        <Written
          before={usualAlert(found.value.projectId)}
          workspace={workspace}
          onSaved={() => {
            tell('The alert is made');
            go(named === null ? list : `${list}?project=${encodeURIComponent(named)}`);
          }}
        />
      ) : (
        <p class="empty">You may look at alerts, and not make them.</p>
      )}
    </main>
  );
};

const StoredAlert = ({ workspace, id }: { workspace: string; id: string }) => {
  const loaded = useSubject((signal) => alertsServer.show({ params: { id } }, signal), [id], true);
  if (loaded.value === undefined) return <Coming of={loaded} />;
  const { value: alert, again } = loaded;
  const draft = draftOf(alert);
  return (
    <main class="page wide">
      <h1 dir="auto">{alert.name}</h1>
      <WorkspaceTabs workspace={workspace} at="alerts" />
      <Stale of={loaded} what="alert" list={pathOf('w', workspace, 'alerts')} />
      <p class="controls">
        <span class="faint" dir="auto">
          {alert.enabled ? '✓ on' : 'mute'} · {channels[draft.channel]} ·{' '}
          {draft.triggers.map(showTrigger).join('; ')}
        </span>
        {mayWrite.value ? <Mute of={alert} onChange={again} /> : null}
      </p>
      {mayWrite.value ? (
        <Written
          // Who mutes it keeps what is written.
          key={JSON.stringify({ ...draft, enabled: true })}
          before={draft}
          workspace={workspace}
          onSaved={() => {
            tell('The alert is saved');
            again();
          }}
        />
      ) : (
        <AlertStanding draft={draft} projectId={projectOf(draft)} />
      )}
      <Firings id={id} />
    </main>
  );
};

export const AlertScreen = ({ workspace, id }: { workspace: string; id: string }) =>
  id === 'new' ? <NewAlert workspace={workspace} /> : <StoredAlert workspace={workspace} id={id} />;
