// One registered model: its versions, requests, webhooks and notes.
import { useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { attempt } from '../attempt.js';
import { useLoaded } from '../loading.js';
import { isAdministrator } from '../members/role.js';
import { mayWrite, session } from '../request.js';
import { useSubject } from '../subject.js';
import { registryServer } from '../server.js';
import { deletions, isGoing } from '../shell/delete-soon.js';
import { Deletes } from '../shell/deletes.js';
import { Forms } from '../shell/forms.js';
import { Coming, Stale, Versions } from '../shell/versions.js';
import { query, setQuery, tell } from '../state.js';
import { Notes } from '../told/notes.js';
import { VersionMetrics } from './metrics.js';
import { Requests } from './requests.js';
import type { Model } from './status.js';
import { VersionPart } from './version.js';
import { Webhooks } from './webhooks.js';
import { useShownTab } from '../shell/workspace-tabs.js';
import { Fault } from '../shell/wait.js';

const tabs = ['versions', 'metrics', 'review', 'webhooks', 'notes'] as const;

const ModelNotes = ({ workspace, model }: { workspace: string; model: string }) => {
  const [tick, setTick] = useState(0);
  const named = { query: { workspaceName: workspace, modelName: model } };
  const { value, fault } = useLoaded(
    (signal) => registryServer.getNotes(named, signal),
    [workspace, model, tick],
  );
  return (
    <Notes
      stored={value?.notes}
      fault={fault}
      hint="What is worth knowing about this model; in Markdown"
      now={async () => (await registryServer.getNotes(named)).notes}
      onKeep={(notes) =>
        registryServer
          .setNotes({ body: { workspaceName: workspace, registryModelName: model, notes } })
          .then(() => setTick(tick + 1))
      }
    />
  );
};

const Description = ({ of, onChange }: { of: Model; onChange: () => void }) => {
  const [text, setText] = useState(of.description ?? '');
  return (
    <input
      class="described"
      aria-label="Description"
      placeholder="describe this model"
      maxLength={1000}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => {
        if (text === (of.description ?? '')) return;
        attempt(
          registryServer
            .update({ body: { registryModelId: of.registryModelId, description: text } })
            .then(() => {
              tell('Description saved');
              onChange();
            }),
        );
      }}
    />
  );
};

/** For those who administer the workspace; others are refused. */
const DeleteModel = ({ of, workspace }: { of: Model; workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => isAdministrator(workspace, signal),
    [workspace, session.value?.userName],
  );
  if (value !== true) return <Fault of={fault} />;
  return (
    <Deletes
      text="Delete the model"
      what="model"
      name={of.modelName}
      id={of.registryModelId}
      warns="All of its versions go with it, whatever their stages and status. The runs that made them stay."
      onDo={() =>
        registryServer.remove({ query: { workspaceName: workspace, modelName: of.modelName } })
      }
      leaves={pathOf('w', workspace, 'models')}
    />
  );
};

const isVersionGoing = ({ registryModelItemId: id }: Model['versions'][number]): boolean =>
  isGoing('version', id);

const ModelVersions = ({
  of,
  workspace,
  version,
  onChange,
}: {
  of: Model;
  workspace: string;
  version: string | undefined;
  onChange: () => void;
}) => {
  const shown =
    version === undefined
      ? (of.versions.find((one) => !isVersionGoing(one)) ?? of.versions[0])
      : of.versions.find((one) => one.version === version);
  return (
    <Versions
      what="model"
      named={version}
      shown={shown?.version}
      all={of.versions.map((one) => ({
        version: one.version,
        says: [
          isVersionGoing(one) ? 'being deleted' : '',
          one.status === 'None' ? '' : one.status,
          ...one.stages,
        ]
          .filter((word) => word !== '')
          .join(', '),
        address: pathOf('w', workspace, 'model', of.modelName, one.version),
      }))}
    >
      {shown === undefined ? null : (
        <VersionPart of={shown} workspace={workspace} model={of} onChange={onChange} />
      )}
    </Versions>
  );
};

export const ModelScreen = ({
  workspace,
  name,
  version,
}: {
  workspace: string;
  name: string;
  version: string | undefined;
}) => {
  const found = useSubject(
    (signal) =>
      registryServer.get({ query: { workspaceName: workspace, modelName: name } }, signal),
    [workspace, name, deletions.value],
  );
  const { again } = found;
  const tab = tabs.find((one) => one === query.value.get('tab')) ?? 'versions';
  const { value } = found;
  const shownTab = useShownTab(value === undefined ? 0 : 1);
  if (value === undefined) return <Coming of={found} />;
  return (
    <main class="page wide">
      <h1 dir="auto">{value.modelName}</h1>
      <Stale of={found} what="model" list={pathOf('w', workspace, 'models')} />
      <p class="controls">
        <Forms />
        {mayWrite.value ? <DeleteModel of={value} workspace={workspace} /> : null}
      </p>
      {mayWrite.value ? (
        <Description key={value.registryModelId} of={value} onChange={again} />
      ) : (
        <p class="faint">{value.description}</p>
      )}
      <nav class="tabs" aria-label="Parts of the model" ref={shownTab}>
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === tab}
            onClick={() => setQuery({ tab: one === 'versions' ? undefined : one }, true)}
          >
            {one === 'versions' ? `versions ${value.numberOfVersions}` : one}
          </button>
        ))}
      </nav>
      {tab === 'versions' ? (
        <ModelVersions of={value} workspace={workspace} version={version} onChange={again} />
      ) : null}
      {tab === 'metrics' ? <VersionMetrics of={value} workspace={workspace} /> : null}
      {tab === 'review' ? (
        <Requests workspace={workspace} model={value.modelName} onChange={again} />
      ) : null}
      {tab === 'webhooks' ? <Webhooks workspace={workspace} model={value.modelName} /> : null}
      {tab === 'notes' ? <ModelNotes workspace={workspace} model={value.modelName} /> : null}
    </main>
  );
};
