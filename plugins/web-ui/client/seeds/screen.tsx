// Runs that differ by their random seed only are one row, with the mean, the spread, and whether they differ from a baseline by more than chance.
import { useMemo } from 'preact/hooks';
import { pathOf, readList, writeList } from '../../pure/address.js';
import { asNumber, namedRuns } from '../../pure/compared.js';
import { formatCount, formatNumber, formatValue } from '../../pure/format.js';
import { readQuery } from '../../pure/query.js';
import {
  configurationsOf,
  differingPlaces,
  isSeed,
  verdictsOf,
  verdictText,
  type Configuration,
  type Verdict,
} from '../../pure/seeds.js';
import { ProjectPages } from '../additions/project-pages.js';
import { QueryBar } from '../runs/query-bar.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer, server } from '../server.js';
import { query, setQuery } from '../state.js';
import { Fault, Wait } from '../shell/wait.js';

const most = { runs: 1000, parameters: 90, rows: 200 } as const;
const kinds = ['last', 'min', 'max'] as const;

interface Place {
  readonly workspace: string;
  readonly project: string;
}

const rulesOf = (text: string) => {
  const read = readQuery(text);
  if ('fault' in read) throw new Error(read.fault.says);
  return read.rules;
};

/** The metric that is looked at where none is chosen: one of a validation, else the first. */
const usualMetric = (names: readonly string[]): string =>
  names.find((name) => /val|test|eval/i.test(name)) ?? names[0] ?? '';

/** What the address asks for. */
const useAsked = (metrics: readonly string[], parameters: readonly string[]) => {
  const address = query.value;
  const named = address.get('metric');
  const metric = named !== null && metrics.includes(named) ? named : usualMetric(metrics);
  const seeds = address.get('seeds');
  return {
    metric,
    value: kinds.find((one) => one === address.get('value')) ?? 'last',
    seeds: new Set(
      seeds === null ? parameters.filter(isSeed) : readList(seeds).filter((one) => one !== ''),
    ),
    less: (address.get('less') ?? (/loss|error|err|perplexity/i.test(metric) ? '1' : '0')) === '1',
    runs: readList(address.get('runs')),
    q: address.get('q') ?? '',
  };
};

const useKnown = (project: string) =>
  useLoaded(
    async (signal) => {
      const all = await runsServer.columns({ query: { project } }, signal);
      const { columns } = all;
      return {
        all,
        metrics: columns
          .filter(({ kind, name }) => kind === 'metric' && !name.startsWith('sys.'))
          .map(({ name }) => name),
        parameters: columns.filter(({ kind }) => kind === 'parameter').map(({ name }) => name),
      };
    },
    [project],
  );

const Choices = ({
  metrics,
  parameters,
  asked,
}: {
  metrics: readonly string[];
  parameters: readonly string[];
  asked: ReturnType<typeof useAsked>;
}) => (
  <div class="controls">
    <label>
      metric{' '}
      <select
        aria-label="Metric"
        value={asked.metric}
        onChange={({ currentTarget }) => setQuery({ metric: currentTarget.value }, true)}
      >
        {metrics.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
    <select
      aria-label="Which value"
      value={asked.value}
      onChange={({ currentTarget }) => setQuery({ value: currentTarget.value }, true)}
    >
      {kinds.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
    <button
      type="button"
      aria-pressed={asked.less}
      onClick={() => setQuery({ less: asked.less ? '0' : '1' }, true)}
    >
      less is better
    </button>
    <details>
      <summary>seeds: {asked.seeds.size === 0 ? 'none' : [...asked.seeds].join(', ')}</summary>
      {parameters.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={asked.seeds.has(name)}
            onChange={() => {
              const next = new Set(asked.seeds);
              if (!next.delete(name)) next.add(name);
              setQuery({ seeds: next.size === 0 ? ',' : writeList([...next]) }, true);
            }}
          />
          {name}
        </label>
      ))}
    </details>
  </div>
);

