// One run.
import { useEffect, useState } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { formatAgo, formatBytes, formatNumber, formatSpan } from '../../pure/format.js';
import { Panels } from '../charts/panels.js';
import { listenTo, runsChanged } from '../live.js';
import { useLoaded, type Loaded } from '../loading.js';
import { saysFault } from '../request.js';
import { runServer, runsServer } from '../server.js';
import { tell } from '../state.js';
import { Logs } from './logs.js';
import { Notes, Tags } from './told.js';

const tabs = ['overview', 'charts', 'params', 'logs', 'system', 'assets'] as const;

interface Of {
  readonly run: string;
  readonly project: string;
}

const useMetrics = ({ run, project }: Of) =>
  useLoaded(
    async (signal) => {
      const { columns } = await runsServer.columns({ query: { project } }, signal);
      const named = columns.filter(({ kind }) => kind === 'metric').slice(0, 60);
      const asked = named.flatMap(({ name }) =>
        (['last', 'min', 'max'] as const).map((value) => ({
          kind: 'metric' as const,
          name,
          value,
        })),
      );
      const { columns: found } = await runsServer.query(
        {
          body: {
            project,
            query: {
              condition: 'AND',
              rules: [
                {
                  field: 'experimentKey',
                  source: 'metadata',
                  operator: 'equal',
                  type: 'string',
                  value: run,
                },
              ],
            },
            columns: asked,
            limit: 1,
          },
        },
        signal,
      );
      return named
        .map(({ name }, at) => ({
          name,
          last: found[3 * at]?.values[0],
          min: found[3 * at + 1]?.values[0],
          max: found[3 * at + 2]?.values[0],
        }))
        .filter(({ last }) => last !== null && last !== undefined);
    },
    [run, project, runsChanged.value],
  );
type Metrics = Awaited<ReturnType<typeof useMetrics>>['value'];

const number = (value: unknown) =>
  typeof value === 'number' ? formatNumber(value) : String(value);

const Wait = ({ of }: { of: Loaded<unknown> }) =>
  of.fault === undefined ? <p class="faint">loading …</p> : <p class="fault">{of.fault}</p>;

