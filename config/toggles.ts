// Every toggle of the core: whether something exists. Plugins bring theirs.

export interface ToggleRow {
  readonly default: boolean;
  readonly says: string;
  /** A plugin behind it is loaded at boot only. */
  readonly restart?: boolean;
}

export const toggleRows: Readonly<Record<string, ToggleRow>> = {
  '3d-panel': { default: true, says: 'Panel for 3D points and boxes' },
  'admin-dashboard-download-reports': { default: false, says: 'Download button for usage reports in the administration area' },
  'anonymous-mode': { default: false, says: 'Logging without a key, claimed later', restart: true },
  'curves-panel': { default: true, says: 'Panel for logged curves' },
  'feature-move-project-to-workspace': { default: true, says: 'Moving whole projects to another workspace' },
  'model-approval': { default: true, says: 'Approval of status changes in the registry' },
  'model-production-monitoring': { default: true, says: 'Production monitoring' },
  'model-production-monitoring-drift-methods': { default: true, says: 'Choice of the drift method' },
  'model-production-monitoring-druid': { default: false, says: 'Choice of a Druid store; has no effect' },
  'model-registry-webhooks-github': { default: true, says: 'CI-workflow form of registry webhooks', restart: true },
  'move-experiments-to-ws': { default: true, says: 'Moving experiments to another workspace' },
  'mpm-alerts': { default: true, says: 'Alerts of production monitoring' },
  'python-environments': { default: false, says: 'Python environment of server-run panels' },
  'registry-webhooks': { default: true, says: 'Webhooks of the registry' },
  'server-custom-panels': { default: false, says: 'Custom panels run on the server' },
  'usage-chargeback-reports': { default: true, says: 'Usage and chargeback reports' },
  'video-panel': { default: true, says: 'Panel for videos' },
};

/** The name of a toggle in the environment. */
export const toggleVariable = (name: string): string => `ORRERY_TOGGLE_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
