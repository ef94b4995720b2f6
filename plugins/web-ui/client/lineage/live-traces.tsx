// Where a model or a prompt is used now: the live traces of each project, which is how far a mistake in it reaches.
import { useState } from 'preact/hooks';
import { pathOf, withQuery } from '../../pure/address.js';
import { formatAgo, formatCount } from '../../pure/format.js';
import { liveStatement, liveTraces, ofPrompts, type LiveOf } from '../../pure/lineage.js';
import { tableOf, withTime, wrapped } from '../../pure/sql.js';
import { writeFilters } from '../../pure/trace-filters.js';
import { resultsOf, sqlServer } from '../boards-server.js';
import { useLoaded } from '../loading.js';
import { server } from '../server.js';
import { Fault, Wait } from '../shell/wait.js';

const dayMs = 86_400_000;
const spans = { 'the last 24 hours': 1, 'the last 7 days': 7, 'the last 30 days': 30 } as const;
const rangeOf = { 1: '24h', 7: '7d', 30: '30d' } as const;
type Days = keyof typeof rangeOf;

interface Used {
  readonly project: string | undefined;
  readonly traces: number;
  readonly failed: number;
  readonly last: string;
}

const load = async (
  workspace: string,
  of: LiveOf,
  days: number,
  signal: AbortSignal,
): Promise<readonly Used[]> => {
  const now = Date.now();
  const query = wrapped(withTime(liveStatement(of), now - days * dayMs, now));
  const [results, { projects }] = await Promise.all([
    resultsOf(sqlServer.run({ body: { query } }, signal)),
    server.listProjects({ query: { workspaceName: workspace } }, signal),
  ]);
  const names = new Map(projects.map((one) => [one.projectId, one.projectName]));
  return tableOf(results).rows.map(([id, traces, failed, last]) => ({
    project: names.get(String(id)),
    traces: Number(traces),
    failed: Number(failed),
    last: String(last),
  }));
};

/** Of a prompt the list of traces with what names it; of several and of models, by which traces are not listed, the statement that finds them. */
const addressOf = (workspace: string, project: string, of: LiveOf, days: Days): string =>
  'commit' in of
    ? `${pathOf('w', workspace, 'p', project, 'traces')}${withQuery('', {
        range: rangeOf[days],
        filters: writeFilters([
          { field: 'metadata', key: 'opik_prompts', operator: 'contains', value: of.commit },
        ]),
      })}`
    : `${pathOf('w', workspace, 'sql')}${withQuery('', { project, range: rangeOf[days], sql: liveTraces(of) })}`;

const Table = ({
  workspace,
  of,
  days,
  used,
}: {
  workspace: string;
  of: LiveOf;
  days: Days;
  used: readonly Used[];
}) => (
  <div class="scroll" tabIndex={0} role="region" aria-label="Projects with live traces">
    <table class="plain many">
      <thead>
        <tr>
          <th scope="col">Project</th>
          <th scope="col" class="number">
            Traces
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col">Last</th>
        </tr>
      </thead>
      <tbody>
        {used.map(({ project, traces, failed, last }, at) => (
          <tr key={at}>
            <th scope="row" dir="auto">
              {project === undefined ? (
                'a project that is not there'
              ) : (
                <a href={addressOf(workspace, project, of, days)}>{project}</a>
              )}
            </th>
            <td class="number">{formatCount(traces)}</td>
            <td class="number">{formatCount(failed)}</td>
            <td>{formatAgo(Date.parse(`${last.replace(' ', 'T')}Z`), Date.now())}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Body = ({ workspace, of }: { workspace: string; of: LiveOf }) => {
  const [days, setDays] = useState<Days>(7);
  const { value, fault } = useLoaded(
    (signal) => load(workspace, of, days, signal),
    [workspace, JSON.stringify(of), days],
  );
  const what =
    'commit' in of ? 'version' : 'commits' in of ? 'prompt' : 'models' in of ? 'models' : 'model';
  const total = (value ?? []).reduce((sum, { traces }) => sum + traces, 0);
  return (
    <>
      <p class="controls">
        <select
          aria-label="Live traces of"
          value={String(days)}
          onChange={({ currentTarget }) =>
            setDays(([1, 7, 30] as const).find((one) => String(one) === currentTarget.value) ?? 7)
          }
        >
          {Object.entries(spans).map(([says, one]) => (
            <option key={one} value={String(one)}>
              {says}
            </option>
          ))}
        </select>
        {value === undefined ? null : (
          <span role="status">
            {formatCount(total)} {total === 1 ? 'trace' : 'traces'} in {value.length}{' '}
            {value.length === 1 ? 'project' : 'projects'}
          </span>
        )}
      </p>
      <Fault of={fault} />
      {value === undefined && fault === undefined ? <Wait /> : null}
      {value?.length === 0 ? (
        <p class="faint">
          No trace of this time used the {what}
          {ofPrompts(of)
            ? ': a trace uses it whose metadata names it, as SDKs write it.'
            : ': a span uses it whose model has its name, alone or followed by the version.'}
        </p>
      ) : null}
      {value === undefined || value.length === 0 ? null : (
        <Table workspace={workspace} of={of} days={days} used={value} />
      )}
    </>
  );
};

/** Looks for them once it is opened, since all traces of the time are gone through. */
export const LiveTraces = ({
  workspace,
  of,
  title = 'Live traces',
  opened = false,
}: {
  workspace: string;
  of: LiveOf;
  title?: string;
  /** Whether it is open from the start. */
  opened?: boolean;
}) => {
  const [open, setOpen] = useState(opened);
  return (
    <details
      class="live-traces"
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      {open ? <Body workspace={workspace} of={of} /> : null}
    </details>
  );
};
