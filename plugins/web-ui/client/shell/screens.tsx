// The screens that are no list, page or comparison of runs: which of them an address shows. What fetches them is itself fetched, as the first screen has to be small.
import type { Place } from '../../pure/address.js';
import type { OfPage } from '../additions/screen.js';
import { lazy } from '../lazy.js';

export type Other = Exclude<Place, { readonly screen: 'runs' | 'compare' | 'run' }>;

interface OfWorkspace {
  readonly workspace: string;
}
const HomeScreen = lazy<object>(async () => (await import('../home/screens.js')).HomeScreen);
const WorkspaceScreen = lazy<OfWorkspace>(
  async () => (await import('../home/screens.js')).WorkspaceScreen,
);
interface OfName extends OfWorkspace {
  readonly name: string;
  readonly version: string | undefined;
}
const ModelsScreen = lazy<OfWorkspace>(
  async () => (await import('../registry/list.js')).ModelsScreen,
);
const ModelScreen = lazy<OfName>(async () => (await import('../registry/screen.js')).ModelScreen);
const ArtifactsScreen = lazy<OfWorkspace>(
  async () => (await import('../artifacts/list.js')).ArtifactsScreen,
);
const ArtifactScreen = lazy<OfName>(
  async () => (await import('../artifacts/screen.js')).ArtifactScreen,
);
const AboutScreen = lazy<{ readonly workspace: string; readonly project: string }>(
  async () => (await import('../home/about.js')).AboutScreen,
);
interface OfProject extends OfWorkspace {
  readonly project: string;
}
const TracesScreen = lazy<OfProject>(
  async () => (await import('../traces/screen.js')).TracesScreen,
);
const TraceScreen = lazy<OfProject & { readonly id: string }>(
  async () => (await import('../trace/screen.js')).TraceScreen,
);
const ThreadsScreen = lazy<OfProject>(
  async () => (await import('../threads/list.js')).ThreadsScreen,
);
const ThreadScreen = lazy<OfProject & { readonly id: string }>(
  async () => (await import('../threads/screen.js')).ThreadScreen,
);
interface OfId extends OfWorkspace {
  readonly id: string;
}
const ExperimentsScreen = lazy<OfWorkspace>(
  async () => (await import('../experiments/list.js')).ExperimentsScreen,
);
const ExperimentScreen = lazy<OfId>(
  async () => (await import('../experiments/screen.js')).ExperimentScreen,
);
const DatasetsScreen = lazy<OfWorkspace>(
  async () => (await import('../datasets/list.js')).DatasetsScreen,
);
const DatasetScreen = lazy<OfId>(async () => (await import('../datasets/screen.js')).DatasetScreen);
const PromptsScreen = lazy<OfWorkspace>(
  async () => (await import('../prompts/list.js')).PromptsScreen,
);
const PromptScreen = lazy<OfId>(async () => (await import('../prompts/screen.js')).PromptScreen);
const PlaygroundScreen = lazy<OfWorkspace>(
  async () => (await import('../playground/screen.js')).PlaygroundScreen,
);
const QueuesScreen = lazy<OfWorkspace>(
  async () => (await import('../queues/list.js')).QueuesScreen,
);
const QueueScreen = lazy<OfId>(async () => (await import('../queues/screen.js')).QueueScreen);
const EvaluatorsScreen = lazy<OfWorkspace>(
  async () => (await import('../evaluators/list.js')).EvaluatorsScreen,
);
const EvaluatorScreen = lazy<OfId>(
  async () => (await import('../evaluators/screen.js')).EvaluatorScreen,
);
const AlertsScreen = lazy<OfWorkspace>(
  async () => (await import('../alerts/list.js')).AlertsScreen,
);
const AlertScreen = lazy<OfId>(async () => (await import('../alerts/screen.js')).AlertScreen);
const ProvidersScreen = lazy<OfWorkspace>(
  async () => (await import('../providers/screen.js')).ProvidersScreen,
);
const BoardsScreen = lazy<OfWorkspace>(
  async () => (await import('../boards/list.js')).BoardsScreen,
);
const BoardScreen = lazy<OfId>(async () => (await import('../boards/screen.js')).BoardScreen);
const SqlScreen = lazy<OfWorkspace>(async () => (await import('../sql/screen.js')).SqlScreen);
const InsightsScreen = lazy<OfProject>(
  async () => (await import('../insights/screen.js')).InsightsScreen,
);
const MembersScreen = lazy<OfWorkspace>(
  async () => (await import('../members/screen.js')).MembersScreen,
);
const NotificationsScreen = lazy<OfWorkspace>(
  async () => (await import('../notifications/screen.js')).NotificationsScreen,
);
const RetentionScreen = lazy<OfWorkspace>(
  async () => (await import('../retention/screen.js')).RetentionScreen,
);
const SeedsScreen = lazy<OfProject>(async () => (await import('../seeds/screen.js')).SeedsScreen);
const OptimizationsScreen = lazy<OfWorkspace>(
  async () => (await import('../optimizations/list.js')).OptimizationsScreen,
);
const OptimizationScreen = lazy<OfWorkspace & { readonly id: string }>(
  async () => (await import('../optimizations/screen.js')).OptimizationScreen,
);
const SettingsScreen = lazy<{ readonly part: string }>(
  async () => (await import('../settings/screen.js')).SettingsScreen,
);

