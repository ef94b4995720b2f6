// How plugins join the server: their tables, what they contribute, and what is refused.
import { pluginChanges, pluginTables } from '#adapters/storage/sql/plugin-tables';
import { compiles } from '#adapters/http/input';
import type { Route } from '#adapters/http/route';
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import { areas } from '#core/areas';
import { Failure } from '#ports/failure';
import type { Log } from '#ports/log';
import { PluginTables } from '#ports/plugin-tables';
import type { Contribution } from '#ports/plugin';
import type { Port } from '#ports/port';
import { storesNamedBy } from '#ports/storage/storage';
import { provideSettings, requireKindRules, routesOf } from './area-routes.js';
import { resolvePort, type Container } from './bind.js';
import type { OpenedStorage } from './drivers.js';
import { areaSettingRows, areaToggles } from './area-rows.js';
import type { LiveToggles } from './live-toggles.js';
import { allSettingRows, unknownSettings, type Loaded, type LoadedSetting } from './load.js';
import { contributionFault } from './plugin-contribution.js';
import { contribute, unlessOptional, type ImportedPlugin } from './plugins.js';
import { schemasOf } from './schemas.js';
import type { SettingValues } from './settings.js';
import { unknownToggles } from './toggles.js';
import type { Stop } from './stopping.js';

/** A plugin that takes part, with what it brings. */
export interface Joined {
  readonly plugin: ImportedPlugin;
  readonly contribution: Contribution;
  readonly routes: readonly Route[];
  /** What is in force of the settings that its areas bring. */
  readonly settings: readonly LoadedSetting[];
}

/** What a plugin is handed for a port: its own tables, or what everybody gets. */
const meetFor =
  (container: Container, opened: OpenedStorage, { plugin }: ImportedPlugin) =>
  (port: Port<unknown>): Promise<unknown> =>
    port === (PluginTables as Port<unknown>)
      ? Promise.resolve(pluginTables(opened.storage.connection, plugin.name, plugin.tables ?? []))
      : container.isBound(port) || storesNamedBy(port) !== undefined
        ? resolvePort(container, port)
        : Promise.reject(
            new Failure('invalid', `it needs ${String(port.description)}, which this server lacks`),
          );

/** Makes the tables of a plugin that is new here; older ones are brought up to date where that is this start's to do, as for the product's own. */
const requirePluginSchema = async (
  { storage, migratesItself }: OpenedStorage,
  { plugin }: ImportedPlugin,
  values: SettingValues,
): Promise<void> => {
  const changes = pluginChanges(plugin.name, plugin.tables ?? []);
  const readStatus = () => storage.migrations.status(plugin.name, changes);
  const isBehind = ({ at }: { readonly at: unknown }): boolean => at === undefined;
  let status = await readStatus();
  if (status.some(isBehind)) {
    // Another process that started at the same time may be in the middle of them.
    await storage.migrations.settled();
    status = await readStatus();
  }
  const changed = status.find((one) => one.changed === true);
  if (changed !== undefined)
    throw new Failure(
      'conflict',
      `change ${changed.number} of its tables (${changed.name}) is not the one that was made here: a list of changes only grows`,
    );
  const newer = status.find(({ known }) => !known);
  if (newer !== undefined)
    throw new Failure(
      'conflict',
      `its tables were changed by a newer version of it, or its list of changes was shortened (${newer.name})`,
    );
  const waiting = status.filter(isBehind).length;
  if (waiting === 0) return;
  if (waiting < status.length && !migratesItself && values.ORRERY_MIGRATE !== 'auto')
    throw new Failure(
      'conflict',
      `the tables of plugin ${plugin.name} are ${waiting} changes behind; run "orrery migrate up", or set ORRERY_MIGRATE=auto`,
    );
  await storage.migrations.up(plugin.name, changes);
};

/** Toggles that are set and that nothing has: one of the file is a fault, as a setting is, one of the environment a warning. */
export const checkToggles = (
  { toggles }: Loaded,
  imported: readonly ImportedPlugin[],
  ofAreas: readonly string[] = [],
): { readonly faults: readonly string[]; readonly warnings: readonly string[] } => {
  const brought = [...imported.flatMap(({ plugin }) => plugin.toggle?.name ?? []), ...ofAreas];
  const from = (source: string) =>
    unknownToggles(
      [...toggles].filter(([, toggle]) => toggle.source === source).map(([name]) => name),
      brought,
    );
  return { faults: from('file'), warnings: from('environment') };
};

/** Rejects with `invalid` and every name in the file that is no setting or toggle, of the product nor of a plugin; those in the environment are logged. */
export const requireKnownNames = (
  loaded: Loaded,
  imported: readonly ImportedPlugin[],
  log: Log,
  joined: readonly Joined[],
): void => {
  const areas = joined.flatMap(({ contribution }) => contribution.areas ?? []);
  const found = [
    checkToggles(loaded, imported, Object.keys(areaToggles(areas))),
    unknownSettings(loaded, Object.keys(areaSettingRows(areas))),
  ];
  for (const { warnings } of found) for (const sentence of warnings) log.warn(sentence);
  const faults = found.flatMap((one) => one.faults);
  if (faults.length > 0) throw new Failure('invalid', faults.join('; '));
};

/** What plugins join: the container that meets their needs, and what there is already. */
interface Joining {
  readonly container: Container;
  readonly opened: OpenedStorage;
  readonly toggles: LiveToggles;
  readonly loaded: Loaded;
  readonly stops: Stop[];
}

/** Lets a plugin contribute to what there is. Rejects with a sentence that names it when it cannot. */
const joinOne = async (
  plugin: ImportedPlugin,
  joined: readonly Joined[],
  { container, opened, toggles, loaded, stops }: Joining,
): Promise<Joined> => {
  await requirePluginSchema(opened, plugin, loaded.values);
  const contribution = await contribute(plugin, meetFor(container, opened, plugin));
  if (typeof contribution?.stop === 'function')
    stops.push(async () => {
      await contribution.stop?.();
    });
  const before = joined.map((one) => one.contribution);
  const fault = contributionFault(contribution, {
    trusted: plugin.listed.trusted,
    areas: [
      ...[...areas, versionArea, serviceArea, swaggerArea],
      ...before.flatMap((one) => one.areas ?? []),
    ],
    toggles: toggles.list().map(({ name }) => name),
    settings: [
      ...Object.keys(allSettingRows),
      ...joined.flatMap((one) => one.settings.map(({ name }) => name)),
    ],
    forms: before.flatMap((one) => (one.webhookForms ?? []).map(({ name }) => name)),
  });
  if (fault !== undefined) throw new Failure('invalid', fault);
  const brought = contribution.areas ?? [];
  // Tests have seen our own, and it takes a twentieth of a start.
  if (!plugin.isOwn)
    for (const area of brought) for (const schema of schemasOf(area.table)) compiles(schema);
  toggles.bring(areaToggles(brought));
  const settings = loaded.more(areaSettingRows(brought));
  for (const area of brought) provideSettings(container, area, settings);
  if (!plugin.isOwn) await requireKindRules(container, brought);
  return { plugin, contribution, settings, routes: await routesOf(container, brought) };
};

export const joinPlugins = async (
  imported: readonly ImportedPlugin[],
  joining: Joining,
  log: Log,
): Promise<readonly Joined[]> => {
  const joined: Joined[] = [];
  for (const plugin of imported)
    await unlessOptional(plugin.listed, log, async () => {
      joined.push(await joinOne(plugin, joined, joining));
    });
  return joined;
};
