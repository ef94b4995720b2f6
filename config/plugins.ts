// Loads plugins: listed → imported → manifest checked → drivers registered → tables migrated → contribute → rows checked. One that does
// not load stops the start with its name and the reason, unless the configuration calls it optional.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiles, reader } from '#adapters/http/input';
import { Failure, isFailure } from '#ports/failure';
import type { Log } from '#ports/log';
import type { Contribution, Plugin, TableChange } from '#ports/plugin';
import type { Area } from '#ports/api/area';
import type { Port } from '#ports/port';
import { Storage } from '#ports/storage/storage';
import type { ListedPlugin, Loaded } from './load.js';

const ownFolder = new URL('../plugins/', import.meta.url);

/** The plugins that come with the product, each in a folder of its own; the configuration may list one by its name to give it settings. */
const ownPlugins = (
  listed: readonly ListedPlugin[],
): readonly { readonly listed: ListedPlugin; readonly entry: URL }[] =>
  (existsSync(ownFolder) ? readdirSync(ownFolder).sort() : []).map((name) => ({
    listed: listed.find((one) => one.name === name) ?? {
      name,
      settings: {},
      optional: false,
      trusted: false,
    },
    entry: new URL(`${name}/plugin.js`, ownFolder),
  }));

/** A plugin that was found and whose manifest is right. */
export interface ImportedPlugin {
  readonly listed: ListedPlugin;
  readonly plugin: Plugin;
  readonly settings: unknown;
}

const words = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const columnKinds = ['key', 'text', 'whole', 'real', 'flag', 'bytes'];

const importEntry = async (name: string, folder: string): Promise<unknown> => {
  const isPath = name.startsWith('.') || isAbsolute(name);
  let entry: string;
  try {
    entry = isPath
      ? createRequire(join(folder, 'x.js')).resolve(resolve(folder, name))
      : resolvePackage(name, folder);
  } catch (cause) {
    throw new Failure('absent', `it is not installed beside ${folder}`, { cause });
  }
  const module = (await import(pathToFileURL(entry).href)) as { readonly default?: unknown }; // any module may lack a default export, which is checked next
  return module.default;
};

/** The entry of a package as `import` would choose it, resolved from the configuration's folder and not from ours. */
const resolvePackage = (name: string, folder: string): string => {
  const require = createRequire(join(folder, 'x.js'));
  try {
    return require.resolve(name);
  } catch (thrown) {
    // Packages with only an `import` condition: look their manifest up by hand.
    if ((thrown as { code?: unknown }).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw thrown; // any thrown value can be asked for members, which may be absent
    const home = (require.resolve.paths(name) ?? [])
      .map((at) => join(at, name))
      .find((at) => {
        try {
          require(join(at, 'package.json'));
          return true;
        } catch {
          return false;
        }
      });
    if (home === undefined) throw thrown;
    const { exports } = require(join(home, 'package.json')) as {
      exports?:
        | { readonly ['.']?: { readonly import?: string; readonly default?: string } | string }
        | string;
    }; // a manifest of that very package
    const main =
      typeof exports === 'string'
        ? exports
        : typeof exports?.['.'] === 'string'
          ? exports['.']
          : (exports?.['.']?.import ?? exports?.['.']?.default);
    if (main === undefined) throw thrown;
    return join(home, main);
  }
};

const checkTables = (tables: readonly TableChange[]): string | undefined => {
  const made = new Set<string>();
  for (const change of tables) {
    const name = 'create' in change ? change.create : change.add;
    if (!/^[a-z][a-z0-9_]{0,23}$/.test(name))
      return `its table name ${String(name).slice(0, 40)} is not lower-case words of at most 24 characters`;
    for (const [column, kind] of Object.entries(change.columns))
      if (!/^[a-z][a-z0-9_]{0,39}$/.test(column) || !columnKinds.includes(kind))
        return `column ${column} of its table ${name} has not one of the kinds ${columnKinds.join(', ')}`;
    if ('create' in change) {
      if (made.has(name)) return `it makes the table ${name} twice`;
      made.add(name);
      if (
        change.key.length === 0 ||
        change.key.some((column) => !['key', 'whole'].includes(change.columns[column] ?? ''))
      )
        return `the key of its table ${name} is not made of columns of kind key or whole`;
      for (const [index, columns] of Object.entries(change.indexes ?? {}))
        if (
          columns.some(
            (column) => !['key', 'whole', 'real', 'flag'].includes(change.columns[column] ?? ''),
          )
        )
          return `index ${index} of its table ${name} names a column that cannot be indexed`;
    } else if (!made.has(name))
      return `it adds to the table ${name}, which it does not make before`;
  }
  return undefined;
};

/** What is wrong with a manifest, in one sentence. */
const faultOf = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null)
    return 'its entry has no default export that is a plugin';
  const { name, api, needs, settings, contribute, tables, drivers, toggle } = value as Partial<
    Record<keyof Plugin, unknown>
  >; // every member is checked
  if (typeof name !== 'string' || !words.test(name))
    return 'its name is not lower-case words with dashes';
  if (api !== 1)
    return `it is written for version ${String(api)} of the plugin contract; this server speaks version 1`;
  if (typeof contribute !== 'function') return 'it has no contribute';
  if (typeof settings !== 'object' || settings === null) return 'it has no schema of settings';
  if (
    typeof needs !== 'object' ||
    needs === null ||
    Object.values(needs).some((need) => typeof need !== 'symbol')
  )
    return 'its needs are not ports by name';
  if (tables !== undefined && !Array.isArray(tables)) return 'its tables are not a list';
  if (drivers !== undefined && !Array.isArray(drivers)) return 'its drivers are not a list';
  if (toggle !== undefined && typeof (toggle as { name?: unknown }).name !== 'string')
    return 'its toggle has no name';
  return tables === undefined ? undefined : checkTables(tables as readonly TableChange[]); // a list, whose entries are checked there
};

