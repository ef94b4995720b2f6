// The rules of the tree, each a function from sources to sentences about what strays from it.
import { posix } from 'node:path';
import type { Source } from './source.js';

export type Rule = (sources: readonly Source[]) => readonly string[];

const folders = new Set(['ports', 'core', 'adapters', 'plugins', 'config', 'test']);
const top = (path: string): string => path.split('/')[0] ?? '';
const isOurs = (to: string): boolean => folders.has(top(to)) && to.includes('/');

const each =
  (judge: (source: Source) => readonly string[]): Rule =>
  (sources) =>
    sources.flatMap((source) => judge(source).map((fault) => `${source.path}: ${fault}`));
const eachImport = (
  judge: (from: string, to: string, source: Source) => string | undefined,
): Rule =>
  each((source) => source.imports.flatMap(({ to }) => judge(source.path, to, source) ?? []));

/** Who may import whom, besides itself. */
const reach: Readonly<Record<string, readonly string[]>> = {
  ports: [],
  core: ['ports'],
  adapters: ['ports'],
  plugins: ['ports'],
  config: ['ports', 'core', 'adapters', 'plugins'],
};

const star = eachImport((from, to) => {
  const [mine, other] = [top(from), top(to)];
  return !isOurs(to) || other === mine || reach[mine]?.includes(other) === true
    ? undefined
    : `${mine} must not import ${to}`;
});

const plugins = eachImport((from, to) => {
  const name = (path: string) => path.split('/')[1];
  return top(from) === 'plugins' && top(to) === 'plugins' && isOurs(to) && name(from) !== name(to)
    ? `one plugin must not import another, ${to}`
    : undefined;
});

/** The packages that the inner folders may use: the types of one, in which a dialect of SQL is spelled. */
const innerPackages: Readonly<Record<string, readonly string[]>> = {
  'ports/sql-dialect.ts': ['knex'],
  'ports/drivers.ts': ['knex'],
};
const inner = (path: string) => top(path) === 'ports' || top(path) === 'core';
const purity = eachImport((from, to, { imports }) =>
  inner(from) &&
  !isOurs(to) &&
  !(
    innerPackages[from]?.includes(to) === true &&
    imports.every((one) => one.to !== to || one.typeOnly)
  )
    ? `${top(from)} must not import ${to}`
    : undefined,
);

/** What several areas share lies beside their folders, or in these files; section 6 of the architecture puts the query language in a folder of its own. */
const sharedFolders = ['core/experiments/query', 'core/private-wire', 'core/upkeep'];
const areaOf = (path: string): string | undefined =>
  path.split('/').length > 2 ? path.split('/')[1] : undefined;
const areas = eachImport((from, to) => {
  if (top(from) !== 'core' || top(to) !== 'core' || !isOurs(to)) return undefined;
  const [mine, other] = [areaOf(from), areaOf(to)];
  if (other === undefined || mine === other || from === 'core/areas.ts') return undefined;
  const offered =
    ['rules', 'offers', 'settings'].includes(posix.basename(to)) ||
    sharedFolders.includes(posix.dirname(to));
  return offered
    ? undefined
    : `one area reaches another through its rules, offers and settings only, not ${to}`;
});

const stores = each(({ path, imports }) =>
  top(path) === 'core' &&
  imports.some(({ to, names }) => to === 'ports/storage/storage' && names.includes('Storage'))
    ? ['an area names the stores that it uses, by storageOf']
    : [],
);

/** `adapters/http`, `adapters/storage/sql`: what one technology is kept in. */
const flat = new Set(['http', 'system']);
const technologyOf = (path: string): string => {
  const [, kind = '', name = ''] = path.split('/');
  return flat.has(kind) ? kind : `${kind}/${name}`;
};
const shared: Readonly<Record<string, readonly string[]>> = {
  'storage/postgres': ['storage/sql'],
  'storage/mysql': ['storage/sql'],
  'storage/embedded': ['storage/sql', 'storage/postgres'],
  'storage/wrap': [],
  'blob/filesystem': ['blob/streams'],
  'blob/s3': ['blob/streams'],
  'blob/gcs': ['blob/streams'],
};
const technologies = eachImport((from, to) => {
  if (top(from) !== 'adapters' || top(to) !== 'adapters' || !isOurs(to)) return undefined;
  const [mine, other] = [technologyOf(from), technologyOf(to)];
  return mine === other || shared[mine]?.includes(other) === true
    ? undefined
    : `one technology must not import another, ${to}`;
});

