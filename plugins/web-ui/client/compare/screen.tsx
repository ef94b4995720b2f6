// Runs side by side, each against one of them: parameters, metrics, curves, code, packages, media, and where they part.
import { pathOf, readList, writeList } from '../../pure/address.js';
import { Panels } from '../charts/panels.js';
import { useLoaded } from '../loading.js';
import { runsServer, server } from '../server.js';
import { query, setQuery } from '../state.js';
import { CompareArtifacts } from './artifacts.js';
import { CompareCode } from './code.js';
import { FirstDivergence } from './divergence.js';
import { CompareMedia } from './media.js';
import { Forms } from '../shell/forms.js';
import { useCompared, type Compared } from './runs.js';
import { flag, Numbers, Values, type Found, type Section } from './values.js';
import { useShownTab } from '../shell/workspace-tabs.js';
import { Fault, Wait } from '../shell/wait.js';

const tabs = [
  'params',
  'metrics',
  'charts',
  'divergence',
  'code',
  'packages',
  'artifacts',
  'media',
] as const;
const Flag = ({ name, usual = false, label }: { name: string; usual?: boolean; label: string }) => {
  const on = flag(name, usual);
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={() => setQuery({ [name]: on === usual ? (usual ? '0' : '1') : undefined })}
    >
      {label}
    </button>
  );
};

const RunChoice = ({
  label,
  name,
  value,
  of,
}: {
  label: string;
  name: string;
  value: string | undefined;
  of: Compared;
}) => (
  <label class="slide">
    {label}
    <select
      value={value}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
    >
      {of.keys.map((run) => (
        <option key={run} value={run}>
          {of.nameOf(run)}
        </option>
      ))}
    </select>
  </label>
);

const partNames: Readonly<Record<Section, string>> = {
  parameter: 'parameters',
  other: 'other values',
  environment: 'facts of the environment',
  package: 'packages',
  code: 'files of code',
  patch: 'patches',
};

const Compare = ({
  of,
  found,
  base: path,
}: {
  of: Compared;
  found: Found;
  base: readonly string[];
}) => {
  const shownTab = useShownTab();
  const tab = tabs.find((one) => one === query.value.get('tab')) ?? 'params';
  const base = Math.max(0, of.keys.indexOf(query.value.get('base') ?? ''));
  const baseKey = of.keys[base] ?? '';
  const named = query.value.get('with');
  const other =
    of.keys.find((key) => key === named && key !== baseKey) ??
    of.keys.find((key) => key !== baseKey) ??
    baseKey;
  const addressOf = (run: string) => pathOf(...path, 'run', run);
  const byTwo = ['code', 'media', 'divergence'].includes(tab);
  const causes = found.sections
    .filter(({ differing }) => differing > 0)
    .map(({ section, differing }) => ({ what: partNames[section], count: differing }));
  return (
    <>
      <div class="controls">
        <RunChoice label="base" name="base" value={baseKey} of={of} />
        {byTwo ? <RunChoice label="with" name="with" value={other} of={of} /> : null}
        <Flag name="differing" usual label="differing only" />
        <Flag name="transposed" label="transposed" />
        <Forms charts />
        <a class="button" href={`${pathOf(...path, 'seeds')}?runs=${writeList(of.keys)}`}>
          by seed
        </a>
      </div>
      <nav class="tabs" aria-label="Parts of the comparison" ref={shownTab}>
        {tabs.map((one) => (
          <a
            key={one}
            href={`?runs=${writeList(of.keys)}&base=${baseKey}&with=${other}&tab=${one}`}
            aria-current={one === tab ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault();
              setQuery({ tab: one }, true);
            }}
          >
            {one}
          </a>
        ))}
      </nav>
      {tab === 'params' ? (
        <Values
          of={of}
          found={found}
          base={base}
          addressOf={addressOf}
          parts={['parameter', 'other', 'environment']}
        />
      ) : null}
      {tab === 'packages' ? (
        <Values of={of} found={found} base={base} addressOf={addressOf} parts={['package']} />
      ) : null}
      {tab === 'metrics' ? <Numbers of={of} base={base} addressOf={addressOf} /> : null}
      {tab === 'charts' ? <Panels metrics={of.metrics} runs={of.keys} nameOf={of.nameOf} /> : null}
      {tab === 'code' ? <CompareCode base={baseKey} other={other} /> : null}
      {tab === 'artifacts' ? <CompareArtifacts of={of} base={base} addressOf={addressOf} /> : null}
      {tab === 'media' ? (
        <CompareMedia
          runs={of.keys}
          base={baseKey}
          other={other}
          nameOf={of.nameOf}
          metrics={of.metrics}
        />
      ) : null}
      {tab === 'divergence' ? (
        <FirstDivergence base={baseKey} other={other} metrics={of.metrics} causes={causes} />
      ) : null}
    </>
  );
};

const Loaded = ({ projectId, base }: { projectId: string; base: readonly string[] }) => {
  const keys = readList(query.value.get('runs'));
  const of = useCompared(projectId, keys);
  const found = useLoaded(
    (signal) => runsServer.compare({ body: { runs: [...keys] } }, signal),
    [keys.join()],
  );
  const fault = of.fault ?? found.fault;
  if (fault !== undefined) return <Fault of={fault} />;
  return of.value === undefined || found.value === undefined ? (
    <Wait />
  ) : (
    <Compare of={of.value} found={found.value} base={base} />
  );
};

export const CompareScreen = ({ workspace, project }: { workspace: string; project: string }) => {
  const { value, fault } = useLoaded(
    (signal) =>
      server.getProject({ query: { workspaceName: workspace, projectName: project } }, signal),
    [workspace, project],
  );
  const base = ['w', workspace, 'p', project];
  const count = readList(query.value.get('runs')).length;
  return (
    <main class="page wide">
      <h1>Compare {count} runs</h1>
      <Fault of={fault} />
      {count < 2 ? (
        <p class="empty">
          Select at least two runs in <a href={pathOf(...base, 'runs')}>the table</a> and press{' '}
          <kbd>c</kbd>.
        </p>
      ) : value === undefined ? null : (
        <Loaded projectId={value.projectId} base={base} />
      )}
    </main>
  );
};
