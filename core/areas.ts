import type { Area } from '#ports/api/area';
import { workspacesArea } from './workspaces/workspaces.js';
import { administrationArea } from './administration/administration.js';
import { directoryArea } from './directory/directory.js';
import { installationArea } from './installation/installation.js';
import { queuesArea } from './queues/queues.js';
import { usageArea } from './usage/usage.js';
import { membersArea } from './members/members.js';
import { artifactsArea } from './artifacts/artifacts.js';
import { auditArea } from './audit/reading.js';
import { assetMatrixArea } from './asset-matrix/asset-matrix.js';
import { assetsArea } from './assets/assets.js';
import { weblinksArea } from './weblinks/weblinks.js';
import { accessChecksArea } from './access-checks/access-checks.js';
import { experimentsArea } from './experiments/experiments.js';
import { identityArea } from './identity/identity.js';
import { pagesArea } from './identity/pages.js';
import { runsArea } from './runs/runs.js';
import { metricsArea } from './metrics/metrics.js';
import { promptsArea } from './prompts/prompts.js';
import { optimizerArea } from './optimizer/optimizer.js';
import { consentArea } from './oauth/consent.js';
import { nameSearchArea } from './name-search/name-search.js';
import { oauthArea } from './oauth/oauth.js';
import { programAdministrationArea, programsArea } from './oauth/programs.js';
import { panelsArea } from './panels/panels.js';
import { approvalsArea } from './registry/approvals.js';
import { registryArea } from './registry/registry.js';
import { rpcArea } from './rpc/rpc.js';
import { runTableArea } from './run-table/run-table.js';
import { runActionsArea } from './run-actions/run-actions.js';
import { savedViewsArea } from './saved-views/saved-views.js';
import { printedLinksArea } from './redirects/printed-links.js';
import { redirectsArea } from './redirects/redirects.js';
import { runOutputArea } from './run-output/run-output.js';
import { commentsArea } from './comments/comments.js';
import { workspaceConfigurationArea } from './workspace-configuration/workspace-configuration.js';
import { attachmentsArea } from './attachments/attachments.js';
import { otelArea } from './otel/otel.js';
import { projectsArea } from './projects/projects.js';
import { datasetItemsArea } from './dataset-items/dataset-items.js';
import { datasetFilesArea } from './dataset-files/dataset-files.js';
import { datasetsArea } from './datasets/datasets.js';
import { assertionResultsArea } from './assertion-results/assertion-results.js';
import { evaluationsArea } from './evaluations/evaluations.js';
import { promptLibraryArea } from './prompt-library/prompt-library.js';
import { feedbackDefinitionsArea } from './feedback-definitions/feedback-definitions.js';
import { guardrailsArea } from './guardrails/guardrails.js';
import { annotationQueuesArea } from './annotation-queues/annotation-queues.js';
import { optimizationsArea } from './optimizations/optimizations.js';
import { environmentsArea } from './environments/environments.js';
import { providerKeysArea } from './provider-keys/provider-keys.js';
import { retentionArea } from './retention/retention.js';
import { automationsArea } from './automations/automations.js';
import { alertsArea } from './alerts/alerts.js';
import { agentInsightsArea } from './agent-insights/agent-insights.js';
import { internalUsageArea } from './internal-usage/internal-usage.js';
import { analyticsArea } from './analytics/analytics.js';
import { dashboardsArea } from './dashboards/dashboards.js';
import { agentConfigsArea } from './agent-configs/agent-configs.js';
import { projectMetricsArea } from './traces/project-metrics.js';
import { workspaceMetricsArea } from './traces/workspace-metrics.js';
import { playgroundArea } from './playground/playground.js';
import { chatCompletionsArea } from './chat-completions/chat-completions.js';
import { languageModelsArea } from './language-models/language-models.js';
import { spansArea } from './traces/spans.js';
import { threadsArea } from './traces/threads.js';
import { tracesArea } from './traces/traces.js';
import { configurationArea } from './configuration/configuration.js';
import { projectUsageArea } from './project-usage/project-usage.js';
import { liveArea } from './live/live.js';
import { mcpArea } from './mcp/mcp.js';
import { lineageArea } from './lineage/lineage.js';
import { searchArea } from './search/search.js';
import { seriesArea } from './series/series.js';
import { environmentArea } from './environment/environment.js';
import { runDocumentsArea } from './run-documents/run-documents.js';
import { parametersArea } from './parameters/parameters.js';
import { channelsArea } from './webhooks/channels.js';
import { webhooksArea } from './webhooks/webhooks.js';

/** What is not there where programs are given no tokens. */
export const oauthAreas: readonly Area[] = [oauthArea, consentArea];

/** Every area of the product. The busiest comes first, since its routes are looked at first; links come last, since their paths are the widest. */
export const areas: readonly Area[] = [
  metricsArea,
  parametersArea,
  runsArea,
  runDocumentsArea,
  experimentsArea,
  searchArea,
  seriesArea,
  runTableArea,
  nameSearchArea,
  rpcArea,
  panelsArea,
  liveArea,
  lineageArea,
  projectUsageArea,
  configurationArea,
  commentsArea,
  tracesArea,
  datasetFilesArea,
  datasetItemsArea,
  datasetsArea,
  assertionResultsArea,
  evaluationsArea,
  promptLibraryArea,
  feedbackDefinitionsArea,
  guardrailsArea,
  optimizationsArea,
  annotationQueuesArea,
  environmentsArea,
  providerKeysArea,
  languageModelsArea,
  chatCompletionsArea,
  playgroundArea,
  retentionArea,
  agentConfigsArea,
  dashboardsArea,
  alertsArea,
  automationsArea,
  analyticsArea,
  agentInsightsArea,
  internalUsageArea,
  spansArea,
  threadsArea,
  otelArea,
  mcpArea,
  attachmentsArea,
  redirectsArea,
  printedLinksArea,
  workspaceConfigurationArea,
  projectMetricsArea,
  workspaceMetricsArea,
  projectsArea,
  runOutputArea,
  runActionsArea,
  savedViewsArea,
  optimizerArea,
  promptsArea,
  environmentArea,
  workspacesArea,
  membersArea,
  administrationArea,
  identityArea,
  pagesArea,
  directoryArea,
  programsArea,
  programAdministrationArea,
  usageArea,
  installationArea,
  queuesArea,
  auditArea,
  artifactsArea,
  assetMatrixArea,
  assetsArea,
  registryArea,
  approvalsArea,
  webhooksArea,
  channelsArea,
  oauthArea,
  consentArea,
  accessChecksArea,
  weblinksArea,
];
