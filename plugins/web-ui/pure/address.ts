// What an address shows, and the address of what is to be shown. Pure: the address is the whole state of a page.

export type Place =
  | { readonly screen: 'home' }
  | { readonly screen: 'workspace'; readonly workspace: string }
  | {
      readonly screen: (typeof lists)[number];
      readonly workspace: string;
    }
  | {
      /** One experiment, optimization, dataset, prompt, board, queue, evaluator or alert, by its id. */
      readonly screen: (typeof entries)[keyof typeof entries];
      readonly workspace: string;
      readonly id: string;
    }
  | { readonly screen: 'settings'; readonly part: string }
  | {
      readonly screen: 'model' | 'artifact';
      readonly workspace: string;
      readonly name: string;
      /** The newest where nothing is said. */
      readonly version: string | undefined;
    }
  | {
      readonly screen: (typeof parts)[number] | 'runs';
      readonly workspace: string;
      readonly project: string;
    }
  | {
      readonly screen: 'run';
      readonly workspace: string;
      readonly project: string;
      readonly key: string;
      readonly tab: string;
    }
  | {
      /** One trace, or one conversation, by its id. */
      readonly screen: 'trace' | 'thread';
      readonly workspace: string;
      readonly project: string;
      readonly id: string;
    }
  | {
      /** A page that a plugin adds. */
      readonly screen: 'plugin';
      readonly workspace: string;
      /** Absent for a page of the workspace. */
      readonly inProject: string | undefined;
      readonly plugin: string;
      readonly page: string;
    }
  | { readonly screen: 'nothing' };

/** A part of a path as text; half an escape is left as it is. */
const plain = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** What a workspace has beside its projects, by the last part of the path. */
const lists = [
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
  'providers',
  'boards',
  'sql',
  'members',
  'notifications',
  'retention',
] as const;

/** Lists whose entries stand below them by their ids, and what shows one. */
const entries = {
  experiments: 'experiment',
  optimizations: 'optimization',
  datasets: 'dataset',
  prompts: 'prompt',
  boards: 'board',
  queues: 'queue',
  evaluators: 'evaluator',
  alerts: 'alert',
} as const;
const isWithEntries = (name: string): name is keyof typeof entries => Object.hasOwn(entries, name);

/** What a project has beside its runs, likewise. */
const parts = ['compare', 'about', 'traces', 'threads', 'insights', 'seeds'] as const;

/** The path of the host below which the outside finds the server; nothing where it has the host to itself. */
let base = '';
export const haveBase = (path: string): void => {
  base = path;
};
const isBelow = (path: string): boolean => `${path}/`.startsWith(`${base}/`);

/** An address of the server as the browser asks for it; one that is so already stays. */
export const addressIn = (address: string): string =>
  /^\/(?!\/)/.test(address) && !isBelow(address) ? base + address : address;
/** A path as the server knows it. */
export const pathWithin = (path: string): string =>
  isBelow(path) ? path.slice(base.length) : path;

/** The share code of an address such as `/s/{code}/w/…`, and the address without it. */
export const readShare = (
  given: string,
): { readonly code: string | undefined; readonly path: string } => {
  const path = pathWithin(given);
  const [, code, rest] = /^\/s\/([^/]+)(\/w\/.*)$/.exec(path) ?? [];
  return code === undefined || rest === undefined
    ? { code: undefined, path }
    : { code: plain(code), path: rest };
};

/** What the path shows. */
export const readPlace = (path: string): Place => {
  const [root, workspace, p, project, screen, key, tab, ...rest] = readShare(path)
    .path.split('/')
    .slice(1)
    .filter((part, at, all) => part !== '' || at < all.length - 1)
    .map(plain);
  if (root === 'settings' && p === undefined)
    return { screen: 'settings', part: workspace ?? 'account' };
  if (root !== 'w' || rest.length > 0) return { screen: 'nothing' };
  if (workspace === undefined) return { screen: 'home' };
  if (p === undefined) return { screen: 'workspace', workspace };
  const list = lists.find((one) => one === p);
  if (list !== undefined && project === undefined) return { screen: list, workspace };
  if (isWithEntries(p) && project !== undefined && screen === undefined)
    return { screen: entries[p], workspace, id: project };
  if ((p === 'model' || p === 'artifact') && project !== undefined && key === undefined)
    return { screen: p, workspace, name: project, version: screen };
  if (p === 'x' && project !== undefined && screen !== undefined && key === undefined)
    return { screen: 'plugin', workspace, inProject: undefined, plugin: project, page: screen };
  if (p !== 'p' || project === undefined) return { screen: 'nothing' };
  if (screen === 'x' && key !== undefined && tab !== undefined)
    return { screen: 'plugin', workspace, inProject: project, plugin: key, page: tab };
  if (screen === undefined || (screen === 'runs' && key === undefined))
    return { screen: 'runs', workspace, project };
  const part = parts.find((one) => one === screen);
  if (part !== undefined && key === undefined) return { screen: part, workspace, project };
  if ((screen === 'trace' || screen === 'thread') && key !== undefined && tab === undefined)
    return { screen, workspace, project, id: key };
  return screen === 'run' && key !== undefined
    ? { screen: 'run', workspace, project, key, tab: tab ?? 'overview' }
    : { screen: 'nothing' };
};

/** What stands before the path of every page: nothing, or the share code by which all of them are read. */
let before = '';
export const shareBy = (code: string | undefined): void => {
  before = code === undefined ? '' : `/s/${encodeURIComponent(code)}`;
};

/** The path of names, each in its place: `pathOf('w', workspace, 'p', project)`. */
export const pathOf = (...parts: readonly string[]): string =>
  `${parts[0] === 'w' ? before : ''}/${parts.map(encodeURIComponent).join('/')}`;

/** The same address with some members of its query changed; an empty one is left out. */
export const withQuery = (
  search: string,
  changes: Readonly<Record<string, string | undefined>>,
): string => {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
};

/** Names in one member of the query, of which any may hold a comma. */
export const readList = (text: string | null): readonly string[] =>
  text === null || text === '' ? [] : text.split(',').map(plain);
export const writeList = (names: readonly string[]): string =>
  names.map(encodeURIComponent).join(',');
