// Where one begins: workspaces, and the projects of one.
import { useEffect, useState } from 'preact/hooks';
import { formatAgo, formatCount } from '../../pure/format.js';
import { pathOf } from '../../pure/address.js';
import { lazy } from '../lazy.js';
import { useLoaded, useTurn, type Loaded } from '../loading.js';
import { saysFault } from '../request.js';
import { server } from '../server.js';
import { deletions, Going } from '../shell/delete-soon.js';
import { useNarrowed } from '../shell/narrowed.js';
import { WorkspaceTabs } from '../shell/workspace-tabs.js';
import { Fault, Wait } from '../shell/wait.js';

const WorkspaceMore = lazy<{ readonly workspace: string }>(
  async () => (await import('./workspace-more.js')).WorkspaceMore,
);
const Now = lazy<{ readonly of: readonly Listed[] }>(async () => (await import('./now.js')).Now);

/** As many workspaces are asked for their projects at once. */
const workspacesAtOnce = 30;

export type Project = Awaited<ReturnType<typeof server.listProjects>>['projects'][number];

const Projects = ({
  workspace,
  value,
  fault,
}: { workspace: string } & Pick<Loaded<readonly Project[]>, 'value' | 'fault'>) => {
  const byChange = [...(value ?? [])].sort((a, b) => b.lastUpdated - a.lastUpdated);
  const { shown, bar } = useNarrowed(
    byChange,
    ({ projectName }) => projectName,
    `Search the projects of ${workspace}`,
  );
  if (fault !== undefined) return <Fault of={fault} />;
  if (value === undefined) return <Wait />;
  if (value.length === 0)
    return <p class="empty">No project yet: the first run that is logged makes one.</p>;
  return (
    <>
      {bar}
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
          {shown.map((one) => (
            <tr key={one.projectId}>
              <td dir="auto">
                <a href={pathOf('w', workspace, 'p', one.projectName, 'runs')}>{one.projectName}</a>
                <Going what="project" id={one.projectId} />
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
    </>
  );
};

export const WorkspaceScreen = ({ workspace }: { workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => server.listProjects({ query: { workspaceName: workspace } }, signal),
    [workspace, deletions.value],
  );
  return (
    <main class="page wide">
      <h1 dir="auto">{workspace}</h1>
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

/** The projects of the first workspaces; of one that cannot be listed, why. */
const listSome = async (
  signal: AbortSignal,
  count: number,
): Promise<{ readonly listed: readonly Listed[]; readonly others: readonly string[] }> => {
  const { workspaceNames } = await server.listWorkspaces({}, signal);
  const listed = await Promise.all(
    workspaceNames.slice(0, count).map((workspace) =>
      server.listProjects({ query: { workspaceName: workspace } }, signal).then(
        ({ projects }) => ({ workspace, value: projects, fault: undefined }),
        (thrown: unknown) => ({ workspace, value: undefined, fault: saysFault(thrown) }),
      ),
    ),
  );
  return { listed, others: workspaceNames.slice(count) };
};

export const HomeScreen = () => {
  // A workspace that did not come leaves those that did, and is asked for once more with what else failed.
  const [missed, setMissed] = useState(false);
  const turn = useTurn(missed);
  const [count, setCount] = useState(workspacesAtOnce);
  const { value, fault } = useLoaded(
    (signal) => listSome(signal, count),
    [...[turn, count, deletions.value]],
  );
  const listed = value?.listed;
  // Where others have projects, what has none takes a line with its like.
  const isFull = ({ value: projects }: Listed) => projects?.length !== 0;
  const some = listed?.some(isFull) === true ? listed.filter(isFull) : listed;
  const empty = listed?.filter((one) => some?.includes(one) === false) ?? [];
  useEffect(() => setMissed(listed?.some((one) => one.fault !== undefined) ?? false), [listed]);
  return (
    <main class="page wide">
      <h1>Home</h1>
      {listed === undefined ? null : <Now of={listed} />}
      <Fault of={fault} />
      {value === undefined && fault === undefined ? <Wait /> : null}
      {some?.map(({ workspace, ...found }) => (
        <section key={workspace}>
          <h2>
            <a href={pathOf('w', workspace)}>{workspace}</a>
          </h2>
          <Projects workspace={workspace} {...found} />
        </section>
      ))}
      {empty.length === 0 ? null : (
        <p class="faint">
          Without a project yet:{' '}
          {empty.map(({ workspace }, at) => (
            <span key={workspace}>
              {at === 0 ? '' : ', '}
              <a class="said" href={pathOf('w', workspace)} dir="auto">
                {workspace}
              </a>
            </span>
          ))}
        </p>
      )}
      {value === undefined || value.others.length === 0 ? null : (
        <p class="controls">
          <button type="button" onClick={() => setCount(count + workspacesAtOnce)}>
            More workspaces
          </button>
          <span class="faint">{formatCount(value.others.length)} are not shown</span>
        </p>
      )}
    </main>
  );
};