const meanText = ({ mean, deviation }: Configuration): string =>
  mean === undefined
    ? '–'
    : `${formatNumber(Number(mean.toPrecision(4)))}${deviation === undefined ? '' : ` ± ${formatNumber(Number(deviation.toPrecision(2)))}`}`;

const marks: Readonly<Record<Verdict['kind'], string>> = {
  ...{ baseline: '', 'no value': '', 'one seed': '' },
  ...{ better: '▲ ', worse: '▼ ', 'not yet': '· ' },
};

const Row = ({
  of,
  base,
  verdict,
  n,
  values,
}: {
  of: Configuration;
  base: readonly string[];
  verdict: Verdict;
  n: number;
  values: readonly string[];
}) => (
  <tr>
    <td>
      <details>
        <summary>
          {formatCount(of.runs.length)} {of.runs.length === 1 ? 'run' : 'runs'}
        </summary>
        <ul>
          {of.runs.map(({ key, name, value }) => (
            <li key={key} dir="auto">
              <a href={pathOf(...base, 'run', key)}>{name}</a>{' '}
              {value === undefined ? '' : formatNumber(value)}
            </li>
          ))}
        </ul>
      </details>
    </td>
    <td class="number">{meanText(of)}</td>
    <td class="against">
      {marks[verdict.kind]}
      {verdictText(verdict, [n, of.values.length])}
    </td>
    {values.map((one, at) => (
      <td key={at} dir="auto" class="preview" title={one}>
        {one}
      </td>
    ))}
    <td class="does">
      {verdict.kind === 'baseline' ? null : (
        <button
          type="button"
          aria-label={`As baseline: ${of.runs[0]?.name ?? of.key}`}
          onClick={() => setQuery({ base: of.key }, true)}
        >
          As baseline
        </button>
      )}
    </td>
  </tr>
);

/** Those without a value come last. */
const bestFirst = (
  { mean: a }: Configuration,
  { mean: b }: Configuration,
  less: boolean,
): number =>
  a === undefined || b === undefined
    ? Number(a === undefined) - Number(b === undefined)
    : less
      ? a - b
      : b - a;

const Configurations = ({
  all,
  names,
  seeds,
  less,
  base,
}: {
  all: readonly Configuration[];
  names: readonly string[];
  seeds: ReadonlySet<string>;
  less: boolean;
  base: readonly string[];
}) => {
  const wanted = query.value.get('base');
  const baseline =
    all.find(({ runs }) => runs.some(({ key }) => key === wanted)) ??
    [...all].sort((one, other) => other.values.length - one.values.length)[0];
  const verdicts = useMemo(
    () => (baseline === undefined ? [] : verdictsOf(all, baseline, less)),
    [all, baseline, less],
  );
  const places = differingPlaces(names, seeds, all).slice(0, 12);
  const order = all
    .map((one, at) => ({ one, verdict: verdicts[at] }))
    .sort(({ one }, { one: other }) => bestFirst(one, other, less));
  return (
    <>
      <div class="scroll" role="region" aria-label="Configurations" tabIndex={0}>
        <table class="plain many seeds">
          <thead>
            <tr>
              {[
                'Seeds',
                'Mean ± deviation',
                'Against the baseline',
                ...places.map((at) => names[at] ?? ''),
              ].map((name) => (
                <th key={name} scope="col" dir="auto">
                  {name}
                </th>
              ))}
              <th scope="col">
                <span class="unseen">acts</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {order.slice(0, most.rows).map(({ one, verdict }) => (
              <Row
                key={one.key}
                of={one}
                base={base}
                verdict={verdict ?? { kind: 'no value' }}
                n={baseline?.values.length ?? 0}
                values={places.map((at) => formatValue(one.runs[0]?.parameters[at] ?? null))}
              />
            ))}
          </tbody>
        </table>
      </div>
      {order.length > most.rows ? (
        <p class="faint">
          The best {most.rows} of {formatCount(order.length)} configurations.
        </p>
      ) : null}
    </>
  );
};

