// What goes wrong in the traces of a project, as reports tell it: the issues, and one of them day by day.
import { useState } from 'preact/hooks';
import { withQuery } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { ProjectPages } from '../additions/project-pages.js';
import { insightsServer, type InsightsIssue } from '../boards-server.js';
import { useLoaded, useStored } from '../loading.js';
import { usePageKeys } from '../page-keys.js';
import { server } from '../server.js';
import { pageOfAddress, pageSize, Paging } from '../shell/listing.js';
import { Rows } from '../shell/rows.js';
import { Coming } from '../shell/versions.js';
import { query, setQuery } from '../state.js';
import { IssueView } from './issue.js';
import { JobView } from './job.js';

const statuses = ['open', 'resolved', 'closed'] as const;
const severities = ['critical', 'high', 'medium', 'low'] as const;
const windows: Readonly<Record<string, number>> = { '7d': 7, '30d': 30, '90d': 90 };
const usualWindow = '30d';
const dayMs = 86_400_000;

/** The days that are looked at, in UTC, today the last; all of them where the address says so. */
const windowOf = (
  name: string | null,
): { readonly from_date?: string; readonly to_date?: string } => {
  const days = name === 'all' ? undefined : (windows[name ?? usualWindow] ?? windows[usualWindow]);
  const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
  return days === undefined ? {} : { from_date: day(days - 1), to_date: day(0) };
};

const Choice = ({
  name,
  label,
  all,
  usual,
}: {
  name: string;
  label: string;
  all: Readonly<Record<string, string>>;
  /** The value without a member of the address. */
  usual: string;
}) => (
  <select
    aria-label={label}
    value={query.value.get(name) ?? usual}
    onChange={({ currentTarget: { value } }) =>
      setQuery({ [name]: value === usual ? undefined : value, page: undefined }, true)
    }
  >
    {Object.entries(all).map(([value, says]) => (
      <option key={value} value={value}>
        {says}
      </option>
    ))}
  </select>
);

const Row = ({ of, at }: { of: InsightsIssue; at: boolean }) => (
  <tr aria-current={at ? 'true' : undefined}>
    <td>
      <span class={`severity ${of.severity ?? ''}`}>{of.severity ?? '–'}</span>
    </td>
    <th scope="row" class="long" dir="auto">
      <a href={location.pathname + withQuery(location.search, { issue: of.id })}>{of.name}</a>
    </th>
    <td>{of.status}</td>
    <td class="number">{formatCount(of.total_occurrences)}</td>
    <td class="number">
      {formatCount(of.users_impacted)} of {formatCount(of.total_users)}
    </td>
    <td class="number">{formatCount(of.days_reported)}</td>
    <td>{of.last_seen.slice(0, 10)}</td>
    <td>{formatAgo(Date.parse(of.created_at), Date.now())}</td>
  </tr>
);

const Issues = ({
  workspace,
  project,
  projectId,
}: {
  workspace: string;
  project: string;
  projectId: string;
}) => {
  const search = query.value;
  const [status, severity] = [
    statuses.find((one) => one === (search.get('status') ?? 'open')),
    severities.find((one) => one === search.get('severity')),
  ];
  const window = windowOf(search.get('window'));
  const page = pageOfAddress();
  const asked = {
    ...{ project_id: projectId, page, size: pageSize, ...window },
    ...(status === undefined ? {} : { status }),
    ...(severity === undefined ? {} : { severity }),
  };
  const { value, fault, again } = useStored(
    (signal) => insightsServer.issues({ query: asked }, signal),
    [JSON.stringify(asked)],
  );
  const [ran, setRan] = useState(false);
  const issue = search.get('issue') ?? undefined;
  const step = (by: number) => {
    const all = value?.content ?? [];
    const next = all[Math.max(0, all.findIndex(({ id }) => id === issue) + by)];
    if (next !== undefined) setQuery({ issue: next.id });
  };
  usePageKeys({
    j: () => step(1),
    k: () => step(-1),
    r: again,
    Escape: issue === undefined ? undefined : () => setQuery({ issue: undefined }),
  });
  return (
    <>
      <JobView projectId={projectId} onRun={() => setRan(true)} />
      <div class="controls">
        <Choice
          name="status"
          label="Status"
          usual="open"
          all={{ open: 'open', resolved: 'resolved', closed: 'closed', any: 'any status' }}
        />
        <Choice
          name="severity"
          label="Severity"
          usual=""
          all={{ '': 'any severity', ...Object.fromEntries(severities.map((one) => [one, one])) }}
        />
        <Choice
          name="window"
          label="Days"
          usual={usualWindow}
          all={{
            '7d': 'the last 7 days',
            '30d': 'the last 30 days',
            '90d': 'the last 90 days',
            all: 'all time',
          }}
        />
        <button type="button" onClick={again}>
          Refresh
        </button>
      </div>
      {ran ? (
        <p class="faint" role="status">
          A run was asked for; refresh to see what it found.
        </p>
      ) : null}
      <Rows
        label="Issues"
        of={{ value: value?.content, fault }}
        head={[
          'Severity',
          'Issue',
          'Status',
          'Traces',
          'Users',
          'Days',
          'Last seen',
          'Known since',
        ]}
        empty={
          status === 'open' && severity === undefined
            ? 'No open issue in these days. Issues come from runs that look through the traces, every day or now, and from programs that report them.'
            : 'No issue matches this.'
        }
      >
        {(one) => <Row key={one.id} of={one} at={one.id === issue} />}
      </Rows>
      {value === undefined ? null : <Paging page={page} total={value.total} />}
      {issue === undefined ? null : (
        <IssueView
          key={issue}
          base={['w', workspace, 'p', project]}
          projectId={projectId}
          id={issue}
          window={window}
          onChange={again}
          onClose={() => setQuery({ issue: undefined })}
        />
      )}
    </>
  );
};

export const InsightsScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const loaded = useLoaded(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  if (loaded.value === undefined) return <Coming of={loaded} />;
  return (
    <main class="page wide">
      <h1>
        Insights of <bdi>{project}</bdi>
      </h1>
      <ProjectPages workspace={workspace} project={project} at="insights" />
      <Issues workspace={workspace} project={project} projectId={loaded.value.projectId} />
    </main>
  );
};
