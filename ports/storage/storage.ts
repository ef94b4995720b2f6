import { port, type Needs, type Port } from '../port.js';
import type { Methods } from './methods.js';
import { artifactMethods, type ArtifactStore } from './artifacts.js';
import { approvalMethods, type ApprovalStore } from './approvals.js';
import { assetMatrixMethods, type AssetMatrixStore } from './asset-matrix.js';
import { assetMethods, type AssetStore } from './assets.js';
import { attemptMethods, type AttemptStore } from './attempts.js';
import { auditMethods, type AuditStore } from './audit.js';
import { commentMethods, type CommentStore } from './comments.js';
import { environmentMethods, type EnvironmentStore } from './environments.js';
import { retentionMethods, type RetentionStore } from './retention.js';
import {
  automationMethods,
  automationRunMethods,
  type AutomationRunStore,
  type AutomationStore,
} from './automations.js';
import {
  insightsIssueMethods,
  insightsJobMethods,
  type InsightsIssueStore,
  type InsightsJobStore,
} from './agent-insights.js';
import { creationCountMethods, type CreationCountStore } from './creation-counts.js';
import { alertMethods, type AlertStore } from './alerts.js';
import { alertFiringMethods, type AlertFiringStore } from './alert-firings.js';
import { analyticRowMethods, type AnalyticRowStore } from './analytic-rows.js';
import { dashboardMethods, type DashboardStore } from './dashboards.js';
import { agentConfigMethods, type AgentConfigStore } from './agent-configs.js';
import { providerKeyMethods, type ProviderKeyStore } from './provider-keys.js';
import { datasetMethods, type DatasetStore } from './datasets.js';
import { datasetItemMethods, type DatasetItemStore } from './dataset-items.js';
import { evaluationMethods, type EvaluationStore } from './evaluations.js';
import { evaluationItemMethods, type EvaluationItemStore } from './evaluation-items.js';
import { libraryPromptMethods, type LibraryPromptStore } from './library-prompts.js';
import { annotationQueueMethods, type AnnotationQueueStore } from './annotation-queues.js';
import { datasetExportMethods, type DatasetExportStore } from './dataset-exports.js';
import { promptRunMethods, type PromptRunStore } from './prompt-runs.js';
import { optimizationMethods, type OptimizationStore } from './optimizations.js';
import { feedbackDefinitionMethods, type FeedbackDefinitionStore } from './feedback-definitions.js';
import { guardrailMethods, type GuardrailStore } from './guardrails.js';
import {
  workspaceConfigurationMethods,
  type WorkspaceConfigurationStore,
} from './workspace-configurations.js';
import { attachmentMethods, type AttachmentStore } from './attachments.js';
import { feedbackMethods, type FeedbackStore } from './feedback.js';
import { threadMethods, type ThreadStore } from './threads.js';
import { activityMethods, type ActivityStore } from './activities.js';
import { traceFigureMethods, type TraceFigureStore } from './trace-figures.js';
import { traceSeriesMethods, type TraceSeriesStore } from './trace-series.js';
import { traceStatisticsMethods, type TraceStatisticsStore } from './trace-statistics.js';
import { traceMethods, type TraceStore } from './traces.js';
import { savedQueryMethods, type SavedQueryStore } from './saved-queries.js';
import { savedViewMethods, type SavedViewStore } from './saved-views.js';
import { changeMethods, type ChangeStore } from './changes.js';
import { channelMethods, type ChannelStore } from './channels.js';
import { curveMethods, type CurveStore } from './curves.js';
import { deliveryMethods, type DeliveryStore } from './deliveries.js';
import { documentMethods, type DocumentStore } from './documents.js';
import { eventMethods, type EventStore } from './events.js';
import { experimentMethods, type ExperimentStore } from './experiments.js';
import { apiKeyMethods, type ApiKeyStore } from './api-keys.js';
import { credentialMethods, type CredentialStore } from './credentials.js';
import { memberMethods, type MemberStore } from './members.js';
import { userMethods, type UserStore } from './users.js';
import { leaseMethods, type LeaseStore } from './leases.js';
import { metricMethods, type MetricStore } from './metrics.js';
import { nameMethods, type NameStore } from './names.js';
import { oauthMethods, type OAuthStore } from './oauth.js';
import { optimizerMethods, type OptimizerStore } from './optimizer.js';
import { panelMethods, type PanelStore } from './panels.js';
import { projectMethods, type ProjectStore } from './projects.js';
import { queueFaultMethods, type QueueFaultStore } from './queue-faults.js';
import { registryMethods, type RegistryStore } from './registry.js';
import { textMethods, type TextStore } from './texts.js';
import { usageMethods, type UsageStore } from './usage.js';
import { valueMethods, type ValueStore } from './values.js';
import { rpcMethods, type RpcStore } from './rpc.js';
import { runActionMethods, type RunActionStore } from './run-actions.js';
import { runCopyMethods, type RunCopyStore } from './run-copies.js';
import { runTableMethods, type RunTableStore } from './run-table.js';
import { searchMethods, type SearchStore } from './search.js';
import { sessionMethods, type SessionStore } from './sessions.js';
import { viewMethods, type ViewStore } from './views.js';
import { ticketMethods, type TicketStore } from './tickets.js';
import { toggleMethods, type ToggleStore } from './toggles.js';
import { workspaceMethods, type WorkspaceStore } from './workspaces.js';

