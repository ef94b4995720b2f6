// Pages and acts that the palette finds by their words, beside what the server finds by its name.
import { pathOf } from '../../pure/address.js';
import { session } from '../request.js';
import { place, setTheme, visit } from '../state.js';

export interface Known {
  readonly name: string;
  readonly says: string;
  readonly open: () => void;
}

const settings = ['account', 'keys', 'programs'] as const;
const installation = [
  'users',
  'workspaces',
  'service-accounts',
  'statuses',
  'audit',
  'usage',
  'in-force',
  'jobs',
  'upkeep',
] as const;
const ofWorkspace = [
  'experiments',
  'optimizations',
  'datasets',
  'prompts',
  'playground',
  'queues',
  'evaluators',
  'alerts',
  'models',
  'artifacts',
  'boards',
  'sql',
  'providers',
  'members',
  'notifications',
  'retention',
] as const;

const all = (): readonly Known[] => {
  const at = place.value;
  const page = (name: string, says: string, path: string): Known => ({
    name,
    says,
    open: () => visit(path),
  });
  const parts = session.value?.admin === true ? [...settings, ...installation] : settings;
  return [
    page('home', 'page', '/w'),
    page('open a report', 'settings', pathOf('settings', 'report')),
    ...('workspace' in at
      ? [
          page('projects', at.workspace, pathOf('w', at.workspace)),
          ...ofWorkspace.map((name) => page(name, at.workspace, pathOf('w', at.workspace, name))),
        ]
      : []),
    ...('workspace' in at && 'project' in at
      ? (['runs', 'seeds', 'traces', 'threads', 'insights', 'about'] as const).map((name) =>
          page(name, at.project, pathOf('w', at.workspace, 'p', at.project, name)),
        )
      : []),
    ...parts.map((name) => page(name.replaceAll('-', ' '), 'settings', pathOf('settings', name))),
    ...(['light', 'dark', 'system'] as const).map((name) => ({
      name: `${name} colours`,
      says: 'act',
      open: () => setTheme(name),
    })),
  ];
};

/** The trace of this id in the project that is looked at. */
const traceOf = (id: string): readonly Known[] => {
  const at = place.value;
  if (
    !('workspace' in at && 'project' in at) ||
    !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)
  )
    return [];
  const path = pathOf('w', at.workspace, 'p', at.project, 'trace', id);
  return [{ name: `trace ${id}`, says: at.project, open: () => visit(path) }];
};

/** Those whose name has the text in it; none without a text. */
export const pagesOf = (text: string): readonly Known[] => {
  const part = text.trim().toLowerCase();
  return part === ''
    ? []
    : [...traceOf(part), ...all().filter(({ name }) => name.includes(part))].slice(0, 6);
};