/** Why a plugin stops the start, in one sentence that names it. */
export const cannotLoad = (name: string, reason: string, cause?: unknown): Failure =>
  new Failure('invalid', `plugin ${name} cannot be loaded: ${reason}`, { cause });
const reasonOf = (thrown: unknown) =>
  isFailure(thrown) || thrown instanceof Error ? thrown.message : String(thrown);

const patienceMs = 30_000;

/** What `work` resolves with; rejects with `invalid` and the sentence when it has not ended within 30 s. */
export const endsInTime = async <T>(work: Promise<T>, sentence: string): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Failure('invalid', sentence));
    }, patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

const importOwn = async (entry: URL): Promise<unknown> =>
  ((await import(entry.href)) as { readonly default?: unknown }).default; // any module may lack a default export, which is checked next

const importOne = async (
  listed: ListedPlugin,
  entry: Promise<unknown>,
  isOwn: boolean,
): Promise<ImportedPlugin> => {
  const value = await entry.catch((thrown: unknown) => {
    throw cannotLoad(listed.name, reasonOf(thrown), thrown);
  });
  const fault = faultOf(value);
  if (fault !== undefined) throw cannotLoad(listed.name, fault);
  const plugin = value as Plugin; // as was just checked
  if (!listed.trusted && Object.values(plugin.needs).includes(Storage))
    throw cannotLoad(
      listed.name,
      'it asks for the whole storage, which is granted only to plugins that the configuration trusts',
    );
  try {
    if (!isOwn) compiles(plugin.settings); // tests have seen our own, and it takes a tenth of a start
    return {
      listed,
      plugin,
      settings: reader(plugin.settings, 'settings')(structuredClone(listed.settings)),
    };
  } catch (thrown) {
    throw cannotLoad(listed.name, `its settings are wrong: ${reasonOf(thrown)}`, thrown);
  }
};

/** Imports the product's own plugins and then what the configuration lists, in its order; whether their toggles are on is asked where they take part. */
export const importPlugins = async (
  { plugins, pluginFolder }: Loaded,
  log: Log,
): Promise<readonly ImportedPlugin[]> => {
  const imported: ImportedPlugin[] = [];
  const own = ownPlugins(plugins);
  const foreign = plugins.filter(({ name }) => !own.some((one) => one.listed.name === name));
  for (const { listed, isOwn, open } of [
    ...own.map(({ listed, entry }) => ({ listed, isOwn: true, open: () => importOwn(entry) })),
    ...foreign.map((listed) => ({
      listed,
      isOwn: false,
      open: () => importEntry(listed.name, pluginFolder),
    })),
  ]) {
    try {
      const one = await importOne(listed, open(), isOwn);
      const { name } = one.plugin;
      if (imported.some((other) => other.plugin.name === name))
        throw cannotLoad(listed.name, `another plugin is called ${name} already`);
      imported.push(one);
    } catch (thrown) {
      if (!listed.optional) throw thrown;
      log.warn('an optional plugin was left out', {
        plugin: listed.name,
        reason: reasonOf(thrown),
      });
    }
  }
  return imported;
};

/** Lets a plugin contribute, handed only what it asks for. */
export const contributed = async (
  { listed, plugin, settings }: ImportedPlugin,
  meet: (port: Port<unknown>) => Promise<unknown>,
): Promise<Contribution> => {
  try {
    const met = Object.fromEntries(
      await Promise.all(
        Object.entries(plugin.needs).map(async ([name, port]) => [name, await meet(port)] as const),
      ),
    );
    return await plugin.contribute(met as never, settings); // its own needs, met by name
  } catch (thrown) {
    throw cannotLoad(listed.name, reasonOf(thrown), thrown);
  }
};

/** Refuses rows that would hide others: the same id, or the same method and path. */
export const checkShadowing = (
  areas: readonly Area[],
  plugin: string,
  more: readonly Area[],
): void => {
  const taken = new Map(
    areas.flatMap((area) =>
      Object.entries(area.table).flatMap(
        ([id, row]) =>
          [[id, id], ...[row.path].flat().map((path) => [`${row.method} ${path}`, id])] as [
            string,
            string,
          ][],
      ),
    ),
  );
  for (const area of more)
    for (const [id, row] of Object.entries(area.table)) {
      const clash = [id, ...[row.path].flat().map((path) => `${row.method} ${path}`)].find((one) =>
        taken.has(one),
      );
      if (clash !== undefined)
        throw cannotLoad(
          plugin,
          `its operation ${id} would hide ${taken.get(clash) ?? clash} (${clash})`,
        );
    }
};
