// Where one begins: workspaces, and the projects of one.
import { useEffect, useState } from 'preact/hooks';
import { formatAgo, formatCount } from '../../pure/format.js';
import { pathOf } from '../../pure/address.js';
import { lazy } from '../lazy.js';
import { useLoaded, useTurn, type Loaded } from '../loading.js';
import { saysFault } from '../request.js';
import { server } from '../server.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { Fault, Wait } from '../shell/wait.js';

const WorkspaceMore = lazy<{ readonly workspace: string }>(
  async () => (await import('./workspace-more.js')).WorkspaceMore,
);
const Now = lazy<{ readonly of: readonly Listed[] }>(async () => (await import('./now.js')).Now);

export type Project = Awaited<ReturnType<typeof server.listProjects>>['projects'][number];

const Projects = ({
  workspace,
  value,
  fault,
}: { workspace: string } & Pick<Loaded<readonly Project[]>, 'value' | 'fault'>) => {
  if (fault !== undefined) return <Fault of={fault} />;
  if (value === undefined) return <Wait />;
  if (value.length === 0)
    return <p class="empty">No project yet: the first run that is logged makes one.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th>Project</th>
          <th class="number">Runs</th>
          <th>Changed</th>
          <th class="less">Owner</th>
          <th class="less">Seen by</th>
        </tr>
      </thead>
      <tbody>
        {[...value]
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
              <td class="short">{formatAgo(one.lastUpdated, Date.now())}</td>
              <td class="less">{one.ownerUserName}</td>
              <td class="less">{one.public ? 'everybody' : 'members'}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
};

export const WorkspaceScreen = ({ workspace }: { workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace],
  );
  return (
    <main class="page wide">
      <h1>{workspace}</h1>
      <WorkspaceTabs workspace={workspace} at="projects" />
      <Projects workspace={workspace} value={value?.projects} fault={fault} />
      <WorkspaceMore workspace={workspace} />
    </main>
  );
};

export interface Listed {
  readonly workspace: string;
  readonly value: readonly Project[] | undefined;
  readonly fault: string | undefined;
}

/** The projects of each workspace; of one that cannot be listed, why. */
const listAll = async (signal: AbortSignal): Promise<readonly Listed[]> => {
  const { workspaceNames } = await server.listWorkspaces({}, signal);
  return Promise.all(
    workspaceNames.map((workspace) =>
      server.listProjects({ query: { workspaceName: workspace } }, signal).then(
        ({ projects }) => ({ workspace, value: projects, fault: undefined }),
        (thrown: unknown) => ({ workspace, value: undefined, fault: saysFault(thrown) }),
      ),
    ),
  );
};

export const HomeScreen = () => {
  // A workspace that did not come leaves those that did, and is asked for once more with what else failed.
  const [missed, setMissed] = useState(false);
  const turn = useTurn(missed);
  const { value, fault } = useLoaded(listAll, [turn]);
  useEffect(() => setMissed(value?.some((one) => one.fault !== undefined) ?? false), [value]);
  return (
    <main class="page wide">
      <h1>Home</h1>
      {value === undefined ? null : <Now of={value} />}
      <Fault of={fault} />
      {value === undefined && fault === undefined ? <Wait /> : null}
      {value?.map(({ workspace, ...found }) => (
        <section key={workspace}>
          <h2>
            <a href={pathOf('w', workspace)}>{workspace}</a>
          </h2>
          <Projects workspace={workspace} {...found} />
        </section>
      ))}
    </main>
  );
};