const MetricTable = ({ metrics }: { metrics: NonNullable<Metrics> }) => (
  <table class="plain">
    <thead>
      <tr>
        <th>Metric</th>
        <th class="number">Last</th>
        <th class="number">Smallest</th>
        <th class="number">Largest</th>
      </tr>
    </thead>
    <tbody>
      {metrics.map(({ name, last, min, max }) => (
        <tr key={name}>
          <td>{name}</td>
          <td class="number">{number(last)}</td>
          <td class="number">{number(min)}</td>
          <td class="number">{number(max)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Values = ({ run, others = false }: { run: string; others?: boolean }) => {
  const [part, setPart] = useState('');
  const found = useLoaded(
    (signal) =>
      (others ? runServer.getOthers : runServer.getParameters)(
        { query: { experimentKey: run } },
        signal,
      ),
    [run, others, runsChanged.value],
  );
  if (found.value === undefined) return <Wait of={found} />;
  const rows = found.value.values.filter(({ name }) => name.toLowerCase().includes(part));
  return (
    <>
      <input
        type="search"
        placeholder={`find among ${found.value.values.length}`}
        aria-label={others ? 'Find an other value' : 'Find a parameter'}
        onInput={({ currentTarget }) => setPart(currentTarget.value.toLowerCase())}
      />
      {rows.length === 0 ? <p class="empty">None here.</p> : null}
      <table class="plain">
        <tbody>
          {rows.slice(0, 2000).map(({ name, valueCurrent }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{valueCurrent}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
};

const Assets = ({ run }: { run: string }) => {
  const found = useLoaded(
    (signal) => runServer.listAssets({ query: { experimentKey: run } }, signal),
    [run],
  );
  if (found.value === undefined) return <Wait of={found} />;
  const { assets } = found.value;
  if (assets.length === 0) return <p class="empty">This run has logged no files.</p>;
  const address = (id: string) =>
    `/api/asset/download?experimentKey=${encodeURIComponent(run)}&assetId=${encodeURIComponent(id)}`;
  return (
    <>
      <div class="images">
        {assets
          .filter(({ image, remote }) => image && !remote)
          .slice(0, 60)
          .map((one) => (
            <figure key={one.assetId}>
              <img src={address(one.assetId)} alt={one.fileName} loading="lazy" />
              <figcaption>
                {one.fileName} {one.step === null ? '' : `· step ${one.step}`}
              </figcaption>
            </figure>
          ))}
      </div>
      <table class="plain">
        <thead>
          <tr>
            <th>File</th>
            <th>Type</th>
            <th class="number">Step</th>
            <th class="number">Size</th>
          </tr>
        </thead>
        <tbody>
          {assets.slice(0, 2000).map((one) => (
            <tr key={one.assetId}>
              <td>
                {one.remote ? (
                  one.fileName
                ) : (
                  <a href={address(one.assetId)} download>
                    {one.fileName}
                  </a>
                )}
              </td>
              <td>{one.type}</td>
              <td class="number">{one.step ?? ''}</td>
              <td class="number">{formatBytes(one.fileSize)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
};

type Metadata = Awaited<ReturnType<typeof runServer.getMetadata>>;

const stateOf = ({ running, hasCrashed }: Metadata) =>
  running ? 'running' : hasCrashed ? 'crashed' : 'finished';

const Head = ({ of, run }: { of: Metadata; run: string }) => {
  const act = (work: Promise<unknown>, says: string, undo?: () => void) => {
    work.then(
      () => {
        runsChanged.value++;
        tell(says, undo);
      },
      (thrown: unknown) => tell(saysFault(thrown)),
    );
  };
  const keyed = { query: { experimentKey: run } };
  const restore = () => act(runServer.restore(keyed), 'Restored');
  return (
    <header class="run-head">
      <h1 title={run}>{of.experimentName ?? run}</h1>
      <span class={`state ${stateOf(of)}`}>
        {of.running ? '● ' : of.hasCrashed ? '✗ ' : '✓ '}
        {stateOf(of)} · {formatSpan(of.durationMillis)}
      </span>
      {of.archived ? <span class="faint">archived</span> : null}
      <span class="acts">
        {of.running ? (
          <button
            type="button"
            onClick={() => act(runServer.stop(keyed), 'The run was asked to stop')}
          >
            Stop
          </button>
        ) : null}
        {of.archived ? (
          <button type="button" onClick={restore}>
            Restore
          </button>
        ) : (
          <button type="button" onClick={() => act(runServer.archive(keyed), 'Archived', restore)}>
            Archive
          </button>
        )}
      </span>
    </header>
  );
};

const Overview = ({
  of,
  run,
  metrics,
}: {
  of: Metadata;
  run: string;
  metrics: Loaded<Metrics>;
}) => {
  const rows: readonly (readonly [string, string])[] = [
    ['Key', run],
    [
      'Started',
      `${new Date(of.startTimeMillis).toLocaleString()} (${formatAgo(of.startTimeMillis, Date.now())})`,
    ],
    ['Duration', formatSpan(of.durationMillis)],
    ['Logged by', of.userName],
    ['File', of.filePath ?? of.fileName ?? ''],
    ['Throttled', of.throttle ? (of.throttleMessage ?? 'yes') : ''],
  ];
  return (
    <div class="columns">
      <section>
        <h2>Metrics</h2>
        {metrics.value === undefined ? <Wait of={metrics} /> : null}
        {metrics.value?.length === 0 ? <p class="empty">No metrics logged yet.</p> : null}
        {metrics.value === undefined ? null : (
          <MetricTable metrics={metrics.value.filter(({ name }) => !name.startsWith('sys.'))} />
        )}
      </section>
      <section>
        <h2>About</h2>
        <table class="plain">
          <tbody>
            {rows
              .filter(([, value]) => value !== '')
              .map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                </tr>
              ))}
          </tbody>
        </table>
        {of.error === null ? null : <pre class="error">{of.error}</pre>}
        <h2>Notes</h2>
        <Notes run={run} />
        <h2>Other values</h2>
        <Values run={run} others />
      </section>
    </div>
  );
};

const Run = ({
  of,
  run,
  tab,
  base,
}: {
  of: Metadata;
  run: string;
  tab: string;
  base: readonly string[];
}) => {
  useEffect(() => listenTo(of.projectId), [of.projectId]);
  const metrics = useMetrics({ run, project: of.projectId });
  const names = metrics.value?.map(({ name }) => name) ?? [];
  const chart = (system: boolean) => (
    <Panels
      metrics={names.filter((name) => name.startsWith('sys.') === system)}
      runs={[run]}
      nameOf={() => of.experimentName ?? run}
    />
  );
  return (
    <main class="page wide">
      <Head of={of} run={run} />
      <Tags run={run} />
      <nav class="tabs" aria-label="Parts of the run">
        {tabs.map((one) => (
          <a
            key={one}
            href={pathOf(...base, 'run', run, ...(one === 'overview' ? [] : [one]))}
            aria-current={one === tab ? 'page' : undefined}
          >
            {one}
          </a>
        ))}
      </nav>
      {tab === 'overview' ? <Overview of={of} run={run} metrics={metrics} /> : null}
      {tab === 'charts' ? chart(false) : null}
      {tab === 'system' ? chart(true) : null}
      {tab === 'params' ? <Values run={run} /> : null}
      {tab === 'logs' ? <Logs run={run} /> : null}
      {tab === 'assets' ? <Assets run={run} /> : null}
    </main>
  );
};

export const RunScreen = ({
  workspace,
  project,
  run,
  tab,
}: {
  workspace: string;
  project: string;
  run: string;
  tab: string;
}) => {
  const found = useLoaded(
    (signal) => runServer.getMetadata({ query: { experimentKey: run } }, signal),
    [run, runsChanged.value],
  );
  if (found.value === undefined)
    return (
      <main class="page">
        <Wait of={found} />
      </main>
    );
  return (
    <Run key={run} of={found.value} run={run} tab={tab} base={['w', workspace, 'p', project]} />
  );
};