const PluginScreen = lazy<OfPage>(
  async () => (await import('../additions/screen.js')).PluginScreen,
);

export const OtherScreen = ({ at }: { at: Other }) => {
  switch (at.screen) {
    case 'home':
      return <HomeScreen />;
    case 'workspace':
      return <WorkspaceScreen key={at.workspace} workspace={at.workspace} />;
    case 'traces':
      return <TracesScreen key={at.project} workspace={at.workspace} project={at.project} />;
    case 'trace':
      return <TraceScreen key={at.id} workspace={at.workspace} project={at.project} id={at.id} />;
    case 'threads':
      return <ThreadsScreen key={at.project} workspace={at.workspace} project={at.project} />;
    case 'thread':
      return <ThreadScreen key={at.id} workspace={at.workspace} project={at.project} id={at.id} />;
    case 'about':
      return (
        <AboutScreen
          key={at.workspace + at.project}
          workspace={at.workspace}
          project={at.project}
        />
      );
    case 'experiments':
      return <ExperimentsScreen key={at.workspace} workspace={at.workspace} />;
    case 'experiment':
      return <ExperimentScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'datasets':
      return <DatasetsScreen key={at.workspace} workspace={at.workspace} />;
    case 'dataset':
      return <DatasetScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'prompts':
      return <PromptsScreen key={at.workspace} workspace={at.workspace} />;
    case 'prompt':
      return <PromptScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'playground':
      return <PlaygroundScreen key={at.workspace} workspace={at.workspace} />;
    case 'queues':
      return <QueuesScreen key={at.workspace} workspace={at.workspace} />;
    case 'queue':
      return <QueueScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'evaluators':
      return <EvaluatorsScreen key={at.workspace} workspace={at.workspace} />;
    case 'evaluator':
      return <EvaluatorScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'alerts':
      return <AlertsScreen key={at.workspace} workspace={at.workspace} />;
    case 'alert':
      return <AlertScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'providers':
      return <ProvidersScreen key={at.workspace} workspace={at.workspace} />;
    case 'models':
      return <ModelsScreen key={at.workspace} workspace={at.workspace} />;
    case 'artifacts':
      return <ArtifactsScreen key={at.workspace} workspace={at.workspace} />;
    case 'boards':
      return <BoardsScreen key={at.workspace} workspace={at.workspace} />;
    case 'board':
      return <BoardScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'sql':
      return <SqlScreen key={at.workspace} workspace={at.workspace} />;
    case 'insights':
      return <InsightsScreen key={at.project} workspace={at.workspace} project={at.project} />;
    case 'members':
      return <MembersScreen key={at.workspace} workspace={at.workspace} />;
    case 'notifications':
      return <NotificationsScreen key={at.workspace} workspace={at.workspace} />;
    case 'retention':
      return <RetentionScreen key={at.workspace} workspace={at.workspace} />;
    case 'seeds':
      return <SeedsScreen key={at.project} workspace={at.workspace} project={at.project} />;
    case 'optimizations':
      return <OptimizationsScreen key={at.workspace} workspace={at.workspace} />;
    case 'optimization':
      return <OptimizationScreen key={at.id} workspace={at.workspace} id={at.id} />;
    case 'settings':
      return <SettingsScreen part={at.part} />;
    case 'model':
      return (
        <ModelScreen key={at.name} workspace={at.workspace} name={at.name} version={at.version} />
      );
    case 'artifact':
      return (
        <ArtifactScreen
          key={at.name}
          workspace={at.workspace}
          name={at.name}
          version={at.version}
        />
      );
    case 'plugin':
      return (
        <PluginScreen
          key={`${at.plugin}/${at.page}`}
          workspace={at.workspace}
          project={at.inProject}
          plugin={at.plugin}
          page={at.page}
        />
      );
    case 'nothing':
      return (
        <main class="page">
          <h1>There is nothing here</h1>
          <p>
            <a href="/w">To the workspaces</a>
          </p>
        </main>
      );
  }
};
