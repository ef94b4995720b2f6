import { area } from '#ports/api/area';
import { weblinkOperations } from '#ports/api/weblinks';
import { Settings } from '#ports/settings';

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign);

/** A small page of what the address names. */
const show = (kind: string, name: string, facts: Readonly<Record<string, string | undefined>> = {}): string => {
  const rows = Object.entries(facts).flatMap(([what, value]) => (value === undefined ? [] : [`<dt>${escape(what)}</dt><dd>${escape(value)}</dd>`])).join('');
  const title = `${escape(kind)} ${escape(name)}`.trim();
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} - Orrery</title></head><body><main><h1>${title}</h1><dl>${rows}</dl><p>What is stored under this address is read with an API key.</p></main></body></html>`;
};

/** Addresses of pages; to be mounted after every other area, since its paths are the widest. */
export const weblinksArea = area({
  name: 'weblinks', family: 'plain', table: weblinkOperations, needs: { settings: Settings },
  handlers: ({ settings }) => ({
    redirectToExperiment: async ({ query }) => `${settings.baseUrl}/experiment/${encodeURIComponent(query.experimentKey)}`,
    redirectToProject: async ({ query }) => `${settings.baseUrl}/project/${encodeURIComponent(query.projectId)}`,
    showSettings: async () => show('Settings', '', { 'API key': 'made and shown by an administrator of this installation' }),
    showExperimentByKey: async ({ params }) => show('Experiment', params.experimentKey),
    showProjectById: async ({ params }) => show('Project', params.projectId),
    showRegistryVersion: async ({ params }) => show('Model', params.name, { Workspace: params.workspace, Version: params.version }),
    showArtifactVersion: async ({ params }) => show('Artifact', params.name, { Workspace: params.workspace, Version: params.version }),
    showExperiment: async ({ params }) => show('Experiment', params.experimentKey, { Workspace: params.workspace, Project: params.project }),
  }),
});
