// The artifacts of a workspace.
import { pathOf } from '../../pure/address.js';
import { formatBytes, formatCount } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { artifactServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { query, setQuery } from '../state.js';
import { Fault, Wait } from '../shell/wait.js';

const mostShown = 2000;

export const ArtifactsScreen = ({ workspace }: { workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => artifactServer.list({ query: { workspace } }, signal),
    [workspace, deletions.value],
  );
  const type = query.value.get('type') ?? '';
  const part = (query.value.get('q') ?? '').toLowerCase();
  const types = [...new Set(value?.artifacts.map((one) => one.type))].sort();
  const found = (value?.artifacts ?? [])
    .filter((one) => (type === '' || one.type === type) && one.name.toLowerCase().includes(part))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const tagged = found.some(({ tags }) => tags.length > 0);
  return (
    <main class="page wide">
      <h1>Artifacts</h1>
      <WorkspaceTabs workspace={workspace} at="artifacts" />
      <Fault of={fault} />
      {value === undefined && fault === undefined ? <Wait /> : null}
      {value?.artifacts.length === 0 ? (
        <p class="empty">
          No artifact yet: a run makes one by <code>log_artifact</code>.
        </p>
      ) : value === undefined ? null : (
        <>
          <div class="controls">
            <input
              type="search"
              aria-label="Find an artifact"
              placeholder={`find among ${formatCount(value.artifacts.length)}`}
              value={query.value.get('q') ?? ''}
              onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
            />
            <select
              aria-label="Type"
              value={type}
              onChange={({ currentTarget }) => setQuery({ type: currentTarget.value })}
            >
              <option value="">every type</option>
              {types.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </div>
          <table class="plain">
            <thead>
              <tr>
                <th>Artifact</th>
                <th>Type</th>
                <th class="number">Versions</th>
                <th class="number">Size</th>
                {tagged ? <th>Tags</th> : null}
              </tr>
            </thead>
            <tbody>
              {found.slice(0, mostShown).map((one) => (
                <tr key={one.artifactId}>
                  <td>
                    <a href={pathOf('w', workspace, 'artifact', one.name)}>{one.name}</a>{' '}
                    <span class="faint">{one.description}</span>
                    <Going what="artifact" id={one.artifactId} />
                  </td>
                  <td class="kind">{one.type}</td>
                  <td class="number">{formatCount(one.versionsCount)}</td>
                  <td class="number short">{formatBytes(one.sizeInBytes)}</td>
                  {tagged ? <td>{one.tags.join(', ')}</td> : null}
                </tr>
              ))}
            </tbody>
          </table>
          <Cut
            shown={mostShown}
            of={found.length}
            what="artifacts"
            how="part of a name finds the others"
          />
          {found.length === 0 ? <p class="empty">No artifact has this in its name.</p> : null}
        </>
      )}
    </main>
  );
};