const environment = each(({ path, uses, imports }) =>
  top(path) === 'config'
    ? []
    : [
        ...(uses.has('process.env') ? ['only config reads process.env'] : []),
        ...imports
          .filter(({ to }) => to === 'inversify' || to === 'reflect-metadata')
          .map(({ to }) => `only config imports ${to}`),
      ],
);

const chances = [
  'Date.now',
  'Math.random',
  'randomUUID',
  'crypto.randomUUID',
  'performance.now',
  'new Date',
  'setTimeout',
  'setInterval',
  'crypto.getRandomValues',
];
const determinism = each(({ path, uses }) =>
  inner(path)
    ? chances
        .filter((name) => uses.has(name))
        .map(
          (name) => `${top(path)} must not use ${name}; time, ids and chance come in through ports`,
        )
    : [],
);

const engineNames = ['client.config', 'dialect.name', 'client.dialect', 'client.driverName'];
const engines = each(({ path, uses }) =>
  path.startsWith('adapters/storage/sql/')
    ? engineNames
        .filter((name) => uses.has(name))
        .map((name) => `a store must not ask which engine it runs on, ${name}`)
    : [],
);

const isPluginEntry = (path: string) => /^plugins\/[^/]+\/[^/]+\.ts$/.test(path);
const naming = each(({ path, exportsDefault, passesOn }) => [
  ...(exportsDefault && !isPluginEntry(path) ? ['exports a default'] : []),
  ...(passesOn || posix.basename(path) === 'index.ts'
    ? ['only passes on what other files export']
    : []),
]);

/** Circles of imports, types left out: those vanish before anything is loaded. */
const circles: Rule = (sources) => {
  const known = new Map(sources.map((source) => [source.path.replace(/\.ts$/, ''), source]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    const at = above.indexOf(path);
    if (at >= 0) {
      found.push(`imports in a circle: ${[...above.slice(at), path].join(' > ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const { to, typeOnly } of known.get(path)?.imports ?? [])
      if (!typeOnly && known.has(to)) visit(to, [...above, path]);
    done.add(path);
  };
  for (const path of known.keys()) visit(path, []);
  return found;
};

/** Suites that stand on the product: the build joins what they need into them. */
const standing = [
  'test/contract/storage/search.ts',
  'test/contract/storage/decisions.ts',
  'test/contract/shipped.ts',
];
const isPacked = (path: string): boolean =>
  path.startsWith('test/contract/') &&
  !/\.test\.ts$|\/(blob-)?adapters\.ts$/.test(path) &&
  !standing.includes(path);
const packedSuites = eachImport((from, to) =>
  isPacked(from) && isOurs(to) && top(to) !== 'ports' && !isPacked(`${to}.ts`)
    ? `a suite of the package must not import ${to}, which is not in it`
    : undefined,
);

/** Titles are the rules. */
export const rules: Readonly<Record<string, Rule>> = {
  'everybody imports ports, nobody imports anybody else, and config knows them all': star,
  'ports and core import no packages and do no input or output': purity,
  'one area of core reaches another through its rules, offers and settings only': areas,
  'core asks for the stores that it uses, never for the whole storage': stores,
  'one technology never imports another': technologies,
  'one plugin never imports another': plugins,
  'only config reads the environment and knows the container': environment,
  'core and ports know no clock and no chance': determinism,
  'no store asks which engine it runs on': engines,
  'every export has a name and every file something of its own': naming,
  'the suites of the package import nothing that is not in it': packedSuites,
  'nothing imports itself in a circle': circles,
};
