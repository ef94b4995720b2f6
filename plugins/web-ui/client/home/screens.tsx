// Where one begins: workspaces, and the projects of one.
import { formatAgo, formatCount } from '../../pure/format.js';
import { pathOf } from '../../pure/address.js';
import { useLoaded } from '../loading.js';
import { server } from '../server.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';

const Projects = ({ workspace }: { workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  if (fault !== undefined) return <p class="fault">{fault}</p>;
  if (value === undefined) return <p class="faint">loading …</p>;
  if (value.projects.length === 0)
    return <p class="empty">No project yet: the first run that is logged makes one.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th>Project</th>
          <th class="number">Runs</th>
          <th>Changed</th>
          <th>Owner</th>
          <th>Seen by</th>
        </tr>
      </thead>
      <tbody>
        {[...value.projects]
          .sort((a, b) => b.lastUpdated - a.lastUpdated)
          .map((one) => (
            <tr key={one.projectId}>
              <td>
                <a href={pathOf('w', workspace, 'p', one.projectName, 'runs')}>{one.projectName}</a>
                {one.projectDescription ? (
                  <span class="faint"> {one.projectDescription}</span>
                ) : null}
              </td>
              <td class="number">{formatCount(one.numberOfExperiments)}</td>
              <td>{formatAgo(one.lastUpdated, Date.now())}</td>
              <td>{one.ownerUserName}</td>
              <td>{one.public ? 'everybody' : 'members'}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
};

export const WorkspaceScreen = ({ workspace }: { workspace: string }) => (
  <main class="page">
    <h1>{workspace}</h1>
    <WorkspaceTabs workspace={workspace} at="projects" />
    <Projects workspace={workspace} />
  </main>
);

export const HomeScreen = () => {
  const { value, fault } = useLoaded((signal) => server.listWorkspaces({}, signal), []);
  return (
    <main class="page">
      <h1>Workspaces</h1>
      {fault === undefined ? null : <p class="fault">{fault}</p>}
      {value?.workspaceNames.map((name) => (
        <section key={name}>
          <h2>
            <a href={pathOf('w', name)}>{name}</a>
          </h2>
          <Projects workspace={name} />
        </section>
      ))}
    </main>
  );
};
