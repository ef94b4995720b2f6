// Loads plugins: listed → imported → manifest checked → drivers registered → tables migrated → contribute → rows checked. One that does
// not load stops the start with its name and the reason, unless the configuration calls it optional.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiles, reader } from '#adapters/http/input';
import { Failure, isFailure } from '#ports/failure';
import type { Log } from '#ports/log';
import type { Contribution, Plugin } from '#ports/plugin';
import type { Port } from '#ports/port';
import { needsStorage } from '#ports/storage/storage';
import type { ListedPlugin, Loaded } from './load.js';
import { ownDrivers } from './own-drivers.js';
import { manifestFault } from './plugin-manifest.js';
import { toggleRows } from './toggles.js';

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
  /** Whether it comes with the product. */
  readonly isOwn: boolean;
}

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

/** Why a plugin stops the start, in one sentence that names it. */
export const cannotLoad = (name: string, reason: string, cause?: unknown): Failure =>
  new Failure('invalid', `plugin ${name} cannot be loaded: ${reason}`, { cause });
/** Does a part of loading a plugin. What fails stops the start with its name and the reason, or leaves it out where it is optional. */
export const unlessOptional = async (
  { name, optional }: ListedPlugin,
  log: Log,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (thrown) {
    const reason = reasonOf(thrown);
    if (!optional)
      throw isFailure(thrown) && reason.startsWith(`plugin ${name} `)
        ? thrown
        : cannotLoad(name, reason, thrown);
    log.warn('an optional plugin was left out', { plugin: name, reason });
  }
};

/** What went wrong, in its own sentence. */
export const reasonOf = (thrown: unknown) =>
  isFailure(thrown) || thrown instanceof Error ? thrown.message : String(thrown);

const patienceMs = 30_000;

/** What `work` resolves with; rejects with `invalid` and the sentence when it has not ended within 30 s, or what is given. */
export const endsInTime = async <T>(
  work: Promise<T>,
  sentence: string,
  ms = patienceMs,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Failure('invalid', sentence));
    }, ms);
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
  const fault = manifestFault(value);
  if (fault !== undefined) throw cannotLoad(listed.name, fault);
  const plugin = value as Plugin; // as was just checked
  if (!listed.trusted && needsStorage(plugin.needs))
    throw cannotLoad(
      listed.name,
      'it asks for the storage, which is granted only to plugins that the configuration trusts',
    );
  try {
    if (!isOwn) compiles(plugin.settings); // tests have seen our own, and it takes a tenth of a start
    return {
      listed,
      isOwn,
      plugin,
      settings: reader(plugin.settings, 'settings')(structuredClone(listed.settings)),
    };
  } catch (thrown) {
    throw cannotLoad(listed.name, `its settings are wrong: ${reasonOf(thrown)}`, thrown);
  }
};

/** What a plugin takes that the product or a plugin before it has. */
const clashOf = (
  { name, toggle, drivers = [] }: Plugin,
  isOwn: boolean,
  imported: readonly ImportedPlugin[],
): string | undefined => {
  const others = imported.map(({ plugin }) => plugin);
  if (others.some((other) => other.name === name))
    return `another plugin is called ${name} already`;
  if (toggle !== undefined && !isOwn && Object.hasOwn(toggleRows, toggle.name))
    return `its toggle ${toggle.name} is one of the product's own`;
  const sharing = others.find(
    (other) => toggle !== undefined && other.toggle?.name === toggle.name,
  );
  if (sharing !== undefined)
    return `its toggle ${toggle?.name ?? ''} is that of the plugin ${sharing.name}`;
  const taken = [...ownDrivers(), ...others.flatMap((other) => other.drivers ?? [])];
  const clash = drivers.find((driver) =>
    taken.some((one) => one.port === driver.port && one.name === driver.name),
  );
  return clash === undefined
    ? undefined
    : `it brings the ${clash.port} driver ${clash.name}, which exists already`;
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
    await unlessOptional(listed, log, async () => {
      const one = await importOne(listed, open(), isOwn);
      const fault = clashOf(one.plugin, isOwn, imported);
      if (fault !== undefined) throw cannotLoad(listed.name, fault);
      imported.push(one);
    });
  }
  return imported;
};

/** Lets a plugin contribute, handed only what it asks for. Rejects when that does not end. */
export const contribute = async (
  { plugin, settings }: ImportedPlugin,
  resolveNeeds: (port: Port<unknown>) => Promise<unknown>,
): Promise<Contribution> => {
  const resolved = Object.fromEntries(
    await Promise.all(
      Object.entries(plugin.needs).map(
        async ([name, port]) => [name, await resolveNeeds(port)] as const,
      ),
    ),
  );
  const contributing = async () => plugin.contribute(resolved as never, settings); // its own needs, resolved by name
  return endsInTime(contributing(), 'its contribute has not ended after 30 s');
};