import { artifactVersionMethods, type ArtifactVersionStore } from './artifact-versions.js';

import { artifactUseMethods, type ArtifactUseStore } from './artifact-uses.js';

import { modelVersionMethods, type ModelVersionStore } from './model-versions.js';

import { uploadMethods, type UploadStore } from './uploads.js';

import { blobRecordMethods, type BlobRecordStore } from './blob-records.js';

import { linkMethods, type LinkStore } from './links.js';

/** One small store per aggregate. */
export interface Stores {
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly apiKeys: ApiKeyStore;
  readonly members: MemberStore;
  readonly sessions: SessionStore;
  readonly tickets: TicketStore;
  readonly attempts: AttemptStore;
  readonly audit: AuditStore;
  readonly oauth: OAuthStore;
  readonly usage: UsageStore;
  readonly workspaces: WorkspaceStore;
  readonly projects: ProjectStore;
  readonly experiments: ExperimentStore;
  readonly metrics: MetricStore;
  readonly curves: CurveStore;
  readonly leases: LeaseStore;
  readonly events: EventStore;
  readonly toggles: ToggleStore;
  readonly assets: AssetStore;
  readonly assetMatrix: AssetMatrixStore;
  readonly links: LinkStore;
  readonly blobRecords: BlobRecordStore;
  readonly uploads: UploadStore;
  readonly artifacts: ArtifactStore;
  readonly artifactUses: ArtifactUseStore;
  readonly artifactVersions: ArtifactVersionStore;
  readonly values: ValueStore;
  readonly texts: TextStore;
  readonly documents: DocumentStore;
  readonly search: SearchStore;
  readonly runActions: RunActionStore;
  readonly runCopies: RunCopyStore;
  readonly runTable: RunTableStore;
  readonly names: NameStore;
  readonly rpc: RpcStore;
  readonly views: ViewStore;
  readonly panels: PanelStore;
  readonly optimizers: OptimizerStore;
  readonly registry: RegistryStore;
  readonly modelVersions: ModelVersionStore;
  readonly approvals: ApprovalStore;
  readonly channels: ChannelStore;
  readonly deliveries: DeliveryStore;
  readonly queueFaults: QueueFaultStore;
  readonly changes: ChangeStore;
  readonly savedViews: SavedViewStore;
  readonly comments: CommentStore;
  readonly attachments: AttachmentStore;
  readonly workspaceConfigurations: WorkspaceConfigurationStore;
  readonly feedback: FeedbackStore;
  readonly threads: ThreadStore;
  readonly traces: TraceStore;
  readonly guardrails: GuardrailStore;
  readonly feedbackDefinitions: FeedbackDefinitionStore;
  readonly annotationQueues: AnnotationQueueStore;
  readonly datasetExports: DatasetExportStore;
  readonly optimizations: OptimizationStore;
  readonly libraryPrompts: LibraryPromptStore;
  readonly evaluationItems: EvaluationItemStore;
  readonly evaluations: EvaluationStore;
  readonly datasetItems: DatasetItemStore;
  readonly datasets: DatasetStore;
  readonly environments: EnvironmentStore;
  readonly providerKeys: ProviderKeyStore;
  readonly retention: RetentionStore;
  readonly agentConfigs: AgentConfigStore;
  readonly dashboards: DashboardStore;
  readonly alerts: AlertStore;
  readonly automations: AutomationStore;
  readonly automationRuns: AutomationRunStore;
  readonly promptRuns: PromptRunStore;
  readonly alertFirings: AlertFiringStore;
  readonly analyticRows: AnalyticRowStore;
  readonly savedQueries: SavedQueryStore;
  readonly insightsJobs: InsightsJobStore;
  readonly insightsIssues: InsightsIssueStore;
  readonly creationCounts: CreationCountStore;
  readonly activities: ActivityStore;
  readonly traceFigures: TraceFigureStore;
  readonly traceSeries: TraceSeriesStore;
  readonly traceStatistics: TraceStatisticsStore;
}