const Seeds = ({ workspace, project, projectId }: Place & { readonly projectId: string }) => {
  const known = useKnown(projectId);
  const metrics = known.value?.metrics ?? [];
  const parameters = (known.value?.parameters ?? []).slice(0, most.parameters);
  const asked = useAsked(metrics, parameters);
  const found = useLoaded(
    async (signal) => {
      if (known.value === undefined || asked.metric === '') return undefined;
      return runsServer.query(
        {
          body: {
            project: projectId,
            query: asked.runs.length > 0 ? namedRuns(asked.runs) : rulesOf(asked.q),
            columns: [
              { kind: 'metadata', name: 'name' },
              { kind: 'metric', name: asked.metric, value: asked.value },
              ...parameters.map((name) => ({ kind: 'parameter' as const, name })),
            ],
            sort: [{ kind: 'metadata', name: 'start', descending: true }],
            limit: most.runs,
          },
        },
        signal,
      );
    },
    [
      projectId,
      asked.metric,
      asked.value,
      asked.q,
      asked.runs.join(),
      parameters.join(),
      runsChanged.value,
    ],
  );
  const key = [...asked.seeds].join();
  const all = useMemo(
    () =>
      found.value === undefined
        ? []
        : configurationsOf(
            parameters,
            asked.seeds,
            found.value.keys.map((run, at) => ({
              key: run,
              name: String(found.value?.columns[0]?.values[at] ?? run),
              value: asNumber(found.value?.columns[1]?.values[at]),
              parameters: parameters.map(
                (_, place) => found.value?.columns[2 + place]?.values[at] ?? null,
              ),
            })),
          ),
    [found.value, key],
  );
  const fault = known.fault ?? found.fault;
  const bar = (
    <QueryBar
      project={projectId}
      text={asked.runs.length > 0 ? '' : asked.q}
      known={known.value?.all}
      onQuery={(q) => setQuery({ q: q === '' ? undefined : q, runs: undefined }, true)}
    />
  );
  if (fault !== undefined)
    return (
      <>
        {bar}
        <Fault of={fault} />
      </>
    );
  if (known.value === undefined) return <Wait />;
  if (metrics.length === 0) return <p class="empty">No run has logged a metric yet.</p>;
  const more = known.value.parameters.length - parameters.length;
  const total = found.value?.total ?? 0;
  return (
    <>
      {bar}
      {asked.runs.length > 0 ? (
        <p class="faint">
          {formatCount(asked.runs.length)} runs that were chosen; a query looks at others.
        </p>
      ) : null}
      <Choices metrics={metrics} parameters={parameters} asked={asked} />
      <p class="told" role="status">
        {found.value === undefined
          ? 'loading …'
          : `${formatCount(found.value.keys.length)} runs in ${formatCount(all.length)} configurations${total > found.value.keys.length ? `; the newest of ${formatCount(total)}` : ''}${more > 0 ? `; of the parameters the first ${parameters.length} are told apart` : ''}`}
      </p>
      {asked.seeds.size === 0 ? (
        <p class="faint">
          No parameter is a seed by its name; choose which are, so that runs that differ by them
          alone are one row.
        </p>
      ) : null}
      {found.value === undefined ? null : (
        <Configurations
          all={all}
          names={parameters}
          seeds={asked.seeds}
          less={asked.less}
          base={['w', workspace, 'p', project]}
        />
      )}
      <p class="faint">
        By Welch’s test, corrected for the number of rows (Holm); ± after a difference is half of
        its 95 % interval, n the seeds of the row and of the baseline.
      </p>
    </>
  );
};

export const SeedsScreen = ({ workspace, project }: Place) => {
  const { value, fault } = useLoaded(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  return (
    <main class="page wide">
      <h1>
        Seeds of <bdi>{project}</bdi>
      </h1>
      <ProjectPages workspace={workspace} project={project} at="seeds" />
      <Fault of={fault} />
      {value === undefined ? null : (
        <Seeds workspace={workspace} project={project} projectId={value.projectId} />
      )}
    </main>
  );
};
