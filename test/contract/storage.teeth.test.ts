// Proves that the suites of the storage port turn red: each runs once more over a store of which one method does nothing.
import { expect } from 'chai';
import { pluginChanges, pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { PluginTables } from '#ports/plugin-tables';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Stores } from '#ports/storage/storage';
import { someOf } from '#test/sampling';
import { storageAdapters, type OpenedStorage } from './adapters.js';
import { artifactContract } from './storage/artifacts.js';
import { assetContract } from './storage/assets.js';
import { runCopyContract } from './storage/run-copies.js';
import { runActionContract } from './storage/run-actions.js';
import { savedViewContract } from './storage/saved-views.js';
import { assetMatrixContract } from './storage/asset-matrix.js';
import { commentContract } from './storage/comments.js';
import { workspaceConfigurationContract } from './storage/workspace-configurations.js';
import { attachmentContract } from './storage/attachments.js';
import { feedbackContract } from './storage/feedback.js';
import { threadContract } from './storage/threads.js';
import { activityContract } from './storage/activities.js';
import { traceFigureContract } from './storage/trace-figures.js';
import { traceSeriesContract } from './storage/trace-series.js';
import { traceStatisticsContract } from './storage/trace-statistics.js';
import { traceContract } from './storage/traces.js';
import { annotationQueueContract } from './storage/annotation-queues.js';
import { datasetExportContract } from './storage/dataset-exports.js';
import { guardrailContract } from './storage/guardrails.js';
import { feedbackDefinitionContract } from './storage/feedback-definitions.js';
import { optimizationContract } from './storage/optimizations.js';
import { libraryPromptContract } from './storage/library-prompts.js';
import { evaluationItemContract } from './storage/evaluation-items.js';
import { evaluationContract } from './storage/evaluations.js';
import { datasetItemContract } from './storage/dataset-items.js';
import { datasetContract } from './storage/datasets.js';
import { environmentContract } from './storage/environments.js';
import { providerKeyContract } from './storage/provider-keys.js';
import { retentionContract } from './storage/retention.js';
import { promptRunContract } from './storage/prompt-runs.js';
import { automationContract, automationRunContract } from './storage/automations.js';
import { alertFiringContract } from './storage/alert-firings.js';
import { alertContract } from './storage/alerts.js';
import { savedQueryContract } from './storage/saved-queries.js';
import { insightsIssueContract, insightsJobContract } from './storage/agent-insights.js';
import { creationCountContract } from './storage/creation-counts.js';
import { analyticRowContract } from './storage/analytic-rows.js';
import { dashboardContract } from './storage/dashboards.js';
import { agentConfigContract } from './storage/agent-configs.js';
import { changeContract } from './storage/changes.js';
import { channelContract } from './storage/channels.js';
import { curveContract } from './storage/curves.js';
import { deliveryContract } from './storage/deliveries.js';
import { documentContract } from './storage/documents.js';
import { eventContract } from './storage/events.js';
import { experimentContract } from './storage/experiments.js';
import { attemptContract } from './storage/attempts.js';
import { auditContract } from './storage/audit.js';
import { identityContract } from './storage/identity.js';
import { oauthContract } from './storage/oauth.js';
import { sessionContract } from './storage/sessions.js';
import { leaseContract } from './storage/leases.js';
import { metricContract } from './storage/metrics.js';
import { chunkContract } from '#test/adapters/sql/chunks';
import { outputPackingContract } from '#test/adapters/sql/output-packing';
import { optimizerContract } from './storage/optimizers.js';
import { panelContract } from './storage/panels.js';
import { pluginTablesChanges, pluginTablesContract } from './storage/plugin-tables.js';
import { ticketContract } from './storage/tickets.js';
import { toggleContract } from './storage/toggles.js';
import { projectContract } from './storage/projects.js';
import { approvalContract } from './storage/registry-approvals.js';
import { queueFaultContract } from './storage/queue-faults.js';
import { registryContract } from './storage/registry.js';
import { rpcContract } from './storage/rpc.js';
import { nameContract } from './storage/names.js';
import { runTableContract } from './storage/run-table.js';
import { searchContract } from './storage/search.js';
import { textContract } from './storage/texts.js';
import { usageContract } from './storage/usage.js';
import { valueContract } from './storage/values.js';
import { viewContract } from './storage/views.js';
import { runAside, withoutEffect } from './teeth.js';

type Suites = Readonly<Record<keyof Stores, readonly ((storage: () => SqlStorage) => void)[]>>;

