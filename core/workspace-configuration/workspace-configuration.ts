import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { workspaceConfigurationOperations } from '#ports/api/workspace-configuration';
import { Failure } from '#ports/failure';
import { MetricRunner } from '#ports/metric-runner';
import type { WorkspaceConfiguration } from '#ports/model/workspace-configuration';
import { storageOf } from '#ports/storage/storage';
import { Toggles } from '#ports/toggles';
import { chartsAreOn } from '../analytics/offers.js';
import { readDuration, showDuration } from './durations.js';

/** What is built of the wire, wherever it is installed; clients hide what is not. */
const builtIn = {
  spanLlmAsJudgeEnabled: true,
  guardrailsEnabled: true,
  opikAIEnabled: false,
  alertsEnabled: true,
  welcomeWizardEnabled: false,
  exportEnabled: true,
  costIntelligenceEnabled: false,
  projectHomepageEnabled: false,
  onlineScoringTracingEnabled: false,
  annotationQueueAutomationEnabled: true,
  eventBridgeAlertsEnabled: false,
  optimizationStudioEnabled: false,
  datasetVersioningEnabled: true,
  datasetExportEnabled: true,
  demoDataEnabled: false,
  openaiProviderEnabled: true,
  anthropicProviderEnabled: true,
  geminiProviderEnabled: true,
  openrouterProviderEnabled: true,
  vertexaiProviderEnabled: true,
  bedrockProviderEnabled: true,
  customllmProviderEnabled: true,
  ollamaProviderEnabled: true,
  ollieEnabled: false,
  agenticToolsEnabled: false,
  v2WorkspaceAllowlistIds: [],
  v1WorkspaceAllowlistIds: [],
  forceWorkspaceVersion: 'version_1',
} as const;

const togglesWith = (runsPython: boolean, toggles: Toggles) => ({
  ...builtIn,
  pythonEvaluatorEnabled: runsPython,
  traceThreadPythonEvaluatorEnabled: runsPython,
  spanUserDefinedMetricPythonEnabled: runsPython,
  agentInsightsEnabled: toggles.isOn('agent-insights'),
  agentInsightsGuidanceEnabled:
    toggles.isOn('agent-insights') && toggles.isOn('agent-insights-guidance'),
  customChartsEnabledForWorkspace: chartsAreOn(toggles),
});

const absent = () => new Failure('absent', 'the workspace has settled nothing');

const show = ({
  threadInactivitySeconds: seconds,
  truncatesTables,
  colors,
}: WorkspaceConfiguration) => ({
  timeout_to_mark_thread_as_inactive: seconds === undefined ? undefined : showDuration(seconds),
  truncation_on_tables: truncatesTables,
  color_map: colors,
});

export const workspaceConfigurationArea = area({
  name: 'workspace-configuration',
  summary: 'What a workspace has settled for traces and their pages.',
  family: privateFamily,
  table: workspaceConfigurationOperations,
  needs: {
    storage: storageOf('workspaceConfigurations'),
    metrics: MetricRunner,
    toggles: Toggles,
  },
  handlers: ({ storage, metrics, toggles }) => {
    const { workspaceConfigurations } = storage.stores;
    return {
      async showWorkspaceConfiguration({ workspace }) {
        const found = await workspaceConfigurations.find(workspace.id);
        if (found === undefined) throw absent();
        return show(found);
      },
      async putWorkspaceConfiguration({ body, workspace }) {
        const { timeout_to_mark_thread_as_inactive: timeout } = body;
        const settled = {
          threadInactivitySeconds:
            timeout === undefined
              ? undefined
              : readDuration(timeout, 'timeout_to_mark_thread_as_inactive'),
          truncatesTables: body.truncation_on_tables,
          colors: body.color_map,
        };
        await workspaceConfigurations.put(workspace.id, settled);
        return show(settled);
      },
      async deleteWorkspaceConfiguration({ workspace }) {
        if (!(await workspaceConfigurations.remove(workspace.id))) throw absent();
        return undefined;
      },
      showServiceToggles: async () => togglesWith(metrics.isOn, toggles),
      showWireVersion: async () => ({ opik_version: 'version_1' }),
    };
  },
});
