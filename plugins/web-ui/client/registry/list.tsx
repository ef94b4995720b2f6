// The registered models of a workspace, and the requests that wait for somebody.
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { registryServer } from '../server.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { Forms } from '../shell/forms.js';
import { useNarrowed } from '../shell/narrowed.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { Requests } from './requests.js';
import { Fault, Wait } from '../shell/wait.js';

export const ModelsScreen = ({ workspace }: { workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => registryServer.list({ query: { workspaceName: workspace } }, signal),
    [workspace, deletions.value],
  );
  const { shown, bar } = useNarrowed(
    value?.registryModels ?? [],
    ({ modelName }) => modelName,
    'Search the models',
  );
  return (
    <main class="page wide">
      <h1>Models</h1>
      <WorkspaceTabs workspace={workspace} at="models" />
      <p class="controls">
        <Forms />
      </p>
      <Fault of={fault} />
      {value === undefined && fault === undefined ? <Wait /> : null}
      {value?.registryModels.length === 0 ? (
        <p class="empty">
          No model is registered yet: a run does it by <code>register_model</code>.
        </p>
      ) : value === undefined ? null : (
        <>
          {bar}
          <table class="plain">
            <thead>
              <tr>
                <th>Model</th>
                <th class="number">Versions</th>
                <th>Newest</th>
                <th>Stages</th>
                <th>Changed</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((one) => (
                <tr key={one.registryModelId}>
                  <td dir="auto">
                    <a href={pathOf('w', workspace, 'model', one.modelName)}>{one.modelName}</a>{' '}
                    <span class="faint">{one.description}</span>
                    <Going what="model" id={one.registryModelId} />
                  </td>
                  <td class="number">{formatCount(one.numberOfVersions)}</td>
                  <td>{one.latestVersion?.version ?? '–'}</td>
                  <td>{one.latestVersion?.stages.join(', ')}</td>
                  <td class="short">{formatAgo(one.lastUpdated, Date.now())}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <h2>Requests that wait</h2>
      <Requests workspace={workspace} pendingOnly onChange={() => undefined} />
    </main>
  );
};