/** The suites of each store. */
const suites: Suites = {
  users: [identityContract, sessionContract],
  credentials: [identityContract],
  apiKeys: [identityContract],
  members: [identityContract, sessionContract],
  sessions: [sessionContract],
  tickets: [ticketContract],
  attempts: [attemptContract],
  audit: [auditContract],
  oauth: [oauthContract],
  usage: [usageContract],
  toggles: [toggleContract],
  workspaces: [identityContract],
  projects: [projectContract],
  experiments: [experimentContract],
  metrics: [metricContract, chunkContract],
  curves: [curveContract],
  leases: [leaseContract],
  events: [eventContract],
  assets: [assetContract, registryContract],
  assetMatrix: [assetMatrixContract],
  uploads: [assetContract],
  blobRecords: [assetContract],
  links: [assetContract],
  artifacts: [artifactContract],
  artifactVersions: [artifactContract],
  artifactUses: [artifactContract],
  values: [valueContract],
  texts: [textContract, outputPackingContract],
  documents: [documentContract],
  search: [searchContract],
  rpc: [rpcContract],
  names: [nameContract],
  runTable: [runTableContract],
  views: [viewContract],
  panels: [panelContract],
  optimizers: [optimizerContract],
  registry: [registryContract],
  modelVersions: [registryContract],
  approvals: [approvalContract],
  changes: [changeContract],
  comments: [commentContract],
  traces: [traceContract],
  guardrails: [guardrailContract],
  feedbackDefinitions: [feedbackDefinitionContract],
  annotationQueues: [annotationQueueContract],
  datasetExports: [datasetExportContract],
  optimizations: [optimizationContract],
  libraryPrompts: [libraryPromptContract],
  evaluationItems: [evaluationItemContract],
  evaluations: [evaluationContract],
  datasetItems: [datasetItemContract],
  datasets: [datasetContract],
  environments: [environmentContract],
  providerKeys: [providerKeyContract],
  retention: [retentionContract],
  agentConfigs: [agentConfigContract],
  dashboards: [dashboardContract],
  alerts: [alertContract],
  automations: [automationContract],
  automationRuns: [automationRunContract],
  promptRuns: [promptRunContract],
  alertFirings: [alertFiringContract],
  analyticRows: [analyticRowContract],
  savedQueries: [savedQueryContract],
  insightsJobs: [insightsJobContract],
  insightsIssues: [insightsIssueContract],
  creationCounts: [creationCountContract],
  attachments: [attachmentContract],
  workspaceConfigurations: [workspaceConfigurationContract],
  feedback: [feedbackContract],
  threads: [threadContract],
  activities: [activityContract],
  traceFigures: [traceFigureContract],
  traceSeries: [traceSeriesContract],
  traceStatistics: [traceStatisticsContract],
  runActions: [runActionContract],
  runCopies: [runCopyContract],
  savedViews: [savedViewContract],
  channels: [channelContract],
  deliveries: [deliveryContract],
  queueFaults: [queueFaultContract],
};

type Store = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
const asStore = (store: object): Store => store as Store; // a store has methods only

/** Changes a store before a suite sees it. */
type Change = (store: Store) => Store;

/** Tells which cases call each method, by the cases' full titles. */
const listCalls = async (
  define: (change: Change) => void,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const calls = new Map<string, Set<string>>();
  let current = '';
  const note = (name: string) => void calls.set(name, (calls.get(name) ?? new Set()).add(current));
  const noting: Change = (store) =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]) => [
        name,
        (...given: readonly unknown[]) => {
          note(name);
          return method(...given);
        },
      ]),
    );
  const { failed } = await runAside(() => {
    beforeEach(function () {
      current = this.currentTest?.fullTitle() ?? '';
    });
    define(noting);
  });
  if (failed.length > 0)
    throw new Error(`the suite is red before anything is broken: ${failed.join(', ')}`);
  return calls;
};

/** Those of the methods that may do nothing without a case that fails. */
const listUnproven = async (
  methods: readonly string[],
  define: (change: Change) => void,
): Promise<readonly string[]> => {
  const calls = await listCalls(define);
  const unproven: string[] = [];
  for (const name of methods) {
    const cases = calls.get(name) ?? new Set();
    const { failed } =
      cases.size === 0
        ? { failed: [] }
        : await runAside(
            () => {
              define((store) => withoutEffect(store, name));
            },
            { bail: true, only: (title) => cases.has(title) },
          );
    if (failed.length === 0) unproven.push(name);
  }
  return unproven;
};

describe('the suites of the storage port', function () {
  this.timeout(120_000);
  let opened: OpenedStorage | undefined;
  before('open the embedded storage', async () => {
    const result = await storageAdapters[0]?.open();
    if (result === undefined || 'missing' in result)
      throw new Error('the embedded storage does not open');
    opened = result;
  });
  after(async () => {
    await opened?.stop();
  });
  const whole = (): SqlStorage => {
    if (opened === undefined) throw new Error('it is not open');
    return opened.storage;
  };
  /** The storage with one store changed, inside transactions too. */
  const changed = (name: keyof Stores, change: Change): SqlStorage => {
    const within = (stores: Stores): Stores => ({
      ...stores,
      [name]: change(asStore(stores[name])),
    });
    return {
      ...whole(),
      stores: within(whole().stores),
      transaction: (work) => whole().transaction((stores) => work(within(stores))),
    };
  };

  for (const [name, contracts] of someOf(
    Object.entries(suites) as [keyof Stores, Suites[keyof Stores]][],
    12,
    'stores without teeth',
  )) {
    // the keys are those of the type
    it(`turn red when a method of ${name} does nothing`, async () => {
      const methods = Object.keys(whole().stores[name]);

      const unproven = await listUnproven(methods, (change) => {
        for (const contract of contracts) contract(() => changed(name, change));
      });

      expect(methods).not.to.deep.equal([]);
      expect(unproven).to.deep.equal([]);
    });
  }

  it('know every store there is', () => {
    expect(Object.keys(whole().stores).sort()).to.deep.equal(Object.keys(suites).sort());
  });

  it('turn red when a method of the tables of a plugin does nothing', async () => {
    await whole().migrations.up('teeth', pluginChanges('teeth', pluginTablesChanges));
    const tables = pluginTables(whole().connection, 'teeth', pluginTablesChanges);

    const unproven = await listUnproven(Object.keys(tables), (change) => {
      pluginTablesContract(() => change(asStore(tables)) as unknown as PluginTables);
    }); // the same methods

    expect(unproven).to.deep.equal([]);
  });
});
