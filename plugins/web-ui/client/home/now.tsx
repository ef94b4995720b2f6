// What goes on at this moment: runs that run, and requests that wait for who signed in; and what was looked at last.
import { useEffect, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { isAdministrator } from '../members/role.js';
import { Refused, session } from '../request.js';
import { registryServer, runsServer } from '../server.js';
import { recentPages } from './recent.js';
import type { Listed, Project } from './screens.js';
import { Fault } from '../shell/wait.js';

/** Workspaces and projects that are looked into, and of each project the runs that began last. */
const most = { workspaces: 20, projects: 12, runs: 100 } as const;
const everyMs = 60_000;

interface Running {
  readonly key: string;
  readonly name: string;
  readonly start: number;
  readonly user: string;
  readonly project: Project;
}

/** The runs of a project that run, among those that began last: to sort by the start costs no more in a large project than in a small one. */
const runningIn = async (project: Project, signal: AbortSignal): Promise<readonly Running[]> => {
  const columns = (['name', 'state', 'start', 'user'] as const).map((name) => ({
    kind: 'metadata' as const,
    name,
  }));
  const { keys, columns: found } = await runsServer.query(
    {
      body: {
        project: project.projectId,
        columns,
        sort: [{ kind: 'metadata', name: 'start', descending: true }],
        limit: most.runs,
      },
    },
    signal,
  );
  const [names, states, starts, users] = found.map(({ values }) => values);
  return keys
    .map((key, at) => ({
      key,
      name: String(names?.[at] ?? key),
      state: states?.[at],
      start: Number(starts?.[at] ?? 0),
      user: String(users?.[at] ?? ''),
      project,
    }))
    .filter(({ state }) => state === 'running');
};

/** Requests in a workspace that wait, where who signed in may decide on them; none where approval is switched off. */
const waitingIn = async (workspace: string, signal: AbortSignal) => {
  try {
    const { content } = await registryServer.requests(
      { query: { workspaceName: workspace, state: 'PENDING', size: 20 } },
      signal,
    );
    if (content.length === 0 || !(await isAdministrator(workspace, signal))) return [];
    return content.map((request) => ({ request, workspace }));
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.status !== 0) return [];
    throw thrown;
  }
};

const Waiting = ({ of, tick }: { of: readonly Listed[]; tick: number }) => {
  const names = of.map(({ workspace }) => workspace).slice(0, most.workspaces);
  const { value, fault } = useLoaded(
    async (signal) => (await Promise.all(names.map((one) => waitingIn(one, signal)))).flat(),
    [names.join('/'), tick],
  );
  if (value === undefined) return <Fault of={fault} />;
  if (value.length === 0) return null;
  return (
    <section aria-label="Waiting for you">
      <h2>Waiting for you</h2>
      <ul class="requests">
        {value.map(({ request, workspace }) => (
          <li key={request.requestId}>
            <a
              href={`${pathOf('w', workspace, 'model', request.registryModelName, request.version)}?tab=review`}
            >
              {request.registryModelName} {request.version}
            </a>
            : {request.previousStatus} → <b>{request.status}</b>{' '}
            <span class="faint">
              asked by {request.userName === session.value?.userName ? 'you' : request.userName},{' '}
              {formatAgo(request.createdAt, Date.now())} · {workspace}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Runs = ({ of, tick }: { of: readonly Listed[]; tick: number }) => {
  const all = of.flatMap(({ value }) => value ?? []);
  const looked = [...all].sort((a, b) => b.lastUpdated - a.lastUpdated).slice(0, most.projects);
  const { value, fault } = useLoaded(
    async (signal) => {
      const found = await Promise.all(looked.map((one) => runningIn(one, signal)));
      return found.flat().sort((a, b) => b.start - a.start);
    },
    [looked.map(({ projectId }) => projectId).join(), tick],
  );
  if (value === undefined) return <Fault of={fault} />;
  if (value.length === 0) return null;
  return (
    <section aria-label="Running">
      <h2>Running</h2>
      <ul class="requests">
        {value.map(({ key, name, start, user, project }) => (
          <li key={key}>
            <a href={pathOf('w', project.workspaceName, 'p', project.projectName, 'run', key)}>
              ● {name}
            </a>{' '}
            <span class="faint">
              {project.workspaceName} / {project.projectName} · {user}, began{' '}
              {formatAgo(start, Date.now())}
            </span>
          </li>
        ))}
      </ul>
      {looked.some((one) => one.numberOfExperiments > most.runs) || all.length > looked.length ? (
        <p class="faint">
          Among the newest {most.runs} runs of each of the {looked.length} projects that changed
          last.
        </p>
      ) : null}
    </section>
  );
};

const Lately = () => {
  const all = recentPages();
  return all.length === 0 ? null : (
    <section aria-label="Looked at lately">
      <h2>Looked at lately</h2>
      <ul class="requests">
        {all.map(({ path, name, says }) => (
          <li key={path}>
            <a href={path} dir="auto">
              {name}
            </a>{' '}
            <span class="faint">{says}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

export const Now = ({ of }: { of: readonly Listed[] }) => {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const again = setInterval(() => {
      if (!document.hidden) setTick((now) => now + 1);
    }, everyMs);
    return () => clearInterval(again);
  }, []);
  return (
    <>
      <Waiting of={of} tick={tick} />
      <Runs of={of} tick={tick} />
      <Lately />
    </>
  );
};
