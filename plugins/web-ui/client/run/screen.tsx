// One run.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { pathOf } from '../../pure/address.js';
import { Panels } from '../charts/panels.js';
import { lazy } from '../lazy.js';
import { listenTo, runsChanged } from '../live.js';
import { useSubject } from '../subject.js';
import { runServer } from '../server.js';
import { Files } from './files.js';
import { Head, type Metadata } from './head.js';
import { useMetrics } from './metrics.js';
import type { OverviewProps } from './overview.js';
import { Tags } from './tags.js';
import { Values } from './values.js';
import { Coming, Stale } from '../shell/versions.js';
import { useShownTab } from '../shell/workspace-tabs.js';

const Overview = lazy<OverviewProps>(async () => (await import('./overview.js')).Overview);
const Logs = lazy<{ readonly run: string }>(async () => (await import('./logs.js')).Logs);
const Gallery = lazy<{ readonly run: string }>(
  async () => (await import('../media/gallery.js')).Gallery,
);
const RunArtifacts = lazy<{ readonly run: string; readonly workspace: string }>(
  async () => (await import('./artifacts.js')).RunArtifacts,
);
const Code = lazy<{ readonly run: string }>(async () => (await import('./code.js')).Code);
const Graph = lazy<{ readonly run: string }>(async () => (await import('./graph.js')).Graph);
const Html = lazy<{ readonly run: string }>(async () => (await import('./html.js')).Html);

const tabs = [
  'overview',
  'charts',
  'params',
  'media',
  'logs',
  'system',
  'code',
  'artifacts',
  'graph',
  'html',
  'files',
] as const;

const Run = ({
  of,
  run,
  tab,
  base,
  children,
}: {
  of: Metadata;
  run: string;
  tab: string;
  base: readonly string[];
  children: ComponentChildren;
}) => {
  useEffect(() => listenTo(of.projectId), [of.projectId]);
  const shownTab = useShownTab();
  const metrics = useMetrics(run);
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
      <Head of={of} run={run} base={base} />
      {children}
      <Tags run={run} />
      <nav class="tabs" aria-label="Parts of the run" ref={shownTab}>
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
      {tab === 'media' ? <Gallery run={run} /> : null}
      {tab === 'code' ? <Code run={run} /> : null}
      {tab === 'artifacts' ? <RunArtifacts run={run} workspace={base[1] ?? ''} /> : null}
      {tab === 'graph' ? <Graph run={run} /> : null}
      {tab === 'html' ? <Html run={run} /> : null}
      {tab === 'files' || tab === 'assets' ? <Files run={run} /> : null}
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
  const found = useSubject(
    (signal) => runServer.getMetadata({ query: { experimentKey: run } }, signal),
    [run, runsChanged.value],
  );
  if (found.value === undefined) return <Coming of={found} />;
  const base = ['w', workspace, 'p', project];
  return (
    <Run key={run} of={found.value} run={run} tab={tab} base={base}>
      <Stale of={found} what="run" list={pathOf(...base, 'runs')} />
    </Run>
  );
};