/** What every store says of its methods. */
export const storeMethods: { readonly [S in keyof Stores]: Methods<Stores[S]> } = {
  approvals: approvalMethods,
  artifacts: artifactMethods,
  artifactUses: artifactUseMethods,
  artifactVersions: artifactVersionMethods,
  assets: assetMethods,
  assetMatrix: assetMatrixMethods,
  links: linkMethods,
  blobRecords: blobRecordMethods,
  uploads: uploadMethods,
  attempts: attemptMethods,
  audit: auditMethods,
  changes: changeMethods,
  savedViews: savedViewMethods,
  comments: commentMethods,
  attachments: attachmentMethods,
  workspaceConfigurations: workspaceConfigurationMethods,
  feedback: feedbackMethods,
  threads: threadMethods,
  traces: traceMethods,
  guardrails: guardrailMethods,
  feedbackDefinitions: feedbackDefinitionMethods,
  annotationQueues: annotationQueueMethods,
  datasetExports: datasetExportMethods,
  optimizations: optimizationMethods,
  libraryPrompts: libraryPromptMethods,
  evaluationItems: evaluationItemMethods,
  evaluations: evaluationMethods,
  datasetItems: datasetItemMethods,
  datasets: datasetMethods,
  environments: environmentMethods,
  providerKeys: providerKeyMethods,
  retention: retentionMethods,
  agentConfigs: agentConfigMethods,
  dashboards: dashboardMethods,
  alerts: alertMethods,
  automations: automationMethods,
  automationRuns: automationRunMethods,
  promptRuns: promptRunMethods,
  alertFirings: alertFiringMethods,
  analyticRows: analyticRowMethods,
  savedQueries: savedQueryMethods,
  insightsJobs: insightsJobMethods,
  insightsIssues: insightsIssueMethods,
  creationCounts: creationCountMethods,
  activities: activityMethods,
  traceFigures: traceFigureMethods,
  traceSeries: traceSeriesMethods,
  traceStatistics: traceStatisticsMethods,
  channels: channelMethods,
  deliveries: deliveryMethods,
  documents: documentMethods,
  events: eventMethods,
  experiments: experimentMethods,
  users: userMethods,
  credentials: credentialMethods,
  curves: curveMethods,
  apiKeys: apiKeyMethods,
  members: memberMethods,
  leases: leaseMethods,
  metrics: metricMethods,
  oauth: oauthMethods,
  optimizers: optimizerMethods,
  panels: panelMethods,
  projects: projectMethods,
  queueFaults: queueFaultMethods,
  registry: registryMethods,
  modelVersions: modelVersionMethods,
  rpc: rpcMethods,
  runActions: runActionMethods,
  runCopies: runCopyMethods,
  runTable: runTableMethods,
  names: nameMethods,
  search: searchMethods,
  sessions: sessionMethods,
  texts: textMethods,
  tickets: ticketMethods,
  toggles: toggleMethods,
  usage: usageMethods,
  values: valueMethods,
  views: viewMethods,
  workspaces: workspaceMethods,
};

