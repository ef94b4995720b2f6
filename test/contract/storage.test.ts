import type { SqlStorage } from '#adapters/storage/sql/storage';
import { pluginChanges, pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { PluginTables } from '#ports/plugin-tables';
import type { Storage } from '#ports/storage/storage';
import { pendingUnlessAll } from '#test/pending';
import { storageAdapters, type OpenedStorage } from './adapters.js';
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
import { leaseContract } from './storage/leases.js';
import { pluginTablesChanges, pluginTablesContract } from './storage/plugin-tables.js';
import { artifactContract } from './storage/artifacts.js';
import { assetContract } from './storage/assets.js';
import { experimentContract } from './storage/experiments.js';
import { attemptContract } from './storage/attempts.js';
import { auditContract } from './storage/audit.js';
import { identityContract } from './storage/identity.js';
import { oauthContract } from './storage/oauth.js';
import { sessionContract } from './storage/sessions.js';
import { metricContract } from './storage/metrics.js';
import { optimizerContract } from './storage/optimizers.js';
import { panelContract } from './storage/panels.js';
import { ticketContract } from './storage/tickets.js';
import { toggleContract } from './storage/toggles.js';
import { projectContract } from './storage/projects.js';
import { approvalContract } from './storage/registry-approvals.js';
import { queueFaultContract } from './storage/queue-faults.js';
import { registryContract } from './storage/registry.js';
import { rpcContract } from './storage/rpc.js';
import { textContract } from './storage/texts.js';
import { usageContract } from './storage/usage.js';
import { valueContract } from './storage/values.js';
import { decisionContract } from './storage/decisions.js';
import { nameContract } from './storage/names.js';
import { runTableContract } from './storage/run-table.js';
import { searchContract } from './storage/search.js';
import { viewContract } from './storage/views.js';

/** Every suite of the storage port. */
const storageContracts: Readonly<Record<string, (storage: () => Storage) => void>> = {
  identity: identityContract,
  sessions: sessionContract,
  tickets: ticketContract,
  attempts: attemptContract,
  audit: auditContract,
  oauth: oauthContract,
  usage: usageContract,
  projects: projectContract,
  toggles: toggleContract,
  experiments: experimentContract,
  metrics: metricContract,
  curves: curveContract,
  values: valueContract,
  texts: textContract,
  documents: documentContract,
  assets: assetContract,
  assetMatrix: assetMatrixContract,
  decisions: decisionContract,
  artifacts: artifactContract,
  search: searchContract,
  rpc: rpcContract,
  names: nameContract,
  runTable: runTableContract,
  views: viewContract,
  panels: panelContract,
  optimizers: optimizerContract,
  registry: registryContract,
  approvals: approvalContract,
  changes: changeContract,
  comments: commentContract,
  traces: traceContract,
  guardrails: guardrailContract,
  feedbackDefinitions: feedbackDefinitionContract,
  annotationQueues: annotationQueueContract,
  datasetExports: datasetExportContract,
  optimizations: optimizationContract,
  libraryPrompts: libraryPromptContract,
  evaluationItems: evaluationItemContract,
  evaluations: evaluationContract,
  datasetItems: datasetItemContract,
  datasets: datasetContract,
  environments: environmentContract,
  providerKeys: providerKeyContract,
  retention: retentionContract,
  agentConfigs: agentConfigContract,
  dashboards: dashboardContract,
  alerts: alertContract,
  automations: automationContract,
  automationRuns: automationRunContract,
  promptRuns: promptRunContract,
  alertFirings: alertFiringContract,
  analyticRows: analyticRowContract,
  savedQueries: savedQueryContract,
  insightsJobs: insightsJobContract,
  insightsIssues: insightsIssueContract,
  creationCounts: creationCountContract,
  attachments: attachmentContract,
  workspaceConfigurations: workspaceConfigurationContract,
  feedback: feedbackContract,
  threads: threadContract,
  activities: activityContract,
  traceFigures: traceFigureContract,
  traceSeries: traceSeriesContract,
  traceStatistics: traceStatisticsContract,
  runActions: runActionContract,
  runCopies: runCopyContract,
  savedViews: savedViewContract,
  channels: channelContract,
  deliveries: deliveryContract,
  queueFaults: queueFaultContract,
  leases: leaseContract,
  events: eventContract,
};

for (const adapter of storageAdapters) {
  describe(`storage on ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.open();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    after(() => opened?.stop());
    const storage = (): Storage => {
      if (opened === undefined) throw new Error(`${adapter.name} is not open`);
      return opened.storage;
    };
    for (const [store, contract] of Object.entries(storageContracts))
      describe(store, () => {
        contract(storage);
      });
    const overSql = () => storage() as SqlStorage; // every adapter on the list is over SQL
    describe('tables of a plugin', () => {
      let tables: PluginTables | undefined;
      before(async () => {
        await overSql().migrations.up('contract', pluginChanges('contract', pluginTablesChanges));
        tables = pluginTables(overSql().connection, 'contract', pluginTablesChanges);
      });
      after(() => overSql().migrations.drop('contract'));
      pluginTablesContract(() => {
        if (tables === undefined) throw new Error('the tables were not made');
        return tables;
      });
    });
  });
}