export interface Storage {
  readonly stores: Stores;
  /**
   * Runs `work` in one transaction: all of it is stored or nothing. Inside, touch only the stores handed in, and nothing that cannot be
   * repeated: `work` runs again, for about two seconds, when the database asks for it (deadlock, serialisation, lost connection before commit).
   * Whoever reads in order to write names the row that it locks, or the version that it compares; `test/api/at-once` asks for each by many.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /** Resolves when the database answers; rejects with `unavailable` and the reason in one sentence. */
  check(): Promise<void>;
  /** The database's own time in ms, for what must be compared across processes. */
  now(): Promise<number>;
  /** Waits for what is being written, then closes every connection. */
  close(): Promise<void>;
}
export const Storage = port<Storage>('storage');

/** Stores whose data may come to lie in another engine than the rest: no transaction reaches them, and what is written to them stands by itself. */
export const storesApart = [
  'audit',
  'search',
  'usage',
  'leases',
  'queueFaults',
  'attempts',
  'toggles',
] as const satisfies readonly (keyof Stores)[];
type StoreApart = (typeof storesApart)[number];

/** The storage as an area sees it: the stores that it names, and transactions over those of them that share one. */
export interface StorageOf<N extends keyof Stores> {
  readonly stores: Pick<Stores, N>;
  /** As of `Storage`. */
  transaction<T>(work: (stores: Pick<Stores, Exclude<N, StoreApart>>) => Promise<T>): Promise<T>;
  now(): Promise<number>;
}

const partOfStorage = 'orrery.port.storage:';
/** What an area asks for to reach the stores that it names, and no others. */
export const storageOf = <const N extends keyof Stores>(
  ...names: readonly N[]
): Port<StorageOf<N>> => port(`storage:${names.join(',')}`);

/** Whether these needs hold the storage, or a part of it. */
export const needsStorage = (needs: Needs): boolean =>
  Object.values(needs).some(
    (asked) => asked === Storage || storesNamedBy(asked as Port<unknown>) !== undefined,
  );

/** The stores that such a port names; `undefined` of any other port. */
export const storesNamedBy = (asked: Port<unknown>): readonly (keyof Stores)[] | undefined =>
  asked.description?.startsWith(partOfStorage) === true
    ? (asked.description.slice(partOfStorage.length).split(',') as (keyof Stores)[]) // as `storageOf` wrote them
    : undefined;

const pick = <N extends keyof Stores>(stores: Stores, names: readonly N[]): Pick<Stores, N> =>
  Object.fromEntries(names.map((name) => [name, stores[name]])) as Pick<Stores, N>; // those very names

/** What stands for such a port. */
export const narrowStorage = <N extends keyof Stores>(
  storage: Storage,
  names: readonly N[],
): StorageOf<N> => {
  const apart: readonly (keyof Stores)[] = storesApart;
  const together = names.filter((name): name is Exclude<N, StoreApart> => !apart.includes(name));
  return {
    stores: pick(storage.stores, names),
    transaction: (work) => storage.transaction((stores) => work(pick(stores, together))),
    now: () => storage.now(),
  };
};
